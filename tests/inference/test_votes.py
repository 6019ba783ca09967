"""Several translations of one question, and which of them wins."""

import pytest

from srag_mcp.errors import ModelError, QuestionError
from srag_mcp.model.language_model import Prompt
from srag_mcp.store.corpus import Corpus
from tests.inference.test_by_model import reply, translate
from tests.model.scripted import ScriptedModel


def say_by_attempt(texts: list[str | Exception]) -> ScriptedModel:
    """Make a model that says the first of *texts* to the first attempt, and so on."""

    def say(prompt: Prompt) -> str:
        later = [n for n in range(2, len(texts) + 1) if f"attempt {n})" in prompt.content]
        text = texts[later[0] - 1 if later else 0]
        if isinstance(text, Exception):
            raise text
        return text

    return ScriptedModel(say)


def test_votes_compare_results_and_not_queries(ships: Corpus) -> None:
    answers = {
        1: "SELECT count(*) FROM ships",
        2: "SELECT count(has_crane) FROM ships",
        3: "SELECT count(*) FILTER (has_crane IS NOT NULL) AS n FROM ships",
    }

    def say(prompt: Prompt) -> str:
        number = next((n for n in (2, 3) if f"attempt {n})" in prompt.content), 1)
        return reply(answers[number])

    assert translate(ScriptedModel(say), ships, votes=3).page.rows == ((4,),)


def test_votes_can_agree_on_a_refusal(ships: Corpus) -> None:
    def say(prompt: Prompt) -> str:
        return (
            reply(None, "fuel")
            if "attempt" in prompt.content
            else reply("SELECT count(*) FROM ships")
        )

    with pytest.raises((QuestionError, ModelError), match="no column holds fuel"):
        translate(ScriptedModel(say), ships, votes=3)


def test_attempts_without_a_reply_have_no_vote(ships: Corpus) -> None:
    lost = ModelError("no reply within 60 s")
    model = say_by_attempt([lost, reply("SELECT count(*) FROM ships"), lost])
    assert translate(model, ships, votes=3).page.rows == ((6,),)
    with pytest.raises(ModelError, match="within 60 s"):
        translate(say_by_attempt([lost, lost]), ships, votes=2)


def test_a_large_number_is_the_same_with_and_without_a_point(ships: Corpus) -> None:
    whole = "SELECT CAST(sum(length) * 100000 AS BIGINT) FROM ships"
    other = "SELECT 1 + count(*) FROM ships"
    texts = [reply(other), reply(whole), reply("SELECT sum(length) * 100000 FROM ships")]
    found = translate(say_by_attempt([*texts]), ships, votes=3)
    assert found.page.rows == ((40550000,),)


def test_the_order_of_columns_makes_no_other_result(ships: Corpus) -> None:
    grouped = "FROM ships WHERE flag IS NOT NULL GROUP BY flag"
    texts = [
        reply("SELECT name, crew FROM ships WHERE crew IS NOT NULL"),
        reply(f"SELECT flag, count(*) {grouped}"),
        reply(f"SELECT count(*), flag {grouped}"),
    ]
    found = translate(say_by_attempt([*texts]), ships, votes=3)
    assert found.page.columns[0] == "flag"
    assert found.warnings == ()


def test_queries_that_could_not_be_run_have_no_vote(ships: Corpus) -> None:
    wrong, right = reply("SELECT foo FROM ships"), reply("SELECT count(*) FROM ships")
    found = translate(say_by_attempt([wrong, wrong, right]), ships, votes=3)
    assert found.page.rows == ((6,),)
    assert found.warnings == ("1 of 3 translations had this result",)
    with pytest.raises(QuestionError, match="no query for this question could be run"):
        translate(say_by_attempt([ModelError("no reply"), wrong]), ships, votes=2)


def test_a_result_that_only_came_first_says_so(ships: Corpus) -> None:
    texts = [reply(f"SELECT {n} * count(*) FROM ships") for n in (1, 2, 3)]
    found = translate(say_by_attempt([*texts]), ships, votes=3)
    assert found.page.rows == ((6,),)
    assert found.warnings == ("1 of 3 translations had this result",)
    refused = [reply(None, "fuel"), *texts[:2]]
    with pytest.raises(QuestionError, match=r"fuel \(1 of 3 translations said so\)") as caught:
        translate(say_by_attempt([*refused]), ships, votes=3)
    assert caught.value.unplaced == ("fuel",)
