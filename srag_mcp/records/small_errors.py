"""Small errors: a quote that a document has but for slips of the pen or of character recognition.

A word more or less, a denial or another name is no slip.
"""

import re
from collections.abc import Sequence

from srag_mcp.text.words import fold_word

_DENIAL = re.compile(
    r"\b(?:no|not|none|never|neither|nor|nothing|nobody|cannot|without|lacks?|except|unless"
    r"|\w+n['’]t|kein\w*|nicht\w*|nie|niemals|niemand|weder|ohne|außer|non|pas|sans|aucune?|jamais"
    r"|rien|sauf|sin|nunca|jam[aá]s|nada|ning[uú]n\w*|salvo|senza|nessun\w*|mai|niente|tranne"
    r"|geen|niet\w*|nooit|zonder|behalve|sem|n[aã]o|nenhum\w*|exceto|bez|nie|не|нет|без)\b"
    r"|[不没沒無无未非]",
    re.IGNORECASE,
)
_TOKEN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\uffef]|[^\\W_]+")
# Letters that recognition of characters takes for one another.
_ALIKE_LETTERS = str.maketrans(
    {"e": "c", "o": "c", "0": "c", "1": "l", "i": "l", "v": "u", "5": "s"}
)
_SHORT = 5
_ALIKE = 80.0


def says_the_same(quote: str, words: str) -> bool:
    """Return whether *quote* is *words* of a document but for slips within words.

    `The Tenant may assign` is not `The Tenant may not assign`, nor is `Beta AG` `Zeta AG`. The
    document may have words more at either end, unless they deny.
    """
    if _digits(quote) != _digits(words) or _denials(quote) != _denials(words):
        return False
    return _same_words(_tokens(quote), _tokens(words))


def _same_words(own: Sequence[str], other: Sequence[str]) -> bool:
    from rapidfuzz.distance import Indel  # slow to import

    changes = [change for change in Indel.opcodes(own, other) if change.tag != "equal"]
    runs: list[tuple[list[str], list[str], bool]] = []
    end = (-1, -1)
    for change in changes:
        if not runs or (change.src_start, change.dest_start) != end:
            is_edge = change.src_start in (0, len(own)) or change.src_end == len(own)
            runs.append(([], [], is_edge))
        runs[-1][0].extend(own[change.src_start : change.src_end])
        runs[-1][1].extend(other[change.dest_start : change.dest_end])
        end = (change.src_end, change.dest_end)
    return all(_is_slip(mine, theirs, is_edge=is_edge) for mine, theirs, is_edge in runs)


def _is_slip(own: Sequence[str], other: Sequence[str], *, is_edge: bool) -> bool:
    if not own:
        return is_edge
    if len(own) == len(other):
        return all(_is_same_word(*pair) for pair in zip(own, other, strict=True))
    return _is_same_word("".join(own), "".join(other))  # parted or joined


def _is_same_word(word: str, other: str) -> bool:
    from rapidfuzz import fuzz  # slow to import

    first, second = _shape(word), _shape(other)
    if first == second:
        return True
    if min(len(word), len(other)) <= _SHORT or first[0] != second[0]:
        return False
    is_opposite = first.endswith(second) or second.endswith(first)  # illegal, legal
    return not is_opposite and fuzz.ratio(word, other) >= _ALIKE


def _shape(word: str) -> str:
    return word.replace("rn", "m").translate(_ALIKE_LETTERS)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold_word(text.replace("\u00ad", "")))


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _denials(text: str) -> list[str]:
    return sorted(word.casefold() for word in _DENIAL.findall(text))
