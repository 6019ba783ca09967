"""Names of a column become one value: asked about once, published, decided on by a person."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Work
from srag_mcp.errors import SchemaError, StoreError
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.ledger import MeteredModel
from srag_mcp.names.uniting import Decision, Same, Verdict
from srag_mcp.pipeline.correction_run import decide_names
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.record_run import resolve_names
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish_changes
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import keep_verdicts, kept_verdicts
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import NAMES_FILE
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state
from srag_mcp.store.work import open_work
from tests.model.scripted import ScriptedModel
from tests.pipeline.conftest import Ask, Rows
from tests.pipeline.test_standard_columns import predict

ISSUER = Attribute(name="issuer", type="string", description="Who issues it.")
SCHEMA = Schema(title="Note", entity="notes", attributes=(ISSUER,))
NAMES = ("Acme Ltd", "ACME LIMITED", "Borel Inc.", "Borel Inc.", "International Borel Mining",
         "IBM", "Part 6", "Part 7")  # fmt: skip


@dataclass
class Notes:
    """Predicted notes of issuers; `says` are the lists of spellings that the model calls one."""

    folder: Path
    settings: Settings
    says: Sequence[Sequence[str]] = ()
    prompts: list[Prompt] = field(default_factory=list)

    def build(self, names: Sequence[str] = (), engine: str = "model") -> str:
        """Predict documents that say *names*, resolve them and publish; return what was united."""
        self.folder.mkdir(exist_ok=True)
        state = self.folder / ".srag"
        state.mkdir(exist_ok=True)
        (state / "builds").mkdir(exist_ok=True)
        with open_work(state) as work, open_state(state) as opened:
            replies = StoredReplies(opened)
            work.put_in_force(SCHEMA, "given")
            if names:
                work.run("DELETE FROM documents")
                predict(work, {ISSUER: [(name, name) for name in names]})
            model = MeteredModel(ScriptedModel(self._reply), replies, "a/b")
            asking = ModelEngine(
                work=Work(work, Settings()), model=model, replies=replies, max_in_flight=1
            )
            resolve_names(work, SCHEMA, asking)
            work.put_engine_in_force(engine)
            info = publish_changes(work, SCHEMA)
            return "" if info is None else info.united

    def decide(self, decision: Decision, *names: str) -> None:
        decide_names(self.folder, self.settings, "issuer", names, decision)

    def _reply(self, prompt: Prompt) -> str:
        self.prompts.append(prompt)
        groups: dict[str, dict[str, str]] = {}
        for line in prompt.content.splitlines()[1:-1]:
            if line.startswith("g"):
                letters = groups.setdefault(line, {})
            elif line[1:2] == " ":
                spelling = line.partition(") ")[2].partition(" | ")[0]
                letters[spelling] = line[0]
        said = []
        for key, letters in groups.items():
            lists = [[letters[n] for n in names if n in letters] for names in self.says]
            said.append({"id": key, "same": [item for item in lists if len(item) > 1]})
        return json.dumps({"groups": said})


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes", Settings(workers=1, home=tmp_path / "home"))


VALUES = "SELECT issuer, count(*) FROM notes GROUP BY ALL ORDER BY 2 DESC, 1"
ONE = ("International Borel Mining", "IBM")


def test_what_the_model_calls_one_is_one_value(notes: Notes, ask: Ask) -> None:
    notes.says = [ONE]
    assert notes.build(NAMES) == "4 spellings of 2 names united in issuer"
    united: Rows = [("Acme Ltd", 2), ("Borel Inc.", 2), ("International Borel Mining", 2),
                    ("Part 6", 1), ("Part 7", 1)]  # fmt: skip
    assert ask(notes.folder, VALUES) == united
    found = ask(
        notes.folder, "SELECT value, as_stated, note FROM cells WHERE note <> '' ORDER BY 1"
    )
    assert found == [
        ("Acme Ltd", "ACME LIMITED", "united: “ACME LIMITED” is “Acme Ltd”"),
        ("International Borel Mining", "IBM", "united: “IBM” is “International Borel Mining”"),
    ]


def test_a_group_is_asked_about_once(notes: Notes) -> None:
    notes.says = [ONE]
    notes.build(NAMES)
    assert len(notes.prompts) == 1
    assert "issuer: _" in notes.prompts[0].content
    assert notes.build() == ""
    assert len(notes.prompts) == 1


def test_a_new_spelling_asks_about_its_group_alone(notes: Notes, ask: Ask) -> None:
    notes.says = [ONE]
    notes.build((*NAMES, "Tom Hale", "Thomas Hale"))
    names = (*NAMES, "Tom Hale", "Thomas Hale", "Int. Borel Mining")
    notes.says = [(*ONE, "Int. Borel Mining")]
    assert notes.build(names) == "5 spellings of 2 names united in issuer"
    assert "Hale" in notes.prompts[0].content
    assert "Hale" not in notes.prompts[1].content
    assert ask(notes.folder, VALUES)[0] == ("International Borel Mining", 3)


def test_what_was_said_of_names_holds_until_they_are_parted(notes: Notes) -> None:
    notes.build(NAMES)
    old, new = (Same(name=keys[0], keys=keys) for keys in (("a", "b", "c"), ("a", "b", "e")))
    with open_work(notes.folder / ".srag") as work:
        keep_verdicts(work, "issuer", [Verdict(keys=("a", "b", "c", "d"), same=(old,))])
        keep_verdicts(work, "issuer", [Verdict(keys=new.keys, same=(new,))])
        kept = [item for verdict in kept_verdicts(work, "issuer") for item in verdict.same]
        assert kept == [old, new]
        keep_verdicts(work, "issuer", [Verdict(keys=("a", "b"))])
        assert [x for verdict in kept_verdicts(work, "issuer") for x in verdict.same] == []


def test_without_doubt_nothing_is_asked(notes: Notes) -> None:
    assert notes.build(("Acme Ltd", "Acme Limited", "Corvin AG")) == (
        "2 spellings of 1 name united in issuer"
    )
    assert notes.prompts == []


def test_names_that_are_all_spelt_otherwise_are_asked_about(notes: Notes) -> None:
    notes.says = [("Thomas Hale", "Tom Hale")]
    assert notes.build(("Tom Hale", "Thomas Hale", "Ann Orr")) == (
        "2 spellings of 1 name united in issuer"
    )


def test_of_what_describes_things_nothing_is_asked(notes: Notes) -> None:
    """Their words stand in documents in small letters, too."""
    titles = ("Software Engineer", "Senior Software Engineer", "Data Analyst")
    notes.build((*titles, "Work of a senior engineer, software and data"))
    assert notes.prompts == []
    notes.build((*titles, "Work of Acme"))
    assert len(notes.prompts) == 1


@pytest.fixture
def corpus_of(notes: Notes) -> Iterator[Corpus]:
    with QueryPool() as pool:
        yield Corpus(notes.folder, pool, notes.settings.home)


def test_any_spelling_finds_the_value(notes: Notes, corpus_of: Corpus) -> None:
    notes.says = [ONE]
    notes.build(NAMES)
    [found] = corpus_of.values().search("ibm", ["issuer"])
    assert (found.value, found.spelling, found.n_records, found.score) == (*ONE, 2, 1.0)
    [own] = corpus_of.values().search("International Borel", ["issuer"])
    assert (own.value, own.spelling) == (ONE[0], None)
    assert [(item.value, item.spellings) for item in corpus_of.united_names()] == [
        ("Acme Ltd", (("ACME LIMITED", 1), ("Acme Ltd", 1))),
        ("International Borel Mining", (("IBM", 1), ("International Borel Mining", 1))),
    ]


def test_a_person_splits_and_unites_for_good(notes: Notes, ask: Ask) -> None:
    notes.says = [ONE]
    notes.build(NAMES)
    notes.decide("apart", "IBM", "International Borel Mining")
    notes.decide("same", "Borel Inc.", "IBM")
    after = ask(notes.folder, VALUES)
    assert after[:2] == [("Borel Inc.", 3), ("Acme Ltd", 2)]
    assert ("International Borel Mining", 1) in after
    notes.build((*NAMES, "Acme"))  # a later ingestion, in which the model says the same again
    assert ask(notes.folder, VALUES)[:2] == [("Acme Ltd", 3), ("Borel Inc.", 3)]
    notes.decide("forget", "IBM", "Borel Inc.", "International Borel Mining")
    assert ("International Borel Mining", 2) in ask(notes.folder, VALUES)
    assert json.loads((notes.folder / ".srag" / NAMES_FILE).read_bytes()) == {}


def test_names_of_no_column_are_refused(notes: Notes) -> None:
    notes.build(NAMES)
    with pytest.raises(SchemaError, match="height"):
        decide_names(notes.folder, notes.settings, "height", ("a", "b"), "same")
    with pytest.raises(SchemaError, match="differ in case or marks only"):
        decide_names(notes.folder, notes.settings, "issuer", ("Acme Inc.", "ACME INC"), "apart")


def test_offline_only_what_is_certain_is_one(tmp_path: Path, settings: Settings, ask: Ask) -> None:
    folder = tmp_path / "offline"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        (folder / f"{number}.txt").write_text(f"Note {number}\n\nIssuer: {name}\n")
    rule = KeyRule(keys=("issuer",))
    schema = SCHEMA.model_copy(
        update={"attributes": (ISSUER.model_copy(update={"extractors": (rule,)}),)}
    )
    report = ingest(folder, settings, schema=schema)
    assert report.united == "2 spellings of 1 name united in issuer"
    assert report.united in report.lines()
    assert ask(folder, VALUES)[:3] == [("Acme Ltd", 2), ("Borel Inc.", 2), ("IBM", 1)]
    (folder / ".srag" / NAMES_FILE).write_text('{"issuer": {"same": [["Part 6", "Part 7"]]}}')
    assert ingest(folder, settings, schema=schema).published
    assert ("Part 6", 2) in ask(folder, VALUES)
    (folder / ".srag" / NAMES_FILE).write_text('{"issuer": 7}')
    with pytest.raises(StoreError, match=r"names\.json cannot be read; mend it, or remove it"):
        ingest(folder, settings, schema=schema)
