"""An attribute is read from chosen documents only, beside the schema, until it is kept."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.errors import (
    NotIngestedError,
    QueryError,
    QuestionError,
    SchemaError,
    UselessRepliesError,
)
from srag_mcp.inference.answer import Bounds, ColumnCoverage, Denominator
from srag_mcp.inference.ask import Asking
from srag_mcp.inference.ask import ask as ask_for_answer
from srag_mcp.inference.grounds import find_grounds
from srag_mcp.model.remote_model import open_model
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.rules.doubts import check_columns
from srag_mcp.settings import Settings
from srag_mcp.sqlfacts.query import Translation, read_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.views.answers import result_table
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.pipeline import reading_model
from tests.pipeline.conftest import Ask
from tests.pipeline.reading_model import TOWNS, reply
from tests.pipeline.test_model_ingest import steps, write

WISH = "who keeps the station"
HIGH = "SELECT document_id FROM stations WHERE height_m > 300"  # 4, 5 and 6
DEFINE, READ = "A table was ", "You read doc"
KEEPERS = "SELECT document_id, keeper FROM stations ORDER BY 1"


def say(body: Body) -> Answer:
    """Answer as the reading model does; questions on the keeper, too."""
    messages = body["messages"]
    assert isinstance(messages, list)
    instructions, content = str(messages[0]["content"]), str(messages[1]["content"])
    if instructions.startswith("Translate the question") and "keeper (string)" in content:
        sql = "SELECT count(*) FROM stations WHERE keeper = 'Anna'"
        said: dict[str, object] = {"missing": [], "sql": sql}
        return Answer(json.dumps(said))
    return Answer(json.dumps(reply(instructions, content)))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving(say) as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, server: OpenAIServer) -> Settings:
    return settings_for(server, tmp_path / "home")


def settings_for(server: OpenAIServer, home: Path) -> Settings:
    return Settings(
        workers=1,
        home=home,
        model="openai/fake",
        api_base=server.base,
        api_key="none",
        schema_iterations=2,
    )


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six stations, ingested; to be copied."""
    stations = tmp_path_factory.mktemp("ingested")
    for number, town in enumerate(TOWNS, start=1):
        write(stations, number, town)
    with serving(say) as server:
        ingest(stations, settings_for(server, tmp_path_factory.mktemp("home")))
    return stations


@pytest.fixture
def folder(tmp_path: Path, ingested: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "stations")


def read(folder: Path, settings: Settings, documents: str = HIGH) -> IngestReport:
    return ingest(folder, settings, attribute=WISH, documents=documents, keep=False)


def shown_documents(server: OpenAIServer) -> int:
    """Count the documents in the prompts for records."""
    asked = [content_of(body) for body, step in zip(server.requests, steps(server), strict=True)
             if step == READ]  # fmt: skip
    return sum(content.count("(path ") for content in asked)


def test_only_the_chosen_documents_are_read(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    report = read(folder, settings)
    assert steps(server) == [DEFINE, READ]
    assert shown_documents(server) == 3
    assert (report.n_predicted, report.n_read, report.n_stated, report.published) == (3, 3, 3, True)
    assert report.attributes == ("town", "height_m")
    assert "read for 3 of 6 documents, and not kept: keeper (string)" in "\n".join(report.lines())
    assert ask(folder, KEEPERS) == [
        *((f"{number}.txt", None) for number in (1, 2, 3)),
        *((f"{number}.txt", "Anna") for number in (4, 5, 6)),
    ]
    properties = json.loads((folder / ".srag" / "schema.json").read_text())["properties"]
    assert list(properties) == ["town", "height_m"]


def test_the_same_question_is_answered_with_quotes_over_all_documents(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    asking = Asking(open_model(settings))
    read(folder, settings)
    with QueryPool() as pool:
        answer = ask_for_answer(
            Corpus(folder, pool, settings.home), "How many does Anna keep?", asking
        )
    assert answer.rows == ((3,),)
    assert answer.denominator == Denominator(
        6, columns=(ColumnCoverage("keeper", n_used=3, n_unknown=0, n_failed=0, n_unread=3),)
    )
    assert answer.bounds == Bounds(3, 6)
    assert "keeper: read for 3 of 6 documents only" in answer.assumptions
    assert {item.as_stated for item in answer.sources} == {"kept by Anna"}
    assert answer.proposal is not None
    assert (answer.proposal.attribute, answer.proposal.price.n_documents) == ("keeper", 3)
    shown = content_of(server.requests[-1])
    assert "[known in 3 of 6, of which only 3 were read for it: 'Anna' (3)]" in shown


@pytest.mark.parametrize(
    ("sql", "n", "bounds"),
    [
        ("SELECT count(keeper) FROM stations", 3, Bounds(3, 6)),
        ("SELECT count(*) FROM stations WHERE keeper IS NULL", 3, Bounds(0, 3)),
        ("SELECT count(*) FROM stations WHERE keeper IS NOT NULL", 3, Bounds(3, 6)),
        ("SELECT count(*) FROM stations WHERE keeper IS NULL AND height_m > 300", 0, None),
    ],
)
def test_who_was_not_read_may_say_something(
    folder: Path, settings: Settings, sql: str, n: int, bounds: Bounds | None
) -> None:
    read(folder, settings)
    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        page, facts = corpus.select(sql), read_query(sql, corpus.schema())
        assert (page.rows, find_grounds(corpus, facts, page).bounds) == (((n,),), bounds)


def test_what_depends_on_who_was_not_read_says_so(folder: Path, settings: Settings) -> None:
    read(folder, settings)
    listed = "up to 3 of the list may not belong to it: that is not known of them"
    grouped = "each count may be up to 3 higher or 3 lower: it is not known where that many"
    decided = "it may be otherwise: 0 to 3"
    told = {
        "SELECT document_id FROM stations WHERE keeper IS NULL": listed,
        "SELECT 100.0 * count(keeper) / count(*) FROM stations": "bounds are not worked out",
        "SELECT keeper IS NULL, count(*) FROM stations GROUP BY 1": grouped,
        "SELECT EXISTS (SELECT 1 FROM stations WHERE keeper IS NULL)": decided,
    }
    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        for sql, note in told.items():
            page, facts = corpus.select(sql), read_query(sql, corpus.schema())
            assert note in "; ".join(find_grounds(corpus, facts, page).notes), sql


def test_one_that_is_read_on_keeps_its_place_among_others(
    folder: Path, settings: Settings, ask: Ask
) -> None:
    read(folder, settings)
    opened = {"attribute": "opened", "documents": HIGH, "keep": False}
    ingest(folder, settings, **opened)  # type: ignore[arg-type]  # as a call has it
    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        before = [item.name for item in corpus.schema().attributes]
        read(folder, settings, "SELECT document_id FROM stations WHERE height_m > 100")
        assert [item.name for item in corpus.schema().attributes] == before
    assert before[2:] == ["keeper", "keeper_2"]


def test_a_kept_attribute_costs_only_the_rest(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    read(folder, settings)
    server.requests.clear()
    report = ingest(folder, settings, attribute=WISH)
    assert steps(server) == [READ]
    assert shown_documents(server) == 3
    assert report.extension is not None
    assert (report.extension.added, report.attributes) == (True, ("town", "height_m", "keeper"))
    assert ask(folder, "SELECT count(keeper) FROM stations") == [(6,)]
    server.requests.clear()
    assert not ingest(folder, settings).published
    assert server.requests == []
    with QueryPool() as pool:
        assert Corpus(folder, pool, settings.home).info().loose == ()


def test_later_ingestions_do_not_ask_for_it(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    read(folder, settings)
    server.requests.clear()
    assert not ingest(folder, settings).published
    write(folder, 7, "Gron")
    ingest(folder, settings)
    assert all("keeper" not in content_of(body) for body in server.requests)
    assert shown_documents(server) == 1
    assert ask(folder, "SELECT count(*), count(keeper) FROM stations") == [(7, 3)]


def test_what_was_read_is_not_read_again(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    read(folder, settings)
    server.requests.clear()
    assert not read(folder, settings).published
    assert server.requests == []
    further = read(folder, settings, "SELECT document_id FROM stations WHERE height_m > 100")
    assert (shown_documents(server), further.n_read) == (2, 5)
    assert steps(server) == [READ]


def find_keeper(body: Body) -> Answer:
    """Answer as the reading model does, but find what is asked for among what was read."""
    if DEFINE in str(body["messages"]):
        assert "keeper (string)" in content_of(body)
        return Answer(json.dumps({"existing": "keeper", "definition": None}))
    return say(body)


def test_by_another_name_only_other_documents_are_read(folder: Path, settings: Settings) -> None:
    read(folder, settings)
    with serving(find_keeper) as server:
        other = settings_for(server, settings.home or folder)
        reports = [
            ingest(folder, other, attribute=wish, documents=documents, keep=False)
            for wish, documents in (
                ("the warden of the station", HIGH),
                ("who looks after it", HIGH.replace("300", "200")),
            )
        ]
        assert steps(server) == [DEFINE, DEFINE, READ]
        assert shown_documents(server) == 1
    assert [(item.n_predicted, item.n_read) for item in reports] == [(0, 3), (1, 4)]


def test_changed_and_removed_documents_lose_their_cells(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    read(folder, settings)
    write(folder, 4, "Dorn", 450)
    (folder / "5.txt").unlink()
    ingest(folder, settings)
    assert ask(folder, "SELECT document_id FROM cells WHERE attribute = 'keeper'") == [("6.txt",)]
    assert read(folder, settings).n_read == 2


def test_a_stopped_reading_goes_on_where_it_stopped(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    stopped = read(folder, settings.model_copy(update={"budget_calls": 1}))
    assert stopped.cancelled
    assert not stopped.published
    assert read(folder, settings).n_stated == 3
    assert steps(server) == [DEFINE, READ]


def test_a_table_that_rules_read_stays_theirs(
    tmp_path: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    huts = tmp_path / "huts"
    huts.mkdir()
    for number in range(1, 5):
        text = f"Name: Hut {number}\nBeds: {number + 10}\n\nIt is kept by Anna.\n"
        (huts / f"{number}.txt").write_text(text)
    offline = settings.model_copy(update={"engine": "offline"})
    before = ingest(huts, offline)
    report = read(huts, settings, "SELECT document_id FROM huts WHERE beds > 13")
    assert (report.engine, report.n_read, report.attributes) == ("model", 1, before.attributes)
    assert steps(server) == [DEFINE, READ]
    with pytest.raises(SchemaError, match="keep it as a column, or let a language model read"):
        read(huts, offline, "")
    with pytest.raises(SchemaError, match="rules cannot go on with it"):
        ingest(huts, offline, attribute=WISH)
    assert ask(huts, "SELECT count(keeper) FROM huts") == [(1,)]
    assert ask(huts, "SELECT engine, count(*) FROM cells WHERE attribute <> 'keeper' GROUP BY 1") \
        == [("offline", 4 * len(before.attributes))]  # fmt: skip


def define_lamps(body: Body) -> Answer:
    """Answer as the reading model does, but call what is asked for lamps."""
    if DEFINE in str(body["messages"]):
        definition = reading_model.describe("lamps", "integer")
        return Answer(json.dumps({"existing": None, "definition": definition}))
    return say(body)


def test_another_column_of_who_was_not_read_is_no_doubt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(reading_model._READERS, "lamps", (r"Lamps: (\d+)", int))
    huts = tmp_path / "huts"
    huts.mkdir()
    for number in range(1, 9):
        label = "Lights" if number < 5 else "Lamps"
        lamps = f"{label}: {number}\n" if number < 8 else ""
        (huts / f"{number}.txt").write_text(f"Name: Hut {number}\nBeds: {number + 10}\n{lamps}")
    settings = Settings(workers=1, home=tmp_path / "home", engine="offline")
    columns = {"beds": {"type": "integer"}, "lights": {"type": "integer"}}
    schema = {"title": "Hut", "x-entity": "huts", "properties": columns}
    (huts / "schema.json").write_text(json.dumps(schema))
    ingest(huts, settings)
    chosen = "SELECT document_id FROM huts WHERE beds > 14"
    with serving(define_lamps) as server:
        thinking = settings_for(server, settings.home or tmp_path)
        ingest(huts, thinking, attribute="lamps", documents=chosen, keep=False)
    with QueryPool() as pool:
        corpus = Corpus(huts, pool, settings.home)
        facts = read_query("SELECT avg(lamps) FROM huts", corpus.schema())
        check_columns(corpus, Translation("What is the average of lamps?", "", facts))
        doubted = read_query("SELECT avg(lights) FROM huts", corpus.schema())
        with pytest.raises(QuestionError, match="others give lamps, which may be the same fact"):
            check_columns(corpus, Translation("What is the average of lights?", "", doubted))


@pytest.mark.parametrize(
    "documents",
    [
        "SELECT document_id FROM srag_texts",
        "SELECT document_id FROM read_text('/etc/passwd')",
        "DROP TABLE stations",
        "SELECT town FROM stations",
    ],
)
def test_hostile_sql_reads_nothing(
    folder: Path, settings: Settings, server: OpenAIServer, documents: str
) -> None:
    with pytest.raises(QueryError, match="the SQL in documents cannot be used"):
        read(folder, settings, documents)
    assert server.requests == []


def test_no_document_and_no_table_are_errors_that_cost_nothing(
    folder: Path, settings: Settings, server: OpenAIServer, tmp_path: Path
) -> None:
    with pytest.raises(SchemaError, match="no document that has a text is chosen"):
        read(folder, settings, "SELECT document_id FROM stations WHERE height_m > 9000")
    new = tmp_path / "new"
    new.mkdir()
    write(new, 1, "Arla")
    with pytest.raises(NotIngestedError):
        read(new, settings, "")
    assert server.requests == []


def test_what_the_schema_holds_is_not_read_again(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    report = ingest(folder, settings, attribute="height m", documents=HIGH, keep=False)
    assert report.extension is not None
    assert (report.extension.added, report.extension.attribute.name) == (False, "height_m")
    assert (report.published, server.requests) == (False, [])


def test_beside_half_a_table_nothing_is_read(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    write(folder, 7, "Gron")
    schema = json.loads((folder / ".srag" / "schema.json").read_text())
    schema["properties"]["opened"] = {"type": "integer", "description": "The year of opening."}
    (folder / ".srag" / "schema.json").write_text(json.dumps(schema))
    stopped = ingest(folder, settings.model_copy(update={"budget_calls": 0}))
    assert stopped.cancelled
    with pytest.raises(NotIngestedError, match="did not end: call ingest_corpus"):
        read(folder, settings)


def test_replies_of_no_use_leave_no_attribute(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    def mumble(body: Body) -> Answer:
        is_record = "You read documents" in str(body["messages"])
        return Answer("mumble" if is_record else say(body).text)

    with serving(mumble) as mumbling:
        odd = settings.model_copy(update={"api_base": mumbling.base})
        with pytest.raises(UselessRepliesError):
            read(folder, odd, "")
    ingest(folder, settings)
    with QueryPool() as pool:
        assert Corpus(folder, pool, settings.home).info().loose == ()
    assert read(folder, settings).n_stated == 3


def test_columns_that_are_found_anew_leave_it(
    folder: Path, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    read(folder, settings)
    report = ingest(folder, settings, fresh=True, questions=["When was it opened?"])
    assert report.attributes == ("town", "height_m", "opened")
    assert ask(folder, "SELECT count(keeper), count(opened) FROM stations") == [(3, 6)]


def test_a_count_of_cells_says_for_how_many_documents_there_are_any(
    folder: Path, settings: Settings
) -> None:
    read(folder, settings)
    sql = "SELECT count(*) FROM cells WHERE attribute = 'keeper' AND state = 'not_mentioned'"
    with QueryPool() as pool:
        page = result_table(Corpus(folder, pool, settings.home), sql, 10, 0, 20_000)
    assert page.rows == [[0]]
    assert "keeper: read for 3 of 6 documents only" in page.notes


@pytest.mark.parametrize(
    ("above", "coverage"),
    [
        (300, ["Over all 6 documents; none is left out as unknown."]),
        (200, ["Over all 6 documents; keeper: 3 used, 1 was not read for it (of those that other"
               " conditions leave).",
               "Whatever they would say: 3 to 4."]),
    ],
)  # fmt: skip
def test_documents_that_the_query_leaves_out_need_not_be_read(
    folder: Path, settings: Settings, above: int, coverage: list[str]
) -> None:
    read(folder, settings)
    sql = f"SELECT count(*) FROM stations WHERE height_m > {above} AND keeper = 'Anna'"
    with QueryPool() as pool:
        page = result_table(Corpus(folder, pool, settings.home), sql, 10, 0, 20_000)
    assert (page.rows, page.coverage) == ([[3]], coverage)
    assert "keeper: read for 3 of 6 documents only" in page.notes


def test_a_reading_that_is_cancelled_publishes_nothing(folder: Path, settings: Settings) -> None:
    stopped = ingest(
        folder, settings, attribute=WISH, documents=HIGH, keep=False, cancelled=lambda: True
    )
    assert (stopped.cancelled, stopped.published) == (True, False)
    with QueryPool() as pool:
        assert Corpus(folder, pool, settings.home).info().loose == ()
    done = read(folder, settings)
    assert (done.n_read, done.n_stated) == (3, 3)
