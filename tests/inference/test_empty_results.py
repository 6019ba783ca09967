"""What becomes of a query that ran and found nothing."""

import anyio
import pytest

from srag_mcp.inference.by_model import Translated, Translating, translate_question
from srag_mcp.store.corpus import Corpus
from tests.inference.test_by_model import reply, translate
from tests.model.scripted import replying


def test_a_result_that_one_condition_empties_goes_back_with_what_is_stored(ships: Corpus) -> None:
    model = replying(
        [
            reply("SELECT name FROM ships WHERE name = 'Xaver' AND length > 80"),
            reply("SELECT name FROM ships WHERE length > 80 AND crew > 5"),
        ]
    )
    assert translate(model, ships).page.rows == (("Anna",), ("Berta",), ("Clara",))
    [correction] = model.prompts[1].corrections
    assert "- none meets name = 'Xaver' (name is known in 6 of 6: Anna, " in correction.message
    assert "length" not in correction.message


@pytest.mark.parametrize("condition", ["length > 800", "flag = 'Norway'", "crew IN (900, 901)"])
def test_nothing_is_right_where_the_prompt_has_shown_all_that_is_stored(
    ships: Corpus, condition: str
) -> None:
    model = replying([reply(f"SELECT count(*) FROM ships WHERE {condition}")])
    assert translate(model, ships).page.rows == ((0,),)
    assert len(model.prompts) == 1


def test_what_is_never_true_goes_back(ships: Corpus) -> None:
    sql = "SELECT count(*) FROM ships WHERE crew {} NULL"
    model = replying([reply(sql.format("=")), reply(sql.format("IS"))])
    assert translate(model, ships).page.rows == ((1,),)
    assert "none meets crew = NULL" in model.prompts[1].corrections[0].message


def test_who_sends_the_same_query_again_is_believed(ships: Corpus) -> None:
    sql = "SELECT count(*) FROM ships WHERE name = 'Xaver'"
    model = replying([reply(sql), reply(sql.replace("count(*)", "count( * )"))])
    assert translate(model, ships).page.rows == ((0,),)
    assert len(model.prompts) == 2


def test_an_empty_result_goes_back_twice_at_most(ships: Corpus) -> None:
    tried = ["name = 'Xaver'", "name = 'Quirin'", "name = 'Zeno'"]
    model = replying([reply(f"SELECT name FROM ships WHERE {item}") for item in tried])
    found = translate(model, ships)
    assert found.page.rows == ()
    assert found.translation.sql.endswith("name = 'Zeno'")
    assert [len(prompt.corrections) for prompt in model.prompts] == [0, 1, 2]


def test_an_error_before_it_counts_as_one_of_the_two(ships: Corpus) -> None:
    none = "SELECT name FROM ships WHERE name = 'Xaver'"
    model = replying([reply("SELECT names FROM ships"), reply(none), reply(none)])
    assert translate(model, ships).page.rows == ()
    assert "none meets name = 'Xaver'" in model.prompts[2].corrections[1].message


@pytest.mark.parametrize(
    "condition",
    [
        "flag = 'Malta' AND crew = 22",
        "state = 'sunk'",
        "has_crane AND length < 61",
        "name = 'Frida' AND flag IS NOT NULL",
    ],
)
def test_what_only_all_conditions_or_a_closed_set_make_empty_is_taken(
    ships: Corpus, condition: str
) -> None:
    model = replying([reply(f"SELECT count(*) FROM ships WHERE {condition}")])
    assert translate(model, ships).page.rows == ((0,),)
    assert len(model.prompts) == 1


def test_conditions_that_exclude_each_other_go_back(ships: Corpus) -> None:
    model = replying(
        [
            reply("SELECT sum(crew) FROM ships WHERE flag = 'Malta' AND flag = 'Panama'"),
            reply("SELECT sum(crew) FROM ships WHERE flag IN ('Malta', 'Panama')"),
        ]
    )
    assert translate(model, ships).page.rows == ((94,),)
    assert "flag = 'Malta' AND flag = 'Panama'" in model.prompts[1].corrections[0].message


def test_a_sample_of_the_documents_may_have_nothing(ships: Corpus) -> None:
    model = replying([reply("SELECT crew FROM ships WHERE name = 'Xaver'")])

    async def translated() -> Translated:
        return await translate_question(model, ships, "Which?", Translating(may_find_nothing=True))

    assert anyio.run(translated).page.rows == ()
    assert len(model.prompts) == 1
