"""Tokens of a question: words with their stems, numbers and marks."""

import re
from dataclasses import dataclass
from functools import lru_cache

from srag_mcp.text.words import fold_word

_TOKEN = re.compile(
    r"""(?P<iso>\d{4}-\d{2}-\d{2}(?!\d))
    | (?P<mixed>\d+-[^\W\d_]{2,} | \d+(?!mhz|khz|ghz|lbs|min|sqm|usd|eur)[^\W\d_]{3,}
               | [^\W\d_]+-\d+(?![\d,.]*\d) | \d+[^\W\d_]+\d\w* | [^\W\d_]+\d\w*)
    | (?P<number>(?:(?<![\w)])[-−])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)
    | (?P<word>[^\W\d_]+(?:\.[^\W\d_]+)+\.? | [^\W\d_]+(?:['’][^\W\d_]+)*)
    | (?P<degree>°\s?[CcFf]\b)
    | (?P<mark>[^\w\s])""",
    re.VERBOSE,
)

IRREGULAR = {
    "won": "win", "winning": "win", "built": "build", "held": "hold", "sold": "sell",
    "spent": "spend", "paid": "pay", "made": "make", "gave": "give", "given": "give",
    "went": "go", "gone": "go", "took": "take", "taken": "take", "wrote": "write",
    "written": "write", "ran": "run", "got": "get", "saw": "see", "seen": "see", "said": "say",
    "began": "begin", "begun": "begin", "led": "lead", "lost": "lose", "losing": "lose",
    "drew": "draw", "drawn": "draw", "drove": "drive",
    "driven": "drive", "driving": "drive", "grew": "grow", "grown": "grow", "fell": "fall",
    "fallen": "fall", "rose": "rise", "risen": "rise", "bought": "buy", "brought": "bring",
    "left": "leave", "met": "meet", "taught": "teach", "came": "come", "became": "become",
    "chose": "choose", "chosen": "choose", "died": "die", "dying": "die", "dead": "die",
    "death": "death", "born": "born", "people": "person", "men": "man", "women": "woman",
    "children": "child", "countries": "country", "cities": "city", "children's": "child",
    "feet": "foot", "stood": "stand", "heard": "hear", "found": "find", "flew": "fly",
    "flown": "fly", "sang": "sing", "sung": "sing", "song": "song", "selling": "sell",
    "highest": "highest", "species": "species", "series": "series", "criteria": "criterion",
    "maximum": "max", "minimum": "min", "avg": "average",
    "temp": "temperature", "qty": "quantity", "used": "use", "uses": "use", "has": "have",
    "had": "have", "does": "do", "did": "do", "is": "be", "are": "be", "was": "be", "were": "be",
    "sown": "sow", "shown": "show", "known": "know", "thrown": "throw",
    "threw": "throw", "knew": "know", "worn": "wear", "wore": "wear", "torn": "tear",
    "stolen": "steal", "stole": "steal", "broken": "break", "broke": "break", "spoken": "speak",
    "spoke": "speak", "frozen": "freeze", "caught": "catch", "kept": "keep", "sent": "send",
    "lent": "lend", "dealt": "deal", "fed": "feed", "bred": "breed", "shot": "shoot",
    "struck": "strike", "swam": "swim", "rode": "ride", "ridden": "ride", "hidden": "hide",
    "bitten": "bite", "forgotten": "forget", "blown": "blow", "sank": "sink", "sunk": "sink",
    "slept": "sleep", "ate": "eat", "eaten": "eat", "aged": "age", "ages": "age",
}  # fmt: skip
_PLURALS = frozenset({"men", "women", "children", "feet"})
# Irregular participles: "sown", "paid", "built".
PARTICIPLES = (
    frozenset(
        word for word, base in IRREGULAR.items() if word.endswith(("n", "t", "d")) and word != base
    )
    - _PLURALS
)
_INFLECTIONS = ("ings", "ing", "edly", "ed", "es", "s")
_DERIVATIONS = (
    "izations", "isations", "ization", "isation", "ation", "ator", "er", "or", "ement", "ment",
    "ion", "ly", "at",
)  # fmt: skip
# Words whose ending only looks like one.
_WHOLE = frozenset(
    {"station", "nation", "ration", "motion", "version", "mission", "number", "winter", "summer",
     "letter", "matter", "member", "server", "tower", "power", "river", "paper", "master", "center",
     "doctor", "author", "floor", "minor", "major", "quarter", "border", "corner", "chapter"}
)  # fmt: skip
# Ends of nouns of actions: renewal, removal, arrival, refusal, proposal.
_ACTIONS = ("ewal", "oval", "ival", "usal", "osal")
_VOWELS = set("aeiouy")
# "fined" comes of "fine": of "fin" it would be "finned".
_CUT_SHORT = re.compile(r"[^aeiouy][aeiou][^aeiouwxy]$")
_MIN_STEM = 4


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark of a question.

    Attributes:
        text: As it was asked.
        word: Folded: without case, accents and possessive endings.
        stem: Of *word*.
        number: Its value, when it is a number.
        start, end: Its place in the question.
        possessive: Whether it ended in `'s`.
    """

    text: str
    word: str
    stem: str
    number: float | None
    start: int
    end: int
    possessive: bool = False

    @property
    def is_mark(self) -> bool:
        """Whether it is neither a word nor a number."""
        return self.number is None and not self.word[:1].isalnum()


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Cut the endings of a folded word, so that its forms and its doer compare equal.

    `"governing" -> "govern"`, `"winner" -> "win"`, `"operation" -> "oper"`, `"cities" -> "city"`
    """
    word = IRREGULAR.get(word, word)
    if word.endswith(("ss", "us", "is")) or any(char.isdigit() for char in word):
        return word
    word = _uninflected(word)
    if word in _WHOLE:
        return word
    for ending in _DERIVATIONS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = _undoubled(word[: -len(ending)])
    if word.endswith(_ACTIONS) and len(word) - 2 >= _MIN_STEM:
        word = word[:-2]
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM else word


def inflected(word: str) -> str:
    """Cut only the endings of inflection: `"issued" -> "issu"`, `"issuer" -> "issuer"`."""
    word = IRREGULAR.get(word, word)
    word = word if word.endswith(("ss", "us", "is")) else _uninflected(word)
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM else word


def _uninflected(word: str) -> str:
    """Cut plural, past and -ing endings: `"boxes" -> "box"`, `"stopped" -> "stop"`."""
    if word.endswith(("ies", "ied")) and len(word) > _MIN_STEM:
        return word[:-3] + "y"
    if word.endswith("ie") and len(word) > _MIN_STEM:
        return word[:-2] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return _without_ending(word)


def _without_ending(word: str) -> str:
    for ending in _INFLECTIONS:
        shorter = word[: -len(ending)]
        if word.endswith(ending) and len(shorter) >= 3 and set(shorter) & _VOWELS:
            if ending in {"es", "s"}:
                return _unplural(word, shorter)
            return shorter + "e" if _CUT_SHORT.match(shorter) else _undoubled(shorter)
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM else word


def _unplural(word: str, shorter: str) -> str:
    """Cut the s of a plural; the e before it goes with the e of the singular."""
    if word.endswith("es") and shorter == word[:-2]:
        return shorter if len(shorter) >= _MIN_STEM else word[:-1]
    return shorter


def _undoubled(word: str) -> str:
    doubled = len(word) >= _MIN_STEM and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if doubled else word


def tokenise(text: str) -> tuple[Token, ...]:
    """Split a question into tokens; `7-day` and `mach-2` stay whole, as `7day`, `mach2`."""
    return tuple(_token(match) for match in _TOKEN.finditer(text.replace("’", "'")))


def _token(match: re.Match[str]) -> Token:
    text = match.group()
    start, end = match.span()
    if match.lastgroup == "number":
        value = float(text.replace(",", "").replace("−", "-"))
        return Token(text, text, text, value, start, end)
    if match.lastgroup == "mixed":
        return _mixed_token(text, start, end)
    if match.lastgroup == "degree":
        word = fold_word(text.replace(" ", ""))
        return Token(text, word, word, None, start, end)
    word = fold_word(text).strip(".") if match.lastgroup == "word" else text
    possessive = word.endswith(("'s", "s'"))
    plain = word.removesuffix("'s").replace("'", "").replace(".", "")
    if match.lastgroup == "word":
        return Token(text, plain, stem(plain), None, start, end, possessive)
    return Token(text, word, word, None, start, end)


def _mixed_token(text: str, start: int, end: int) -> Token:
    word = fold_word(text).replace("-", "")
    return Token(text, word, stem(word), None, start, end)


def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a name or a description; underscores separate words."""
    return tuple(stem(word) for word in words_in(text))


def words_in(text: str) -> tuple[str, ...]:
    """Return the folded words of a name or a description; underscores separate words."""
    tokens = tokenise(re.sub(r"(?<=[^\W_])_(?=[^\W_])", " ", text.replace("_", " ")))
    return tuple(token.word for token in tokens if not token.is_mark)
