"""A folder of several kinds of documents becomes a corpus for each kind."""

import json
import shutil
from pathlib import Path

import pytest

import srag_mcp
from srag_mcp.documents.folder import find_documents
from srag_mcp.errors import CorpusError, NotIngestedError, StoreError
from srag_mcp.inference.ask import ask
from srag_mcp.inference.ask_kinds import choose_corpus, find_named
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.file_plan import find_files, read_sample
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.kind_run import (
    Grouping,
    KindSorter,
    join_kinds,
    rename_kind,
)
from srag_mcp.pipeline.quote import quote_kinds
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.server.corpora import Corpora
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.kind_tables import open_kinds
from srag_mcp.store.layout import KINDS_FILE, CorpusFolder
from srag_mcp.store.work import open_work
from srag_mcp.views.findings import search_page, trace_page
from srag_mcp.views.holdings import kind_with
from tests.conftest import Once
from tests.documents.conftest import write_workbook

BOAT = "# Boat {n}\n\n- Berth: {n}\n- Length: {n} m\n- Hull: wood\n- Skipper: {name}\n"
LESSON = "# Lesson {n}\n\n- Pupil: {name}\n- Strokes: {n}\n- Teacher: {name}\n- Badge: bronze\n"
NAMES = ["Ada", "Bea", "Cleo", "Dora", "Ella", "Fay", "Gina", "Hope"]


@pytest.fixture
def harbour(quay: Path) -> Path:
    """Eight boats and seven lessons, and a letter that is neither."""
    folder = quay / "harbour"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number, name in enumerate(NAMES, start=1):
        (folder / f"b{number}.md").write_text(BOAT.format(name=name, n=number))
        if number < len(NAMES):
            (folder / f"c{number}.md").write_text(LESSON.format(name=name, n=10 * number))
    (folder / "letter.md").write_text("Dear all, remember that rain is expected everywhere.")
    return folder


@pytest.fixture
def ingested(harbour: Path, settings: Settings, once: Once) -> Path:
    return once(harbour, lambda: ingest(harbour, settings))


def open_kind(harbour: Path, name: str, settings: Settings, worker: QueryPool) -> Corpus:
    place = CorpusFolder(harbour, settings.home).kinds()[name]
    return Corpus(place, worker, settings.home, f"harbour/{name}")


def assign(state: Path, kinds: dict[str, list[str]]) -> None:
    (state / "schema.json").write_text(json.dumps({"x-kinds": kinds}))


def test_each_kind_gets_a_table_and_what_is_of_none_is_told(
    harbour: Path, settings: Settings, worker: QueryPool
) -> None:
    report = ingest(harbour, settings)
    assert report.told == (
        "2 kinds of documents, each a corpus with a table of its own: harbour/boats (8),"
        " harbour/lessons (7); found by their words alone: a language model says which of them are"
        " one kind, if the columns are found anew with one (--fresh-schema, rebuild_schema)",
    )
    assert [item.path for item in report.skipped] == ["letter.md"]
    assert [part.n_documents for part in report.kinds] == [8, 7]
    boats = open_kind(harbour, "boats", settings, worker)
    assert ask(boats, "How many boats are there?").rows == ((8,),)
    assert {"berth", "skipper"} <= {item.name for item in boats.schema().attributes}
    lessons = open_kind(harbour, "lessons", settings, worker)
    assert ask(lessons, "What is the sum of strokes?").rows == ((280,),)
    with pytest.raises(NotIngestedError):
        Corpus(harbour, worker, settings.home).build_path()


def test_what_is_of_no_kind_is_in_no_table_and_is_found_and_told(
    harbour: Path, settings: Settings, worker: QueryPool
) -> None:
    (harbour / "broken.pdf").write_bytes(b"no more")
    ingest(harbour, settings)
    boats = open_kind(harbour, "boats", settings, worker)
    told = (
        "1 file of the folder in no table (like none of its kinds of documents, found by a search"
        " of the folder): letter.md",
        "1 file of the folder in no table (could not be read): broken.pdf",
    )
    assert boats.notices() == ask(boats, "How many boats are there?").assumptions == told
    both = open_kinds("harbour", CorpusFolder(harbour).kinds(), worker, settings.home)
    assert both.notices() == told
    assert [item.name for item in both.own_tables()] == ["boats", "lessons"]
    assert both.select("SELECT count(*) FROM documents").rows == ((17,),)
    page = search_page(both, "rain expected", 9000)
    assert [item.document_id for item in page.passages] == ["letter.md"]
    assert (page.searched, page.unreadable) == (16, ["broken.pdf"])
    assert kind_with(both, document_id="letter.md").document_text("letter.md").startswith("Dear")
    failed = trace_page(kind_with(both, "", "broken.pdf"), document_id="broken.pdf", state="failed")
    assert [x.note for x in failed.sources] == ["it is not a PDF file, or a damaged one"]

    (harbour / "broken.pdf").unlink()
    (harbour / "letter.md").write_text(LESSON.format(name="Ivy", n=9))
    report = ingest(harbour, settings)
    assert ([part.n_documents for part in report.kinds], boats.notices()) == ([8, 8], ())


def test_what_is_of_no_kind_is_never_a_table_to_count_in(
    ingested: Path, settings: Settings
) -> None:
    with srag_mcp.open_corpus(ingested / "of_no_kind", settings) as rest:
        assert search_page(rest, "rain", 9000).found_in == 1
        assert ingest(rest.location, settings.with_engine("agent")).attributes == ()
        with pytest.raises(CorpusError, match="have no columns"):
            ingest(rest.location, settings, attribute="weather")
    with pytest.raises(CorpusError, match="never counted"):
        srag_mcp.ask(ingested / "of_no_kind", "How many documents are there?", settings)


def test_a_question_goes_to_the_kind_that_it_names(
    ingested: Path, settings: Settings, worker: QueryPool
) -> None:
    both = [open_kind(ingested, name, settings, worker) for name in ("boats", "lessons")]
    assert choose_corpus(both, "How many lessons are there?") is both[1]
    assert choose_corpus(both, "What is the longest length?") is both[0]
    assert choose_corpus(both, "What do strokes say of the weather?") is both[1]
    with pytest.raises(CorpusError, match="may be about several corpora"):
        choose_corpus(both, "How many boats and lessons are there?")
    with pytest.raises(CorpusError, match="names the records of no corpus"):
        choose_corpus(both, "How many gardens are there?")


def test_a_longer_name_is_meant_by_who_says_it_whole(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    corpora = []
    for nouns in (("item", "items"), ("action item", "action items")):
        folder = tmp_path / nouns[1].replace(" ", "_")
        folder.mkdir()
        (folder / "1.md").write_text("Place: Kiel\n")
        place = Attribute(name="place", type="string", extractors=(KeyRule(keys=("place",)),))
        ingest(folder, settings, schema=Schema(title="Thing", attributes=(place,), nouns=nouns))
        corpora.append(Corpus(folder, worker, settings.home))
    assert find_named(corpora, "How many action items are there?") == corpora[1:]
    assert find_named(corpora, "How many items are there?") == corpora


def test_what_a_column_of_one_is_called_does_not_name_another(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    (tmp_path / "files").mkdir()
    letters = "".join(f"{n},{100 + n},Bo\n" for n in range(1, 9))
    (tmp_path / "files" / "adoptions.csv").write_text(f"adoption_no,fee,family\n{letters}")
    forms = "".join(f"F{n},{200 + n},cat,{n}\n" for n in range(1, 9))
    (tmp_path / "files" / "forms.csv").write_text(f"form_no,adoption_fee,animal,age\n{forms}")
    ingest(tmp_path / "files", settings)
    both = [open_kind(tmp_path / "files", x, settings, worker) for x in ("adoptions", "forms")]
    assert choose_corpus(both, "How many adoptions are there?") is both[0]
    with pytest.raises(CorpusError, match="may be about several corpora"):
        choose_corpus(both, "What is the average adoption fee?")


def test_a_new_file_joins_its_kind_and_the_others_stay(ingested: Path, settings: Settings) -> None:
    (ingested / "d9.md").write_text(BOAT.format(name="Iris", n=9))
    (ingested / "c1.md").unlink()
    (ingested / "b1.md").write_text("It was sold.")
    boats, lessons = ingest(ingested, settings).kinds
    assert (boats.n_documents, boats.n_extracted, boats.n_unchanged) == (9, 2, 7)
    assert (lessons.n_documents, lessons.n_removed) == (6, 1)


def test_an_answer_says_that_a_file_came_which_may_be_of_its_kind(
    ingested: Path, settings: Settings, worker: QueryPool
) -> None:
    (ingested / "d9.md").write_text(BOAT.format(name="Iris", n=9))
    [notice] = open_kind(ingested, "boats", settings, worker).own_notices()
    assert notice == "files are not as they were read: 1 new; ingest the corpus again"


def test_a_kind_is_called_otherwise_with_all_that_was_read(
    ingested: Path, settings: Settings, worker: QueryPool
) -> None:
    state = CorpusFolder(ingested, settings.home).readable()
    rename_kind(state, "boats", "fleet")
    fleet = open_kind(ingested, "fleet", settings, worker)
    assert ask(fleet, "How many boats are there?").rows == ((8,),)
    again = ingest(ingested, settings)
    assert [part.n_unchanged for part in again.kinds] == [8, 7]
    for old, new in (("boats", "hulls"), ("fleet", "lessons"), ("fleet", "../away")):
        with pytest.raises(CorpusError):
            rename_kind(state, old, new)


def test_a_person_can_have_one_table_for_all(ingested: Path, settings: Settings) -> None:
    state = CorpusFolder(ingested, settings.home).readable()
    join_kinds(state)
    for _ in range(2):
        report = ingest(ingested, settings)
        assert (report.kinds, report.n_documents) == ((), 16)
    assert (state / "kinds-1" / "boats").is_dir()
    with pytest.raises(CorpusError, match="holds no kinds"):
        join_kinds(state)


def test_a_document_of_two_kinds_is_listed_until_a_person_says_for_good_what_it_is(
    harbour: Path, settings: Settings
) -> None:
    both = BOAT.format(name="Io", n=9) + LESSON.format(name="Io", n=90)
    (harbour / "both.md").write_text(both)
    report = ingest(harbour, settings)
    assert [item.path for item in report.skipped] == ["both.md", "letter.md"]
    assert "like several" in report.skipped[0].reason
    (harbour / "more.md").write_text(both.replace("Io", "Eve"))
    assert "more.md" in [item.path for item in ingest(harbour, settings).skipped]

    state = CorpusFolder(harbour, settings.home).readable()
    assign(state, {"lessons": ["both.md"], "boats": ["letter.md"]})
    rename_kind(state, "boats", "fleet")
    for _ in range(2):
        again = ingest(harbour, settings)
        assert [item.path for item in again.skipped] == ["more.md"]
        assert {part.corpus: part.n_documents for part in again.kinds} == {"fleet": 9, "lessons": 8}
    assign(state, {"fleet": ["letter.md", "both.md"], "lessons": []})
    assert [part.n_documents for part in ingest(harbour, settings).kinds] == [10, 7]
    found, readers = find_files(harbour, settings), ReaderPool(1, 60)
    sorter = KindSorter(state, harbour, found, readers)
    anew = sorter.find(lambda: read_sample(found, readers).documents, "auto", anew=True)
    assert isinstance(anew, Grouping)
    assert anew.sizes == ["fleet (10)", "lessons (7)"]


def test_a_person_says_in_the_schema_file_of_which_kind_a_document_is(
    ingested: Path, settings: Settings
) -> None:
    state = CorpusFolder(ingested, settings.home).readable()
    path = state / "schema.json"
    assert not path.exists()
    assign(state, {"boats": ["letter.md"]})
    assert [part.n_documents for part in ingest(ingested, settings).kinds] == [9, 7]
    assert "letter" not in (state / KINDS_FILE).read_text()
    path.write_text(json.dumps({"x-kinds": {"lessons": ["letter.md", "later.md"]}}))
    report = ingest(ingested, settings)
    assert [part.n_documents for part in report.kinds] == [8, 8]
    missing = "; assigned by hand, and not there: later.md"
    assert missing in "".join(report.lines())
    (ingested / "later.md").write_text("# Later\n\nNothing that is like anything.\n")
    report = ingest(ingested, settings)
    assert [part.n_documents for part in report.kinds] == [8, 9]
    assert missing not in "".join(report.lines())
    rename_kind(state, "lessons", "courses")
    assert json.loads(path.read_text()) == {"x-kinds": {"courses": ["later.md", "letter.md"]}}
    for wrong, problem in (
        ({"lessons": ["letter.md"]}, "there is no kind 'lessons'; there are: boats, courses"),
        ({"boats": ["letter.md"], "courses": ["letter.md"]}, "letter.md is there twice"),
        (["letter.md"], "cannot be read; mend it, or remove it"),
    ):
        path.write_text(json.dumps({"x-kinds": wrong}))
        with pytest.raises(StoreError, match=problem):
            ingest(ingested, settings)
    path.write_text(json.dumps({"x-kinds": {"boats": ["letter.md"]}}))
    assert [part.n_documents for part in ingest(ingested, settings).kinds] == [9, 8]
    join_kinds(state)
    assert (ingest(ingested, settings).kinds, "x-kinds" in path.read_text()) == ((), False)


def test_what_an_earlier_version_kept_of_documents_goes_to_the_schema_file(
    ingested: Path, settings: Settings
) -> None:
    state = CorpusFolder(ingested, settings.home).readable()
    kinds = json.loads((state / KINDS_FILE).read_text())
    kinds["boats"]["assigned"] = ["letter.md"]
    (state / KINDS_FILE).write_text(json.dumps(kinds))
    assert [part.n_documents for part in ingest(ingested, settings).kinds] == [9, 7]
    said = json.loads((state / "schema.json").read_text())
    assert said == {"x-kinds": {"boats": ["letter.md"]}}


def test_columns_that_a_person_gives_hold_all_documents_in_one_table(
    harbour: Path, settings: Settings
) -> None:
    report = ingest(harbour, settings, schema=Schema(title="Paper", entity="papers", attributes=()))
    assert report.kinds == ()
    assert report.n_documents == 16


def test_a_server_lists_the_kinds_and_asks_the_one_that_is_named(
    harbour: Path, settings: Settings
) -> None:
    corpora = Corpora([harbour], settings)
    try:
        assert list(corpora) == ["harbour"]
        ingest(harbour, settings)
        assert [entry.name for entry in corpora.list().corpora] == [
            "harbour/boats",
            "harbour/lessons",
        ]
        assert corpora.chosen("", "How many lessons are there?").name == "harbour"
        assert corpora.readable("harbour/boats").info().n_documents == 8
        with pytest.raises(CorpusError, match="name one: harbour/boats, harbour/lessons"):
            corpora.readable("harbour")
    finally:
        corpora.close()


def test_a_kind_whose_documents_are_gone_is_no_corpus_and_holds_up_no_other(
    ingested: Path, settings: Settings
) -> None:
    for path in ingested.glob("b*.md"):
        path.unlink()
    (ingested / "c9.md").write_text(LESSON.format(name="Iris", n=90))
    (ingested / "broken.pdf").write_bytes(b"%PDF-1.4 no more")
    report = ingest(ingested, settings)
    assert [part.n_documents for part in report.kinds] == [8]
    assert [item.path for item in report.failed] == ["broken.pdf"]
    assert list(CorpusFolder(ingested, settings.home).kinds()) == ["lessons"]
    (ingested / "b1.md").write_text(BOAT.format(name="Ada", n=1))
    assert [part.n_documents for part in ingest(ingested, settings).kinds] == [1, 8]


def test_a_kind_ingested_alone_does_not_take_a_new_file_for_known(
    ingested: Path, settings: Settings, worker: QueryPool
) -> None:
    (ingested / "d9.md").write_text(BOAT.format(name="Iris", n=9))
    boats = open_kind(ingested, "boats", settings, worker)
    assert ingest(boats.location, settings).n_documents == 8
    assert "1 new" in " ".join(boats.notices())


def test_a_file_that_points_to_another_folder_opens_none(
    harbour: Path, settings: Settings, tmp_path: Path
) -> None:
    trap = tmp_path / "trap" / ".srag" / "kinds" / "notes"
    trap.mkdir(parents=True)
    (trap.parents[1] / "kinds.json").write_text('{"notes": {"documents": 1, "shares": {}}}')
    told = {"folder": str(harbour), "documents": ["b1.md"], "sorted": []}
    (trap / "kind.json").write_text(json.dumps(told))
    assert CorpusFolder(tmp_path / "trap", settings.home).kinds() == {}
    assert [item.relative for item in find_documents(trap, settings)[0]] == ["kind.json"]


def test_columns_that_a_person_gives_later_hide_the_kinds(
    ingested: Path, settings: Settings
) -> None:
    ingest(ingested, settings, schema=Schema(title="Paper", entity="papers", attributes=()))
    assert CorpusFolder(ingested, settings.home).kinds() == {}


@pytest.fixture
def late(harbour: Path, settings: Settings, once: Once) -> Path:
    """Eight boats with a table of their own, and seven lessons that came afterwards."""
    lessons = {path: path.read_text() for path in harbour.glob("c*.md")}
    for path in (*lessons, harbour / "letter.md"):
        path.unlink()

    def ingest_twice() -> None:
        assert ingest(harbour, settings).kinds == ()
        for path, text in lessons.items():
            path.write_text(text)
        ingest(harbour, settings)

    return once(harbour, ingest_twice, "late")


def test_documents_of_a_kind_that_comes_later_are_in_no_table_and_every_answer_says_so(
    late: Path, settings: Settings
) -> None:
    answer = srag_mcp.ask(late, "How many boats are there?", settings)
    [told] = answer.assumptions
    assert answer.rows == ((8,),)
    assert told == (
        "7 documents are of another kind than the records, and are neither counted nor searched:"
        " c1.md, c2.md, c3.md, c4.md, c5.md, 2 more; columns that are found anew (--fresh-schema,"
        " rebuild_schema) give each kind a table"
    )
    (late / "b9.md").write_text(BOAT.format(name="Iris", n=9))
    (late / "c9.md").write_text(LESSON.format(name="Iris", n=90))
    report = ingest(late, settings)
    assert (report.n_documents, report.n_extracted, report.n_unchanged) == (9, 1, 8)
    assert len(report.skipped) == 8
    assert report.failed == ()
    assert srag_mcp.ask(late, "How many boats are there?", settings).rows == ((9,),)


def test_what_is_left_out_stays_out_when_all_is_read_again(late: Path, settings: Settings) -> None:
    place = CorpusFolder(late, settings.home).readable() / "schema.json"
    written = json.loads(place.read_text())
    written["properties"]["hull"] = {"type": "string", "description": "What it is made of"}
    place.write_text(json.dumps(written))
    report = ingest(late, settings)
    assert (report.n_documents, report.n_extracted, len(report.skipped)) == (8, 8, 7)


def test_columns_found_anew_give_each_kind_a_table_and_lose_nothing_that_was_set(
    late: Path, settings: Settings, worker: QueryPool
) -> None:
    correct(late, settings, ("b3.md", "skipper"), ("value", "Zoe"))
    report = ingest(late, settings, fresh=True)
    assert [(x.corpus, x.n_documents) for x in report.kinds] == [("boats", 8), ("lessons", 7)]
    assert report.skipped == ()
    boats = open_kind(late, "boats", settings, worker)
    assert ask(boats, "What is the berth of the boat with the skipper Zoe?").rows == ((3,),)
    assert srag_mcp.ask(late, "How many lessons are there?", settings).rows == ((7,),)
    again = ingest(late, settings)
    assert [part.n_unchanged for part in again.kinds] == [8, 7]


def test_a_document_that_somebody_corrected_is_a_record_and_its_correction_goes_with_its_kind(
    harbour: Path, settings: Settings, worker: QueryPool
) -> None:
    for path in harbour.glob("c[4-7].md"):
        path.unlink()
    ingest(harbour, settings)  # three lessons make no kind yet
    shown = Corpus(harbour, worker, settings.home).schema().attributes[0]
    correct(harbour, settings, ("c2.md", shown.name), ("unknown", ""))
    for number in range(4, 8):
        (harbour / f"c{number}.md").write_text(LESSON.format(name="Iris", n=number))
    report = ingest(harbour, settings)
    assert {item.path for item in report.skipped} == {f"c{n}.md" for n in (1, 3, 4, 5, 6, 7)}
    ingest(harbour, settings, fresh=True)
    counts = {
        name: len(open_kind(harbour, name, settings, worker).corrections())
        for name in ("boats", "lessons")
    }
    assert counts == {"boats": 0, "lessons": 1}


def test_what_was_corrected_in_kinds_goes_with_its_documents(
    ingested: Path, settings: Settings, worker: QueryPool
) -> None:
    boats, lessons = (open_kind(ingested, x, settings, worker) for x in ("boats", "lessons"))
    correct(boats.location, settings, ("b3.md", "berth"), ("value", "33"))
    correct(boats.location, settings, ("b4.md", "berth"), ("value", "44"))
    correct(lessons.location, settings, ("c2.md", "strokes"), ("value", "22"))
    state = CorpusFolder(ingested, settings.home).readable()
    assign(state, {"boats": [], "lessons": ["b4.md"]})
    ingest(ingested, settings)
    problems = {x.document_id: x.problem for x in lessons.corrections()}
    assert problems == {"b4.md": "there is no column lessons.berth", "c2.md": ""}
    assert [x.document_id for x in boats.corrections()] == ["b3.md"]
    assign(state, {"boats": ["b4.md"], "lessons": []})
    ingest(ingested, settings)
    berths = "SELECT list(berth ORDER BY document_id) FROM boats"
    assert boats.select(berths).rows == (("[1, 2, 33, 44, 5, 6, 7, 8]",),)

    join_kinds(state)
    ingest(ingested, settings)
    joined = Corpus(ingested, worker, settings.home)
    assert (joined.info().n_corrected, joined.info().n_waiting) == (3, 0)
    entity = joined.schema().entity
    said = f"SELECT sum(berth), sum(strokes) FROM {entity}"
    assert joined.select(said).rows == ((36 + 30 + 40, 280 + 2),)


def test_two_kinds_that_a_table_had_for_long_stay_in_it_and_every_answer_doubts_that(
    harbour: Path, settings: Settings
) -> None:
    state = CorpusFolder(harbour, settings.home).writable()
    (state / "kinds.json").write_text("{}")
    ingest(harbour, settings)
    (state / "kinds.json").unlink()
    with open_work(state) as work:  # as versions left it that did not compare
        work.run("DELETE FROM meta WHERE key = 'note:mixed'")
    for _ in range(2):
        assert ingest(harbour, settings).n_documents == 16
    answer = srag_mcp.ask(harbour, "How many boats are there?", settings)
    assert answer.assumptions == (
        "the records may be of 2 kinds of documents, such as b1.md and c1.md, and are counted"
        " together; columns that are found anew (--fresh-schema, rebuild_schema) give each kind a"
        " table; 1 document looks like none of the others, and is counted with them: letter.md",
    )
    join_kinds(state)
    assert ingest(harbour, settings).n_documents == 16
    assert srag_mcp.ask(harbour, "How many boats are there?", settings).assumptions == ()


def test_a_few_documents_of_another_kind_are_counted_and_every_answer_names_them(
    harbour: Path, settings: Settings
) -> None:
    lessons = {path: path.read_text() for path in harbour.glob("c[123].md")}
    for path in harbour.glob("c*.md"):
        path.unlink()

    def told() -> tuple[int, tuple[str, ...]]:
        report = ingest(harbour, settings)
        answer = srag_mcp.ask(harbour, "How many boats are there?", settings)
        assert answer.rows == ((report.n_documents,),)
        if report.published:
            assert {*answer.assumptions} <= {*report.warnings}
        return report.n_documents, answer.assumptions

    one = "1 document looks like none of the others, and is counted with them: "
    assert told() == (9, (f"{one}letter.md",))  # from the first ingestion on
    for path, text in lessons.items():
        path.write_text(text)
    few = "4 documents look like none of the others, and are counted with them: "
    assert told() == (12, (f"{few}c1.md, c2.md, c3.md, letter.md",))
    assert told() == (12, (f"{few}c1.md, c2.md, c3.md, letter.md",))
    (harbour / "letter.md").unlink()
    (harbour / "c1.md").unlink()
    correct(harbour, settings, ("c2.md", shown_column(harbour, settings)), ("unknown", ""))
    (harbour / "b9.md").write_text(BOAT.format(name="Iris", n=9))
    assert ingest(harbour, settings).n_documents == 11
    answer = srag_mcp.ask(harbour, "How many boats are there?", settings)
    assert f"{one}c3.md" in answer.assumptions  # a person made a record of c2.md
    join_kinds(CorpusFolder(harbour, settings.home).readable())
    ingest(harbour, settings)
    answer = srag_mcp.ask(harbour, "How many boats are there?", settings)
    assert not any("none of the others" in line for line in answer.assumptions)


def shown_column(folder: Path, settings: Settings) -> str:
    with QueryPool() as pool:
        return Corpus(folder, pool, settings.home).schema().attributes[0].name


def test_columns_that_a_person_gives_hold_what_was_left_out(late: Path, settings: Settings) -> None:
    schema = Schema(title="Paper", entity="papers", attributes=())
    report = ingest(late, settings, schema=schema)
    assert (report.n_documents, report.skipped) == (15, ())


def test_a_person_can_have_what_was_left_out_in_the_table(late: Path, settings: Settings) -> None:
    join_kinds(CorpusFolder(late, settings.home).readable())
    report = ingest(late, settings)
    assert (report.n_documents, report.skipped) == (15, ())
    (late / "c9.md").write_text(LESSON.format(name="Iris", n=90))
    assert ingest(late, settings).n_documents == 16


def test_a_folder_of_several_kinds_is_priced_by_kind_and_nothing_is_kept(
    harbour: Path, settings: Settings
) -> None:
    asking = settings.with_engine("agent")
    assert quote_kinds(harbour, asking) == {}
    assert not (harbour / ".srag").exists()
    ingest(harbour, settings)
    priced = quote_kinds(harbour, asking)
    assert {name: (found.engine, found.n_documents) for name, found in priced.items()} == {
        "boats": ("agent", 8),
        "lessons": ("agent", 7),
    }


def test_the_library_opens_a_kind_by_its_name_and_asks_the_folder(
    ingested: Path, settings: Settings
) -> None:
    with srag_mcp.open_corpus(ingested / "boats", settings) as boats:
        assert boats.info().n_documents == 8
    assert srag_mcp.ask(ingested, "How many lessons are there?", settings).rows == ((7,),)
    assert srag_mcp.ingest(ingested / "lessons", settings).n_unchanged == 7


def write_shop(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    customers = "\n".join(f"C{n:03},Name {n},{('Ulm', 'Bern')[n % 2]}" for n in range(1, 9))
    orders = "\n".join(f"{100 + n},C{1 + n % 8:03},{n * 2.5},tea" for n in range(1, 21))
    (folder / "customers.csv").write_text(f"customer_no,name,town\n{customers}\n")
    (folder / "orders.csv").write_text(f"order_no,customer_no,amount,item\n{orders}\n")
    (folder / "codes.csv").write_text("code,meaning,since\nx,unknown,2020\n")


def test_tables_with_other_columns_are_kinds_and_a_new_one_joins_them(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    shop = tmp_path / "shop"
    write_shop(shop)
    report = ingest(shop, settings)
    assert "shop/orders (20), shop/customers (8)" in report.told[0]
    assert [item.path for item in report.skipped] == ["codes.csv"]
    assert not any("left out" in line for part in report.kinds for line in part.lines())
    towns = srag_mcp.ask(shop, "How many customers are there per town?", settings)
    assert sorted(towns.rows) == [("Bern", 4), ("Ulm", 4)]
    places = CorpusFolder(shop, settings.home).kinds()
    tables = open_kinds("shop", places, worker, settings.home)
    joined = "SELECT town, count(*) FROM orders JOIN customers USING (customer_no) GROUP BY 1"
    assert sorted(tables.select(joined).rows) == [("Bern", 10), ("Ulm", 10)]
    assert [key.columns for key in tables.shared_keys()] == [("customer_no", "customer_no")]

    (shop / "more.csv").write_text("order_no,customer_no,amount,item\n900,C001,5,rice\n")
    rows = "\n".join(f"{n},{n * 10}" for n in range(6))
    (shop / "rates.csv").write_text(f"year,rate\n{rows}\n")
    again = ingest(shop, settings)
    assert "shop/orders (21), shop/customers (8), shop/rates (6)" in again.told[0]

    for number in range(3):  # tables stay tables when notes come beside them, and when one goes
        (shop / f"{number}.md").write_text(f"# Note {number}\n\nNothing to be said.\n")
    (shop / "rates.csv").unlink()
    later = ingest(shop, settings)
    assert "shop/orders (21), shop/customers (8)" in later.told[0]
    assert {item.path for item in later.skipped} >= {"codes.csv", "0.md"}
    assert [item.n_documents for item in later.kinds] == [21, 8]


def test_sheets_with_other_columns_are_kinds_called_after_them(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "school"
    folder.mkdir()
    sheets: dict[str, list[list[object]]] = {
        "Pupils": [["Name", "Class", "Age"], *([f"Pupil {n}", "AB"[n % 2], 6] for n in range(9))],
        "Trips 2024": [["Trip", "Month", "Cost"], *([f"T{n}", "May", 10 * n] for n in range(6))],
        "Hours": [["Hour", "Begins"], [1, "8:00"], [2, "9:00"]],
    }
    (folder / "year.xlsx").write_bytes(write_workbook(sheets))
    report = ingest(folder, settings)
    assert "school/pupils (9), school/trips_2024 (6)" in report.told[0]
    assert [item.path for item in report.skipped] == ["year.xlsx, sheet Hours"]
    cost = srag_mcp.ask(folder, "What is the total cost of the trips?", settings)
    assert cost.rows == ((150,),)


def test_what_documents_do_not_call_themselves_questions_may(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for n in range(1, 9):
        page = f"Cave No. {n}\n\nDepth: {30 + n} m\nEntrance: north, below the {n}th larch\n"
        (folder / f"a{n}.txt").write_text(page)
        slip = f"Paid with thanks\nvoucher {700 + n}\nTea and cake\nTotal paid: {n}.50\n"
        (folder / f"b{n}.txt").write_text(slip)
    questions = ["How many vouchers are there?", "How many vouchers have cake?"]
    report = ingest(folder, settings, questions=questions)
    assert "papers/vouchers (8)" in report.told[0]
    answer = srag_mcp.ask(folder, "How many vouchers are there?", settings)
    assert answer.rows == ((8,),)
    with srag_mcp.open_corpus(folder / "caves", settings) as caves:
        assert caves.schema().nouns == ("cave", "caves")


def test_a_table_is_of_no_two_kinds_and_one_keeps_its_name_with_other_columns(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    folder = tmp_path / "near"
    folder.mkdir()
    columns = ["one", "two", "three", "four", "five", "six"]
    for n, (name, rows) in enumerate({"a": 10, "b": 10, "c": 40, "d": 40}.items(), start=3):
        lines = [",".join(columns[:n]), *(",".join([f"{name}{i}"] * n) for i in range(rows))]
        (folder / f"{name}.csv").write_text("\n".join(lines))
    report = ingest(folder, settings)
    assert sum(part.n_documents for part in report.kinds) == 100

    shop = tmp_path / "shop"
    write_shop(shop)
    ingest(shop, settings)
    correct(shop / ".srag/kinds/customers", settings, ("customers.csv#3", "name"), ("value", "Io"))
    renamed = (shop / "customers.csv").read_text().replace("customer_no", "number")
    (shop / "customers.csv").write_text(renamed)
    again = ingest(shop, settings)
    assert "shop/customers (8)" in again.told[0]
    customers = Corpus(CorpusFolder(shop, settings.home).kinds()["customers"], worker)
    assert len(customers.corrections()) == 1
    with pytest.raises(CorpusError, match="which no table holds"):
        join_kinds(CorpusFolder(shop, settings.home).readable())
    assert ingest(shop, settings, rows="file").kinds == ()


def test_answers_say_which_records_are_called_otherwise_or_name_another_one(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for n in range(8):
        called = "Credit note CN" if n == 5 else "Invoice INV"
        text = f"{called}-10{n}\n\nGuest: {'ABCDEFGH'[n]}orn\nTotal: {n + 3}.50 EUR\n"
        (folder / f"{n}.txt").write_text(text + "Replaces INV-102.\n" * (n == 7))
    asked = "What is the sum of total?"

    def told() -> tuple[str, ...]:
        ingest(folder, settings)
        return srag_mcp.ask(folder, asked, settings).assumptions

    others = "counted and added up as the others are"
    called = "5.txt is called credit note, not invoice"
    assert told() == (f"{others}: 7.txt names 2.txt; {called}",)
    (folder / "7.txt").unlink()
    assert told() == (f"{others}: {called}",)
    (folder / "5.txt").unlink()
    assert told() == ()
    table = folder.with_name("table") / "wells.csv"
    table.parent.mkdir()
    rows = [f"W{n},{n + 10}" for n in range(8)]
    table.write_text("\n".join(("well,level", *rows, "", "Corrected: W4 has 13.", "")))
    ingest(table.parent, settings)
    answer = srag_mcp.ask(table.parent, "What is the average level?", settings)
    said = "row 11 is left out, and says something of records: Corrected: W4 has 13."
    assert answer.assumptions == (f"wells.csv: {said}",)
