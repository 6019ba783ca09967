"""Words of questions: tokens with their stems, and what phrases of English do in a sentence."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from unicodedata import category

from srag_mcp.text import words as text_words
from srag_mcp.text.words import DENYING, ENGLISH_STOP_WORDS, STOP_WORDS, fold_word

_TOKEN = re.compile(
    r"""(?P<iso>\d{4}-\d{2}-\d{2}(?!\d))
    | (?P<mixed>\d+-?[^\W\d_]{3,} | [^\W\d_]+-\d+(?![\d,.]*\d) | \d+[^\W\d_]+\d\w* | [^\W\d_]+\d\w*)
    | (?P<number>(?:(?<![\w)])[-−])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)
    | (?P<word>[^\W\d_]+(?:\.[^\W\d_]+)+\.? | [^\W\d_]+(?:['’-][^\W\d_]+)*)
    | (?P<degree>°\s?[CcFf]\b)
    | (?P<mark>[^\w\s])""",
    re.VERBOSE,
)
_NON = re.compile(rf"(?<=\b{DENYING[0]}) (?=[^\W\d_])", re.IGNORECASE)
_BY_MEANING = (
    "aggregate", "rank", "compare", "compare_after", "compare_time", "direction", "part",
    "adjective", "comparative", "question_word", "dimension", "place",
)  # fmt: skip
# Behind these a verb says what somebody does.
DOING = frozenset({"do", "does", "did"})
BEING = frozenset({"is", "are", "was", "were"})
# Behind these a name is that of a thing, unless it says what was done: `have notes`, `have sold`.
HAVING = frozenset({"have", "has", "had", "having", "with", "contain", "include", "offer"})
_PREFIXED = tuple(
    f"{prefix}-" for prefix in ("non", "un", "anti", "ex", "pre", "post", "re", "sub", "semi")
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark of a question.

    Attributes:
        text: As it was asked.
        word: Folded: without case, accents and possessive endings.
        stem: Of *word*.
        number: Its value, when it is a number.
        start, end: Its place in the question.
    """

    text: str
    word: str
    stem: str
    number: float | None
    start: int
    end: int

    @property
    def is_code(self) -> bool:
        """Whether it has digits alone, and no number: `0113`."""
        return self.number is None and self.word.isdigit()

    @property
    def is_mark(self) -> bool:
        """Whether it is neither a word nor a number."""
        return self.number is None and not self.word[:1].isalnum()

    @property
    def is_sign(self) -> bool:
        """Whether it is a mark that says something of what it stands beside: `≠ 3`, `~3`, `3*`."""
        kind = category(self.word[:1] or " ")
        return self.is_mark and (self.word == "*" or (kind[0] == "S" and kind != "Sc"))


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of a folded word: `governing -> govern`, `sold -> sell`."""
    forms, verbs = _data()["forms"], _data()["irregular"]
    word = verbs.get(word) or forms.get(word, word)
    return text_words.stem(word) if word.isalpha() else word


def tokenise(text: str, whole: Collection[str] = ()) -> tuple[Token, ...]:
    """Split a question into tokens; `7-day` and `non-current` stay whole, as `7day`, `noncurrent`.

    A hyphen joins a number to a word, a prefix that denies to its word, and what makes one of the
    stems *whole*; `five-star` are two.
    """
    text = _NON.sub("-", text.replace("’", "'").replace("!=", " ≠"))
    return tuple(part for match in _TOKEN.finditer(text) for part in _read(match, whole))


def _read(match: re.Match[str], whole: Collection[str]) -> list[Token]:
    text, (start, end) = match.group(), match.span()
    if match.lastgroup == "number":
        is_code = len(text) > 1 and text[0] == "0" and text.isdigit()
        value = None if is_code else float(text.replace(",", "").replace("−", "-"))
        return [Token(text, text, text, value, start, end)]
    word = fold_word(text.replace(" ", ""))
    if match.lastgroup in {"word", "mixed"}:
        one = _bare(word).replace("-", "")
        is_one = match.lastgroup == "mixed" or word.startswith(_PREFIXED) or stem(one) in whole
        if "-" in text and not is_one:
            return _parted(text, start)
        return [Token(text, one, stem(one), None, start, end)]
    word = text if match.lastgroup == "mark" else word  # folded, `≠` is `=`
    return [Token(text, word, word, None, start, end)]


def _bare(word: str) -> str:
    return word.removesuffix("'s").replace("'", "").replace(".", "")


def _parted(text: str, start: int) -> list[Token]:
    found = []
    for part in re.finditer(r"[^-]+", text):
        word = _bare(fold_word(part.group()))
        place = start + part.start()
        found.append(Token(part.group(), word, stem(word), None, place, place + len(part.group())))
    return found


@lru_cache(maxsize=16_384)
def words_in(text: str) -> tuple[str, ...]:
    """Return the folded words of a name or a description; underscores separate words."""
    tokens = tokenise(text.replace("_", " "))
    return tuple(token.word for token in tokens if not token.is_mark)


def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a name or a description."""
    return tuple(stem(word) for word in words_in(text))


@cache
def _data() -> dict[str, dict[str, Any]]:
    path = Path(__file__).with_name("lexicon.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def phrases() -> Mapping[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return what each phrase does: (kind, meaning), kinds as in `lexicon.toml`."""
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}

    def add(text: str, kind: str, meaning: str) -> None:
        for phrase in text.split(","):
            found.setdefault(tuple(phrase.split()), []).append((kind, meaning))

    data = _data()
    for section in ("ask", "link"):
        for kind, text in data[section].items():
            add(text, kind, "")
    add(data["function"]["phrases"], "function", "")
    for section in _BY_MEANING:
        for meaning, text in data[section].items():
            add(text, section, meaning)
            if meaning in {"highest", "lowest"}:
                ends = [phrase.strip() for phrase in text.split(",")]
                opened = (f"{end} {noun} of" for end in ends for noun in ("number", "amount"))
                add(",".join(opened), section, meaning)
            if section == "adjective":
                add(text.replace(",", " first,") + " first", "direction", meaning)
    return {phrase: tuple(dict.fromkeys(meanings)) for phrase, meanings in found.items()}


@cache
def words_of(section: str, key: str) -> frozenset[str]:
    """Return the words of an entry of `lexicon.toml`."""
    return frozenset(word.strip() for word in _data()[section].get(key, "").split(","))


@cache
def stems_of(section: str, key: str) -> frozenset[str]:
    """Return the stems of the words of an entry of `lexicon.toml`."""
    return frozenset(stem(word) for word in words_of(section, key) if word)


@cache
def concept_stems() -> frozenset[str]:
    """Return the stems of all words that say what is measured."""
    return frozenset[str]().union(*(stems_of("concept", key) for key in _data()["concept"]))


@cache
def ranked_stems(section: str, key: str) -> tuple[str, ...]:
    """Return the stems of an entry of `lexicon.toml`, in its order."""
    return tuple(stem(word.strip()) for word in _data()[section][key].split(","))


@cache
def _synonyms() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _data()["synonym"]["groups"].split(";"):
        members = {stem(word) for word in group.split()}
        for member in members:
            found.setdefault(member, set()).update(members)
    return {word: frozenset(members) for word, members in found.items()}


def alike(word: str) -> frozenset[str]:
    """Return the stems that may be said for a stem, itself among them; none where none may."""
    return _synonyms().get(word, frozenset())


def plain_words(text: str) -> str:
    """Return the stems of a text with blanks between, for words that are alike the same one."""
    return " ".join(min({word, *alike(word)}) for word in stems(text))


@cache
def operator_stems() -> frozenset[str]:
    """Return the stems of words that rank, sum or deny: no name keeps its sense without them."""
    found = {
        stem(words[0])
        for words, meanings in phrases().items()
        if len(words) == 1
        for kind, _ in meanings
        if kind in {"aggregate", "rank", "adjective", "not"}
    }
    return frozenset(found)


def is_function(word: str) -> bool:
    """Whether a folded word only shapes a sentence."""
    return word in words_of("function", "words")


@cache
def asking_words() -> frozenset[str]:
    """Return the folded words of phrases that only ask or deny: `how`, `many`."""
    said = (phrase.split() for text in _data()["ask"].values() for phrase in text.split(","))
    return frozenset(word for phrase in said for word in phrase) | {"no", "not"}


def valued(words: Iterable[str]) -> str:
    """Return `best` or `top` where one of folded words says how good a value is; else nothing."""
    said = {*words}
    return next((name for name in ("best", "top") if said & words_of("valued", name)), "")


def is_denied(word: str) -> bool:
    """Whether a stem is denied by itself: `noncurrent`; `un` and `in` begin other words, too."""
    return word.startswith(DENYING[0])


def is_time(word: str) -> bool:
    """Whether a folded word is a noun of time: `year`."""
    return any(kind == "part" for kind, _ in phrases().get((word,), ()))


def is_irregular(word: str) -> bool:
    """Whether a folded word is a form of a verb that no stemmer joins to it: `paid`."""
    return word in _data()["irregular"]


def is_had(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a thing that something has: `have notes`; `have noted`, `have come` no."""
    before = next((x.word for x in reversed(tokens[:at]) if x.word not in {"a", "an", "any"}), "")
    may_be_done = is_past(tokens[at]) or tokens[at].word in _data()["irregular"].values()
    return before in HAVING and not may_be_done


def is_past(token: Token) -> bool:
    """Whether a word says what was done: `drilled`, `sold`; `red` does not."""
    ends = token.word.endswith("ed") and token.stem != token.word
    return ends or is_irregular(token.word)


@lru_cache(maxsize=4_096)
def doers(verb: str) -> frozenset[str]:
    """Return the stems of who does what the stem of a verb says: `winner`, who wins."""
    endings = ("er", "or", "ee", "r", f"{verb[-1:]}er")
    return frozenset(stem(verb + ending) for ending in endings) - {verb}


@cache
def light_stems() -> frozenset[str]:
    """Return the stems of verbs that ask for nothing by themselves, perhaps where they lead on."""
    return stems_of("function", "light") | stems_of("function", "leading")


def light_at(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a form of a verb that asks for nothing by itself, and stands as a verb.

    So does one that says how a value came to lie on a side of a number; not `fell by 100`.
    """
    before, verb = tokens[at - 1].word if at else "", tokens[at].stem
    is_by = verb in stems_of("function", "changing") and spoken(tokens[at + 1 : at + 2]) == ("by",)
    judges = verb in stems_of("function", "judging") and is_past(tokens[at])
    is_light = (verb in light_stems() and not is_by) or judges or changes_at(tokens, at)
    return is_light and before not in words_of("function", "nouns") and not is_had(tokens, at)


def changes_at(tokens: Sequence[Token], at: int) -> bool:
    """Whether a value is said to come to lie on a side of a number: `fell below 100`."""
    behind = tokens[at + 1 : at + 3]
    is_side = any(kind == "compare" for kind, _ in phrases().get(spoken(behind[:1]), ()))
    is_number = len(behind) > 1 and behind[1].number is not None
    return tokens[at].stem in stems_of("function", "changing") and is_side and is_number


def is_foreign(tokens: Iterable[Token]) -> bool:
    """Whether no more words of a question shape a sentence in English than in other languages."""
    said = [token.word for token in tokens if token.word.isalpha()]
    english = ENGLISH_STOP_WORDS | words_of("function", "words")
    english |= {word for phrase in phrases() for word in phrase}
    n_other = len([word for word in said if word in STOP_WORDS - english])
    return len(said) > 2 and len([word for word in said if word in english]) <= n_other


def spoken(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the folded words of tokens."""
    return tuple(token.word for token in tokens)
