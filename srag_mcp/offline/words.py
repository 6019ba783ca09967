"""Words as rules compare them: stems as stored rules have them, and the words of questions."""

from functools import lru_cache

from srag_mcp.text.words import content_words

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


def content_stems(text: str) -> list[str]:
    """Return the stems of the content words of *text*, in order."""
    return [stem(word) for word in content_words(text)]
