"""Columns are edited by command: seen first, and without reading anything again."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import SchemaError
from srag_mcp.inference.turns import give_verdict
from srag_mcp.pipeline.column_run import ColumnChange, change_columns
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.feedback import open_feedback
from srag_mcp.store.guard import QueryPool
from srag_mcp.views.holdings import schema_page
from tests.model.openai_server import Answer, Body, content_of, serving
from tests.pipeline.reading_model import TOWNS, say, settings_for

Change = Callable[..., ColumnChange]
_ALL = re.MULTILINE | re.DOTALL
WEIGHTS = ("12 kg", "450 g", "3", "about a lot", "1 km", "2.5 kg")


def by_key(name: str, kind: str = "string") -> Attribute:
    return Attribute(name=name, type=kind, extractors=(KeyRule(keys=(name,)),))


PARCELS = Schema(
    title="Parcel",
    entity="parcels",
    attributes=(by_key("town"), by_key("weight"), by_key("mass"), by_key("height", "integer")),
)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six parcels, ingested; to be copied."""
    parcels = tmp_path_factory.mktemp("once") / "parcels"
    parcels.mkdir()
    for number, weight in enumerate(WEIGHTS, start=1):
        mass = weight if number % 2 else "7 kg"
        said = f"Town: Town {number}\nWeight: {weight}\nMass: {mass}\nHeight: {10 * number}\n"
        (parcels / f"{number}.txt").write_text(f"Parcel {number}\n\n{said}", encoding="utf-8")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    assert ingest(parcels, settings, schema=PARCELS).n_documents == 6
    return parcels


@pytest.fixture
def parcels(tmp_path: Path, ingested: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "parcels")


@pytest.fixture
def opened(parcels: Path, settings: Settings, worker: QueryPool) -> Corpus:
    return Corpus(parcels, worker, settings.home)


@pytest.fixture
def change(parcels: Path, settings: Settings) -> Change:
    """Return a function that edits, after it has seen that the preview says the same."""

    def edit(action: str, *names: str) -> ColumnChange:
        seen = change_columns(parcels, settings, action, names, is_preview=True)
        done = change_columns(parcels, settings, action, names)
        rest = ("n_rewritten", "n_retired", "is_published")
        assert all(
            getattr(seen, name) == getattr(done, name)
            for name in ColumnChange.__slots__
            if name not in rest
        )
        return done

    return edit


def column(opened: Corpus, name: str) -> list[object]:
    rows = opened.select(f"SELECT {name} FROM parcels ORDER BY document_id", limit=9).rows
    return [row[0] for row in rows]


def waiting(opened: Corpus) -> list[str]:
    return [item.problem for item in opened.corrections() if item.problem]


def test_a_preview_changes_nothing(parcels: Path, settings: Settings, opened: Corpus) -> None:
    state = parcels / ".srag"
    files = (state / "schema.json").read_text(), (state / "current.json").read_text()
    seen = change_columns(parcels, settings, "split-unit", ["weight"], is_preview=True)

    assert seen.lines()[:3] == [
        "weight (string) becomes number in kg",
        "0 values are kept, 3 change, 3 are lost",
        "1.txt: weight “12 kg” -> 12.0",
    ]
    assert not seen.is_published
    assert ((state / "schema.json").read_text(), (state / "current.json").read_text()) == files
    assert column(opened, "weight") == [*WEIGHTS]
    assert not ingest(parcels, settings).published


def test_a_renamed_column_answers_to_both_names_and_corrections_follow(
    parcels: Path, settings: Settings, opened: Corpus, change: Change
) -> None:
    correct(parcels, settings, ("1.txt", "height"), ("value", "11"))
    done = change("rename", "height", "size")

    assert (done.n_kept, done.n_lost, done.n_corrections, done.n_waiting) == (6, 0, 1, 0)
    assert opened.select("SELECT sum(size), sum(height) FROM parcels").rows == ((211, 211),)
    assert "x-formerly" in (parcels / ".srag" / "schema.json").read_text()
    assert waiting(opened) == []
    again = ingest(parcels, settings)
    assert (again.n_extracted, again.published) == (0, False)
    assert column(opened, "size") == [11, 20, 30, 40, 50, 60]


def test_a_saved_query_is_rewritten_by_its_columns_and_not_by_its_words(
    parcels: Path, settings: Settings, opened: Corpus, change: Change
) -> None:
    assert opened.state is not None
    with open_feedback(opened.state) as kept:
        for question, sql in {
            "How high are they?": "SELECT sum(height) AS total FROM parcels WHERE town <> 'height'",
            "How heavy are they?": "SELECT list(weight) FROM parcels",
            "How high by town?": "SELECT town, max(mass) AS height FROM parcels GROUP BY town",
        }.items():
            give_verdict(opened, kept, question, is_right=True, sql=sql)
    assert change("rename", "town", "place").n_rewritten == 2
    done = change("rename", "height", "size")
    assert (done.n_rewritten, done.n_retired) == (1, 2), "its words may be of either"
    assert change("type", "weight", "number").n_retired == 1

    with open_feedback(opened.state) as kept:
        pairs = {pair.question: (pair.sql, pair.retired) for pair in kept.verdicts()}
    rewritten = "SELECT SUM(size) AS total FROM parcels WHERE place <> 'height'"
    rewritten_by = "column parcels.height is now parcels.size"
    assert pairs["How high are they?"] == (rewritten, rewritten_by)
    by_alias = "SELECT place, MAX(mass) AS height FROM parcels GROUP BY place"
    assert pairs["How high by town?"] == (by_alias, rewritten_by)
    assert "its columns were weight string" in pairs["How heavy are they?"][1]


def test_a_unit_is_split_off_and_what_does_not_say_it_is_unknown(
    parcels: Path, settings: Settings, opened: Corpus, change: Change
) -> None:
    correct(parcels, settings, ("1.txt", "weight"), ("value", "13 kg"))
    correct(parcels, settings, ("2.txt", "weight"), ("value", "plenty"))
    correct(parcels, settings, ("6.txt", "weight"), wanted=("unknown", ""))
    done = change("split-unit", "weight", "g")

    notes = [item.note for item in done.examples if not item.after]
    assert notes == [
        "",
        "states no unit, and may not be in g",
        "not a number",
        "stated in km, not in g",
    ]
    lost = [item.before for item in done.examples if not item.after]
    assert lost[0] == "plenty", "as it stands, and not as it was read"
    assert (done.n_corrections, done.n_waiting) == (3, 1)
    assert column(opened, "weight") == [13000.0, 450.0, None, None, None, None]
    assert waiting(opened) == ["'plenty' does not fit a column of type number"]
    ingest(parcels, settings)
    assert column(opened, "weight") == [13000.0, 450.0, None, None, None, None]

    change("type", "weight", "string")
    assert column(opened, "weight")[1:] == ["plenty", *WEIGHTS[2:5], None]
    assert waiting(opened) == []


def test_what_one_type_could_not_hold_is_read_from_its_words_by_the_next(
    parcels: Path, settings: Settings, opened: Corpus, change: Change
) -> None:
    for number, mass in enumerate(("4.50", "6.00", "9.00", "4.50", "7.25", "3.00"), start=1):
        said = f"Town: Town {number}\nWeight: 1 kg\nMass: {mass} kg\nHeight: {10 * number}\n"
        (parcels / f"{number}.txt").write_text(f"Parcel {number}\n\n{said}", encoding="utf-8")
    ingest(parcels, settings)
    change("type", "mass", "number")
    correct(parcels, settings, ("1.txt", "mass"), ("value", "8"))
    correct(parcels, settings, ("6.txt", "mass"), ("absent", ""))
    done = change("rename", "mass", "load")
    assert (done.n_kept, done.examples[0].render()) == (5, "1.txt: mass “8.0” -> 8.0")
    done = change("type", "load", "integer")
    assert (done.n_kept, done.n_lost, done.n_new) == (3, 2, 0)
    assert column(opened, "load") == [8, 6, 9, None, None, None]
    done = change("type", "load", "number")
    assert (done.n_kept, done.n_lost, done.n_new) == (3, 0, 2)
    assert done.lines()[1] == "3 values are kept, 0 change, 0 are lost, 2 are read that were not"
    assert column(opened, "load") == [8.0, 6.0, 9.0, 4.5, 7.25, None]


def test_of_two_columns_that_are_one_the_first_wins_marked(
    opened: Corpus, change: Change, parcels: Path, settings: Settings
) -> None:
    (parcels / "7.txt").write_text("Parcel 7\n\nTown: Town 7\nMass: 9 kg\n", encoding="utf-8")
    ingest(parcels, settings)
    done = change("merge", "weight", "mass")

    assert (done.n_kept, done.n_changed, done.n_differing) == (10, 3, 3)
    assert column(opened, "weight") == [*WEIGHTS, "9 kg"]
    assert column(opened, "mass") == [*WEIGHTS, "9 kg"], "the old name stays for one version"
    marked = "SELECT document_id FROM cells WHERE marks = 'contradicted' ORDER BY document_id"
    assert opened.select(marked, limit=9).rows == (("2.txt",), ("4.txt",), ("6.txt",))
    (parcels / "8.txt").write_text("Parcel 8\n\nTown: Town 8\nMass: 2 kg\n", encoding="utf-8")
    assert ingest(parcels, settings).n_extracted == 1
    assert column(opened, "weight") == [*WEIGHTS, "9 kg", "2 kg"]
    with pytest.raises(SchemaError, match="one type and unit"):
        change("merge", "weight", "height")


def test_a_hidden_column_is_nowhere_until_it_is_shown(
    parcels: Path, settings: Settings, opened: Corpus, change: Change
) -> None:
    correct(parcels, settings, ("1.txt", "height"), ("value", "11"))
    change("hide", "height")

    page = json.dumps(schema_page(opened, 9_000).columns)
    assert ("height" in page, "weight" in page) == (False, True)
    assert [item.column for item in opened.statistics()] == ["town", "weight", "mass"]
    rows = opened.select("SELECT count(*) FROM cells WHERE attribute = 'height'").rows
    assert (rows, waiting(opened)) == (((0,),), [])
    change("show", "height")
    assert column(opened, "height") == [11, 20, 30, 40, 50, 60]
    change("hide", "height")
    report = ingest(parcels, settings, attribute="height")
    assert (report.n_extracted, report.n_stated) == (0, 6), "who asks for it, has it again"


def test_a_column_is_dropped_and_the_record_gets_a_noun(opened: Corpus, change: Change) -> None:
    dropped = change("drop", "height")
    assert (dropped.n_lost, "--fresh-schema" in dropped.lines()[1]) == (6, True)
    change("noun", "box", "boxes")
    schema = opened.schema()
    assert [item.name for item in schema.attributes] == ["town", "weight", "mass"]
    assert (schema.title, schema.nouns, schema.entity) == ("Box", ("box", "boxes"), "parcels")


@pytest.mark.parametrize(
    ("action", "names", "said"),
    [
        ("rename", ("height", "weight"), "there is a column 'weight'"),
        ("rename", ("height", "Size!"), "no name of a column"),
        ("rename", ("size", "height"), "no attribute 'size'"),
        ("rename", ("height",), "'rename height' is none of rename OLD NEW"),
        ("type", ("height", "integer"), "is of type integer"),
        ("type", ("height", "colour"), "has no such type"),
        ("split-unit", ("height",), "no value of height states a unit"),
        ("split-unit", ("town",), "no value of town states a unit"),
        ("noun", ("7",), "a noun has letters"),
        ("paint", ("height",), "'paint height' is none of rename OLD NEW"),
    ],
)
def test_what_cannot_be_done_is_said(
    change: Change, action: str, names: tuple[str, ...], said: str
) -> None:
    with pytest.raises(SchemaError, match=said):
        change(action, *names)


def test_an_edit_by_hand_is_taken_over_as_well(
    parcels: Path, settings: Settings, opened: Corpus
) -> None:
    path = parcels / ".srag" / "schema.json"
    written = json.loads(path.read_text())
    written["properties"]["size"] = written["properties"].pop("height")
    written["properties"]["size"]["x-formerly"] = ["height"]
    path.write_text(json.dumps(written))
    with pytest.raises(SchemaError, match="was edited since it was ingested"):
        change_columns(parcels, settings, "drop", ["mass"])

    report = ingest(parcels, settings)
    assert (report.n_extracted, report.renamed) == (
        0,
        ("column parcels.height is now parcels.size",),
    )
    assert column(opened, "size") == [10, 20, 30, 40, 50, 60]


def test_no_model_is_asked_for_what_is_renamed_hidden_or_typed(
    tmp_path: Path, worker: QueryPool
) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number, town in enumerate(TOWNS, start=1):
        said = f"It stands {number * 500} metres above the town of {town}."
        (folder / f"{number}.txt").write_text(said, encoding="utf-8")
    with serving(say) as server:
        settings = settings_for(server, tmp_path / "home")
        ingest(folder, settings)
        n_asked = len(server.requests)
        for action, *names in (
            ("rename", "town", "place"),
            ("hide", "height_m"),
            ("show", "height_m"),
            ("type", "height_m", "number"),
            ("noun", "post", "posts"),
        ):
            change_columns(folder, settings, action, names)
        report = ingest(folder, settings)
        assert (len(server.requests), report.n_predicted) == (n_asked, 0)
    assert report.taken is not None
    assert report.taken.n_calls == 0
    opened = Corpus(folder, worker, settings.home)
    rows = opened.select("SELECT place, height_m FROM stations ORDER BY height_m", limit=9).rows
    assert rows == tuple((town, 500.0 * n) for n, town in enumerate(TOWNS, start=1))


def test_numbers_of_texts_that_a_model_read_have_the_scale_of_their_table(
    tmp_path: Path, worker: QueryPool
) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    table = "Figures (in thousands)\n\n| item | 2020 |\n| --- | --- |\n| Sales | 1,234 |\n"
    for name, said in {"a": table, "b": "Sales | 1,240", "c": "Sales were 1.3 million."}.items():
        (folder / f"{name}.txt").write_text(f"Report {name}\n\n{said}\n", encoding="utf-8")

    def read_sales(body: Body) -> Answer:
        found = re.findall(
            r"^(d\d+) \(path.*?(1,234|1,240|1\.3 million)", str(content_of(body)), _ALL
        )
        cells = [{"id": key, "cells": [[1, value, value]]} for key, value in found]
        return Answer(json.dumps({"documents": cells}))

    schema = {"title": "Report", "x-entity": "reports", "type": "object"}
    sales = {"sales": {"type": "string", "description": "The sales of the year, as written."}}
    (folder / "schema.json").write_text(json.dumps({**schema, "properties": sales}))
    with serving(read_sales) as server:
        settings = settings_for(server, tmp_path / "home")
        ingest(folder, settings)
        done = change_columns(folder, settings, "type", ["sales", "number"])
    assert [(item.after, item.note != "") for item in done.examples] == [
        ("", True),
        ("1240.0", False),
        ("1300000.0", False),
    ]
