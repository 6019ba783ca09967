"""Numbers in text: what a figure means, and what is no figure."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import Quantity, find_quantities
from srag_mcp.values.units import currency_at, unit_of


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("€1.2bn revenue", 1_200_000_000, "EUR"),
        ("$3.2M", 3_200_000, "USD"),
        ("300K users", 300_000, None),
        ("USD 1,234 (in thousands)", 1_234_000, "USD"),
        ("(1,234)", -1234, None),
        ("1.234,5 kg", 1234.5, "kg"),
        ("1,2 Mio. EUR", 1_200_000, "EUR"),
        ("6.72/10 (917 reviews)", 6.72, None),
    ],
)
def test_what_general_libraries_misread_silently_is_read(
    text: str, value: float, unit: str | None
) -> None:
    quantity = read_number(text)
    assert quantity is not None
    assert (quantity.value, quantity.unit) == (value, unit)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,234,567.8", 1_234_567.8, None),
        ("1.234.567", 1_234_567, None),
        ("1 234 567,8 €", 1_234_567.8, "EUR"),
        ("1'234.50 CHF", 1234.5, "CHF"),
        ("Rs. 1,23,456", 123_456, "INR"),
        ("₹3 crore", 30_000_000, "INR"),
        ("2.5 lakh", 250_000, None),
        ("RM9.00", 9.0, "MYR"),
        ("US$ 12", 12, "USD"),
        ("−12.5 %", -12.5, "percent"),
        ("-$5", -5, "USD"),
        ("$(3,000)", -3000, "USD"),
        ("12,345-", -12_345, None),
        ("minus 4 °C", -4, "°C"),
        ("1½ h", 1.5, "h"),
        ("½", 0.5, None),
        (".5 l", 0.5, "l"),
        ("3.2×10⁶", 3_200_000, None),
        ("1.5e3", 1500, None),
        ("4,670²", 4670, None),
        ("12[3]", 12, None),
        ("twelve", 12, None),
        ("twenty-five", 25, None),
        ("two hundred and five", 205, None),
        ("a dozen", 12, None),
        ("drei", 3, None),
        ("about 600 metres from the centre", 600, "m"),
        ("45 sq km", 45, "km²"),
        ("80 km per hour", 80, "km/h"),
        ("242 nautical miles", 242, "nmi"),
        ("45 per cent", 45, "percent"),
        ("1 h 30 min", 1.5, "h"),
        ("6 ft 6 in", 6.5, "ft"),
        ("$5m", 5_000_000, "USD"),
        ("5 m", 5, "m"),
        ("3.5 Mrd. €", 3_500_000_000, "EUR"),
        ("★★★★☆", 4, None),
        ("١٢", 12, None),
        ("8 out of 10", 8, None),
        ("7 1/2 inches", 7.5, "inch"),
        ("10,000円", 10_000, "JPY"),
        ("12人", 12, None),
        ("3.5万", 35_000, None),
    ],
)
def test_one_number_of_a_text(text: str, value: float | None, unit: str | None) -> None:
    quantity = read_number(text)
    read = None if quantity is None else (quantity.value, quantity.unit)
    assert read == (None if value is None else (value, unit))


@pytest.mark.parametrize(
    "text",
    ["", "none of them", "10–12", "5-7 km", "1.2.3", "1,2,3", "ISO-9001", "TD01167104", "18:24",
     "27/10/2020", "12 March 2020", "789417-W", "4 rooms and 5 baths", "9" * 400],
)  # fmt: skip
def test_what_is_not_one_number_is_not_read(text: str) -> None:
    assert read_number(text) is None


def test_the_words_around_give_a_scale_that_the_number_lacks() -> None:
    assert read_number("1,234", "Revenue (in millions)") == Quantity(
        1_234_000_000, None, ambiguous=True
    )
    assert read_number("3 billion", "Revenue (in millions)") == Quantity(3_000_000_000)
    assert read_number("12 %", "(in thousands)") == Quantity(12, "percent")
    assert read_number("12", "Price (USD)") == Quantity(12, "USD")
    assert read_number("12", "Umsatz in Mio. EUR") == Quantity(12_000_000, "EUR")


@pytest.mark.parametrize(
    "context",
    ["Bedroom(s)", "Deaths in Germany", "Price (at least one day)", "Visits, 2020", "in total"],
)
def test_other_words_around_change_nothing(context: str) -> None:
    assert read_number("12", context) == Quantity(12)


def test_prose_gives_spans_of_whole_figures() -> None:
    text = "Of 687,299 cases, 12.5 % cost $5 to $10 million; ISO-9001 took two weeks."
    found = [(span.of(text), quantity) for span, quantity in find_quantities(text)]
    assert found == [
        ("687,299", Quantity(687_299, None, ambiguous=True)),
        ("12.5 %", Quantity(12.5, "percent")),
        ("$5 to $10 million", Quantity(5_000_000, "USD", 10_000_000)),
        ("two", Quantity(2, "week")),
    ]


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_every_grouped_integer_reads_back(number: int) -> None:
    for text in (f"{number}", f"{number:,}", f"{number:,}".replace(",", "\u202f")):
        quantity = read_number(text)
        assert quantity is not None
        assert quantity.value == number


@given(
    st.decimals(min_value=0, max_value=10**9, places=2),
    st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", ".")]),
)
def test_every_amount_reads_back_in_every_notation(amount: object, marks: tuple[str, str]) -> None:
    text = f"{amount:,.2f}".translate(str.maketrans(",.", "".join(marks)))
    quantity = read_number(text)
    assert quantity is not None
    assert quantity.value == float(str(amount))


@given(st.text(max_size=60))
def test_any_text_is_scanned_without_an_error_and_spans_lie_inside(text: str) -> None:
    for span, _ in find_quantities(text):
        assert 0 <= span.start < span.end <= len(text)
    read_number(text, text)


_AMOUNTS = st.integers(1, 10**6)


@given(
    _AMOUNTS,
    st.sampled_from(["$", "€", "£", "RM", "CHF ", "US$", "₹"]),
    st.sampled_from([("", 1), (" million", 10**6), ("bn", 10**9), ("k", 1000), (" Mio.", 10**6)]),
)
def test_every_sum_of_money_reads_back_with_its_scale(
    amount: int, sign: str, scale: tuple[str, int]
) -> None:
    text = f"It cost {sign}{amount}{scale[0]} in Rome"
    [(span, quantity)] = find_quantities(text)
    assert (quantity.value, quantity.unit) == (amount * scale[1], unit_of(sign.strip()))
    assert span.of(text) == f"{sign}{amount}{scale[0]}".rstrip(".")


@given(_AMOUNTS, _AMOUNTS, st.sampled_from(["–", "-", " - ", " to "]))
def test_a_range_is_one_quantity_with_two_ends(low: int, high: int, link: str) -> None:
    [(_, quantity)] = find_quantities(f"costs ${low}{link}${high} a night")
    assert (quantity.value, quantity.upper, quantity.unit) == (low, high, "USD")
    assert read_number(f"${low}{link}${high}") is None


@given(
    st.lists(st.tuples(_AMOUNTS, st.sampled_from(["km", "rooms", "kg", "%"])), max_size=5),
    st.sampled_from(["; ", " and then ", ", with "]),
)
def test_the_numbers_of_a_text_are_found_in_order_and_in_their_places(
    items: list[tuple[int, str]], between: str
) -> None:
    text = between.join(f"{number} {word}" for number, word in items)
    found = find_quantities(text)
    assert [quantity.value for _, quantity in found] == [number for number, _ in items]
    for (span, quantity), (number, word) in zip(found, items, strict=True):
        assert span.of(text).startswith(str(number))
        assert quantity.unit == unit_of(word)


@given(
    st.from_regex(
        re.compile(r"[A-Z]{2}\d{3,6}|\d{3}[A-Z]{2}\d|\d{1,2}:\d{2}|[a-z]{3}\d@\d", re.ASCII),
        fullmatch=True,
    )
)
@example("XQ0042")
def test_codes_and_times_hold_no_number(code: str) -> None:
    digits = "0123456789"
    word, letters = code.lstrip(digits), code.strip(digits)  # `RM000` is money, `000MI2` an area
    assume(unit_of(word) is None and unit_of(letters) is None and not currency_at(letters, 0))
    assert find_quantities(f"see {code} below") == []


@given(_AMOUNTS, st.sampled_from(["-", "−", "minus ", "negative "]))
def test_a_sign_before_a_number_makes_it_negative(number: int, sign: str) -> None:
    [(_, quantity)] = find_quantities(f"it was {sign}{number} today")
    assert quantity.value == -number


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Opened 2026\n- 106 euros a night", [(2026, None, None), (106, "EUR", None)]),
        ("- 12\n- 15\n- 17", [(12, None, None), (15, None, None), (17, None, None)]),
        ("€ 212\nB 106 euros", [(212, "EUR", None), (106, "EUR", None)]),
        ("7\n€ 20", [(7, None, None), (20, "EUR", None)]),
        ("some 1.5\nmillion, 12\nkm", [(1_500_000, None, None), (12, "km", None)]),
        ("10 –\n20 km", [(10, "km", 20)]),
    ],
)  # fmt: skip
def test_a_line_that_begins_anew_is_no_part_of_the_number_before(
    text: str, found: list[tuple[float, str | None, float | None]]
) -> None:
    read = [(item.value, item.unit, item.upper) for _, item in find_quantities(text)]
    assert read == found


@pytest.mark.parametrize("after", ["", ".", ", which is good", "; then"])
def test_what_a_number_is_out_of_may_end_a_sentence(after: str) -> None:
    [(span, found)] = find_quantities(f"The score is 9.17/10{after}")
    assert (found.value, span.end) == (9.17, 20)
