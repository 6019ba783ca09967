"""Keys with their value on the line below and no mark between them, as in a narrow column."""

import re
from collections.abc import Sequence

from srag_mcp.documents.grid import is_data
from srag_mcp.documents.key_values import is_key
from srag_mcp.documents.lines import Line
from srag_mcp.documents.list_items import match_marker

_MAX_KEY_CHARACTERS = 30
_MAX_KEY_WORDS = 4
_MAX_VALUE_CHARACTERS = 60
_MIN_RUN = 4
_MIN_DATA_SHARE = 0.4
_DAY = re.compile(
    r"^\d{1,2}\.?\s+[^\W\d_]{3,10}\.?,?\s+\d{4}$|^[^\W\d_]{3,10}\.?\s+\d{1,2},?\s+\d{4}$"
)


def may_begin_stack(lines: Sequence[Line], at: int) -> bool:
    """Whether line *at* is a label with a number, a date or an address one or three lines below."""
    if not _is_label(lines[at].text):
        return False
    return any(_is_datum(line.text) for line in lines[at + 1 : at + 4 : 2])


def find_stacked_pairs(lines: Sequence[Line], at: int, end: int) -> list[tuple[Line, Line]]:
    """Return the keys and values in the lines from *at* to *end*, which no heading breaks.

    One pair alone needs a number, a date or an address below a label; in a run of pairs, other
    values between such ones count as well.

    `Born`, `3.5.1980`, `City`, `Lyon`, `E-mail`, `a@b.org` -> three pairs.
    """
    run = lines[at:end]
    if len(run) < 2 or not _is_label(run[0].text):
        return []
    if len(run) >= _MIN_RUN and len(run) % 2 == 0:
        pairs = list(zip(run[::2], run[1::2], strict=True))
        if _is_run(pairs):
            return pairs
    is_column = len(run) > 2 and _is_datum(run[2].text)  # of numbers below its name
    return [(run[0], run[1])] if _is_datum(run[1].text) and not is_column else []


def _is_run(pairs: Sequence[tuple[Line, Line]]) -> bool:
    if not all(_is_label(key.text) and _is_value(value.text) for key, value in pairs):
        return False
    n_data = sum(_is_datum(value.text) for _, value in pairs)
    return n_data >= max(2, _MIN_DATA_SHARE * len(pairs))


def _is_label(text: str) -> bool:
    text = text.strip()
    is_short = len(text) <= _MAX_KEY_CHARACTERS and len(text.split()) <= _MAX_KEY_WORDS
    return is_short and text.replace(" ", "").replace("-", "").isalpha() and is_key(text)


def _is_value(text: str) -> bool:
    return len(text.strip()) <= _MAX_VALUE_CHARACTERS and match_marker(text) is None


def _is_datum(text: str) -> bool:
    text = text.strip()
    if "@" in text[1:-1] and " " not in text:
        return True
    return _is_value(text) and (is_data(text) or bool(_DAY.match(text)))
