"""What gets another name is told, and answers to the old one for one version."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from srag_mcp.errors import UnknownNameError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool, Value
from srag_mcp.views.answers import result_table
from srag_mcp.views.holdings import schema_page

Ask = Callable[[Path, str], list[tuple[Value, ...]]]
WriteStation = Callable[..., Path]
TOWN, HEIGHT = KeyRule(keys=("town",)), KeyRule(keys=("height",))
COLUMN_SAID = "column stations.height is now stations.elevation"
STAYS = "; the old name stays for this version"


def named(entity: str, **columns: KeyRule) -> Schema:
    """Return a schema whose columns are of the rules; that of the height is a number."""
    attributes = tuple(
        Attribute(name=name, type="integer" if rule == HEIGHT else "string", extractors=(rule,))
        for name, rule in columns.items()
    )
    return Schema(title="Station", entity=entity, attributes=attributes)


BEFORE = named("stations", town=TOWN, height=HEIGHT)
COLUMN = named("stations", town=TOWN, elevation=HEIGHT)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory, write_station: WriteStation) -> Path:
    """Five stations, ingested; to be copied."""
    stations = tmp_path_factory.mktemp("once") / "stations"
    for number in range(1, 6):
        write_station(stations, number)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    assert ingest(stations, settings, schema=BEFORE).renamed == ()
    return stations


@pytest.fixture
def corpus(tmp_path: Path, ingested: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "stations")


@pytest.fixture
def opened(corpus: Path, settings: Settings, worker: QueryPool) -> Corpus:
    return Corpus(corpus, worker, settings.home)


def test_a_column_of_another_name_is_told_and_answers_to_both(
    corpus: Path, settings: Settings, opened: Corpus
) -> None:
    report = ingest(corpus, settings, schema=COLUMN)

    assert report.renamed == (COLUMN_SAID,)
    assert f"{COLUMN_SAID}{STAYS}" in report.lines()
    both = opened.select("SELECT sum(elevation), sum(height) FROM stations WHERE height > 10")
    assert both.rows == ((140, 140),)
    page = schema_page(opened, 10_000)
    assert [line.split()[0] for line in page.columns] == ["document_id", "town", "elevation"]
    assert f"{COLUMN_SAID}{STAYS}" in page.notes
    assert [item.column for item in opened.statistics()] == ["town", "elevation"]


def test_a_table_of_another_name_stays_as_a_view_that_is_not_listed(
    corpus: Path, settings: Settings, opened: Corpus
) -> None:
    report = ingest(corpus, settings, schema=named("masts", town=TOWN, elevation=HEIGHT))

    assert report.renamed == (
        "table stations is now masts",
        "column stations.height is now masts.elevation",
    )
    assert opened.select("FROM stations ORDER BY height DESC", limit=1).rows == (
        ("station-005.txt", "Town 5", 50),
    )
    joined = "SELECT count(*) FROM stations JOIN masts USING (town) WHERE height = elevation"
    assert opened.select(joined).rows == ((5,),)
    assert opened.tables()["stations"] == ["document_id", "town", "height"]
    page = schema_page(opened, 10_000)
    assert page.table == "masts"
    assert [line.partition("(")[0] for line in page.other_tables] == [
        "documents",
        "cells",
        "passages",
    ]
    with pytest.raises(UnknownNameError):
        opened.select("SELECT height FROM masts")


def test_old_names_stay_for_one_version_only(
    corpus: Path, settings: Settings, opened: Corpus, write_station: WriteStation
) -> None:
    ingest(corpus, settings, schema=named("masts", town=TOWN, elevation=HEIGHT))
    unchanged = ingest(corpus, settings)
    assert (unchanged.published, unchanged.renamed) == (False, ())
    assert opened.select("SELECT count(height) FROM stations").rows == ((5,),)

    write_station(corpus, 6)
    assert ingest(corpus, settings).renamed == ()

    assert list(opened.tables()) == ["masts", "documents", "cells", "passages"]
    with pytest.raises(UnknownNameError):
        opened.select("SELECT count(height) FROM stations")


@pytest.mark.parametrize("entity", ["stations", "masts"])
def test_a_number_by_an_old_name_is_said_with_nothing_that_was_not_counted(
    corpus: Path, settings: Settings, opened: Corpus, entity: str
) -> None:
    (corpus / "silent.txt").write_text("Station report 9\n\nTown: Nowhere\n", encoding="utf-8")
    ingest(corpus, settings, schema=named(entity, town=TOWN, elevation=HEIGHT))

    said = result_table(opened, "SELECT avg(height) FROM stations", 100, 0, 10_000)

    assert (said.rows, said.coverage) == ([[30.0]], [])
    counted = "over how many documents this is could not be counted"
    assert f"{entity}.elevation: by the old name, {counted}" in said.notes[-1]


@pytest.mark.parametrize(
    "after",
    [
        named("stations", town=TOWN, place=TOWN),
        named("stations", town=TOWN, elevation=HEIGHT, altitude=HEIGHT),
        COLUMN.model_copy(
            update={
                "attributes": (
                    COLUMN.attributes[0],
                    COLUMN.attributes[1].model_copy(update={"absent_means": "zero"}),
                )
            }
        ),
    ],
    ids=["other values", "two that could be it", "another meaning of silence"],
)
def test_another_column_is_no_renaming(
    corpus: Path, settings: Settings, opened: Corpus, after: Schema
) -> None:
    assert ingest(corpus, settings, schema=after).renamed == ()
    with pytest.raises(UnknownNameError):
        opened.select("SELECT height FROM stations")


def test_a_header_of_a_table_file_that_is_changed_is_told(
    tmp_path: Path, settings: Settings, ask: Ask
) -> None:
    folder = tmp_path / "hotels"
    folder.mkdir()
    rows = "\n".join(f"Hotel {n},{n * 10}" for n in range(1, 8))
    (folder / "all.csv").write_text(f"Name,Price\n{rows}\n", encoding="utf-8")
    ingest(folder, settings)
    (folder / "all.csv").write_text(f"Name,Nightly rate\n{rows}\n", encoding="utf-8")

    report = ingest(folder, settings, fresh=True)

    assert report.renamed == ("column hotels.price is now hotels.nightly_rate",)
    assert ask(folder, "SELECT sum(price), sum(nightly_rate) FROM hotels") == [(280, 280)]


def test_a_build_that_cannot_be_read_any_more_keeps_nothing_back(
    corpus: Path, settings: Settings, opened: Corpus
) -> None:
    opened.build_path().write_bytes(b"torn")

    report = ingest(corpus, settings, schema=COLUMN)

    assert (report.published, report.renamed) == (True, ())
    assert opened.select("SELECT sum(elevation) FROM stations").rows == ((150,),)
