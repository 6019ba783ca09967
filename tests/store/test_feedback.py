"""Turns and verdicts: kept in the state, also by several processes, also in an earlier state."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.errors import QuestionError, StoreError
from srag_mcp.store.feedback import (
    MAX_TURNS,
    Turn,
    Verdict,
    follow_back,
    open_feedback,
    question_key,
)
from srag_mcp.store.state import open_state

KEEP = """
import sys
from pathlib import Path
from srag_mcp.store.feedback import Turn, open_feedback
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    with open_feedback(Path(sys.argv[1])) as feedback:
        n = feedback.keep_turn(Turn(f"{sys.argv[2]}{number}", "", "q", "r", "SELECT 1", ""))
        assert n <= 10
"""


def turn(question: str, previous: str = "", asked: str = "") -> Turn:
    return Turn(question, previous, asked or question, "reading", "SELECT 1", "")


def verdict(question: str, **said: object) -> Verdict:
    given = Verdict("person", "right", question, "SELECT count(*) FROM ships")
    return replace(given, **said)  # type: ignore[arg-type]  # the fields of a verdict


def test_the_last_ten_turns_are_kept_until_they_are_dropped(state: Path) -> None:
    with open_feedback(state) as feedback:
        kept = [feedback.keep_turn(turn(f"q{number}")) for number in range(12)]
        assert kept == [*range(1, MAX_TURNS + 1), MAX_TURNS, MAX_TURNS]
    with open_feedback(state) as feedback:
        turns = feedback.turns()
        assert [item.question for item in turns] == [f"q{number}" for number in range(2, 12)]
        assert replace(turns[-1], at="") == turn("q11")
        assert turns[-1].at.endswith("+00:00")
        assert (feedback.forget_turns(), feedback.turns()) == (MAX_TURNS, [])


def test_two_processes_keep_turns_at_once(state: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", KEEP, str(state), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [(process.communicate(timeout=60)[1], process.returncode) for process in processes] == [
        ("", 0)
    ] * 2
    with open_feedback(state) as feedback:
        questions = [item.question for item in feedback.turns()]
    assert len(questions) == len(set(questions)) == MAX_TURNS
    assert {"a19", "b19"} & set(questions)


def test_a_state_of_before_has_no_turns_and_takes_some(state: Path) -> None:
    with open_state(state) as earlier:
        earlier.keep_note("colour", "red")
        tables = earlier.run("SELECT name FROM sqlite_master WHERE name IN ('turns', 'verdicts')")
        assert tables == []
    with open_feedback(state) as feedback:
        assert (feedback.turns(), feedback.verdicts()) == ([], [])
        assert feedback.keep_turn(turn("q")) == 1
    with open_state(state) as earlier:
        assert earlier.note("colour") == "red"


def test_half_of_a_character_in_a_question_does_not_keep_it_out(state: Path) -> None:
    with open_feedback(state) as feedback:
        feedback.keep_turn(turn("How many \ud83d?"))
        assert [item.question for item in feedback.turns()] == ["How many ??"]


def test_a_later_verdict_takes_the_place_of_the_one_before_of_its_giver(state: Path) -> None:
    with open_feedback(state) as feedback:
        feedback.keep_verdict(verdict("How many ships?"))
        feedback.keep_verdict(verdict("how many  ships", judgement="wrong"))
        feedback.keep_verdict(verdict("How many ships?", giver="agent"))
        kept = feedback.verdicts()
        assert [(item.giver, item.judgement) for item in kept] == [
            ("person", "wrong"),
            ("agent", "right"),
        ]
        assert [item.is_verified for item in kept] == [False, False]
        assert feedback.drop_verdict(kept[0].number)
        assert not feedback.drop_verdict(kept[0].number)
        assert feedback.verdicts() == kept[1:]


def test_the_verdicts_on_one_question_are_found(state: Path) -> None:
    with open_feedback(state) as feedback:
        feedback.keep_verdict(verdict("How many ships?"))
        feedback.keep_verdict(verdict("How many boats?"))
        [found] = feedback.verdicts(" how MANY boats")
        assert found.question == "How many boats?"
        assert feedback.verdicts("How many cars?") == []


@pytest.mark.usefixtures("impatient")
def test_who_asks_does_not_wait_long_for_who_writes(state: Path) -> None:
    with (
        open_feedback(state) as feedback,
        open_state(state) as other,
        other.transaction(),
        pytest.raises(StoreError, match="locked"),
    ):
        feedback.keep_turn(turn("q"))


def test_a_verdict_is_retired_with_its_reason(state: Path) -> None:
    with open_feedback(state) as feedback:
        feedback.keep_verdict(verdict("How many ships?", build="1"))
        [kept] = feedback.verdicts()
        assert kept.is_verified
        feedback.keep_seen(replace(kept, build="2", retired="its column is gone"))
        [kept] = feedback.verdicts()
    assert (kept.build, kept.retired, kept.is_verified) == ("2", "its column is gone", False)


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("How many ships?", "  how MANY\nships ", True),
        ("Wie viele Straßen?", "wie viele STRASSEN", True),
        ("below -5?", "below 5?", False),
        ("above .5", "above 5", False),
        ("over $100", "over €100", False),
        ("Who knows C++?", "Who knows C?", False),
    ],
)
def test_questions_are_equal_by_their_words_and_marks(
    one: str, other: str, *, are_same: bool
) -> None:
    assert (question_key(one) == question_key(other)) is are_same


def test_a_question_is_followed_back_to_those_that_it_leans_on() -> None:
    turns = [
        turn("How many in Rome?"),
        turn("How many in Oslo?"),
        turn("And with a pool?", "How many in Oslo?", "How many in Oslo with a pool?"),
        turn("How many in Bern?"),
        turn("Only cheap ones?", "how many in oslo with a pool", "Which cheap ones in Oslo?"),
    ]
    assert follow_back(turns, "only cheap ones") == [turns[1], turns[2], turns[4]]
    assert follow_back(turns, "And with a pool") == [turns[1], turns[2]]
    assert follow_back(turns, "How many in Bern?") == [turns[3]]
    assert follow_back(turns, "How many in Riga?") == []


def test_a_question_that_leans_on_its_own_words_ends() -> None:
    turns = [turn("And then?", "And then?")] * 2
    assert follow_back(turns, "And then?") == turns


def test_a_question_that_meant_several_things_is_to_be_given_as_it_was_meant() -> None:
    turns = [
        turn("And in Oslo?", "How many pools?", "How many pools are in Oslo?"),
        turn("and in oslo", "How many spas?", "How many spas are in Oslo?"),
    ]
    said = "meant: How many pools are in Oslo?; How many spas are in Oslo?; give one of these"
    with pytest.raises(QuestionError, match=re.escape(said)):
        follow_back(turns, "And in Oslo?")
    assert follow_back(turns, "How many pools are in Oslo?") == turns[:1]
