"""Which records come first, where some lack the name that is asked for."""

import csv
from pathlib import Path

import pytest

from srag_mcp import Settings, ask, ingest


@pytest.fixture(scope="module")
def kilns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "kilns"
    folder.mkdir()
    with (folder / "kilns.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "place", "volume_l", "heat_c"])
        for at in range(40):
            name = "" if at in {0, 4, 39} else f"K{at:02}"
            rows.writerow([name, "Ulm" if at % 2 else "Bonn", 100 + 5 * at, 900 + at])
    ingest(folder, Settings(engine="offline", workers=1))
    return folder


def test_who_has_no_name_competes_all_the_same(kilns: Path) -> None:
    first, second, third = (
        ask(kilns, f"Which {n} kilns have the {end} volume?")
        for n, end in (("three", "largest"), ("two", "smallest"), ("two", "largest"))
    )
    assert (first.rows, first.refused) == ((("K38",), ("K37",), ("K36",)), False)
    left_out = "it leaves out 1 document as far ahead, for lack of what else it shows"
    assert left_out in first.assumptions
    assert (second.rows, third.rows) == ((("K01",), ("K02",)), (("K38",), ("K37",)))
    assert left_out in second.assumptions


def test_a_first_without_a_name_is_said_to_have_none(kilns: Path) -> None:
    refused = ask(kilns, "Which kiln has the largest volume?")
    assert refused.refused
    assert "it leaves out 1 document as far ahead" in refused.text


def test_who_has_no_name_and_is_not_as_far_changes_nothing(kilns: Path) -> None:
    found = ask(kilns, "Which two kilns in Ulm have the smallest volume?")
    assert (found.rows, found.warnings, found.assumptions) == ((("K01",), ("K03",)), (), ())
