"""Words: folded, stemmed, without function words; and the form in which values are equal."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache

WORD = re.compile(r"\w+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,/:-](?=\d)")
_PUNCTUATION = re.compile(r"[^\w\s+#*&%<>≤≥\x00]|_|(?<![\w*])\*+|\*+(?=\w)")
_GRADE = re.compile(r"([^\W\d_]{1,3})\s?[-‐‑–−]")
_HELD = "\x00"
_HELD_MARK = re.compile(_HELD)
_SPACE = re.compile(r"\s+")
_SHORTEST_STEM = 4
_LIKE, _LONGEST_LIKE = 0.6, 100  # what difflib takes for close; characters that are compared

# Before a word they deny it: `untreated`, `non-current`, `inactive`.
DENYING = ("non", "un", "in")

# Function words carry no subject in any corpus; general language, and nothing else, belongs here.
_ENGLISH = """
    a about above after again against all almost along already also although always am among an and
    another any are around as at be became because been before being below between both but by can
    could did do does doing down during each either else even ever every few for from further had
    has have having he her here hers him his how however i if in into is it its itself just least
    less like made many may me might more most much must my near nearly neither no nor not now of
    off on once one only onto or other others our ours out over own per please same shall she should
    since so some such than that the their theirs them then there these they this those though
    through thus to together too toward towards under until up upon us very via was we well were
    what when where whether which while who whole whom whose why will with within without would yet
    you your yours
"""
_OTHER = {  # by the name of their stemmer
    "german": """
        aber als am an auch auf aus bei bis das dass dem den der des die ein eine einem einen einer
        es für im in ist mit nach nicht oder sich sie sind über um und unter von vom war wird zu zum
        zur
    """,
    "french": """
        au aux avec ce ces cette dans de des du elle en est et il la le les leur ne ou par pas pour
        que qui se son sur un une
    """,
    "spanish": """
        al como con de del el en es esta la las lo los no para pero por que se su sus un una y
    """,
    "italian": """
        che con da dal dei del della di e gli il in la le lo nel non per più si sono sul un una
    """,
    "dutch": """
        aan bij dat de een en het in is met niet of om op te van voor zijn
    """,
}
# More that tell a language; nobody searches for them, but in a value they may stand for something.
# None is a noun or a verb in English: `man`, `hat`, `comment`.
_MORE = {
    "german": """
        ich mich wir uns ihm ihn ihr ihre ihrem ihren ihrer mein meine meinem meinen meiner sein
        seine seinem seinen seiner unser unsere kein keine keinem keinen keiner wie wer wem wann
        warum was will so wohin woher womit welche welchem welchen welcher welches darf dürfen kann
        können muss müssen soll sollen werden wurde wurden haben habe hatte hatten waren durch ohne
        wenn noch
    """,
    "french": """
        je nous vous elles notre votre leurs quand pourquoi combien quoi quel quelle quels quelles
        où sont être était étaient ont peut peuvent doit doivent mais si
    """,
    "spanish": """
        qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo nuestro
        nuestra está están este estos estas ser tiene tienen puede pueden debe deben desde hasta muy
        más
    """,
    "italian": """
        dalla dalle delle degli dello alla alle agli allo nella nelle sulla sulle quando quanto
        quanta quanti quante quale quali perché cosa può possono deve devono anche questo questa
        questi queste
    """,
    "dutch": """
        ik mijn wij hij zij onze welke wie waar wanneer waarom hoeveel kunnen moet moeten mogen
        wordt worden werd heeft hebben ook maar als dit deze die geen naar uit
    """,
}


def fold(text: str) -> str:
    """Return *text* without case, width, accents' encoding, punctuation and extra space.

    Marks between digits, the minus of a grade, a `*` behind a word and `+`, `#`, `&`, `%`, `<`, `>`
    stay, because they make another value.
    `ACME CO. (N) LTD.` -> `acme co n ltd`; `C++` -> `c++`; `1.5` -> `1.5`; `A−` -> `a-`
    """
    if text.isascii() and text.isalnum():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    if grade := _GRADE.fullmatch(folded.strip()):
        return f"{grade[1]}-"
    marks = iter(_BETWEEN_DIGITS.findall(folded))
    kept = _PUNCTUATION.sub(" ", _BETWEEN_DIGITS.sub(_HELD, folded.replace(_HELD, " ")))
    restored = _HELD_MARK.sub(lambda _held: next(marks), kept)
    return _SPACE.sub(" ", restored).strip()


def tidy(text: str) -> str:
    """Return *text* as a value: one space between words, without surrounding quotes and commas.

    `"Berlin",` -> `Berlin`; a full stop stays after an abbreviation: `Example Inc.`
    """
    tidied = _SPACE.sub(" ", text).strip()
    tidied = tidied.rstrip(",;:").strip()
    for left, right in ('""', "''", "“”", "‘’", "«»", "„“"):
        inner = tidied[1:-1]
        if len(tidied) > 1 and tidied[0] == left and tidied[-1] == right and right not in inner:
            tidied = inner.strip()
    last = tidied.rpartition(" ")[2]
    ends_a_sentence = last.endswith(".") and last[:-1].isalpha() and len(last) > 5
    return tidied[:-1] if ends_a_sentence else tidied


@lru_cache(maxsize=65_536)
def fold_word(word: str) -> str:
    """Return *word* without case and accents.

    Example: `Établissement` -> `etablissement`
    """
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def fold_words(text: str) -> str:
    """Return the words of *text*, folded and joined by one space; punctuation is dropped.

    Example: `Round'd  TOTAL (RM):` -> `round d total rm`
    """
    return " ".join(words(text))


ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
STOP_WORDS = ENGLISH_STOP_WORDS.union(map(fold_word, " ".join(_OTHER.values()).split()))
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "english": ENGLISH_STOP_WORDS,
    **{name: frozenset(map(fold_word, f"{_OTHER[name]} {_MORE[name]}".split())) for name in _OTHER},
}
ALL_FUNCTION_WORDS = STOP_WORDS.union(*FUNCTION_WORDS.values())
_LANGUAGES = {
    word: [name for name, own in FUNCTION_WORDS.items() if word in own]
    for word in ALL_FUNCTION_WORDS
}


# These join the words of a name: `cost of sales`, `chrono du jour`.
JOINING = frozenset(
    ["of", "in", "per", "to", "from", "for", "on", "at", "with", "by", "and", "de", "du", "der"]
)
# These only stand before a noun or a participle: `have been`.
HELPING = frozenset(
    ["the", "a", "an", "is", "are", "was", "were", "been", "be", "being", "has", "have", "had"]
)


def words(text: str) -> list[str]:
    """Return the words of *text*, folded, in order; marks are dropped, `_` parts words.

    `Round'd  TOTAL (RM)` -> `round`, `d`, `total`, `rm`
    """
    if text.isascii():  # as the words one by one, in a third of the time
        return WORD.findall(text.lower().replace("_", " "))
    return [fold_word(word) for word in WORD.findall(text.replace("_", " "))]


_LETTERS = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=8)  # what looks for dates and for numbers asks for the same text
def lettered(text: str) -> frozenset[str]:
    """Return the runs of letters of *text* in small letters: `12March` -> `march`."""
    return frozenset(_LETTERS.findall(text.lower()))


def languages_of(text: str) -> frozenset[str]:
    """Tell the language of *text*: that of which it has the most function words.

    Several where as many are of each, none where there are none; named as their stemmers are.
    """
    n_said = Counter(name for word in words(text) for name in _LANGUAGES.get(word, ()))
    most = max(n_said.values(), default=0)
    return frozenset(name for name, n in n_said.items() if n == most)


def singular(word: str) -> str:
    """Return a folded noun in the singular: `parties` -> `party`, `boxes` -> `box`."""
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    has_e = word.endswith(("ches", "shes", "sses", "xes", "zzes", "tzes"))
    return word[:-2] if has_e or (word.endswith("toes") and len(word) > 6) else word[:-1]


def plural(word: str) -> str:
    """Return a folded noun in the plural: `party` -> `parties`."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("ch", "sh", "x", "s", "z")) else f"{word}s"


@lru_cache(maxsize=65_536)
def stem(word: str, language: str = "english") -> str:
    """Cut the endings of a folded word (Snowball), so that its forms compare equal.

    `located` -> `locat`, `location` -> `locat`, `cities` -> `citi`. A stem is for comparing with
    other stems only; it is no word, and forms that share no beginning (`paid`, `pay`) stay apart.
    Digits and short words stay as they are. Other languages know endings by their accents: there
    *word* keeps them.
    """
    # Outside library, imported where it is needed: it is not needed at start. A stemmer keeps the
    # word that it works on, so that threads cannot share one.
    import snowballstemmer

    return str(snowballstemmer.stemmer(language).stemWord(word))


def stems(text: str) -> list[str]:
    """Return the stems of all words of *text*, in order: `Governing Law` -> `govern`, `law`."""
    return [stem(word) for word in words(text)]


def share_stem(one: str, other: str) -> bool:
    """Whether two folded words begin alike, or one is within the other.

    `italian` and `italy`; `mietvertrag` and `vertrag`.
    """
    short, long = sorted((one, other), key=len)
    if len(short) < _SHORTEST_STEM:
        return False
    return long.startswith(short[:_SHORTEST_STEM]) or short in long


def is_content(word: str) -> bool:
    """Whether a folded word may carry the subject: a word of two letters that is no stop word."""
    return len(word) > 1 and not word.isdigit() and word not in STOP_WORDS


def content_words(text: str) -> list[str]:
    """Return the folded content words of *text*, in order, whole."""
    return [word for word in fold_words(text).split() if is_content(word)]


def nearest_names(
    name: str, names: Iterable[str], n: int = 3, least: float = _LIKE
) -> tuple[str, ...]:
    """Find up to *n* of *names* that *name* may be a misspelling of, best first.

    *least*: how alike they are at least, 0 to 1, as difflib has it.
    """
    by_folded = {known.casefold(): known for known in names}
    close = get_close_matches(name[:_LONGEST_LIKE].casefold(), sorted(by_folded), n, least)
    return tuple(by_folded[folded] for folded in close)
