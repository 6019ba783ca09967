"""The words a statement may be made of, as data, and the words of refusals.

`functions.json` has a judgement on every function of the DuckDB that the package is made for. A
name that is in neither list is refused; a test names those that a new DuckDB brings.
"""

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from srag_mcp.errors import QueryError, RefusedQueryError, UnknownNameError
from srag_mcp.text.words import nearest_names


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a name is denied, as a clause ("runs what a string names"), and what to write instead."""

    reason: str
    instead: str


@dataclass(frozen=True, slots=True)
class WordList:
    """The judgement on one kind of name; all names in lower case."""

    allowed: frozenset[str]
    denied: dict[str, Denial]

    @property
    def judged(self) -> frozenset[str]:
        """All names with a judgement."""
        return self.allowed | self.denied.keys()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What may be called (`functions`), stand in FROM (`table_functions`) or be cast to.

    Attributes:
        elsewhere: Functions of other databases, with what to write here.
    """

    functions: WordList
    table_functions: WordList
    types: WordList
    elsewhere: dict[str, str]


@functools.cache
def read_vocabulary() -> Vocabulary:
    """Read the lists that travel with the package."""
    text = (files("srag_mcp.store.guard") / "functions.json").read_text(encoding="utf-8")
    lists = json.loads(text)
    return Vocabulary(
        functions=_read_list(**lists["functions"]),
        table_functions=_read_list(**lists["table_functions"]),
        types=_read_list(**lists["types"]),
        elsewhere=lists["elsewhere"],
    )


def _read_list(allowed: Iterable[str], denied: Iterable[Mapping[str, Any]]) -> WordList:
    reasons = {
        fold(name): Denial(group["reason"], group["instead"])
        for group in denied
        for name in group["names"]
    }
    return WordList(frozenset(map(fold, allowed)), reasons)


_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """Fold case as DuckDB does: ASCII letters only.

    `str.lower` also maps the Kelvin sign to `k`: a CTE named with it would then seem to hide a
    table that DuckDB goes on reading.
    """
    return name.translate(_ASCII_LOWER)


_FIRST_WORD = re.compile(r"(?:\s+|--[^\n]*\n|/\*.*?\*/|\()*(\w+)", re.DOTALL)
_READS_ONLY = "only one SELECT (or WITH …, FROM …, VALUES …) is run, and nothing can be changed"
_NOT_ONE_SELECT = (
    "This is more than one SELECT. Send one statement, nothing after its semicolon, and list the"
    " values of a PIVOT: ON column IN ('a', 'b')."
)
_BY_FIRST_WORD = {
    "pivot": "PIVOT needs its values listed: PIVOT t ON column IN ('a', 'b') USING sum(x)",
    "explain": "EXPLAIN is not run; send the SELECT itself",
    "describe": "call get_schema for the columns and their meaning",
    "show": "call get_schema for the tables and columns",
    "summarize": "call get_column_stats for minimum, maximum, quartiles and counts",
    "set": "settings are fixed",
    "pragma": "settings are fixed; call get_schema for the tables and columns",
    "attach": "no other database can be opened",
    "copy": "files cannot be read or written; the result of a SELECT is returned to you",
    "export": "files cannot be read or written; the result of a SELECT is returned to you",
    "prepare": "send the SELECT itself, with the values written as literals",
    "execute": "send the SELECT itself, with the values written as literals",
}


def refuse_statement(sql: str) -> RefusedQueryError:
    """Say why *sql*, which is not a SELECT, is not run."""
    found = _FIRST_WORD.match(sql)
    word = found[1] if found is not None else ""
    if fold(word) in {"select", "with", "from", "values"}:
        return RefusedQueryError(_NOT_ONE_SELECT, sql)
    advice = _BY_FIRST_WORD.get(fold(word), _READS_ONLY)
    return RefusedQueryError(f"{word.upper()[:30]} is not allowed: {advice}.", sql)


def refuse_word(
    name: str,
    kind: str,
    words: WordList,
    sql: str,
    tables: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> QueryError:
    """Say why the function or type *name* is not in the vocabulary; *kind* is "function" or so.

    It may have been meant as a column of *tables*.
    """
    denial = words.denied.get(fold(name))
    if denial is not None:
        said = f"The {kind} {name} is not allowed: it {denial.reason}. Instead: {denial.instead}."
        return RefusedQueryError(said + hint_at_quotes(name, tables), sql)
    here = read_vocabulary().elsewhere.get(fold(name))
    if here is not None:
        return UnknownNameError(f"There is no {kind} {name} here: write {here}.", sql)
    nearest = nearest_names(name, (word for word in words.allowed if word[:1].isalpha()))
    return UnknownNameError(
        f"There is no {kind} {name[:60]} here.{did_you_mean(nearest)}", sql, nearest
    )


def hint_at_quotes(name: str, tables: Mapping[str, Iterable[str]]) -> str:
    """Say that *name*, which SQL reads as a word of its own, is a column; nothing if it is none."""
    known = {fold(column): column for columns in tables.values() for column in columns}
    column = known.get(fold(name))
    return "" if column is None else f' For the column of this name write "{column}", in quotes.'


def refuse_table(path: list[str], exposed: Iterable[str], sql: str) -> QueryError:
    """Say that the table *path* (catalog, schema, name) is not one of the corpus."""
    name = ".".join(path)[:80]
    tables = sorted(exposed)
    if re.search(r"[/\\:*]|\.\w{2,8}$", path[-1]):
        message = f"'{name}' is not a table: files and addresses cannot be read."
        return RefusedQueryError(f"{message} The tables are {', '.join(tables)}.", sql)
    nearest = nearest_names(path[-1], tables)
    return UnknownNameError(
        f"There is no table {name} in this corpus; the tables are {', '.join(tables)}; get_schema"
        " shows their columns."
        f"{did_you_mean(nearest)}",
        sql,
        nearest,
    )


def without_settings(message: str) -> str:
    """Leave out DuckDB's advice to change a setting, which nobody can follow here."""
    return re.sub(r"\s*(?:Use \"?'?|\* )SET [^\n]*", "", message)


def did_you_mean(nearest: tuple[str, ...]) -> str:
    """Write a hint, or nothing: `("title",) -> " Did you mean title?"`."""
    return f" Did you mean {' or '.join(nearest)}?" if nearest else ""
