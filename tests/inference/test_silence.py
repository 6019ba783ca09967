"""What no rule found in a document need not be missing there; an empty cell of a table is."""

import csv
from pathlib import Path

import pytest

from srag_mcp import Settings, ask, ingest
from srag_mcp.inference.answer import Bounds

STREETS = ("Mill Lane", "Abbey Road", "Harbour Street")


def make_fines(folder: Path, n_misspelt: int) -> Path:
    """Write forty notices, in some of which the label of the penalty has lost letters."""
    folder.mkdir()
    for at in range(40):
        label = "Pnalti" if at < n_misspelt else "Penalty"
        text = (
            f"Notice no: PN{300 + at}\nStreet: {STREETS[at % 3]}\n"
            f"{label}: {60 + 5 * (at % 7)} EUR\nOfficer: {10 + at % 9}\n"
        )
        (folder / f"fine_{at:02}.txt").write_text(text, encoding="utf-8")
    ingest(folder, Settings(engine="offline", workers=1))
    return folder


@pytest.fixture(scope="module")
def fines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_fines(tmp_path_factory.mktemp("home") / "fines", n_misspelt=4)


def test_where_a_rule_found_nothing_may_be_none_or_something(fines: Path) -> None:
    found = ask(fines, "How many fines have no penalty?")
    assert (found.rows, found.bounds) == (((4,),), Bounds(0, 4))
    share = ask(fines, "What share of the fines has no penalty?")
    assert (share.rows, share.bounds) == (((10.0,),), Bounds(0, 10))
    stated = ask(fines, "How many fines state a penalty?")
    assert (stated.rows, stated.bounds) == (((36,),), Bounds(36, 40))


def test_a_list_of_them_says_that_none_may_belong_to_it(fines: Path) -> None:
    listed = ask(fines, "Which fines have no penalty?")
    assert listed.rows == tuple((f"PN{300 + at}",) for at in range(4))
    assert listed.assumptions == (
        "up to 4 of the list may not belong to it: that is not known of them",
    )


def test_shares_are_said_to_be_of_records_in_words(fines: Path) -> None:
    share = ask(fines, "What share of the fines has no penalty?")
    assert share.assumptions == ("shares are of number of records: not all say penalty",)


def test_an_empty_cell_of_a_table_says_that_there_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "fines"
    folder.mkdir()
    with (folder / "fines.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["notice_no", "street", "penalty_eur"])
        for at in range(40):
            rows.writerow([f"PN{300 + at}", STREETS[at % 3], "" if at < 4 else 60 + at])
    ingest(folder, Settings(engine="offline", workers=1, home=tmp_path / "home"))
    found = ask(folder, "How many fines have no penalty?", Settings(home=tmp_path / "home"))
    assert (found.rows, found.bounds) == (((4,),), None)
