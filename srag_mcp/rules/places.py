"""Places: a title, the line of a name near the top, the first date, a town at the end of a line."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence

from srag_mcp.documents.document import Heading, KeyValue, Prose
from srag_mcp.rules.candidates import Candidate, Found, code_of
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.extractors import PlaceRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD, fold_word, fold_words
from srag_mcp.values.dates import find_dates
from srag_mcp.values.names import COUNTRIES, LEGAL_FORMS

_MIN_SHARE = 0.3
_MIN_DISTINCT = 3
_MIN_VARIETY = 0.1
_MIN_LEGAL = 0.2
_MAX_NAME_CHARACTERS = 80
_MAX_NAME_WORDS = 10
_MAX_ENDINGS = 30
_MAX_SKIPPED = 60
_MIN_SKIPPED = 0.02
_MIN_FORM = 0.05
_MIN_RECURRING = 0.1
_MAX_NAMES_ABOVE = 4
_HEAD_CHARACTERS = 600
_N_BLOCKS = 14
_MAX_LINE = 160
_MAX_TAIL = 6
_SURE = 0.95
_MIN_KNOWN = 0.7
_N_LINES = 6
_SURE_PLACE = 0.9
_LINE_PIECE = re.compile(r"[^\s,;·|–*](?:[^\n,;·|–*.]|\.(?!\s))*[^\s,;·|–*.]")
_LEGAL_FORM_END = re.compile(rf"\b(?:{'|'.join(sorted(LEGAL_FORMS))})$")
_REGISTRATION = re.compile(r"\s*[(\[][^()\[\]]*\d[^()\[\]]*[)\]]\s*$")
_CONTACT = re.compile(r"@|www\.|https?:|\.(?:com|org|net)\b", re.I)
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_COMMA = re.compile(r"\s*,\s+")
_CODE = re.compile(
    r"^(?:[A-Z]{0,2}-?\d[\w-]*\s+(?:[A-Z]{2}\s+)?)+"
    r"|(?:\s+(?:[A-Z]{1,4}-?\d|\d+[-./]|\d{4}|\d[A-Z]{2}\b)[\w./-]*)+$"
)
_TITLE_PIECE = re.compile(r"[^|()\[\]:·–—]+?(?=\s+-\s|\s*(?:[|()\[\]:·–—]|$))")


def place_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the places that hold a value of its own in most documents."""
    skip = _learn_title_furniture(sightings)
    rules = [
        (PlaceRule(place="title", skip=skip), "title"),
        (PlaceRule(place="first_heading", skip=skip), "title"),
        (learn_name_line(sightings), "name"),
        (learn_first_date(sightings), "date"),
        (PlaceRule(place="first_email"), "email"),
    ]
    found = [_candidate(rule, label, sightings) for rule, label in rules]
    found = [c for c in found if c.label != "name" and _is_telling(c, len(sightings))]
    return [*found, *part_candidates(sightings)]


def _candidate(rule: PlaceRule, label: str, sightings: Sequence[Sightings]) -> Candidate:
    found = {}
    for number, sighting in enumerate(sightings):
        if (span := find_place(rule, sighting)) is not None:
            found[number] = Found(span.of(sighting.text), span)
    candidate = Candidate("place", [label], [rule], found)
    names = [item.text for item in found.values()]
    if label == "name" and _share(names, _LEGAL_FORM_END.search) >= _MIN_LEGAL:
        candidate.labels = ["company", "name"]
    return candidate


def _share(values: Sequence[str], test: Callable[[str], object]) -> float:
    return sum(bool(test(fold_words(value))) for value in values) / max(1, len(values))


def _is_telling(candidate: Candidate, n_documents: int) -> bool:
    counts = Counter(fold_words(found.text) for found in candidate.found.values())
    distinct = len(counts)
    return (
        candidate.share(n_documents) >= _MIN_SHARE
        and distinct >= min(_MIN_DISTINCT, n_documents)
        and distinct >= _MIN_VARIETY * len(candidate.found)
        and max(counts.values()) <= len(candidate.found) / 2
    )


def find_place(rule: PlaceRule, sighting: Sightings) -> Span | None:
    """Return where the value of *rule* is, or None."""
    match rule.place:
        case "title":
            return _title(rule, sighting)
        case "first_heading":
            return _first_heading(rule, sighting)
        case "name_line":
            return _name_line(rule, sighting)
        case "first_date":
            return _first_date(rule, sighting.text)
        case "first_email":
            match = _EMAIL.search(sighting.text)
            return Span(*match.span()) if match else None
        case "part":
            return _part(rule, sighting)
        case "line":
            return line_pieces(sighting).get((rule.line, rule.index))


def line_pieces(sighting: Sightings) -> dict[tuple[int, int], Span]:
    """Return the parts between marks of the lines near the top, by line and part."""
    found: dict[tuple[int, int], Span] = {}
    blocks = (block for block in sighting.document.blocks if isinstance(block, Prose | Heading))
    for line, block in zip(range(_N_LINES), blocks, strict=False):
        if block.span.end - block.span.start <= _MAX_LINE:
            start = block.span.start
            for piece, match in enumerate(
                _LINE_PIECE.finditer(sighting.text, start, block.span.end)
            ):
                found[line, piece] = Span(*match.span())
    return found


def learn_lines(sightings: Sequence[Sightings], candidates: Sequence[Candidate]) -> None:
    """Read columns of text from a place where other documents have no label for them.

    The place tells by its values: documents without the label nearly all have there what those with
    it state beside it ("**Example Ltd** · Leeds", "Employer: Example Ltd").
    """
    pieces = [line_pieces(sighting) for sighting in sightings]
    for candidate in candidates:
        if candidate.guess.type != "string" or candidate.origin not in {"label", "name"}:
            continue
        values = {fold_words(found.text) for found in candidate.found.values()}
        known: Counter[tuple[int, int]] = Counter()
        seen: Counter[tuple[int, int]] = Counter()
        for number, own in enumerate(pieces):
            if number not in candidate.found:
                seen.update(own.keys())
                known.update(
                    place
                    for place, span in own.items()
                    if fold_words(span.of(sightings[number].text)) in values
                )
        for place, count in known.most_common(1):
            if count >= max(_MIN_DISTINCT, _SURE_PLACE * seen[place]):
                rule = PlaceRule(place="line", line=place[0], index=place[1])
                candidate.absorb(_candidate(rule, candidate.label, sightings))


def _title(rule: PlaceRule, sighting: Sightings) -> Span | None:
    """Find the title in the text: the first heading that says it, else its first appearance."""
    title, text = sighting.document.title, sighting.text
    headings = (b for b in sighting.document.blocks if isinstance(b, Heading) and b.text == title)
    place = next((block.span for block in headings), Span(0, len(text)))
    start = text.find(title, place.start, place.end)
    return (
        _without_furniture(text, Span(start, start + len(title)), rule)
        if title and start >= 0
        else None
    )


def _first_heading(rule: PlaceRule, sighting: Sightings) -> Span | None:
    blocks = (block for block in sighting.document.blocks if isinstance(block, Heading))
    heading = next(blocks, None)
    if heading is None:
        return None
    start = sighting.text.find(heading.text, heading.span.start, heading.span.end)
    span = Span(start, start + len(heading.text)) if start >= 0 else heading.span
    return _without_furniture(sighting.text, span, rule)


def _title_pieces(text: str, span: Span) -> list[Span]:
    """Return the parts of a title between marks: `Minutes: Budget (final)` -> three."""
    found = _TITLE_PIECE.finditer(text, span.start, span.end)
    pieces = [(match.start(), match.end()) for match in found]
    return [
        Span(start + len(words) - len(words.lstrip(" -")), start + len(words.rstrip(" -")))
        for start, end in pieces
        if (words := text[start:end]).strip(" -")
    ]


def _without_furniture(text: str, span: Span, rule: PlaceRule) -> Span | None:
    """Cut off what stands in many titles, dates and codes; None where nothing is left."""
    pieces = [
        bare
        for piece in _title_pieces(text, span)
        if not _is_figure(piece.of(text))
        and (bare := _without_code(text, piece))
        and fold_words(bare.of(text)) not in rule.skip
        and not _is_figure(bare.of(text))
    ]
    return Span(pieces[0].start, pieces[-1].end) if pieces else None


def _is_figure(words: str) -> bool:
    """Whether a part of a title is a date or a code, which is a fact of its own, or a weekday."""
    folded = fold_words(words)
    dates = find_dates(words)
    is_date = bool(dates) and len(words) - (dates[0][0].end - dates[0][0].start) <= 12
    return is_date or code_of(words) != "" or folded.isdigit() or folded in _WEEKDAYS


_WEEKDAYS = frozenset(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
)


def _learn_title_furniture(sightings: Sequence[Sightings]) -> tuple[str, ...]:
    """Learn which parts of titles recur beside another part that tells: "Minutes", "m/f/d"."""
    counts: Counter[str] = Counter()
    beside: dict[str, set[str]] = defaultdict(set)
    alone: Counter[str] = Counter()
    places: dict[str, set[bool]] = defaultdict(set)
    for sighting in sightings:
        title = sighting.document.title
        pieces = _title_pieces(title, Span(0, len(title)))
        pieces = [piece for piece in pieces if not _is_figure(piece.of(title))]
        bare = [_without_code(title, piece).of(title) for piece in pieces]
        telling = [fold_words(words) for words in bare if not _is_figure(words)]
        for place, piece in enumerate(telling):
            counts[piece] += 1
            places[piece].add(place == 0)
            others = telling[:place] + telling[place + 1 :]
            beside[piece].update(others)
            alone[piece] += not others
    least = max(3, _MIN_RECURRING * len(sightings))
    headings = Counter(heading for sighting in sightings for heading in sighting.headings)
    furniture = [
        piece
        for piece, count in counts.items()
        if (headings[piece] >= least and headings[piece] >= 2 * count)
        or (
            count >= least
            and not alone[piece]
            and len(places[piece]) == 1
            and (count >= len(sightings) / 2 or len(beside[piece]) >= _MIN_DISTINCT)
        )
        or (count >= len(sightings) / 2 and alone[piece] == count)
    ]
    return tuple(sorted(furniture))[:_MAX_SKIPPED]


def _first_date(rule: PlaceRule, text: str) -> Span | None:
    for part in (text[:_HEAD_CHARACTERS], text):
        for span, _ in find_dates(part):
            is_code = span.start > 0 and part[span.start - 1].isalnum()
            if not is_code and fold_words(span.of(part)) not in rule.skip:
                return span
    return None


def learn_first_date(sightings: Sequence[Sightings]) -> PlaceRule:
    """Learn which dates are no fact of a document: those that recur below its first date."""
    first: Counter[str] = Counter()
    later: Counter[str] = Counter()
    for sighting in sightings:
        text = sighting.text
        dates = list(dict.fromkeys(fold_words(span.of(text)) for span, _ in find_dates(text)))
        first.update(dates[:1])
        later.update(dates[1:])
    floor = max(3, _MIN_RECURRING * len(sightings))
    skip = [day for day, count in later.items() if count >= floor and count >= first[day]]
    return PlaceRule(place="first_date", skip=tuple(sorted(skip))[:_MAX_SKIPPED])


def _name_line(rule: PlaceRule, sighting: Sightings) -> Span | None:
    text = sighting.text
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
    words = ["#" if word[0].isdigit() else word for word in fold_words(line).split()]
    return " ".join(
        word
        for word, before in zip(words, ["", *words], strict=False)
        if word != "#" or before != "#"
    )


def _name_words(line: str) -> list[str]:
    return fold_words(_REGISTRATION.sub("", line)).split()


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


def learn_name_line(sightings: Sequence[Sightings]) -> PlaceRule:
    """Learn what names at the top end in, and which lines stand above them."""
    firsts: Counter[str] = Counter()
    seen: dict[str, list[int]] = defaultdict(list)
    spelt: dict[str, set[str]] = defaultdict(set)
    for sighting in sightings:
        text = sighting.text
        for position, span in enumerate(sighting.first_lines):
            seen[_shape(span.of(text))].append(position)
            spelt[_shape(span.of(text))].add(fold_words(span.of(text)))
        named = [line for span in sighting.first_lines if _is_name(line := span.of(text))]
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


def _mostly_below(places: Sequence[int]) -> bool:
    return sum(place > 1 for place in places) > 0.4 * len(places)


def part_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the country at the end of a line that documents have in common, and the town before it.

    "12 High Street, 1080 Vienna, Austria - Show map": what all lines end in is cut off, and so is a
    postal code. Nothing but a name of a country tells what such a part is.
    """
    found: list[Candidate] = []
    for key, tail in _sources(sightings):
        country = _parts(
            PlaceRule(place="part", key=key, tail=tail, index=-1), "country", sightings
        )
        names = [item.text for item in country.found.values()]
        is_usual = len(names) >= _MIN_SHARE * len(sightings)
        if is_usual and _share(names, lambda name: name in COUNTRIES) >= _MIN_KNOWN:
            town = _parts(PlaceRule(place="part", key=key, tail=tail, index=-2), "city", sightings)
            found.extend((country, town))
    return found


def _parts(rule: PlaceRule, label: str, sightings: Sequence[Sightings]) -> Candidate:
    found = {}
    for number, sighting in enumerate(sightings):
        if (span := _part(rule, sighting)) is not None:
            found[number] = Found(span.of(sighting.text), span)
    return Candidate("place", [label], [rule], found)


def _part(rule: PlaceRule, sighting: Sightings) -> Span | None:
    text = sighting.text
    for key, span in _lines(sighting):
        body = _without_tail(text, span, rule.tail) if key == (rule.key or "") else None
        if body is None:
            continue
        pieces = _pieces(text, body)
        if len(pieces) > 1 and len(pieces) >= -rule.index:
            return _without_code(text, pieces[rule.index])
    return None


def _lines(sighting: Sightings) -> Iterator[tuple[str, Span]]:
    """Yield the values of keys, with the key, and the short lines near the top, without one."""
    n_lines = 0
    for block in sighting.document.blocks:
        if isinstance(block, KeyValue) and "," in block.value and len(block.value) <= _MAX_LINE:
            yield " ".join(map(fold_word, WORD.findall(block.key))), block.value_span
        elif isinstance(block, Prose | Heading) and n_lines < _N_BLOCKS:
            n_lines += 1
            if block.span.end - block.span.start <= _MAX_LINE:
                yield "", block.span


def _sources(sightings: Sequence[Sightings]) -> list[tuple[str | None, tuple[str, ...]]]:
    """Return the kinds of lines that many documents have: a key, or the words at their end."""
    keyed: dict[str, list[list[str]]] = defaultdict(list)
    tails: Counter[tuple[str, ...]] = Counter()
    for sighting in sightings:
        for key, span in _lines(sighting):
            line = span.of(sighting.text)
            words = [fold_word(word) for word in WORD.findall(line)] if "," in line else []
            if words and key:
                keyed[key].append(words)
            elif words:
                tails.update({tuple(words[-n:]) for n in range(2, _MAX_TAIL) if len(words) > n})
    floor = _MIN_SHARE * len(sightings)
    found: list[tuple[str | None, tuple[str, ...]]] = [
        (key, _common_tail(lines)) for key, lines in keyed.items() if len(lines) >= floor
    ]
    frequent = {tail: count for tail, count in tails.items() if count >= floor}
    whole = [t for t in frequent if frequent[t] >= _SURE * frequent.get(t[1:], 0)]
    longest = [t for t in whole if not any(o != t and o[-len(t) :] == t for o in whole)]
    return [*found, *((None, tail) for tail in longest), (None, ())]


def _common_tail(lines: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the words that all *lines* but a few end in."""
    tail: tuple[str, ...] = ()
    for n in range(1, min(map(len, lines))):
        end, count = Counter(tuple(line[-n:]) for line in lines).most_common(1)[0]
        if count < _SURE * len(lines):
            break
        tail = end
    return tail


def _without_tail(text: str, span: Span, tail: Collection[str]) -> Span | None:
    words = list(WORD.finditer(text, span.start, span.end))
    if len(words) <= len(tail):
        return None
    ends = [fold_word(match.group()) for match in words[len(words) - len(tail) :]]
    return Span(span.start, words[len(words) - len(tail) - 1].end()) if ends == [*tail] else None


def _pieces(text: str, span: Span) -> list[Span]:
    pieces, start = [], span.start
    for match in _COMMA.finditer(text, span.start, span.end):
        pieces.append(Span(start, match.start()))
        start = match.end()
    return [*pieces, Span(start, span.end)]


def _without_code(text: str, span: Span) -> Span:
    """Cut off a postal code: `1080 Vienna` -> `Vienna`."""
    words = span.of(text)
    bare = _CODE.sub("", words)
    if not bare or bare == words:
        return span
    start = span.start + words.index(bare)
    return Span(start, start + len(bare))
