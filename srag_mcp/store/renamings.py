"""Names that have changed since the build before: found by what cells hold, and kept a while."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from srag_mcp.errors import NotIngestedError, StoreError
from srag_mcp.schema.edits import former_names
from srag_mcp.schema.schema import Schema
from srag_mcp.store.database import quote_name, quote_text
from srag_mcp.store.layout import published_build

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb


# One cell alike may be chance. A model that is asked by another name quotes a few otherwise; rules
# read all alike. A name may be one with others by then, or by now: what a person decided is told by
# column.
_ALIKE = """
SELECT was.attribute, now.attribute
FROM former.main.cells AS was JOIN build.main.cells AS now USING (document_id)
JOIN former.main.documents AS read_then USING (document_id) JOIN listing USING (document_id)
WHERE was.attribute IN (SELECT unnest(?)) AND now.attribute IN (SELECT unnest(?))
  AND was.position IS NULL AND now.position IS NULL
  AND was.state <> 'corrected' AND (was.state = 'stated' OR now.state = 'stated')
GROUP BY ALL HAVING count_if(
  (was.value IS NOT DISTINCT FROM now.value
   OR (was.attribute, now.value, was.value) IN
     (SELECT (column_name, spelling, value) FROM former.main.srag_spellings)
   OR (now.attribute, was.value, now.value) IN
     (SELECT (column_name, spelling, value) FROM build.main.srag_spellings))
  AND was.as_stated IS NOT DISTINCT FROM now.as_stated
  AND (was.start IS NOT DISTINCT FROM now.start OR read_then.sha256 <> listing.sha256)
) >= greatest(2, 0.8 * count(*))
"""
_ARE_COMPARABLE = """
SELECT 1 FROM duckdb_tables() WHERE database_name = 'former' AND table_name = 'srag_spellings'
"""  # builds of 16a3ebc have none
_IN_COMMON = "SELECT 1 FROM former.main.documents SEMI JOIN listing USING (document_id) LIMIT 1"


@dataclass(frozen=True, slots=True)
class Renamings:
    """What the build before called the record table, *former*, which is *table* now, and columns.

    *columns*: by the table, the columns of then that are still there, with their present names; of
    child tables, those that a person gave another name.
    """

    former: str
    table: str
    columns: Mapping[str, Mapping[str, str]]

    def __bool__(self) -> bool:
        """Whether anything has another name."""
        names = (pair for own in self.columns.values() for pair in own.items())
        return self.former != self.table or any(was != now for was, now in names)

    @property
    def former_table(self) -> str:
        """The name of the view that stands for the table of then; empty where none is needed."""
        return self.former if self.former != self.table else ""

    def lines(self) -> tuple[str, ...]:
        """Say each renaming: `column ships.masts is now ships.poles`."""
        table = [f"table {self.former} is now {self.table}"] if self.former_table else []
        columns = [
            f"column {self.former if name == self.table else name}.{was} is now {name}.{now}"
            for name, own in self.columns.items()
            for was, now in own.items()
            if was != now
        ]
        return (*table, *columns)

    def named(self) -> dict[str, str]:
        """Return the columns of now by those of then, as people name them."""
        above = {name: "" if name == self.table else f"{name}." for name in self.columns}
        pairs = ((x, pair) for x, own in self.columns.items() for pair in own.items())
        return {f"{above[x]}{was}": f"{above[x]}{now}" for x, (was, now) in pairs}

    def aliases(self, table: str) -> str:
        """Write the columns of then as further columns of a *table* that has kept its name."""
        if self.former_table and table == self.table:
            return ""
        names = [(was, now) for was, now in self.columns.get(table, {}).items() if was != now]
        return "".join(f", {quote_name(was)} AS ({quote_name(now)}) VIRTUAL" for was, now in names)

    def create_view(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Let the table of then stay as a view in the attached database `build`."""
        if self.former_table:
            view, table = quote_name(self.former), quote_name(self.table)
            columns = "".join(
                f", {quote_name(now)} AS {quote_name(was)}"
                for was, now in self.columns[self.table].items()
            )
            records = f"SELECT document_id{columns} FROM build.main.{table}"  # noqa: S608 - quoted
            connection.execute(f"CREATE VIEW build.main.{view} AS {records}")
            said = quote_text(f"What {self.table} was called, for this version only.")
            connection.execute(f"COMMENT ON VIEW build.main.{view} IS {said}")


def renamed_in(sql: str, renamed: Sequence[str]) -> list[str]:
    """Return the sentences of `Renamings.lines` whose old names stand in *sql*."""
    words = {word.casefold() for word in re.findall(r"\w+", sql)}
    return [text for text in renamed if text.split()[1].rpartition(".")[2] in words]


@contextmanager
def attached_former(connection: duckdb.DuckDBPyConnection, state: Path) -> Iterator[bool]:
    """Attach the published build as `former` while the block runs; say whether there is one."""
    import duckdb

    is_there = False
    with suppress(NotIngestedError, StoreError, duckdb.Error):
        path = quote_text(str(published_build(state)))
        connection.execute(f"ATTACH {path} AS former (READ_ONLY)")
        is_there = True
    try:
        yield is_there
    finally:
        if is_there:
            connection.execute("DETACH former")


def find_renamings(
    connection: duckdb.DuckDBPyConnection, state: Path, schema: Schema
) -> Renamings | None:
    """Compare the cells in the attached database `build` with those of the published build.

    A column that is gone and one that is new are the same where they are of one type and mean the
    same by silence, and most of their cells have the same value from the same words; where more
    than two are, nobody knows. Of some the schema says so. None where there is no build that can be
    read, or none of the same documents.
    """
    import duckdb

    with (
        suppress(StoreError, ValidationError, duckdb.Error),
        attached_former(connection, state) as is_there,
    ):
        if not is_there or not connection.execute(_IN_COMMON).fetchall():
            return None
        [(text,)] = connection.execute("SELECT schema FROM former.main.srag_schema").fetchall()
        former = Schema.model_validate_json(text)
        then = {item.name: (item.type, item.absent_means) for item in former.attributes}
        now = {item.name: (item.type, item.absent_means) for item in schema.attributes}
        columns = {(x.entity, item.name) for x in former.tables for item in x.attributes}
        lists = {
            child.entity: {
                was: name
                for was, name in former_names(child).items()
                if (child.entity, was) in columns
            }
            for child in schema.children
        }
        known = {was: name for was, name in former_names(schema.table).items() if was in then}
        gone = sorted(then.keys() - now.keys() - known.keys())
        new = sorted(now.keys() - then.keys() - {*known.values()})
        is_asked = gone and new and connection.execute(_ARE_COMPARABLE).fetchall()
        alike = connection.execute(_ALIKE, [gone, new]).fetchall() if is_asked else []
        pairs = [(was, name) for was, name in alike if then[was] == now[name]]
        n_pairs = Counter(name for pair in pairs for name in pair)
        same = {name: name for name in then if then[name] == now.get(name)} | known
        same |= {was: name for was, name in pairs if n_pairs[was] == n_pairs[name] == 1}
        return Renamings(former.entity, schema.entity, {schema.entity: same, **lists})
    return None
