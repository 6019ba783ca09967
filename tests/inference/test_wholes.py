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
            "50 % of the 4 that say it; 33.333 % of all 6: it.",
        ),
        (
            "1.0 * count(*) FILTER (has_crane) / count(*)",
            "0.3333 of all 6; 0.5 of the 4 that say it: it.",
        ),
        (
            "1.0 * count(*) FILTER (length > 100) / count(length)",
            "0.2 of the 5 that say it; 0.1667 of all 6: it.",
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
    assert answer.text == "100 % of the 1 that say it; 50 % of all 2: it."


def test_the_grammar_tells_both_as_well(ships: Corpus) -> None:
    answer = ask(ships, "What percentage of the ships have a crane?")
    assert answer.text.startswith("33.333 % of all 6; 50 % of the 4 that say it: ")


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
        " it uses; engine offline answers by it"
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
