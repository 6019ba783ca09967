"""Numbers as people see them."""

import pytest

from srag_mcp.values.numerals import digit_grouping


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1956, "1956"), (-9999, "-9999"), (12_500, "12,500"), (-1e6, "-1,000,000.0"), (0.5, "0.5")],
)
def test_thousands_are_set_off_where_the_number_is_no_year(value: float, shown: str) -> None:
    assert f"{value:{digit_grouping(value)}}" == shown
