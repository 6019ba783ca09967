"""Layer 3: DuckDB, opened so that SQL can neither write, nor reach beyond the build."""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from srag_mcp.errors import (
    QueryError,
    QueryMemoryError,
    RefusedQueryError,
    StoreError,
    UnknownNameError,
)
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.guard.process import QueryLimits, Views, timed_out
from srag_mcp.store.guard.tree import did_you_mean, fold, refuse_table, without_settings
from srag_mcp.text.words import nearest_names

if TYPE_CHECKING:
    import duckdb


_Opened: TypeAlias = "tuple[duckdb.DuckDBPyConnection, list[tuple[int, int]]]"

MAX_OPEN_BUILDS = 4
_MAX_MESSAGE_CHARACTERS = 700
_UNKNOWN_NAME = re.compile(
    r'Referenced (?:column|table) "(?P<a>[^"]+)" not found'
    r'|does not have a column named "(?P<b>[^"]+)"'
)


def open_locked(build: Path | Views, limits: QueryLimits) -> "duckdb.DuckDBPyConnection":
    """Open *build*, or what is made of several, to read: no files, no extensions, no settings.

    Raises:
        StoreError: If there is no such build, or a file is damaged.
    """
    import duckdb  # heavy, and only needed where a build is read

    paths = _paths(build)
    # The number of threads is given at once: on a large machine the default would use up the
    # address space of the worker before it could be set. Those called async read from afar.
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": limits.threads,
        "async_threads": 0,
    }
    try:
        if isinstance(build, Path):
            connection = duckdb.connect(str(build), read_only=True, config=config)
        else:
            connection = duckdb.connect(":memory:", config=config)
            for number, path in enumerate(paths):
                connection.execute(f"ATTACH {quote_text(str(path))} AS build_{number} (READ_ONLY)")
            for name, of in build.items():
                rows = (f"FROM build_{paths.index(x)}.main.{quote_name(table)}" for x, table in of)
                made = " UNION ALL BY NAME ".join(rows)
                connection.execute(f"CREATE VIEW {quote_name(name)} AS {made}")
        lock_engine(connection, limits)
    except duckdb.Error as error:
        names = ", ".join(path.name for path in paths)
        msg = f"The build {names} cannot be opened: {_first_lines(str(error), 1)}"
        raise StoreError(msg) from error
    return connection


def _paths(build: Path | Views) -> tuple[Path, ...]:
    if isinstance(build, Path):
        return (build,)
    return tuple(dict.fromkeys(path for of in build.values() for path, _ in of))


def lock_engine(
    connection: "duckdb.DuckDBPyConnection",
    limits: QueryLimits,
    writes: Path | None = None,
    spill: Path | None = None,
) -> None:
    """Lock *connection*; it may write the file *writes*, and spill to the folder *spill*."""
    written = "" if writes is None else quote_text(str(writes))
    # A plain SET would not reach the cursors. The last two close the door.
    for setting in (
        f"max_execution_time = {round(limits.timeout_s * 1000)}",
        "python_enable_replacements = false",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "allow_community_extensions = false",
        "allow_persistent_secrets = false",
        f"temp_directory = {quote_text(str(spill or ''))}",
        *(() if spill else ("max_temp_directory_size = '0B'",)),  # no spill beside the build
        f"memory_limit = '{limits.memory_mb}MiB'",
        "max_expression_depth = 250",
        "pivot_limit = 1000",
        *((f"allowed_paths = [{written}]",) if writes else ()),
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET GLOBAL {setting}")


@dataclass(slots=True)
class OpenBuilds:
    """The builds that are kept open, one a folder: to open one costs ten queries."""

    limits: QueryLimits
    _kept: "OrderedDict[tuple[Path, ...], _Opened]" = field(default_factory=OrderedDict)

    def cursor(self, build: Path | Views) -> "duckdb.DuckDBPyConnection":
        """Return a cursor of its own on *build*; StoreError if it cannot be opened."""
        builds = _paths(build)
        try:
            found = [path.stat() for path in builds]
        except OSError as error:
            msg = f"There is no build {Path(error.filename).name}: it was replaced or removed."
            raise StoreError(msg) from error
        # of other files that were put in their place
        stamps = [(status.st_ino, status.st_mtime_ns) for status in found]
        kept = self._kept.get(builds)
        if kept is None or kept[1] != stamps:
            # what it replaces, and the longest unused beyond the number that is kept
            folders = [path.parent for path in builds]
            for key in [key for key in self._kept if [path.parent for path in key] == folders]:
                self._kept.pop(key)[0].close()
            while len(self._kept) >= MAX_OPEN_BUILDS:
                self._kept.popitem(last=False)[1][0].close()
            self._kept[builds] = (open_locked(build, self.limits), stamps)
        self._kept.move_to_end(builds)
        return self._kept[builds][0].cursor()


def check_bound_tables(
    cursor: "duckdb.DuckDBPyConnection", sql: str, tables: Mapping[str, Sequence[str]]
) -> None:
    """Compare what the engine's binder will read with the exposed tables.

    The parse trees judge names; the binder knows what a name means here, also behind a view. It
    executes nothing. It binds against stand-ins without columns, so that statements with COLUMNS
    or USING are beyond it: those stay with the parse trees.

    Raises:
        UnknownNameError: If it would read another table.
    """
    import duckdb  # heavy, and only needed where a build is read

    exposed = {fold(name) for name in tables}
    try:
        bound_tables = cursor.get_table_names(sql)
    except duckdb.Error:
        return
    for bound in bound_tables:
        if fold(bound) not in exposed:
            raise refuse_table([bound], tables, sql)


def explain_error(
    error: "duckdb.Error | MemoryError",
    sql: str,
    limits: QueryLimits,
    tables: Mapping[str, Sequence[str]],
) -> QueryError:
    """Turn an error of the engine into ours, in words that help to write the next query."""
    import duckdb  # heavy, and only needed where a build is read

    if isinstance(error, duckdb.InterruptException):
        return timed_out(limits.timeout_s, sql)
    if isinstance(error, (MemoryError, duckdb.OutOfMemoryException)):
        msg = (
            f"The query needed more than {limits.memory_mb} MiB: select fewer columns, filter"
            " earlier, or aggregate before joining."
        )
        return QueryMemoryError(msg, sql)
    if isinstance(error, duckdb.PermissionException):
        return RefusedQueryError(_first_lines(str(error), 1), sql)
    text = str(error)
    if text.startswith(("INTERNAL Error", "FATAL Error")):  # more of it would be a stack trace
        return QueryError(f"The engine failed on this query: {_first_lines(text, 1)}", sql)
    unknown = _UNKNOWN_NAME.search(text)
    if unknown is None:
        return QueryError(_first_lines(without_settings(text), 12), sql)
    known = [column for columns in tables.values() for column in columns]
    nearest = nearest_names(unknown["a"] or unknown["b"], [*known, *tables])
    about = text.partition("\nLINE ")[0]
    name = unknown["a"] or unknown["b"]
    is_text = unknown["a"] and f'"{name}"' in sql  # double quotes are for names
    hint = f" If it is a text, write it in single quotes: '{name}'." if is_text else ""
    said = f"{_first_lines(about, 2)}.{did_you_mean(nearest)}{hint}"
    return UnknownNameError(said, sql, nearest)


def is_exhausting(error: "duckdb.Error | MemoryError") -> bool:
    """Whether harmless queries may fail, too, in this process after *error*."""
    import duckdb  # heavy, and only needed where a build is read

    fatal = (duckdb.OutOfMemoryException, duckdb.InternalException, duckdb.FatalException)
    return isinstance(error, (MemoryError, *fatal))


def _first_lines(text: str, n_lines: int) -> str:
    """Take the first lines, without the lists of signatures that are indented."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("\t")]
    return "\n".join(lines[:n_lines])[:_MAX_MESSAGE_CHARACTERS]
