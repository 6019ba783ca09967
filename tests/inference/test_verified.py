"""Queries that a person has verified: they answer their question and are examples for others."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.errors import QueryError
from srag_mcp.inference.ask import OFFLINE, Asking
from srag_mcp.inference.turns import (
    BY_PERSON,
    VERIFIED,
    converse,
    mark_right,
    still_holds,
    verify,
    write_examples,
)
from srag_mcp.model.language_model import enclose
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.feedback import Feedback, Verdict, open_feedback
from srag_mcp.store.guard import QueryPool
from tests.inference.test_by_model import reply
from tests.model.scripted import replying

HEADING = "Other questions for this table, with queries that a person has verified:"
CRAFT = "How much craft can lift something?"
LIFTING = "SELECT count(*) FROM ships WHERE has_crane"
LONG = "How long is the longest hull?"
LONGEST = "SELECT max(length) FROM ships"


@pytest.fixture
def kept(ships: Corpus) -> Iterator[Feedback]:
    """Open what is kept of the ships; nothing is, at the beginning."""
    assert ships.state is not None
    with open_feedback(ships.state) as feedback:
        for verdict in feedback.verdicts():
            feedback.drop_verdict(verdict.number)
        yield feedback


def test_a_verified_question_asked_again_is_answered_by_its_query(
    ships: Corpus, kept: Feedback
) -> None:
    assert converse(ships, CRAFT).refused
    kept.keep_verdict(mark_right(ships, CRAFT, LIFTING))
    answer = converse(ships, f" {CRAFT.upper()}")
    by_model = converse(ships, CRAFT, Asking(replying([])))
    assert (answer.rows, answer.sql, answer.engine) == (((2,),), LIFTING, VERIFIED)
    assert answer.text == "2: number of records where has_crane holds."
    assert answer.assumptions[0] == BY_PERSON
    assert answer.bounds is not None
    assert (by_model.rows, by_model.taken) == (((2,),), None)


def test_a_verified_question_stands_alone_whatever_its_words_point_to(
    ships: Corpus, kept: Feedback
) -> None:
    question = "How many of them can lift something?"
    assert converse(ships, question).refused
    kept.keep_verdict(mark_right(ships, question, LIFTING))
    assert converse(ships, question).rows == ((2,),)


@pytest.mark.parametrize("giver", ["agent", "person"])
@pytest.mark.parametrize("judgement", ["right", "wrong"])
def test_only_what_a_person_calls_right_is_used(
    ships: Corpus, kept: Feedback, giver: str, judgement: str
) -> None:
    pair = Verdict(giver, judgement, CRAFT, LIFTING)  # type: ignore[arg-type]  # given as texts
    kept.keep_verdict(pair)
    is_used = (giver, judgement) == ("person", "right")
    assert (write_examples(ships, kept, "Which craft is it?") != "") is False, "of another schema"
    kept.keep_verdict(Verdict(pair.giver, pair.judgement, CRAFT, LIFTING, "has_crane boolean"))
    assert (write_examples(ships, kept, "Which craft is it?") != "") is is_used
    assert (not converse(ships, CRAFT).refused) is is_used


def test_a_prompt_without_pairs_is_as_it_is_today(ships: Corpus, kept: Feedback) -> None:
    question = "How long is the craft?"
    before, after = replying([reply(LONGEST)]), replying([reply(LONGEST)])
    converse(ships, question, Asking(before))
    kept.keep_verdict(mark_right(ships, CRAFT, LIFTING))
    converse(ships, question, Asking(after))
    [plain], [informed] = before.prompts, after.prompts
    assert plain.content.endswith(f"Question:\n{enclose(question)}")
    examples = enclose(f"- “{CRAFT}” → {LIFTING}")
    assert informed.content == f"{plain.content}\n\n{HEADING}\n{examples}"
    assert informed.instructions == plain.instructions


def test_the_two_most_alike_are_shown_and_none_without_a_word_in_common(
    ships: Corpus, kept: Feedback
) -> None:
    pairs = {
        "How many ships carry flags?": "SELECT count(flag) FROM ships",
        "What is the length of the hull of the ship with the largest crew?": LONGEST,
        LONG: LONGEST,
        "How long is a hull on average?": "SELECT avg(length) FROM ships",
    }
    for question, sql in pairs.items():
        kept.keep_verdict(mark_right(ships, question, sql))
    text = write_examples(ships, kept, "How long is the shortest hull?")
    assert [line for line in text.splitlines() if line.startswith("- ")] == [
        "- “How long is a hull on average?” → SELECT avg(length) FROM ships",
        f"- “{LONG}” → {LONGEST}",
    ]
    assert write_examples(ships, kept, "Which ship sank?") == "", "the noun is in all"


def test_a_long_query_is_no_example(ships: Corpus, kept: Feedback) -> None:
    names = ", ".join(f"'{'x' * 20}{number}'" for number in range(40))
    kept.keep_verdict(
        mark_right(ships, LONG, f"SELECT max(length) FROM ships WHERE name NOT IN ({names})")
    )
    assert write_examples(ships, kept, "How long is the shortest hull?") == ""


def test_the_question_that_is_read_again_is_no_example_of_itself(
    ships: Corpus, kept: Feedback
) -> None:
    kept.keep_verdict(mark_right(ships, LONG, LONGEST))
    model = replying([reply("SELECT min(length) FROM ships")])
    answer = converse(ships, LONG, Asking(model), verdict="wrong")
    assert HEADING not in model.prompts[0].content
    assert (answer.rows, answer.before and answer.before.rows) == (((45.0,),), ((120.0,),))
    assert [item.judgement for item in kept.verdicts() if item.giver == "person"] == ["right"]


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("DROP TABLE ships", "SELECT"),
        ("SELECT text FROM srag_texts", "srag_texts"),
        ("SELECT lenght FROM ships", "lenght"),
        ("SELECT 42", "would be the same whatever the records say"),
    ],
)
def test_a_query_is_checked_before_it_is_verified(ships: Corpus, sql: str, problem: str) -> None:
    with pytest.raises(QueryError, match=problem):
        verify(ships, CRAFT, sql)


def test_a_text_that_is_stored_otherwise_by_now_is_not_asked_for(
    ships: Corpus, kept: Feedback
) -> None:
    sql = "SELECT count(*) FROM ships WHERE flag = 'malta'"
    kept.keep_verdict(mark_right(ships, "How much under Malta?", sql))
    assert converse(ships, "How much under Malta?", OFFLINE).engine != VERIFIED


Write = tuple[Path, Settings]


@pytest.fixture
def boats(tmp_path: Path) -> Write:
    return tmp_path / "boats", Settings(workers=1, home=tmp_path / "home")


def publish(boats: Write, worker: QueryPool, *columns: Attribute) -> Corpus:
    """Ingest three boats, each column with the same values whatever its name."""
    folder, settings = boats
    folder.mkdir(exist_ok=True)
    rows = [{item.name: str(number) for item in columns} for number in (2, 3, 4)]
    (folder / "boats.json").write_text(json.dumps(rows))
    schema = Schema(title="Boat", entity="boats", nouns=("boat",), attributes=columns)
    ingest(folder, settings, schema=schema, rows="row")
    return Corpus(folder, worker, settings.home)


MASTS = Attribute(name="masts", type="integer", unit="piece")
SAILS = Attribute(name="sails", type="integer")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ((SAILS,), 'column "masts"'),
        ((SAILS, Attribute(name="masts", type="number", unit="m")), "its columns were"),
        ((SAILS, Attribute(name="masts", type="string")), "max"),
        ((SAILS, MASTS), ""),
    ],
)
def test_a_query_that_means_no_more_what_it_did_is_retired(
    boats: Write, ships: Corpus, columns: tuple[Attribute, ...], reason: str
) -> None:
    corpus = publish(boats, ships.worker, SAILS, MASTS)
    assert corpus.state is not None
    with open_feedback(corpus.state) as kept:
        kept.keep_verdict(mark_right(corpus, "Tallest rig?", "SELECT max(masts + 0) FROM boats"))
        assert converse(corpus, "Tallest rig?").rows == ((4,),)
        later = publish(boats, ships.worker, *columns, Attribute(name="crew", type="string"))
        shown = write_examples(later, kept, "Smallest rig?")
        answer = converse(later, "Tallest rig?")
        [pair] = kept.verdicts()
    assert reason in pair.retired
    assert (answer.engine == VERIFIED, shown != "", pair.is_verified) == (reason == "",) * 3


def test_a_query_by_a_name_of_before_is_retired_though_it_can_be_run(
    boats: Write, ships: Corpus
) -> None:
    corpus = publish(boats, ships.worker, MASTS)
    assert corpus.state is not None
    with open_feedback(corpus.state) as kept:
        kept.keep_verdict(mark_right(corpus, "Tallest rig?", "SELECT max(masts) FROM boats"))
        folder, settings = boats
        poles = Attribute(name="poles", type="integer", unit="piece", synonyms=("masts",))
        schema = Schema(title="Boat", entity="boats", nouns=("boat",), attributes=(poles,))
        ingest(folder, settings, schema=schema, rows="row")
        later = Corpus(folder, ships.worker, settings.home)
        [pair] = kept.verdicts()
        assert later.info().renamed
        assert later.select("SELECT max(masts) FROM boats").rows == ((4,),)
        assert not still_holds(later, kept, pair)
        [pair] = kept.verdicts()
        assert pair.retired == "column boats.masts is now boats.poles"
        with pytest.raises(QueryError, match=r"by the names of today: column boats\.masts is now"):
            verify(later, "Tallest rig?", "SELECT max(masts) FROM boats")
