"""A language model confirms and names the kinds of documents that code found."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from srag_mcp.errors import ReplyError
from srag_mcp.model.ledger import write_replies
from srag_mcp.pipeline.correction_run import correct
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.kind_run import rename_kind
from srag_mcp.pipeline.quote import quote_kinds
from srag_mcp.settings import Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.spool import StoredReplies
from srag_mcp.store.state import open_state
from tests.conftest import Once
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.pipeline.reading_model import say, settings_for
from tests.pipeline.test_kind_run import BOAT, LESSON, NAMES

STUNDE = "# Stunde {n}\n\n- Kind: {name}\n- Bahnen: {n}\n- Lehrer: {name}\n- Abzeichen: Bronze\n"
SAID = [("vessels", ["g1"]), ("swimming lessons", ["g2", "g3", "s2"])]

Saying = Callable[..., AbstractContextManager[tuple[OpenAIServer, Settings]]]


@pytest.fixture
def harbour(quay: Path) -> Path:
    """Eight boats, seven lessons and six in German, a letter, and a lesson that is told."""
    folder = quay / "harbour"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for n, name in enumerate(NAMES, start=1):
        (folder / f"b{n}.md").write_text(BOAT.format(name=name, n=n))
        if n < 8:
            (folder / f"c{n}.md").write_text(LESSON.format(name=name, n=10 * n))
        if n < 7:
            (folder / f"d{n}.md").write_text(STUNDE.format(name=name, n=10 * n))
    (folder / "letter.md").write_text("Dear all, remember that rain is expected everywhere.")
    (folder / "told.md").write_text("On Friday Iris swam forty metres and got nothing for it.")
    return folder


@pytest.fixture
def grouped(harbour: Path, settings: Settings, once: Once) -> Path:
    """Return the same folder, with the kinds that code found."""
    return once(harbour, lambda: ingest(harbour, settings))


@pytest.fixture
def saying(tmp_path: Path) -> Saying:
    """Return a function that serves a model which says that the kinds are so."""

    @contextmanager
    def serve(*kinds: tuple[str | None, list[str]]) -> Iterator[tuple[OpenAIServer, Settings]]:
        said = json.dumps({"kinds": [{"name": name, "of": keys} for name, keys in kinds]})

        def say(body: Body) -> Answer:
            return Answer(said)

        with serving(say) as server:
            yield server, settings_for(server, tmp_path / "home")

    return serve


def kinds_of(harbour: Path, settings: Settings) -> dict[str, list[str]]:
    """Return the names of the documents of each kind."""
    found = CorpusFolder(harbour, settings.home).kinds()
    members = {name: json.loads((place / "kind.json").read_text()) for name, place in found.items()}
    return {name: kept["documents"] for name, kept in members.items()}


def test_layouts_of_one_kind_are_put_together_named_and_strays_join_them(
    harbour: Path, saying: Saying
) -> None:
    with saying(*SAID) as (server, settings):
        report = ingest(harbour, settings)
        again = ingest(harbour, settings)
    [body] = server.requests
    lines = content_of(body).splitlines()
    assert lines[1] == "g1 boats (8), words: berth, boat, hull, length, skipper, wood"
    assert [line for line in lines if line[:1] == "s"] == [
        "s1 letter.md: Dear all, remember that rain is expected everywhere.",
        "s2 told.md: On Friday Iris swam forty metres and got nothing for it.",
    ]
    assert {name: len(of) for name, of in kinds_of(harbour, settings).items()} == {
        "vessels": 8,
        "swimming_lessons": 14,
    }
    [told] = report.told
    assert told.startswith(
        "2 kinds of documents, each a corpus with a table of its own: harbour/vessels (8),"
        " harbour/swimming_lessons (14); a language model confirmed them; vessels for boats;"
        " swimming_lessons for lessons, stundes, told.md; nothing was ingested now"
    )
    assert [item.path for item in report.skipped] == ["letter.md"]
    assert report.taken is not None
    assert (report.taken.n_calls, report.engine) == (1, "model")
    assert again.taken is None


def test_documents_that_no_group_is_of_are_a_kind_by_their_keys_and_leave_their_groups(
    harbour: Path, saying: Saying
) -> None:
    # the strays are s1 and s2, the boats s3 to s10 and the lessons s11 to s17, in their order
    apart = ["s2", *(f"s{n}" for n in range(3, 7))]
    with saying(("boats", ["g1"]), ("lessons", ["g2", "g3"]), ("tales", apart)) as (
        server, settings
    ):  # fmt: skip
        report = ingest(harbour, settings)
        again = ingest(harbour, settings)
    kinds = kinds_of(harbour, settings)
    [_, _, first, *_] = content_of(server.requests[0]).splitlines()
    moved = first.split()[2].rstrip(":")
    assert {name: len(of) for name, of in kinds.items()} == {"boats": 4, "lessons": 13, "tales": 5}
    assert {"told.md", moved} <= {*kinds["tales"]}
    assert moved not in kinds["boats"]
    assert "tales for told.md, " in report.told[0]
    assert ", 2 more" in report.told[0]
    assert (again.taken, kinds_of(harbour, settings)) == (None, kinds)


def test_a_document_that_a_person_assigned_has_no_key_to_be_moved_by(
    grouped: Path, saying: Saying
) -> None:
    with saying(*SAID) as (server, settings):
        state = CorpusFolder(grouped, settings.home).readable()
        (state / "schema.json").write_text(json.dumps({"x-kinds": {"boats": ["b1.md"]}}))
        ingest(grouped, settings, fresh=True)
    lines = content_of(server.requests[0]).splitlines()
    [assigned] = [line for line in lines if "b1.md" in line]
    assert assigned.split()[:2] == ["-", "b1.md:"]
    assert any(line.startswith("- s") and "b2.md" in line for line in lines)


def test_kinds_that_code_found_are_settled_by_a_model_where_columns_are_found_anew(
    harbour: Path, saying: Saying
) -> None:
    with saying(*SAID) as (server, settings):
        alone = ingest(harbour, settings.model_copy(update={"engine": "offline"}))
        ingest(harbour, settings)
        assert server.requests == []
        ingest(harbour, settings, fresh=True)
    assert len(server.requests) == 1
    assert "found by their words alone" in alone.told[0]
    assert {name: len(of) for name, of in kinds_of(harbour, settings).items()} == {
        "vessels": 8,
        "swimming_lessons": 14,
    }


def test_kinds_of_which_values_were_corrected_are_not_found_anew(
    grouped: Path, saying: Saying
) -> None:
    with saying(*SAID) as (server, settings):
        place = CorpusFolder(grouped, settings.home).kinds()["boats"]
        correct(place, settings, ("b1.md", "skipper"), ("value", "Zoe"))
        report = ingest(grouped, settings, fresh=True)
    assert server.requests == []
    assert "they stay as they are, since values of theirs were corrected" in report.told[0]
    assert "boats" in kinds_of(grouped, settings)


def test_a_new_document_joins_its_kind_in_either_layout(harbour: Path, saying: Saying) -> None:
    with saying(*SAID) as (server, settings):
        ingest(harbour, settings)
        (harbour / "d9.md").write_text(STUNDE.format(name="Iris", n=90))
        (harbour / "c9.md").write_text(LESSON.format(name="Iris", n=90))
        ingest(harbour, settings)
    assert len(server.requests) == 1
    assert {"c9.md", "d9.md"} < {*kinds_of(harbour, settings)["swimming_lessons"]}


def test_a_name_of_a_person_stays(harbour: Path, saying: Saying) -> None:
    with saying(*SAID) as (server, settings):
        ingest(harbour, settings)
        rename_kind(CorpusFolder(harbour, settings.home).readable(), "vessels", "fleet")
        ingest(harbour, settings)
    assert len(server.requests) == 1
    assert kinds_of(harbour, settings).keys() == {"fleet", "swimming_lessons"}


def test_names_that_are_taken_or_none_leave_the_names_of_code(
    harbour: Path, saying: Saying
) -> None:
    (harbour / "vessels").mkdir()
    with saying(("vessels", ["g1"]), ("документы", ["g2"]), ("documents", ["g3"])) as (_, settings):
        ingest(harbour, settings)
    assert kinds_of(harbour, settings).keys() == {"boats", "lessons", "stundes"}


def test_the_name_that_a_person_gave_stays_when_kinds_are_found_anew(
    grouped: Path, saying: Saying
) -> None:
    with saying(*SAID) as (_, settings):
        state = CorpusFolder(grouped, settings.home).readable()
        rename_kind(state, "boats", "fleet")
        rename_kind(state, "lessons", "boats")
        ingest(grouped, settings.with_engine("offline"))
        report = ingest(grouped, settings, fresh=True)
    sizes = {name: len(of) for name, of in kinds_of(grouped, settings).items()}
    assert sizes == {"fleet": 8, "boats": 14}
    assert "a language model confirmed them; boats for boats, stundes, told.md" in report.told[0]


@pytest.mark.parametrize(
    ("beside", "name"), [("", "yachts"), (".srag/note", "boats"), ("told.md", "boats")]
)
def test_a_kind_has_the_name_of_a_folder_that_has_it_alone_and_is_no_corpus(
    harbour: Path, saying: Saying, beside: str, name: str
) -> None:
    yachts = harbour / "yachts"
    yachts.mkdir()
    for path in harbour.glob("b*.md"):
        path.rename(yachts / path.name)
    if beside:
        (yachts / beside).parent.mkdir(exist_ok=True)
        (yachts / beside).write_text("The harbour has a café, and on Sundays a band plays.")
    with saying(("yachts", ["g1"]), ("lessons", ["g2", "g3"])) as (_, settings):
        ingest(harbour, settings)
    assert kinds_of(harbour, settings).keys() == {name, "lessons"}


def test_names_may_be_exchanged_and_none_is_lost(harbour: Path, saying: Saying) -> None:
    with saying(("lessons", ["g1"]), (None, ["g2"]), ("boats", ["g3"])) as (_, settings):
        ingest(harbour, settings)
    sizes = {name: len(of) for name, of in kinds_of(harbour, settings).items()}
    assert sizes == {"lessons": 8, "documents_2": 7, "boats": 6}


def test_groups_that_are_all_one_kind_become_one_table(harbour: Path, saying: Saying) -> None:
    with saying(("notes", ["g1", "g2", "g3"])) as (server, settings):
        report = ingest(harbour, settings)
    assert report.told == (
        "boats and lessons and stundes are one kind, says engine model; ingest it again",
    )
    assert report.only_quoted
    assert "with engine model it takes about" in report.account
    offline = ingest(harbour, settings.with_engine("offline"))
    assert (offline.kinds, offline.n_documents) == ((), 23)
    assert len(server.requests) == 1


def test_a_reply_that_does_not_hold_changes_nothing_and_that_is_told(
    harbour: Path, saying: Saying
) -> None:
    with saying(("boats", ["g1"])) as (server, settings):
        report = ingest(harbour, settings)
    assert len(server.requests) == 3
    assert kinds_of(harbour, settings).keys() == {"boats", "lessons", "stundes"}
    assert "nothing of use was said of them" in report.told[0]


def test_a_model_that_cannot_be_understood_leaves_nothing_behind(
    harbour: Path, settings: Settings
) -> None:
    with serving(lambda body: Answer("Well.")) as server:
        asking = settings_for(server, harbour.parent / "home")
        with pytest.raises(ReplyError):
            ingest(harbour, asking)
    assert kinds_of(harbour, settings) == {}


def test_the_price_is_said_before_and_nothing_is_kept(harbour: Path, saying: Saying) -> None:
    with saying(*SAID) as (server, settings):
        report = ingest(harbour, settings, asks_first=True)
    assert not server.requests
    assert report.account.startswith(
        "3 kinds of documents seem to be here: boats (8), lessons (7), stundes (6); to confirm and"
        " name them, with engine model it takes about 1 prompts, "
    )
    assert (report.proposed, kinds_of(harbour, settings)) == ("model", {})


def test_a_recorded_reply_settles_the_kinds(harbour: Path, saying: Saying, tmp_path: Path) -> None:
    replies, copy = tmp_path / "replies.jsonl", tmp_path / "copy" / "harbour"
    shutil.copytree(harbour, copy)
    with saying(*SAID) as (server, settings):
        ingest(harbour, settings)
    with open_state(CorpusFolder(harbour, settings.home).readable()) as state:
        assert write_replies(replies, StoredReplies(state).kept()) == 1
    ingest(copy, settings.model_copy(update={"model": f"replay:{replies}"}))
    assert len(server.requests) == 1
    assert kinds_of(copy, settings).keys() == {"vessels", "swimming_lessons"}


def test_a_question_costs_where_its_records_are_and_one_of_several_kinds_nothing(
    harbour: Path, tmp_path: Path
) -> None:
    for path in (*harbour.glob("d*.md"), *harbour.glob("[lt]*.md")):
        path.unlink()
    of_boats = ("Which boat is the longest?", "What is the average berth?")
    of_lessons = ("How many strokes are there in all?", "What is the badge of Ada?")
    several = "Which skipper of a boat takes lessons?"
    unknown = "How many children go by bus?"
    questions = [several, *of_boats, unknown, *of_lessons]
    ingest(harbour, Settings(workers=1, home=tmp_path / "home"), questions=questions)
    with serving(say) as server:
        settings = settings_for(server, tmp_path / "home")
        prices = quote_kinds(harbour, settings)
        reports = {
            name: ingest(place, settings)
            for name, place in CorpusFolder(harbour, settings.home).kinds().items()
        }
    n_tried = {name: len(report.uncovered) for name, report in reports.items()}
    assert n_tried == {"boats": 3, "lessons": 2}
    rounds_and_records = 4
    assert {name: x.least.n_prompts - rounds_and_records for name, x in prices.items()} == n_tried
    assert [x.question for x in reports["boats"].uncovered] == [*of_boats, unknown]
    said = "to be asked of another kind, or of several:"
    assert reports["boats"].told == (f"{said} {several}",)
    assert reports["lessons"].told == (f"{said} {several}; {unknown}",)


def test_a_kind_that_comes_later_is_not_read_and_its_table_is_asked_for_nothing_that_was_read(
    harbour: Path, tmp_path: Path
) -> None:
    for path in (*harbour.glob("d*.md"), *harbour.glob("[lt]*.md")):
        path.unlink()
    lessons = {path: path.read_text() for path in harbour.glob("c*.md")}
    for path in lessons:
        path.unlink()

    def answer(body: Body) -> Answer:
        kinds = {"kinds": [{"name": "boats", "of": ["g1"]}, {"name": "lessons", "of": ["g2"]}]}
        is_asked = "\ng1 " in content_of(body)
        return Answer(json.dumps(kinds)) if is_asked else say(body)

    with serving(answer) as server:
        settings = settings_for(server, tmp_path / "home")
        ingest(harbour, settings)
        n_before = len(server.requests)
        for path, text in lessons.items():
            path.write_text(text)
        late = ingest(harbour, settings)
        assert (late.n_documents, len(late.skipped), len(server.requests)) == (8, 7, n_before)
        split = ingest(harbour, settings, fresh=True)
        assert len(server.requests) == n_before + 1
        assert "harbour/boats (8), harbour/lessons (7)" in split.told[0]
        places = CorpusFolder(harbour, settings.home).kinds()
        boats = ingest(places["boats"], settings)
        assert (boats.n_unchanged, len(server.requests)) == (8, n_before + 1)
        assert ingest(places["lessons"], settings).n_documents == 7
        assert len(server.requests) > n_before + 1
