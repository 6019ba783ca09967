"""Rows of the page: filtered, searched, sorted; how numbers are spread."""

import json

import pytest

from srag_mcp.errors import CorpusError
from srag_mcp.page.shown_facts import (
    RowsWanted,
    TableWanted,
    count_spreads,
    find_rows,
)
from tests.page.conftest import SCRIPT, Page


def names(page: Page, *filters: tuple[str, str, str], **wanted: object) -> list[str]:
    listed = [dict(zip(("column", "must", "value"), item, strict=True)) for item in filters]
    found = find_rows(page.corpus, RowsWanted(filters=json.dumps(listed), **wanted))
    return [str(row[1]).split()[0] for row in found["rows"]]


def test_rows_come_in_pages(page: Page) -> None:
    found = find_rows(page.corpus, RowsWanted(offset=5, limit=5))
    assert (found["total"], found["offset"], len(found["rows"])) == (7, 5, 2)
    assert found["columns"] == ["document_id", "name", "harbour", "length", "built", "crew"]


def test_rows_are_sorted_and_those_without_a_value_come_last(page: Page) -> None:
    up = ["Moth", "Tern", "Sea", "Übermut", "Juno", "Gale", "Petrel"]
    assert names(page, sort="crew")[-1] == "Petrel"
    assert names(page, sort="crew")[:1] == up[:1]
    assert names(page, sort="-crew") == ["Gale", "Juno", "Übermut", "Sea", "Tern", "Moth", "Petrel"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (("harbour", "is", "kiel"), {"Übermut", "Juno"}),
        (("harbour", "has", "R"), {"Sea", "Tern", "Petrel", "Gale", "Moth"}),
        (("harbour", "is", SCRIPT), {"Sea"}),
        (("length", "from", "15"), {"Übermut", "Juno", "Gale"}),
        (("length", "to", "6.50"), {"Moth"}),
        (("built", "is", "1999"), {"Tern"}),
        (("built", "is", "old"), set()),
        (("built", "empty", ""), {"Gale"}),
        (("document_id", "has", "a b/"), {"Übermut", "Juno"}),
        (("harbour", "is", "' OR 1=1 --"), set()),
    ],
)
def test_rows_are_filtered(page: Page, condition: tuple[str, str, str], found: set[str]) -> None:
    assert set(names(page, condition)) == found


def test_every_word_of_a_search_is_in_the_row(page: Page) -> None:
    assert set(names(page, search="KIEL 2004")) == {"Übermut"}
    assert names(page, ("built", "filled", ""), search="brest") == ["Petrel"]
    assert names(page, search="100%") == []


def test_names_that_the_build_does_not_have_are_refused(page: Page) -> None:
    for wrong in ({"table": "documents"}, {"table": "srag_texts"}, {"sort": 'crew" --'}):
        with pytest.raises(CorpusError, match="there is no"):
            find_rows(page.corpus, RowsWanted(**wrong))


def test_numbers_are_spread_over_round_bins(page: Page) -> None:
    spreads = count_spreads(page.corpus, TableWanted())
    assert set(spreads) == {"length", "built", "crew"}
    assert sum(n for _, _, n in spreads["length"]) == 7
    assert spreads["length"][:3] == [(6.5, 7.0, 1), (7.0, 8.0, 0), (8.0, 9.0, 2)]
    assert spreads["crew"][:2] == [(1, 1, 1), (1, 2, 1)]
    assert spreads["built"][:2] == [(1975, 1976, 1), (1976, 1978, 0)]
