"""Columns of text and of categories."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from srag_mcp.records.cell import Cell, add_note
from srag_mcp.records.normalise.equal_cells import read_once
from srag_mcp.schema.attribute import Attribute
from srag_mcp.text.words import fold, tidy
from srag_mcp.values.texts import choose_spellings

_ALIKE = 92.0


def normalise_texts(attribute: Attribute, cells: Sequence[Cell]) -> list[Cell]:
    """Set the values of stated text cells.

    Spellings that differ only in case, punctuation or white space become the most frequent one. A
    closed set of categories wins over the spelling of the documents.
    """
    texts = [cell.as_stated or "" for cell in cells]
    tidied = {text: tidy(text) for text in dict.fromkeys(texts)}
    spellings = choose_spellings([tidied[text] for text in texts])
    if attribute.categories:
        spellings = _categories(spellings, attribute.categories)
    known = set(attribute.categories or ())

    def read(cell: Cell) -> Cell:
        value = tidied[cell.as_stated or ""]
        return _with_value(cell, value, spellings[value], known)

    return read_once(cells, read)


def _categories(spellings: Mapping[str, str], categories: Sequence[str]) -> dict[str, str]:
    same = Counter(map(fold, categories))
    exact = {fold(category): category for category in categories if same[fold(category)] == 1}
    return {
        value: value
        if value in categories
        else exact.get(fold(value)) or _nearest(value, exact) or kept
        for value, kept in spellings.items()
    }


def _nearest(value: str, exact: Mapping[str, str]) -> str | None:
    # Outside library, imported where it is needed: it is slow to start.
    from rapidfuzz import fuzz, process

    folded = fold(value)
    inside = [category for key, category in exact.items() if f" {key} " in f" {folded} "]
    if len(inside) == 1:
        return inside[0]
    found = process.extractOne(folded, list(exact), scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return exact[found[0]] if found else None


def _with_value(cell: Cell, tidied: str, value: str, known: set[str]) -> Cell:
    if known and value not in known:
        return add_note(replace(cell, value=value), "not one of the categories")
    if value == tidied or fold(value) == fold(tidied):
        return replace(cell, value=value)
    return add_note(replace(cell, value=value), f"spelt {value!r} as in the categories")
