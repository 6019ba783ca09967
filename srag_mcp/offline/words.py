"""Words as the offline engine compares them: folded, stemmed, and without function words."""

import re
import unicodedata
from functools import lru_cache

WORD = re.compile(r"\w+")

# Function words carry no subject in any corpus; general language, and nothing else, belongs here.
_STOP_WORDS = """
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
    aber als am an auch auf aus bei bis das dass dem den der des die ein eine einem einen einer es
    für im in ist mit nach nicht oder sich sie sind über um und unter von vom war wird zu zum zur
    au aux avec ce ces cette dans de des du elle en est et il la le les leur ne ou par pas pour que
    qui se son sur un une
    al como con de del el en es esta la las lo los no para pero por que se su sus un una y
    che con da dal dei del della di e gli il in la le lo nel non per più si sono sul un una
    aan bij dat de een en het in is met niet of om op te van voor zijn
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# What people write around the thing they ask for; never the thing itself.
_QUESTION_WORDS = """
    average mean median total sum number count how many much highest lowest largest smallest most
    fewest least greatest biggest maximum minimum top bottom first last latest earliest oldest
    newest best worst list name give show find tell overall share percentage percent ratio
    proportion fraction difference compare compared each every all any than more less fewer below
    above under over exceed exceeded exactly between per day month year date when document
    documents record records report reports there
"""
QUESTION_WORDS = frozenset(_QUESTION_WORDS.split())

_ENDINGS = (
    ("isations", "is"), ("izations", "iz"), ("isation", "is"), ("ization", "iz"),
    ("ations", "at"), ("ation", "at"), ("ated", "at"), ("ating", "at"), ("ates", "at"),
    ("ate", "at"), ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"),
    ("xes", "x"), ("ings", ""), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""), ("ments", ""),
    ("ment", ""), ("es", ""), ("s", ""), ("e", ""),
)  # fmt: skip
_MIN_STEM = 3


@lru_cache(maxsize=65_536)
def fold_word(word: str) -> str:
    """Return *word* without case and accents.

    Example: `Établissement` -> `etablissement`
    """
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def fold(text: str) -> str:
    """Return the words of *text*, folded and joined by one space; punctuation is dropped.

    Example: `Round'd  TOTAL (RM):` -> `round d total rm`
    """
    return " ".join(fold_word(word) for word in WORD.findall(text.replace("_", " ")))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Cut the ending of a folded word, so that its forms compare equal.

    Example: `located` -> `locat`, `location` -> `locat`, `boats` -> `boat`
    """
    if word.endswith("ss"):
        return word
    for ending, rest in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(rest) >= _MIN_STEM:
            return word[: len(word) - len(ending)] + rest
    return word


def is_content(word: str) -> bool:
    """Whether a folded word may carry the subject: a word of two letters that is no stop word."""
    return len(word) > 1 and not word.isdigit() and word not in STOP_WORDS


def content_words(text: str) -> list[str]:
    """Return the folded content words of *text*, in order, whole."""
    return [word for word in fold(text).split() if is_content(word)]


def content_stems(text: str) -> list[str]:
    """Return the stems of the content words of *text*, in order."""
    return [stem(word) for word in content_words(text)]
