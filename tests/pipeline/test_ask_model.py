import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from srag_mcp.engines.choice import choose_asking
from srag_mcp.errors import ModelError
from srag_mcp.inference.ask import OFFLINE, SURE_OR_BRIEF, Asking, ask
from srag_mcp.model.language_model import LanguageModel, Prompt, Reply
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.spool import read_calls
from tests.model.scripted import ScriptedModel, replying
from tests.pipeline.conftest import WriteStation

SURE = "How many stations have a height above 100?"
UNSURE = "Reckon up the summits, please."


@pytest.fixture(scope="module")
def ingested(
    tmp_path_factory: pytest.TempPathFactory, schema: Schema, write_station: WriteStation
) -> Path:
    """Six stations, ingested; to be copied."""
    stations = tmp_path_factory.mktemp("once") / "stations"
    for number in range(1, 7):
        write_station(stations, number, 40 * number)
    ingest(stations, Settings(workers=1, home=tmp_path_factory.mktemp("home")), schema=schema)
    return stations


@pytest.fixture
def folder(tmp_path: Path, ingested: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "stations")


def reply(sql: str | None, *missing: str) -> str:
    return json.dumps({"missing": missing, "sql": sql})


def never(prompt: Prompt) -> str:
    msg = "the server is gone"
    raise ModelError(msg)


def test_what_the_grammar_reads_surely_costs_nothing(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    model = replying([])
    answer = ask(Corpus(folder, worker, settings.home), SURE, Asking(model, grammar_first=True))
    assert (answer.rows, answer.engine, answer.taken) == (((4,),), "offline", None)


def test_what_it_cannot_read_is_asked_of_the_model(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    model = replying([reply("SELECT sum(height) FROM stations")])
    answer = ask(Corpus(folder, worker, settings.home), UNSURE, Asking(model, grammar_first=True))
    assert (answer.rows, answer.engine) == (((840,),), "model")
    assert answer.taken is not None
    assert answer.taken.n_calls == 1
    assert [source.column for source in answer.sources] == ["height"] * 3


def test_that_no_record_meets_a_condition_is_an_answer(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    corpus = Corpus(folder, worker, settings.home)
    answer = ask(corpus, "How many stations have a height above 900?", SURE_OR_BRIEF)
    assert (answer.rows, answer.warnings) == (((0,),), ())
    assert answer.assumptions[0].startswith("nothing was found: none meets height > 900 (height is")


def test_each_engine_can_be_forced(folder: Path, settings: Settings, worker: QueryPool) -> None:
    model = replying([reply("SELECT max(height) FROM stations")])
    corpus = Corpus(folder, worker, settings.home)
    assert ask(corpus, SURE, Asking(model)).rows == ((240,),)
    assert ask(corpus, UNSURE, OFFLINE).refused


def test_what_was_answered_once_is_not_paid_for_again(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    asking = Asking(replying([reply("SELECT sum(height) FROM stations")]), model_name="openai/x")
    first = ask(Corpus(folder, worker, settings.home), UNSURE, asking)
    again = ask(Corpus(folder, worker, settings.home), UNSURE, asking)
    assert (again.rows, again.text) == (first.rows, first.text)
    assert (first.taken, again.taken) != (None, None)
    assert [taken and (taken.n_calls, taken.n_cached) for taken in (first.taken, again.taken)] == [
        (1, 0),
        (0, 1),
    ]
    assert [call.step for call in read_calls(folder, settings.home)] == ["translate"] * 2


def test_a_reply_that_was_of_no_use_is_asked_for_anew(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    bad = reply("SELECT summit FROM stations")
    asking = Asking(replying([bad] * 3), model_name="openai/x")
    corpus = Corpus(folder, worker, settings.home)
    assert ask(corpus, UNSURE, asking).refused
    asking = Asking(replying([reply("SELECT max(height) FROM stations")]), model_name="openai/x")
    again = ask(corpus, UNSURE, asking)
    assert again.taken is not None
    assert (again.taken.n_calls, again.taken.n_cached) == (1, 2)
    assert again.rows == ((240,),)


def test_a_missing_attribute_is_a_brief(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    narrowing = {"documents": None, "attribute": None, "search": ["rain in millimetres"]}
    unsaid = {"restated": "", "extracted": [], "compute": [], "answer": [], "missing": ["rain"]}
    model = replying([reply(None, "rainfall"), json.dumps(narrowing), json.dumps(unsaid)])
    answer = ask(Corpus(folder, worker, settings.home), UNSURE, Asking(model))
    assert answer.text.startswith("Not answered: no column holds rainfall, and no passage")
    assert answer.brief is not None
    assert answer.brief.unplaced == ("rainfall",)


def test_a_model_that_is_gone_when_documents_are_to_be_read_is_told(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    def say(prompt: Prompt) -> str:
        return reply(None, "rainfall") if prompt.step == "translate" else never(prompt)

    answer = ask(Corpus(folder, worker, settings.home), UNSURE, Asking(ScriptedModel(say)))
    assert answer.text == (
        "Not answered: no column holds rainfall; the documents were not read for it: the server is"
        " gone"
    )
    assert answer.taken is not None
    assert answer.taken.n_calls == 1


def test_an_empty_answer_says_which_condition_no_record_meets(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    none = reply("SELECT count(*) FROM stations WHERE height > 9000")
    model = replying([none, none])
    answer = ask(Corpus(folder, worker, settings.home), UNSURE, Asking(model))
    assert answer.rows == ((0,),)
    assert answer.warnings == (
        "nothing was found: none meets height > 9000"
        " (height is 40 to 240, median 140.0; known in 6 of 6)",
    )


def test_a_question_does_not_wait_for_a_model_that_says_nothing(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    class Silent(LanguageModel):
        async def complete(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> Reply:
            await anyio.sleep_forever()
            raise AssertionError

    corpus = Corpus(folder, worker, settings.home)
    asking = Asking(Silent(), timeout_s=0.05, grammar_first=True)
    unsure, sure = (ask(corpus, asked, asking) for asked in (UNSURE, SURE))
    assert unsure.text == (
        "Not answered: the language model could not be asked: no reply within 0.05 s"
        " (SRAG_QUESTION_TIMEOUT_S)"
    )
    assert (sure.refused, sure.engine) == (False, "offline")


def test_a_model_that_is_gone_takes_no_answer_away(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    model = ScriptedModel(never)
    corpus = Corpus(folder, worker, settings.home)
    unsure = ask(corpus, UNSURE, Asking(model, grammar_first=True))
    assert ask(corpus, SURE, Asking(model, grammar_first=True)).rows == ((4,),)
    assert unsure.text == (
        "Not answered: the language model could not be asked: the server is gone"
    )


def test_replies_of_no_form_are_told_with_what_to_do(
    folder: Path, settings: Settings, worker: QueryPool
) -> None:
    corpus = Corpus(folder, worker, settings.home)
    [forced, auto] = [
        ask(corpus, UNSURE, Asking(replying(["I do not know."] * 3), grammar_first=first)).text
        for first in (False, True)
    ]
    assert forced.startswith("Not answered: the language model was asked 3 times: translate (")
    advice = (
        "; name another model, or let it reply in words only (SRAG_REPLY_FORMAT=text),"
        " or ask the grammar (SRAG_ENGINE=offline)"
    )
    assert forced.endswith(advice)
    assert auto.endswith("(SRAG_REPLY_FORMAT=text)"), "the grammar was asked before"


def test_the_settings_say_who_is_asked(settings: Settings) -> None:
    assert choose_asking(settings) == SURE_OR_BRIEF
    assert choose_asking(settings.model_copy(update={"engine": "agent"})) == SURE_OR_BRIEF
    assert choose_asking(settings.model_copy(update={"engine": "offline"})) == OFFLINE
    named = settings.model_copy(update={"model": "openai/fake"})
    chosen = choose_asking(named)
    assert (chosen.grammar_first, chosen.model is None) == (True, False)
    assert choose_asking(named.model_copy(update={"engine": "offline"})) == OFFLINE
