"""Tables, or the rows of a query, as files that other programs open.

What comes from outside is judged as the queries of `run_sql` are, and the engine is locked as
theirs is, but for the one file that it may write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from srag_mcp.errors import CorpusError, QueryError
from srag_mcp.schema.schema import POSITION
from srag_mcp.store.build import STORAGE_VERSION
from srag_mcp.store.database import quote_name, quote_text, store_errors
from srag_mcp.store.guard import check_query
from srag_mcp.store.guard.locked_engine import check_bound_tables, explain_error, lock_engine
from srag_mcp.store.guard.process import QueryLimits, to_value

if TYPE_CHECKING:
    import duckdb
    from duckdb.sqltypes import DuckDBPyType
    from xlsxwriter import Workbook

    from srag_mcp.store.corpus import Corpus

FORMATS = (".csv", ".parquet", ".xlsx", ".jsonl", ".duckdb")
_COPIED = {".csv": "FORMAT csv, HEADER", ".parquet": "FORMAT parquet", ".jsonl": "FORMAT json"}
_TOGETHER = (".xlsx", ".duckdb")  # which hold several tables
_CHUNK_ROWS = 2048
_RESULT, _MARK = "result", "'"
_NOT_TWICE = r"[^\x{10000}-\x{10FFFF}]"
# How spreadsheets know a formula, behind blanks as well (OWASP, CSV injection); full-width signs
# are the same to some of them.
_FORMULA = r"^\s*[=+@＝＋－＠-]|^[\t\r\n]"
# Types whose values cannot be the text of a document.
_PLAIN = re.compile(r"u?(tiny|small|big|huge)?int(eger)?|boolean|float|double|decimal|date|time.*")
# Of an .xlsx file.
_MAX_ROWS = 1_048_576  # the row of names is one of them
_MAX_COLUMNS = 16_384
_MAX_NAME = 31  # of a sheet; in any case of letters two have not the same
_MAX_UNITS = 32_767  # of UTF-16, in a cell
_DIGITS = 15  # that a spreadsheet keeps
_FIRST_DAY = date(1900, 3, 1)  # before it the day numbers of programs differ
_TEXT = {"num_format": "@", "quote_prefix": True}  # what is typed again stays a text as well


def check_target(out: Path, *, force: bool, endings: Sequence[str] = FORMATS) -> None:
    """Refuse a file that cannot be written as what its name says, by one of *endings*.

    Raises:
        CorpusError: If its ending is unknown, it is there and not to be replaced, or its folder is
            not there.
    """
    problem = ""
    if out.suffix.lower() not in endings:
        problem = f"{out}: the name must end in one of {', '.join(endings)}"
    elif out.is_dir() or (out.exists() and not force):
        problem = f"{out} is there already; --force replaces a file"
    elif not out.parent.is_dir():
        problem = f"there is no folder {out.parent}"
    if problem:
        raise CorpusError(problem)


def table_sql(corpus: Corpus, table: str = "", *, quotes: bool, states: bool) -> str:
    """Write the SELECT of a whole *table*, the records if empty; CorpusError where there is none.

    Behind each column of records and of child tables come `<column>_state` and `<column>_quote` on
    wish.
    """
    tables, schema = corpus.tables(), corpus.schema()
    table = table or schema.entity
    if table not in tables:
        msg = f"{corpus.name} has no table {table!r}; it has {', '.join(tables)}"
        raise CorpusError(msg)
    if not quotes and not states:
        return f"SELECT * FROM {quote_name(table)}"  # noqa: S608 - quoted
    of_schema = {item.entity: item for item in schema.tables}
    if table not in of_schema:
        msg = f"quotes and states are of the columns of {', '.join(of_schema)}"
        raise CorpusError(msg)
    keys = ["document_id", *([POSITION] if of_schema[table].parent else [])]
    columns, cells, taken = [*keys], [*keys], set(tables[table])
    for attribute in of_schema[table].attributes:
        columns.append(quote_name(attribute.name))
        for key, is_wanted in (("state", states), ("as_stated", quotes)):
            if is_wanted:
                name = f"{attribute.name}_{'state' if key == 'state' else 'quote'}"
                while name in taken:
                    name += "_"
                taken.add(name)
                columns.append(quote_name(name))
                of_it = f"attribute = {quote_text(attribute.name)}"
                cells.append(f"max({key}) FILTER ({of_it}) AS {quote_name(name)}")
    keyed = f" WHERE table_name = {quote_text(table)}" if "table_name" in tables["cells"] else ""
    key = ", ".join(keys)
    pivot = f"SELECT {', '.join(cells)} FROM cells{keyed} GROUP BY {key}"  # noqa: S608 - quoted
    source = f"{quote_name(table)} LEFT JOIN ({pivot}) USING ({key})"
    return f"SELECT {', '.join(columns)} FROM {source} ORDER BY {key}"  # noqa: S608 - quoted


@dataclass(frozen=True, slots=True)
class Part:
    """What is written as one table: the rows of *sql*; *name* is what that is called."""

    corpus: Corpus
    sql: str
    name: str


def files_of(names: Sequence[str], out: Path) -> list[Path]:
    """Return the file of each of *names*: *out*, or where that holds one only, one for each.

    `all.csv` -> `all-invoices.csv`, `all-orders.csv`
    """
    if len(names) == 1 or out.suffix.lower() in _TOGETHER:
        return [out] * len(names)
    return [out.with_name(f"{out.stem}-{name}{out.suffix}") for name in names]


def export_parts(parts: Sequence[Part], out: Path, timeout_s: float) -> list[int]:
    """Write all rows of *parts* to `files_of` them, whole or not at all; return how many of each.

    The ending of *out* says the format, see `check_target`; a file that is there is replaced. In
    .csv a text that a spreadsheet would run as a formula begins with `'`. The SQL is judged as one
    from outside; QueryError also where the format cannot hold the rows.
    """
    import duckdb  # heavy, and only needed here

    files, kind, counts = files_of([x.name for x in parts], out), out.suffix.lower(), list[int]()
    with TemporaryDirectory(dir=out.parent, prefix=".srag-export-") as folder:
        place = Path(folder).resolve()
        written = {file: place / f"{n}{kind}" for n, file in enumerate(dict.fromkeys(files))}
        with ExitStack() as stack:
            book: Workbook | None = None
            if kind == ".xlsx":
                import xlsxwriter  # only needed here

                # a row is forgotten when the next one begins; its parts are beside it until then
                options = {"constant_memory": True, "tmpdir": str(place)}
                book = stack.enter_context(xlsxwriter.Workbook(str(written[out]), options))
            for part, file in zip(parts, files, strict=True):
                corpus, build = part.corpus.tables(), part.corpus.build_path()
                limits = replace(part.corpus.worker.limits, timeout_s=timeout_s)
                check_query(part.sql, corpus)
                with closing(_open(build, written[file], limits)) as connection:
                    try:
                        check_bound_tables(connection, part.sql, corpus)
                        counts.append(_write(connection, part, written[file], book))
                    except (duckdb.Error, MemoryError) as error:
                        raise explain_error(error, part.sql, limits, corpus) from error
        for file, path in written.items():
            path.replace(file)
    return counts


def _open(build: Path, written: Path, limits: QueryLimits) -> duckdb.DuckDBPyConnection:
    """Open *build* to read, locked but for *written*; what needs more memory is put beside it."""
    import duckdb  # heavy, and only needed here

    connection = duckdb.connect(":memory:", config={"threads": limits.threads})
    with store_errors(f"writing {written}"):
        connection.execute(f"ATTACH {quote_text(str(build))} AS build (READ_ONLY)")
        if written.suffix == ".duckdb":
            options = f"(STORAGE_VERSION '{STORAGE_VERSION}')"
            connection.execute(f"ATTACH {quote_text(str(written))} AS written {options}")
        connection.execute("USE build")
        lock_engine(connection, limits, writes=written, spill=written.parent / "spill")
    return connection


def _write(
    connection: duckdb.DuckDBPyConnection, part: Part, written: Path, book: Workbook | None
) -> int:
    """Write the rows of a part as a file, a sheet or a table of a database; return how many."""
    # of two columns with one name, the second has a number here
    found = _query(connection.sql(part.sql), f"FROM {_RESULT}")
    kind, names = written.suffix, found.columns
    if book is not None:
        _check_sheet(found, part.sql)
        connection.execute(part.sql)
        chunks = iter(partial(connection.fetchmany, _CHUNK_ROWS), [])
        return _write_sheet(book, part.name, names, chain.from_iterable(chunks))
    if kind == ".duckdb":
        table = f"written.{quote_name(part.name)}"
        found.query(_RESULT, f"CREATE TABLE {table} AS FROM {_RESULT}")
        done = _query(found, f"SELECT count(*) FROM {table}")  # noqa: S608 - quoted
    else:
        columns = ", ".join(map(_marked, names, found.types)) if kind == ".csv" else "*"
        file = f"{quote_text(str(written))} ({_COPIED[kind]})"
        done = _query(found, f"COPY (SELECT {columns} FROM {_RESULT}) TO {file}")  # noqa: S608 - quoted
    return int(done.fetchall()[0][0])


def _query(found: duckdb.DuckDBPyRelation | None, statement: str) -> duckdb.DuckDBPyRelation:
    """Run a statement that has rows on the rows of another, which it calls `result`."""
    assert found is not None
    done = found.query(_RESULT, statement)
    assert done is not None
    return done


def _marked(name: str, kind: DuckDBPyType) -> str:
    """Write a column for .csv: `'` stands before what a spreadsheet would run."""
    column, text = quote_name(name), f"{quote_name(name)}::VARCHAR"
    shown = f"'{name}" if re.match(_FORMULA, name) else name
    if not _PLAIN.fullmatch(kind.id):
        is_run = f"regexp_matches({text}, {quote_text(_FORMULA)})"
        column = f"CASE WHEN {is_run} THEN {quote_text(_MARK)} || {text} ELSE {text} END"
    return f"{column} AS {quote_name(shown)}"


def _check_sheet(found: duckdb.DuckDBPyRelation, sql: str) -> None:
    """Refuse what an .xlsx file cannot hold, with what it is and what to do."""
    texts = [f"{quote_name(name)}::VARCHAR" for name in found.columns]
    # characters beyond the first 65,536 count twice
    units = [
        f"max(length({text}) + length(regexp_replace({text}, '{_NOT_TWICE}', '', 'g')))"
        for text in texts
    ]
    counted = f"SELECT count(*), {', '.join(units)} FROM {_RESULT}"  # noqa: S608 - quoted
    [(n_rows, *longest)] = _query(found, counted).fetchall()
    long = [name for name, n in zip(found.columns, longest, strict=True) if (n or 0) > _MAX_UNITS]
    problem = ""
    if n_rows >= _MAX_ROWS:
        problem = f"{n_rows:,} rows and their names; a sheet holds {_MAX_ROWS:,}"
    elif len(texts) > _MAX_COLUMNS:
        problem = f"{len(texts):,} columns; a sheet holds {_MAX_COLUMNS:,}"
    elif long:
        problem = f"texts of more than {_MAX_UNITS:,} characters in {', '.join(long)}"
    if problem:
        msg = (
            f"An .xlsx file cannot hold this: {problem}. Nothing is written; take .csv or .parquet."
        )
        raise QueryError(msg, sql)


def _write_sheet(
    book: Workbook, name: str, names: Sequence[str], rows: Iterable[Sequence[object]]
) -> int:
    """Write *rows* below their *names* as a sheet; return how many. Texts stay texts."""
    taken = [sheet.get_name().lower() for sheet in book.worksheets()]
    short = name[:_MAX_NAME]
    if short.lower() in taken:
        short = f"{name[: _MAX_NAME - 4]}_{len(taken) + 1}"
    sheet = book.add_worksheet(short)
    text, day = book.add_format(_TEXT), book.add_format({"num_format": "yyyy-mm-dd"})
    for column, title in enumerate(names):
        sheet.write_string(0, column, title, book.add_format({**_TEXT, "bold": True}))
    n_rows = 0
    for n_rows, row in enumerate(rows, start=1):
        for column, value in enumerate(row):
            if isinstance(value, bool):
                sheet.write_boolean(n_rows, column, value)
            elif _is_day(value):
                sheet.write_datetime(n_rows, column, value, day)
            elif _is_exact(value):
                sheet.write_number(n_rows, column, value)
            elif value is not None:
                sheet.write_string(n_rows, column, str(to_value(value)), text)
    return n_rows


def _is_day(value: object) -> bool:
    return isinstance(value, date) and not isinstance(value, datetime) and value >= _FIRST_DAY


def _is_exact(value: object) -> bool:
    """Whether a spreadsheet keeps a number as it is; one with more digits is written as a text."""
    if isinstance(value, int | Decimal):
        return sum(map(str.isdigit, str(value))) <= _DIGITS
    return isinstance(value, float) and isinstance(to_value(value), float)
