"""Layers 1 and 2: may this statement run?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard import second_opinion
from srag_mcp.store.guard.text import check_text
from srag_mcp.store.guard.tree import read_tree


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A statement that may run, as it was sent.

    Attributes:
        sql: The text; it is this text that runs.
        tables: The exposed tables it reads, in lower case.
        columns: The exposed columns it names, in lower case; `*` names none.
        draws_anew: Whether it samples other rows each time, so that it has no pages.
    """

    sql: str
    tables: frozenset[str]
    columns: frozenset[str]
    draws_anew: bool


def check_query(sql: str, tables: Mapping[str, Sequence[str]]) -> CheckedQuery:
    """Judge *sql* by two parsers; *tables* are the exposed tables with their columns.

    Nothing is executed. Whether the columns exist is found out by the engine, which knows.

    Raises:
        RefusedQueryError: If it is not one SELECT made of allowed parts.
        UnknownNameError: If it names a table or function that is not there; has the nearest.
        QueryError: If it does not parse.
    """
    check_text(sql)
    reading = read_tree(sql, tables)
    try:
        also_read = second_opinion.list_tables(sql, tables)
    except second_opinion.UnreadableError:
        also_read = reading.tables
    require_agreement(reading.tables, also_read, sql)
    return CheckedQuery(sql, reading.tables, reading.columns, reading.draws_anew)


def require_agreement(tables: frozenset[str], also_read: frozenset[str], sql: str) -> None:
    """Refuse *sql* unless both parsers see it read the same tables.

    Raises:
        RefusedQueryError: If they do not.
    """
    if tables != also_read:
        msg = "Two parsers read the tables of this statement differently: write it more plainly."
        raise RefusedQueryError(msg, sql)
