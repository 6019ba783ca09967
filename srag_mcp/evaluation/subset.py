"""A part of a pack: fewer documents, with the answers that hold for them."""

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

from srag_mcp.errors import PackError, StoreError
from srag_mcp.evaluation.matching import is_right, pick_column
from srag_mcp.evaluation.pack import KEY, Expected, Pack, PackQuestion
from srag_mcp.schema.attribute import Scalar
from srag_mcp.store.database import CsvTable, open_csv_table
from srag_mcp.store.guard import Value

_TABLE = "gold"


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
    path, questions = pack.folder / "gold.csv", []
    try:
        with (
            open_csv_table(path, _TABLE, KEY) as whole,
            open_csv_table(path, _TABLE, KEY, kept) as part,
        ):
            for question in pack.questions:
                sql = question.gold_sql
                if question.answer is None:
                    questions.append(question)
                elif sql and is_right(question, _rows(whole, sql)):
                    answer = _answer(question, _rows(part, sql))
                    if answer is not None and answer != ():
                        questions.append(replace(question, answer=answer))
    except StoreError as error:
        msg = f"the gold of {pack.name} cannot be queried: {error}"
        raise PackError(msg) from error
    return replace(pack, gold=gold, questions=tuple(questions), is_part=True)


def _rows(table: CsvTable, sql: str) -> tuple[tuple[Value, ...], ...]:
    return tuple(tuple(_plain(value) for value in row) for row in table.select(sql))


def _answer(question: PackQuestion, rows: tuple[tuple[Value, ...], ...]) -> Expected:
    """Write a result as answers of packs are written: one value, members of a list, or rows."""
    if any(isinstance(member, tuple) for member in question.members):
        return tuple(tuple(value for value in row if value is not None) for row in rows)
    column = pick_column(rows, question.values) if question.values else []
    values = tuple(value for value in column or () if value is not None)
    if isinstance(question.answer, tuple):
        return values
    return values[0] if values else None


def _plain(value: object) -> Scalar | None:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return value if isinstance(value, str | int | float | bool) else None
