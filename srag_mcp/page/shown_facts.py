"""What the page shows: a corpus, rows of a table, a document with its cells, answers, passages.

Rows are filtered, searched, sorted, a page at a time. Names of columns come from the build, and all
that a person wrote goes into parameters.
"""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypedDict, get_args

from pydantic import BaseModel, Field, Json

from srag_mcp import views
from srag_mcp.cells.cell import IN_DOUBT, Mark
from srag_mcp.errors import CorpusError, QueryTimeoutError
from srag_mcp.names.uniting import UNDECIDED, Decision, fold_name
from srag_mcp.pipeline.correction_run import CellPlace, Wanted, correct, decide_names
from srag_mcp.schema.schema import RESERVED_TABLES
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import read_decided
from srag_mcp.store.database import quote_name
from srag_mcp.store.evidence import NAMED, count_reviews, read_reviews
from srag_mcp.store.guard import Value
from srag_mcp.text.shown import printable, quoted
from srag_mcp.views.results import Table, for_terminal

KEYS = ("document_id", "position")  # what tells a row; the latter of tables of what documents list
MAX_ROWS = 500
N_BINS = 24  # at most

Comparison = Literal["is", "has", "from", "to", "filled", "empty"]
Text = Annotated[str, Field(max_length=5_000)]


class Condition(BaseModel, extra="forbid"):
    """What a column must hold: `{"column": "price", "must": "from", "value": "10"}`."""

    column: str
    must: Comparison
    value: Text = ""


class RowsWanted(BaseModel, extra="forbid"):
    """Which rows, from query parameters; *sort* is a column, with `-` before it from the top."""

    table: str = ""
    search: Text = ""
    sort: str = ""
    filters: Json[list[Condition]] = []
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=100, ge=1, le=MAX_ROWS)


class RowPage(TypedDict):
    """Rows, how many are before these, and on all pages; None where counting took too long."""

    columns: list[str]
    rows: list[tuple[Value, ...]]
    total: int | None
    offset: int


class TableWanted(BaseModel, extra="forbid"):
    """Which table; the main one if empty."""

    table: str = ""


def record_tables(corpus: Corpus) -> dict[str, list[str]]:
    """Return the tables of records with their columns, the keys first; the main one first."""
    aside = RESERVED_TABLES | {corpus.info().former_table}
    return {
        table: [
            *(key for key in KEYS if key in names),
            *(item.column for item in corpus.statistics(table=table)),
        ]
        for table, names in corpus.tables().items()
        if table not in aside
    }


def find_columns(corpus: Corpus, table: str) -> tuple[str, list[str]]:
    """Return the name of *table*, the main one if empty, and its columns; CorpusError for none."""
    tables, table = record_tables(corpus), table or corpus.schema().entity
    if table not in tables:
        msg = f"there is no table {table!r}; tables: {', '.join(tables)}"
        raise CorpusError(msg)
    return table, tables[table]


def find_rows(corpus: Corpus, wanted: RowsWanted) -> RowPage:
    """Return a page of rows; CorpusError where there is no such table or column."""
    corpus = corpus.within()
    table, columns = find_columns(corpus, wanted.table)
    values: list[Value] = []
    conditions = [
        *(_condition(corpus, table, columns, item, values) for item in wanted.filters),
        *_found_by(wanted.search, columns, values),
    ]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    source = f"FROM {quote_name(table)}{where}"
    order = ""
    if wanted.sort:
        name = quote_name(_known(wanted.sort.removeprefix("-"), columns))
        way = "DESC" if wanted.sort.startswith("-") else "ASC"
        order = f" ORDER BY {name} {way} NULLS LAST, rowid"
    page = f" LIMIT {wanted.limit:d} OFFSET {wanted.offset:d}"
    names = ", ".join(map(quote_name, columns))
    rows = corpus.read(f"SELECT {names} {source}{order}{page}", values)
    total: int | None = None
    with suppress(QueryTimeoutError):
        total = int(corpus.read(f"SELECT count(*) {source}", values)[0][0] or 0)
    return {"columns": columns, "rows": rows, "total": total, "offset": wanted.offset}


def _known(column: str, columns: Sequence[str]) -> str:
    if column not in columns:
        msg = f"there is no column {column!r}; columns: {', '.join(columns)}"
        raise CorpusError(msg)
    return column


def _condition(
    corpus: Corpus, table: str, columns: Sequence[str], item: Condition, values: list[Value]
) -> str:
    """Write a condition, its value into *values*; one that the column cannot hold finds nothing."""
    name = quote_name(_known(item.column, columns))
    if item.must in {"filled", "empty"}:
        return f"{name} IS {'NOT ' if item.must == 'filled' else ''}NULL"
    values.append(item.value)
    kind = "VARCHAR" if item.column == KEYS[0] else "INTEGER"
    if item.column not in KEYS:
        kind = corpus.schema().attribute(item.column, table).type.sql
    if item.must == "has" or (item.must == "is" and kind == "VARCHAR"):
        texts = f"lower({name}::VARCHAR)", f"lower(${len(values)})"
        return f"contains({', '.join(texts)})" if item.must == "has" else " = ".join(texts)
    sign = {"is": "=", "from": ">=", "to": "<="}[item.must]
    return f"{name} {sign} TRY_CAST(${len(values)} AS {kind})"


def _found_by(search: str, columns: Sequence[str], values: list[Value]) -> Iterator[str]:
    """Write a condition for each word of *search*: some column has it, in any case."""
    whole = f"lower(concat_ws(' ', {', '.join(map(quote_name, columns))}))"
    for word in search.split():
        values.append(word)
        yield f"contains({whole}, lower(${len(values)}))"


def count_spreads(corpus: Corpus, wanted: TableWanted) -> dict[str, list[tuple[Value, Value, int]]]:
    """Count how numbers and dates are spread: by column, `(above, up to, rows)` of each round bin.

    The first bin begins with the lowest value. Of texts their statistics have the commonest.
    """
    table, _ = find_columns(corpus, wanted.table)
    source, counted, lowest = quote_name(table), dict[str, str](), dict[str, Value]()
    for item in corpus.statistics(table=table):
        ends, x = (item.minimum, item.maximum), quote_name(item.column)
        is_open = any(isinstance(end, float) and not math.isfinite(end) for end in ends)
        if None not in ends and ends[0] != ends[1] and not is_open and not item.type.is_text:
            bins = f"SELECT equi_width_bins(min({x}), max({x}), {N_BINS}, true) FROM {source}"  # noqa: S608 - quoted
            counted[item.column] = f"to_json(map_entries(histogram({x}, ({bins}))))"
            lowest[item.column] = item.minimum
    if not counted:
        return {}
    sql = f"SELECT {', '.join(counted.values())} FROM {source}"  # noqa: S608 - quoted
    [row] = corpus.within().read(sql, [])
    found: dict[str, list[tuple[Value, Value, int]]] = {}
    for column, text in zip(counted, row, strict=True):
        bins = json.loads(str(text))
        edges = [lowest[column], *(item["key"] for item in bins)]
        both = zip(pairwise(edges), bins, strict=True)
        found[column] = [(*pair, item["value"]) for pair, item in both]
    return found


BEFORE, WINDOW = 4_000, 20_000  # characters of a document: before what is sought, and at most
N_PASSAGES = 10
MAX_VALUES = 20  # of a column, the commonest
_CELLS = """
SELECT document_id, {names} FROM cells
WHERE document_id IN (SELECT unnest($1::JSON::VARCHAR[])) ORDER BY start, "end"
"""
_PLAIN = ("stated", "not_mentioned")  # states that a row shows by a value, or by none
_SHOWN = ("table_name", "position", "attribute", "state", "as_stated", "start", "end", "value",
          "unit", "engine", "marks", "note")  # fmt: skip


class DocumentWanted(BaseModel, extra="forbid"):
    """Which document, and from which character on; by itself, from before character *at* on."""

    id: str
    at: int = Field(default=0, ge=0)
    to: int = Field(default=0, ge=0)
    start: int | None = Field(default=None, ge=0)


class CellsWanted(BaseModel, extra="forbid"):
    """Whose cells: documents by their ids, a JSON list."""

    table: str = ""
    ids: Json[list[str]] = Field(max_length=MAX_ROWS)


class SearchWanted(BaseModel, extra="forbid"):
    """What passages are sought by."""

    query: Text
    offset: int = Field(default=0, ge=0)


class Question(BaseModel, extra="forbid"):
    """A question in plain words, and the one before where it leans on it."""

    question: str = Field(max_length=4_000)
    previous: str = Field(default="", max_length=4_000)


class Query(BaseModel, extra="forbid"):
    """A SELECT that a person wrote."""

    sql: str = Field(max_length=100_000)
    offset: int = Field(default=0, ge=0)


def describe_corpus(corpus: Corpus) -> dict[str, object]:
    """Return what stands around the rows: title, tables with their columns, what is to be told."""
    info = corpus.info()
    told = [*corpus.notices(), info.account, *views.holdings.loose_notes(corpus)]
    return {
        "name": corpus.name,
        "title": info.title,
        "documents": info.n_documents,
        "failed": info.n_failed,
        "built_at": info.created_at,
        "build": info.build_id,
        "engine": info.engine,
        "corrected": info.n_corrected,
        "notices": [for_terminal(text) for text in told if text],
        "can_change": not corpus.is_build,
        "tables": [_describe_table(corpus, table) for table in record_tables(corpus)],
    }


def _describe_table(corpus: Corpus, table: str) -> dict[str, object]:
    schema, columns = corpus.schema(), []
    _, names = find_columns(corpus, table)
    for found in corpus.statistics(table=table):
        attribute = schema.attribute(found.column, table)
        counted = asdict(found) | {"values": list(map(asdict, found.values[:MAX_VALUES]))}
        columns.append(
            counted
            | {
                "unit": attribute.unit,
                "description": attribute.description,
                "audit": attribute.certificate,
                "n_none": found.n_none,
                "n_unread": found.n_unread,
                "loose": found.column in corpus.info().loose,
                "sorts": "text" if found.type.is_text else "number",
            }
        )
    return {"name": table, "keys": [name for name in names if name in KEYS], "columns": columns}


def find_cells(corpus: Corpus, ids: Sequence[str]) -> dict[str, list[dict[str, Value]]]:
    """Return all cells of documents, in the order of their places; those without one last."""
    names = [name for name in _SHOWN if name in corpus.tables()["cells"]]
    quoted = ", ".join(f'"{name}"' for name in names)
    found: dict[str, list[dict[str, Value]]] = {name: [] for name in ids}
    for document_id, *row in corpus.read(_CELLS.format(names=quoted), [json.dumps(ids)]):
        found[str(document_id)].append(dict(zip(names, row, strict=True)))
    return found


def find_marked_cells(corpus: Corpus, wanted: CellsWanted) -> list[dict[str, Value]]:
    """Return those cells of some documents that are not what they look like in their row.

    That is: none, failed, corrected, or with a mark.
    """
    table, _ = find_columns(corpus, wanted.table)
    return [
        {"document_id": document_id, **cell}
        for document_id, cells in find_cells(corpus.within(), wanted.ids).items()
        for cell in cells
        if cell.get("table_name", table) == table
        and (cell["state"] not in _PLAIN or cell.get("marks"))
    ]


def show_document(corpus: Corpus, wanted: DocumentWanted) -> dict[str, object]:
    """Return a stretch of a document as pieces, each with the numbers of the cells that quote it.

    `{"pieces": [{"text": "Price: ", "cells": []}, {"text": "€ 56", "cells": [3]}], …}`; a piece
    between *at* and *to* is `sought`. Characters are counted here, as a browser counts others.
    """
    corpus = corpus.within()
    entry = corpus.document(wanted.id)
    start = max(0, wanted.at - BEFORE) if wanted.start is None else wanted.start
    start = min(start, entry.characters)
    text = corpus.document_text(entry.id, start, start + WINDOW)
    cells = find_cells(corpus, [entry.id])[entry.id]
    return {
        **asdict(entry),
        "summary": corpus.summary(entry.id),
        "start": start,
        "finish": start + len(text),
        "window": WINDOW,
        "cells": cells,
        "pieces": _cut_to_pieces(text, start, cells, (wanted.at, wanted.to)),
    }


def _cut_to_pieces(
    text: str, start: int, cells: Sequence[dict[str, Value]], sought: tuple[int, int]
) -> list[dict[str, object]]:
    """Cut *text*, which begins at *start* of its document, wherever a quote begins or ends."""
    finish = start + len(text)
    spans: list[tuple[int, int, int | None]] = [(*sought, None)]
    for number, cell in enumerate(cells):
        first, last = cell.get("start"), cell.get("end")
        if isinstance(first, int) and isinstance(last, int):
            spans.append((first, last, number))
    shown = [
        (max(first, start), min(last, finish), number)
        for first, last, number in spans
        if first < min(last, finish) and last > start
    ]
    cuts = sorted({start, finish, *(x for first, last, _ in shown for x in (first, last))})
    pieces = []
    for first, last in pairwise(cuts):
        over = [number for a, b, number in shown if a <= first and last <= b]
        pieces.append(
            {
                "text": printable(text[first - start : last - start]),
                "cells": [number for number in over if number is not None],
                "sought": None in over,
            }
        )
    return pieces


def answer_question(corpus: Corpus, settings: Settings, wanted: Question) -> dict[str, object]:
    """Answer a question; `AnswerPage` says what comes back."""
    page = views.answers.ask_page(corpus, wanted.question, settings, wanted.previous)
    page.text = for_terminal(page.text)
    page.warnings = list(map(for_terminal, page.warnings))
    if page.proposal is not None:
        page.proposal.next = for_terminal(page.proposal.next)
    return page.data()


def run_query(corpus: Corpus, settings: Settings, wanted: Query) -> dict[str, object]:
    """Return rows of a SELECT; `ResultTable` says what comes back."""
    room = settings.max_result_characters
    page = views.answers.result_table(corpus, wanted.sql, settings.max_rows, wanted.offset, room)
    page.notes = list(map(for_terminal, page.notes))
    return page.data()


def find_passages(corpus: Corpus, settings: Settings, wanted: SearchWanted) -> dict[str, object]:
    """Find passages; `SearchPage` says what comes back, *head* what stands above them."""
    page = views.findings.search_page(
        corpus, wanted.query, settings.max_result_characters, limit=N_PASSAGES, offset=wanted.offset
    )
    return page.data() | {"head": list(map(for_terminal, page.head()))}


def read_file(name: str) -> str:
    """Return a file of the page."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


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
            # what it replaced may not be there any more
            of_row = f" in “{item.row_words}”" * bool(item.row_words) * (not item.of_row)
            waits = item.problem and f"{item.problem}; it replaced {item.was}{of_row}"
            yield {
                "column": item.named, "document_id": item.document_id, "quote": item.quote,
                "table_name": item.table, "attribute": item.column,
                "position": int(item.position) if item.position else None,
                "value": item.render(), "note": waits or "an agent set it",
                "other": {"value": "" if waits else item.was, "quote": ""},
                "choices": [{"says": "Accept", "do": "accept", "value": item.render()},
                            {"says": "Take it back", "do": "undo"}],
            }  # fmt: skip


def decide_cell(corpus: Corpus, settings: Settings, said: CellDecision) -> dict[str, str]:
    """Set a cell, take a correction back, or accept one, as `correct`; say what was done."""
    # what is taken back may be of a document that is gone
    found = said.document_id if said.do == "undo" else corpus.document(said.document_id).id
    place = CellPlace(found, said.column, said.position)
    done = correct(corpus.location, settings, place, (said.do, said.value))
    return {"said": done.render()}


def decide_name(corpus: Corpus, settings: Settings, said: NameDecision) -> dict[str, str]:
    """Keep for good whether names mean one thing, as `decide_names`; say what was done."""
    decide_names(corpus.location, settings, said.column, said.names, said.decision)
    kept = "one thing" if said.decision == "same" else "apart"
    return {"said": f"{', '.join(said.names)}: {kept}; published"}
