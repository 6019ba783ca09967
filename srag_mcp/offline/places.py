"""Candidates by their place: titles, the line of a name near the top, the first date."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence

from srag_mcp.documents.document import Heading
from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import PlaceRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD
from srag_mcp.text.words import fold_words as fold
from srag_mcp.values.dates import find_dates
from srag_mcp.values.names import LEGAL_FORMS

_MIN_SHARE = 0.3
_MIN_DISTINCT = 3
_MIN_VARIETY = 0.15
_LEGAL_FORM_END = re.compile(rf"\b(?:{'|'.join(sorted(LEGAL_FORMS))})$")
_MIN_LEGAL = 0.2
_MAX_NAME_CHARACTERS = 80
_MAX_NAME_WORDS = 10
_MAX_ENDINGS = 30
_MAX_SKIPPED = 60
_MIN_SKIPPED = 0.02
_MIN_FORM = 0.05
_MIN_RECURRING = 0.1
_MAX_NAMES_ABOVE = 4
_REGISTRATION = re.compile(r"\s*[(\[][^()\[\]]*\d[^()\[\]]*[)\]]\s*$")
_CONTACT = re.compile(r"@|www\.|https?:|\.(?:com|org|net)\b", re.I)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_HEAD_CHARACTERS = 600


def place_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the places that hold a value of its own in most documents."""
    rules = [
        (PlaceRule(place="title"), "title"),
        (PlaceRule(place="first_heading"), "title"),
        (learn_name_line(sightings), "name"),
        (learn_first_date(sightings), "date"),
        (PlaceRule(place="first_email"), "email"),
    ]
    found = [_candidate(rule, label, sightings) for rule, label in rules]
    return [candidate for candidate in found if _is_telling(candidate, len(sightings))]


def _candidate(rule: PlaceRule, label: str, sightings: Sequence[Sightings]) -> Candidate:
    values = {}
    for number, sighting in enumerate(sightings):
        span = find_place(rule, sighting)
        if span is not None:
            values[number] = span.of(sighting.document.text)
    said = "title name" if label == "title" else label
    words = Counter({stem: len(values) for stem in content_stems(said)})
    candidate = Candidate("place", label, [rule], values, words)
    if label == "name" and _are_companies(values.values()):
        candidate.label, candidate.labels = "company", ("name",)
    return candidate


def _are_companies(names: Collection[str]) -> bool:
    """Whether many names end in the legal form of a company."""
    legal = sum(_LEGAL_FORM_END.search(fold(name)) is not None for name in names)
    return legal >= _MIN_LEGAL * len(names)


def _is_telling(candidate: Candidate, n_documents: int) -> bool:
    distinct = len(set(candidate.values.values()))
    return (
        candidate.share(n_documents) >= _MIN_SHARE
        and distinct >= min(_MIN_DISTINCT, n_documents)
        and candidate.variety() >= _MIN_VARIETY
    )


def find_place(rule: PlaceRule, sighting: Sightings) -> Span | None:
    """Return where the value of *rule* is, or None."""
    finders: dict[str, Callable[[], Span | None]] = {
        "title": lambda: _title(sighting),
        "first_heading": lambda: _heading(sighting.first_heading, sighting.document.text),
        "name_line": lambda: _name_line(rule, sighting),
        "first_email": lambda: _first_email(sighting.text),
        "first_date": lambda: _first_date(rule, sighting.document.text),
    }
    return finders[rule.place]()


def _title(sighting: Sightings) -> Span | None:
    """Find the title in the text: the first heading that says it, else its first appearance."""
    title, text = sighting.document.title, sighting.document.text
    for block in sighting.document.blocks:
        if isinstance(block, Heading) and block.text == title:
            return _heading(block, text)
    start = text.find(title)
    return Span(start, start + len(title)) if title and start >= 0 else None


def _heading(heading: Heading | None, text: str) -> Span | None:
    if heading is None:
        return None
    start = text.find(heading.text, heading.span.start, heading.span.end)
    return Span(start, start + len(heading.text)) if start >= 0 else heading.span


def _first_date(rule: PlaceRule, text: str) -> Span | None:
    for part in (text[:_HEAD_CHARACTERS], text):
        for span, _ in find_dates(part):
            is_code = span.start > 0 and part[span.start - 1].isalnum()
            if not is_code and fold(span.of(part)) not in rule.skip:
                return span
    return None


def _first_email(text: str) -> Span | None:
    match = _EMAIL.search(text)
    return Span(*match.span()) if match else None


def learn_first_date(sightings: Sequence[Sightings]) -> PlaceRule:
    """Learn which dates are no fact of a document: those that recur below its first date."""
    first: Counter[str] = Counter()
    later: Counter[str] = Counter()
    for sighting in sightings:
        text = sighting.document.text
        dates = list(dict.fromkeys(fold(span.of(text)) for span, _ in find_dates(text)))
        first.update(dates[:1])
        later.update(dates[1:])
    floor = max(3, _MIN_RECURRING * len(sightings))
    skip = [day for day, count in later.items() if count >= floor and count >= first[day]]
    return PlaceRule(place="first_date", skip=tuple(sorted(skip))[:_MAX_SKIPPED])


def _name_line(rule: PlaceRule, sighting: Sightings) -> Span | None:
    text = sighting.document.text
    lines = [span for span in sighting.first_lines if _shape(span.of(text)) not in rule.skip]
    named = [span for span in lines if _is_name(span.of(text))]
    forms = LEGAL_FORMS.union(rule.forms)
    for number, span in enumerate(named):
        words = _name_words(span.of(text))
        if words[-1] in forms:
            bare = all(word in forms for word in words if len(word) > 1)
            above = number > 0 and not text[named[number - 1].end : span.start].strip()
            start = named[number - 1].start if bare and above else span.start
            return _without_registration(Span(start, span.end), text)
    chosen = [s for s in named[:_MAX_NAMES_ABOVE] if _name_words(s.of(text))[-1] in rule.endings]
    return _without_registration((chosen or named)[0], text) if named else None


def _shape(line: str) -> str:
    """Return a folded line with `#` for its numbers: `Exhibit 10.7` -> `exhibit #`."""
    words = ["#" if word[0].isdigit() else word for word in fold(line).split()]
    return " ".join(word for word, before in zip(words, ["", *words], strict=False)
                    if word != "#" or before != "#")  # fmt: skip


def _name_words(line: str) -> list[str]:
    return fold(_REGISTRATION.sub("", line)).split()


def _without_registration(span: Span, text: str) -> Span:
    match = _REGISTRATION.search(text, span.start, span.end)
    return Span(span.start, match.start()) if match and match.start() > span.start else span


def _is_name(line: str) -> bool:
    """Whether a line could be a name: a few words, capitalised, no address, no label."""
    line = _REGISTRATION.sub("", line)
    words = WORD.findall(line)
    letters = sum(map(str.isalpha, line))
    if not words or len(words) > _MAX_NAME_WORDS or len(line) > _MAX_NAME_CHARACTERS:
        return False
    if letters < max(2, 0.6 * len(line.replace(" ", ""))) or _CONTACT.search(line):
        return False
    if line.rstrip().endswith((":", ",", "!")) or ":" in line or line.count(",") > 1:
        return False
    return next(char for char in line if char.isalnum()).isupper() or line[0].isdigit()


def _mostly_below(places: Sequence[int]) -> bool:
    return sum(place > 1 for place in places) > 0.4 * len(places)


def learn_name_line(sightings: Sequence[Sightings]) -> PlaceRule:
    """Learn what names at the top end in, and which lines stand above them."""
    firsts: Counter[str] = Counter()
    seen: dict[str, list[int]] = defaultdict(list)
    spelt: dict[str, set[str]] = defaultdict(set)
    for sighting in sightings:
        text = sighting.document.text
        for position, span in enumerate(sighting.first_lines):
            seen[_shape(span.of(text))].append(position)
            spelt[_shape(span.of(text))].add(fold(span.of(text)))
        named = [line for s in sighting.first_lines if _is_name(line := s.of(text))]
        firsts.update(" ".join(_name_words(line)) for line in named[:1])
    floor = max(2, _MIN_SKIPPED * len(sightings))
    skip = [
        line
        for line, places in seen.items()
        if len(places) >= floor and (len(spelt[line]) > 2 or _mostly_below(places))
    ]
    tails = Counter(word for line in firsts for word in set(line.split()[-2:]))
    ends = Counter(line.split()[-1] for line in firsts)
    forms = [word for word, count in tails.items() if count >= max(3, _MIN_FORM * len(sightings))]
    endings = [word for word, count in ends.most_common(_MAX_ENDINGS) if count > 1]
    return PlaceRule(
        place="name_line",
        forms=tuple(sorted(forms)),
        endings=tuple(sorted(endings)),
        skip=tuple(sorted(skip))[:_MAX_SKIPPED],
    )
