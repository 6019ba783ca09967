"""Bounds and the closed world, on five towers of which two have no height."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from srag_mcp.answer.answer import Bounds
from srag_mcp.answer.bounds import find_bounds
from srag_mcp.answer.closed_world import state_closed_world
from srag_mcp.answer.wording import render_bounds
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryWorker
from srag_mcp.store.selection import read_selection

TOWERS: list[dict[str, object]] = [
    {"town": "Olm", "height": 10, "lift": True},
    {"town": "Olm", "height": 30},
    {"town": "Rann"},
    {"town": "Rann", "height": 50, "lift": False},
    {"height": 20},
]
SCHEMA = Schema(
    title="Tower",
    entity="towers",
    attributes=(
        Attribute(name="town", type="string"),
        Attribute(name="height", type="integer", unit="m"),
        Attribute(name="lift", type="boolean", absent_means="false"),
    ),
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("towers"))
    lines = "".join(f"{json.dumps(tower)}\n" for tower in TOWERS)
    (folder / "towers.jsonl").write_text(lines)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=SCHEMA)
    with QueryWorker() as worker:
        yield Corpus(folder, worker, settings.home)


def bounds(corpus: Corpus, sql: str) -> Bounds | None:
    return find_bounds(corpus, read_selection(sql, "towers"))


def test_a_count_is_bounded_by_what_is_not_known(corpus: Corpus) -> None:
    assert bounds(corpus, "SELECT count(*) FROM towers WHERE height > 20") == Bounds(2, 3)
    assert bounds(corpus, "SELECT count(*) FROM towers WHERE lift") is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(1) FROM towers WHERE height > 20",
        "SELECT count(document_id) FROM towers WHERE height > 20",
        "SELECT count(*) FILTER (WHERE t.height > 20) FROM towers AS t",
        "SELECT count(*) FILTER (WHERE height > 20)::INTEGER FROM towers WHERE NOT lift OR lift",
    ],
)
def test_records_are_counted_in_many_ways(corpus: Corpus, sql: str) -> None:
    assert bounds(corpus, sql) == Bounds(2, 3)


def test_a_rounded_result_has_the_bounds_of_the_exact_one(corpus: Corpus) -> None:
    exact = bounds(corpus, "SELECT avg(height) FROM towers WHERE town = 'Olm'")
    assert exact is not None
    assert bounds(corpus, "SELECT round(avg(height), 1) FROM towers WHERE town = 'Olm'") == exact
    kept = "SELECT CAST(avg(height) FILTER (WHERE town = 'Olm') AS INTEGER) FROM towers"
    assert bounds(corpus, kept) == exact
    other = "SELECT avg(height) FILTER (WHERE town IN (SELECT town FROM towers)) FROM towers"
    assert bounds(corpus, other) is None


@pytest.mark.parametrize("function", ["sum", "avg"])
@pytest.mark.parametrize("condition", ["", " WHERE town = 'Rann'", " WHERE town <> 'Rann'"])
def test_a_sum_and_an_average_hold_whatever_the_unknown_values_are(
    corpus: Corpus, function: str, condition: str
) -> None:
    found = bounds(corpus, f"SELECT {function}(height) FROM towers{condition}")
    assert found is not None
    assert found.within == (10, 50)
    wanted = "Olm" if "<>" in condition else "Rann"
    for height, town in product((10, 24, 50), ("Olm", "Rann")):
        filled = [{"town": town, "height": height} | tower for tower in TOWERS]
        chosen = [t for t in filled if not condition or t["town"] == wanted]
        heights = [int(str(t["height"])) for t in chosen]
        value = sum(heights) / (len(heights) if function == "avg" else 1)
        assert found.lower - 1e-9 <= value <= found.upper + 1e-9


def test_the_ends_of_an_average_are_reached(corpus: Corpus) -> None:
    assert bounds(corpus, "SELECT avg(height) FROM towers") == Bounds(24, 32, (10, 50))
    assert bounds(corpus, "SELECT sum(height) FROM towers") == Bounds(120, 160, (10, 50))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT max(height) FROM towers",
        "SELECT town, avg(height) FROM towers GROUP BY town",
        "SELECT avg(height) / 2 FROM towers",
        "SELECT avg(height) FROM towers WHERE height > 20 AND town = 'Olm' AND lift IS NULL",
    ],
)
def test_other_results_have_none(corpus: Corpus, sql: str) -> None:
    assert bounds(corpus, sql) is None


def test_bounds_are_said_with_their_condition() -> None:
    assert render_bounds(Bounds(2, 4)) == "Whatever they would say: 2 to 4."
    assert render_bounds(Bounds(24, 32.5, (10, 50))) == (
        "If those that do not say lie between 10 and 50, as the others do: 24 to 32.5."
    )


def test_what_not_mentioning_counts_as_is_said(corpus: Corpus) -> None:
    said = ("lift: not mentioned counts as no (3 of 5 documents)",)
    assert state_closed_world(corpus, "SELECT count(*) FROM towers WHERE NOT lift") == said
    assert state_closed_world(corpus, "SELECT avg(height) FROM towers") == ()
