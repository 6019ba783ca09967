"""Lines of a text: how they wrap, what they begin with and list, which of them are headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from srag_mcp.documents.document import Heading
from srag_mcp.text.spans import Span
from srag_mcp.text.words import has_digit
from srag_mcp.values.dates import find_dates

_MIN_WRAP_WIDTH = 50
_WIDE_GAP = re.compile(r"\s*\t\s*|\s{2,}")
_BLANKS = re.compile(r"[^\S\n]{2,}")
_SENTENCE_END = re.compile(r"[.!?:;][\"')\]”’]*$")
_BULLETS = "•·‣◦▪▫●○■□◆◇►▶➤➢→»✓✔☑✅✗✘❌☒✖*+\\-–—\uf0b7\uf0a7"
_CROSSES = "✗✘❌☒✖☐"  # what is crossed out or not ticked
_EMOJI = "\U0001f300-\U0001faff☀-☄☇-➿⬀-⭏⭑-⯿"
_MARKER = re.compile(
    rf"\s*(?:(?P<bullet>[{_BULLETS}]️?)|(?P<number>\(?(?:\d{{1,3}}|[a-zA-Z]|[ivx]{{2,5}})\)|"
    rf"\d{{1,3}}\.|[a-z]\.|[ivx]{{2,5}}\.|[IVX]{{2,5}}\.)|"
    rf"(?P<icon>[{_EMOJI}][️‍{_EMOJI}]*))\s+(?=\S)"
)
_SEPARATORS = tuple(re.compile(rf"\s*{mark}\s*") for mark in (";", r"\|", "[•·]", r"\s/\s", ","))
_MAX_LIST_CHARACTERS = 1000
_MAX_PART_WORDS = 4
_MAX_PART_CHARACTERS = 40
_MIN_PARTS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its line end, or a part of one; *start* is its place in the text.

    The start of a part counts from the start of its line.
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """The place after its last character."""
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space on it."""
        return not self.text or self.text.isspace()

    @property
    def indent(self) -> int:
        """How many characters of white space come first."""
        return len(self.text) - len(self.text.lstrip())

    @property
    def span(self) -> Span:
        """The line without white space around it."""
        start = self.start + self.indent
        return Span(start, max(start, self.start + len(self.text.rstrip())))


def split_lines(text: str, offset: int = 0) -> list[Line]:
    r"""Split *text* at `\n`; *offset* is where it begins in the document."""
    lines = []
    for part in text.split("\n"):
        lines.append(Line(offset, part))
        offset += len(part) + 1
    return lines


def split_segments(text: str) -> list[Line]:
    """Split a line at gaps of two spaces or more and at tabs.

    `"Cash   10.00"` -> `"Cash"`, `"10.00"`.
    """
    segments = []
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    for gap in _WIDE_GAP.finditer(text, start, end):
        segments.append(Line(start, text[start : gap.start()]))
        start = gap.end()
    if start < end:
        segments.append(Line(start, text[start:end]))
    return segments


def wrap_width(lines: Sequence[Line]) -> int:
    """Guess the width at which the text was wrapped: what one line in ten reaches."""
    lengths = sorted(len(line.text.rstrip()) for line in lines if not line.is_blank)
    return max(_MIN_WRAP_WIDTH, lengths[int(len(lengths) * 0.9)] if lengths else 0)


def is_wrapped(line: Line, after: Line, width: int) -> bool:
    """Whether the sentence of *line* goes on in the line *after* it.

    It does if it plainly has no end, or if the first word of the next line had no room on it.
    """
    text, rest = line.text.rstrip(), after.text.lstrip()
    if rest[:1].islower() or text.endswith((",", "-", "(", "&", "/")):
        return True
    needed = len(text) + 1 + len(rest[:width].partition(" ")[0])
    if len(text) < 0.5 * width or needed < 0.95 * width:
        return False
    return not (_SENTENCE_END.search(text) and len(text) < 0.85 * width)


def collapse(text: str) -> str:
    """Return *text* on one line, each run of white space as one space."""
    return " ".join(text.split())


def narrow_gaps(text: str) -> str:
    """Write runs of blanks within a line, which keep columns apart, as two of them."""
    return _BLANKS.sub("  ", text)


def match_marker(text: str) -> tuple[str, int] | None:
    """Return the kind of marker a line begins with, and where its text starts.

    The kind is bullet, number or icon. A cross stays part of the text: it says that the item is
    not there.
    """
    match = _MARKER.match(text)
    if match is None or match.lastgroup is None:
        return None
    is_cross = match[match.lastgroup][0] in _CROSSES
    return match.lastgroup, match.start(match.lastgroup) if is_cross else match.end()


def split_items(text: str) -> list[Span]:
    """Return where the items of *text* are, if it clearly is a list of short items, else none.

    `"Python, SQL, Go"` -> three places; `"12 Main Street, Springfield, Ohio"` -> none.
    """
    body = text.rstrip().rstrip(".")
    separator = next((mark for mark in _SEPARATORS if mark.search(body)), None)
    if separator is None or len(body) > _MAX_LIST_CHARACTERS:
        return []
    places, start = [], 0
    for gap in separator.finditer(body):
        places.append(Span(start, gap.start()))
        start = gap.end()
    places.append(Span(start, len(body)))
    parts = [place.of(body) for place in places]
    are_items = len(parts) >= _MIN_PARTS and all(
        part.strip()
        and len(part) <= _MAX_PART_CHARACTERS
        and len(part.split()) <= _MAX_PART_WORDS
        and not part[:1].isdigit()
        and any(map(str.isalpha, part))
        for part in parts
    )
    return places if are_items else []


_HASHES = re.compile(r"\s{0,3}(#{1,6})\s+(?P<title>\S.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"\s*([=~_-])\1{2,}\s*$")
_NUMBERED = re.compile(
    r"\s*(?:(?P<word>article|section|chapter|part|exhibit|appendix|schedule|annex)\s+"
    r"(?:\d+(?:\.\d+)*|[ivxlc]+|[a-z])\b[.:]?|(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.)]?\s)"
    r"\s*(?P<title>.*?)\s*$",
    re.IGNORECASE,
)
_RUN_IN = re.compile(
    r"\s*(?P<number>\d{1,2}(?:\.\d{1,2}){0,2})[.)]?\s+"
    r"(?P<title>[A-Z][^.:;!?\n]{1,60})[.:](?=\s+[A-Z(\"“])"
)
_MAX_CHARACTERS = 80
_MAX_WORDS = 10


class Outline:
    """Keeps the open headings while a document is read from top to bottom."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        """The open headings, outermost first."""
        return tuple(text for _, text in self._open)

    def enter(self, text: str, level: int) -> None:
        """Open the heading *text*, which closes those of the same or a deeper level."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))


def find_heading(lines: Sequence[Line], at: int, *, guess: bool) -> tuple[Heading, int] | None:
    """Return the heading at line *at* and the line after it, None if there is none.

    *guess*: a line that nothing marks may be one too, by its capitals or its place.
    """
    text, span = lines[at].text, lines[at].span
    if len(text) > 300:
        return None
    hashes = _HASHES.match(text)
    if hashes:
        return Heading(span, collapse(hashes["title"]), len(hashes[1])), at + 1
    underline = _UNDERLINE.match(lines[at + 1].text) if at + 1 < len(lines) else None
    if underline and _could_be_title(text) and len(split_segments(text)) == 1:
        return Heading(span, collapse(text), 1 if underline[1] == "=" else 2), at + 2
    found = _find_numbered(lines, at) or (_guess(lines, at) if guess else None)
    return None if found is None else (found, at + 1)


def find_run_in_heading(line: Line) -> Heading | None:
    """Return the title at the start of a paragraph: `4. Term. This agreement …` -> Term."""
    match = _RUN_IN.match(line.text)
    if match is None or len(match["title"].split()) > 8:
        return None
    level = 2 + match["number"].count(".")
    start = line.start + match.start("number")
    return Heading(Span(start, line.start + match.end()), collapse(match["title"]), level)


def _find_numbered(lines: Sequence[Line], at: int) -> Heading | None:
    """Return the heading that stands below a gap after a number, or that names a part."""
    line = lines[at]
    match = _NUMBERED.match(line.text)
    if match is None or not _is_blank(lines, at - 1):
        return None
    if any(span.start == match.start("number") for span, _ in find_dates(line.text)):
        return None  # `23 April 2023` is no chapter 23
    title = match["title"] if match["number"] else line.text
    if match["number"] and not (title[:1].isupper() and _is_blank(lines, at + 1)):
        return None
    near = [next((x.text.strip() for x in part if not x.is_blank), "")
            for part in (lines[max(0, at - 3) : at][::-1], lines[at + 1 : at + 4])]  # fmt: skip
    if match["number"] and near[0][:1] == "#" and near[1][:1] in {"#", ""}:
        return None  # alone below a heading, it is what is listed there
    if not _could_be_title(title) or title.endswith((".", ":")):
        return None
    return Heading(line.span, collapse(title), 2 + (match["number"] or "").count("."))


def _guess(lines: Sequence[Line], at: int) -> Heading | None:
    """Return the heading that is written in capitals, or stands alone above a body."""
    text = lines[at].text.strip()
    is_below_gap, is_above_gap = _is_blank(lines, at - 1), _is_blank(lines, at + 1)
    letters = sum(map(str.isalpha, text))
    in_capitals = text.isupper() and letters >= max(4, 0.6 * len(text.replace(" ", "")))
    in_capitals = in_capitals and (is_below_gap or is_above_gap or len(text.split()) <= 4)
    if not in_capitals and not (is_below_gap and text[:1].isupper() and text[-1] != ":"):
        return None
    if not _could_be_title(text) or len(split_segments(text)) > 1 or match_marker(text):
        return None
    is_first = at < 10 and all(line.is_blank for line in lines[:at])
    if in_capitals:
        return Heading(lines[at].span, collapse(text.rstrip(":")), 1 if is_first else 2)
    if is_above_gap:
        has_body = any(not line.is_blank for line in lines[at + 1 : at + 4])
    else:
        after = lines[at + 1].text
        has_body = len(after.strip()) > 2 * len(text) and len(text) <= 40
        has_body = has_body or match_marker(after) is not None
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 3]
    n_capital = sum(word[0].isupper() for word in words)
    if not has_body or (len(words) > 3 and n_capital < 0.5 * len(words)):
        return None
    return Heading(lines[at].span, collapse(text), 1 if is_first else 3)


def _could_be_title(text: str) -> bool:
    text = text.strip()
    if not text or len(text) > _MAX_CHARACTERS or len(text.split()) > _MAX_WORDS:
        return False
    return text[-1] not in ".,;!?|" and any(map(str.isalpha, text)) and "@" not in text


def _is_blank(lines: Sequence[Line], at: int) -> bool:
    return not 0 <= at < len(lines) or lines[at].is_blank


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
    digits = [n for n, word in enumerate(words) if has_digit(word.group())]
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
    elif any(has_digit(key.text) for key in keys) or not any(has_digit(v.text) for v in values):
        return []
    return [
        Pair(key.start, key.text, value.start, value.text)
        for key, value in zip(keys, values, strict=True)
    ]


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
