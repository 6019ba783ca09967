import pytest

from srag_mcp.ask.by_model import restate_question

SQL = (
    "SELECT ship FROM ships WHERE crew > 30 AND cargo >= 1200.5 AND share < 0.5"
    " AND departed >= DATE '2021-03-04' LIMIT 2"
)


def restated(text: str) -> str:
    return restate_question(text, "Which ships?", (SQL, "Vesta of 1899", 8, 12.5))


@pytest.mark.parametrize(
    "text",
    [
        "the answer is 57 ships, of which 12 sank in 1999",
        "fifty-seven ships",
        "ships with a crew of more than 300",
        "ships with a crew of more than 30,000",
        "cargo of 3 thousand",
        "departed since 5 March 2021",
        "the 7 largest",
        "share below 7 %",
        " ",
        ".",
    ],
)
def test_a_number_from_nowhere_gives_way_to_the_question(text: str) -> None:
    assert restated(text) == "Which ships"


@pytest.mark.parametrize(
    "text",
    [
        "ships with a crew of more than 30",
        "ships with a crew above thirty",
        "cargo from 1,200.50 t",
        "departed since 4 March 2021",
        "the two largest",
        "share below 50 %",
        "the Vesta of 1899",
        "the average crew, 12.5",
        "8 ships",
        "ships that are not small",
    ],
)
def test_numbers_of_the_query_and_of_its_rows_may_be_said(text: str) -> None:
    assert restated(f"{text}.") == text


def test_numbers_of_the_question_may_be_said() -> None:
    assert restate_question("those of 1907", "Which are of 1907?", ()) == "those of 1907"
