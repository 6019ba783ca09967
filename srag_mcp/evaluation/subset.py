"""A part of a pack: fewer documents, with the answers that hold for them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from srag_mcp.errors import PackError, StoreError
from srag_mcp.evaluation.matching import is_right, pick_column
from srag_mcp.evaluation.pack import Pack
from srag_mcp.evaluation.pack_question import Expected, PackQuestion
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.csv_table import CsvTable, open_csv_table
from srag_mcp.store.guard import Value

_TABLE = "gold"
_KEY = "document"


def take_documents(pack: Pack, n_documents: int) -> Pack:
    """Return *pack* with *n_documents* evenly spaced ones of its gold documents.

    The answers are computed anew from the `gold_sql` of the questions; questions without one, or
    whose answer on all documents it does not give, are left out, and those that have no answer any
    more. Unanswerable questions stay.

    Raises:
        PackError: If the pack is one of tables, or its gold cannot be queried.
    """
    if pack.of_tables:
        msg = f"{pack.name} is a pack of tables: only documents can be fewer"
        raise PackError(msg)
    names = sorted(pack.gold)
    if n_documents >= len(names):
        return pack
    kept = {names[number * len(names) // n_documents] for number in range(n_documents)}
    gold = {name: cells for name, cells in pack.gold.items() if name in kept}
    path = pack.folder / "gold.csv"
    try:
        with (
            open_csv_table(path, _TABLE, _KEY) as whole,
            open_csv_table(path, _TABLE, _KEY, kept) as part,
        ):
            questions = tuple(_asked_again(pack, whole, part))
    except StoreError as error:
        msg = f"the gold of {pack.name} cannot be queried: {error}"
        raise PackError(msg) from error
    return replace(pack, gold=gold, questions=questions, is_part=True)


def _asked_again(pack: Pack, whole: CsvTable, part: CsvTable) -> Iterator[PackQuestion]:
    for question in pack.questions:
        if question.answer is None:
            yield question
        elif question.gold_sql and is_right(question, _rows(whole, question.gold_sql)):
            answer = _answer(question, _rows(part, question.gold_sql))
            if answer is not None and answer != ():
                yield replace(question, answer=answer)


def _rows(table: CsvTable, sql: str) -> tuple[tuple[Value, ...], ...]:
    return tuple(tuple(_plain(value) for value in row) for row in table.select(sql))


def _answer(question: PackQuestion, rows: tuple[tuple[Value, ...], ...]) -> Expected:
    """Write a result as answers of packs are written: one value, members of a list, or rows."""
    expected = question.answer
    members = expected if isinstance(expected, tuple) else (expected,)
    if any(isinstance(member, tuple) for member in members):
        return tuple(tuple(value for value in row if value is not None) for row in rows)
    single = [m for m in members if m is not None and not isinstance(m, tuple)]
    column = pick_column(rows, single) if single else []
    values = tuple(value for value in column or () if value is not None)
    if isinstance(expected, tuple):
        return values
    return values[0] if values else None


def _plain(value: object) -> Scalar | None:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return value if isinstance(value, str | int | float | bool) else None
