"""An ingestion that did not end is gone on with as it was asked for, unless other things are."""

from pathlib import Path

import pytest

from srag_mcp.errors import ModelStoppedError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.jobs import cancel_job, read_job, start_job
from srag_mcp.pipeline.wishes import Unfinished, go_on, read_unfinished, remember_unfinished
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.state import open_state
from tests.model.openai_server import Answer, serving
from tests.pipeline.reading_model import say
from tests.pipeline.test_model_crashes import settings_for, write_stations

QUESTION = "Which station opened last?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_stations(tmp_path / "stations", 5)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def leave(folder: Path, settings: Settings, wish: Unfinished) -> None:
    remember_unfinished(CorpusFolder(folder, settings.home).writable(), wish)


def test_questions_engine_and_model_are_those_of_the_ingestion_that_was_stopped(
    folder: Path, home: Path
) -> None:
    with serving(say) as server:
        settings = settings_for(server.base, home)
        poor = settings.model_copy(update={"budget_calls": 2})
        stopped = ingest(folder, poor, questions=[QUESTION])
        nameless = settings.model_copy(update={"model": None})
        done = ingest(folder, nameless)
        again = ingest(folder, settings)

    assert stopped.stopped
    assert done.resumed == "engine model, model openai/fake, 1 sample questions"
    assert (done.engine, done.answered, done.published) == ("model", (QUESTION,), True)
    assert done.attributes == ("town", "height_m", "opened")
    assert f"had: {done.resumed}" in "\n".join(done.lines())
    assert (again.resumed, again.answered) == ("", ())


def test_what_is_given_wins(folder: Path, home: Path) -> None:
    settings = Settings(home=home, model="openai/one")
    left = Unfinished(engine="agent", model="openai/one", questions=("When?",), rows="row")
    leave(folder, settings, left)

    same = go_on(folder, settings, {})
    another_model = settings.model_copy(update={"model": "openai/two"})
    named = settings.model_copy(update={"engine": "model"})
    given = go_on(folder, named, {"questions": ["Where?"], "rows": "file"})

    assert (same.settings.engine, same.options["questions"]) == ("agent", ("When?",))
    assert (same.options["rows"], same.taken_over) == ("row", "engine agent, 1 sample questions")
    assert go_on(folder, another_model, {}).settings == another_model
    assert (given.settings, given.taken_over) == (named, "")
    assert (given.options["questions"], given.options["rows"]) == (["Where?"], "file")


def test_a_key_is_not_sent_to_an_address_that_only_the_folder_names(
    folder: Path, home: Path
) -> None:
    settings = Settings(home=home, api_key="k-0123456789")
    leave(folder, settings, Unfinished(engine="model", model="openai/x", api_base="http://far/v1"))

    assert go_on(folder, settings, {}).settings.model is None


def test_one_that_failed_before_a_reply_leaves_nothing_to_go_on_with(
    folder: Path, home: Path
) -> None:
    refusal = Answer(status=401, error=("no such key", "invalid_api_key"))
    with serving(lambda body: refusal) as server, pytest.raises(ModelStoppedError):
        ingest(folder, settings_for(server.base, home))

    report = ingest(folder, Settings(workers=1, home=home))
    assert (report.engine, report.resumed) == ("offline", "")


def test_columns_are_found_anew_once(folder: Path, home: Path) -> None:
    settings = Settings(workers=1, home=home)
    ingest(folder, settings)
    state = CorpusFolder(folder, home).readable()
    (folder / "new.txt").write_text("The hut stands 7 metres above the town of Brun.\n")

    report = ingest(folder, settings, fresh=True, cancelled=lambda: True)

    left = read_unfinished(state)
    assert report.cancelled
    assert left is not None
    assert (left.engine, left.fresh) == ("offline", False)


def test_a_cancelled_job_of_an_agent_is_gone_on_with_by_an_agent(folder: Path, home: Path) -> None:
    settings = Settings(workers=1, home=home)
    for_agents = settings.model_copy(update={"engine": "agent"})
    first = start_job(folder, for_agents, questions=[QUESTION])
    cancel_job(folder, settings, first.id)
    read_job(folder, settings, first.id, 60)

    second = start_job(folder, settings)
    cancel_job(folder, settings, second.id)
    ended = read_job(folder, settings, second.id, 60)

    assert (second.engine, ended.status) == ("agent", "cancelled")
    left = read_unfinished(CorpusFolder(folder, home).readable())
    assert left is not None
    assert (left.engine, left.questions) == ("agent", (QUESTION,))


def test_a_damaged_note_hinders_nothing(folder: Path, home: Path) -> None:
    state = CorpusFolder(folder, home).writable()
    with open_state(state) as opened:
        opened.keep_note("unfinished", '{"engine": "witchcraft"}')

    assert ingest(folder, Settings(workers=1, home=home)).published
    assert read_unfinished(state) is None
