"""Names and descriptions of attributes, made from the words of the documents."""

import re
from collections.abc import Collection, Sequence

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.words import stem
from srag_mcp.schema.extractors import PlaceRule, SlotRule
from srag_mcp.text.words import STOP_WORDS
from srag_mcp.text.words import fold_words as fold

_MAX_NAME_CHARACTERS = 48
_MAX_NAME_WORDS = 6
_N_EXAMPLES = 3
_MAX_EXAMPLE_CHARACTERS = 60
_BRACKETED = re.compile(r"[(\[][^()\[\]]*[)\]]")
_SCORE = re.compile(r"\d\s?/\s?(?:5|10|20|100)$|\bout of (?:5|10|100)\b")
_WAY_MARKS = frozenset(
    {">!from", ">!to", ">!away", ">!off", ">!distant", ">away", "~away", "~distant"}
)
_LETTER = re.compile(r"[a-z]")
_RESERVED = frozenset({"document_id"})


def attribute_name(label: str, taken: Collection[str]) -> str:
    """Return a unique snake_case name for *label*.

    Example: `TOTAL SALES (INCL. TAX)` -> `total_sales`
    """
    bare = fold(_BRACKETED.sub(" ", label)) or fold(label)
    words = [word for word in bare.split() if word.isascii()]
    telling = [word for word in words if word not in STOP_WORDS] or words
    kept = telling if len(words) > _MAX_NAME_WORDS else words
    name = "_".join(kept[:_MAX_NAME_WORDS])[:_MAX_NAME_CHARACTERS].strip("_") or "value"
    if not _LETTER.match(name):
        name = f"n_{name}"
    return _unique(name, {*taken, *_RESERVED})


def _unique(name: str, taken: Collection[str]) -> str:
    number, found = 2, name
    while found in taken:
        found = f"{name}_{number}"
        number += 1
    return found


def label_of(candidate: Candidate, kind: str, nouns: Collection[str]) -> str:
    """Return the best label: without the words for a record, and with what the values tell.

    A score out of ten is a rating, a date is a date, an amount measured to somewhere a distance.
    *nouns* are the stems of words for one record.
    """
    words = [word for word in fold(candidate.label).split() if stem(word) not in nouns]
    label = " ".join(words) if words else candidate.label
    values = list(candidate.values.values())
    scores = sum(_SCORE.search(value) is not None for value in values)
    if candidate.origin == "slot" and values and scores >= 0.8 * len(values):
        return "rating"
    if candidate.origin == "slot" and kind == "date" and "date" not in words:
        return f"{label} date" if candidate.asked or not _is_main(candidate) else "date"
    if candidate.origin == "slot" and _is_distance(candidate):
        return f"distance {label}"
    return label


def _is_main(candidate: Candidate) -> bool:
    """Whether a date is also the first of its documents."""
    return any(isinstance(rule, PlaceRule) for rule in candidate.rules)


def _is_distance(candidate: Candidate) -> bool:
    rule = candidate.rules[0]
    return (
        isinstance(rule, SlotRule)
        and "unit:length" in rule.weights
        and any(mark in rule.weights for mark in _WAY_MARKS)
    )


def examples_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return a few short values as documents write them, the most different first."""
    short = [" ".join(value.split()) for value in values]
    short = [value for value in short if 0 < len(value) <= _MAX_EXAMPLE_CHARACTERS]
    return tuple(dict.fromkeys(short[:: max(1, len(short) // 8)]))[:_N_EXAMPLES]


def describe(candidate: Candidate, kind: str, unit: str | None, n_documents: int) -> str:
    """Write what the attribute is and how documents write it, in two or three sentences."""
    first = f"{_what(candidate, kind)}; stated in {len(candidate.values)} of {n_documents} samples."
    second = describe_values(list(candidate.values.values()), kind, unit)
    others = [label for label in candidate.labels if fold(label) != fold(candidate.label)]
    also = f" Also called {', '.join(others[:4])}." if others else ""
    quotes = ", ".join(f'"{quote}"' for quote in candidate.quotes)
    stated = f"Stated as in {quotes}." if quotes else ""
    return " ".join(filter(None, (first, second + also, stated)))


def describe_values(values: Sequence[str], kind: str, unit: str | None) -> str:
    """Write what values are stored as, and how documents write them, in a sentence."""
    if kind == "boolean":
        return "Stored as true or false."
    shown = " or ".join(f'"{value}"' for value in examples_of(values))
    return f"{_how(kind, unit)}, written as {shown}." if shown else f"{_how(kind, unit)}."


def _what(candidate: Candidate, kind: str) -> str:
    label = " ".join(candidate.label.split())
    if candidate.origin == "item":
        return f'Whether "{label}" is in a list of the document'
    if candidate.origin in {"slot", "anchor"}:
        return f'The {_NOUNS[kind]} that stands beside the words "{label}"'
    if candidate.origin == "place":
        return f"The {label} of the document, from its top"
    return f'The {_NOUNS[kind]} beside "{label}"'


_NOUNS: dict[str, str] = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "statement",
    "date": "date",
}


def _how(kind: str, unit: str | None) -> str:
    if kind == "date":
        return "A date"
    if kind == "string":
        return "Text as the document has it"
    noun = "A whole number" if kind == "integer" else "A number"
    return f"{noun} in {unit}" if unit else noun
