"""What a person may work through: gaps, suspects, disagreements, united names, what waits.

Each entry has its choices; what is decided is kept and published as the commands do it.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, Field

from srag_mcp.cells.cell import IN_DOUBT, Mark
from srag_mcp.names.uniting import UNDECIDED, Decision, fold_name
from srag_mcp.pipeline.correction_run import CellPlace, Wanted, correct, decide_names
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import NAMED, count_reviews, read_reviews
from srag_mcp.store.united_names import read_decided
from srag_mcp.text.shown import quoted
from srag_mcp.views.results import Table

Kind = Literal["corrections", "disagreements", "suspects", "failed", "names", "gaps"]
DECIDED: tuple[Kind, ...] = ("corrections", "disagreements")
"""Those of cells that two have said otherwise."""
Entry: TypeAlias = dict[str, Any]
Counts = dict[Kind, dict[str, int]]
"""How many entries a list has, by column, named as people do; columns with few of them first."""

MAX_NAMES = 100_000
_DOUBTS = "|".join(sorted((*IN_DOUBT, Mark.UNSETTLED)))
_CONDITIONS: dict[Kind, str] = {
    "suspects": rf"state = 'stated' AND marks <> '' AND regexp_matches(marks, '\b({_DOUBTS})\b')",
    "failed": "state = 'failed'",
    "gaps": "state = 'not_mentioned' AND value IS NULL",
}
_READ = "document_id IN (SELECT document_id FROM documents WHERE sha256 <> '')"
_COUNTS = """
SELECT {named} AS name, count(*) FROM cells WHERE {condition} AND {read}
GROUP BY name ORDER BY count(*), name
"""
_ENTRIES = """
SELECT {named} AS name, {names} FROM cells WHERE {condition} AND {read} AND ($1 = '' OR name = $1)
ORDER BY name, document_id{order} LIMIT $2 OFFSET $3
"""
_NAMES = ("document_id", "position", "table_name", "attribute", "state", "value", "unit",
          "as_stated", "start", "note")  # fmt: skip


class EntriesWanted(BaseModel, extra="forbid"):
    """Which entries of a list; of all columns where none is named."""

    kind: Kind
    column: str = ""
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=20, ge=1, le=1000)


class CellDecision(BaseModel, extra="forbid"):
    """What a person says of a cell: a value, or what *do* says instead of one.

    *column* and *position* are those of a `CellPlace`.
    """

    document_id: str
    column: str
    do: Wanted
    value: str = Field(default="", max_length=10_000)
    position: int | None = Field(default=None, ge=0)


class NameDecision(BaseModel, extra="forbid"):
    """Whether names of a column mean one thing; if so, the first is what it is called."""

    column: str
    names: list[str] = Field(min_length=2, max_length=1_000)
    decision: Decision


def count_entries(corpus: Corpus) -> Counts:
    """Count the entries of all lists."""
    corpus, found = corpus.within(), Counts()
    for kind in get_args(Kind):
        if kind in _CONDITIONS:
            parts = _parts(corpus, kind)
            rows = corpus.read(_COUNTS.format(**parts), []) if parts else []
            found[kind] = {str(column): int(n or 0) for column, n in rows}
        elif kind == "disagreements":
            found[kind] = count_reviews(corpus.read)
        else:
            found[kind] = {}
            for entry in _whole_list(corpus, kind):
                column = str(entry["column"])
                found[kind][column] = found[kind].get(column, 0) + 1
    return found


def find_entries(corpus: Corpus, wanted: EntriesWanted) -> list[Entry]:
    """Return a page of a list.

    `{"column": …, "document_id": …, "value": …, "quote": …, "note": …, "choices": [{"says":
    "Keep 138", "do": "value", "value": "138"}, …]}`; one of names has `names` instead of a document
    """
    corpus, first, last = corpus.within(), wanted.offset, wanted.offset + wanted.limit
    if wanted.kind == "disagreements":
        return [
            {
                "column": item.column,
                "document_id": item.document_id,
                "value": item.value,
                "quote": item.as_stated,
                "note": f"a rule reads {item.rule_value}",
                "other": {"value": item.rule_value, "quote": item.rule_as_stated},
                "choices": [_keep(item.value), _keep(item.rule_value, "Take")],
            }
            for item in read_reviews(corpus.read, wanted.column, wanted.limit, first)
        ]
    if wanted.kind not in _CONDITIONS:
        whole = _whole_list(corpus, wanted.kind)
        listed = [item for item in whole if wanted.column in {"", item["column"]}]
        return listed[first:last]
    parts = _parts(corpus, wanted.kind)
    names = [name for name in _NAMES if name in corpus.tables()["cells"]]
    if not parts:
        return []
    order = ", position" if "position" in names else ""
    sql = _ENTRIES.format(names=", ".join(names), order=order, **parts)
    rows = corpus.read(sql, [wanted.column, wanted.limit, first])
    keys = "column", *names
    entries: list[Entry] = [dict(zip(keys, row, strict=True)) for row in rows]
    for entry in entries:
        entry["quote"] = entry.pop("as_stated")
        entry["choices"] = [_keep(str(entry["value"]))] if entry["value"] is not None else []
    return entries


def entry_table(entries: Sequence[Entry]) -> Table:
    """Tabulate entries of cells for people."""
    rows = []
    for entry in entries:
        place = entry["column"], entry["document_id"], entry.get("position")
        said = ((x["value"], x["quote"] and quoted(x["quote"])) for x in (entry, entry["other"]))
        rows.append((*place, *chain(*said), entry["note"]))
    return ("column", "document", "row", "value", "says", "or else", "says", "since"), rows


def _parts(corpus: Corpus, kind: Kind) -> dict[str, str]:
    """Return what the statements of a list differ by; empty where the build cannot have it."""
    names = corpus.tables()["cells"]
    if kind == "suspects" and "marks" not in names:  # of an earlier version
        return {}
    named = NAMED if "position" in names else "attribute"
    return {"condition": _CONDITIONS[kind], "read": _READ, "named": named}


def _keep(value: str, verb: str = "Keep") -> dict[str, str]:
    return {"says": verb, "do": "value", "value": value}


def _whole_list(corpus: Corpus, kind: Kind) -> Iterator[Entry]:
    """Yield all corrections to be looked at again, or all united names not decided on."""
    if kind == "names":
        decided = {} if corpus.state is None else read_decided(corpus.state)
        for name in corpus.united_names(limit=MAX_NAMES):
            # those that differ in case or marks only are always one
            things: dict[str, str] = {}
            for text, _ in name.spellings:
                things.setdefault(fold_name(text), text)
            groups = decided.get(name.column, UNDECIDED).same
            is_decided = any(things.keys() <= {*map(fold_name, group)} for group in groups)
            if len(things) > 1 and not is_decided:
                yield {
                    "column": name.column,
                    "value": name.value,
                    "names": name.spellings,
                    "choices": [
                        {"says": says, "decision": decision, "names": [*things.values()]}
                        for says, decision in (("One thing", "same"), ("Apart", "apart"))
                    ],
                }
        return
    for item in corpus.corrections():
        if item.problem or not item.by_person:
            yield {
                "column": item.named, "document_id": item.document_id, "quote": item.quote,
                "table_name": item.table, "attribute": item.column,
                "position": int(item.position) if item.position else None,
                "value": item.render(), "note": item.problem or "an agent set it",
                "other": {"value": item.was, "quote": ""},
                "choices": [{"says": "Accept", "do": "accept", "value": item.render()},
                            {"says": "Take it back", "do": "undo"}],
            }  # fmt: skip


def decide_cell(corpus: Corpus, settings: Settings, said: CellDecision) -> dict[str, str]:
    """Set a cell, take a correction back, or accept one; return what was done, in words.

    Raises:
        CorpusError: If there is no such record or correction.
        SchemaError: If there is no such column, or it cannot hold the value.
        LockedError: If the corpus is being ingested.
    """
    # what is taken back may be of a document that is gone
    found = said.document_id if said.do == "undo" else corpus.document(said.document_id).id
    place = CellPlace(found, said.column, said.position)
    done = correct(corpus.location, settings, place, (said.do, said.value))
    return {"said": done.render()}


def decide_name(corpus: Corpus, settings: Settings, said: NameDecision) -> dict[str, str]:
    """Keep for good whether names mean one thing; return what was done, in words.

    Raises:
        CorpusError: If the corpus is a build alone.
        SchemaError: If there is no such column, or it is not one of names.
        LockedError: If the corpus is being ingested.
    """
    decide_names(corpus.location, settings, said.column, said.names, said.decision)
    kept = "one thing" if said.decision == "same" else "apart"
    return {"said": f"{', '.join(said.names)}: {kept}; published"}
