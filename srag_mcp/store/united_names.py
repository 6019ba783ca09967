"""Names of a corpus that mean one thing: what a person and a model decided, and what it makes.

A person's decisions lie in a file of the state folder, by column:
`{"issuer": {"same": [["Acme Ltd", "ACME"]], "apart": [["Acme Ltd", "Acme Labs"]]}}`
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pydantic import TypeAdapter, ValidationError

from srag_mcp.cells.cell import Cell, add_note
from srag_mcp.errors import StoreError
from srag_mcp.names.uniting import UNDECIDED, Decided, Same, Verdict, unite
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.layout import NAMES_FILE, write_atomically
from srag_mcp.text.shown import quoted

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from srag_mcp.store.evidence import Read
    from srag_mcp.store.work import WorkDatabase

DecidedNames: TypeAlias = dict[str, Decided]
"""What a person said, by column."""

_DECIDED = TypeAdapter(DecidedNames)
_VERDICTS = TypeAdapter(tuple[Verdict, ...])


def read_decided(state: Path) -> DecidedNames:
    """Read what a person decided; StoreError if the file was edited into something else."""
    path = state / NAMES_FILE
    try:
        return _DECIDED.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        reason = str(error).replace("\n", " ")
        msg = f"{path} cannot be read; mend it, or remove it to decide anew: {reason:.300}"
        raise StoreError(msg) from error


def write_decided(state: Path, decided: DecidedNames) -> None:
    """Keep what a person decided."""
    kept = {name: item for name, item in decided.items() if item != UNDECIDED}
    write_atomically(state / NAMES_FILE, _DECIDED.dump_json(kept, indent=1).decode() + "\n")


def follow_renamings(work: WorkDatabase, columns: Mapping[str, str]) -> list[str]:
    """Let what a person decided of a column hold under its new name; return such new names.

    `columns` has the names of now by those of then, as people name them.

    Raises:
        StoreError: As `read_decided`.
    """
    decided = read_decided(work.state)
    moved = {was: now for was, now in columns.items() if was in decided and now not in decided}
    if moved:
        write_decided(work.state, {moved.get(name, name): x for name, x in decided.items()})
    return [*moved.values()]


def kept_verdicts(work: WorkDatabase, column: str) -> tuple[Verdict, ...]:
    """Return what a model said of the doubtful names of a column, oldest first."""
    return _VERDICTS.validate_json(work.note(f"names:{column}") or "[]")


def keep_verdicts(work: WorkDatabase, column: str, new: Sequence[Verdict]) -> None:
    """Keep what a model said; of two names that it was asked about twice, the last word holds."""
    kept = [
        Verdict(keys=old.keys, same=tuple(item for item in old.same if not _parts(new, item)))
        for old in kept_verdicts(work, column)
        if not any(set(old.keys).issubset(verdict.keys) for verdict in new)
    ]
    text = _VERDICTS.dump_json((*kept, *new)).decode()
    work.keep_note(f"names:{column}", text, is_content=True)


def _parts(verdicts: Sequence[Verdict], item: Same) -> bool:
    """Whether any of *verdicts* says of two names of *item* that they are not the same."""
    again = [(set(verdict.keys).intersection(item.keys), verdict.same) for verdict in verdicts]
    return any(
        len(both) > 1 and not any(both.issubset(found.keys) for found in same)
        for both, same in again
    )


def are_united(attribute: Attribute) -> bool:
    """Whether the spellings of an attribute are united: of texts without a list of categories."""
    return attribute.type.is_text and not attribute.categories


_INSERT = """
INSERT INTO build.main.srag_spellings SELECT $1, $2, unnest($3), unnest($4), unnest($5)
"""


def unite_cells(
    work: WorkDatabase,
    table: str,
    attribute: Attribute,
    cells: Mapping[int, Cell],
    *,
    is_child: bool = False,
) -> dict[int, Cell]:
    """Return *cells* with one spelling a thing, told in notes; all spellings go to the build."""
    counts = Counter(cell.value for cell in cells.values() if isinstance(cell.value, str))
    key = f"{table}.{attribute.name}" if is_child else attribute.name
    verdicts = kept_verdicts(work, key) if work.is_predicted() else ()
    things = unite(counts, read_decided(work.state).get(key, UNDECIDED), verdicts)
    several = [thing for thing in things if len(thing.spellings) > 1]
    of_spelling = {spelling: thing for thing in several for spelling in thing.spellings}
    done = dict(cells)
    for number, cell in cells.items():
        thing = of_spelling.get(cell.value) if isinstance(cell.value, str) else None
        if thing is not None and cell.value != thing.spellings[0]:
            kept, n_others = thing.spellings[0], len(thing.spellings) - 2
            are = f" and {n_others} other{'s' if n_others > 1 else ''} are" if n_others else " is"
            note = f"united: {quoted(str(cell.value))}{are} {quoted(kept)}"
            done[number] = add_note(replace(cell, value=kept), note)
    rows = [(text, thing.spellings[0], counts[text]) for text, thing in of_spelling.items()]
    if rows:
        work.run(_INSERT, table, attribute.name, *map(list, zip(*rows, strict=True)))
    return done


_UNITED = """
SELECT count(*), count(DISTINCT (column_name, value)),
       string_agg(DISTINCT column_name, ', ' ORDER BY column_name)
FROM build.main.srag_spellings
"""


def describe_united(connection: duckdb.DuckDBPyConnection) -> str:
    """Say of the attached build what was united: `14 spellings of 5 names united in city`."""
    [(n_spellings, n_names, columns)] = connection.execute(_UNITED).fetchall()
    names = "1 name" if n_names == 1 else f"{n_names} names"
    return f"{n_spellings} spellings of {names} united in {columns}" if n_names else ""


@dataclass(frozen=True, slots=True)
class UnitedName:
    """A value of a column that stands for several spellings, most frequent first."""

    column: str
    value: str
    spellings: tuple[tuple[str, int], ...]


_SPELLINGS = """
SELECT if(table_name = $1, '', table_name || '.') || column_name AS named, value, to_json(
  list({'spelling': spelling, 'n': n_records} ORDER BY n_records DESC, spelling))
FROM srag_spellings WHERE $2 IN ('', column_name, named)
GROUP BY named, value ORDER BY named, sum(n_records) DESC, value LIMIT $3 OFFSET $4
"""


def read_united(
    read: Read, records: str, column: str = "", limit: int = 20, offset: int = 0
) -> list[UnitedName]:
    """Read which spellings of *column*, as people name it, were united; empty: of all columns."""
    rows = read(_SPELLINGS, [records, column, limit, offset])
    return [
        UnitedName(
            column, value, tuple((item["spelling"], item["n"]) for item in json.loads(spellings))
        )
        for column, value, spellings in rows
    ]
