"""Questions without a model on numbers of running text: what documents say of each of them."""

from pathlib import Path

import pytest

from srag_mcp import Settings, ask, ingest


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "wards"
    folder.mkdir()
    for day in range(1, 15):
        text = (
            f"Report of the ward, {day} May 2024\n\nIn the last 24 hours, {30 + day * 7 % 40}"
            f" resident patients had been discharged ({10 + day}% of whom had died) and"
            f" {20 + day * 5 % 30} guests were newly admitted. So far {200 + 3 * day} persons have"
            f" been tested once and {90 + day} persons twice. In the evening {40 + day * 11 % 23}"
            f" lorries left and {50 + day * 7 % 29} vans parked.\n"
        )
        (folder / f"{day:02}.txt").write_text(text, encoding="utf-8")
    ingest(folder, Settings(engine="offline", workers=1))
    return folder


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        (
            "On how many days were more than 50 resident patients discharged?",
            "SELECT COUNT(*) FROM wards WHERE resident_patients > 50",
        ),
        ("How many lorries left in total?", "SELECT SUM(lorries) FROM wards"),
        (
            "On how many days were more than 95 persons tested twice?",
            "SELECT COUNT(*) FROM wards WHERE persons_twice > 95",
        ),
    ],
)
def test_what_documents_say_of_a_number_may_be_asked_of_it(
    wards: Path, question: str, sql: str
) -> None:
    assert ask(wards, question).sql == sql


@pytest.mark.parametrize(
    "question",
    [
        "On how many days did more than 50 resident patients die?",
        "On how many days were more than 50 resident patients admitted?",
        "On how many days were more than 50 deceased resident patients discharged?",
        "What is the average number of resident patients who died?",
        "How many vans left in total?",
        "How many lorries parked in total?",
        "How many reports have more than 40 hours of resident patients?",
    ],
)
def test_what_happened_to_something_else_in_the_sentence_is_refused(
    wards: Path, question: str
) -> None:
    assert ask(wards, question).refused
