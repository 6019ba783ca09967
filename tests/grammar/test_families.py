"""Families: questions that ask the same in other words get the same rows, or are refused."""

from datetime import date, timedelta

import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from tests.grammar.conftest import Row, World, build_world


def ferries() -> World:
    """Forty daily logs of a ferry, from 20 May to 28 June 2023."""
    attributes = (
        Attribute(name="date", type="date"),
        Attribute(name="passengers", type="integer", description="People carried that day."),
        Attribute(name="late_crossings", type="integer"),
        Attribute(name="crossings", type="integer"),
        Attribute(name="wind", type="number", unit="km/h", description="The 7-day wind."),
        Attribute(name="master", type="string", description="Master of the ferry."),
        Attribute(name="fog", type="boolean", absent_means="false"),
    )
    rows: list[Row] = [
        (
            date(2023, 5, 20) + timedelta(days=day),
            None if day % 13 == 5 else 300 + (day * 37) % 211,
            (day * 7) % 5,
            12 + (day * 11) % 9,
            8.5 + (day * 17) % 40,
            ("Runa Voss", "Odd Berg", "Ilse Kamp")[(day * day) % 3 % 3],
            day % 6 == 2,
        )
        for day in range(40)
    ]
    nouns = ("log", "logs")
    return build_world(
        Schema(title="Ferry logs", entity="ferry_logs", nouns=nouns, attributes=attributes), rows
    )


FERRIES = ferries()

# The first of each is answered; of the others none may have other rows.
FAMILIES: list[tuple[str, list[str]]] = [
    (
        "SELECT count(*) FROM ferry_logs WHERE passengers > 400",
        [
            "How many logs have more than 400 passengers?",
            "On how many days were there more than 400 passengers?",
            "On how many days did passengers exceed 400?",
            "How many times were there more than 400 passengers?",
            "In how many logs were over 400 passengers carried?",
            "What is the number of logs with more than 400 passengers?",
            "How often were there above 400 passengers?",
        ],
    ),
    (
        "SELECT median(passengers) FROM ferry_logs",
        [
            "What is the median number of passengers?",
            "What is the median number of passengers over all logs that give one?",
            "Median of passengers over the whole period?",
            "What was the median of passengers across all logs?",
        ],
    ),
    (
        "SELECT avg(passengers) FROM ferry_logs WHERE wind > 30",
        [
            "What is the average number of passengers on days with wind above 30 km/h?",
            "On days when the wind was above 30, how many passengers were there on average?",
            "On days when the 7-day wind was above 30, how many passengers were there on average?",
        ],
    ),
    (
        "SELECT date FROM ferry_logs WHERE passengers = (SELECT max(passengers) FROM ferry_logs)",
        [
            "On what date did the number of passengers peak?",
            "On which day were the most passengers carried?",
            "Which day had the highest number of passengers?",
            "On which log date was the number of passengers at its highest?",
            "When was the number of passengers at its maximum?",
        ],
    ),
    (
        "SELECT date FROM ferry_logs ORDER BY passengers DESC NULLS LAST LIMIT 3",
        [
            "What were the three days with the most passengers?",
            "What were the three days with the most passengers, worst first?",
            "What were the three days with the most passengers, highest first?",
            "Which three days had the most passengers?",
        ],
    ),
    (
        "SELECT passengers FROM ferry_logs WHERE passengers IS NOT NULL ORDER BY 1 LIMIT 4",
        [
            "List the four lowest numbers of passengers.",
            "List, from smallest to largest, the four lowest daily numbers of passengers.",
            "What are the four lowest numbers of passengers, from low to high?",
        ],
    ),
    (
        "SELECT min(date) FROM ferry_logs WHERE wind > 40",
        [
            "When did the wind first exceed 40 km/h?",
            "What is the first log date with a wind above 40 km/h?",
            "When was the first time that the wind was above 40?",
            "On which day did the wind first rise above 40?",
        ],
    ),
    (
        "SELECT max(date) FROM ferry_logs WHERE passengers < 320",
        [
            "When was the last time that fewer than 320 passengers were carried?",
            "When did the number of passengers last fall below 320?",
            "What is the last log date with fewer than 320 passengers?",
        ],
    ),
    (
        "SELECT date FROM ferry_logs WHERE passengers >= 480",
        [
            "Which log dates show at least 480 passengers?",
            "On which dates were there at least 480 passengers?",
            "Name the log dates on which there were 480 or more passengers.",
        ],
    ),
    (
        "SELECT monthname(date) || ' 2023' FROM ferry_logs GROUP BY 1"
        " ORDER BY avg(passengers) LIMIT 1",
        [
            "Which month has the lowest average number of passengers?",
            "Which month has the lowest average number of daily passengers?",
            "In which month was the average number of passengers lowest?",
            "In which calendar month was the average number of passengers lowest?",
        ],
    ),
    (
        "SELECT sum(crossings) FROM ferry_logs WHERE month(date) = 6",
        [
            "How many crossings were there in total in June 2023?",
            "Summing over all logs of June 2023, how many crossings were there in total?",
            "What is the total of crossings over all logs from June 2023?",
        ],
    ),
    (
        "SELECT count(*) FROM ferry_logs WHERE late_crossings > 2 AND passengers < 400",
        [
            "How many logs have more than 2 late crossings and fewer than 400 passengers?",
            "On how many days did late crossings exceed 2 while passengers stayed under 400?",
        ],
    ),
]  # fmt: skip


def rows_of(world: World, sql: str) -> list[str]:
    return sorted(str(tuple(map(str, row))) for row in world.rows(sql))


@pytest.mark.parametrize(("sql", "questions"), FAMILIES, ids=[item[1][0] for item in FAMILIES])
def test_a_family_has_one_answer(sql: str, questions: list[str]) -> None:
    expected = rows_of(FERRIES, sql)
    assert rows_of(FERRIES, FERRIES.ask(questions[0]).sql) == expected
    for question in questions[1:]:
        try:
            found = FERRIES.ask(question)
        except QuestionError:
            continue
        assert rows_of(FERRIES, found.sql) == expected, (question, found.sql)
