"""Layers 1 and 2: may this statement run?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard import second_opinion
from srag_mcp.store.guard.tree import read_tree

MAX_CHARACTERS = 20_000
MAX_NESTING = 60
MAX_KEYWORDS = 200

# Control characters; zero-width space and byte order mark; marks that turn the direction of text;
# line separators; halves of a character. Spaces and joiners of other scripts are left alone.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff]"
)
_BRACKET = re.compile(r"[()\[\]{}]")
_NESTING_KEYWORD = re.compile(r"\b(?:case|not|select)\b", re.IGNORECASE)


def check_text(sql: str) -> None:
    """Refuse text that is too long, too deep, or shows a reader something else than a parser.

    Raises:
        RefusedQueryError: With what was found and where.
    """
    reason, depth, deepest = "", 0, 0
    for bracket in _BRACKET.findall(sql[: MAX_CHARACTERS + 1]):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    if len(sql) > MAX_CHARACTERS:
        reason = f"The statement has {len(sql)} characters; at most {MAX_CHARACTERS} are read."
    elif (found := _INVISIBLE.search(sql)) is not None:
        code = ord(found[0])
        reason = (
            f"There is an invisible character (U+{code:04X}) at position {found.start()};"
            f" leave it out, or write chr({code}) when it belongs to a value."
        )
    elif deepest > MAX_NESTING:
        reason = (
            f"Brackets are nested {deepest} deep; at most {MAX_NESTING}. Use WITH for the steps."
        )
    elif (n_keywords := len(_NESTING_KEYWORD.findall(sql))) > MAX_KEYWORDS:
        reason = f"There are {n_keywords} CASE, NOT or SELECT; at most {MAX_KEYWORDS}."
    if reason:
        raise RefusedQueryError(reason, sql[:MAX_CHARACTERS])


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
