"""Places: a title, the line of a name near the top, the first date, a town at the end of a line."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from srag_mcp.documents.document import Heading, KeyValue, Prose
from srag_mcp.rules.candidates import Candidate, Found, code_of
from srag_mcp.rules.sightings import Sightings
from srag_mcp.schema.attribute import PlaceRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import WORD, fold_word, fold_words
from srag_mcp.values.dates import find_dates
from srag_mcp.values.states import COUNTRIES, LEGAL_FORMS, WEEKDAYS

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
        (_learn_name_line(sightings), "company"),
        (_learn_first_date(sightings), "date"),
        (PlaceRule(place="first_email"), "email"),
    ]
    candidates = []
    for rule, label in rules:
        candidate = _candidate(rule, label, sightings)
        # a heading further down is no title beside those that stand first
        first = {n: found.text for n, found in candidate.found.items()
                 if any(map(found.span.overlaps, sightings[n].first_lines[:1]))}  # fmt: skip
        is_first = label == "title" and 2 * len(first) > len(candidate.found)
        counts = Counter(map(fold_words, first.values())) if is_first else candidate.values()
        n_found = counts.total()
        n_legal = sum(n for name, n in counts.items() if _LEGAL_FORM_END.search(name))
        if label == "company":
            candidate.labels = ["company", "name"]
        if (
            (label != "company" or n_legal >= _MIN_LEGAL * n_found)
            and candidate.share(len(sightings)) >= _MIN_SHARE
            and len(counts) >= max(min(_MIN_DISTINCT, len(sightings)), _MIN_VARIETY * n_found)
            and 2 * max(counts.values()) <= n_found
        ):
            candidates.append(candidate)
    return [*candidates, *part_candidates(sightings)]


def _candidate(rule: PlaceRule, label: str, sightings: Sequence[Sightings]) -> Candidate:
    spans = {number: find_place(rule, sighting) for number, sighting in enumerate(sightings)}
    found = {n: Found(s.of(sightings[n].text), s) for n, s in spans.items() if s is not None}
    return Candidate("place", [label], [rule], found)


def find_place(rule: PlaceRule, sighting: Sightings) -> Span | None:
    """Return where the value of *rule* is, or None."""
    text = sighting.text
    match rule.place:
        case "title":
            return _title(rule, sighting, sighting.document.title)
        case "first_heading":
            headings = (b.text for b in sighting.document.blocks if isinstance(b, Heading))
            return _title(rule, sighting, next(headings, ""))
        case "name_line":
            return _name_line(rule, sighting)
        case "first_date":
            told = [field.span for key in rule.skip for field in sighting.fields.get(key, ())]
            for span, _ in find_dates(text):
                is_code = span.start > 0 and text[span.start - 1].isalnum()
                is_skipped = is_code or any(map(span.overlaps, told))
                if not is_skipped and fold_words(span.of(text)) not in rule.skip:
                    return span
            return None
        case "first_email":
            match = _EMAIL.search(text)
            return Span(*match.span()) if match else None
        case "part":
            return _part(rule, sighting)
        case "line":  # of an earlier version
            return None


def _title(rule: PlaceRule, sighting: Sightings, title: str) -> Span | None:
    """Find a title: in the first heading that says it, else where it appears first."""
    text = sighting.text
    headings = (b for b in sighting.document.blocks if isinstance(b, Heading) and b.text == title)
    place = next((block.span for block in headings), Span(0, len(text)))
    start = text.find(title, place.start, place.end)
    if not title or not 0 <= start <= _HEAD_CHARACTERS:  # a heading further below is no title
        return None
    pieces = [
        bare if _has_labels_for(sighting, piece, bare) else piece
        for piece in _title_pieces(text, Span(start, start + len(title)))
        if (bare := _without_code(text, piece)).start < bare.end
        and fold_words(bare.of(text)) not in rule.skip
        and not _is_figure(bare.of(text))
    ]
    return Span(pieces[0].start, pieces[-1].end) if pieces else None


def _has_labels_for(sighting: Sightings, piece: Span, bare: Span) -> bool:
    """Whether the document gives beside labels what is cut off both ends of a part of its title."""
    ends = (Span(piece.start, bare.start), Span(bare.end, piece.end))
    cut = {fold_words(end.of(sighting.text)) for end in ends} - {""}
    fields = (field for own in sighting.fields.values() for field in own)
    return not cut or cut <= {fold_words(field.value) for field in fields}


def _title_pieces(text: str, span: Span) -> list[Span]:
    """Return the parts of a title between marks but dates and codes: `Minutes: Budget (final)`."""
    pieces = []
    for match in _TITLE_PIECE.finditer(text, span.start, span.end):
        words = match.group()
        start = match.start() + len(words) - len(words.lstrip(" -"))
        piece = Span(start, match.start() + len(words.rstrip(" -")))
        if words.strip(" -") and not _is_figure(piece.of(text)):
            pieces.append(piece)
    return pieces


def _is_figure(words: str) -> bool:
    """Whether a part of a title is a date or a code, which is a fact of its own, or a weekday."""
    folded = fold_words(words)
    dates = find_dates(words)
    is_date = bool(dates) and len(words) - (dates[0][0].end - dates[0][0].start) <= 12
    return is_date or code_of(words) != "" or folded.isdigit() or folded in WEEKDAYS


def _learn_title_furniture(sightings: Sequence[Sightings]) -> tuple[str, ...]:
    """Learn which parts of titles recur beside another part that tells: "Minutes", "m/f/d"."""
    counts, alone, first = Counter[str](), Counter[str](), Counter[str]()
    whole: Counter[tuple[str, ...]] = Counter()
    beside: dict[str, set[str]] = defaultdict(set)
    for sighting in sightings:
        title = sighting.document.title
        pieces = [_without_code(title, p) for p in _title_pieces(title, Span(0, len(title)))]
        telling = [fold_words(p.of(title)) for p in pieces if not _is_figure(p.of(title))]
        whole[*telling] += 1
        for place, piece in enumerate(telling):
            counts[piece] += 1
            first[piece] += place == 0
            beside[piece].update(telling[:place] + telling[place + 1 :])
            alone[piece] += len(telling) == 1
    least = max(3, _MIN_RECURRING * len(sightings))
    headings = Counter(heading for sighting in sightings for heading in sighting.headings)
    n_own = sum(count == 1 for count in whole.values())
    shared = {title[0] for title, count in whole.items() if count > 1 and len(title) == 1}
    shared = shared if 2 * n_own > len(sightings) else set()
    furniture = []
    for piece, count in counts.items():
        is_half = 2 * count >= len(sightings)
        is_heading = headings[piece] >= max(least, 2 * count)
        is_usual = count >= least and (is_half or len(beside[piece]) >= _MIN_DISTINCT)
        is_beside = is_usual and not alone[piece] and first[piece] in {0, count}
        others = (s for s in sightings if count > 1 and piece not in fold_words(s.document.title))
        is_name = sum(sighting.speaks_of(piece) for sighting in others) >= count > 1
        is_alone = is_half and alone[piece] == count
        if piece in shared or is_heading or is_beside or is_name or is_alone:
            furniture.append(piece)
    return tuple(sorted(furniture))[:_MAX_SKIPPED]


def _learn_first_date(sightings: Sequence[Sightings]) -> PlaceRule:
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
    chosen = named[0] if named else None
    for span in reversed(named[:_MAX_NAMES_ABOVE]):
        if _name_words(span.of(text))[-1] in rule.endings:
            chosen = span
    for number, span in enumerate(named):
        words = _name_words(span.of(text))
        if words[-1] in forms:
            bare = all(word in forms for word in words if len(word) > 1)
            above = number > 0 and not text[named[number - 1].end : span.start].strip()
            chosen = Span(named[number - 1].start if bare and above else span.start, span.end)
            break
    if chosen is None:
        return None
    match = _REGISTRATION.search(text, chosen.start, chosen.end)
    return Span(chosen.start, match.start()) if match and match.start() > chosen.start else chosen


def _shape(line: str) -> str:
    """Return a folded line with `#` for its numbers: `Exhibit 10.7` -> `exhibit #`."""
    words = ["#" if word[0].isdigit() else word for word in fold_words(line).split()]
    return re.sub(r"#(?: #)+", "#", " ".join(words))


def _name_words(line: str) -> list[str]:
    return fold_words(_REGISTRATION.sub("", line)).split()


def _is_name(line: str) -> bool:
    """Whether a line could be a name: a few words, capitalised, no address, no label."""
    line = _REGISTRATION.sub("", line)
    letters = sum(map(str.isalpha, line))
    is_short = len(line) <= _MAX_NAME_CHARACTERS and 0 < len(WORD.findall(line)) <= _MAX_NAME_WORDS
    if not is_short or letters < max(2, 0.6 * len(line.replace(" ", ""))) or _CONTACT.search(line):
        return False
    if line.rstrip().endswith((",", "!")) or ":" in line or line.count(",") > 1:
        return False
    return next(char for char in line if char.isalnum()).isupper() or line[0].isdigit()


def _learn_name_line(sightings: Sequence[Sightings]) -> PlaceRule:
    """Learn what names at the top end in, and which lines stand above them."""
    firsts: Counter[str] = Counter()
    seen: dict[str, list[int]] = defaultdict(list)
    for sighting in sightings:
        lines = [span.of(sighting.text) for span in sighting.first_lines]
        for position, line in enumerate(lines):
            seen[_shape(line)].append(position)
        firsts.update(" ".join(_name_words(line)) for line in [*filter(_is_name, lines)][:1])
    floor = max(2, _MIN_SKIPPED * len(sightings))
    skip = [
        line
        for line, places in seen.items()
        if len(places) >= floor and sum(place > 1 for place in places) > 0.4 * len(places)
    ]
    tails = Counter(word for line in firsts for word in set(line.split()[-2:]))
    ends = Counter(line.split()[-1] for line in firsts)
    least = max(3, _MIN_FORM * len(sightings))
    return PlaceRule(
        place="name_line",
        forms=tuple(sorted(word for word, count in tails.items() if count >= least)),
        endings=tuple(sorted(w for w, count in ends.most_common(_MAX_ENDINGS) if count > 1)),
        skip=tuple(sorted(skip))[:_MAX_SKIPPED],
    )


def part_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the country at the end of a line that documents share, and the town before it."""
    found: list[Candidate] = []
    for key, tail in _endings(sightings):
        rule = PlaceRule(place="part", key=key or None, tail=tail, index=-1)
        country = _candidate(rule, "country", sightings)
        n_known = sum(fold_words(item.text) in COUNTRIES for item in country.found.values())
        is_usual = len(country.found) >= max(1, _MIN_SHARE * len(sightings))
        if is_usual and n_known >= _MIN_KNOWN * len(country.found):
            town = rule.model_copy(update={"index": -2})
            found += [country, _candidate(town, "city", sightings)]
    return found


def _endings(sightings: Sequence[Sightings]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words that lines of many documents end in, with the key of these lines."""
    counts: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for sighting in sightings:
        lines = [(key, span.of(sighting.text)) for key, span in _lines(sighting)]
        split = [(key, _folded(line)) for key, line in lines if "," in line]
        counts.update({(key, w[len(w) - n :]) for key, w in split for n in range(_MAX_TAIL)})
    floor = max(1, _MIN_SHARE * len(sightings))
    frequent = {ending: count for ending, count in counts.items() if count >= floor}
    shorter = {  # than another one that nearly all of its lines have
        (key, tail[1:])
        for (key, tail), count in frequent.items()
        if tail and count >= _SURE * frequent[key, tail[1:]]
    }
    return [ending for ending in frequent if ending not in shorter]


def _part(rule: PlaceRule, sighting: Sightings) -> Span | None:
    text = sighting.text
    for key, span in _lines(sighting):
        words = list(WORD.finditer(text, span.start, span.end))
        n_own = len(words) - len(rule.tail)
        if key != (rule.key or "") or n_own < 1:
            continue
        end = words[n_own - 1].end()
        commas = [match.span() for match in _COMMA.finditer(text, span.start, end)]
        starts = [span.start, *(after for _, after in commas)]
        ends = [*(before for before, _ in commas), end]
        is_ending = _folded(text[end : span.end]) == rule.tail
        if is_ending and len(starts) >= max(2, -rule.index):
            return _without_code(text, Span(starts[rule.index], ends[rule.index]))
    return None


def _folded(line: str) -> tuple[str, ...]:
    return tuple(map(fold_word, WORD.findall(line)))


def _lines(sighting: Sightings) -> Iterator[tuple[str, Span]]:
    """Yield the values of keys, with the key, and the short lines near the top, without one."""
    n_lines = 0
    for block in sighting.document.blocks:
        if isinstance(block, KeyValue) and "," in block.value and len(block.value) <= _MAX_LINE:
            yield " ".join(_folded(block.key)), block.value_span
        elif isinstance(block, Prose | Heading) and n_lines < _N_BLOCKS:
            n_lines += 1
            if block.span.end - block.span.start <= _MAX_LINE:
                yield "", block.span


def _without_code(text: str, span: Span) -> Span:
    """Cut off a postal code: `1080 Vienna` -> `Vienna`."""
    words = span.of(text)
    bare = _CODE.sub("", words)
    start = span.start + words.index(bare)
    return Span(start, start + len(bare)) if bare else span
