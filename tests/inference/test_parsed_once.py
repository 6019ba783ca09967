"""Whoever asks what a query means takes its facts: outside the guard it is parsed once."""

import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import FrameType

import pytest

from srag_mcp.inference.ask import ask
from srag_mcp.store.corpus import Corpus
from srag_mcp.views.answers import result_table


def count_parses(run: Callable[[], object]) -> Counter[str]:
    """Count how often sqlglot parses each statement in this process; the guard has its own."""
    parsed: Counter[str] = Counter()

    def follow(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name == "parse" and "sqlglot" in code.co_filename:
            parsed.update([frame.f_locals["sql"]] if code.co_filename.endswith("parser.py") else [])

    threading.setprofile(follow)
    sys.setprofile(follow)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return parsed


@pytest.mark.parametrize(
    "question",
    [
        "How many ships have a crane?",
        "What is the average crew of the ships?",
        "Which ship has the highest crew?",
        "How many ships have a crew above 900?",
    ],
)
def test_a_question_parses_its_query_once(ships: Corpus, question: str) -> None:
    answer = ask(ships, question)

    assert count_parses(lambda: ask(ships, question)) == {answer.sql: 1}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM ships WHERE has_crane",
        "WITH s AS (SELECT * FROM ships WHERE crew > 9) SELECT flag, count(*) FROM s GROUP BY 1",
        "SELECT name FROM ships WHERE flag = 'Mallta'",
        "SELECT avg(crew) > 9 FROM ships WHERE flag IN (SELECT flag FROM ships WHERE has_crane)",
    ],
)
def test_a_statement_is_parsed_once(ships: Corpus, sql: str) -> None:
    assert count_parses(lambda: result_table(ships, sql, 100, 0, 10_000)) == {sql: 1}
