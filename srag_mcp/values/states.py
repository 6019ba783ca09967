"""States: what words say of an attribute: a value, that there is none, yes, no, or nothing."""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple, TypeAlias

from srag_mcp.text.words import HELPING, JOINING, STOP_WORDS, fold, stem, stems, tidy, words
from srag_mcp.values.types import ColumnType, Value


@cache
def number_names() -> Mapping[str, int]:
    """Return the numbers of other languages than English by their words, up to 999.

    Read when one is looked for: there are 10,000. `dreißig`, `dreissig` -> 30, `vingt et un` -> 21
    """
    path = Path(__file__).with_name("number_names.json")
    numbers = enumerate(json.loads(path.read_text(encoding="utf-8")), start=1)
    return {name: n for n, names in numbers for name in names.split("|")}


_NAMES = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))
WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))

MONTHS: Mapping[str, int] = _NAMES["months"]
# Folded: `swiss francs` -> CHF; names of one word are in `units.toml`.
CURRENCY_NAMES: Mapping[str, str] = _NAMES["currencies"]
COUNTRIES: frozenset[str] = frozenset(_NAMES["countries"])
LEGAL_FORMS: frozenset[str] = frozenset(WORDS["names"]["legal_forms"].split())
TITLES: frozenset[str] = frozenset(WORDS["names"]["titles"].split())
ARTICLES: frozenset[str] = frozenset(WORDS["names"]["articles"].split())
# `limited` -> `ltd`
SHORT_LEGAL_FORMS: Mapping[str, str] = dict(
    pair.split() for pair in WORDS["names"]["short_forms"].split(",")
)

# ISO numbers, 1 for Monday.
WEEKDAYS: Mapping[str, tuple[int, ...]] = {
    **{name: (number,) for name, number in _NAMES["weekdays"].items()},
    **dict.fromkeys(("weekend", "weekends", "wochenende", "wochenenden"), (6, 7)),
    **dict.fromkeys(("workday", "workdays", "werktag", "werktags", "werktage"), (1, 2, 3, 4, 5)),
}

# Names of months that are no other words and are long enough to stand alone.
_OTHER_WORDS = frozenset({"march", "mars", "mayo", "avril", "marco"})
PLAIN_MONTHS: frozenset[str] = frozenset(
    name for name in MONTHS if len(name) > 3 and name not in _OTHER_WORDS
)

ORDINAL_DAYS: Mapping[str, int] = {
    name: number for number, name in enumerate(WORDS["numbers"]["ordinals"].split(), start=1)
}
# Words for the number of a part: `the third quarter`; the last one is 0.
ORDINAL_PARTS: Mapping[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0, "final": 0,
    **{f"{word}{end}": number for number, word in enumerate(
        ("letzte", "erste", "zweite", "dritte", "vierte")) for end in ("", "n", "s", "r", "m")},
}  # fmt: skip

# Words that deny, for regular expressions: a thing; what is said, too; and all there are.
_DENIALS = ["|".join(words.split()) for words in WORDS["denials"].values()]

NONE_OF, NOT_SO, DENIALS = ("|".join(_DENIALS[:n]) for n in (1, 2, 3))


class State(StrEnum):
    """What a document says of an attribute.

    `STATED` has a value. `STATED_ABSENT`: the document says that there is none ("no pool").
    `NOT_MENTIONED`: it says nothing (the value is what `absent_means` says, else NULL; NULL, too,
    where the document was read in part).
    `FAILED`: it says something that could not be read; `Cell.note` has the reason.
    `CORRECTED`: a person or an agent says otherwise; only of cells that are published.
    """

    STATED = "stated"
    STATED_ABSENT = "stated_absent"
    NOT_MENTIONED = "not_mentioned"
    FAILED = "failed"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of a column before its cells are read.

    Attributes:
        type: Of its values.
        name: What it denies itself (`no_smoking`) is true where it is said.
        unit: Its numbers are wanted in this one, perhaps with a scale: `million USD`.
        categories: The closed set of its values.
    """

    type: ColumnType
    name: str = ""
    unit: str | None = None
    categories: tuple[str, ...] | None = None


class Words(NamedTuple):
    """What one document says: *text*, and the *context* that changes its reading: a header."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: *value* is None unless the state is STATED.

    *note* says why it failed, or what was changed or assumed. *is_guess*: the words may as well
    mean another value, and only the size of the others of the column speaks against it.
    """

    state: State
    value: Value | None = None
    unit: str | None = None
    note: str = ""
    is_guess: bool = False


Reader: TypeAlias = Callable[[Words], Reading]


def failed(reason: str) -> Reading:
    """Return the reading of words that could not be read."""
    return Reading(State.FAILED, note=reason)


_ABSENT, _UNKNOWN, _YES, _NO, _YES_OF_IT, _NO_OF_IT = (
    frozenset(" ".join(word.split()) for line in said.split("\n") for word in line.split("|"))
    for said in (
        *(WORDS["placeholders"][key] for key in ("absent", "unknown")),
        *WORDS["answers"].values(),
    )
)
_TRUE, _FALSE = (frozenset(map(fold, said)) - {""} for said in (_YES | _YES_OF_IT, _NO | _NO_OF_IT))
_TRUE_SIGNS, _FALSE_SIGNS = frozenset("✓✔☑✅🗹●"), frozenset("✗✘✕✖☒❌×☐○")
_UNTICKED = frozenset({"[ ]", "[]", "( )"})
_LONGEST_PLACEHOLDER, _LONGEST_ANSWER = 24, 10
_IDLE, _UNSURE = ("|".join(WORDS["placeholders"][key].split()) for key in ("idle", "unsure"))
_NONE_KNOWN = rf"(?:{NONE_OF})\s(?:{_UNSURE})\b"
_NONE_FIRST = re.compile(rf"(?!{_NONE_KNOWN})(?:{NONE_OF})\b|(?:{NOT_SO})(?: yet)?$", re.IGNORECASE)
_NONE_OF_IT = re.compile(
    rf"(?:{NONE_OF})\s+(?P<unsure>(?:{_UNSURE})\b\s*)?(?P<thing>.*)", re.IGNORECASE
)
_NONE_FOUND = re.compile(rf"(?:{NONE_OF})(?:\s(?:{_IDLE}))+[.!]?", re.IGNORECASE)
_NOT_IT = re.compile(rf"^\s*(?:{NOT_SO})\s+", re.IGNORECASE)
_IDLE_WORDS = re.compile(rf"\b(?:{_IDLE}|at all)\b")
_DENIAL = re.compile(rf"\b(?:{DENIALS})\b|[不没沒無无未非]", re.IGNORECASE)
_DENIED_THING = re.compile(rf"\b(?:{DENIALS})\b(?P<thing>[^.,;:()!?–—]*)", re.IGNORECASE)
_FILLERS = re.compile(
    r"^(?:(?:sorry|there|is|are|has|have|we|the|it|il|y|es|gibt|hay|no longer) ){0,3}"
)
_DENYING = re.compile(rf"{_FILLERS.pattern}(?:{NOT_SO})\b(?P<thing>.*)")
_DENIED = re.compile(
    r"\b(?:not|nicht|non|no|niet|não) (?:\w+ )?(?:available|included|provided|offered|allowed"
    r"|permitted|accepted|possible|inklusive|enthalten|vorhanden|verfügbar|erlaubt|möglich"
    r"|disponible|disponibile|inclus|incluso|incluido|autorisé|inbegrepen|incluído)\b"
    r"|\bunavailable\b| (?:no|none|nein|non)$"
)
_ASIDE = re.compile(r"\s*[(\[,;:–—]|\s-\s")
_OPEN = re.compile(
    r"(?:part(?:ly|ially)|teilweise|maybe|perhaps|possibly|unclear|unsure|not sure|uncertain"
    r"|to be \w+ed|not yet \w+ed)\b.*"
    r"|pending|(?:yes|y) ?(?:and|or)? ?(?:no|n)|no (?:info(?:rmation)?|details|data|answer)"
    rf"|{_NONE_KNOWN}.*"
)
_DENYING_NAME = re.compile(r"(?:no|non|not|without)_")


def is_plain_answer(text: str) -> bool:
    """Return whether *text* is a yes or a no alone, and says nothing of a thing: no `present`."""
    return fold(text) in _YES | _NO


def read_missing(text: str, name: str = "") -> State | None:
    """Return what a placeholder says, or None when *text* is no placeholder.

    `none`, `none found`, and `no defects` of a column of that *name* -> STATED_ABSENT, `n/a` and
    `none known` -> NOT_MENTIONED, `3` -> None
    """
    if len(text) > _LONGEST_PLACEHOLDER:
        return None
    folded = text.strip().strip("()[]").lower()
    if folded and (folded in _ABSENT or _NONE_FOUND.fullmatch(folded)):
        return State.STATED_ABSENT
    denied = _NONE_OF_IT.fullmatch(folded)
    said = stems(denied["thing"]) if denied else []
    if denied and (said or denied["unsure"]) and {*said} <= {*stems(name)}:
        return State.NOT_MENTIONED if denied["unsure"] else State.STATED_ABSENT
    if folded and (
        not _UNKNOWN.isdisjoint({folded, folded.removesuffix(".")}) or set(folded) <= set("_ ")
    ):
        return State.NOT_MENTIONED
    return None


def find_answers(texts: Sequence[str], name: str) -> dict[str, str]:
    """Map texts of a column called *name* that say yes or no to its own word for that."""
    plain: defaultdict[tuple[bool, bool], Counter[str]] = defaultdict(Counter)
    counts, called = Counter(texts), fold(name.replace("_", " ")) or None
    for text, n in counts.items():
        if len(text) <= _LONGEST_ANSWER and read_missing(text) is None and is_plain_answer(text):
            plain[fold(text) in _YES, text.isupper()][tidy(text)] += n
    found: dict[str, str] = {}
    for text in counts if plain else ():
        said: bool | None = None
        if fold(text) == called:
            said = True
        elif fold(_NOT_IT.sub("", text)) == called:
            said = False
        elif read_missing(text, name) is State.STATED_ABSENT and any(map(str.isalpha, text)):
            said = False  # a dash says less than `none`
        if said is not None and (words := plain[said, text.isupper()]):
            found[text] = min(words, key=lambda word: (-words[word], word))
    return found


def denies(text: str) -> bool:
    """Return whether words that hold no value begin by denying one: `none, but free`, `never`."""
    return _NONE_FIRST.match(_ASIDE.split(text.strip(), maxsplit=1)[0]) is not None


def has_denial(words: str) -> bool:
    """Return whether *words* have one that denies: `no pets`."""
    return _DENIAL.search(words) is not None


def denies_only(text: str, name: str) -> bool:
    """Return whether *text* denies nothing but what *name* says: `none`, `no guests in May`.

    What it denies are the words behind a denial, up to a mark or a word that only links.
    """
    denied, idle = _DENIED_THING.search(text), HELPING | {"one", "of"}  # `no one`, `none of them`
    if denied is None or read_missing(text):
        return read_missing(text) is State.STATED_ABSENT or read_boolean(text) is False
    thing = words(denied["thing"])
    if thing and thing[0] in STOP_WORDS - idle - JOINING:
        return False  # `not many guests`, `no more than 30 guests`
    said = takewhile(lambda word: word not in STOP_WORDS - idle, thing)
    return {stem(word) for word in said if word not in idle} <= {*stems(name)}


def is_denying_name(attribute: str) -> bool:
    """Return whether an attribute denies something by its name: `no_smoking`."""
    return _DENYING_NAME.match(attribute) is not None


def read_boolean(text: str) -> bool | None:
    """Read a cell that says yes or no and nothing else; None for any other text.

    `Yes` -> True, `not included` -> False, `✗` -> False, `Pool` -> None
    """
    stripped = text.strip()
    if stripped[:1] in _TRUE_SIGNS | _FALSE_SIGNS:
        return stripped[0] in _TRUE_SIGNS
    if stripped in _UNTICKED:
        return False
    folded = fold(stripped)
    return True if folded in _TRUE else False if folded in _FALSE else None


def read_statement(text: str, name: str = "", *, is_answer: bool = False) -> bool | None:
    """Read words that name a thing as true, unless they deny it; None if they leave it open.

    *name* is the attribute's: what it denies itself is true ("No smoking" for `no_smoking`).
    `Outdoor pool` -> True, `No pool` -> False, `Parking: not available` -> False, `yes/no` -> None
    Where it *is_answer* to a question of yes or no, it is true only if it says yes or begins with
    the name, and false only if it says no or denies the name: `one package`, `once returned`, `not
    asked` to `returned` -> None
    """
    plain = read_boolean(text)
    if plain is not None:
        return plain
    begin, *rest = _ASIDE.split(text.strip(), maxsplit=1)
    first = read_boolean(begin)
    if first is False:
        return False  # `nein (1968 verkauft)`
    if first and rest and _OPEN.fullmatch(fold(rest[0])):
        return None  # `yes, partly`
    folded = fold(text)
    if _OPEN.fullmatch(folded) or not any(map(str.isalpha, folded)):
        return None
    if not is_denying_name(name):
        if _DENIED.search(folded) is not None:
            return False
        if (denying := _DENYING.match(folded)) is not None:
            said = words(_IDLE_WORDS.sub(" ", denying["thing"]))  # `not all` leaves `all`
            denied = {stem(word) for word in said if word not in HELPING}
            return False if not is_answer or denied <= {*stems(name)} else None
    # other words before the name may take it back: `semi-evergreen`, `formerly insured`
    says_it = first or {*stems(name)}.issuperset(stems(_FILLERS.sub("", folded))[:1])
    return True if says_it or not is_answer else None
