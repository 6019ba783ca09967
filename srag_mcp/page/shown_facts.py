"""What the page shows beside rows: a corpus, a document with its cells, an answer, passages."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, Json

from srag_mcp import views
from srag_mcp.page.record_rows import KEYS, MAX_ROWS, Text, find_columns, record_tables
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value
from srag_mcp.text.shown import printable
from srag_mcp.views.results import for_terminal

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


class DocumentWanted(BaseModel):
    """Which document, and from which character on; by itself, from before character *at* on."""

    model_config = ConfigDict(extra="forbid")

    id: str
    at: int = Field(default=0, ge=0)
    to: int = Field(default=0, ge=0)
    start: int | None = Field(default=None, ge=0)


class CellsWanted(BaseModel):
    """Whose cells: documents by their ids, a JSON list."""

    model_config = ConfigDict(extra="forbid")

    table: str = ""
    ids: Json[list[str]] = Field(max_length=MAX_ROWS)


class SearchWanted(BaseModel):
    """What passages are sought by."""

    model_config = ConfigDict(extra="forbid")

    query: Text
    offset: int = Field(default=0, ge=0)


class Question(BaseModel):
    """A question in plain words, and the one before where it leans on it."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=4_000)
    previous: str = Field(default="", max_length=4_000)


class Query(BaseModel):
    """A SELECT that a person wrote."""

    model_config = ConfigDict(extra="forbid")

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
                "audit": attribute.audit,
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

    Raises:
        CorpusError: If there is no such document.
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
        corpus,
        wanted.query,
        settings.max_result_characters,
        limit=N_PASSAGES,
        offset=wanted.offset,
    )
    return page.data() | {"head": list(map(for_terminal, page.head()))}


def read_file(name: str) -> str:
    """Return a file of the page."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
