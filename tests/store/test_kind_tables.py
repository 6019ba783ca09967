"""The tables of all kinds of a folder, as one query sees them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.errors import NotIngestedError, UnknownNameError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.kind_tables import KindTables, open_kinds
from srag_mcp.store.layout import CorpusFolder
from tests.shop import CONDITION, write_shop

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("home"), workers=1)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Path:
    folder = write_shop(tmp_path_factory.mktemp("kinds") / "shop")
    ingest(folder, settings)
    return folder


@pytest.fixture
def kinds(shop: Path, settings: Settings, worker: QueryPool) -> KindTables:
    return open_kinds("shop", CorpusFolder(shop, settings.home).kinds(), worker, settings.home)


def test_one_query_reads_the_tables_of_both_kinds(kinds: KindTables) -> None:
    sql = f"SELECT count(*), sum(parcels) FROM orders JOIN deliveries ON {CONDITION}"
    assert kinds.select(sql).rows == ((7, 28),)
    assert kinds.select("SELECT count(*) FROM documents").rows == ((16,),)
    by_table = "SELECT table_name, count(DISTINCT document_id) FROM cells GROUP BY 1 ORDER BY 1"
    assert kinds.select(by_table).rows == (("deliveries", 8), ("orders", 8))


def test_columns_whose_values_match_are_keys_with_the_share_of_each_side(
    kinds: KindTables,
) -> None:
    [key] = kinds.shared_keys()
    assert key.condition() == CONDITION
    assert (key.n_common, key.n_values) == (6, (7, 8))
    assert str(key).endswith(
        "6 of the 7 values of deliveries and 6 of the 8 values of orders match"
    )
    with_gaps = replace(key, n_silent=(0, 3))
    assert str(with_gaps) == f"{key}; 3 of the rows of orders have no value"


def test_what_is_not_exposed_of_a_build_is_not_exposed_of_several(kinds: KindTables) -> None:
    for name in (
        "srag_texts",
        "build_0.main.srag_texts",
        "build_0.main.cells",
        "memory.main.cells",
    ):
        with pytest.raises(UnknownNameError):
            kinds.select(f"SELECT count(*) FROM {name}")


def write_kinds(folder: Path, settings: Settings, *columns: tuple[str, list[str], str]) -> Path:
    """Write a corpus for each (column, values, type), all of whose tables are called `papers`."""
    for number, (name, values, kind) in enumerate(columns):
        own = folder / f"kind{number}"
        own.mkdir(parents=True)
        for n, value in enumerate(values):
            (own / f"{n}.txt").write_text(f"{name}: {value}\nLine {n}\n")
        rules = (KeyRule(keys=(name,)),)
        attribute = Attribute.model_validate({"name": name, "type": kind, "extractors": rules})
        schema = Schema(title="Paper", entity="papers", attributes=(attribute,))
        ingest(own, settings, schema=schema)
    return folder


def open_written(folder: Path, settings: Settings, worker: QueryPool) -> KindTables:
    places = {path.name: path for path in sorted(folder.iterdir())}
    return open_kinds("two", places, worker, settings.home)


def test_tables_of_one_name_are_told_apart_by_their_kind(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    columns = (("code", ["A-1", "A-2", "A-3"], "string"), ("of", ["A-3", "A-2", "A-1"], "string"))
    kinds = open_written(write_kinds(tmp_path / "two", settings, *columns), settings, worker)
    assert list(kinds.tables()) == ["kind0_papers", "kind1_papers", "documents", "passages"]
    sql = "SELECT count(*) FROM kind0_papers a JOIN kind1_papers b ON a.code = b.of"
    assert kinds.select(sql).rows == ((3,),)
    assert [key.n_common for key in kinds.shared_keys()] == [3]


@pytest.mark.parametrize(
    ("one", "other", "called", "n_keys"),
    [
        pytest.param(range(1, 13), range(1, 11), "ref", 0, id="both count from 1"),
        pytest.param(
            range(41003, 49000, 511), range(41003, 49000, 1022), "ref", 1, id="numbers of orders"
        ),
        pytest.param([2019, 2020, 2021, 2022], [2020, 2021, 2022, 2023], "ref", 0, id="years"),
        pytest.param(range(1001, 1013), range(1003, 1011), "paper", 1, id="called after it"),
        pytest.param(range(1001, 1013), range(1003, 1011), "ref", 0, id="called otherwise"),
    ],
)
def test_numbers_that_may_be_equal_by_chance_are_no_key(
    one: range,
    other: range,
    called: str,
    n_keys: int,
    tmp_path: Path,
    settings: Settings,
    worker: QueryPool,
) -> None:
    columns = (("number", [*map(str, one)], "integer"), (called, [*map(str, other)], "integer"))
    kinds = open_written(write_kinds(tmp_path / "two", settings, *columns), settings, worker)
    assert len(kinds.shared_keys()) == n_keys


def test_words_that_describe_are_no_key(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    said = ["Open", "Closed", "Paid", "Late"] * 3
    columns = (("state", said, "string"), ("status", said, "string"))
    kinds = open_written(write_kinds(tmp_path / "two", settings, *columns), settings, worker)
    assert kinds.shared_keys() == ()


def test_a_kind_that_is_not_ingested_is_named(
    shop: Path, settings: Settings, worker: QueryPool, tmp_path: Path
) -> None:
    places = {**CorpusFolder(shop, settings.home).kinds(), "letters": tmp_path}
    assert open_kinds("shop", places, worker, settings.home).missing == ("shop/letters",)
    with pytest.raises(NotIngestedError, match="ingest each by its name: shop/letters"):
        open_kinds("shop", {"letters": tmp_path}, worker, settings.home)
