"""What is to be checked, and what a person decides on it."""

from pathlib import Path

import pytest

from srag_mcp import open_corpus
from srag_mcp.errors import CorpusError
from srag_mcp.page.shown_facts import (
    CellDecision,
    EntriesWanted,
    NameDecision,
    count_entries,
    decide_cell,
    decide_name,
    entry_table,
    find_entries,
)
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from tests.page.conftest import Page


def test_gaps_suspects_and_names_are_counted_by_column(page: Page) -> None:
    assert count_entries(page.corpus) == {
        "corrections": {},
        "disagreements": {},
        "suspects": {"crew": 1},
        "failed": {},
        "names": {"harbour": 1},
        "gaps": {"built": 1, "crew": 1},
    }


def test_an_entry_says_what_is_doubted_and_what_may_be_done(page: Page) -> None:
    [suspect] = find_entries(page.corpus, EntriesWanted(kind="suspects"))
    assert suspect["note"] == "told otherwise elsewhere: '13'"
    assert suspect["choices"] == [{"says": "Keep", "do": "value", "value": "12"}]
    [gap] = find_entries(page.corpus, EntriesWanted(kind="gaps", column="built"))
    assert (gap["document_id"], gap["value"], gap["choices"]) == ("gale.txt", None, [])
    assert find_entries(page.corpus, EntriesWanted(kind="gaps", column="built", offset=1)) == []
    [name] = find_entries(page.corpus, EntriesWanted(kind="names"))
    assert name["names"] == (("Brest Limited", 1), ("Brest Ltd", 1))


def test_what_a_person_decides_leaves_its_list(boats: Path, settings: Settings) -> None:
    with open_corpus(boats, settings) as corpus:
        kept = CellDecision(document_id="gale.txt", column="crew", do="value", value="12")
        said = decide_cell(corpus, settings, kept)["said"]
        assert said == "crew of gale.txt: 12 instead of 12; published"
        unknown = CellDecision(document_id="petrel.md", column="crew", do="unknown")
        decide_cell(corpus, settings, unknown)
        one = NameDecision(column="harbour", names=["Brest Ltd", "Brest Limited"], decision="same")
        decide_name(corpus, settings, one)
        counts = count_entries(corpus)
        assert (counts["suspects"], counts["names"], counts["gaps"]) == ({}, {}, {"built": 1})
        apart = one.model_copy(update={"decision": "apart"})
        decide_name(corpus, settings, apart)
        assert corpus.united_names() == []


def test_what_an_agent_set_waits_for_a_person(boats: Path, settings: Settings) -> None:
    correct(boats, settings, ("tern.txt", "crew"), ("value", "3"), "agent")
    with open_corpus(boats, settings) as corpus:
        [entry] = find_entries(corpus, EntriesWanted(kind="corrections"))
        assert (entry["value"], entry["note"]) == ("3", "an agent set it")
        assert entry["other"] == {"value": "2", "quote": ""}
        decide_cell(
            corpus, settings, CellDecision(document_id="tern.txt", column="crew", do="accept")
        )
        assert count_entries(corpus)["corrections"] == {}


def test_a_build_alone_is_not_changed(page: Page, settings: Settings) -> None:
    with open_corpus(page.corpus.build_path(), settings) as alone:
        said = CellDecision(document_id="tern.txt", column="crew", do="unknown")
        name = NameDecision(column="harbour", names=["a", "b"], decision="same")
        with pytest.raises(CorpusError, match="a build alone"):
            decide_cell(alone, settings, said)
        with pytest.raises(CorpusError, match="a build alone"):
            decide_name(alone, settings, name)


def test_what_contradicts_a_list_is_worked_through_like_a_record(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    for number in range(1, 13):
        goods = [("Saw", number, "2.50"), ("Glue", 2, "9.50"), ("Nut", 3, "1.25"), ("Bit", 1, "7")]
        goods = goods[: 2 + number % 3]
        rows = "".join(f"| {x} | {n} | {p} | {n * float(p):.2f} |\n" for x, n, p in goods)
        total = sum(n * float(price) for _, n, price in goods) + (100 if number == 3 else 0)
        (folder / f"{number}.md").write_text(
            f"# Order SO-10{number}\n\nCustomer: Ada {number}\n\n"
            f"This order has {5 if number == 1 else len(goods)} items.\n\n"
            "| Item | Quantity | Price | Amount |\n|---|---|---|---|\n"
            f"{rows}| Total | | | {total:.2f} |\n"
        )
    ingest(folder, settings)
    with open_corpus(folder, settings) as corpus:
        table = corpus.schema().children[0].entity
        assert count_entries(corpus)["suspects"] == {f"{table}.position": 1, f"{table}.amount": 2}
        [*items, whole] = find_entries(corpus, EntriesWanted(kind="suspects"))
        assert [whole["document_id"], whole["position"]] == ["1.md", 0]
        assert whole["note"] == "the document says '5 items', 3 are listed"
        places = [(x["document_id"], x["position"], x["attribute"]) for x in items]
        assert places == [("3.md", row, "amount") for row in (1, 2)]
        for entry in (whole, *items):
            assert entry["choices"] == [{"says": "Keep", "do": "value", "value": entry["value"]}]
            place = {key: entry[key] for key in ("document_id", "column", "position", "value")}
            said = CellDecision.model_validate({**place, "do": "value"})
            assert "published" in str(decide_cell(corpus, settings, said)["said"])
        assert count_entries(corpus)["suspects"] == {}
        listed = corpus.list_statistics(table)
        assert (listed.n_stated, listed.n_records, listed.n_doubted) == (12, 12, 0)


def test_two_readings_stand_side_by_side() -> None:
    entry = {"column": "crew", "document_id": "a.txt", "value": "4", "quote": "four", "note": "why"}
    columns, rows = entry_table([entry | {"other": {"value": "5", "quote": ""}}])

    assert columns == ("column", "document", "row", "value", "says", "or else", "says", "since")
    assert rows == [("crew", "a.txt", None, "4", "“four”", "5", "", "why")]
