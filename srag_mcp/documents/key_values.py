"""Keys with values on one line: `Total: 12.40`, `Cash    10.00`, `Rooms ...... 12`."""

import re
from dataclasses import dataclass

from srag_mcp.documents.lines import Segment, split_segments

MAX_KEY_CHARACTERS = 60
MAX_KEY_WORDS = 7
MAX_KEY_WORDS_LOWER = 4  # after a small letter, so many words are part of a sentence
MAX_LINE_CHARACTERS = 2000
MAX_GAP_LINE_CHARACTERS = 160
_MAX_REJECTED = 8
_COLON = re.compile(r"[:：]")
_SEPARATOR = re.compile(r"\s{2,}|\t|[|;•·]|,\s")
_DOTS = re.compile(r"^(?P<key>[^.…_]{2,60}?)\s*(?:\.\s?){3,}\s*(?P<value>[^.\s].*)$")
_FILLER = re.compile(r"^(?P<key>[^.…_]{2,60}?)\s*(?:…+|_{3,})\s*(?P<value>[^_\s].*)$")
_EQUALS = re.compile(r"^\s*(?P<key>[^=:<>!]{1,60}?)\s+=\s+(?P<value>[^=\s].*)$")
_SENTENCE_BREAK = re.compile(r"[^\W\d_]{4,}[.!?]\s|[!?]\s")
_SCHEMES = frozenset({"http", "https", "ftp", "mailto", "file", "urn", "data"})


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


def is_key(text: str) -> bool:
    """Whether *text* could be the name of a field: short, with letters, not a sentence."""
    letters = sum(map(str.isalpha, text))
    if not text or len(text) > MAX_KEY_CHARACTERS or not letters:
        return False
    if letters == 1 and not text[:1].isupper():
        return False
    if text[0] in "\"'“‘„«./\\@-–&+" or letters < 0.4 * len(text.replace(" ", "")):
        return False
    if text.count("(") != text.count(")") or _SENTENCE_BREAK.search(text):
        return False
    return len(text.split()) <= (MAX_KEY_WORDS_LOWER if text[0].islower() else MAX_KEY_WORDS)


def find_pairs(text: str) -> list[Pair]:
    """Return the keys with their values on the line *text*, in order.

    `"Date: 3 May  Time: 10:30"` -> Date: 3 May, Time: 10:30. A value may be empty.
    """
    if len(text) > MAX_LINE_CHARACTERS:
        return []
    return _colon_pairs(text) or _single_pair(text)


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
    if not keys:
        return []
    ends = [*(start for start, _, _ in keys[1:]), len(text)]
    return [_pair(text, key, end) for key, end in zip(keys, ends, strict=True)]


def _pair(text: str, key: tuple[int, str, int], end: int) -> Pair:
    start, name, value_start = key
    raw = text[value_start:end].rstrip().rstrip("|;•·,").rstrip()
    value = raw.lstrip()
    if value.endswith(")") and "(" not in value and name[:1] != "(":
        value = value[:-1].rstrip()  # the line, or the pair, stands in brackets
        raw = raw[: len(raw) - len(raw.lstrip()) + len(value)]
    if value.endswith(":") and is_key(value[:-1].rstrip()):
        value = raw = ""  # the next key of a form that was left empty
    return Pair(start, name, value_start + len(raw) - len(value), value)


def _key_start(text: str, colon: int, after: int | None) -> int | None:
    """Return where the key before *colon* starts, None if there is no key.

    *after* is where the value of the key before it starts, None for the first of the line.
    """
    if text.startswith("//", colon + 1) or _is_time(text, colon):
        return None
    end = len(text[:colon].rstrip())
    floor = 0 if after is None else after
    start = _after_separator(text, floor, end)
    if after is not None and start == floor:
        start = _after_value(text, floor, end)
    start += len(text[start:end]) - len(text[start:end].lstrip())
    if text[start : start + 1] == "(" and ")" not in text[start:end]:
        start += 1
    key = text[start:end]
    if not is_key(key) or key.casefold() in _SCHEMES:
        return None
    if after is not None and not (key[:1].isupper() and len(key.split()) <= 4):
        return None
    return start


def _is_time(text: str, colon: int) -> bool:
    return text[:colon][-1:].isdigit() and text[colon + 1 : colon + 2].isdigit()


def _after_separator(text: str, floor: int, end: int) -> int:
    start = floor
    for separator in _SEPARATOR.finditer(text, floor, end):
        if floor == 0 and separator.group()[0] == ",":
            continue  # a comma belongs to the first key of a line, but ends a value before another
        if text[floor : separator.start()].strip():
            start = separator.end()
    return start


def _after_value(text: str, floor: int, end: int) -> int:
    """Return where a key starts that only one space parts from the value before it."""
    words = list(re.finditer(r"\S+", text[floor:end]))
    if len(words) < 2:
        return end
    digits = [n for n, word in enumerate(words) if any(map(str.isdigit, word.group()))]
    first = digits[-1] + 1 if digits else len(words) - 1
    capital = [w for w in words[first:] if w.group()[:1].isupper()]
    return floor + capital[0].start() if capital else end


def _single_pair(text: str) -> list[Pair]:
    for pattern in (_DOTS, _FILLER, _EQUALS):
        match = pattern.match(text)
        if match:
            return _matched_pair(match)
    if len(text) > MAX_GAP_LINE_CHARACTERS:
        return []
    segments = split_segments(text)
    if len(segments) == 3:
        segments = _without_middle(text, segments)
    if len(segments) == 2:
        return _gap_pair(segments[0], segments[1])
    return _alternating_pairs(segments)


def _without_middle(text: str, segments: list[Segment]) -> list[Segment]:
    """Join a currency to its amount, and drop a sign that stands alone between key and value."""
    first, middle, last = segments
    if len(middle.text) > 3:
        return segments
    if middle.text.isalpha() or middle.text in "$€£¥":
        return [first, Segment(middle.start, text[middle.start : last.end])]
    return [first, last] if not any(map(str.isalnum, middle.text)) else segments


def _gap_pair(key: Segment, value: Segment) -> list[Pair]:
    if not key.text[0].isalpha() or key.text[-1] in ".,;!?" or len(key.text.split()) > 5:
        return []
    if not is_key(key.text) or (value.text[0].islower() and value.start - key.end < 4):
        return []
    return [Pair(key.start, key.text, value.start, value.text)]


def _alternating_pairs(segments: list[Segment]) -> list[Pair]:
    """Read `No  17  Date  3/5/2020`: words in turn with values, of which one has digits."""
    keys, values = segments[::2], segments[1::2]
    if not values or len(keys) != len(values):
        return []
    if any(_has_digit(key.text) or not is_key(key.text) for key in keys):
        return []
    if not any(_has_digit(value.text) for value in values):
        return []
    return [
        Pair(key.start, key.text, value.start, value.text)
        for key, value in zip(keys, values, strict=True)
    ]


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _matched_pair(match: re.Match[str]) -> list[Pair]:
    key, value = match["key"], match["value"].rstrip()
    if not is_key(key.strip()):
        return []
    start = match.start("key") + len(key) - len(key.lstrip())
    return [Pair(start, key.strip(), match.start("value"), value)]
