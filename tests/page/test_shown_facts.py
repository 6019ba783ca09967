"""A document as the page shows it: cut to pieces at its quotes, in windows."""

import json
from pathlib import Path

import pytest

from srag_mcp import open_corpus
from srag_mcp.page import shown_facts
from srag_mcp.page.shown_facts import (
    CellsWanted,
    DocumentWanted,
    describe_corpus,
    find_marked_cells,
    show_document,
)
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from tests.page.conftest import ACTING, SCHEMA, Page


def test_the_pieces_are_the_text_and_name_the_cells_that_quote_them(page: Page) -> None:
    shown = show_document(page.corpus, DocumentWanted(id="tern.txt"))
    pieces, cells = shown["pieces"], shown["cells"]
    assert isinstance(pieces, list)
    assert isinstance(cells, list)
    assert "".join(piece["text"] for piece in pieces) == page.corpus.document_text("tern.txt")
    quoted = {cells[at]["attribute"]: piece["text"] for piece in pieces for at in piece["cells"]}
    assert quoted == {
        "name": "Tern", "harbour": "Bergen", "length": "8.25 m", "built": "1999", "crew": "2",
    }  # fmt: skip


def test_places_are_right_behind_characters_that_a_browser_counts_twice(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "sea"
    folder.mkdir()
    text = "𝔖𝔢𝔞 🐟🐟\u202e\nName: Ægir 🛶\nCrew: 7\n"
    (folder / "a.txt").write_text(text, encoding="utf-8")
    (folder / "b.txt").write_text("Name: Rán\nCrew: 8\n", encoding="utf-8")
    ingest(folder, settings, schema=SCHEMA)
    with open_corpus(folder, settings) as corpus:
        shown = show_document(corpus, DocumentWanted(id="a.txt"))
    pieces = shown["pieces"]
    assert isinstance(pieces, list)
    assert [piece["text"] for piece in pieces if piece["cells"]] == ["Ægir 🛶", "7"]
    assert "\u202e" not in "".join(piece["text"] for piece in pieces)


def test_a_long_document_is_shown_around_what_is_sought(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_facts, "BEFORE", 5)
    monkeypatch.setattr(shown_facts, "WINDOW", 20)
    whole = page.corpus.document_text("tern.txt")
    at = whole.index("Bergen")
    shown = show_document(page.corpus, DocumentWanted(id="tern.txt", at=at, to=at + 6))
    assert (shown["start"], shown["finish"]) == (at - 5, at + 15)
    pieces = shown["pieces"]
    assert isinstance(pieces, list)
    assert "".join(piece["text"] for piece in pieces) == whole[at - 5 : at + 15]
    assert [piece["text"] for piece in pieces if piece["sought"]] == ["Bergen"]
    later = show_document(page.corpus, DocumentWanted(id="tern.txt", start=10**9))
    assert (later["pieces"], later["start"]) == ([], len(whole))


def test_a_corpus_is_described_with_what_its_columns_hold(page: Page) -> None:
    told = describe_corpus(page.corpus)
    assert (told["title"], told["documents"], told["can_change"]) == (f"Boat {ACTING}", 7, True)
    assert isinstance(told["tables"], list)
    [table] = told["tables"]
    assert (table["name"], table["keys"]) == ("boats", ["document_id"])
    crew = next(item for item in table["columns"] if item["column"] == "crew")
    assert (crew["n_records"], crew["n_non_null"], crew["n_contradicted"]) == (7, 6, 1)
    assert (crew["minimum"], crew["maximum"], crew["sorts"]) == (1, 12, "number")


def test_only_cells_that_hide_something_are_told(page: Page) -> None:
    ids = json.dumps(["petrel.md", "tern.txt", "gale.txt"])
    [cell] = find_marked_cells(page.corpus, CellsWanted(ids=ids))
    assert (cell["document_id"], cell["attribute"], cell["marks"]) == (
        "gale.txt",
        "crew",
        "contradicted",
    )
