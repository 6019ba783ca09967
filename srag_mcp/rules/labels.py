"""Labels: values beside words that recur, in many layouts, and which label of a number to trust."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Table
from srag_mcp.rules.candidates import Candidate, Found
from srag_mcp.rules.sightings import Field, Sightings, is_plain_value, label_key
from srag_mcp.schema.extractors import KeyRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words, is_content
from srag_mcp.values.quantities import find_quantities

# A label that few documents have may be a spelling of another one; a column needs more.
_MIN_SHARE = 0.02
_RECURRING = 0.2  # of the documents: a label below several headings, a line that begins alike
# A label that often has several values in one document heads a list, and states no fact.
_MAX_REPEATED = 0.3
_MAX_LEAD_WORDS = 4
_WHOLE = 0.9  # a longer beginning of a line is as good as a shorter one that so many share
_DIGIT = re.compile(r"\d")
_MAX_LABEL_LENGTH = 60


def label_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Collect the labels of *sightings* with what stands beside them, by falling support."""
    floor = max(2, round(_MIN_SHARE * len(sightings))) if len(sightings) > 2 else 1
    lists = _list_headers(sightings)
    found = _collect(sightings, lists)
    candidates = [
        _candidate(key, section, fields)
        for (key, section), fields in found.items()
        if len(fields) >= floor and not _is_list(fields)
    ]
    figures = [figure for (key, _), fields in found.items() if (figure := _figure(key, fields))]
    leads = _lead_candidates(sightings, {key for key, _ in found})
    return sorted([*candidates, *figures, *leads], key=lambda item: -len(item.found))


def _list_headers(sightings: Sequence[Sightings]) -> set[str]:
    """Return the folded headers of tables that have several rows in some documents: lists."""
    headers: set[str] = set()
    for sighting in sightings:
        for block in sighting.document.blocks:
            if isinstance(block, Table) and len(block.rows) > 1:
                headers.update(fold_words(" ".join(path)) for path in block.headers if path)
    return headers


_Fields = dict[int, list[Field]]


def _collect(
    sightings: Sequence[Sightings], lists: set[str]
) -> dict[tuple[str, str | None], _Fields]:
    """Return the fields by key, and by section where a key means another thing below another."""
    numbered = _numbered(sightings)
    sections = _by_section(sightings)
    found: dict[tuple[str, str | None], _Fields] = {}
    for number, sighting in enumerate(sightings):
        for exact, fields in sighting.fields.items():
            for field in fields:
                if field.key != exact or not field.value or (field.in_table and exact in lists):
                    continue
                shape = label_key(field.label)
                key = shape if shape in numbered else exact
                section = field.section if key in sections else None
                found.setdefault((key, section), {}).setdefault(number, []).append(field)
    return found


def _numbered(sightings: Sequence[Sightings]) -> set[str]:
    """Return the keys with `#` whose number is a fact: it changes, and a document has one."""
    variants: dict[str, set[str]] = defaultdict(set)
    several: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for sighting in sightings:
        for key, fields in sighting.fields.items():
            if "#" in key:
                own = {field.key for field in fields}
                variants[key] |= own
                documents[key] += 1
                several[key] += len(own) > 1
                if any(field.figure and "%" in field.figure.of(sighting.text) for field in fields):
                    variants[key].add("%")
    return {
        key
        for key, known in variants.items()
        if len(known) > 1 and several[key] <= (1 - _WHOLE) * documents[key]
    }


def _by_section(sightings: Sequence[Sightings]) -> set[str]:
    """Return the keys that have different values below different headings, where these recur."""
    repeated: Counter[str] = Counter()
    sections: dict[str, Counter[str]] = defaultdict(Counter)
    for sighting in sightings:
        for key, fields in sighting.fields.items():
            values = {field.section: field.value for field in fields}
            sections[key].update(values.keys())
            repeated[key] += len(set(values.values())) > 1
    least = max(2, _RECURRING * len(sightings))
    return {
        key
        for key, count in repeated.items()
        if count >= least and sections[key].most_common(2)[-1][1] >= least
    }


def _is_list(fields: Mapping[int, Sequence[Field]]) -> bool:
    several = sum(len({fold_words(field.value) for field in own}) > 1 for own in fields.values())
    return several > _MAX_REPEATED * len(fields)


def _candidate(key: str, section: str | None, fields: Mapping[int, Sequence[Field]]) -> Candidate:
    labels = Counter(_plain_label(field.label) for own in fields.values() for field in own[:1])
    found = {number: Found(own[0].value, own[0].span) for number, own in fields.items()}
    spelt = [label for label, _ in labels.most_common(3)]
    return Candidate("label", spelt, [KeyRule(keys=(key,), section=section)], found)


def _plain_label(label: str) -> str:
    """Return a label without numbers, marks and what is in brackets: `Tax (20%)` -> `Tax`."""
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", label)
    bare = re.sub(r"\d+(?:[.,]\d+)*\s?%?", " ", bare) if "%" in bare else bare
    bare = " ".join(bare.split()).strip(" .:*-–—·•|/_")
    return (bare or label)[:_MAX_LABEL_LENGTH]


def _figure(key: str, fields: Mapping[int, Sequence[Field]]) -> Candidate | None:
    """Return the number in a label as a fact of its own: the 19 of "VAT 19 %"."""
    if "#" not in key:
        return None
    found = {n: own[0] for n, own in fields.items() if own[0].figure is not None}
    spans = {n: field.figure for n, field in found.items() if field.figure is not None}
    texts = {n: field.label for n, field in found.items()}
    if not spans or not all("%" in label for label in texts.values()):
        return None
    label = _plain_label(next(iter(texts.values())))
    values = {n: Found(_percent(texts[n]), spans[n]) for n in spans}
    rule = KeyRule(keys=(key,), reads="label")
    return Candidate("label", [f"{label} percent"], [rule], values)


def _percent(label: str) -> str:
    match = re.search(r"\d+(?:[.,]\d+)*\s?%", label)
    return match.group() if match else label


def _lead_candidates(sightings: Sequence[Sightings], known: set[str]) -> list[Candidate]:
    """Find the words that lines of many documents begin with, before a number, a code or a name."""
    found: dict[str, dict[int, Field]] = defaultdict(dict)
    for number, sighting in enumerate(sightings):
        for lead, field in _led(sighting):
            found[lead].setdefault(number, field)
    least = max(3, _RECURRING / 2 * len(sightings))
    frequent = {lead: own for lead, own in found.items() if len(own) >= least and lead not in known}
    return [
        Candidate(
            "label",
            [_plain_label(next(iter(own.values())).label)],
            [KeyRule(leads=(lead,))],
            {number: Found(field.value, field.span) for number, field in own.items()},
        )
        for lead, own in frequent.items()
        if any(map(is_content, lead.split()))
        and not any(
            other.startswith(f"{lead} ") and len(frequent[other]) >= _WHOLE * len(own)
            for other in frequent
        )
        and not any(
            lead.startswith(f"{other} ") and len(own) < _WHOLE * len(frequent[other])
            for other in frequent
        )
    ]


def _led(sighting: Sightings) -> Iterator[tuple[str, Field]]:
    for stretches in sighting.segments.values():
        for words, span in stretches:
            for n_words in range(1, min(_MAX_LEAD_WORDS, len(words) - 1) + 1):
                field = sighting.behind(words, n_words, span)
                gap = sighting.text[words[n_words - 1][1].end : field.span.start]
                has_gap = not gap or gap.isspace() or any(mark in gap for mark in ":.#№")
                if has_gap and not _DIGIT.search(field.label) and is_plain_value(field.value):
                    yield field.key, field


@dataclass(frozen=True, slots=True)
class KeyedNumber:
    """A number beside a key, and where it is."""

    key: str
    cents: int
    span: Span


# How labels of one number vote. All measured on receipts at 16a3ebc, where the total is told under
# 60 labels: without votes 0.87 of the totals are right, with them 0.93.
_MIN_KEYS = 3
_MIN_AGREEING = 0.3
_MIN_PRESENT = 0.3
_UNKNOWN_KEY = 0.25
_MIN_VOTES = 0.2
_DIFFERENCE, _ELSEWHERE, _SUM = 0.9, 0.6, 0.5
_NEAR = 0.5
_N_ROUNDS = 6
_MAX_KEYS = 60
_MAX_FIGURES = 40
_HUGE = 1e12
_ROUNDED = 0.002
_RELIABLE = 0.75


def keyed_numbers(sightings: Sightings) -> list[KeyedNumber]:
    """Return the numbers beside keys, in the order of the text, one a field."""
    fields = (field for key, group in sightings.fields.items() if "#" not in key for field in group)
    numbers = (number for field in fields if (number := _number_of(field)) is not None)
    return sorted(numbers, key=lambda number: number.span.start)


def _number_of(field: Field) -> KeyedNumber | None:
    quantities = find_quantities(field.value)
    broken = [span for span, quantity in quantities if "." in span.of(field.value)]
    if not quantities or len(broken) > 1 or abs(quantities[-1][1].value) > _HUGE:
        return None  # several amounts are a row of a table
    span, quantity = quantities[-1]
    place = Span(field.span.start + span.start, field.span.start + span.end)
    return KeyedNumber(field.key, round(100 * quantity.value), place)


def elect(rule: KeyRule, numbers: Sequence[KeyedNumber]) -> tuple[KeyedNumber | None, bool]:
    """Return the number on which the labels of *rule* agree most, and whether others come near.

    The number is taken where it is first said. A number gains where it is the difference of two
    other numbers beside labels (paid minus returned), or their sum.
    """
    members = _members(rule, numbers)
    votes = _count(rule, numbers)
    best = max(votes.values(), default=0.0)
    if best < _MIN_VOTES:
        return None, False
    chosen = next(number for number in members if votes[number.cents] == best)
    near = sum(vote > _NEAR * best for vote in votes.values()) > 1 or best < _NEAR
    told = Counter(n.cents for n in numbers if n.span.start > chosen.span.start)
    rounded = [
        n
        for n in numbers
        if told[n.cents] > 1 and 0 < abs(n.cents - chosen.cents) <= _ROUNDED * chosen.cents
    ]
    return (rounded[0] if rounded else chosen), near


def _members(rule: KeyRule, numbers: Iterable[KeyedNumber]) -> list[KeyedNumber]:
    return [n for n in numbers if n.key in rule.weights or rule.word in n.key.split()]


def _count(rule: KeyRule, numbers: Sequence[KeyedNumber]) -> dict[int, float]:
    members = _members(rule, numbers)
    votes: dict[int, float] = defaultdict(float)
    for key, cents in dict.fromkeys((member.key, member.cents) for member in members):
        votes[cents] += rule.weights.get(key, _UNKNOWN_KEY)
    inside = set(votes) - {0}
    outside = {n.cents for n in numbers if n not in members and n.cents}
    for cents in votes:
        votes[cents] += _ELSEWHERE * (cents in outside)
        votes[cents] += _DIFFERENCE * _is_difference(cents, outside - inside, outside)
        votes[cents] += _SUM * _is_sum(cents, inside)
        votes[cents] *= 1.0 if cents else 0.3
    return dict(votes)


def _is_difference(cents: int, paid: set[int], returned: set[int]) -> bool:
    if cents <= 0 or len(returned) > _MAX_FIGURES:
        return False
    return any(high > cents and high - cents in returned for high in paid)


def _is_sum(cents: int, parts: set[int]) -> bool:
    if cents <= 0 or len(parts) > _MAX_FIGURES:
        return False
    return any(cents - part in parts and 2 * part != cents for part in parts if part < cents)


def vote_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find labels with one word in common that often agree on a number, a candidate a word."""
    documents = [keyed_numbers(sighting) for sighting in sightings]
    keys_of: dict[str, Counter[str]] = defaultdict(Counter)
    for numbers in documents:
        for key in {number.key for number in numbers}:
            for word in filter(is_content, set(key.split())):
                keys_of[word][key] += 1
    return [
        _elected(word, dict(keys.most_common(_MAX_KEYS)), documents, sightings)
        for word, keys in keys_of.items()
        if len(keys) >= _MIN_KEYS and _agree(word, documents)
    ]


def _agree(word: str, documents: Sequence[Sequence[KeyedNumber]]) -> bool:
    """Whether documents with several labels of *word* mostly repeat a number among them."""
    present = several = repeated = 0
    for numbers in documents:
        said = {n.key: n.cents for n in numbers if word in n.key.split()}
        present += bool(said)
        if len(said) > 1:
            several += 1
            counts = Counter(cents for cents in said.values() if cents)
            repeated += bool(counts) and counts.most_common(1)[0][1] > 1
    enough = present >= _MIN_PRESENT * len(documents) and several >= _MIN_KEYS
    return enough and repeated >= _MIN_AGREEING * several


def _elected(
    word: str,
    counts: Mapping[str, int],
    documents: Sequence[Sequence[KeyedNumber]],
    sightings: Sequence[Sightings],
) -> Candidate:
    rule = KeyRule(keys=tuple(counts), weights=dict.fromkeys(counts, 0.5), word=word)
    for _ in range(_N_ROUNDS):
        rule = rule.model_copy(update={"weights": _reliabilities(rule, documents)})
    found, n_marked = {}, 0
    for number, numbers in enumerate(documents):
        chosen, near = elect(rule, numbers)
        n_marked += near
        if chosen is not None:
            found[number] = Found(chosen.span.of(sightings[number].text), chosen.span)
    surest = [key for key, weight in rule.weights.items() if weight >= _RELIABLE]
    candidate = Candidate("label", [word, *surest], [rule], found)
    candidate.n_marked = n_marked
    return candidate


def _reliabilities(rule: KeyRule, documents: Sequence[Sequence[KeyedNumber]]) -> dict[str, float]:
    """Return how often each label gives the number that wins its document."""
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for numbers in documents:
        votes = _count(rule, numbers)
        members = _members(rule, numbers)
        if len(votes) < 2 and not _is_confirmed(votes, members, numbers):
            continue  # a number that stands alone confirms itself
        best = max(votes.values())
        for member in members:
            tries[member.key] += 1
            hits[member.key] += votes[member.cents] == best
    return {key: round((hits[key] + 0.5) / (tries[key] + 1.5), 3) for key in rule.weights}


def _is_confirmed(
    votes: Mapping[int, float], members: Sequence[KeyedNumber], numbers: Sequence[KeyedNumber]
) -> bool:
    return any(n.cents in votes and n not in members for n in numbers) or (
        bool(votes) and len({member.key for member in members}) > 1
    )


def read_field(rule: KeyRule, sightings: Sightings) -> tuple[list[Field], bool]:
    """Return the fields of the first label of *rule* in a document, and whether they differ."""
    for key in rule.keys:
        own = [
            f
            for f in sightings.fields.get(key, ())
            if f.value and rule.section in {None, f.section}
        ]
        if own:
            return own, len({fold_words(f.value) for f in own}) > 1
    for lead in rule.leads:
        own = [field for field in sightings.led(lead) if is_plain_value(field.value)]
        if own:
            return own, len({fold_words(f.value) for f in own}) > 1
    return [], False
