"""Words: folded, stemmed, without function words; and the form in which values are equal."""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from enum import IntEnum
from functools import lru_cache
from itertools import groupby, islice, pairwise
from unicodedata import normalize

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


@lru_cache(maxsize=8)
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


def has_digit(text: str) -> bool:
    """Whether a digit is among the characters of *text*."""
    return any(map(str.isdigit, text))


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


# Scripts that put no space between words: Chinese, Japanese and Korean.
_SPACELESS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
# letters and digits apart, so that `FY2019` and `FY 2019` are the same; `1,200` is one number
_TOKEN = re.compile(
    rf"[{_SPACELESS}]+|[^\W\d_{_SPACELESS}]+|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)*"
)
_WORD_OF_LETTERS = re.compile(rf"[^\W\d_{_SPACELESS}]+")
_PLAIN_TOKEN = re.compile(r"[a-z]+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*")  # in ASCII
# a word without a mark is taken as nothing at once, or it would be tried from each of its letters
_IDENTIFIER = re.compile(r"(§+\s?\d+(?:\.\d+)*|\w++(?:[-/.]\w++)+)|\w++")
_SHORT_YEAR = re.compile(r"\b(FY)\s?['’]?(\d\d)(?!\d)", re.IGNORECASE)
# a line, a bar, tabs, several blanks, a colon; all begin with one set, which is found at once
_CELL_END = re.compile(r"[\s|:](?:(?<=[\n|])\s*|(?<=:)\s+|(?<=\s)(?:\s*[\n|]\s*|(?<=\t)\t*|\s+))")
_MAX_LABEL_WORDS = 8
_MAX_LABEL_CHARACTERS = 100
_MAX_WORDS = 100  # of a question; with all terms of these its statement is still short enough
_MAX_STEMS = 500  # of these words in five languages


class TermKind(IntEnum):
    """What a term stands for; its highest two bits, so that in order the kinds lie apart."""

    # a word, unstemmed; an identifier as a whole: `10-K/A`, `§ 4.2`; a language and a stem of it
    WORD = 0
    PAIR = 1  # the stems of two neighbouring words, stop words left out
    LABEL = 2  # the stems of a whole heading, key, table cell or short line
    NAME = 3  # what a document may be called by


def count_terms(text: str, languages: Collection[str] = ()) -> Counter[int]:
    """Count the terms of a passage in *languages*; in those but English, words have stems beside.

    `"Net sales: 9,134"` -> words `net`, `sales`, `9134`; pairs `net sale`, `sale 9134`; the label
    `net sale`.
    """
    text = _SHORT_YEAR.sub(r"\1 20\2", text) if "fy" in text.lower() else text
    words: list[str] = []
    stems: list[str] = []
    labels: list[str] = []
    for cell in _CELL_END.split(text):
        said = _content(cell)
        own = [*map(_stem, said)]
        words += said
        stems += own
        is_short = len(said) <= _MAX_LABEL_WORDS and len(cell) <= _MAX_LABEL_CHARACTERS
        if is_short and not all(word[0].isdigit() for word in own):
            labels.append(" ".join(own))
    terms = _numbers([*words, *_identifiers(text)], TermKind.WORD)
    terms += _numbers(_pairs(stems), TermKind.PAIR)
    terms += [own for own, _ in _stem_terms(text, languages)]
    return Counter(terms + _numbers(labels, TermKind.LABEL))


def question_terms(question: str, idle: Collection[str] = ()) -> frozenset[int]:
    """Return the terms of a question: those of a passage, and each label that it may say whole.

    The folded words *idle* are parts of pairs and labels and no words by themselves, unless there
    are no others. Stems are as of `asked_stems`.
    """
    text = _SHORT_YEAR.sub(r"\1 20\2", question)
    words = _content(text)[:_MAX_WORDS]
    telling = [word for word in words if word not in idle]
    telling, idle = (telling, idle) if telling else (words, ())
    stems = [_stem(word) for word in words]
    lengths = range(1, _MAX_LABEL_WORDS + 1)
    starts = range(len(stems))
    labels = {" ".join(stems[start : start + length]) for start in starts for length in lengths}
    return frozenset(
        [
            *_numbers([*telling, *_identifiers(text)], TermKind.WORD),
            *_numbers(_pairs(stems), TermKind.PAIR),
            *_numbers(labels, TermKind.LABEL),
            *asked_stems(text, idle),
        ]
    )


def asked_stems(question: str, idle: Collection[str] = ()) -> dict[int, int]:
    """Return the terms of the stems of a question, each with that of a word whose stem it is.

    The folded words *idle* have none. A question that does not tell its language may be in any.
    """
    found = _stem_terms(question, languages_of(question) or FUNCTION_WORDS, idle)
    return dict(islice(found, _MAX_STEMS))


def _stem_terms(
    text: str, languages: Collection[str], idle: Collection[str] = ()
) -> Iterator[tuple[int, int]]:
    """Yield the terms of the stems of *text* in *languages* but English, and their words."""
    if not (others := sorted({*languages} - {"english"})):
        return
    for word in _WORD_OF_LETTERS.findall(normalize("NFC", text)):
        if (folded := fold_word(word)) not in ALL_FUNCTION_WORDS and folded not in idle:
            said = [f"{name} {fold_word(stem(word.casefold(), name))}" for name in others]
            *own, whole = _numbers([*said, folded], TermKind.WORD)
            yield from ((number, whole) for number in own)


def name_term(name: str) -> int:
    """Return the term of what a document may be called by, as `document_names` writes it."""
    [term] = _numbers([name], TermKind.NAME)
    return term


def phrase_terms(phrase: str) -> frozenset[int]:
    """Return the terms that a passage has all of if it says *phrase*: pairs, or its one word."""
    words = _content(phrase)
    if len(words) > 1:
        return frozenset(_numbers(_pairs(map(_stem, words)), TermKind.PAIR))
    return frozenset(_numbers(words, TermKind.WORD))


def _content(text: str) -> list[str]:
    """Return the words of *text*, folded, without stop words."""
    if text.isascii():  # folded all at once
        tokens: Iterable[str] = _PLAIN_TOKEN.findall(text.lower())
        tokens = [token.replace(",", "") for token in tokens] if "," in text else tokens
    else:
        tokens = _tokens(text)
    return [word for word in tokens if word not in ALL_FUNCTION_WORDS]


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if token[0] < "\u3040" or not re.match(f"[{_SPACELESS}]", token):
            yield fold_word(token).replace(",", "")
        else:
            yield from map("".join, pairwise(token)) if len(token) > 1 else token


def _identifiers(text: str) -> Iterator[str]:
    """Yield what has a digit, a letter or § and a mark between: `SKU-0042`, not `2019-20`."""
    if "§" not in text:  # else most words are none, and need not be looked at
        text = " ".join(word for word in text.split() if not word.isalpha())
    for found in filter(None, _IDENTIFIER.findall(text)):
        has_digit = any(map(str.isdigit, found))
        if has_digit and (found[0] == "§" or any(map(str.isalpha, found))):
            yield "".join(fold_word(found).split())


def _pairs(stems: Iterable[str]) -> Iterator[str]:
    return map(" ".join, pairwise(stems))


def _numbers(texts: Iterable[str], kind: TermKind) -> list[int]:
    high = kind << 30
    return [zlib.crc32(text.encode("utf-8", "replace")) >> 2 | high for text in texts]


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return word if word[0].isdigit() else stem(word)


_JOINT = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_MOST_JOINED, _MOST_INITIALS = 3, 5
_MIN_SPLIT = 6  # letters of a word that may be several: the shortest of two short words


def document_names(stem: str, title: str, text: str) -> frozenset[str]:
    """Return what a document may be called by: words without marks between, folded.

    Its file's name and its title as a whole, the words of the file's name that are no numbers (a
    year names no document), and, with a capital, the words of the title: it is a sentence of the
    language, too, and only where somebody writes `Square` is it the firm.
    """
    named = filter(_is_name, name_words(stem, text))
    titled = (word.capitalize() for word in words(title) if _is_name(word))
    whole = ("".join(words(name)) for name in (stem, title))
    return frozenset([*named, *titled, *(name for name in whole if name and not name.isdigit())])


def _is_name(word: str) -> bool:
    return len(word) > 1 and not re.search(r"\d\d", word)


def name_words(name: str, text: str = "") -> tuple[str, ...]:
    """Return the words that say *name*, folded, each once: whole, split, joined, as initials.

    One that *text*, of the document so named, writes as several is these, too.
    `BestBuy_2017_10K` -> `bestbuy`, `best`, `buy`, `2017`, `10k`, `bb`
    """
    found: dict[str, None] = {}
    for spelling in (name, *_spellings(name, text)):
        parts: list[str] = []
        for word in WORD.findall(spelling.replace("_", " ")):
            # at capitals and between letters and digits; what leaves one letter stays: `10K`
            split = _JOINT.split(word)
            split = split if min(map(len, split)) > 1 else [word]
            parts += split
            found |= dict.fromkeys([word, *split])
        for lettered, run in groupby(parts, str.isalpha):
            found |= dict.fromkeys(_joined(list(run)) if lettered else ())
    return tuple(filter(None, dict.fromkeys(map(fold_word, found))))


def _spellings(name: str, text: str) -> Iterator[str]:
    """Yield how *text* writes the long words of *name*: `MGM Resorts` of `MGMRESORTS`."""
    for word in WORD.findall(name.replace("_", " ")):
        if len(word) >= _MIN_SPLIT and word.isalpha():
            pattern = rf"\b{'[ -]?'.join(word)}\b"
            yield from {found.casefold() for found in re.findall(pattern, text, re.IGNORECASE)}


def _joined(run: Sequence[str]) -> Iterator[str]:
    """Yield neighbouring words as one, and the initials of the first ones."""
    for start in range(len(run)):
        for end in range(start + 2, min(len(run), start + _MOST_JOINED) + 1):
            yield "".join(run[start:end])
    for end in range(2, min(len(run), _MOST_INITIALS) + 1):
        yield "".join(word[0] for word in run[:end])
