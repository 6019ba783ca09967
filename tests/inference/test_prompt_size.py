"""How many tokens a question takes, and what of the columns it shows."""
# ruff: noqa: E501 - a column each line

import json
import re
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from srag_mcp.inference.by_model import TranslationReply, _name_column, translate_question
from srag_mcp.model.language_model import Prompt, count_tokens
from srag_mcp.model.reply_content import reply_schema
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.statistics import ColumnStatistics, ValueCount
from srag_mcp.values.types import TEXT
from tests.model.scripted import replying

# name, type, unit, definition
COLUMNS = """
title|string||The full title of the report, as its first page has it. Written with its capitals; numbers of volumes are left out.
vessel|string||The name of the vessel that the accident happened to. Of several vessels the one that the report calls its subject.
vessel_type|string||What kind of vessel it is, in the words of the report's table. Fishing vessels are one kind, whatever their gear.
flag|string||The country whose flag the vessel flew on the day, by its short English name. Not the country of its owner.
owner|string||The company or person that owned the vessel, as the section on the vessel names it. A manager is no owner.
port_of_registry|string||The port in which the vessel was registered. It stands beside the official number.
built|integer|year|The year in which the vessel was completed. Not the year of a later conversion.
length_m|number|m|The length over all in metres. Where only the registered length is given, it is that.
gross_tonnage|integer|GT|The gross tonnage of the vessel. Written with a comma for thousands.
crew|integer|persons|How many people of the crew were on board when it happened. Pilots and passengers are not counted.
passengers|integer|persons|How many passengers were on board. Zero where the report says that there were none.
accident_date|date||The day on which the accident happened, by local time. Not the day of the report.
report_date|date||The day on which the report was published. It stands on the second page.
accident_type|string||What happened, in one of the words of the code of casualties. The first event counts.
location|string||Where it happened, as the summary says it: a strait, a bay, a port. Coordinates are left out.
sea_area|string||The sea or ocean of the place. A river is called by its name.
wind_force|integer|Beaufort|The force of the wind when it happened. The upper end where a range is given.
wave_height_m|number|m|The significant height of the waves in metres. Estimated heights count as well.
visibility|string||How far one could see, in the words of the section on the weather. Fog is poor.
deaths|integer|persons|How many people died, the missing included where the report presumes that they did.
injured|integer|persons|How many people were injured, whatever the injury. Those treated on board are counted.
pollution|boolean||Whether oil or cargo got into the sea. False where the report says that none did.
total_loss|boolean||Whether the vessel was lost for good. A vessel that was raised and repaired was not.
damage_usd|number|USD|The cost of the damage to the vessel in US dollars. The salvage is not part of it.
cargo|string||What the vessel carried, in a few words. Ballast is no cargo.
pilot_on_board|boolean||Whether a pilot was on board when it happened. Pilots of tugs do not count.
master_experience_years|number|years|For how many years the master had held a command. Not the years at sea.
lookout_posted|boolean||Whether somebody else than the watchkeeper kept a lookout. The report says it in its analysis.
recommendations|integer|items|How many recommendations the report makes, all addressees together. Those that were withdrawn count.
investigator|string||The authority that investigated, by its abbreviation. The flag state's, where several did.
"""
WORDS = ("calm", "grey", "old", "long", "north", "wild")
OWNERS = ("Strand Lines", "Kestrel Shipping", "Orlan Fisheries")
QUESTIONS = [
    "How many people died on vessels under the flag of Panama in 2015?",
    "Which vessel with a pilot on board had the most gross tonnage?",
    "What share of the accidents with poor visibility led to a total loss?",
    "In which month did most collisions happen, whatever the year?",
    "How much more did the damage cost on average where no lookout was posted?",
    "Which three reports make the most recommendations?",
    "Who would be to blame for the second change before the storm?",
    "List the owners of vessels built between 1990 and 1999 with wave height above 4 metres.",
    "How many of the reports concern Strand Lines and oil pollution in the North Sea?",
]


def make_attribute(line: str) -> Attribute:
    name, kind, unit, description = line.split("|")
    categories = ("collision", "grounding", "fire") if name == "accident_type" else None
    synonyms = {"flag": ("flag state", "registry"), "deaths": ("fatalities", "lives lost")}
    return Attribute.model_validate(
        {
            "name": name,
            "type": kind,
            "unit": unit or None,
            "description": description,
            "categories": categories,
            "synonyms": synonyms.get(name, ()),
        }
    )


ATTRIBUTES = tuple(map(make_attribute, COLUMNS.strip().splitlines()))
SCHEMA = Schema(title="Accident report", entity="reports", nouns=("report",), attributes=ATTRIBUTES)


def value_of(attribute: Attribute, number: int) -> object:
    if attribute.type.is_boolean:
        return number % 3 == 0
    if attribute.type.is_date:
        return f"20{10 + number % 9}-0{1 + number % 8}-1{number % 9}"
    if attribute.type.is_numeric:
        return 1980 + number if attribute.name == "built" else 3 * number
    if attribute.categories:
        return attribute.categories[number % 3]
    named = {
        "flag": "Panama",
        "sea_area": "North Sea",
        "owner": f"{OWNERS[number % 3]} {number}, Inc.",
    }
    return named.get(attribute.name, f"{attribute.name} of the {WORDS[number % 6]} kind {number}")


@pytest.fixture(scope="module")
def accidents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("accidents"))
    records = ({item.name: value_of(item, n) for item in ATTRIBUTES} for n in range(40))
    (folder / "reports.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in records))
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=SCHEMA)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def prompt_of(corpus: Corpus, question: str) -> Prompt:
    model = replying([json.dumps({"missing": [], "sql": "SELECT count(crew) FROM reports"})])
    anyio.run(translate_question, model, corpus, question)
    [prompt] = model.prompts
    return prompt


def shown_in_full(prompt: Prompt) -> list[str]:
    return re.findall(r"^- (\w+) \(", prompt.content, re.MULTILINE)


def named_in(prompt: Prompt) -> dict[str, str]:
    """Return what is said of each of the other columns, by name."""
    others = prompt.content.partition("Other columns: ")[2].partition("\n")[0]
    return dict(item.split(" ", 1) for item in others.split("; "))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_takes_1500_tokens_at_30_columns(accidents: Corpus, question: str) -> None:
    assert len(ATTRIBUTES) == 30
    prompt = prompt_of(accidents, question)
    assert count_tokens(prompt.instructions) <= 500
    assert prompt.count_tokens(reply_schema(TranslationReply)) <= 1500


def test_instructions_are_the_same_for_all_questions(accidents: Corpus) -> None:
    assert len({prompt_of(accidents, question).instructions for question in QUESTIONS}) == 1


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        (QUESTIONS[0], {"deaths", "flag", "accident_date"}),
        (QUESTIONS[1], {"vessel", "pilot_on_board", "gross_tonnage"}),
        (QUESTIONS[2], {"visibility", "total_loss"}),
        (QUESTIONS[3], {"accident_type", "accident_date"}),
        (QUESTIONS[4], {"damage_usd", "lookout_posted"}),
        (QUESTIONS[5], {"title", "recommendations"}),
        (QUESTIONS[7], {"owner", "built", "wave_height_m"}),
        ("How many lives lost in collisions?", {"deaths", "accident_type"}),
    ],
)
def test_columns_that_matter_are_shown_whole_and_the_others_by_name(
    accidents: Corpus, question: str, needed: set[str]
) -> None:
    prompt = prompt_of(accidents, question)
    shown = shown_in_full(prompt)
    assert needed <= set(shown)
    for attribute in ATTRIBUTES:
        in_full = attribute.name in shown
        assert (attribute.description in prompt.content) is in_full
        others = prompt.content.partition("Other columns: ")[2].partition("\n")[0]
        assert (re.search(rf"\b{attribute.name} \(", others) is None) is in_full


def test_a_name_comes_with_type_unit_and_a_few_categories(accidents: Corpus) -> None:
    others = named_in(prompt_of(accidents, "What was the highest bill?"))
    assert others["accident_type"].startswith("(string: 'collision', 'fire', 'grounding')")
    assert others["lookout_posted"] == "(boolean)"
    assert others["sea_area"].startswith("(string: 'North Sea')")
    assert others["vessel"].startswith("(string)"), "it is different in each record"


def test_the_likeliest_of_those_that_are_named_say_what_they_are(accidents: Corpus) -> None:
    others = named_in(prompt_of(accidents, "What was the highest bill?"))
    hints = [said for said in others.values() if "): " in said]
    assert len(hints) >= 7
    assert others["vessel"] == "(string): The name of the vessel that the accident happened to"


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("What was the average bill?", {"damage_usd"}),
        ("Which is the oldest?", {"accident_date", "report_date"}),
        ("How much was paid at Sanyu?", {"damage_usd"}),
        ("Which was hit by the highest bill?", {"damage_usd"}),
        ("How many fell to intellectual property?", {"accident_type", "flag", "total_loss"}),
    ],
)
def test_there_is_room_for_columns_that_no_word_of_a_question_names(
    accidents: Corpus, question: str, needed: set[str]
) -> None:
    prompt = prompt_of(accidents, question)
    shown = shown_in_full(prompt)
    hinted = [name for name, said in named_in(prompt).items() if "): " in said]
    assert needed <= {*shown, *hinted}
    assert 8 <= len(shown) <= 16 <= len(shown) + len(hinted)


def test_of_values_that_are_not_all_named_it_says_so() -> None:
    attribute = Attribute(name="kind", type="string", categories=("hull", "deck"))
    counted = tuple(ValueCount(value, 4) for value in ("tug", "barge", "yacht", "ferry"))
    found = ColumnStatistics("kind", TEXT, 16, 16, 16, 16, 0, 0, 0, 4, values=counted)
    assert _name_column(attribute, found) == "kind (string: 'tug', 'barge', 'yacht', …)"
    assert _name_column(attribute, None) == "kind (string: 'hull', 'deck')"


def test_all_spellings_of_a_name_are_told(accidents: Corpus) -> None:
    content = prompt_of(accidents, QUESTIONS[8]).content
    assert "- owner ILIKE '%strand lines%' matches 14 spellings: " in content
