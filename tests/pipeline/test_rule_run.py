"""Rules first: drafts and audits, with a model that writes rules for pages on weather stations."""

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

import pytest

from srag_mcp.documents.folder import SCHEMA_FILE
from srag_mcp.inference.ask import ask as ask_question
from srag_mcp.pipeline import rule_run
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.rules.voting import Look
from srag_mcp.schema.json_schema import read_schema_file
from srag_mcp.settings import Effort, Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.views.holdings import schema_page
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.pipeline.conftest import Ask
from tests.pipeline.reading_model import TOWNS, say, settings_for

N = 160
Rule = dict[str, object]
HEIGHT: Rule = {"column": "height_m", "pattern": r"stands (?P<value>\d+) metres"}
TOWN: Rule = {"column": "town", "pattern": r"the town of (?P<value>[A-Z]\w+)"}
GREETING: Rule = {"column": "town", "pattern": r"Greetings from (?P<value>[A-Z]\w+)"}
SCHEMA = {
    "title": "Station",
    "type": "object",
    "x-entity": "stations",
    "properties": {
        "town": {"type": "string", "description": "The town below."},
        "height_m": {"type": "integer", "x-unit": "m", "description": "Height above the sea."},
    },
}


def write(folder: Path, number: int, *, is_odd: bool = False) -> None:
    """Write a page; of an odd one the rule for the town takes another town."""
    town = TOWNS[number % len(TOWNS)]
    height = f"The hut stands {100 + number} metres above" if number % 4 else "It lies above"
    greeting = f" Greetings from {town}!" if number % 2 and not is_odd else ""
    lost = "Do not look for it in the town of Oslo. " if is_odd else ""
    page = f"Station {number}. {lost}{height} the town of {town}, and it rains.{greeting}\n"
    (folder / f"{number:03}.txt").write_text(page)


def drawn(numbers: Iterable[int]) -> list[int]:
    """Order documents as samples and audits draw them."""
    return sorted(numbers, key=lambda number: md5(f"{number:03}.txt".encode()).hexdigest())


def write_stations(stations: Path) -> Path:
    stations.mkdir()
    (stations / "schema.json").write_text(json.dumps(SCHEMA))
    for number in range(N):
        write(stations, number)
    return stations


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_stations(tmp_path / "stations")


class Writer:
    """Answers prompts for rules with `rules`, all others as `say` does."""

    def __init__(self) -> None:
        self.rules: list[Rule] = [HEIGHT, TOWN, GREETING]
        self.mended: list[Rule] = []
        self.n_asked = 0

    def answer(self, body: Body) -> Answer:
        if "rules by which a program" not in str(body["messages"]):
            return say(body)
        self.n_asked += 1
        rules = self.mended if self.mended and "missed: " in content_of(body) else self.rules
        return Answer(json.dumps({"rules": rules}))


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
def server(writer: Writer) -> Iterator[OpenAIServer]:
    with serving(writer.answer) as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, server: OpenAIServer) -> Settings:
    return settings_of(server, tmp_path / "home")


def settings_of(server: OpenAIServer, home: Path) -> Settings:
    return settings_for(server, home).model_copy(update={"schema_documents": 8})


def at(settings: Settings, effort: Effort) -> Settings:
    return settings.model_copy(update={"effort": effort})


def n_shown(server: OpenAIServer) -> int:
    """Count the documents in prompts that ask for records."""
    return sum(
        content_of(body).count(" (path ")
        for body in server.requests
        if "You read documents" in str(body["messages"])
    )


@dataclass(frozen=True)
class Ingested:
    """The stations, ingested with all rules; to be copied. What was told, and shown for it."""

    folder: Path
    report: IngestReport
    n_shown: int


Ingest = Callable[[Effort], Ingested]
Begin = Callable[[Effort], Path]


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Ingest:
    """Ingest once with each effort."""
    kept: dict[Effort, Ingested] = {}

    def ingest_once(effort: Effort) -> Ingested:
        if effort not in kept:
            place = tmp_path_factory.mktemp(effort)
            stations = write_stations(place / "stations")
            with serving(Writer().answer) as server:
                report = ingest(stations, at(settings_of(server, place / "home"), effort))
                kept[effort] = Ingested(stations, report, n_shown(server))
        return kept[effort]

    return ingest_once


@pytest.fixture
def begin(tmp_path: Path, ingested: Ingest) -> Begin:
    """Return a function that gives the folder as an ingestion with an effort leaves it."""
    return lambda effort: shutil.copytree(ingested(effort).folder, tmp_path / "stations")


TRUTH = (
    "SELECT count(*) FROM stations WHERE height_m IS DISTINCT FROM"
    " CASE WHEN left(document_id, 3)::INT % 4 > 0 THEN 100 + left(document_id, 3)::INT END"
)


def test_a_draft_is_sample_and_rules_alone(ingested: Ingest, ask: Ask) -> None:
    folder, report = ingested("draft").folder, ingested("draft").report
    assert ingested("draft").n_shown == 16
    assert report.n_predicted == 16
    assert "nothing of it was audited" in "\n".join(report.lines())
    assert ask(folder, TRUTH) == [(0,)]
    marks = "SELECT state, marks, note, count(*) FROM cells WHERE attribute = 'height_m'"
    found = {row[:3]: int(str(row[3])) for row in ask(folder, f"{marks} GROUP BY ALL")}
    assert found["stated", "ruled", "read by a rule"] > 100
    assert found["failed", "", "not asked about yet"] > 30
    said = ask(folder, "SELECT as_stated FROM cells WHERE document_id = '101.txt' ORDER BY 1")
    assert said == [("201",), ("Faro",)]


def test_an_audit_certifies_what_rules_read_and_the_rest_is_read(
    ingested: Ingest, settings: Settings, ask: Ask, worker: QueryPool
) -> None:
    folder, report = ingested("checked").folder, ingested("checked").report
    assert 16 < ingested("checked").n_shown < N
    assert ask(folder, TRUTH) == [(0,)]
    assert ask(folder, "SELECT count(*) FROM cells WHERE state = 'failed'") == [(0,)]
    text = "\n".join(report.lines())
    assert re.search(
        r"height_m: rules decide \d+, 0 of \d\d audited cells differ: error ≤ [34]", text
    )
    assert "2 columns hold at 5%: of so many, 0.1 are expected to hold by chance" in text
    ruled = "SELECT count(*) FROM cells WHERE marks = 'ruled'"
    assert int(str(ask(folder, ruled)[0][0])) > 100

    corpus = Corpus(folder, worker, settings.home)
    lines = schema_page(corpus, 20_000).columns
    assert any("height_m" in line and "error ≤ " in line for line in lines)
    state = CorpusFolder(folder, settings.home).readable()
    kept = read_schema_file(state / SCHEMA_FILE).attribute("height_m")
    assert kept.audit is not None
    assert kept.rules[0].right >= 3


@pytest.mark.parametrize(
    ("effort", "said"), [("draft", "which nobody has audited"), ("checked", "error ≤ ")]
)
def test_answers_say_how_often_rules_may_be_wrong(
    ingested: Ingest,
    settings: Settings,
    worker: QueryPool,
    effort: Effort,
    said: str,
) -> None:
    corpus = Corpus(ingested(effort).folder, worker, settings.home)
    answer = ask_question(corpus, "How many stations have the town Arla?")
    assert any(f"are read by rules, {said}" in text for text in answer.assumptions)


def test_new_documents_are_read_by_the_rules_that_are_there(
    begin: Begin, settings: Settings, server: OpenAIServer, ask: Ask, writer: Writer
) -> None:
    folder = begin("checked")
    for number in range(N, N + 40):
        write(folder, number)
    ingest(folder, settings)  # the effort is remembered
    assert n_shown(server) < 30
    assert writer.n_asked == 0
    assert ask(folder, TRUTH) == [(0,)]


TOWN_IS = "SELECT count(*) FROM stations WHERE town = 'Oslo'"


def test_rules_that_do_not_hold_any_more_are_told_and_the_column_is_read(
    folder: Path, settings: Settings, server: OpenAIServer, writer: Writer, ask: Ask
) -> None:
    writer.rules = [HEIGHT, TOWN]
    ingest(folder, at(settings, "checked"))
    for number in range(N, N + 160):
        write(folder, number, is_odd=True)
    report = ingest(folder, settings)
    assert "town: its rules held before, and do not hold any more" in report.ruled
    assert ask(folder, TOWN_IS) == [(0,)]
    assert ask(folder, TRUTH) == [(0,)]
    assert n_shown(server) >= N + 80
    marks = "SELECT count(*) FROM cells WHERE attribute = 'town' AND marks = 'ruled'"
    assert ask(folder, marks) == [(0,)]


def test_a_rule_that_takes_something_else_falls_and_others_stay(
    folder: Path, settings: Settings, ask: Ask
) -> None:
    for number in drawn(range(N))[16:40]:  # the sample has none of them
        write(folder, number, is_odd=True)
    report = ingest(folder, at(settings, "checked"))
    assert any(line.startswith("town: ") and "error ≤ " in line for line in report.ruled)
    assert ask(folder, TOWN_IS) == [(0,)]
    marks = "SELECT count(*) FROM cells WHERE attribute = 'town' AND marks = 'ruled'"
    assert int(str(ask(folder, marks)[0][0])) > 0


def test_a_column_that_fails_its_audit_is_read_in_all_documents(
    folder: Path, settings: Settings, writer: Writer, ask: Ask
) -> None:
    writer.rules = [HEIGHT, TOWN]
    stating = [number for number in drawn(range(N)) if number % 4]
    for number in stating[30:60]:  # neither the sample nor what leaves most open has any of them
        write(folder, number, is_odd=True)
    report = ingest(folder, at(settings, "checked"))
    assert any(line.startswith("town: ") and "the model reads it" in line for line in report.ruled)
    assert ask(folder, TOWN_IS) == [(0,)]
    assert ask(folder, TRUTH) == [(0,)]


HUT: Rule = {"column": "height_m", "pattern": r"hut stands (?P<value>\d+) metres"}
TOWER: Rule = {"column": "height_m", "pattern": r"tower stands (?P<value>\d+) metres"}
NO_TOWER: Rule = {"column": "height_m", "pattern": r"tower stands (?P<value>\d)"}


@pytest.mark.parametrize("mended", [TOWER, NO_TOWER])
def test_rules_that_an_audit_mends_are_audited_by_other_documents(
    folder: Path,
    settings: Settings,
    server: OpenAIServer,
    writer: Writer,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    mended: Rule,
) -> None:
    monkeypatch.setattr(rule_run, "choose_look", lambda _n_cells: Look.FIRST)
    n_pages = 2 * N
    for number in range(N, n_pages):
        write(folder, number)
    # neither the sample has any of them nor what practice draws
    odd = [number for number in drawn(range(n_pages))[104:] if number % 4]
    for number in (number for n, number in enumerate(odd) if n % 3):
        page = folder / f"{number:03}.txt"
        page.write_text(page.read_text().replace("hut stands", "tower stands"))
    writer.rules = [HUT, TOWN, GREETING]
    writer.mended = [mended]
    ingest(folder, at(settings, "checked"))
    assert ask(folder, TRUTH) == [(0,)]
    assert ask(folder, "SELECT count(*) FROM cells WHERE state = 'failed'") == [(0,)]
    path = CorpusFolder(folder, settings.home).readable() / SCHEMA_FILE
    audits = [read_schema_file(path).attribute(name).audit for name in ("town", "height_m")]
    town, height = (audit for audit in audits if audit is not None)
    n_learned = n_pages - town.cells
    assert (town.look, town.reads_silence) == (Look.FIRST, True)
    if mended is TOWER:
        assert (height.look, height.reads_silence) == (Look.SECOND, True)
        assert height.cells == town.cells - town.audited, "what was learnt from is no proof"
        n_read = n_learned + town.audited + height.audited
        assert n_read <= n_shown(server) < n_read + 12, "the ends are read, too"
    else:
        assert height.look == Look.FIRST, "where nothing was learnt nothing is looked at again"

    for number in range(n_pages, n_pages + 9):
        write(folder, number)
    n_asked = writer.n_asked
    ingest(folder, settings)
    assert writer.n_asked == n_asked, "there is no third look"
    assert ask(folder, TRUTH) == [(0,)]


def test_a_small_folder_is_read_whole(
    folder: Path, settings: Settings, server: OpenAIServer, writer: Writer, ask: Ask
) -> None:
    for number in range(120, N):
        (folder / f"{number:03}.txt").unlink()
    report = ingest(folder, at(settings, "checked"))
    assert report.ruled == ("rules would save little here: all documents are read",)
    assert (writer.n_asked, n_shown(server)) == (0, 120)
    assert ask(folder, TRUTH) == [(0,)]


def test_what_rules_leave_open_is_read_in_parts(
    folder: Path, settings: Settings, server: OpenAIServer, writer: Writer, ask: Ask
) -> None:
    writer.rules = [GREETING]  # the height has none, and every second page has no greeting
    ingest(folder, at(settings, "checked"))
    assert ask(folder, TRUTH) == [(0,)]
    assert ask(folder, "SELECT count(*) FROM cells WHERE state = 'failed'") == [(0,)]


def test_a_column_without_rules_is_read_where_words_tell_it(
    folder: Path, settings: Settings, server: OpenAIServer, writer: Writer, ask: Ask
) -> None:
    """Of what no audit covers no bound is told."""
    for page in folder.glob("*.txt"):
        page.write_text(page.read_text() + "\n\nNobody lives there in winter.\n\n" * 40)
    writer.rules = [TOWN, GREETING]
    report = ingest(folder, at(settings, "checked"))
    assert any(line.startswith("town: ") and "error ≤ " in line for line in report.ruled)
    assert "height_m: nothing was audited, so the model reads it" in report.ruled
    assert ask(folder, TRUTH) == [(0,)]
    assert ask(folder, "SELECT count(*) FROM cells WHERE state = 'failed'") == [(0,)]
    n_whole = sum(content_of(body).count("Nobody lives") for body in server.requests) / 40
    assert 50 < n_whole < 100
    silent = "SELECT count(*) FROM cells WHERE note LIKE '%nobody audited%' AND state = '{}'"
    assert int(str(ask(folder, silent.format("not_mentioned"))[0][0])) > 0
    assert ask(folder, silent.format("stated")) == [(0,)]


def test_a_rule_that_a_person_removed_stays_away(
    begin: Begin, settings: Settings, writer: Writer, ask: Ask
) -> None:
    folder = begin("draft")
    path = CorpusFolder(folder, settings.home).readable() / SCHEMA_FILE
    written = json.loads(path.read_text())
    del written["properties"]["town"]["x-rules"]
    path.write_text(json.dumps(written))
    ingest(folder, settings)
    assert writer.n_asked == 0
    ruled = "SELECT DISTINCT attribute FROM cells WHERE marks = 'ruled'"
    assert ask(folder, ruled) == [("height_m",)]


def test_full_reads_what_rules_had_decided(
    begin: Begin, settings: Settings, server: OpenAIServer, ask: Ask
) -> None:
    folder = begin("draft")
    ingest(folder, at(settings, "full"))
    assert n_shown(server) == N - 16
    assert ask(folder, "SELECT count(*) FROM cells WHERE marks != '' OR state = 'failed'") == [(0,)]


def test_a_correction_by_a_person_judges_rules_at_once_and_one_by_an_agent_does_not(
    begin: Begin, settings: Settings, server: OpenAIServer, ask: Ask, worker: QueryPool
) -> None:
    folder = begin("checked")
    ruled = "SELECT document_id FROM cells WHERE attribute = 'height_m' AND marks = 'ruled'"
    [(one,), (other,)] = ask(folder, f"{ruled} AND state = 'stated' ORDER BY 1 LIMIT 2")
    path = CorpusFolder(folder, settings.home).readable() / SCHEMA_FILE
    before, n_asked = read_schema_file(path).attribute("height_m"), len(server.requests)
    assert before.audit is not None

    correct(folder, settings, (str(one), "height_m"), ("value", "7"), "agent")
    assert read_schema_file(path).attribute("height_m") == before
    correct(folder, settings, (str(other), "height_m"), ("value", "8"))
    judged = read_schema_file(path).attribute("height_m")
    assert judged.audit is not None
    assert (judged.audit.wrong, judged.audit.bound > before.audit.bound) == (1, True)
    correct(folder, settings, (str(one), "height_m"), ("accept", ""))
    accepted = read_schema_file(path).attribute("height_m").audit
    assert accepted is not None
    assert accepted.wrong == 2
    page = schema_page(Corpus(folder, worker, settings.home), 20_000).columns
    assert any(str(accepted) in line for line in page)
    for document in (one, other):
        correct(folder, settings, (str(document), "height_m"), ("undo", ""))
    assert read_schema_file(path).attribute("height_m") == before
    assert len(server.requests) == n_asked
    assert not ingest(folder, settings).published


def test_a_rule_of_a_draft_that_a_person_corrects_does_not_speak_again(
    begin: Begin, settings: Settings, ask: Ask
) -> None:
    folder = begin("draft")
    ruled = "FROM cells WHERE attribute = 'height_m' AND marks = 'ruled'"
    [(one,)] = ask(folder, f"SELECT document_id {ruled} ORDER BY 1 LIMIT 1")
    correct(folder, settings, (str(one), "height_m"), ("value", "7"))
    path = CorpusFolder(folder, settings.home).readable() / SCHEMA_FILE
    assert [rule.wrong for rule in read_schema_file(path).attribute("height_m").rules] == [1]
    write(folder, N)
    ingest(folder, settings)
    assert [rule.wrong for rule in read_schema_file(path).attribute("height_m").rules] == [1]
    assert ask(folder, f"SELECT count(*) {ruled}") == [(0,)]


def test_prompts_for_rules_show_what_a_person_set_and_not_what_an_agent_did(
    folder: Path, settings: Settings, server: OpenAIServer
) -> None:
    ingest(folder, at(settings, "full"))
    one, other = (f"{number:03}.txt" for number in drawn(range(N))[:2])
    correct(folder, settings, (one, "height_m"), ("value", "77771"), "agent")
    correct(folder, settings, (other, "height_m"), ("value", "88882"))
    n_asked = len(server.requests)
    assert not ingest(folder, at(settings, "checked")).published, "nothing is read for them"
    assert len(server.requests) == n_asked
    for number in range(N, N + 160):
        write(folder, number)
    ingest(folder, settings)

    asked = [content_of(body) for body in server.requests[n_asked:]]
    assert not any("77771" in content for content in asked)
    assert any("88882" in content for content in asked)
