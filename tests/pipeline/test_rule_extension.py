"""A column that rules add to a corpus that a language model read; the other columns stay."""

import json
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from tests.model.openai_server import OpenAIServer, serving
from tests.pipeline.conftest import Ask, Rows
from tests.pipeline.reading_model import say
from tests.pipeline.test_model_crashes import settings_for

WISH = "beds"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    huts = tmp_path / "huts"
    huts.mkdir()
    for number in range(1, 7):
        write_hut(huts, number)
    return huts


def write_hut(huts: Path, number: int) -> None:
    beds = f"Beds: {number + 10}\n" if number != 3 else ""
    text = (
        f"The hut stands {number}00 metres above the town of Arla, where it has measured rain"
        f" since {1900 + number}.\n\nName: Hut {number}\n{beds}"
    )
    (huts / f"{number}.txt").write_text(text)


def engines(ask: Ask, folder: Path) -> Rows:
    return ask(folder, "SELECT attribute, engine, count(*) FROM cells GROUP BY ALL ORDER BY ALL")


def add_by_rules(folder: Path, server: OpenAIServer, home: Path) -> Settings:
    settings = settings_for(server.base, home)
    ingest(folder, settings)
    ingest(folder, settings.model_copy(update={"engine": "offline"}), attribute=WISH)
    return settings


def test_only_the_new_column_is_read_by_rules(folder: Path, tmp_path: Path, ask: Ask) -> None:
    with serving(say) as server:
        settings = settings_for(server.base, tmp_path / "home")
        ingest(folder, settings, questions=["Which station opened last?"])
        n_asked = len(server.requests)
        by_rules = settings.model_copy(update={"engine": "offline", "model": None})
        report = ingest(folder, by_rules, attribute=WISH)
        assert len(server.requests) == n_asked

    assert (report.engine, report.published, report.warnings) == ("offline", True, ())
    assert report.extension is not None
    assert report.extension.added
    assert engines(ask, folder) == [
        ("beds", "offline", 6),
        ("height_m", "model", 6),
        ("opened", "model", 6),
        ("town", "model", 6),
    ]
    rows = ask(folder, "SELECT sum(beds), count(beds), max(opened) FROM stations")
    assert rows == [(68.0, 5, 1906)]
    said = ask(folder, "SELECT as_stated FROM cells WHERE attribute = 'beds' AND value = 11")
    assert said == [("11",)]


def test_the_model_stays_in_force(folder: Path, tmp_path: Path) -> None:
    with serving(say) as server:
        settings = add_by_rules(folder, server, tmp_path / "home")
        n_asked = len(server.requests)
        unchanged = ingest(folder, settings)
        assert len(server.requests) == n_asked

    assert (unchanged.engine, unchanged.published) == ("model", False)


def test_documents_that_the_model_has_not_read_are_told(
    folder: Path, tmp_path: Path, ask: Ask
) -> None:
    with serving(say) as server:
        settings = settings_for(server.base, tmp_path / "home")
        ingest(folder, settings)
        write_hut(folder, 8)
        by_rules = settings.model_copy(update={"engine": "offline"})
        report = ingest(folder, by_rules, attribute=WISH)

    assert report.warnings == (
        "the language model has not read 1 of 7 documents: their other cells are failed until the"
        " next ingestion with it",
    )
    assert ask(folder, "SELECT beds, town FROM stations ORDER BY beds DESC") == [
        (18.0, None),
        *[(float(number + 10), "Arla") for number in (6, 5, 4, 2, 1)],
        (None, "Arla"),
    ]


@pytest.mark.parametrize("engine", ["offline", "model"])
def test_why_a_column_was_added_is_written_down(folder: Path, tmp_path: Path, engine: str) -> None:
    with serving(say) as server:
        settings = settings_for(server.base, tmp_path / "home")
        ingest(folder, settings)
        chosen = settings.model_copy(update={"engine": engine})
        report = ingest(folder, chosen, attribute=WISH)

    assert report.extension is not None
    *before, last = json.loads((folder / ".srag" / "schema_decisions.json").read_text())
    assert last["attribute"] == report.extension.attribute.name
    assert last["action"] == "add"
    assert last["round"] == 1 + max(decision["round"] for decision in before)
    why = {"offline": "somebody asked for “beds”",
           "model": "somebody asked for “beds”: Every page gives it."}  # fmt: skip
    assert last["rationale"] == why[engine]


def test_a_column_whose_addition_was_stopped_is_still_added(folder: Path, tmp_path: Path) -> None:
    with serving(say) as server:
        settings = settings_for(server.base, tmp_path / "home")
        ingest(folder, settings)
        poor = settings.model_copy(update={"budget_calls": 1})
        ingest(folder, poor, attribute="who keeps the station")
        reports = [ingest(folder, settings, attribute="who keeps the station") for _ in range(2)]

    added = [report.extension.added for report in reports if report.extension is not None]
    assert added == [True, False]
