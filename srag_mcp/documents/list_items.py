"""Items of lists: bullets, numbers, icons, and items between commas."""

import re

_BULLETS = "•·‣◦▪▫●○■□◆◇►▶➤➢→»✓✔☑✅✗✘❌☒✖*+\\-–—\uf0b7\uf0a7"
_CROSSES = "✗✘❌☒✖"
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


def match_marker(text: str) -> tuple[str, int] | None:
    """Return the kind of marker a line begins with, and where its text starts.

    The kind is bullet, number or icon. A cross stays part of the text: it says that the item is
    not there.
    """
    match = _MARKER.match(text)
    if match is None or match.lastgroup is None:
        return None
    mark = match[match.lastgroup]
    if mark[0] in _CROSSES:
        return match.lastgroup, match.start(match.lastgroup)
    return match.lastgroup, match.end()


def split_items(text: str) -> list[tuple[int, int]]:
    """Return where the items of *text* are, if it clearly is a list of short items, else none.

    `"Python, SQL, Go"` -> three places; `"12 Main Street, Springfield, Ohio"` -> none.
    """
    body = text.rstrip().rstrip(".")
    separator = next((mark for mark in _SEPARATORS if mark.search(body)), None)
    if separator is None or len(body) > _MAX_LIST_CHARACTERS:
        return []
    places, start = [], 0
    for gap in [*separator.finditer(body), None]:
        end = len(body) if gap is None else gap.start()
        places.append((start, end))
        start = end if gap is None else gap.end()
    return places if _are_items([body[start:end] for start, end in places]) else []


def _are_items(parts: list[str]) -> bool:
    if len(parts) < _MIN_PARTS:
        return False
    return all(
        part.strip()
        and len(part) <= _MAX_PART_CHARACTERS
        and len(part.split()) <= _MAX_PART_WORDS
        and not part[:1].isdigit()
        and any(map(str.isalpha, part))
        for part in parts
    )
