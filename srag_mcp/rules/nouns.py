"""Nouns: what one record is called, by titles, file names, headings, labels and questions."""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from srag_mcp.documents.document import Heading
from srag_mcp.rules.candidates import Candidate
from srag_mcp.rules.kinship import content_stems
from srag_mcp.rules.sightings import Sightings
from srag_mcp.text.words import content_words, fold_words, is_content, stem
from srag_mcp.values.names import MONTHS

_ASKED = re.compile(
    r"\b(?:how many|which|what (?:percentage|share|proportion|fraction|number) of|per|each|every"
    r"|any|number of|of all|all)\s+(?:of\s+)?(?:the\s+|these\s+|all\s+|different\s+)*"
    r"(?P<words>\w+(?:\s\w+)?)",
    re.I,
)
# Words that say that something is a record or a file, and not of what.
_ANY = frozenset(
    [
        "document",
        "documents",
        "record",
        "records",
        "file",
        "files",
        "page",
        "pages",
        "folder",
        "pack",
        "corpus",
        "data",
        "row",
        "rows",
        "entry",
        "scan",
        "image",
        "copy",
        "untitled",
        "new",
        "final",
        "draft",
        "item",
        "items",
        "table",
        "sheet",
    ]
)
_LETTERS = re.compile(r"[^\W\d_]+")
_NAMING = frozenset(["no", "nr", "number", "id", "reference", "ref", "code"])
# A word that so many titles, file names or headings have says what all of them are.
_USUAL, _NEARLY_ALL = 0.4, 0.8
_MIN_ASKED = 2
_MAX_NOUNS = 4
_OWN = 0.9


def find_nouns(
    sightings: Sequence[Sightings],
    entity: str,
    questions: Sequence[str],
    columns: Sequence[Candidate],
) -> tuple[str, ...]:
    """Return the words for one record and for many, the surest first.

    A word counts that two witnesses have: titles, file names, headings, the folder's name, sample
    questions ("how many invoices"), or that nearly all titles or headings have. What a column is
    called is no record. The folder's name alone counts only where nothing else does.
    """
    n_documents = max(1, len(sightings))
    named = {name for column in columns for name in content_stems(column.label)[-1:]}
    asked = _asked(questions)
    titles = [f"{s.document.title} · {_top_headings(s)}" for s in sightings]
    lines = [_first_line(sighting) for sighting in sightings]
    files = [" ".join(_LETTERS.findall(PurePosixPath(s.document.path).stem)) for s in sightings]
    shown = _count([" ".join(pair) for pair in zip(titles, lines, strict=True)]) | _count(files)
    short = [" · ".join(w for w in re.split(r"\s{2,}", line) if w.count(" ") < 2) for line in lines]
    tops = [" · ".join(pair) for pair in zip(titles, short, strict=True)]
    heads = Counter(head for top in tops for head in set(_heads(top))) | _count(files)
    said = _count([sighting.text for sighting in sightings])
    folder = {singular(word) for word in content_words(entity.replace("_", " "))}
    numbered = set(_numbered(columns, n_documents))
    most_asked = _most(asked, named)
    points: dict[str, float] = {}
    for word in {*shown, *asked, *folder, *numbered} - _ANY - MONTHS.keys():
        is_shown = shown[word] >= _USUAL * n_documents
        is_asked = asked[word] >= _MIN_ASKED or (asked[word] and said[word] >= _USUAL * n_documents)
        n_witnesses = is_shown + is_asked + (word in folder) + (word in numbered)
        is_sure = n_witnesses > 1 or heads[word] >= _NEARLY_ALL * n_documents
        is_sure = is_sure or word == most_asked
        if is_sure and (stem(word) not in named or (is_shown and is_asked)):
            points[word] = (
                n_witnesses + shown[word] / n_documents + asked[word] / max(1, len(questions))
            )
    ranked = sorted(points, key=lambda word: (-points[word], word))
    ranked = ranked or sorted(word for word in folder - _ANY if stem(word) not in named)
    return tuple(form for word in ranked[:_MAX_NOUNS] for form in (word, plural(word)))


def folder_nouns(entity: str) -> tuple[str, ...]:
    """Return the last word of the folder's name, for one record and for many."""
    words = [singular(word) for word in content_words(entity.replace("_", " "))]
    return tuple(form for word in words[-1:] for form in (word, plural(word)))


def _asked(questions: Iterable[str]) -> Counter[str]:
    """Count the nouns that questions count, choose among or group by, each once a question."""
    found: Counter[str] = Counter()
    for question in questions:
        words: set[str] = set()
        for match in _ASKED.finditer(question):
            first, *further = fold_words(match["words"]).split() or [""]
            noun = (
                further[0]
                if further and further[0].endswith("s") and not first.endswith("s")
                else first
            )
            if is_content(noun) and noun.isalpha():
                words.add(singular(noun))
        found.update(words)
    return found


def _count(texts: Sequence[str]) -> Counter[str]:
    """Count the texts that say a noun, in the singular."""
    return Counter(word for text in texts for word in set(_said(text)))


def _said(text: str) -> Iterator[str]:
    return (singular(word) for word in set(content_words(text)) if word.isalpha() and len(word) > 2)


def _heads(title: str) -> Iterator[str]:
    """Yield the heads of the parts of a title: `protocol` of "Protocol of water test 7"."""
    for part in re.split(r"[|()\[\]:·,–—]|\s-\s|\s{2,}", title):
        words = [word for word in fold_words(part).split() if word.isalpha()]
        for place, word in enumerate(words):
            is_last = place + 1 == len(words) or not is_content(words[place + 1])
            if is_last and is_content(word):
                yield singular(word)
                break


def _top_headings(sighting: Sightings) -> str:
    headings = [block for block in sighting.document.blocks if isinstance(block, Heading)]
    level = min((heading.level for heading in headings), default=1)
    return " · ".join(heading.text for heading in headings if heading.level == level)


def _first_line(sighting: Sightings) -> str:
    lines = sighting.first_lines[:1]
    return lines[0].of(sighting.text) if lines else ""


def _most(asked: Counter[str], named: Collection[str]) -> str:
    """Return the noun that questions ask for most, if one does, and no column is called so."""
    ranked = [(n, word) for word, n in asked.most_common() if stem(word) not in named]
    if not ranked or ranked[0][0] < _MIN_ASKED or [n for n, _ in ranked[1:2]] == [ranked[0][0]]:
        return ""
    return ranked[0][1]


def _numbered(columns: Collection[Candidate], n_documents: int) -> Iterator[str]:
    """Yield what the labels of numbers of their own name: `invoice` of "Invoice no."."""
    for column in columns:
        words = " ".join(map(fold_words, column.labels)).split()
        own = {found.text for found in column.found.values()}
        is_own = len(own) >= _OWN * len(column.found) >= _OWN * _NEARLY_ALL * n_documents
        for noun, naming in itertools.pairwise(words):
            if is_own and naming in _NAMING and is_content(noun) and column.origin == "label":
                yield singular(noun)


def singular(word: str) -> str:
    """Return a folded noun in the singular: `parties` -> `party`, `boxes` -> `box`."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def plural(word: str) -> str:
    """Return a folded noun in the plural: `party` -> `parties`."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "sh", "x", "s", "z")) else f"{word}s"
