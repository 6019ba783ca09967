"""Labels: values beside words that recur, in many layouts, and which label of a number to trust."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Table
from srag_mcp.rules.candidates import NEARLY_ALL, SPELLING, Candidate, Found
from srag_mcp.rules.kinship import is_contrary
from srag_mcp.rules.sightings import Field, Sightings
from srag_mcp.schema.attribute import KeyRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words, is_content
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.units import SIZES, read_context

_RECURRING = 0.2  # of the documents have a label below several headings
# A label that often has several values in one document heads a list, and states no fact.
_MAX_REPEATED = 0.3
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_PERCENT = re.compile(r"\d+(?:[.,]\d+)*\s?%")
_MAX_LABEL_LENGTH = 60

_Fields = dict[int, list[Field]]


def label_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Collect the labels of *sightings* with what stands beside them, by falling support."""
    floor = max(2, round(SPELLING * len(sightings))) if len(sightings) > 2 else 1
    apart = _apart(sightings)
    lists = {  # headers of tables that have several rows in some documents
        fold_words(" ".join(path))
        for sighting in sightings
        for block in sighting.document.blocks
        if isinstance(block, Table) and len(block.rows) > 1
        for path in block.headers
        if path
    }
    found = _collect(sightings, apart, lists)
    candidates, percents = list[Candidate](), list[Candidate]()
    for (key, section), fields in found.items():
        spellings = Counter(plain_label(own[0].label) for own in fields.values())
        labels = [label for label, _ in spellings.most_common(3)]
        if section:  # "Name" below "Buyer" is the buyer's
            labels = [f"{section} {label}" for label in labels]
        several = sum(len({fold_words(f.value) for f in own}) > 1 for own in fields.values())
        if len(fields) >= floor and several <= _MAX_REPEATED * len(fields):
            values = {number: Found(own[0].value, own[0].span) for number, own in fields.items()}
            rule = KeyRule(
                keys=(key,),
                section=section,
                besides=() if section is not None else tuple(sorted(apart.get(key, ()))),
                in_tables=key not in lists,
            )
            unit = read_context(next(iter(fields.values()))[0].label).unit
            units = (unit,) if unit else ()
            candidates.append(Candidate("label", labels, [rule], values, units=units))
        # the number in a label is a fact of its own: the 19 of "VAT 19 %"
        figures = {
            number: Found(match.group(), own[0].figure)
            for number, own in fields.items()
            if own[0].figure is not None and (match := _PERCENT.search(own[0].label))
        }
        if "#" in key and len(figures) == sum(own[0].figure is not None for own in fields.values()):
            rule = KeyRule(keys=(key,), reads="label")
            label = f"{plain_label(next(iter(fields.values()))[0].label)} percent"
            percents += [Candidate("label", [label], [rule], figures)] if figures else []
    return sorted([*candidates, *percents], key=lambda item: -len(item.found))


def plain_label(label: str) -> str:
    """Return a label without numbers, marks and what is in brackets: `Tax (20%)` -> `Tax`."""
    bare = _BRACKETED.sub(lambda found: found[0] if is_contrary(found[0]) else " ", label)
    bare = re.sub(r"\d+(?:[.,]\d+)*\s?%?", " ", bare) if "%" in bare else bare
    bare = " ".join(bare.split()).strip(" .:*-–—·•|/_")
    return (bare or label)[:_MAX_LABEL_LENGTH]


def _collect(
    sightings: Sequence[Sightings], apart: Mapping[str, Collection[str]], lists: Collection[str]
) -> dict[tuple[str, str | None], _Fields]:
    """Return the fields by key, and by section where a key means another thing below it."""
    numbered = _numbered(sightings)
    found: dict[tuple[str, str | None], _Fields] = {}
    for number, sighting in enumerate(sightings):
        for exact, fields in sighting.fields.items():
            for field in fields:
                if field.key != exact or not field.value or (field.in_table and exact in lists):
                    continue
                key = field.shape if field.shape in numbered else exact
                section = field.section if field.section in apart.get(key, ()) else None
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
        if len(known) > 1 and several[key] <= (1 - NEARLY_ALL) * documents[key]
    }


def _apart(sightings: Sequence[Sightings]) -> dict[str, set[str]]:
    """Return, by key, the headings below which it means another thing."""
    repeated: Counter[str] = Counter()
    sections: dict[str, Counter[str]] = defaultdict(Counter)
    met: dict[str, Counter[str]] = defaultdict(Counter)
    second: dict[str, Counter[str]] = defaultdict(Counter)
    for sighting in sightings:
        for key, fields in sighting.fields.items():
            values = {field.section: fold_words(field.value) for field in reversed(fields)}
            sections[key].update(values.keys())
            if len(values) > 1:
                first = fields[0].section
                met[key].update(values.keys())
                second[key].update(name for name, own in values.items() if own != values[first])
            repeated[key] += len(set(values.values())) > 1
    least = max(2, _RECURRING * len(sightings))
    parted = {
        key
        for key, n in repeated.items()
        if n >= least and sections[key].most_common(2)[-1][1] >= least
    }
    return {
        key: {
            name
            for name in names
            if key in parted or second[key][name] >= NEARLY_ALL * max(1, met[key][name])
        }
        for key, names in sections.items()
    }


def read_field(rule: KeyRule, sightings: Sightings) -> list[Field]:
    """Return the fields of the first label of *rule* that a document has; `Born` or `Born on`."""
    for key in (form for own in rule.keys for form in (own, f"{own} on")):
        own = [
            f for f in sightings.fields.get(key, ()) if f.value and f.section not in rule.besides
        ]
        own = [f for f in own if rule.section in {None, f.section}]
        if own := [f for f in own if rule.in_tables or not f.in_table]:
            return own
    return []


# All measured on receipts at 16a3ebc, where the total is told under 60 labels: without votes 0.87
# of the totals are right, with them 0.93.
_MIN_KEYS = 3
_MIN_AGREEING = 0.3
_MIN_PRESENT = 0.3
_UNKNOWN_KEY = 0.25
_MIN_VOTES = 0.5  # what is elected by less is more often wrong than right
_DIFFERENCE, _ELSEWHERE, _SUM = 0.9, 0.6, 0.5
_NEAR = 0.5
_N_ROUNDS = 6
_MAX_KEYS = 60
_MAX_FIGURES = 40
_HUGE = 1e12
_ROUNDED, _ADJUSTED = 0.002, 0.02  # a tax or a tip is more
_RELIABLE = 0.75


@dataclass(frozen=True, slots=True)
class KeyedNumber:
    """A number beside a key, and where it is."""

    key: str
    cents: int
    span: Span


def keyed_numbers(sightings: Sightings) -> list[KeyedNumber]:
    """Return the numbers beside keys, in the order of the text, one a field; a year is none.

    Nor is what a unit measures: of `1 h 45 min` no part is a sum, and times side by side are two.
    """
    found: list[KeyedNumber] = []
    for field in (f for key, own in sightings.fields.items() if "#" not in key for f in own):
        quantities = [] if find_dates(field.value) else find_quantities(field.value)
        n_broken = sum("." in span.of(field.value) for span, _ in quantities)
        is_measured = any(quantity.unit in SIZES for _, quantity in quantities)
        if quantities and n_broken < 2 and not is_measured:
            span, quantity = quantities[-1]  # several broken ones are a row of a table
            if abs(quantity.value) <= _HUGE:
                cents = round(100 * quantity.value)
                found.append(KeyedNumber(field.key, cents, span.moved(field.span.start)))
    return sorted(found, key=lambda number: number.span.start)


def elect(rule: KeyRule, numbers: Sequence[KeyedNumber]) -> tuple[KeyedNumber | None, bool]:
    """Return the number on which the labels of *rule* agree most, and whether others come near.

    The number is taken where it is first said. A number gains where it is the difference of two
    other numbers beside labels (paid minus returned), or their sum.
    """
    votes = _count(rule, numbers)
    best = max(votes.values(), default=0.0)
    if best < _MIN_VOTES:
        return None, False
    chosen = next(number for number in _members(rule, numbers) if votes[number.cents] == best)
    behind = [n for n in numbers if n.span.start > chosen.span.start]
    told = Counter(n.cents for n in behind)
    steps = {abs(n.cents) for n in numbers}  # "19.01, rounding -0.01, 19.00" is no contradiction
    near = any(
        vote > _NEAR * best and not _is_adjusted(cents, chosen.cents, steps)
        for cents, vote in votes.items()
        if cents != chosen.cents
    )
    between: set[int] = set()
    for number in behind:
        step = abs(number.cents - chosen.cents)
        is_rounded = 0 < step <= _ROUNDED * chosen.cents and told[number.cents] > 1
        if is_rounded or _is_adjusted(number.cents, chosen.cents, between):
            return number, near
        between.add(abs(number.cents))
    return chosen, near


def _is_adjusted(cents: int, other: int, steps: Collection[int]) -> bool:
    """Whether a number is another one and a small step that is told, too."""
    step = abs(cents - other)
    return 0 < step <= _ADJUSTED * abs(other) and step in steps


def _members(rule: KeyRule, numbers: Iterable[KeyedNumber]) -> list[KeyedNumber]:
    return [n for n in numbers if n.key in rule.weights or rule.word in n.key.split()]


def _count(rule: KeyRule, numbers: Sequence[KeyedNumber]) -> dict[int, float]:
    members = _members(rule, numbers)
    votes: dict[int, float] = defaultdict(float)
    for key, cents in dict.fromkeys((member.key, member.cents) for member in members):
        votes[cents] += rule.weights.get(key, _UNKNOWN_KEY)
    inside = set(votes) - {0}
    outside = {abs(n.cents) for n in numbers if n not in members and n.cents}  # "cash -50.00"
    for cents in votes:
        votes[cents] += _ELSEWHERE * (cents in outside)
        if cents > 0 and len(outside) <= _MAX_FIGURES:  # paid minus returned
            paid = outside - inside
            votes[cents] += _DIFFERENCE * any(h > cents and h - cents in outside for h in paid)
        if cents > 0 and len(inside) <= _MAX_FIGURES:
            parts = [part for part in inside if part < cents and 2 * part != cents]
            votes[cents] += _SUM * any(cents - part in inside for part in parts)
        votes[cents] *= 1.0 if cents else 0.3
    return dict(votes)


def vote_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find labels with one word in common that often agree on a number, a candidate a word."""
    documents = [keyed_numbers(sighting) for sighting in sightings]
    keys_of: dict[str, Counter[str]] = defaultdict(Counter)
    for numbers in documents:
        for key in dict.fromkeys(number.key for number in numbers):
            for word in filter(is_content, dict.fromkeys(key.split())):
                keys_of[word][key] += 1
    candidates = []
    for word, counts in keys_of.items():
        if len(counts) < _MIN_KEYS or not _agree(word, documents):
            continue
        keys = dict(counts.most_common(_MAX_KEYS))
        rule = KeyRule(keys=tuple(keys), weights=dict.fromkeys(keys, 0.5), word=word)
        for _ in range(_N_ROUNDS):
            rule = rule.model_copy(update={"weights": _reliabilities(rule, documents)})
        surest = [key for key, weight in rule.weights.items() if weight >= _RELIABLE]
        candidate = Candidate("label", [word, *surest], [rule], {})
        for number, numbers in enumerate(documents):
            if (chosen := elect(rule, numbers)[0]) is not None:
                text = chosen.span.of(sightings[number].text)
                candidate.found[number] = Found(text, chosen.span)
        candidates.append(candidate)
    return candidates


def _agree(word: str, documents: Sequence[Sequence[KeyedNumber]]) -> bool:
    """Whether documents with several labels of *word* mostly repeat a number among them."""
    said = [{n.key: n.cents for n in own if word in n.key.split()} for own in documents]
    present = sum(map(bool, said))
    several = [list(cents.values()) for cents in said if len(cents) > 1]
    repeated = sum(any(cents and own.count(cents) > 1 for cents in own) for own in several)
    enough = present >= _MIN_PRESENT * len(documents) and len(several) >= _MIN_KEYS
    return enough and repeated >= _MIN_AGREEING * len(several)


def _reliabilities(
    rule: KeyRule, documents: Sequence[Sequence[KeyedNumber]]
) -> Mapping[str, float]:
    """Return how often each label gives the number that wins its document."""
    hits: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for numbers in documents:
        votes, members = _count(rule, numbers), _members(rule, numbers)
        is_said_again = any(n.cents in votes and n not in members for n in numbers)
        if len(votes) < 2 and not is_said_again and len({member.key for member in members}) < 2:
            continue  # a number that stands alone confirms itself
        best = max(votes.values())
        for member in members:
            tries[member.key] += 1
            hits[member.key] += votes[member.cents] == best
    return {key: round((hits[key] + 0.5) / (tries[key] + 1.5), 3) for key in rule.weights}
