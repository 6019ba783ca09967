"""Prompts and answers: who gets which, and what is kept when somebody dies."""

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from srag_mcp.model.language_model import Correction, Prompt, hash_prompt
from srag_mcp.store.spool import AnswerOutcome, PromptSpool, SpoolCount, SpooledPrompt
from srag_mcp.store.state import State, open_state

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"town": {"type": "string"}, "height": {"type": ["number", "null"]}},
    "required": ["town", "height"],
    "additionalProperties": False,
}
GOOD = {"town": "Bergen", "height": 12}
PLENTY = 1_000_000


def prompt(number: int, **changes: object) -> Prompt:
    fields = {"step": "records", "instructions": "Read the note.", "content": f"Note {number}"}
    return Prompt(**(fields | changes))  # type: ignore[arg-type]  # the fields have their types


def answer(spool: PromptSpool, prompt_id: object, reply: object) -> AnswerOutcome:
    (outcome,) = spool.answer([(prompt_id, reply)])
    return outcome


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with open_state(tmp_path) as opened:
        yield opened


@pytest.fixture
def spool(state: State) -> PromptSpool:
    return PromptSpool(state)


def ask(spool: PromptSpool, asked: Prompt) -> str | None:
    return spool.ask(hash_prompt(asked, SCHEMA), asked, SCHEMA)


def put(spool: PromptSpool, n_prompts: int) -> list[str]:
    """Ask so many prompts; return their names."""
    asked = [prompt(number) for number in range(n_prompts)]
    assert [ask(spool, item) for item in asked] == [None] * n_prompts
    return [hash_prompt(item, SCHEMA) for item in asked]


def contents(given: list[SpooledPrompt]) -> list[str]:
    return [item.prompt.content for item in given]


def test_a_prompt_comes_out_as_it_went_in_and_its_answer_goes_back(spool: PromptSpool) -> None:
    asked = prompt(1, corrections=(Correction("Well.", "No JSON."),), subject="ü.txt")
    name = hash_prompt(asked, SCHEMA)
    assert ask(spool, asked) is None
    assert ask(spool, asked) is None, "to ask the same twice is to ask once"

    (given,) = spool.hand_out(10, PLENTY)
    outcome = answer(spool, given.id, GOOD)

    assert given == SpooledPrompt(asked, SCHEMA, name[:12])
    assert outcome == AnswerOutcome(name[:12], "", given.shared)
    assert json.loads(ask(spool, asked) or "") == GOOD
    assert spool.count() == SpoolCount()


def test_nothing_waits_where_nothing_was_asked(spool: PromptSpool) -> None:
    assert spool.count() == SpoolCount()
    assert spool.hand_out(9, PLENTY) == []
    assert (spool.was_used, spool.seconds_since_sign()) == (False, float("inf"))


def test_two_agents_do_not_get_the_same_prompts(spool: PromptSpool, tmp_path: Path) -> None:
    put(spool, 5)
    with open_state(tmp_path) as theirs:
        other = PromptSpool(theirs)

        first, second, third = (
            spool.hand_out(2, PLENTY),
            other.hand_out(9, PLENTY),
            spool.hand_out(9, 1),
        )

    assert sorted(contents([*first, *second])) == [f"Note {number}" for number in range(5)]
    assert (len(first), len(second), third) == (2, 3, [])
    count = spool.count()
    assert (count.n_open, count.n_leased) == (0, 5)
    assert 0 < count.lease_s <= 300


def test_an_agent_that_lost_its_prompts_gets_them_again(spool: PromptSpool) -> None:
    put(spool, 3)
    lost = spool.hand_out(2, PLENTY)
    assert answer(spool, lost[0].id, GOOD).accepted

    again = spool.hand_out(9, PLENTY, again=True)

    assert contents(again) == ["Note 1", "Note 2"]
    assert spool.count().n_leased == 2
    assert answer(spool, lost[1].id, GOOD).accepted, "the ids are the same"


def test_a_lease_that_has_run_out_lets_another_agent_answer(state: State) -> None:
    spool = PromptSpool(state, lease_s=0)
    put(spool, 1)

    (first,) = spool.hand_out(1, PLENTY)
    (second,) = spool.hand_out(1, PLENTY)

    assert first == second
    assert answer(spool, second.id, GOOD).accepted
    late = answer(spool, first.id, {"town": "Kiel", "height": None})
    assert late == AnswerOutcome(first.id, "answered before; the first answer is kept")


def test_the_first_answer_stays_before_and_after_it_was_taken(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)
    again = {"town": "Kiel", "height": None}

    outcomes = [answer(spool, name[:8], GOOD), answer(spool, name[:8], again)]
    taken = ask(spool, prompt(0))
    outcomes.append(answer(spool, name[:8], again))

    assert [item.accepted for item in outcomes] == [True, False, False]
    assert ask(spool, prompt(0)) == taken == json.dumps(GOOD)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("Bergen", "reply must be a JSON object: it holds no JSON object; it begins 'Bergen'"),
        ("[1, 2]", "reply must be a JSON object: it holds no JSON object; it begins '[1, 2]'"),
        ([GOOD], "reply must be a JSON object, or its text"),
        (None, "reply must be a JSON object, or its text"),
        ('{"town": "Ber', "reply must be a JSON object: it holds no JSON object"),
        ({"town": "Bergen"}, "fields are missing: height"),
        ("{}", "fields are missing: town, height"),
    ],
)
def test_an_answer_that_is_none_is_told_so_and_can_be_mended(
    spool: PromptSpool, reply: object, problem: str
) -> None:
    (name,) = put(spool, 1)

    outcome = answer(spool, name[:8], reply)

    assert outcome.problem.startswith(problem)
    assert ask(spool, prompt(0)) is None
    assert answer(spool, name[:8], GOOD).accepted


@pytest.mark.parametrize("reply", [json.dumps(GOOD), f"Here:\n```json\n{json.dumps(GOOD)}\n```"])
def test_the_text_of_an_answer_is_kept_as_it_was_written(spool: PromptSpool, reply: str) -> None:
    (name,) = put(spool, 1)

    assert answer(spool, name[:8], reply).accepted
    assert ask(spool, prompt(0)) == reply


@pytest.mark.parametrize("prompt_id", ["", "abc", "../../etc", "ABCDEF01", "*" * 8, 7, None, {}])
def test_what_is_no_id_is_told_so(spool: PromptSpool, prompt_id: object) -> None:
    put(spool, 1)

    assert answer(spool, prompt_id, GOOD).problem.startswith("not an id of a prompt")


def test_a_prompt_that_nobody_asks_takes_no_answer(spool: PromptSpool) -> None:
    outcome = answer(spool, "0123abcd", GOOD)

    assert outcome == AnswerOutcome("0123abcd", "no such prompt is asked, or not any more")


def test_what_utf8_cannot_hold_is_replaced_in_an_answer(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)

    assert answer(spool, name[:8], '{"town": "a\ud800b", "height": 1}').accepted
    assert ask(spool, prompt(0)) == '{"town": "a?b", "height": 1}'


def test_an_id_that_fits_two_prompts_answers_neither(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)
    alike = name[:10] + ("0" if name[10] != "0" else "1") + name[11:]
    spool.ask(alike, prompt(0), SCHEMA)

    assert not answer(spool, name[:8], GOOD).accepted
    assert {item.id for item in spool.hand_out(9, PLENTY)} == {name[:12], alike[:12]}
    assert answer(spool, name[:12], GOOD).accepted
    assert spool.ask(alike, prompt(0), SCHEMA) is None


def test_a_page_holds_what_fits_and_counts_shared_parts_once(spool: PromptSpool) -> None:
    long = "Read the note. " * 100
    for number in range(6):
        ask(spool, prompt(number, instructions=long, content=f"{number}" * 1000))
    other = prompt(9, instructions=long + "Again.", content="9" * 1000)
    ask(spool, other)

    first = spool.hand_out(9, 3800)
    assert len(first) == 2
    assert len(spool.hand_out(9, 1)) == 1
    assert len(spool.hand_out(9, 2100, {first[0].shared})) == 2
    assert contents(spool.hand_out(9, 4800)) == ["5" * 1000]
    assert spool.hand_out(9, 4800)[0].prompt == other


def test_what_a_dead_job_asked_is_put_aside_and_its_answer_found_by_the_next(
    spool: PromptSpool, tmp_path: Path
) -> None:
    names = put(spool, 3)
    ids = [item.id for item in spool.hand_out(9, PLENTY)]
    answer(spool, names[0][:8], GOOD)

    with open_state(tmp_path) as state:
        later = PromptSpool(state)
        later.park()
        count = later.count()
        outcome = answer(later, names[1][:8], GOOD)
        answered = [ask(later, prompt(number)) is not None for number in range(3)]
        open_again = later.count()

    assert sorted(ids) == sorted(name[:12] for name in names)
    assert count == SpoolCount()
    assert outcome.accepted
    assert answered == [True, True, False]
    assert open_again == SpoolCount(n_open=1), "who had it may have died with the job"


def test_an_answer_that_a_job_died_with_can_be_had_again(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)
    answer(spool, name[:8], GOOD)

    first = ask(spool, prompt(0))
    spool.park()

    assert ask(spool, prompt(0)) == first
    spool.forget_taken()
    assert ask(spool, prompt(0)) is None


def test_an_answer_that_nobody_had_yet_is_not_forgotten(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)
    answer(spool, name[:8], GOOD)

    spool.forget_taken()
    spool.forget(name)

    assert ask(spool, prompt(0)) == json.dumps(GOOD)


def test_what_is_a_week_old_is_forgotten_when_a_job_starts(
    spool: PromptSpool, state: State
) -> None:
    old, new = put(spool, 2)
    state.run("UPDATE prompts SET asked_at = ? WHERE name = ?", time.time() - 8 * 86_400, old)

    spool.park()

    assert state.run("SELECT name, is_parked FROM prompts") == [(new, 1)]
