"""The only row of a list, and what stands below a rare heading, are no fact of the document."""

import json
from collections.abc import Callable

import pytest

from srag_mcp.rules.induction import induce_schema
from srag_mcp.rules.row_sources import read_by_sources
from srag_mcp.rules.sightings import Sightings
from tests.rules.folder import read, tabulate

_NUMBERS = range(24)
_ONE_PART = (3, 4, 8, 12)
_MAKERS = ("Webb", "Lind", "Osei")
_OWN = [None if n % 4 == 0 else 80 + n for n in _NUMBERS]


def _parts(n: int) -> list[tuple[str, int]]:
    """Some looms list one part, the others two."""
    return [("belt", n % 5 + 2), ("reed", 9)][: 1 + (n not in _ONE_PART)]


def _sheet(n: int) -> str:
    own = f"- Weight: {_OWN[n]} kg\n" if _OWN[n] else ""
    parts = [f"| {part} | {weight} kg | oak |\n" for part, weight in _parts(n)]
    table = "| Part | Weight | Of |\n|---|---|---|\n" + "".join(parts)
    return f"# Loom {n}\n\n- Maker: {_MAKERS[n % 3]}\n{own}\n## Spare parts\n\n{table}"


def _object(n: int) -> str:
    parts = [{"part": part, "weight": weight, "of": "oak"} for part, weight in _parts(n)]
    own = {"name": f"Loom {n}", "maker": _MAKERS[n % 3], "weight": _OWN[n]}
    return json.dumps({**own, "spare parts": parts})


def _page(n: int) -> str:
    """Every seventh violin tells how it was sold before."""
    own = f"Year: {1700 + n}\n" if _OWN[n] else ""
    sale = f"\n\nPREVIOUS SALE\n\nYear: {1960 + n}\nPlace: Lyon\n" if n % 7 == 0 or n == 2 else ""
    return f"Violin {n}\n\nMaker: {_MAKERS[n % 3]}\n{own}Body: {350 + n} mm{sale}"


@pytest.mark.parametrize(("write", "ending"), [(_sheet, "md"), (_object, "json")])
def test_the_only_row_of_a_list_says_nothing_of_its_document(
    write: Callable[[int], str], ending: str
) -> None:
    table = tabulate([*map(write, _NUMBERS)], ending=ending)
    assert (table.values("weight"), table.contradicted("weight")) == (_OWN, [])


def test_a_label_below_a_rare_heading_does_not_stand_in_for_the_missing_one() -> None:
    table = tabulate([*map(_page, _NUMBERS)])
    years = [None if own is None else 1620 + own for own in _OWN]
    assert (table.values("year"), table.contradicted("year")) == (years, [])


def test_a_sentence_about_something_else_does_not_stand_in_for_the_missing_one() -> None:
    def tell(n: int) -> str:
        own = f"It was built in {1500 + 7 * n}. " if _OWN[n] else ""
        other = "The church beside it was built in 1901." if n in _ONE_PART else ""
        return f"Tower {n} is looked after by {_MAKERS[n % 3]}. {own}It is open to all. {other}"

    table = tabulate([*map(tell, _NUMBERS)])
    years = [None if own is None else 1500 + 7 * n for n, own in enumerate(_OWN)]
    assert (table.values("built"), table.contradicted("built")) == (years, [])


def test_a_list_of_a_file_has_all_that_its_items_state_and_is_called_as_there() -> None:
    def write(n: int) -> str:
        events = [
            {"day": f"{2000 + n}-05-0{d + 1}", "sort": _MAKERS[d], "hours": d or None}
            for d in range(1 + n % 3)
        ]
        return json.dumps({"name": f"Juna {n}", "maker": _MAKERS[n % 3], "events": events})

    documents = read([*map(write, _NUMBERS)], "json")
    schema = induce_schema(documents, title="Satellite", entity="satellites")
    [events] = schema.children
    read_lists = [read_by_sources(Sightings(document), events) for document in documents]
    assert events.list_name == "events"
    assert [found and len(found.rows) for found in read_lists] == [1 + n % 3 for n in _NUMBERS]
