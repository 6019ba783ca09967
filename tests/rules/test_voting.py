"""What written rules agree on: on made readings, and on the hotels, whose truth is known."""

import csv
from functools import cache
from pathlib import Path
from time import monotonic

import pytest

from srag_mcp.cells.cell import Cell, DocumentText
from srag_mcp.claims.figures import is_same_value
from srag_mcp.documents.html import read_html
from srag_mcp.rules.voting import (
    Ruling,
    Verdict,
    agrees,
    rule_on,
    run_rules,
    score_rules,
    weigh,
)
from srag_mcp.schema.attribute import Attribute, WrittenRule
from srag_mcp.schema.json_schema import read_schema_file
from srag_mcp.text.spans import Span
from srag_mcp.values.states import State
from srag_mcp.values.types import Value

PACK = Path(__file__).parents[2] / "corpora" / "hotels"
PROVEN = WrittenRule(pattern="x", right=3)
NEW = WrittenRule(pattern="x", right=2)
SLIPPED = WrittenRule(pattern="x", right=9, wrong=1)


def cell(value: Value, start: int = 0) -> Cell:
    return Cell("mass", State.STATED, str(value), Span(start, start + 3), value=value)


@pytest.mark.parametrize(
    ("readings", "verdict"),
    [
        ([], Verdict.SILENT),
        ([(PROVEN, cell(5))], Verdict.PROVEN),
        ([(NEW, cell(5))], Verdict.UNPROVEN),
        ([(SLIPPED, cell(5))], Verdict.UNPROVEN),
        ([(NEW, cell(5)), (SLIPPED, cell(5, 2))], Verdict.UNPROVEN),  # one place twice
        ([(NEW, cell(5)), (SLIPPED, cell(5, 40))], Verdict.AGREED),
        ([(PROVEN, cell(5)), (NEW, cell(6, 40))], Verdict.CONFLICT),
        ([(NEW, cell(5)), (NEW, cell(5, 40)), (NEW, cell(6, 80))], Verdict.CONFLICT),
    ],
)
def test_rules_agree_at_different_places_or_are_proven(
    readings: list[tuple[WrittenRule, Cell]], verdict: Verdict
) -> None:
    ruling = weigh(readings)
    assert ruling.verdict is verdict
    assert ruling.is_taken is (verdict in {Verdict.AGREED, Verdict.PROVEN})
    assert len(ruling.cells) == len(readings)


def test_a_rule_says_what_its_match_means_and_symbols_are_words() -> None:
    pool = Attribute(name="pool", type="boolean")
    none = WrittenRule(pattern="(?P<value>No pool|Pool: none)", means="false")
    stars = Attribute(name="stars", type="integer")
    drawn = WrittenRule(pattern="(?P<value>★+)", map={"★★★": "3", "★★": "2"})
    texts = [DocumentText("1", "", "", "No pool, ★★★", ""), DocumentText("2", "", "", "★★", "")]
    asked = [
        pool.model_copy(update={"rules": (none,)}),
        stars.model_copy(update={"rules": (drawn,)}),
    ]
    found = run_rules(asked, texts)
    assert [cell.value for cell in found["pool"][0].values()] == [False]
    assert [cell.value for cell in found["stars"][0].values()] == [3, 2]


def test_values_are_one_but_for_case_marks_and_the_last_digits() -> None:
    assert is_same_value("Acme Co.", "ACME CO")
    assert is_same_value(1_000_000.0, 1_000_000.4)
    assert not is_same_value(5.0, 5.1)
    assert not is_same_value(True, 1)
    assert not is_same_value("Acme", "Acme North")


def test_a_silent_rule_agrees_where_silence_means_the_value() -> None:
    pool = Attribute(name="pool", type="boolean", absent_means="false")
    silent = Ruling(Verdict.SILENT)
    assert agrees(pool, silent, Cell("pool", State.NOT_MENTIONED))
    assert agrees(pool, silent, Cell("pool", State.STATED_ABSENT, value=False))
    assert not agrees(pool, silent, Cell("pool", State.STATED, value=True))
    assert not agrees(pool, silent, Cell("pool", State.FAILED))


# --- The hotels ---------------------------------------------------------------------------------

RULES = {
    "name": [
        WrittenRule(pattern=r"^title: (?P<value>.+?), [^,\n]+ – book", scope="head"),
        WrittenRule(pattern=r"reviews of (?P<value>.+) in [^.\n]+\. No booking", pick="unique"),
    ],
    "rating": [WrittenRule(pattern=r"^(?P<value>\d\d?\.\d\d)/10 \(\d+ reviews\)")],
    "opening_date": [  # each prose has one full date, and the prices have others
        WrittenRule(pattern=r"(?P<value>[A-Z][a-z]+ \d{1,2}, \d{4})", pick="first"),
        WrittenRule(pattern=r"(?P<value>\d{1,2} [A-Z][a-z]+ \d{4})", veto=("adults", "free")),
    ],
    "free_wifi": [WrittenRule(pattern=r"Free WiFi", map={"free wifi": "true"})],
    "stars": [WrittenRule(pattern=r"/10 \((?P<value>\d+) reviews")],  # plainly wrong
}


@cache
def hotels() -> tuple[tuple[DocumentText, ...], dict[str, dict[str, str]]]:
    with (PACK / "gold.csv").open(encoding="utf-8") as file:
        gold = {row["document"]: row for row in csv.DictReader(file)}
    pages = [(name, read_html((PACK / "documents" / name).read_bytes(), name)) for name in gold]
    texts = (DocumentText(name, page.title or name, name, page.text, "") for name, page in pages)
    return tuple(texts), gold


def label(attribute: Attribute, stated: str) -> Cell:
    if not stated:
        return Cell(attribute.name, State.NOT_MENTIONED)
    return Cell(attribute.name, State.STATED, stated, value=attribute.type.read(stated))


@pytest.fixture(scope="module")
def decided() -> dict[str, tuple[Attribute, dict[str, Ruling], dict[str, Cell]]]:
    """Score the rules on 24 hotels, 12 of them held back, and let them decide all 60."""
    documents, gold = hotels()
    known = {item.name: item for item in read_schema_file(PACK / "schema.json").attributes}
    found = {}
    for name, rules in RULES.items():
        attribute = known[name].model_copy(update={"rules": tuple(rules)})
        labels = {key: label(attribute, row[name]) for key, row in gold.items()}
        sample = dict(list(labels.items())[::2][:24])
        read = run_rules([attribute], documents)[name]
        scored = score_rules(attribute, read, sample)
        attribute = attribute.model_copy(update={"rules": scored})
        found[name] = (attribute, rule_on(attribute, read, gold), labels)
    return found


@pytest.mark.parametrize(
    ("name", "verdict", "least"),
    [
        ("name", Verdict.AGREED, 60),
        ("rating", Verdict.PROVEN, 45),
        ("opening_date", Verdict.PROVEN, 30),
        ("free_wifi", Verdict.PROVEN, 40),
    ],
)
def test_what_rules_of_the_hotels_may_decide_is_right(
    decided: dict[str, tuple[Attribute, dict[str, Ruling], dict[str, Cell]]],
    name: str,
    verdict: Verdict,
    least: int,
) -> None:
    attribute, rulings, labels = decided[name]
    taken = {key: ruling for key, ruling in rulings.items() if ruling.is_taken}
    assert sum(ruling.verdict is verdict for ruling in taken.values()) >= least
    wrong = [key for key, ruling in taken.items() if not agrees(attribute, ruling, labels[key])]
    assert wrong == []


def test_a_rule_that_takes_the_wrong_words_has_no_say(
    decided: dict[str, tuple[Attribute, dict[str, Ruling], dict[str, Cell]]],
) -> None:
    attribute, rulings, _ = decided["stars"]
    assert attribute.rules[0].wrong > attribute.rules[0].right
    assert {ruling.verdict for ruling in rulings.values()} == {Verdict.SILENT}


def test_a_value_that_does_not_follow_from_its_words_is_not_read() -> None:
    mass = Attribute(name="mass", type="number", unit="kg", rules=(NEW,))
    words = WrittenRule(pattern=r"weighs (?P<value>\w+)")
    attribute = mass.model_copy(update={"rules": (words,)})
    texts = [
        DocumentText(str(n), "", "", text, "")
        for n, text in enumerate(("weighs heavily", "weighs 7"))
    ]
    [read] = run_rules([attribute], texts)["mass"]
    assert {key: found.value for key, found in read.items()} == {"1": 7}


def test_a_pattern_that_is_too_slow_for_a_document_says_nothing_there() -> None:
    attribute = Attribute(
        name="x", type="string", rules=(WrittenRule(pattern=r"(a|aa)+$|(?P<value>\d)"),)
    )
    texts = [DocumentText("slow", "", "", "a" * 60 + "!", ""), DocumentText("ok", "", "", "7", "")]
    [read] = run_rules([attribute], texts)["x"]
    assert read.keys() == {"ok"}
    slow = [DocumentText(f"slow {n}", "", "", "a" * 60 + "!", "") for n in range(40)]
    started = monotonic()
    assert run_rules([attribute], [texts[1], *slow])["x"] == [{}]
    assert monotonic() - started < 3
