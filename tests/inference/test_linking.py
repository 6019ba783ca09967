"""Which stored values and which columns a question may mean."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.inference.by_model import _fit_linked
from srag_mcp.inference.linking import LinkedValues, link_values, rank_columns
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

TEXTS = ("name", "keeper", "room_type", "state", "law", "owner", "road", "currency", "code")
SCHEMA = Schema(
    title="Inn",
    entity="inns",
    nouns=("inn",),
    attributes=(
        *(Attribute(name=name, type="string") for name in TEXTS),
        Attribute(name="rent", type="number", description="What a night costs."),
        Attribute(name="opened", type="date", description="The day of the first guest."),
        Attribute(
            name="cellar",
            type="boolean",
            description="Whether there is a cellar below the house.",
            synonyms=("vault",),
        ),
        Attribute(name="beds", type="integer", description="Beds of the house."),
        Attribute(
            name="school", type="string", description="Where the keeper has learnt the trade."
        ),
    ),
)
INNS: list[Mapping[str, object]] = [
    {"name": "The Lamplighter", "keeper": "Giulia Conti", "state": "Nevada", "currency": "EUR"},
    {"name": "Double Moon", "room_type": "Double Room", "state": "Nevada", "law": "Nevada"},
    {"name": "Old Moon", "owner": "Cisco Systems, Inc.", "road": "West", "currency": "USD"},
    {"name": "New Moon", "owner": "CISCO SYSTEMS", "code": "DAY", "currency": "EUR"},
    {"name": "Low Moon", "owner": "BOOK TA (TAMAN DAYA) SDN BHD", "room_type": "Twin Room"},
    *({"name": f"Inn {n}", "owner": f"Trent Houses {n}", "school": "Ulm"} for n in range(14)),
    *({"name": f"Den {n}", "owner": f"Harts & Sons {n}"} for n in range(13)),
    {"name": "Star", "owner": "General Electric Company", "law": "WHO"},
    {"name": "Far Moon", "owner": "Charts Ltd", "opened": "1990-05-01", "rent": 30, "beds": 4},
    {"name": "Near Moon", "keeper": "x" * 150 + " Zorn", "cellar": True, "school": "Bonn"},
]


@pytest.fixture(scope="module")
def inns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("inns"))
    (folder / "inns.jsonl").write_text("".join(f"{json.dumps(inn)}\n" for inn in INNS))
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=SCHEMA)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def pairs(found: Sequence[LinkedValues]) -> list[tuple[str, str]]:
    return [(group.column, match.value) for group in found for match in group.values]


@pytest.mark.parametrize(
    ("question", "linked"),
    [
        ("How many of the inns have rooms?", []),
        ("Which inns in Nevada are open?", [("law", "Nevada"), ("state", "Nevada")]),
        ("Which inns does Conti keep?", [("keeper", "Giulia Conti")]),
        ("How many double rooms are there?", [("room_type", "Double Room")]),
        ("What does the lamplighter cost?", [("name", "The Lamplighter")]),
        ("Which inns lie on West/East roads?", [("road", "West")]),
        ("Which are Nevada-law inns?", [("law", "Nevada"), ("state", "Nevada")]),
        ("Who owns double-room inns?", [("room_type", "Double Room")]),
    ],
)
def test_values_are_linked_by_their_words_and_not_by_one_that_is_in_them(
    inns: Corpus, question: str, linked: list[tuple[str, str]]
) -> None:
    assert pairs(link_values(question, inns)) == linked


@pytest.mark.parametrize("name", ["Cisco Systems", "cisco systems inc", "CISCO SYSTEMS, INC."])
def test_case_marks_and_legal_form_make_no_difference(inns: Corpus, name: str) -> None:
    found = link_values(f"Which inns belong to {name}?", inns)
    assert pairs(found) == [("owner", "Cisco Systems, Inc.")], "the two spellings are one value"
    assert [group.is_equal for group in found] == [True]


@pytest.mark.parametrize(
    ("name", "linked"),
    [
        ("GE", [("owner", "General Electric Company")]),
        ("the World Health Organization", [("law", "WHO")]),
        ("World Heart Operations", [("law", "WHO")]),  # may be; who asks decides
        ("who", []),
    ],
)
def test_short_and_full_forms_of_a_name_find_each_other(
    inns: Corpus, name: str, linked: list[tuple[str, str]]
) -> None:
    found = link_values(f"Which inns belong to {name}?", inns)
    assert pairs(found) == linked
    assert not any(group.is_equal for group in found)


@pytest.mark.parametrize("name", ["Books Co.", "Books", "books", "Daya Books"])
def test_a_stem_in_common_is_not_enough(inns: Corpus, name: str) -> None:
    assert ("owner", "BOOK TA (TAMAN DAYA) SDN BHD") not in pairs(
        [x for x in link_values(f"What does {name} own?", inns) if x.phrase != "Daya"]
    )


def test_a_code_is_no_plural(inns: Corpus) -> None:
    assert link_values("How many days are they open?", inns) == ()
    assert pairs(link_values("Which inn has code DAY?", inns)) == [("code", "DAY")]


def test_many_spellings_are_told_by_a_pattern_that_matches_them_all(inns: Corpus) -> None:
    [group] = link_values("How many inns does Trent Houses own?", inns)
    assert (group.pattern, group.n_values, group.n_records) == ("%trent houses%", 14, 14)
    assert str(group) == (
        "owner ILIKE '%trent houses%' matches 14 spellings:"
        " 'Trent Houses 0' (1), 'Trent Houses 1' (1), 'Trent Houses 10' (1), …"
    )
    count = f"SELECT count(*) FROM inns WHERE owner ILIKE '{group.pattern}'"
    assert inns.select(count).rows == ((14,),)


def test_a_pattern_that_would_match_others_is_not_told(inns: Corpus) -> None:
    """`%harts%` also matches "Charts Ltd"."""
    [group] = link_values("How many inns does Harts own?", inns)
    assert (group.pattern, group.n_values, len(group.values)) == ("", 13, 12)
    assert str(group).endswith(", and 1 more spellings that hold “Harts”")


def test_a_long_value_is_cut_outside_of_any_literal(inns: Corpus) -> None:
    [group] = link_values("Which inn does Zorn keep?", inns)
    assert str(group) == f"keeper ILIKE '%zorn%' matches 1 spellings: “{'x' * 119}…” (1)"


def test_the_name_of_a_currency_means_the_code_that_is_stored(inns: Corpus) -> None:
    [group] = link_values("What do rooms cost in euros?", inns)
    assert (group.column, str(group)) == ("currency", "currency: 'EUR' (2)")


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("Which inn has the most beds?", {"name", "beds"}),
        ("How many have a vault?", {"cellar"}),
        ("When did the first guest come?", {"opened"}),
        ("How many opened in May 1990?", {"opened"}),
        ("What is the average rent in Nevada?", {"rent", "state", "law"}),
        ("Which is the cheapest?", {"rent"}),
        ("Where did Conti learn the trade?", {"keeper", "school"}),
        ("Who asks for 30 euros?", {"rent", "currency"}),
    ],
)
def test_the_columns_that_a_question_needs_come_first(
    inns: Corpus, question: str, needed: set[str]
) -> None:
    ranked = rank_columns(question, inns, link_values(question, inns))
    assert needed <= set(ranked[:8])
    assert "name" in ranked[:1]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How much oil do they burn?", ["name", "rent"]),
        ("How many beds do they have?", ["name", "beds", "school"]),
    ],
)
def test_columns_that_no_word_tells_of_follow(
    inns: Corpus, question: str, first: list[str]
) -> None:
    ranked = rank_columns(question, inns, ())
    assert set(ranked) == {attribute.name for attribute in SCHEMA.attributes}
    assert ranked[: len(first)] == first


PLACES: list[Mapping[str, object]] = [
    {"name": "Ada", "job": "Registered Nurse", "currency": "GBP", "court": f"{'x' * 150} Kent"},
    {"name": "Bea", "job": "Registered Nurse", "currency": "CHF", "court": "Kent A"},
    {"name": "Cem", "job": "Porter", "currency": "EUR", "court": "Kent B"},
]


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("jobs"))
    (folder / "jobs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in PLACES))
    names = ("name", "job", "currency", "court")
    columns = tuple(Attribute(name=name, type="string") for name in names)
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=Schema(title="Job", entity="jobs", attributes=columns))
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


@pytest.mark.parametrize(
    ("question", "linked"),
    [
        ("How many are paid in pounds?", [("currency", "GBP")]),
        ("How many are paid in Swiss francs?", [("currency", "CHF")]),
        ("How many nurses are there?", [("job", "Registered Nurse")]),
    ],
)
def test_what_is_stored_is_linked_by_what_people_call_it(
    jobs: Corpus, question: str, linked: list[tuple[str, str]]
) -> None:
    assert pairs(link_values(question, jobs)) == linked


def test_a_name_that_most_values_hold_is_linked_and_a_long_one_shown(jobs: Corpus) -> None:
    [group] = link_values("How many come from Kent?", jobs)
    assert (group.column, group.pattern, group.n_values) == ("court", "%kent%", 3)
    [shown] = _fit_linked([replace(group, values=group.values * 9)])
    assert shown.values
