"""Layers 1 and 2: may this statement run? Two parsers judge it, over the same lists.

Two parsers that read a text differently are how statements slip through a guard. sqlglot's view of
the tables therefore vetoes that of DuckDB (`tree`). That it cannot parse something is no veto: it
knows less of DuckDB's grammar than DuckDB (PIVOT followed by ORDER BY, for one).
"""

import functools
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from srag_mcp.errors import RefusedQueryError
from srag_mcp.store.guard.tree import (
    TreeReading,
    Vocabulary,
    fold,
    read_tree,
    read_vocabulary,
    refuse_table,
    refuse_word,
)

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.duckdb import DuckDB

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


def check_query(sql: str, tables: Mapping[str, Sequence[str]]) -> TreeReading:
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
        also_read = list_tables(sql, tables)
    except UnreadableError:
        also_read = reading.tables
    require_agreement(reading.tables, also_read, sql)
    return reading


def require_agreement(tables: frozenset[str], also_read: frozenset[str], sql: str) -> None:
    """Refuse *sql* unless both parsers see it read the same tables.

    Raises:
        RefusedQueryError: If they do not.
    """
    if tables != also_read:
        msg = "Two parsers read the tables of this statement differently: write it more plainly."
        raise RefusedQueryError(msg, sql)


# The classes that sqlglot makes of denied functions; a test compares them with the vocabulary.
DENIED_CLASSES = {
    "CurrentCatalog": "current_catalog",
    "CurrentDatabase": "current_database",
    "CurrentRole": "current_role",
    "CurrentSchema": "current_schema",
    "CurrentSchemas": "current_schemas",
    "CurrentUser": "current_user",
    "CurrentVersion": "version",
    "Format": "format",
    "GenerateSeries": "generate_series",
    "Levenshtein": "levenshtein",
    "Pad": "lpad",
    "Repeat": "repeat",
    "SessionUser": "session_user",
}
# sqlglot names these classes otherwise than DuckDB names the table function.
_TABLE_FUNCTIONS = {"generateseries": "generate_series", "explode": "unnest"}


class UnreadableError(Exception):
    """sqlglot has no reading of the statement, so it has no opinion either."""


def list_tables(sql: str, tables: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """List the exposed tables that *sql* reads in sqlglot's view (folded names).

    Raises:
        RefusedQueryError: If the statement is not a query or calls what is denied.
        UnknownNameError: If it reads a table that is not among *tables*.
        UnreadableError: If sqlglot cannot parse it.
    """
    judge = _Judge(sql, frozenset(map(fold, tables)), tables, read_vocabulary())
    found: set[str] = set()
    stack: list[tuple[exp.Expr, frozenset[str]]] = [(parse_statement(sql), frozenset())]
    while stack:
        node, visible = stack.pop()
        judge.judge_kind(node)
        table = judge.judge_table(node, visible)
        if table is not None:
            found.add(table)
        stack.extend(_inside(node, visible))
    return frozenset(found)


@functools.cache
def _dialect() -> "type[DuckDB]":
    """Teach sqlglot that backticks quote identifiers, as they do in DuckDB 2."""
    from sqlglot.dialects.duckdb import DuckDB  # heavy, and only needed where SQL is judged

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # "Falling back to parsing as …"

    class DuckDB2(DuckDB):
        class Tokenizer(DuckDB.Tokenizer):
            IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ['"', "`"]

    return DuckDB2


def parse_statement(sql: str) -> "exp.Expr":
    """Parse *sql* as DuckDB reads it, as far as sqlglot can.

    Raises:
        RefusedQueryError: If it is not one query.
        UnreadableError: If sqlglot cannot parse it.
    """
    import sqlglot  # heavy, and only needed where SQL is judged
    from sqlglot import exp

    try:
        parsed = sqlglot.parse(sql, read=_dialect())
    except (  # malformed text raises all of them
        sqlglot.errors.SqlglotError, ValueError, AttributeError, RecursionError, TypeError,
        LookupError,
    ) as error:  # fmt: skip
        raise UnreadableError(type(error).__name__) from error
    statements = [
        node for node in parsed if node is not None and not isinstance(node, exp.Semicolon)
    ]
    if len(statements) != 1:
        msg = f"There are {len(statements)} statements: send exactly one."
        raise RefusedQueryError(msg, sql)
    if isinstance(statements[0], exp.Command):
        msg = "Command"
        raise UnreadableError(msg)
    if not isinstance(statements[0], (exp.Query, exp.Values, exp.Pivot, exp.Table)):
        kind = type(statements[0]).__name__.upper()
        msg = f"{kind} is not allowed: only one SELECT is run."
        raise RefusedQueryError(msg, sql)
    return statements[0]


def _inside(
    node: "exp.Expr", visible: frozenset[str]
) -> "Iterator[tuple[exp.Expr, frozenset[str]]]":
    """Yield the children, each with the CTE names it sees: a CTE sees those before it."""
    with_ = node.args.get("with_")
    if with_ is not None:
        for cte in with_.expressions:
            yield cte, visible
            visible |= {fold(cte.alias)}
    for child in node.iter_expressions():
        if child is not with_:
            yield child, visible


@dataclass(frozen=True, slots=True)
class _Judge:
    sql: str
    folded_tables: frozenset[str]
    exposed: Mapping[str, Sequence[str]]
    words: Vocabulary

    def judge_kind(self, node: "exp.Expr") -> None:
        """Refuse what changes something, describes the engine, or is a denied function."""
        from sqlglot import exp

        changing = (exp.DML, exp.DDL, exp.Command, exp.Copy, exp.Describe, exp.Summarize, exp.Show)
        if isinstance(node, changing) and not isinstance(node, exp.Query):
            kind = type(node).__name__.upper()
            msg = f"{kind} is not allowed: only one SELECT is run."
            raise RefusedQueryError(msg, self.sql)
        if isinstance(node, (exp.Parameter, exp.Placeholder, exp.SessionParameter)):
            msg = "Write the value as a literal, not a parameter."
            raise RefusedQueryError(msg, self.sql)
        is_table = isinstance(node.parent, exp.Table) and node.arg_key == "this"
        if isinstance(node, exp.Func) and not is_table:
            self._judge_function(node)

    def _judge_function(self, node: "exp.Func") -> None:
        from sqlglot import exp

        if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc, exp.CombinedAggFunc)):
            name = node.name if isinstance(node, exp.Anonymous) else str(node.this)
            if fold(name) not in self.words.functions.allowed:
                raise refuse_word(name, "function", self.words.functions, self.sql)
        elif (denied := DENIED_CLASSES.get(type(node).__name__)) is not None:
            raise refuse_word(denied, "function", self.words.functions, self.sql, self.exposed)

    def judge_table(self, node: "exp.Expr", visible: frozenset[str]) -> str | None:
        """Return the folded name of the exposed table that *node* reads, if it reads one."""
        from sqlglot import exp

        if not isinstance(node, exp.Table):
            return None
        if isinstance(node.this, exp.Func):
            is_anonymous = isinstance(node.this, exp.Anonymous)
            function = fold(node.this.name if is_anonymous else type(node.this).__name__)
            words = self.words.table_functions
            if _TABLE_FUNCTIONS.get(function, function) not in words.allowed:
                raise refuse_word(function, "table function", words, self.sql)
            return None
        name = fold(node.name)
        if not node.db and name in visible:
            return None
        if node.catalog or fold(node.db) not in {"", "main"} or name not in self.folded_tables:
            path = [part for part in (node.catalog, node.db, node.name) if part]
            raise refuse_table(path or [""], self.exposed, self.sql)
        if node.args.get("version") is not None or node.args.get("when") is not None:
            msg = "AT (time travel) is not allowed: leave it out."
            raise RefusedQueryError(msg, self.sql)
        return name
