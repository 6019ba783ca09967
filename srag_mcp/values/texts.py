"""Columns of texts: spellings of one value, and closed sets of values."""

from collections import Counter
from collections.abc import Mapping, Sequence

from srag_mcp.text.words import fold, tidy
from srag_mcp.values.readings import Column, Reader, Reading, Words
from srag_mcp.values.states import State

_ALIKE = 92.0  # of 100, for a word that is meant to be a category: one letter in twelve


def text_reader(declared: Column, said: Sequence[Words]) -> Reader:
    """Decide on the spellings of a column of texts, and return how each cell is read.

    Spellings that differ only in case, punctuation or white space become the most frequent one. A
    closed set of categories wins over the spelling of the documents.
    """
    tidied = {text: tidy(text) for text in dict.fromkeys(words.text for words in said)}
    spellings = choose_spellings([tidied[words.text] for words in said])
    if declared.categories:
        spellings = _categories(spellings, declared.categories)
    known = set(declared.categories or ())

    def read(words: Words) -> Reading:
        value = tidied[words.text]
        return _spelt(value, spellings[value], known)

    return read


def choose_spellings(values: Sequence[str]) -> dict[str, str]:
    """Map every spelling to the one to keep: the most frequent, then the first in order."""
    counts = Counter(values)
    groups: dict[str, list[str]] = {}
    for value in counts:
        groups.setdefault(fold(value) or value, []).append(value)
    kept: dict[str, str] = {}
    for group in groups.values():
        best = min(group, key=lambda value: (-counts[value], value.isupper(), value))
        kept.update(dict.fromkeys(group, best))
    return kept


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


def _spelt(tidied: str, value: str, known: set[str]) -> Reading:
    note = ""
    if known and value not in known:
        note = "not one of the categories"
    elif value != tidied and fold(value) != fold(tidied):
        note = f"spelt {value!r} as in the categories"
    return Reading(State.STATED, value, note=note)
