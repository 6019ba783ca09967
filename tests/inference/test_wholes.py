"""What a share is a share of, what ties, and what the grammar is sure of."""

import pytest

from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import OFFLINE, SURE_OR_BRIEF, ask, write_answer
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.inference.turns import converse
from srag_mcp.sqlfacts.query import Translation, read_query
from srag_mcp.store.corpus import Corpus


def answer_by(corpus: Corpus, sql: str) -> Answer:
    facts, page = read_query(sql, corpus.schema()), corpus.select(sql, limit=100)
    return write_answer(Translation("?", "it", facts), page, find_grounds(corpus, facts, page))


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (
            "100.0 * count(*) FILTER (has_crane) / count(has_crane)",
            "50 % of the 4 with a value; 33.333 % of all 6: it.",
        ),
        (
            "1.0 * count(*) FILTER (has_crane) / count(*)",
            "0.3333 of all 6; 0.5 of the 4 with a value: it.",
        ),
        (
            "1.0 * count(*) FILTER (length > 100) / count(length)",
            "0.2 of the 5 with a value; 0.1667 of all 6: it.",
        ),
        ("count(*) FILTER (crew > 20) / count(crew) + 1", "1.6: it."),
        ("1.0 * count(*) FILTER (name = 'Anna') / count(name)", "0.1667: it."),
        ("count(*) FILTER (has_crane)", "2: it."),
    ],
)
def test_a_share_is_told_over_those_that_say_it_and_over_all(
    ships: Corpus, share: str, said: str
) -> None:
    assert answer_by(ships, f"SELECT {share} FROM ships").text == said


def test_a_share_of_some_is_told_over_all_of_them(ships: Corpus) -> None:
    share = "100.0 * count(*) FILTER (has_crane) / count(has_crane)"
    answer = answer_by(ships, f"SELECT {share} FROM ships WHERE flag = 'Panama'")
    assert answer.text == "100 % of the 1 with a value; 50 % of all 2: it."


def test_the_grammar_tells_both_as_well(ships: Corpus) -> None:
    answer = ask(ships, "What percentage of the ships have a crane?")
    assert answer.text.startswith("33.333 % of all 6; 50 % of the 4 with a value: ")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM ships WHERE crew = (SELECT max(crew) FROM ships)",
        "SELECT flag FROM ships GROUP BY flag QUALIFY rank() OVER (ORDER BY count(flag) DESC) = 1",
        "SELECT flag FROM ships GROUP BY 1 QUALIFY dense_rank() OVER (ORDER BY count(flag) DESC)=1",
        "SELECT flag FROM ships GROUP BY flag HAVING count(flag) ="
        " (SELECT max(n) FROM (SELECT count(flag) AS n FROM ships GROUP BY flag))",
    ],
)
def test_all_that_come_first_are_said_to_tie(ships: Corpus, sql: str) -> None:
    answer = answer_by(ships, sql)
    assert answer.is_tie
    assert answer.text.startswith("A tie of 2: ")


def test_two_of_a_list_are_no_tie(ships: Corpus) -> None:
    answer = answer_by(ships, "SELECT name FROM ships WHERE crew = 30")
    assert (answer.is_tie, answer.text) == (False, "Berta, Clara: it.")


def test_an_answer_says_over_how_many_its_conditions_ran(ships: Corpus) -> None:
    facts = "SELECT avg(length) FROM ships WHERE flag = 'Malta' AND crew > 10"
    coverage = find_grounds(
        ships, read_query(facts, ships.schema()), ships.select(facts, limit=1)
    ).coverage
    assert coverage[0].startswith("Over the 2 of 6 documents with flag = 'Malta' AND crew > 10; ")


GAPPY = "How many ships have a crane?"


def test_without_a_model_what_is_not_sure_is_a_brief(ships: Corpus) -> None:
    forced = ask(ships, GAPPY, OFFLINE)
    assert (forced.refused, forced.rows) == (False, ((2,),))
    handed = ask(ships, GAPPY, SURE_OR_BRIEF)
    assert handed.brief is not None
    assert handed.brief.reason == (
        f"the grammar is not sure of its reading, {forced.restated}: many documents do not say what"
        f" it uses; its query: {forced.sql}"
    )
    assert handed.sql == ""


def test_without_a_model_what_is_sure_is_answered(ships: Corpus) -> None:
    question = "How many ships have a crew above 20?"
    sure, forced = (ask(ships, question, asking) for asking in (SURE_OR_BRIEF, OFFLINE))
    assert (sure.refused, sure.text, sure.rows) == (False, forced.text, ((3,),))


def test_an_answer_that_was_called_wrong_is_followed_by_the_brief(ships: Corpus) -> None:
    question = "How many ships have a crew above 20?"
    answer = converse(ships, question, SURE_OR_BRIEF, verdict="wrong")
    assert answer.refused
    assert answer.before is not None
    assert answer.before.rows == ((3,),)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (
            "round(100.0 * count(*) FILTER (has_crane) / count(*))",
            "33.333 % of all 6; 50 % of the 4 with a value: it.",
        ),
        ("round(avg(has_crane::INT), 2)", "0.5 of the 4 with a value; 0.3333 of all 6: it."),
        (
            "avg(CASE WHEN has_crane THEN 1 ELSE 0 END)",
            "0.3333 of all 6; 0.5 of the 4 with a value: it.",
        ),
    ],
)
def test_a_share_that_is_rounded_or_averaged_is_told_over_both(
    ships: Corpus, share: str, said: str
) -> None:
    assert answer_by(ships, f"SELECT {share} FROM ships").text == said


@pytest.mark.parametrize(
    ("sql", "whole"),
    [
        ("SELECT flag, 1.0 * countif(has_crane) / count(*) FROM ships GROUP BY flag", "COUNT(*)"),
        (
            "SELECT 1.0 * count(DISTINCT flag) FILTER (has_crane) / count(DISTINCT flag)"
            " FROM ships",
            "COUNT(DISTINCT flag)",
        ),
        ("SELECT flag, avg(has_crane::INT) FROM ships GROUP BY flag", "those that say it"),
        (
            "SELECT avg(CASE WHEN has_crane THEN 100 ELSE 0 END) FROM ships",
            "all records, also those that do not say it",
        ),
    ],
)
def test_a_share_that_is_not_counted_says_of_what_it_is_one(
    ships: Corpus, sql: str, whole: str
) -> None:
    [note] = [x for x in answer_by(ships, sql).assumptions if x.startswith("shares are of ")]
    assert note.startswith(f"shares are of {whole}: not all say ")


CUT = "LIMIT 1 cuts a tie: 2 rows come as far as the last that is taken"


@pytest.mark.parametrize(
    ("sql", "is_cut"),
    [
        ("SELECT name FROM ships ORDER BY crew DESC NULLS LAST LIMIT 1", True),
        ("SELECT name, crew FROM ships ORDER BY 2 DESC NULLS LAST, document_id LIMIT 1", True),
        (
            "SELECT flag, count(*) AS n FROM ships WHERE flag IS NOT NULL GROUP BY flag"
            " ORDER BY n DESC LIMIT 1",
            True,
        ),
        (
            "WITH best AS (SELECT name FROM ships WHERE crew > 1 ORDER BY crew DESC LIMIT 1)"
            " SELECT name FROM best",
            True,
        ),
        ("SELECT name FROM ships ORDER BY crew DESC NULLS LAST LIMIT 2", False),
        ("SELECT name FROM ships ORDER BY length DESC NULLS LAST LIMIT 1", False),
        ("SELECT DISTINCT crew FROM ships ORDER BY crew LIMIT 1", False),
        ("SELECT name FROM ships ORDER BY document_id LIMIT 1", False),
    ],
)
def test_a_limit_that_cuts_a_tie_is_told(ships: Corpus, sql: str, is_cut: bool) -> None:
    assert (CUT in answer_by(ships, sql).assumptions) == is_cut


def test_a_text_of_a_list_that_nobody_has_is_told(ships: Corpus) -> None:
    answer = answer_by(ships, "SELECT count(*) FROM ships WHERE flag IN ('Malta', 'Atlantis')")
    said = "no record meets flag = 'Atlantis'; get_column_stats shows what it holds"
    assert said in answer.assumptions
