import pytest

from srag_mcp.records.unsaid_names import find_unsaid_name
from srag_mcp.schema.attribute import Attribute
from srag_mcp.values.types import Value

PORT = Attribute(name="port", type="string", description="Where the voyage began.")
LOG = "The crew of the Vesta put out from Hamburg under Captain Löwe, an Italian."


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Rotterdam", "put out from Hamburg"),
        ("Santos", "put out from H"),
        ("ROTTERDAM DOCKS", "put out from Hamburg"),
        ("Rotterdam", "PUT OUT FROM HAMBURG"),
        ("Роттердам", "put out from Гамбург"),
    ],
)
def test_a_name_without_a_word_in_the_document_is_doubted(value: str, quote: str) -> None:
    assert find_unsaid_name(PORT, quote, value, LOG) == f"the document has no word of {value!r}"


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Hamburg", "put out from Hamburg"),
        ("Port of Hamburg", "put out from Hamburg"),
        ("Hambourg", "put out from Hamburg"),
        ("Italy", "an Italian"),
        ("Munich", "aus München"),
        ("Vienna", "in Wien"),
        ("China", "laws of the PRC"),
        ("United Kingdom", "in the U.K."),
        ("UK", "in Great Britain"),
        ("Cairo", "مقرها القاهرة"),
        ("north", "put out from Hamburg"),
        ("North sea", "put out from Hamburg"),
        ("12 B", "put out from Hamburg"),
        (12, "put out from Hamburg"),
        (None, ""),
    ],
)
def test_what_may_be_the_same_name_in_other_words_is_not_doubted(
    value: Value | None, quote: str
) -> None:
    assert find_unsaid_name(PORT, quote, value, LOG) == ""


def test_a_name_broken_across_lines_is_in_the_document() -> None:
    assert find_unsaid_name(PORT, "put out", "Rotterdam", "We put out, leaving Rotter-\ndam.") == ""


def test_what_the_column_says_of_its_values_explains_a_name() -> None:
    described = PORT.model_copy(update={"description": "The sea: Atlantic, Baltic or Pacific."})
    closed = PORT.model_copy(update={"categories": ("Rotterdam", "Kiel")})

    assert find_unsaid_name(described, "from Hamburg", "Baltic", LOG) == ""
    assert find_unsaid_name(closed, "from Hamburg", "Rotterdam", LOG) == ""
