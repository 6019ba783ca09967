"""Whether a sentence stands on its quotes, numbers, dates and names."""

from collections.abc import Mapping

import pytest

from srag_mcp.claims.sentences import Ground, Result, check_number, check_sentence
from srag_mcp.text.spans import Span

TEXT = """Hafenbericht der Olmer Fähren 2021 (Form 10-K, Note 5)

| in Tausend Euro | 2021 | 2020 |
| Erlöse | 11.588,5 | 10.073,0 |
| Anteil | 12,5 % | 11,0 % |
| Steuern | -7.603 | (88) |

Emissions were 88 tonnes of CO2e.
The Chief Executive Officer, Ann Lee-Marsh of Lisboa, left on 3 May 2021; two ferries, the Anna and
the Berta, were sold for $1.2 billion. Customers rose by 45 basis points.
Keine Fähre wurde verkauft.
"""


def ground(quote: str, value: float | None = None, unit: str | None = None) -> Ground:
    start = TEXT.index(quote)
    return Ground(TEXT, Span(start, start + len(quote)), 0, f"olm_2021.md\n{TEXT}", value, unit)


@pytest.mark.parametrize(
    ("name", "quote", "value", "unit"),
    [
        ("sales_2021", "Erlöse | 11.588,5", 11_588_500, "EUR"),
        ("sales_2020", "Erlöse | 11.588,5 | 10.073,0", 10_073_000, "EUR"),
        ("sales_2021", "Erlöse | 11.588,5", 11_588.5, "thousand EUR"),
        ("share", "Anteil | 12,5 %", 12.5, "percent"),
        ("price", "sold for $1.2 billion", 1_200_000_000, "USD"),
        ("n_sold", "two ferries", 2, "ferries"),
        ("tax_2021", "Steuern | -7.603", -7_603_000, "EUR"),
        ("tax_2020", "Steuern | -7.603 | (88)", 88_000, "EUR"),
        ("tax_2020", "Steuern | -7.603 | (88)", -88_000, "EUR"),
    ],
)
def test_a_value_follows_from_its_quote(name: str, quote: str, value: float, unit: str) -> None:
    assert check_number(name, ground(quote, value, unit)) == ""


@pytest.mark.parametrize(
    ("name", "quote", "value", "unit", "said"),
    [
        ("sales_2021", "Erlöse | 11.588,5", 11_588.5, "EUR", "has, with the scale of its table"),
        ("sales_2020", "Erlöse | 11.588,5", 11_588_500, "EUR", "in the column of 2021"),
        ("share", "Anteil | 12,5 %", 0.125, "percent", "its quote has"),
        ("price", "sold for $1.2 billion", 1_200_000, "USD", "its quote has"),
        ("n_sold", "the Berta", 2, "ferries", "no number"),
        ("tax_2021", "Steuern | -7.603", 7_603_000, "EUR", "its number has a minus"),
    ],
)
def test_a_value_that_does_not_is_told(
    name: str, quote: str, value: float, unit: str, said: str
) -> None:
    assert said in check_number(name, ground(quote, value, unit))


SOLD = ground("two ferries, the Anna and\nthe Berta, were sold for $1.2 billion")
LEFT = ground("The Chief Executive Officer, Ann Lee-Marsh of Lisboa, left on 3 May 2021")
SALES = ground("Erlöse | 11.588,5", 11_588_500, "EUR")
POINTS = ground("Customers rose by 45 basis points")
KEINE = ground("Keine Fähre wurde verkauft")


@pytest.mark.parametrize(
    ("said", "base"),
    [
        ("Two ferries were sold for USD 1.2 billion.", SOLD),
        ("Sales were EUR 11.59 million.", SALES),
        ("The ferries Anna and Berta were sold for USD 1,200 million.", SOLD),
        ("The CEO left on May 3, 2021, as Form 10-K says (Note 5).", LEFT),
        ("Ann Lee-Marsh left in FY21.", LEFT),
        ("Die Erlöse der Fähren betrugen 2021 11,6 Millionen Euro.", SALES),
        ("It rose by 45 basis points.", POINTS),
        ("It was 88 tonnes of CO2e.", ground("Emissions were 88 tonnes of CO2e")),
        ("Keine Fähren wurden verkauft.", KEINE),
    ],
)
def test_what_stands_on_its_quotes_is_right(said: str, base: Ground) -> None:
    assert check_sentence(said, [base], {}, "Was geschah 2021?") == []


@pytest.mark.parametrize(
    ("said", "base", "told"),
    [
        ("Three ferries were sold.", SOLD, "the number 'Three'"),
        ("They were sold for USD 1.2 million.", SOLD, "the number 'USD 1.2 million'"),
        ("They were sold for 1.1 to 1.2 billion.", SOLD, "is in none of its quotes"),
        ("The ferry Clara was sold.", SOLD, "the name 'Clara'"),
        ("Ann Lee-Marsh left on 4 May 2021.", LEFT, "the date '4 May 2021'"),
        ("Ann Lee-Marsh left in Q1 2021.", LEFT, "the date 'Q1 2021'"),
        ("The CFO left.", LEFT, "the name 'CFO'"),
        ("The TFT left.", LEFT, "the name 'TFT'"),  # initials of "two ferries, the"
        ("Ann Lee-Marshall left.", LEFT, "the name 'Marshall'"),
        ("Sales were GBP 11.6 million in 2021.", SALES, "the number 'GBP 11.6 million'"),
        ("Sales were EUR 11,588,501.", SALES, "the number 'EUR 11,588,501'"),
        ("Sales were EUR 2021 million.", SALES, "the number 'EUR 2021 million'"),
        ("Sales were EUR 11.7 million in 2021.", SALES, "the number 'EUR 11.7 million'"),
        ("Sales were EUR 11.6 million in 2020.", SALES, "in the column of 2021"),
        ("Customers fell by 45 basis points.", POINTS, "the contrary of its quotes"),
        ("It rose by 45 %.", POINTS, "the number '45 %'"),
        ("Eine Fähre wurde verkauft.", KEINE, "denies"),
    ],
)
def test_what_does_not_is_told(said: str, base: Ground, told: str) -> None:
    problems = check_sentence(said, [base], {}, "Was geschah 2021?")
    assert told in " ".join(problems)


@pytest.mark.parametrize(
    ("said", "results", "is_right"),
    [
        ("The margin is 7.2 %.", {"margin": 0.0717}, True),
        ("The margin is 7.2 percentage points.", {"margin": 0.0717}, True),
        ("The margin is 717 basis points.", {"margin": 0.0717}, True),
        ("The ratio is 0.072.", {"margin": 0.0717}, True),
        ("The margin is 7.3 %.", {"margin": 0.0717}, False),
        ("The ratio is 7.2.", {"margin": 0.0717}, False),
        ("The margin is 12 %.", {"margin": 0.117}, True),
        ("The ratio is 2.", {"margin": 1.6}, False),  # too little is left of it
        ("The margin is 0.0717 %.", {"margin": 0.0717}, False),
        ("It grew by … .", {"change": -0.1}, False),
        ("It grew by … .", {"change": -0.1, "grew": False}, True),
        ("It fell by … .", {"change": 0.1}, True),
    ],
)
def test_a_result_may_be_written_as_a_share(
    said: str, results: Mapping[str, float | bool], is_right: bool
) -> None:
    computed = {name: Result(value) for name, value in results.items()}
    assert (check_sentence(said, [SALES], computed, "") == []) is is_right


def test_a_year_ends_no_range() -> None:
    results = {"before": Result(0.6), "after": Result(0.23)}
    dates = "in the years 2018 and 2019"
    said = "The share fell from 60 % in 2018 to 23 % in 2019."
    assert check_sentence(said, [SALES], results, dates) == []
    assert check_sentence("It was 55 to 60 %.", [SALES], results, dates) != []


@pytest.mark.parametrize(
    ("said", "is_right"),
    [("It grew by 7.2 %.", True), ("It grew by 720 %.", False), ("It grew by 7.2.", False)],
)
def test_a_result_in_percent_stays_one(said: str, is_right: bool) -> None:
    computed = {"growth": Result(7.17, is_percent=True)}
    assert (check_sentence(said, [SALES], computed, "") == []) is is_right


def test_a_name_of_the_question_may_be_said_unless_it_is_of_another_document() -> None:
    def is_another(word: str, asked: bool) -> bool:
        return word == "norland" and asked

    question, said = "What did Norland sell?", "Norland sold two ferries."
    assert check_sentence(said, [SOLD], {}, question) == []
    assert check_sentence(said, [SOLD], {}, question, is_another) == [
        "the name 'Norland' is in none of its passages"
    ]
    assert check_sentence(said, [SOLD], {}, "What was sold by norland?", is_another) == []
    assert check_sentence("Both were sold.", [SOLD], {}, "", is_another) == []


def test_things_are_counted_by_their_quotes() -> None:
    ships = [ground("the Anna"), ground("the Berta")]
    assert check_sentence("There are two: the Anna and the Berta.", ships, {}, "") == []
    assert check_sentence("There are three: the Anna and the Berta.", ships, {}, "")


def test_a_cause_comes_from_a_statement_that_names_it() -> None:
    said = "Two ferries were sold for USD 1.2 billion because Ann Lee-Marsh left."
    assert "'because' is the cause of nothing" in check_sentence(said, [SOLD, LEFT], {}, "")[0]
    text = "As Ann Lee-Marsh left, the owners were in need. Therefore two ferries were sold."
    quote = Ground(text, Span(58, 79), 0, text)
    assert check_sentence("Ferries were sold because of need.", [quote], {}, "") != []
    text = "Two ferries were sold, which was caused by Ann Lee-Marsh: she left."
    quote = Ground(text, Span(0, 21), 0, text)
    assert check_sentence("Two were sold because Ann Lee-Marsh left.", [quote], {}, "") == []
    assert check_sentence("Zwei wurden verkauft, weil Ann Lee-Marsh ging.", [quote], {}, "") == []


def test_a_multiple_follows_from_two_numbers_or_a_result() -> None:
    before, after = ground("10.073,0", 10_073_000, "EUR"), ground("11.588,5", 11_588_500, "EUR")
    assert check_sentence("Sales doubled.", [before, after], {}, "") != []
    assert check_sentence("Sales doubled.", [after], {"growth": Result(1.02)}, "") == []
    assert check_sentence("Sales halved.", [after], {"ratio": Result(2.02)}, "") == []
    assert check_sentence("Sales more than doubled.", [after], {"ratio": Result(2.6)}, "") == []
    assert check_sentence("Sales doubled.", [after], {"ratio": Result(2.6)}, "") != []


def test_a_period_of_the_question_names_no_document() -> None:
    def is_another(word: str, asked: bool) -> bool:
        return True

    said = "Two ferries were sold in H1."
    assert check_sentence(said, [SOLD], {}, "What was sold in H1?", is_another) == []
    assert check_sentence(said, [SOLD], {}, "What was sold in H2?", is_another) != []


def test_a_number_of_things_is_no_share_and_no_sum_of_money() -> None:
    said = "There are 44 beds in the hut."
    beds = Ground(said, Span(10, 17), 0, said, 44, "beds")
    assert check_sentence("It has 44 beds.", [beds], {}, "") == []
    assert check_sentence("44 % are closed.", [beds], {}, "") != []
    assert check_sentence("It costs EUR 44.", [beds], {}, "") != []
