"""Names with several spellings, as the command line shows them and lets a person decide."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import Once

SAID = ("Acme Ltd", "ACME LIMITED", "Acme Ltd", "Acme Labs", "Borel Inc.")


@pytest.fixture
def folder(tmp_path: Path, cli: Cli, once: Once) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, name in enumerate(SAID):
        (notes / f"{number}.txt").write_text(f"Note {number}\n\nIssuer: {name}\n")
    properties = {"issuer": {"type": "string", "description": "Who issues it."}}
    schema = {"title": "Note", "type": "object", "properties": properties}
    (notes / "schema.json").write_text(json.dumps(schema))

    def make() -> None:
        assert "2 spellings of 1 name united in issuer" in cli("ingest", notes, "-q").out

    return once(notes, make)


def spellings(cli: Cli, folder: Path) -> list[tuple[str, list[list[object]]]]:
    said = json.loads(cli("names", folder, "issuer", "--json").out)
    return [(item["value"], item["spellings"]) for item in said]


def test_what_was_united_is_shown(cli: Cli, folder: Path) -> None:
    assert spellings(cli, folder) == [("Acme Ltd", [["Acme Ltd", 2], ["ACME LIMITED", 1]])]
    shown = cli("review", folder).out
    assert "Acme Ltd" in shown
    assert "ACME LIMITED" in shown


def test_a_person_decides(cli: Cli, folder: Path) -> None:
    united = cli("names", folder, "issuer", "Acme Labs", "Acme Ltd", "--same")
    assert united.status == 0
    assert "kept, and published" in united.out
    assert [value for value, _ in spellings(cli, folder)] == ["Acme Labs"]
    counted = cli("ask", folder, "How many notes have the issuer Acme Ltd?")
    assert counted.out.startswith("4")
    split = cli("names", folder, "issuer", "Acme Ltd", "ACME LIMITED", "--apart")
    assert split.status == 0
    assert cli("ingest", folder, "-q").status == 0
    assert spellings(cli, folder) == [("Acme Labs", [["Acme Ltd", 2], ["Acme Labs", 1]])]


def test_names_that_are_not_there_are_refused(cli: Cli, folder: Path) -> None:
    refused = cli("names", folder, "issuer", "Acme Ltd", "Acmee Labz", "--same")
    assert refused.status == 1
    assert "issuer has no name “Acmee Labz”" in refused.err
    assert cli("names", folder, "isuer", "Acme Ltd", "Acme Labs", "--same").status == 1


def test_names_and_a_decision_go_together(cli: Cli, folder: Path) -> None:
    said = "two or more names of a column take one of --same, --apart and --forget"
    for wrong in (["Acme Ltd", "--same"], ["Acme Ltd", "Acme Labs"], ["--apart"]):
        refused = cli("names", folder, "issuer", *wrong)
        assert refused.status == 2
        assert "--apart and --forget" in " ".join(refused.err.split()), said


def test_a_person_may_write_names_in_another_case(cli: Cli, folder: Path) -> None:
    assert cli("names", folder, "issuer", "acme labs", "ACME, ltd.", "--same").status == 0
    kept = [("Acme Labs", [["Acme Ltd", 2], ["ACME LIMITED", 1], ["Acme Labs", 1]])]
    assert spellings(cli, folder) == kept
    assert "nothing changes" in cli("names", folder, "issuer", "BOREL inc", "--forget").out
    assert "forgotten" in cli("names", folder, "issuer", "ACME LABS", "--forget").out
    assert spellings(cli, folder) == [("Acme Ltd", [["Acme Ltd", 2], ["ACME LIMITED", 1]])]


def test_a_decision_outlives_another_name_of_its_column(cli: Cli, folder: Path) -> None:
    assert cli("names", folder, "issuer", "Acme Labs", "Acme Ltd", "--same").status == 0
    for before, now in (("issuer", "publisher"), ("publisher", "house")):
        path = folder / ".srag" / "schema.json"
        schema = json.loads(path.read_text())
        schema["properties"] = {now: schema["properties"].pop(before)}
        path.write_text(json.dumps(schema))
        said = cli("ingest", folder, "-q").out
        assert f".{before} is now" in said, said
        listed = json.loads(cli("names", folder, now, "--json").out)
        assert [item["value"] for item in listed] == ["Acme Labs"]
        assert len(listed[0]["spellings"]) == 3
    assert cli("names", folder, "house", "acme labs", "--forget").status == 0
    assert cli("sql", folder, "SELECT count(*) FROM cells WHERE attribute = 'house'").out
