import json

import anyio
import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.inference.by_model import Translated, translate_question
from srag_mcp.model.language_model import enclose
from srag_mcp.sqlfacts.query import ColumnUse
from srag_mcp.store.corpus import Corpus
from tests.model.scripted import ScriptedModel, replying


def reply(sql: str | None, *missing: str) -> str:
    return json.dumps({"missing": missing, "sql": sql})


def translate(model: ScriptedModel, corpus: Corpus, question: str = "How many?") -> Translated:
    async def translated() -> Translated:
        return await translate_question(model, corpus, question)

    return anyio.run(translated)


def test_the_query_of_the_model_is_run_and_read(ships: Corpus) -> None:
    sql = "SELECT avg(length) FROM ships WHERE flag = 'Malta'"
    found = translate(replying([reply(sql)]), ships, "How long are ships of Malta on average?")
    assert found.page.rows == ((100.25,),)
    assert found.translation.sql == sql
    assert found.translation.restated == "average of length where flag is 'Malta'"
    assert found.translation.facts.unit == "m"
    assert found.translation.facts.columns == (
        ColumnUse("length", "measure"),
        ColumnUse("flag", "filter"),
    )


def test_the_prompt_has_what_the_columns_hold_and_the_values_that_are_meant(ships: Corpus) -> None:
    model = replying([reply("SELECT count(*) FROM ships")])
    translate(model, ships, "How many sail for great britain?")
    [prompt] = model.prompts
    assert "Table `ships` (Ship), 6 records:" in prompt.content
    assert "- length (number, m): Length over all. [45.0 to 120.0, median 80.5;" in prompt.content
    assert "- flag: 'Great Britain' (1)" in prompt.content
    question = "How many sail for great britain?"
    assert prompt.content.endswith(f"Question:\n{enclose(question)}")
    assert len(prompt.instructions + prompt.content) < 4 * 4000


def test_the_states_of_cells_can_be_asked_for(ships: Corpus) -> None:
    sql = "SELECT count(*) FROM cells WHERE attribute = 'flag' AND state = 'not_mentioned'"
    found = translate(replying([reply(sql)]), ships, "How many do not mention a flag?")
    silent = ships.select("SELECT count(*) FROM ships WHERE flag IS NULL", limit=1)
    assert found.page.rows == silent.rows


def test_an_unknown_column_goes_back_with_the_nearest_names(ships: Corpus) -> None:
    model = replying(
        [reply("SELECT max(lenght) FROM ships"), reply("SELECT max(length) FROM ships")]
    )
    assert translate(model, ships).page.rows == ((120.0,),)
    [correction] = model.prompts[1].corrections
    assert "the query could not be run" in correction.message
    assert "length" in correction.message


def test_an_empty_result_goes_back_with_the_condition_that_emptied_it(ships: Corpus) -> None:
    wrong = "SELECT count(*) FROM ships WHERE flag = 'great britain' AND NOT has_crane"
    model = replying([reply(wrong), reply(wrong.replace("great britain", "Great Britain"))])
    assert translate(model, ships).page.rows == ((1,),)
    [correction] = model.prompts[1].corrections
    assert "no record meets flag = 'great britain'" in correction.message
    assert "nearest stored: flag = 'Great Britain'" in correction.message
    assert "has_crane" not in correction.message
    assert correction.message.startswith("Look at the reply again:\n- no record meets")


def test_an_empty_result_may_be_right(ships: Corpus) -> None:
    for condition in ("crew > 1000", "flag = 'Norway'"):
        model = replying([reply(f"SELECT name FROM ships WHERE {condition}")])
        assert translate(model, ships).page.rows == ()
        assert len(model.prompts) == 1, "the prompt has shown the range, or all values"
    none = "SELECT count(*) FROM ships WHERE flag = 'Malta' AND crew = 22"
    model = replying([reply(none)])
    assert translate(model, ships).page.rows == ((0,),)
    assert len(model.prompts) == 1, "each condition is met by some record: nothing to repair"


def test_what_no_column_holds_is_a_refusal_that_names_it(ships: Corpus) -> None:
    with pytest.raises(QuestionError, match="no column holds fuel consumption") as caught:
        translate(replying([reply(None, "fuel consumption")]), ships)
    assert caught.value.unplaced == ("fuel consumption",)


def test_a_misspelt_text_is_told_where_other_records_make_a_result(ships: Corpus) -> None:
    wrong = "SELECT count(*) > 0 FROM ships WHERE flag = 'malta'"
    model = replying([reply(wrong), reply(wrong.replace("malta", "Malta"))])
    assert translate(model, ships).page.rows == ((True,),)
    assert "nearest stored: flag = 'Malta'" in model.prompts[1].corrections[0].message


def test_a_query_beside_something_missing_is_put_right(ships: Corpus) -> None:
    sql = "SELECT avg(crew) FROM ships"
    model = replying([reply(sql, "officers"), reply(sql)])
    assert translate(model, ships).page.rows == ((20.4,),)
    [correction] = model.prompts[1].corrections
    assert "either the columns hold all that the question needs" in correction.message


def test_who_insists_that_something_is_missing_has_refused(ships: Corpus) -> None:
    model = replying([reply("SELECT avg(crew) FROM ships", "officers")] * 2)
    with pytest.raises(QuestionError, match="no column holds officers") as caught:
        translate(model, ships)
    assert caught.value.unplaced == ("officers",)
    assert len(model.prompts) == 2


def test_a_query_that_stays_wrong_is_a_refusal_with_the_reason(ships: Corpus) -> None:
    model = replying([reply("DROP TABLE ships")] * 3)
    with pytest.raises(QuestionError, match=r"no query for this question could be run: .*DROP"):
        translate(model, ships)
    assert len(model.prompts) == 3


def test_text_of_a_document_in_a_value_cannot_reach_other_tables(ships: Corpus) -> None:
    hostile = "SELECT text FROM srag_texts"
    with pytest.raises(QuestionError, match="could not be run"):
        translate(replying([reply(hostile)] * 3), ships)


@pytest.mark.parametrize(
    "sql", ["SELECT 42", "SELECT 42 FROM ships", "WITH a AS (SELECT 1) FROM a"]
)
def test_an_answer_that_comes_from_no_record_is_none(ships: Corpus, sql: str) -> None:
    model = replying([reply(sql)] * 3)
    with pytest.raises(QuestionError, match="would be the same whatever the records say"):
        translate(model, ships)
    assert len(model.prompts) == 3


def test_an_answer_that_the_model_wrote_into_the_query_is_none(ships: Corpus) -> None:
    invented = (
        "SELECT 'four decks' AS decks FROM ships WHERE length = (SELECT max(length) FROM ships)"
    )
    model = replying([reply(invented), reply(None, "decks")])
    with pytest.raises(QuestionError, match="no column holds decks"):
        translate(model, ships)
    [correction] = model.prompts[1].corrections
    assert "'four decks' would be the same whatever the records say" in correction.message


def test_a_reading_without_plain_words_is_the_question(ships: Corpus) -> None:
    sql = "SELECT greatest(max(crew), 3) FROM ships"
    said = json.dumps({"restated": "57 ships, 12 sank.", "columns": [], "missing": [], "sql": sql})
    found = translate(replying([said]), ships, "How many ships are there?")
    assert found.translation.restated == "How many ships are there"
