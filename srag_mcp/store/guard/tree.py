"""Layer 1: a statement judged by DuckDB's own parse tree. What is not known is refused.

`json_serialize_sql` parses and executes nothing. Every key of its answer is walked, because a key
that is left out is a hole; the CTE names that are visible go down with the walk, because a name
that is bound elsewhere in the statement may still mean a table here.
"""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from srag_mcp.errors import QueryError, RefusedQueryError, UnknownNameError
from srag_mcp.text.words import nearest_names

if TYPE_CHECKING:
    import duckdb


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


Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Visible: TypeAlias = frozenset[str]

QUERY_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE"})
TABLE_REFERENCES = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "PIVOT"}
)
MODIFIERS = frozenset(
    {"ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER"}
    | {"ORDER_DEFAULT", "ASCENDING", "DESCENDING"}
)
EXPRESSIONS = frozenset(
    {"BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT"}
    | {"FUNCTION", "LAMBDA", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE"}
    | {"WINDOW"}
)
# Written without brackets these are functions, unless a column has the name.
SESSION_VALUES = frozenset(
    {"current_catalog", "current_database", "current_schema", "current_role", "current_user"}
    | {"session_user", "user"}
)
# The seed that the worker sets before a statement does not reach these; it does reach the others.
SEEDLESS_SAMPLES = frozenset({"System", "Bernoulli"})
_ADVICE = {
    "PARAMETER": "Parameters ($name, ?) are not bound: write the value as a literal.",
    "RECURSIVE_CTE_NODE": "WITH RECURSIVE is not allowed: it may not end.",
    "DESCRIBE": "DESCRIBE is not run: call get_schema for the columns and their meaning.",
    "SUMMARY": "SUMMARIZE is not run: call get_column_stats.",
    "SHOW_FROM": "SHOW is not run: call get_schema for the tables and columns.",
    "SHOW_SPECIAL": "SHOW is not run: call get_schema for the tables and columns.",
}


@dataclass(frozen=True, slots=True)
class TreeReading:
    """What DuckDB's tree says that a statement reads.

    Attributes:
        tables: The exposed tables that it names, folded (`fold`).
        draws_anew: Whether it samples rows without a seed, so that each run has other ones.
    """

    tables: frozenset[str]
    draws_anew: bool


def read_tree(sql: str, tables: Mapping[str, Sequence[str]]) -> TreeReading:
    """Judge *sql* by DuckDB's tree; *tables* are the exposed tables with their columns.

    Raises:
        RefusedQueryError: If a part of it is not on the list.
        UnknownNameError: If a table or function does not exist for the caller.
        QueryError: If it does not parse.
    """
    walk = _Walk(sql, tables, read_vocabulary())
    # An explicit stack, for a tree may be deeper than Python recurses.
    stack: list[tuple[Json, Visible]] = [(_parse(sql, tables), frozenset())]
    while stack:
        value, visible = stack.pop()
        if isinstance(value, list):
            stack.extend((item, visible) for item in value)
        elif isinstance(value, dict):
            stack.extend(walk.judge(value, visible))
    return TreeReading(frozenset(walk.tables_read), walk.draws_anew)


@functools.cache
def open_parser() -> "duckdb.DuckDBPyConnection":
    """Open the connection that parses: in memory, without data, locked."""
    import duckdb  # heavy, and only needed where SQL is judged

    # No thread but this one, for processes are forked from that which has it open.
    connection = duckdb.connect(config={"threads": 1, "async_threads": 0})
    for setting in (
        "max_expression_depth = 250",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET GLOBAL {setting}")
    return connection


def _parse(sql: str, tables: Mapping[str, Sequence[str]]) -> Json:
    import duckdb  # heavy, and only needed where SQL is judged

    cursor = open_parser().cursor()  # a result lives as long as its cursor runs nothing else
    try:
        row = cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        answer: dict[str, Json] = json.loads(row[0]) if row is not None else {}
    except (duckdb.Error, ValueError, RecursionError) as error:
        # No text comes for a blob literal with letters beyond ASCII (x'’'); JSON that is nested
        # too deep cannot be read.
        is_deep = isinstance(error, RecursionError)
        msg = f"DuckDB cannot read the statement: {'it is nested too deep' if is_deep else error}"
        raise RefusedQueryError(msg, sql) from error
    finally:
        cursor.close()
    if answer.get("error"):
        raise _parse_error(answer, sql, tables)
    statements = answer["statements"]
    if not isinstance(statements, list) or len(statements) != 1:
        n_statements = len(statements) if isinstance(statements, list) else 0
        msg = f"There are {n_statements} statements: send exactly one SELECT."
        raise RefusedQueryError(msg, sql)
    return statements[0]


def _parse_error(
    answer: dict[str, Json], sql: str, tables: Mapping[str, Sequence[str]]
) -> QueryError:
    if answer.get("error_type") == "not implemented":
        return refuse_statement(sql)
    position = str(answer.get("position", ""))
    where = f" (at {sql[int(position) :][:40]!r})" if position.isdigit() else ""
    message = without_settings(str(answer.get("error_message")))
    near = re.search(r'near "(\w+)"', message)
    hint = "" if near is None else hint_at_quotes(near[1], tables)
    return QueryError(f"DuckDB cannot parse it: {message}{where}{hint}", sql)


@dataclass(slots=True)
class _Walk:
    sql: str
    exposed: Mapping[str, Sequence[str]]
    words: Vocabulary
    tables_read: set[str] = field(default_factory=set)
    draws_anew: bool = False
    folded_tables: frozenset[str] = field(init=False)
    folded_columns: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.folded_tables = frozenset(map(fold, self.exposed))
        self.folded_columns = frozenset(
            fold(name) for columns in self.exposed.values() for name in columns
        )

    def judge(self, value: dict[str, Json], visible: Visible) -> Iterator[tuple[Json, Visible]]:
        """Judge one object; yield what is inside it, each with the CTE names visible there."""
        self._judge_kind(value)
        if "cte_map" in value:
            return self._inside_query(value, visible)
        if "function_name" in value:
            self._judge_function(value)
        if value.get("method") in SEEDLESS_SAMPLES and value.get("repeatable") is False:
            self.draws_anew = True
        match value.get("type"):
            case "BASE_TABLE":
                self._judge_table(value, visible)
            case "TABLE_FUNCTION":
                return self._inside_table_function(value, visible)
            case "COLUMN_REF":
                self._judge_column(value["column_names"])
            case "TYPE":
                path = _path(value)
                if len(path) != 1 or fold(path[0]) not in self.words.types.allowed:
                    raise refuse_word(".".join(path), "type", self.words.types, self.sql)
            case "PIVOT":
                self._judge_pivots(value.get("pivots"))
        return ((item, visible) for item in value.values())

    def _judge_kind(self, value: dict[str, Json]) -> None:
        kind = value.get("type")
        if not isinstance(kind, str):
            if "class" in value or "cte_map" in value or "qualified_name" in value:
                msg = f"Not understood: {sorted(value)[:5]}."
                raise RefusedQueryError(msg, self.sql)
        elif "class" in value:
            self._member(value["class"], EXPRESSIONS, "expression")
        elif kind.endswith("_NODE"):
            self._member(kind, QUERY_NODES, "query")
        elif "sample" in value:
            self._member(value.get("show_type", kind), TABLE_REFERENCES, "table reference")
        else:
            self._member(kind, MODIFIERS, "clause")

    def _member(self, name: Json, allowed: frozenset[str], what: str) -> None:
        if name not in allowed:
            reason = _ADVICE.get(str(name), f"This {what} is not allowed: {str(name)[:40]}.")
            raise RefusedQueryError(reason, self.sql)

    def _inside_query(
        self, node: dict[str, Json], visible: Visible
    ) -> Iterator[tuple[Json, Visible]]:
        """A CTE sees those before it: not itself, nor those after it. There a name is a table."""
        for name, entry in _entries(node["cte_map"]):
            if fold(name) in self.folded_tables:
                reason = f"WITH {name} hides the table of that name: call it otherwise."
                raise RefusedQueryError(reason, self.sql)
            yield entry, visible
            visible |= {fold(name)}
        for key, item in node.items():
            if key != "cte_map":
                yield item, visible

    def _judge_table(self, value: dict[str, Json], visible: Visible) -> None:
        path = _path(value)
        if value.get("at_clause"):
            msg = "AT (time travel) is not allowed: leave it out."
            raise RefusedQueryError(msg, self.sql)
        name = fold(path[-1])
        if len(path) == 1 and name in visible:
            return
        if path[:-1] not in ([], ["main"]) or name not in self.folded_tables:
            raise refuse_table(path, self.exposed, self.sql)
        self.tables_read.add(name)

    def _judge_function(self, value: dict[str, Json]) -> None:
        """`d.year()` and `main.year(d)` have a path of two: the last part is the function."""
        if value.get("export_state"):  # raw memory of the engine
            msg = "EXPORT_STATE is not allowed: leave it out."
            raise RefusedQueryError(msg, self.sql)
        for name in {_path(value)[-1], str(value["function_name"])}:
            if fold(name) not in self.words.functions.allowed:
                raise refuse_word(name, "function", self.words.functions, self.sql)

    def _inside_table_function(
        self, value: dict[str, Json], visible: Visible
    ) -> Iterator[tuple[Json, Visible]]:
        """The function is judged by the list for tables; what it is given has not been."""
        function = value["function"]
        name = ".".join(_path(function)) if isinstance(function, dict) else "?"
        if fold(name) not in self.words.table_functions.allowed:
            raise refuse_word(name, "table function", self.words.table_functions, self.sql)
        for key, item in value.items():
            if key == "function" and isinstance(item, dict):
                yield from ((inner, visible) for inner in item.values())
            else:
                yield item, visible

    def _judge_column(self, names: Json) -> None:
        if isinstance(names, list) and len(names) == 1:
            name = fold(str(names[0]))
            if name in SESSION_VALUES - self.folded_columns:
                raise refuse_word(name, "value", self.words.functions, self.sql)

    def _judge_pivots(self, pivots: Json) -> None:
        for pivot in pivots if isinstance(pivots, list) else []:
            if isinstance(pivot, dict) and pivot.get("pivot_enum"):
                msg = "List the values of PIVOT: ON x IN ('a', 'b')."
                raise RefusedQueryError(msg, self.sql)


def _entries(cte_map: Json) -> list[tuple[str, Json]]:
    entries = cte_map["map"] if isinstance(cte_map, dict) else []
    if not isinstance(entries, list):
        return []
    return [(str(e["key"]), e["value"]) for e in entries if isinstance(e, dict)]


def _path(value: dict[str, Json]) -> list[str]:
    qualified = value.get("qualified_name")
    path = qualified.get("path") if isinstance(qualified, dict) else None
    return [str(part) for part in path] if isinstance(path, list) and path else [""]
