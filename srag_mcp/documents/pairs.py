"""Keys with their values, side by side or one below the other: `Total: 12.40`, `Rooms ... 12`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from srag_mcp.documents.lines import Line, match_marker, split_segments

_MAX_KEY_CHARACTERS = 60
_MAX_KEY_WORDS = 7
_MAX_KEY_WORDS_LOWER = 4  # after a small letter, so many words are part of a sentence
_MAX_LINE_CHARACTERS = 2000
_MAX_GAP_LINE_CHARACTERS = 160
_MAX_ITEM_CHARACTERS, _MAX_ITEM_KEY_WORDS = 160, 4
_MAX_REJECTED = 8
_COLON = re.compile(r"[:：]")
_SEPARATOR = re.compile(r"\s{2,}|\t|[|;•·]|,\s")
_DOTS = re.compile(r"^(?P<key>[^.…_]{2,60}?)\s*(?:\.\s?){3,}\s*(?P<value>[^.\s].*)$")
_FILLER = re.compile(r"^(?P<key>[^.…_]{2,60}?)\s*(?:…+|_{3,})\s*(?P<value>[^_\s].*)$")
_EQUALS = re.compile(r"^\s*(?P<key>[^=:<>!]{1,60}?)\s+=\s+(?P<value>[^=\s].*)$")
_SENTENCE_BREAK = re.compile(r"[^\W\d_]{4,}[.!?]\s|[!?]\s")
_SCHEMES = frozenset({"http", "https", "ftp", "mailto", "file", "urn", "data"})
_DATA = re.compile(
    r"^[^\w]*[A-Z]{0,3}[\s$€£¥]*[-+(]?\d[\d.,'\s/:–-]*(?:(?<=\d)T\d\d:[\d:.+-]+)?"
    r"[^\W\d_]{0,3}[%)°€$£¥]*$"
)
_YEAR = re.compile(r"^(?:1[89]|20)\d\d$")
_DAY = re.compile(
    r"^\d{1,2}\.?\s+[^\W\d_]{3,10}\.?,?\s+\d{4}$|^[^\W\d_]{3,10}\.?\s+\d{1,2},?\s+\d{4}$"
)
_MAX_LABEL_CHARACTERS, _MAX_LABEL_WORDS = 30, 4
_MAX_STACKED_VALUE_CHARACTERS = 60
_MIN_RUN = 4
_MIN_DATA_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and its value; places count from the start of the line, ends are exclusive."""

    key_start: int
    key: str
    value_start: int
    value: str

    @property
    def value_end(self) -> int:
        """The place after the value."""
        return self.value_start + len(self.value)

    @property
    def has_short_key(self) -> bool:
        """Whether the key is as short as that of an item is."""
        return len(self.key.split()) <= _MAX_ITEM_KEY_WORDS


def is_key(text: str) -> bool:
    """Whether *text* could be the name of a field: short, with letters, not a sentence."""
    letters = sum(map(str.isalpha, text))
    if not text or len(text) > _MAX_KEY_CHARACTERS or not letters:
        return False
    if letters == 1 and not text[:1].isupper():
        return False
    if text[0] in "\"'“‘„«./\\@-–&+" or letters < 0.4 * len(text.replace(" ", "")):
        return False
    if text.count("(") != text.count(")") or _SENTENCE_BREAK.search(text):
        return False
    return len(text.split()) <= (_MAX_KEY_WORDS_LOWER if text[0].islower() else _MAX_KEY_WORDS)


def is_data(text: str) -> bool:
    """Whether a text is a number, an amount, a time or a date rather than words."""
    return bool(_DATA.match(text))


def is_year(text: str) -> bool:
    """Whether a text is a year, which may also name a column."""
    return bool(_YEAR.match(text))


def find_pairs(text: str) -> list[Pair]:
    """Return the keys with their values on the line *text*, in order.

    `"Date: 3 May  Time: 10:30"` -> Date: 3 May, Time: 10:30. A value may be empty.
    """
    if len(text) > _MAX_LINE_CHARACTERS:
        return []
    pairs = _colon_pairs(text)
    if pairs:
        return pairs
    # most lines have none of the marks, and are read in a tenth of the time
    marked = (_DOTS, text.count(".") > 2), (_FILLER, "…" in text or "___" in text)
    for pattern, may_match in (*marked, (_EQUALS, "=" in text)):
        if may_match and (match := pattern.match(text)):
            key = match["key"].strip()
            start = match.start("key") + match["key"].index(key)
            pair = Pair(start, key, match.start("value"), match["value"].rstrip())
            return [pair] if is_key(key) else []
    return _gap_pairs(text) if len(text) <= _MAX_GAP_LINE_CHARACTERS else []


def item_pair(text: str) -> Pair | None:
    """Return the key with its value that the item *text* of a list is, None if it is none."""
    if "\n" in text or len(text) > _MAX_ITEM_CHARACTERS or ":" not in text:
        return None
    pairs = find_pairs(text)
    is_pair = len(pairs) == 1 and pairs[0].value and pairs[0].has_short_key
    return pairs[0] if is_pair else None


def _colon_pairs(text: str) -> list[Pair]:
    keys: list[tuple[int, str, int]] = []  # where the key starts, the key, where its value starts
    n_rejected = 0
    for colon in _COLON.finditer(text):
        start = _key_start(text, colon.start(), keys[-1][2] if keys else None)
        if start is None:
            n_rejected += 1
            if n_rejected > _MAX_REJECTED:
                break  # a line of colons would be searched once for each of them
            continue
        n_rejected = 0
        keys.append((start, text[start : colon.start()].rstrip(), colon.end()))
    pairs = []
    for (start, key, value_start), (end, _, _) in pairwise([*keys, (len(text), "", 0)]):
        raw = text[value_start:end].rstrip().rstrip("|;•·,").rstrip()
        value_start += len(raw) - len(raw.lstrip())
        value = raw.lstrip()
        if value.endswith(")") and "(" not in value and key[:1] != "(":
            value = value[:-1].rstrip()  # the line, or the pair, stands in brackets
        if value.endswith(":") and is_key(value[:-1].rstrip()):
            value = ""  # the next key of a form that was left empty
        pairs.append(Pair(start, key, value_start, value))
    return pairs


def _key_start(text: str, colon: int, after: int | None) -> int | None:
    """Return where the key before *colon* starts, None if there is no key."""
    is_time = text[:colon][-1:].isdigit() and text[colon + 1 : colon + 2].isdigit()
    if is_time or text.startswith("//", colon + 1):
        return None
    end = len(text[:colon].rstrip())
    start = floor = after or 0
    for separator in _SEPARATOR.finditer(text, floor, end):
        # a comma belongs to the first key of a line, but ends a value before another
        is_part = floor == 0 and separator.group()[0] == ","
        if not is_part and text[floor : separator.start()].strip():
            start = separator.end()
    if after is not None and start == floor:
        start = _after_value(text, floor, end)
    start += len(text[start:end]) - len(text[start:end].lstrip())
    if text[start : start + 1] == "(" and ")" not in text[start:end]:
        start += 1
    key = text[start:end]
    if not is_key(key) or key.casefold() in _SCHEMES:
        return None
    is_short_name = key[:1].isupper() and len(key.split()) <= 4
    return start if after is None or is_short_name else None


def _after_value(text: str, floor: int, end: int) -> int:
    """Return where a key starts that only one space parts from the value before it."""
    words = list(re.finditer(r"\S+", text[floor:end]))
    if len(words) < 2:
        return end
    digits = [n for n, word in enumerate(words) if _has_digit(word.group())]
    first = digits[-1] + 1 if digits else len(words) - 1
    capital = [word for word in words[first:] if word.group()[:1].isupper()]
    return floor + capital[0].start() if capital else end


def _gap_pairs(text: str) -> list[Pair]:
    """Read `Cash   10.00`, and keys in turn with values of which one at least has digits."""
    segments = split_segments(text)
    if len(segments) == 3 and len(segments[1].text) <= 3:
        first, middle, last = segments
        if middle.text.isalpha() or middle.text in "$€£¥":  # a currency belongs to its amount
            segments = [first, Line(middle.start, text[middle.start : last.end])]
        elif not any(map(str.isalnum, middle.text)):  # a sign that stands alone between them
            segments = [first, last]
    keys, values = segments[::2], segments[1::2]
    if not values or len(keys) != len(values) or not all(is_key(key.text) for key in keys):
        return []
    if len(keys) == 1:
        key, value = segments
        if not key.text[0].isalpha() or key.text[-1] in ".,;!?" or len(key.text.split()) > 5:
            return []
        if value.text[0].islower() and value.start - key.end < 4:
            return []
    elif any(_has_digit(key.text) for key in keys) or not any(_has_digit(v.text) for v in values):
        return []
    return [
        Pair(key.start, key.text, value.start, value.text)
        for key, value in zip(keys, values, strict=True)
    ]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def may_begin_stack(lines: Sequence[Line], at: int) -> bool:
    """Whether line *at* is a label with a number, a date or an address one or three lines below."""
    below = lines[at + 1 : at + 4 : 2]
    return _is_label(lines[at].text) and any(_is_datum(line.text) for line in below)


def find_stacked_pairs(run: Sequence[Line]) -> list[tuple[Line, Line]]:
    """Return the keys and values in lines that begin with a key, and that no heading breaks.

    `Born`, `3.5.1980`, `City`, `Lyon`, `E-mail`, `a@b.org` -> three pairs.
    """
    if len(run) < 2:
        return []
    if len(run) >= _MIN_RUN and len(run) % 2 == 0:
        pairs = list(zip(run[::2], run[1::2], strict=True))
        n_data = sum(_is_datum(value.text) for _, value in pairs)
        are_pairs = all(_is_label(key.text) and _is_stacked(value.text) for key, value in pairs)
        if are_pairs and n_data >= max(2, _MIN_DATA_SHARE * len(pairs)):
            return pairs
    is_column = len(run) > 2 and _is_datum(run[2].text)  # of numbers below its name
    return [(run[0], run[1])] if _is_datum(run[1].text) and not is_column else []


def _is_label(text: str) -> bool:
    text = text.strip()
    is_short = len(text) <= _MAX_LABEL_CHARACTERS and len(text.split()) <= _MAX_LABEL_WORDS
    return is_short and text.replace(" ", "").replace("-", "").isalpha() and is_key(text)


def _is_stacked(text: str) -> bool:
    return len(text.strip()) <= _MAX_STACKED_VALUE_CHARACTERS and match_marker(text) is None


def _is_datum(text: str) -> bool:
    text = text.strip()
    if "@" in text[1:-1] and " " not in text:
        return True
    return _is_stacked(text) and (is_data(text) or bool(_DAY.match(text)))
