"""Names of columns are plain, unique and never reserved; a rule of an earlier version is read."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from srag_mcp.schema.attribute import (
    NAME_PATTERN,
    Attribute,
    Extractor,
    ItemRule,
    KeyRule,
    PatternRule,
    PlaceRule,
    snake_case,
    unique_name,
)
from srag_mcp.schema.schema import Schema, find_meant
from srag_mcp.values.types import TEXT


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Group By", "group_by"),
        ("hotelName", "hotel_name"),
        ("HTTPStatus", "http_status"),
        ("Größe (m²)", "grosse_m2"),
        ("Price in €", "price_in_eur"),
        ("Share %", "share_percent"),
        ("£ a night", "gbp_a_night"),
        ("Smørrebrød", "smorrebrod"),
        ("Łódź", "lodz"),
        ("1st floor", "n_1st_floor"),
        ("  spaced -- out  ", "spaced_out"),
        ("名前", ""),
        ("12", ""),
        ("", ""),
    ],
)
def test_a_name_is_written_as_a_column(written: str, name: str) -> None:
    assert snake_case(written) == name


@given(st.text(max_size=200))
def test_any_text_becomes_a_name_that_an_attribute_may_have_or_none(text: str) -> None:
    name = snake_case(text)
    assert not name or (re.fullmatch(NAME_PATTERN, name) and snake_case(name) == name)


@given(st.lists(st.sampled_from(["Name", "name", "document id", "名前", "Name 2"]), max_size=12))
def test_names_of_one_schema_are_all_different(written: list[str]) -> None:
    taken: list[str] = []
    for number, text in enumerate(written, start=1):
        taken.append(unique_name(text, taken, f"attribute_{number}"))
    assert len(set(taken)) == len(written)
    assert "document_id" not in taken


@pytest.mark.parametrize("name", ["Name", "1st", "a-b", "", "x" * 64])
def test_an_attribute_has_no_other_name(name: str) -> None:
    with pytest.raises(ValidationError):
        Attribute(name=name, type="string")


@pytest.mark.parametrize("kind", ["text", "array", "object", "", "Number"])
def test_an_attribute_has_one_of_five_types(kind: str) -> None:
    with pytest.raises(ValidationError):
        Attribute.model_validate({"name": "size", "type": kind})


@pytest.mark.parametrize(
    ("earlier", "today"),
    [
        (
            {"kind": "vote", "keys": {"total": 0.9, "amount due": 0.5}, "word": "total"},
            KeyRule(
                keys=("total", "amount due"),
                weights={"total": 0.9, "amount due": 0.5},
                word="total",
            ),
        ),
        (
            {"kind": "part", "key": "address", "index": -1},
            PlaceRule(place="part", key="address", index=-1),
        ),
        (
            {"kind": "mention", "stems": ["pool", "swim"]},
            PatternRule(pattern=r"(?i)\b(?:pool|swim)\w*", weak=True),
        ),
        (
            {"kind": "value", "values": ["Rome", "New York"]},
            PatternRule(
                pattern=r"(?i)(?<!\w)(?:(?i:New)[\W_]+(?i:York)|(?i:Rome))(?!\w)",
            ),
        ),
    ],
)
def test_a_rule_of_an_earlier_version_is_read_as_one_of_today(
    earlier: Mapping[str, object], today: Extractor
) -> None:
    data = {"name": "city", "type": "string", "extractors": [earlier]}
    assert Attribute.model_validate(data).extractors == (today,)


@pytest.mark.parametrize(
    "rule",
    [
        {"kind": "guess"},
        {"kind": "item", "items": []},
        {"kind": "slot", "value_type": "number", "weights": {}, "threshold": 1},
        {"kind": "slot", "value_type": "number", "weights": {"~pier": 1}, "threshold": 0},
        {"kind": "place", "place": "cellar"},
        {"kind": "pattern", "pattern": ""},
        {"kind": "pattern", "pattern": "x", "pick": "best"},
        {"kind": "key", "keys": ["a"], "more": 1},
        "pool",
    ],
)
def test_what_is_no_rule_is_refused(rule: object) -> None:
    with pytest.raises(ValidationError):
        Attribute.model_validate({"name": "pool", "type": "string", "extractors": [rule]})


def test_a_rule_reads_back_as_it_was_written() -> None:
    rules = (
        KeyRule(keys=("pool",), section="facilities"),
        ItemRule(items=("free wifi",), signs=("facilities",)),
        PlaceRule(place="name_line", forms=("ltd",)),
        PatternRule(pattern=r"No\. (?P<value>\d+)", scope="head", characters=200, pick="unique"),
    )
    attribute = Attribute(name="pool", type="string", extractors=rules)
    assert Attribute.model_validate_json(attribute.model_dump_json()) == attribute


def test_a_column_whose_name_says_nothing_is_told_with_the_word_it_is_meant_by() -> None:
    by_synonym = Attribute(name="attribute_1", type=TEXT, synonyms=("height", "高さ"))
    by_key = Attribute(name="value_2", type=TEXT, extractors=(KeyRule(keys=("幅", "width")),))
    nameless = Attribute(name="attribute_3", type=TEXT, synonyms=("12",))
    named = Attribute(name="depth", type=TEXT, synonyms=("深さ",))
    schema = Schema(title="Box", attributes=(by_synonym, by_key, nameless, named))
    assert find_meant(schema) == {"attribute_1": "高さ", "value_2": "幅"}
