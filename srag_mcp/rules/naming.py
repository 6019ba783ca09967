"""Naming: what a column and a record are called, in the words of the documents."""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from srag_mcp.documents.document import Heading
from srag_mcp.rules.candidates import Candidate
from srag_mcp.rules.kinship import content_stems
from srag_mcp.rules.sightings import Sightings
from srag_mcp.text.words import (
    STOP_WORDS,
    content_words,
    fold_words,
    is_content,
    plural,
    singular,
    stem,
)
from srag_mcp.values.columns import YEAR_ADDED
from srag_mcp.values.dates import is_bare_day
from srag_mcp.values.states import MONTHS
from srag_mcp.values.types import ColumnType
from srag_mcp.values.units import read_context

_MAX_NAME_CHARACTERS = 48
_MAX_NAME_WORDS = 6
_N_EXAMPLES = 3
_MAX_EXAMPLE_CHARACTERS = 60
_RESERVED = frozenset({"document_id"})
IN_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")


def column_name(label: str) -> str:
    """Return a snake_case name for *label*, empty where it has no Latin letter.

    A scale in brackets is in the values: they are no thousands any more.

    Example: `TOTAL SALES (INCL. TAX)` -> `total_sales_incl_tax`; `Revenue (k€)` -> `revenue`
    """
    label = IN_BRACKETS.sub(lambda f: "" if read_context(f[0]).scale != 1 else f[0], label)
    words = [word for word in fold_words(label).split() if word.isascii()]
    telling = [word for word in words if word not in STOP_WORDS] or words
    kept = telling if len(words) > _MAX_NAME_WORDS else words
    name = "_".join(kept[:_MAX_NAME_WORDS])[:_MAX_NAME_CHARACTERS].strip("_")
    if not any(map(str.isalpha, name)) or name in _RESERVED:
        return ""
    return name if name[0].isalpha() else f"n_{name}"


def free_name(label: str, taken: Collection[str]) -> str:
    """Return a name for a column of a table, numbered where another one has it."""
    figures = "_".join(word for word in fold_words(label).split() if word.isascii())
    name = column_name(label) or (f"n_{figures}" if figures else "value")
    numbered = (f"{name}_{number}" for number in itertools.count(2))
    return next(found for found in itertools.chain([name], numbered) if found not in taken)


def unique_labels(
    candidates: Sequence[Candidate], n_documents: int, nouns: Collection[str] = ()
) -> list[str]:
    """Choose for each candidate the first of its labels that no better one took; else ``""``.

    Phrases of running text lose the words for one record, *nouns*: a "star hotel" has `star`.
    """
    taken: set[str] = set()
    chosen: dict[int, str] = {}
    for candidate in sorted(candidates, key=lambda item: -item.share(n_documents)):
        labels = candidate.labels
        if candidate.origin == "slot":
            labels = [" ".join(w for w in one.split() if w not in nouns) for one in labels]
        keys = {label: column_name(label) or fold_words(label) for label in labels if label}
        label = next((label for label, key in keys.items() if key not in taken), "")
        taken.add(keys.get(label, ""))
        chosen[id(candidate)] = label
    return [chosen[id(candidate)] for candidate in candidates]


def describe(candidate: Candidate, label: str, n_documents: int) -> str:
    """Write what the column is and how documents write it, in two or three sentences."""
    kind = candidate.guess.type
    what = f'The {kind.noun} beside "{label}"'
    if candidate.origin == "item":
        what = f'Whether "{label}" is in a list of the document'
    elif candidate.origin == "slot":
        what = f'The {kind.noun} that stands beside the words "{label}"'
    elif candidate.origin == "place":
        what = f"The {label} of the document, from its top"
    others = [other for other in candidate.labels if fold_words(other) != fold_words(label)]
    quotes = ", ".join(f'"{quote}"' for quote in candidate.quotes)
    sentences = (
        f"{what}; stated in {len(candidate.found)} of {n_documents} samples.",
        describe_values(candidate.texts, kind, candidate.guess.unit),
        f"Also called {', '.join(others[:4])}." if others else "",
        f"Stated as in {quotes}." if quotes else "",
    )
    return " ".join(filter(None, sentences))


def describe_values(values: Sequence[str], kind: ColumnType, unit: str | None) -> str:
    """Write what is stored, and a few values as documents write them."""
    how = f"{kind.held} in {unit}" if unit else kind.held
    examples = () if kind.is_boolean else examples_of(values)
    shown = " or ".join(f'"{value}"' for value in examples)
    written = "in documents written as" if kind.is_date else "written as"  # it is stored otherwise
    year = f"; {YEAR_ADDED}" if kind.is_date and any(map(is_bare_day, values)) else ""
    return f"{how}, {written} {shown}{year}." if shown else f"{how}."


def examples_of(values: Sequence[str]) -> tuple[str, ...]:
    """Return a few short values as documents write them, the most different first."""
    short = [" ".join(value.split()) for value in values]
    short = [value for value in short if 0 < len(value) <= _MAX_EXAMPLE_CHARACTERS]
    return tuple(dict.fromkeys(short[:: max(1, len(short) // 8)]))[:_N_EXAMPLES]


_ASKED = re.compile(
    r"\b(?:how many|which|what (?:percentage|share|proportion|fraction|number) of|per|each|every"
    r"|any|number of|of all|all)\s+(?:of\s+)?(?:the\s+|these\s+|all\s+|different\s+)*"
    r"(?P<words>\w+(?:\s\w+)?)",
    re.I,
)
# Words that say that something is a record or a file, and not of what.
_ANY = frozenset(
    content_words(
        "document documents record records file files page pages folder pack corpus data row "
        "rows entry scan image copy untitled new final draft item items table sheet"
    )
)
_LETTERS = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"\b[^\W\d_]+[-/]\d[\w/-]*")  # `INV-101` names one record, and no kind
# A word that so many titles, file names or headings have says what all of them are.
_USUAL, _NEARLY_ALL = 0.4, 0.8
_MIN_ASKED = 2
_MAX_NOUNS = 4


def find_nouns(
    sightings: Sequence[Sightings],
    entity: str,
    questions: Sequence[str],
    columns: Sequence[Candidate],
) -> tuple[str, ...]:
    """Return the words for one record and for many, the surest first.

    A word counts that two witnesses have: titles, file names, headings, the folder's name, sample
    questions ("how many invoices"), or that nearly all titles or headings have. What a
    column is called is no record; of a longer name only where folder and titles do not say so.
    The folder's name alone counts only where nothing else does, its last word, and where documents
    speak of one. Last comes what documents call themselves: `this audit report`.
    """
    n_documents = max(1, len(sightings))
    named = {stem(word) for column in columns for word in _heads(column.label)}
    bare = {name for c in columns if len(own := content_stems(c.label)) == 1 for name in own}
    asked = Counter(noun for question in questions for noun in _asked(question))
    shown, heads, said = Counter[str](), Counter[str](), Counter[str]()
    for sighting in sightings:
        headings = [block for block in sighting.document.blocks if isinstance(block, Heading)]
        level = min((heading.level for heading in headings), default=1)
        top = [heading.text for heading in headings if heading.level == level]
        title = _CODE.sub(" ", " · ".join((sighting.document.title, *top)))
        line = sighting.first_lines[0].of(sighting.text) if sighting.first_lines else ""
        line = _CODE.sub(" ", line)
        short = [part for part in re.split(r"\s{2,}", line) if part.count(" ") < 2]
        file = " ".join(_LETTERS.findall(PurePosixPath(sighting.document.path).stem))
        shown.update({*_said(title), *_said(line), *_said(file)})
        heads.update({*_heads(" · ".join((title, *short))), *_said(file)})
        said.update(_said(sighting.text))
    folder = {singular(word) for word in content_words(entity.replace("_", " "))}
    free = [(n, word) for word, n in asked.most_common(len(asked)) if stem(word) not in named]
    free = free if len(free) < 2 or free[0][0] > free[1][0] else []
    most_asked = next((word for n, word in free if n >= _MIN_ASKED), "")
    points: dict[str, float] = {}
    for word in {*shown, *asked, *folder} - _ANY - MONTHS.keys():
        is_shown = shown[word] >= _USUAL * n_documents
        is_asked = asked[word] >= _MIN_ASKED or (asked[word] and said[word] >= _USUAL * n_documents)
        n_witnesses = is_shown + is_asked + (word in folder)
        is_head = heads[word] >= _NEARLY_ALL * n_documents
        is_sure = n_witnesses > 1 or is_head or word == most_asked
        is_free = stem(word) not in (bare if is_head or (is_shown and word in folder) else named)
        if is_sure and (is_free or (is_shown and is_asked)):
            shares = shown[word] / n_documents + asked[word] / max(1, len(questions))
            points[word] = n_witnesses + shares
    ranked = sorted(points, key=lambda word: (-points[word], -len(word), word))  # `inv` is short
    last = () if ranked else nouns_of_names(entity)[:1]
    for word in last:
        # of e-bikes in a folder `ebikes`
        texts = (fold_words(f"{x.text} {x.text.replace('-', '')}") for x in sightings)
        n_speaking = sum(word in text.split() for text in texts)
        is_free = word not in _ANY and stem(word) not in named
        ranked += [word] * (is_free and n_speaking >= _USUAL * n_documents)
    ranked = ranked[:_MAX_NOUNS]
    ranked += _called_by_themselves(sightings, ranked)
    return tuple(form for word in ranked for form in (word, plural(word)))


def _called_by_themselves(sightings: Sequence[Sightings], nouns: Sequence[str]) -> list[str]:
    """Return the one longer name that documents have for themselves: `this annual report`."""
    own = re.compile(rf"\bthis ((?:[^\W\d_]+ )??(?:{'|'.join(map(re.escape, nouns))}))\b")
    texts = (" ".join(sighting.text.casefold().split()) for sighting in sightings)
    said = Counter(name for text in texts for name in {*own.findall(text)}) if nouns else Counter()
    [(name, n)] = said.most_common(1) or [("", 0)]
    is_usual = n > _MIN_ASKED and n >= _NEARLY_ALL * said.total()
    return [name] if is_usual and name not in nouns else []


def nouns_of_names(*names: str) -> tuple[str, ...]:
    """Return the last words of names, as of a folder and of its file, for one record and for many.

    `"harbour", "boats_2024" -> ("harbour", "harbours", "boat", "boats")`
    """
    words = [[word for word in content_words(name.replace("_", " ")) if word.isalpha()]
             for name in names]  # fmt: skip
    lasts = dict.fromkeys(singular(found[-1]) for found in words if found)
    return tuple(form for word in lasts for form in (word, plural(word)))


def _asked(question: str) -> set[str]:
    """Return the nouns that a question counts, chooses among or groups by."""
    found: set[str] = set()
    for match in _ASKED.finditer(question):
        first, *further = fold_words(match["words"]).split() or [""]
        is_first = not further or not further[0].endswith("s") or first.endswith("s")
        noun = first if is_first else further[0]
        if is_content(noun) and noun.isalpha():
            found.add(singular(noun))
    return found


def _said(text: str) -> Iterator[str]:
    """Yield the nouns of a text, in the singular, each once."""
    words = {word for word in content_words(text) if word.isalpha() and len(word) > 2}
    yield from {singular(word) for word in words}


def _heads(title: str) -> Iterator[str]:
    """Yield the heads of the parts of a title: `protocol` of "Protocol of water test 7"."""
    for part in re.split(r"[|()\[\]:·,–—]|\s-\s|\s{2,}", title):
        words = [word for word in fold_words(part).split() if word.isalpha()]
        for word, following in zip(words, [*words[1:], ""], strict=False):
            if is_content(word) and not is_content(following):
                yield singular(word)
                break
