"""Who runs next, told without a thread and without a clock."""

from collections.abc import Hashable, Iterable
from pathlib import Path

from srag_mcp.store.guard.pool import PATIENCE, Call, Kind, Statement, Turns
from srag_mcp.store.guard.process import Request


def statement(caller: Hashable, kind: Kind = "short", n_yields: int = 0) -> Statement:
    return Statement(Request("select", Path(), ""), Call(caller), kind, n_yields=n_yields)


def line(*callers: str, kind: Kind = "short", n_places: int = 4) -> Turns:
    turns = Turns(n_places)
    for caller in callers:
        turns.waiting.append(statement(caller, kind))
    return turns


def given(turns: Turns) -> list[Statement]:
    """Give away all places that are free."""
    return list(iter(turns.next, None))


def callers(turns: Iterable[Statement]) -> str:
    return "".join(str(turn.caller) for turn in turns)


def served(turns: Turns) -> str:
    """Let each statement end before the next one, and say whose they were."""
    order = []
    while (turn := turns.next()) is not None:
        turns.leave(turn)
        order.append(turn)
    return callers(order)


def test_who_came_first_goes_first() -> None:
    turns = line(*"abcdef")

    assert callers(given(turns)) == "abcd"
    assert turns.next() is None


def test_callers_take_turns_whatever_each_has_sent() -> None:
    assert served(line(*"aaaabbc", n_places=1)) == "abcabaa"


def test_who_runs_nothing_goes_before_who_runs_much() -> None:
    turns = line(*"aaa")
    given(turns)
    turns.waiting.append(statement("a"))
    turns.waiting.append(statement("b"))

    assert callers(given(turns)) == "b"


def test_long_queries_hold_at_most_half_of_the_places() -> None:
    turns = line(*"abcd")
    a, b, c, d = given(turns)

    assert [turns.lengthen(turn) for turn in (a, b, c, d)] == [True, True, False, False]


def test_a_query_that_found_the_half_taken_waits_for_a_long_one_to_end() -> None:
    turns = line(*"abc")
    a, b, c = given(turns)
    assert [turns.lengthen(turn) for turn in (a, b, c)] == [True, True, False]
    turns.leave(c)
    turns.waiting.append(c)

    assert turns.next() is None
    turns.leave(a)
    assert turns.next() is c


def test_short_queries_go_before_long_ones_also_within_one_session() -> None:
    turns = line(*"aa", kind="long")
    turns.waiting.append(statement("a"))
    turns.waiting.append(statement("b"))

    assert [(turn.caller, turn.kind) for turn in given(turns)] == [
        ("a", "short"),
        ("b", "short"),
        ("a", "long"),
        ("a", "long"),
    ]


def test_ten_endless_queries_of_ten_sessions_leave_half_of_the_places_to_others() -> None:
    turns = line(*"abcdefghij")
    n_rounds = 0
    while any(turn.kind == "short" for turn in (*turns.waiting, *turns.running)):
        given(turns)
        n_rounds += 1
        for turn in [turn for turn in turns.running if turn.kind == "short"]:
            if not turns.lengthen(turn):
                turns.leave(turn)
                turns.waiting.append(turn)
    assert n_rounds == 4  # of a second each, until all are known as long

    assert [turn.kind for turn in turns.running] == ["long", "long"]
    turns.waiting.append(statement("k"))
    turns.waiting.append(statement("l"))
    assert callers(given(turns)) == "kl"


def test_a_query_gives_way_to_those_that_have_run_less() -> None:
    turns = line(*"abc", n_places=1)
    a = turns.next()
    assert a is not None

    assert turns.gives_way(a)
    turns.leave(a)
    turns.waiting.append(a)
    assert served(turns) == "bca"


def test_a_query_keeps_its_place_where_nobody_waits_who_has_run_less() -> None:
    turns = line("a", n_places=1)
    a = turns.next()
    assert a is not None
    assert not turns.gives_way(a)

    turns.waiting.append(statement("b", n_yields=1))
    turns.waiting.append(statement("c", "long"))
    assert not turns.gives_way(a)
    assert a.n_yields == 0


def test_a_query_gives_way_no_more_than_thrice() -> None:
    turns = line("a", n_places=1)
    a = turns.next()
    assert a is not None
    turns.waiting.append(statement("b"))

    assert [turns.gives_way(a) for _ in range(5)] == [True] * 3 + [False] * 2


def test_a_light_query_waits_for_a_part_of_each_heavy_one_that_came_before() -> None:
    turns = line(*"abcdefghij", n_places=2)
    for turn in given(turns):
        assert turns.gives_way(turn)
        turns.leave(turn)
        turns.waiting.append(turn)
    turns.waiting.append(statement("light"))

    assert served(turns) == "cdefghijlightab"


def test_a_long_query_is_not_put_off_for_ever() -> None:
    turns = line("long", kind="long", n_places=1)
    n_before = 0
    for n_before in range(PATIENCE + 2):
        turns.waiting.append(statement(n_before))
        turn = turns.next()
        assert turn is not None
        turns.leave(turn)
        if turn.caller == "long":
            break

    assert n_before == PATIENCE


def test_statements_of_our_own_wait_for_no_query() -> None:
    turns = line(*"abcdef")
    given(turns)
    turns.waiting.append(statement("g", "own"))
    turns.waiting.append(statement("h", "own"))

    assert callers(given(turns)) == "g"  # the place that queries never have
    turns.leave(turns.running[0])
    assert callers(given(turns)) == "h"


def test_never_more_run_than_there_are_places_and_one() -> None:
    turns = line(*"abcdef", kind="own")
    for caller in "ghijkl":
        turns.waiting.append(statement(caller))

    assert callers(given(turns)) == "abcde"
    turns.leave(turns.running[0])
    assert callers(given(turns)) == "f"
