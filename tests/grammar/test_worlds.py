"""Questions over many subjects, each compared with hand-written SQL.

A line of `worlds/<subject>.txt` is a question; the indented line below it is the SQL of its answer,
behind `OR REFUSED` where the grammar need not know the form of the question, or `REFUSED` where no
column answers it. No question may ever get another result than that of its SQL.
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
REFUSED = [case for case in CASES if case[2] == "REFUSED"]
OPEN = [(*case[:2], case[2][11:]) for case in CASES if case[2].startswith("OR REFUSED ")]
ANSWERED = [case for case in CASES if not case[2].startswith(("OR ", "REFUSED"))]


def _plain(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [tuple(_plain_value(value) for value in row) for row in rows]


def _plain_value(value: object) -> object:
    if isinstance(value, bool | date) or value is None:
        return str(value)
    return round(float(value), 6) if isinstance(value, int | float | Decimal) else value


def _check(world: World, translation: Translation, sql: str) -> None:
    rows, expected = _plain(world.rows(translation.sql)), _plain(world.rows(sql))
    if not translation.ordered:
        rows, expected = sorted(rows, key=str), sorted(expected, key=str)
    assert rows == expected, translation.sql
    assert translation.restated


@pytest.mark.parametrize(("subject", "question", "sql"), ANSWERED, ids=[c[1] for c in ANSWERED])
def test_the_query_answers_as_the_hand_written_one(
    worlds: Mapping[str, World], subject: str, question: str, sql: str
) -> None:
    translation = worlds[subject].ask(question)
    assert translation.question == question
    _check(worlds[subject], translation, sql)


@pytest.mark.parametrize("subject", sorted({case[0] for case in OPEN}))
def test_a_question_of_another_form_is_refused_or_answered_rightly(
    worlds: Mapping[str, World], subject: str
) -> None:
    for _, question, sql in (case for case in OPEN if case[0] == subject):
        try:
            translation = worlds[subject].ask(question)
        except QuestionError:
            continue
        _check(worlds[subject], translation, sql)


@pytest.mark.parametrize(("subject", "question", "_"), REFUSED, ids=[c[1] for c in REFUSED])
def test_a_question_beyond_the_schema_is_refused(
    worlds: Mapping[str, World], subject: str, question: str, _: str
) -> None:
    with pytest.raises(QuestionError):
        worlds[subject].ask(question)
