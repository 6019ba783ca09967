"""Where a number that has no quote may stand, and what its document says of its marks."""

import pytest

from srag_mcp.claims.figures import find_marks, read_figures
from srag_mcp.claims.quotes import find_number
from srag_mcp.records.judging import Made, compute
from srag_mcp.schema.attribute import Attribute

LOG = (
    "Log of 7 March 1926. From Hull with 120 tonnes of coal and 9 men; the ship is 48 m long.\n"
    "The 7-day mean of the wind was 4.5 knots.\n"
    "Price | Weight | Boxes\n"
    "12.50 | 340 | 6\n"
    "Passengers\n"
    "31\n"
    "Depth (of the hold,\n"
    "amidships): 5280 ft"
)


def places(value: float, **attribute: str) -> list[str]:
    found = find_number(Attribute.model_validate({"type": "number"} | attribute), value, LOG)
    return [item.span.of(LOG) for item in found]


@pytest.mark.parametrize(
    ("value", "attribute", "found"),
    [
        (7, {"name": "men", "type": "integer"}, []),  # of a date, or of a name
        (9, {"name": "men", "type": "integer"}, ["9"]),
        (9, {"name": "crew", "description": "Men aboard."}, ["9"]),
        (9, {"name": "officers", "type": "integer"}, []),  # a digit may be anything
        (120, {"name": "length", "unit": "m"}, []),
        (120, {"name": "cargo", "unit": "t"}, ["120 tonnes"]),
        (120, {"name": "passenger_count", "type": "integer"}, []),  # nobody is counted in tonnes
        (48, {"name": "size", "unit": "m"}, ["48 m"]),
        (4.5, {"name": "mean_7_day_wind"}, ["4.5 knots"]),
        (340, {"name": "weight"}, ["340"]),  # by the head of its column
        (6, {"name": "box_count", "type": "integer"}, ["6"]),
        (31, {"name": "passengers", "type": "integer"}, ["31"]),  # by the line above
        (5280, {"name": "hold_depth", "unit": "ft"}, ["5280 ft"]),
        (5280, {"name": "anything"}, ["5280 ft"]),
        (1926, {"name": "year", "type": "integer"}, ["1926"]),
        (1926, {"name": "cargo", "unit": "t"}, []),
    ],
)
def test_a_place_may_be_of_the_column(
    value: float, attribute: dict[str, str], found: list[str]
) -> None:
    assert places(value, **attribute) == found


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("EUR 1,200 and 95.50", "decimal point"),
        ("1.640 m, 38,5 km", "decimal comma"),
        ("1,200", ""),
        ("71.400 Euro, um 4.30 Uhr", ""),  # an hour of the day has no decimals
        ("of 1.5 and 2,5", ""),
        ("2.1 Scope\n1.640 m", ""),
        ("16,5002 and 3", ""),
    ],
)
def test_other_numerals_of_a_document_settle_its_marks(text: str, style: str) -> None:
    assert find_marks(text) == style
    one, grouped = (1.2, 1200.0) if style != "decimal comma" else (1200.0, 1.2)
    read = read_figures("1,200").plain_in(style)
    assert read == ({one, grouped} if not style else {grouped})


@pytest.mark.parametrize(
    ("remark", "made"),
    [
        ("12.37-0.02", Made(12.37 - 0.02, (12.37, 0.02))),
        ("2 x 14.90 - 0.02", Made(2 * 14.90 - 0.02, (2.0, 14.9, 0.02))),
        ("the 1,200 + 34.5 of both", Made(1234.5, (1200.0, 34.5))),
        ("10/4", Made(2.5, (10.0, 4.0))),
        ("1/0", None),
        ("1 item line", None),
        ("as it says", None),
    ],
)
def test_the_formula_of_a_remark_is_computed(remark: str, made: Made | None) -> None:
    assert compute(remark) == made


def test_a_number_with_a_unit_is_no_year() -> None:
    text = "The station stands 1600 metres high. It has measured since 1956."
    height = Attribute(name="height_m", type="integer", unit="m")
    assert [found.span.of(text) for found in find_number(height, 1600, text)] == ["1600 metres"]
    assert find_number(height, 1956, text) == []
