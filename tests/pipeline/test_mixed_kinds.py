"""Tables of rows and documents in one folder: a kind each, whichever comes first."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import srag_mcp
from srag_mcp.errors import CorpusError
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.kind_run import join_kinds
from srag_mcp.pipeline.quote import quote_ingestion, quote_kinds
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.settings import Settings
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.kind_tables import open_kinds
from srag_mcp.store.layout import CorpusFolder
from tests.documents.conftest import write_workbook
from tests.model.openai_server import serving
from tests.pipeline.reading_model import say, settings_for
from tests.pipeline.test_kind_run import BOAT, LESSON, NAMES, assign

BOATS_AND_TRIPS = [("boats", 8), ("trips", 30)]


@pytest.fixture
def port(tmp_path: Path) -> Path:
    folder = tmp_path / "port"
    folder.mkdir()
    return folder


def write_boats(port: Path, numbers: Sequence[int] = range(1, 9), text: str = BOAT) -> None:
    for n in numbers:
        name = f"{text[2]}{n}.md".lower()
        (port / name).write_text(text.format(name=NAMES[n % 8], n=n))


def write_trips(port: Path, n_trips: int = 30) -> None:
    rows = [f"T{n},{1 + n % 10},{5 * (n % 7)},{NAMES[n % 8]}" for n in range(n_trips)]
    (port / "trips.csv").write_text("\n".join(["trip,berth,miles,captain", *rows]) + "\n")


def sizes(report: IngestReport) -> list[tuple[str, int]]:
    return [(part.corpus, part.n_documents) for part in report.kinds]


def unread(report: IngestReport) -> dict[str, int]:
    """Return how many documents of each kind were not read again."""
    return {part.corpus: part.n_unchanged for part in report.kinds}


def test_rows_and_documents_are_a_kind_each_and_joined_over_what_they_share(
    port: Path, settings: Settings, worker: QueryPool
) -> None:
    write_boats(port)
    write_trips(port)

    report = ingest(port, settings)

    assert sizes(report) == BOATS_AND_TRIPS
    assert report.skipped == ()
    assert srag_mcp.ask(port, "How many boats are there?", settings).rows == ((8,),)
    assert srag_mcp.ask(port, "What is the sum of miles?", settings).rows == ((425,),)
    for nobody_s in ("How many documents are there?", "How many records are there?"):
        refused = srag_mcp.ask(port, nobody_s, settings)
        assert refused.refused
        assert "boats" in refused.text
        assert "trips" in refused.text
    both = open_kinds("port", CorpusFolder(port, settings.home).kinds(), worker, settings.home)
    [key] = both.shared_keys()
    assert (key.columns, key.n_common, key.n_values) == (("skipper", "captain"), 8, (8, 8))
    joined = "SELECT count(*), sum(miles), sum(length) FROM boats JOIN trips ON skipper = captain"
    assert both.select(joined).rows == ((30, 425, 131),)


def test_documents_of_several_kinds_and_sheets_are_kinds_beside_each_other(
    port: Path, settings: Settings, worker: QueryPool
) -> None:
    write_boats(port)
    write_boats(port, text=LESSON)
    sheets: dict[str, list[list[object]]] = {
        "Crew": [
            ["Name", "Rank", "Age"],
            *([name, "mate", 20 + n] for n, name in enumerate(NAMES)),
        ],
        "Fees": [["Fee", "Month", "Cost"], *([f"F{n}", "May", 10 * n] for n in range(6))],
        "Hours": [["Hour", "Begins", "Ends"], [1, "8:00", "9:00"]],
    }
    (port / "harbour.xlsx").write_bytes(write_workbook(sheets))
    (port / "letter.md").write_text("Dear all, remember that rain is expected everywhere.")
    report = ingest(port, settings)
    assert sizes(report) == [("boats", 8), ("lessons", 8), ("crew", 8), ("fees", 6)]
    assert [x.path for x in report.skipped] == ["letter.md", "harbour.xlsx, sheet Hours"]
    state = CorpusFolder(port, settings.home).readable()
    assign(state, {"lessons": ["letter.md", "gone.md"], "fees": ["b1.md"]})
    report = ingest(port, settings)
    assert sizes(report) == [("boats", 8), ("lessons", 9), ("crew", 8), ("fees", 6)]
    assert "assigned by hand, and not there: b1.md, gone.md" in report.told[0]

    correct(state / "kinds" / "boats", settings, ("b3.md", "length"), ("value", "33"))
    correct(state / "kinds" / "fees", settings, ("harbour.xlsx#3", "cost"), ("value", "1000"))
    join_kinds(state)
    for fresh in (False, True):
        report = ingest(port, settings, fresh=fresh)
        assert sizes(report) == [("documents_1", 17), ("crew", 8), ("fees", 6)]
    places = CorpusFolder(port, settings.home).kinds()
    tables = open_kinds("port", places, worker, settings.home)
    [name] = [x.name for x in tables.own_tables() if x.corpus.name == "port/documents_1"]
    lengths = f"SELECT count(*), sum(length), sum(strokes) FROM {name}"
    assert tables.select(lengths).rows == ((17, 36 + 30, 36),)
    assert srag_mcp.ask(port, "What is the sum of cost?", settings).rows == ((150 + 980,),)


def test_rows_that_come_later_are_a_kind_and_no_document_is_read_again(
    port: Path, settings: Settings
) -> None:
    write_boats(port)
    (port / "letter.md").write_text("Dear all, remember that rain is expected everywhere.")
    ingest(port, settings)
    correct(port, settings, ("b2.md", "length"), ("value", "22"))
    before = srag_mcp.ask(port, "What is the sum of length?", settings)
    write_trips(port, 200)  # though they outweigh the documents

    report = ingest(port, settings)

    assert (sizes(report), unread(report)["boats"]) == ([("boats", 9), ("trips", 200)], 9)
    after = srag_mcp.ask(port, "What is the sum of length?", settings)
    assert (after.rows, after.assumptions) == (before.rows, before.assumptions)
    assert before.rows == ((36 + 20,),)
    assert "counted with them: letter.md" in "".join(after.assumptions)

    write_boats(port, range(9, 11))
    write_boats(port, text=LESSON)
    report = ingest(port, settings)
    assert (sizes(report), unread(report)) == (
        [("boats", 11), ("trips", 200)],
        {"boats": 9, "trips": 200},
    )
    told = "".join(srag_mcp.ask(port, "How many boats are there?", settings).assumptions)
    assert "8 documents are of another kind than the records" in told
    report = ingest(port, settings, fresh=True)
    assert sizes(report) == [("boats", 10), ("lessons", 8), ("trips", 200)]
    assert [x.path for x in report.skipped] == ["letter.md"]
    assert srag_mcp.ask(port, "What is the sum of length?", settings).rows == ((55 + 20,),)


def test_documents_that_come_later_beside_rows_are_a_kind_and_no_row_is_read_again(
    port: Path, settings: Settings
) -> None:
    write_trips(port)
    ingest(port, settings)
    correct(port, settings, ("trips.csv#02", "miles"), ("value", "100"))
    write_boats(port, range(1, 5))
    few = ingest(port, settings)
    assert (few.kinds, few.n_documents, len(few.skipped)) == ((), 30, 4)
    write_boats(port)

    report = ingest(port, settings)

    assert (sizes(report), unread(report)["trips"]) == (BOATS_AND_TRIPS, 30)
    assert srag_mcp.ask(port, "What is the sum of miles?", settings).rows == ((425 + 95,),)
    (port / "trips.csv").rename(port.parent / "trips.csv")
    assert sizes(ingest(port, settings)) == [("boats", 8)]
    (port.parent / "trips.csv").rename(port / "trips.csv")
    for path in port.glob("b*.md"):
        path.unlink()
    assert sizes(ingest(port, settings)) == [("trips", 30)]
    assert srag_mcp.ask(port, "What is the sum of miles?", settings).rows == ((425 + 95,),)


def test_a_person_keeps_the_documents_beside_rows_together(port: Path, settings: Settings) -> None:
    write_boats(port)
    write_trips(port)
    ingest(port, settings)
    write_boats(port, text=LESSON)
    ingest(port, settings)
    state = CorpusFolder(port, settings.home).readable()
    join_kinds(state)
    for fresh in (False, True):
        report = ingest(port, settings, fresh=fresh)
        assert sizes(report) == [("boats", 16), ("trips", 30)]
    with pytest.raises(CorpusError, match="which no table holds"):
        (state / "kinds.json").write_text(
            json.dumps({"trips": json.loads((state / "kinds.json").read_text())["trips"]})
        )
        join_kinds(state)


def test_objects_with_items_are_documents_beside_a_table_of_rows(
    port: Path, settings: Settings
) -> None:
    for n in range(8):
        items = [{"sail": f"S{x}", "size": x, "cloth": "nylon"} for x in range(1, 9)]
        boat = {"boat": f"Boat {n}", "berth": n, "sails": items}
        (port / f"{n}.json").write_text(json.dumps(boat))
    trips = [{"trip": f"T{n}", "berth": n, "miles": 2 * n} for n in range(20)]
    (port / "trips.json").write_text(json.dumps(trips))
    report = ingest(port, settings)
    assert [n for _, n in sizes(report)] == [8, 20]
    assert srag_mcp.ask(port, "How many trips are there?", settings).rows == ((20,),)


def test_files_that_are_not_alike_are_no_kind_beside_rows_that_outweigh_them(
    port: Path, settings: Settings
) -> None:
    write_trips(port, 80)
    for name, text in {
        "README": "Distances are in nautical miles, and days begin at noon.",
        "LICENSE": "Permission is granted to anyone who keeps this notice.",
        "CHANGES": "2024: added August; removed doubles that crept in.",
        "AUTHORS": "Ada wrote it, and Bea paid.",
        "TODO": "Ask whether winter counts.",
    }.items():
        (port / f"{name}.md").write_text(f"{text}\n")
    report = ingest(port, settings)
    assert (report.kinds, report.n_documents, report.rows) == ((), 80, True)
    assert len(report.skipped) == 5


def test_rows_cost_no_prompt_beside_documents_that_a_model_has_read(
    port: Path, tmp_path: Path
) -> None:
    write_boats(port)
    with serving(say) as server:
        settings = settings_for(server, tmp_path / "home")
        assert ingest(port, settings).n_documents == 8
        n_before = len(server.requests)
        write_trips(port)
        told = ingest(port, settings).told[0]
        places = CorpusFolder(port, settings.home).kinds()
        reports = [ingest(place, settings) for place in places.values()]
        assert len(server.requests) == n_before
    assert "port/boats (8), port/trips (30)" in told
    assert [(x.n_documents, x.n_predicted) for x in reports] == [(8, 0), (30, 0)]


def test_the_price_is_that_of_the_documents_before_and_of_each_kind_after(
    port: Path, settings: Settings
) -> None:
    write_boats(port)
    write_trips(port, 200)
    asking = settings.with_engine("agent")
    quoted = quote_ingestion(port, asking)
    assert quoted.n_documents == 8
    ingest(port, settings)
    priced = quote_kinds(port, asking)
    assert {name: x.n_documents for name, x in priced.items()} == {"boats": 8, "trips": 200}
    assert priced["trips"].most.n_prompts == 0 < priced["boats"].most.n_prompts
