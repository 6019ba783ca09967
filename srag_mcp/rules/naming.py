"""Names and descriptions of columns, made from the words of the documents."""

import re
from collections.abc import Collection, Sequence

from srag_mcp.rules.candidates import Candidate
from srag_mcp.text.words import STOP_WORDS, fold_words
from srag_mcp.values.types import ColumnType

_MAX_NAME_CHARACTERS = 48
_MAX_NAME_WORDS = 6
_N_EXAMPLES = 3
_MAX_EXAMPLE_CHARACTERS = 60
_LETTER = re.compile(r"[a-z]")
_RESERVED = frozenset({"document_id"})


def column_name(label: str) -> str:
    """Return a snake_case name for *label*, empty where it has no Latin letter.

    Example: `TOTAL SALES (INCL. TAX)` -> `total_sales_incl_tax`
    """
    words = [word for word in fold_words(label).split() if word.isascii()]
    telling = [word for word in words if word not in STOP_WORDS] or words
    kept = telling if len(words) > _MAX_NAME_WORDS else words
    name = "_".join(kept[:_MAX_NAME_WORDS])[:_MAX_NAME_CHARACTERS].strip("_")
    if not any(map(str.isalpha, name)) or name in _RESERVED:
        return ""
    return name if _LETTER.match(name) else f"n_{name}"


def examples_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return a few short values as documents write them, the most different first."""
    short = [" ".join(value.split()) for value in values]
    short = [value for value in short if 0 < len(value) <= _MAX_EXAMPLE_CHARACTERS]
    return tuple(dict.fromkeys(short[:: max(1, len(short) // 8)]))[:_N_EXAMPLES]


def describe(candidate: Candidate, label: str, n_documents: int) -> str:
    """Write what the column is and how documents write it, in two or three sentences."""
    kind, unit = candidate.guess.type, candidate.guess.unit
    first = f"{_what(candidate, label)}; stated in {len(candidate.found)} of {n_documents} samples."
    texts = [found.text for found in candidate.found.values()]
    others = [other for other in candidate.labels if fold_words(other) != fold_words(label)]
    also = f"Also called {', '.join(others[:4])}." if others else ""
    quotes = ", ".join(f'"{quote}"' for quote in candidate.quotes)
    stated = f"Stated as in {quotes}." if quotes else ""
    return " ".join(filter(None, (first, describe_values(texts, kind, unit), also, stated)))


def describe_values(values: Sequence[str], kind: ColumnType, unit: str | None) -> str:
    """Write what is stored, and a few values as documents write them."""
    if kind.is_boolean:
        return "Stored as true or false."
    shown = " or ".join(f'"{value}"' for value in examples_of(values))
    return f"{_how(kind, unit)}, written as {shown}." if shown else f"{_how(kind, unit)}."


_NOUNS = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "statement",
    "date": "date",
}


def _what(candidate: Candidate, label: str) -> str:
    kind = str(candidate.guess.type)
    if candidate.origin == "item":
        return f'Whether "{label}" is in a list of the document'
    if candidate.origin in {"slot", "name"}:
        return f'The {_NOUNS[kind]} that stands beside the words "{label}"'
    if candidate.origin == "place":
        return f"The {label} of the document, from its top"
    return f'The {_NOUNS[kind]} beside "{label}"'


def _how(kind: ColumnType, unit: str | None) -> str:
    if kind.is_date:
        return "A date"
    if not kind.is_numeric:
        return "Text as the document has it"
    noun = "A whole number" if kind == "integer" else "A number"
    return f"{noun} in {unit}" if unit else noun


def free_name(label: str, taken: Collection[str]) -> str:
    """Return a name for a column of a table, numbered where another one has it."""
    figures = "_".join(word for word in fold_words(label).split() if word.isascii())
    name = column_name(label) or (f"n_{figures}" if figures else "value")
    number, found = 2, name
    while found in taken:
        found = f"{name}_{number}"
        number += 1
    return found


def unique_labels(
    candidates: Sequence[Candidate], n_documents: int, nouns: Collection[str] = ()
) -> list[str]:
    """Choose for each candidate the first of its labels that no better one took; else ``""``.

    Phrases of running text lose the words for one record, *nouns*: a "star hotel" has `star`.
    """
    taken: set[str] = set()
    chosen: dict[int, str] = {}
    for candidate in sorted(candidates, key=lambda item: -item.share(n_documents)):
        labels = [*candidate.labels, *candidate.others]
        if candidate.origin == "slot":
            labels = [" ".join(w for w in one.split() if w not in nouns) for one in labels]
        free = (label for label in labels if label and _key(label) not in taken)
        label = next(free, "")
        taken.add(_key(label))
        chosen[id(candidate)] = label
    return [chosen[id(candidate)] for candidate in candidates]


def _key(label: str) -> str:
    return column_name(label) or fold_words(label)
