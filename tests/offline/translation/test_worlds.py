"""Questions over ten subjects, each compared with hand-written SQL.

A line of `worlds/<subject>.txt` is a question; the indented line below it is the SQL of its answer,
or `REFUSED` with the words that the refusal has to name.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Protocol

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.sqlfacts.query import Translation


class World(Protocol):
    """What the fixture `worlds` gives: a table to ask and to query."""

    def ask(self, question: str) -> Translation: ...

    def rows(self, sql: str) -> list[tuple[object, ...]]: ...


FOLDER = Path(__file__).parent / "worlds"


def _cases() -> Iterator[tuple[str, str, str]]:
    for path in sorted(FOLDER.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for question, expected in zip(lines[::2], lines[1::2], strict=True):
            yield path.stem, question, expected.strip()


CASES = list(_cases())
ANSWERED = [case for case in CASES if not case[2].startswith("REFUSED")]
REFUSED = [case for case in CASES if case[2].startswith("REFUSED")]


def _plain(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [tuple(_plain_value(value) for value in row) for row in rows]


def _plain_value(value: object) -> object:
    if isinstance(value, bool | date) or value is None:
        return str(value)
    return round(float(value), 6) if isinstance(value, int | float | Decimal) else value


@pytest.mark.parametrize(("subject", "question", "sql"), ANSWERED, ids=[c[1] for c in ANSWERED])
def test_the_query_answers_as_the_hand_written_one(
    worlds: Mapping[str, World], subject: str, question: str, sql: str
) -> None:
    world = worlds[subject]
    translation = world.ask(question)
    rows, expected = _plain(world.rows(translation.sql)), _plain(world.rows(sql))
    if not translation.ordered:
        rows, expected = sorted(rows, key=str), sorted(expected, key=str)
    assert rows == expected, translation.sql
    _check_form(translation, question)


def _check_form(translation: Translation, question: str) -> None:
    assert translation.question == question
    assert translation.restated
    assert 0.6 <= translation.score <= 1


@pytest.mark.parametrize(("subject", "question", "words"), REFUSED, ids=[c[1] for c in REFUSED])
def test_a_question_beyond_the_schema_is_refused_with_its_words(
    worlds: Mapping[str, World], subject: str, question: str, words: str
) -> None:
    with pytest.raises(QuestionError) as refusal:
        worlds[subject].ask(question)
    named = " ".join(refusal.value.unplaced).lower()
    assert all(word.lower() in named for word in words.split()[1:])
