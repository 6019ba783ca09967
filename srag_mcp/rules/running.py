"""Candidates from running text: numbers and dates among words that recur, names behind a phrase."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import median

from srag_mcp.rules.candidates import Candidate, Found
from srag_mcp.rules.clusters import cluster_slots
from srag_mcp.rules.keywords import group_by_keywords
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.slot_rules import best_slot, learn_slot_rule, to_latest
from srag_mcp.rules.slots import Slot
from srag_mcp.schema.extractors import SlotRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words, is_content, stem
from srag_mcp.values.names import MONTHS
from srag_mcp.values.units import CURRENCY_WORDS, SIZES, UNITS, is_currency

_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.1
_MIN_DISTINCT = 3
_MAX_COMMON = 0.85
_OUTLIER_FACTOR = 6.0
_MAX_CLUSTERED = 120
_MAX_SLOTS = 6_000
_MIN_SLOTS = 40
_MARKS = frozenset({"@score", "@stars"})
_USUAL = 0.8
_QUOTE_CHARACTERS = 80
# Of the cells that a rule reads, those that a rule learnt from the other half of the documents must
# read alike. Of 70 clusters of ten folders (hotels, reports, CVs, contracts, receipts, games, …)
# all but one whose cells are right 9 times in 10 reach 0.75, and none that reads by chance.
_STABLE = 0.75
_MIN_NAMED = 0.2
_MAX_SEVERAL = 0.15  # of the documents have several names beside the phrase
_MAX_NAMES = 12
_INNER_SHARE = 0.6


def slot_candidates(sightings: Sequence[Sightings], asked: Collection[str] = ()) -> list[Candidate]:
    """Cluster the numbers and dates of *sightings* and learn a rule for each cluster worth one.

    *asked* are stems that sample questions use: labels prefer them.
    """
    documents = [sighting.slots for sighting in sightings]
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(documents)))
    step = max(1, -(-len(documents) // _MAX_CLUSTERED))
    sample = documents[::step]
    familiar = most_familiar(sample, max(_MIN_SLOTS, _MAX_SLOTS // max(1, len(sample))))
    candidates: list[Candidate] = []
    placements: list[dict[int, Slot]] = []
    for cluster in group_by_keywords(cluster_slots(familiar), len(sample)):
        members = without_outliers(cluster.members)
        if len(members) * step < floor or len(members) < _MIN_DOCUMENTS or not _varies(members):
            continue
        placed = {n * step: to_latest(slot, sample[n]) for n, slot in members.items()}
        is_date = next(iter(placed.values())).value.type == "date"
        is_marked = all(_MARKS & slot.features for slot in placed.values())
        if not is_date and not is_marked and not _is_running(placed, sightings):
            continue
        if (candidate := _candidate(placed, documents, sightings)) is not None:
            candidates.append(candidate)
            placements.append(placed)
    phrases = [_phrases(placed, sightings) for placed in placements]
    for place, (candidate, placed) in enumerate(zip(candidates, placements, strict=True)):
        others = [other for n, other in enumerate(phrases) if n != place]
        candidate.labels, candidate.others = _labels(phrases[place], others, placed, asked)
        candidate.quotes = _quotes(placed, sightings)
    return candidates


def most_familiar(documents: Sequence[Sequence[Slot]], most: int) -> list[list[Slot]]:
    """Keep at most *most* slots a document: those whose neighbours most documents have.

    Long documents hold hundreds of numbers, and only what recurs can become a column.
    """
    spread: Counter[str] = Counter()
    for slots in documents:
        spread.update({name for slot in slots for name in slot.features if name[0] in "<>@"})
    kept = []
    for slots in documents:
        points = {
            id(slot): sum(spread[name] for name in slot.features if name[0] in "<>@")
            for slot in slots
        }
        chosen = {id(s) for s in sorted(slots, key=lambda s: -points[id(s)])[:most]}
        kept.append([slot for slot in slots if id(slot) in chosen])
    return kept


def without_outliers(members: Mapping[int, Slot]) -> dict[int, Slot]:
    """Leave out numbers of another size or form: a cumulative total among daily figures."""
    marks = Counter(mark for slot in members.values() for mark in _MARKS & slot.features)
    usual = {mark for mark, count in marks.items() if count >= _USUAL * len(members)}
    members = {n: slot for n, slot in members.items() if usual <= slot.features}
    slots = list(members.values())
    if slots[0].value.type == "date" or len(slots) < _MIN_DOCUMENTS:
        return dict(members)
    sizes = sorted(abs(slot.value.amount) for slot in slots)
    low = sizes[len(sizes) // 20] / _OUTLIER_FACTOR
    high = sizes[-1 - len(sizes) // 20]
    middle = median(sizes)
    high = max(min(high, middle * 50), middle) * _OUTLIER_FACTOR
    return {n: slot for n, slot in members.items() if low <= abs(slot.value.amount) <= high}


def _varies(members: Mapping[int, Slot]) -> bool:
    counts = Counter(slot.value.amount for slot in members.values())
    if len(members) <= _MIN_DISTINCT:
        return len(counts) > 1
    return len(counts) >= _MIN_DISTINCT and max(counts.values()) <= _MAX_COMMON * len(members)


def _candidate(
    members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]], sightings: Sequence[Sightings]
) -> Candidate | None:
    """Learn a candidate from the slots that say one fact; None where half of them say otherwise."""
    rule = learn_slot_rule(members, documents)
    chosen = {n: slot for n, slots in enumerate(documents) if (slot := best_slot(rule, slots))}
    if not _is_stable(members, documents, chosen):
        return None
    found = {
        n: Found(slot.value.span.of(sightings[n].text), slot.value.span)
        for n, slot in chosen.items()
    }
    return Candidate("slot", [], [rule], found, near=_near_words(members))


def _is_stable(
    members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]], chosen: Mapping[int, Slot]
) -> bool:
    """Whether rules that are learnt from either half of the documents read the same cells."""
    same = n_cells = 0
    for half in (0, 1):
        part = {n: slot for place, (n, slot) in enumerate(members.items()) if place % 2 == half}
        if len(part) < 2:
            return False
        known = [
            slots if n in part or n not in members else [] for n, slots in enumerate(documents)
        ]
        rule = learn_slot_rule(part, known)
        for number, slot in chosen.items():
            if number not in part:
                n_cells += 1
                other = best_slot(rule, documents[number])
                same += other is not None and other.value.span == slot.value.span
    return same >= _STABLE * n_cells


_MARK = re.compile(r"[;:|•·\n()]|,\s")
_LOWER = re.compile(r"\b[^\W\d_]{3,}\b")


def _is_running(members: Mapping[int, Slot], sightings: Sequence[Sightings]) -> bool:
    """Whether most values stand among words in lower case: not in an address, not in a heading."""
    n_running = 0
    for number, slot in members.items():
        text, value = sightings[number].text, slot.value.span
        before = _MARK.split(text[slot.sentence.start : value.start])[-1]
        behind = _MARK.split(text[value.start : slot.sentence.end])[0]
        n_running += any(m.group()[0].islower() for m in _LOWER.finditer(before + behind))
    return 2 * n_running > len(members)


def _near_words(members: Mapping[int, Slot]) -> dict[str, float]:
    """Return the share of slots that have a content word near them, by its stem."""
    counts: Counter[str] = Counter()
    for slot in members.values():
        near = {name[1:].lstrip("!") for name in slot.features if name[0] in "<>"}
        counts.update(word for word in near if is_content(word))
    return {name: count / len(members) for name, count in counts.items()}


# --- What a value in running text is called -----------------------------------------------------

_WORD = re.compile(r"[^\W_]+(?:[-–’'][^\W_]+)*")
_CLAUSE = re.compile(r"[;:()\[\].!?|•·]|,\s")
_INNER = frozenset(
    ["of", "in", "per", "to", "from", "for", "on", "at", "with", "by", "and", "de", "du", "der"]
)
_ELIDED = frozenset(
    ["the", "a", "an", "is", "are", "was", "were", "been", "be", "being", "has", "have", "had"]
)
_NO_NAME_ENDINGS = ("ed", "ing", "ly")
_MAX_PHRASE = 5
_N_AROUND = 8
_MIN_SAID = 0.4
_LENGTH_WEIGHTS = {1: 0.8, 2: 1.0, 3: 1.0, 4: 0.95, 5: 0.85}
_ASKED = 1.3
_BEHIND = 1.25  # "218 new deaths": what a number counts stands behind it
_ELSEWHERE = 0.5
_N_OTHERS = 6
_AFTER_MEASURE = frozenset(["away", "ago", "old", "long", "wide", "high", "deep", "tall", "later"])
_WAY = frozenset(["from", "to", "away", "off"])


def _phrases(members: Mapping[int, Slot], sightings: Sequence[Sightings]) -> dict[str, "_Said"]:
    """Return the phrases near the slots, folded, with how many slots have them, and where."""
    said: dict[str, _Said] = defaultdict(_Said)
    for number, slot in members.items():
        text, value = sightings[number].text, slot.value.span
        seen: set[str] = set()
        unit = re.search(r"[^\W\d_][^\d]*\Z", value.of(text))
        after = value.start + unit.start() if unit else value.end
        behind = _words(text[after : slot.sentence.end], last=False)
        before = _words(text[slot.sentence.start : value.start], last=True)
        for words, is_behind in ((behind, True), (before, False)):
            for phrase, distance, is_cut in _grams(words, is_behind):
                if phrase not in seen:
                    seen.add(phrase)
                    said[phrase].count += 1
                    said[phrase].n_beside += distance == 0
                    said[phrase].n_behind += is_behind and distance == 0
                    said[phrase].n_cut += is_cut
    return {phrase: item for phrase, item in said.items() if item.count >= _MIN_SAID * len(members)}


class _Said:
    """How often a phrase stands near values, right beside them, and right behind them."""

    def __init__(self) -> None:
        self.count = self.n_beside = self.n_behind = self.n_cut = 0


def _words(stretch: str, *, last: bool) -> list[str]:
    """Return the folded words of the clause of a stretch that is next to the value."""
    clauses = _CLAUSE.split(stretch)
    clause = clauses[-1] if last else clauses[0]
    if last and len(clause.split()) < 2 and len(clauses) > 1:
        clause = f"{clauses[-2]} {clause}"
    found = [match.group() for match in _WORD.finditer(clause)]
    figures = [place for place, word in enumerate(found) if word[0].isdigit() and "-" not in word]
    if figures:  # what stands beyond another number belongs to that
        found = found[figures[-1] + 1 :] if last else found[: figures[0]]
    plain = [word for word in found if "-" not in word and not any(map(str.isdigit, word))]
    folded = [fold_words(word) for word in plain if fold_words(word) not in _ELIDED]
    return folded[-_N_AROUND:] if last else folded[:_N_AROUND]


def _grams(words: Sequence[str], is_behind: bool) -> Iterator[tuple[str, int, bool]]:
    """Yield the phrases that could be a name, with the number of words between it and the value.

    The last tells whether the word before it belongs to it as well: "depth" of "snow depth".
    """
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _MAX_PHRASE) + 1):
            phrase = words[start:end]
            inner = phrase[1:-1]
            is_name = _names(phrase[0]) and _names(phrase[-1]) and not all(map(is_unit, phrase))
            if (is_name or "per" in inner) and all(_names(w) or w in _INNER for w in inner):
                is_cut = start > 0 and _names(words[start - 1])
                yield " ".join(phrase), start if is_behind else len(words) - end, is_cut


def _names(word: str) -> bool:
    return is_content(word) and len(word) > 2 and word not in _AFTER_MEASURE


def _labels(
    own: Mapping[str, _Said],
    others: Sequence[Mapping[str, _Said]],
    members: Mapping[int, Slot],
    asked: Collection[str],
) -> tuple[list[str], tuple[str, ...]]:
    """Return the phrases that name a value best: most of its slots have them, and others do not.

    Then further ones, for when another column has these.
    """
    kind = next(iter(members.values())).value.type
    features = Counter(name for slot in members.values() for name in slot.features)
    if features["@score"] >= _USUAL * len(members):
        return ["rating"], ()
    points: dict[str, float] = {}
    for phrase, said in own.items():
        words = phrase.split()
        worth = said.count / len(members) * _LENGTH_WEIGHTS[len(words)]
        worth *= 1 + (_BEHIND - 1) * said.n_behind / said.count
        worth *= 1 + 0.5 * said.n_beside / said.count
        if words[-1].endswith(_NO_NAME_ENDINGS) and kind != "date":
            worth *= _ELSEWHERE
        if said.n_cut > said.count / 2:
            worth *= _ELSEWHERE
        if any(map(_is_plural, words[:-1])) and not _INNER & {*words}:
            worth *= _ELSEWHERE  # "stations report": what follows a plural is no name
        rivals = [other[phrase].n_beside for other in others if phrase in other]
        if rivals and max(rivals) >= said.n_beside:
            worth *= _ELSEWHERE
        if any(stem(word) in asked for word in words):
            worth *= _ASKED
        points[phrase] = worth
    ranked = sorted(points, key=lambda phrase: (-points[phrase], phrase))
    labels = [ranked[0]] if ranked else []
    labels += [p for p in ranked[1:] if stem(p.split()[-1]) == stem(labels[0].split()[-1])][:3]
    if labels and kind == "date" and "date" not in labels[0].split():
        labels = [f"{label} date" for label in labels]
    if not labels:
        labels = _by_unit(members)
    is_length = features["unit:length"] >= _USUAL * len(members)
    is_way = sum(features[f">!{word}"] for word in _WAY) >= len(members) / 2
    if labels and is_length and is_way:
        labels = [f"distance to {label}" for label in labels]
    return labels, tuple(ranked[1:_N_OTHERS])


# What an amount without a word for it is, by the sort of its unit.
_DIMENSIONS = {
    "area": "area",
    "mass": "weight",
    "temperature": "temperature",
    "speed": "speed",
    "volume": "volume",
}


def _by_unit(members: Mapping[int, Slot]) -> list[str]:
    units = {slot.value.unit for slot in members.values()}
    kinds = {SIZES[unit][0] for unit in units if unit in SIZES}
    return [_DIMENSIONS[kind] for kind in kinds if len(units) == 1 and kind in _DIMENSIONS]


def is_unit(word: str) -> bool:
    """Whether a folded word is a unit or a currency, which names no fact."""
    return word in UNITS or word in CURRENCY_WORDS or is_currency(word.upper())


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _quotes(members: Mapping[int, Slot], sightings: Sequence[Sightings]) -> tuple[str, ...]:
    """Return what stands around a first and a middle slot, cut at words."""
    ordered = sorted(members.items())
    chosen = [ordered[len(ordered) // 2], ordered[0]]
    quotes = [quote(sightings[n].text, slot.value.span, slot.sentence) for n, slot in chosen]
    return tuple(dict.fromkeys(quotes))


def quote(text: str, value: Span, sentence: Span) -> str:
    """Return a value with what stands around it in its sentence, cut at words."""
    start = max(sentence.start, value.start - _QUOTE_CHARACTERS)
    end = min(sentence.end, value.end + _QUOTE_CHARACTERS)
    words = " ".join(text[start:end].split())
    words = words if start == sentence.start else f"… {words.partition(' ')[2]}"
    return words if end == sentence.end else f"{words.rpartition(' ')[0]} …"


# --- Names -------------------------------------------------------------------------------------


def name_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the phrases beside which many documents have a name, and not all the same."""
    found: dict[str, dict[int, Slot]] = defaultdict(dict)
    several: Counter[str] = Counter()
    for number, sighting in enumerate(sightings):
        texts: dict[str, set[str]] = defaultdict(set)
        for slot in sighting.named:
            for phrase in slot.features:
                found[phrase].setdefault(number, slot)
                texts[phrase].add(slot.value.span.of(sighting.text))
        several.update({phrase: int(len(own) > 1) for phrase, own in texts.items()})
    least = max(_MIN_DOCUMENTS, _MIN_NAMED * len(sightings))
    frequent = {
        phrase: own
        for phrase, own in found.items()
        if len(own) >= least
        and several[phrase] <= _MAX_SEVERAL * len(own)
        and _tells(phrase)
        and _names_vary(own, sightings)
    }
    candidates: list[Candidate] = []
    taken: list[dict[int, Span]] = []
    for phrase in sorted(frequent, key=lambda item: _surest(item, frequent)):
        spans = {number: slot.value.span for number, slot in frequent[phrase].items()}
        if not any(_overlap(spans, other) for other in taken):
            taken.append(spans)
            candidates.append(_name_candidate(phrase, frequent[phrase], sightings))
    return candidates[:_MAX_NAMES]


def _surest(phrase: str, frequent: Mapping[str, Mapping[int, Slot]]) -> tuple[int, int, str]:
    """Order phrases by their documents; "the laws of the * of" before the "laws of the" in it."""
    count = len(frequent[phrase])
    if phrase.endswith("* of"):
        outer = phrase.removesuffix(" * of")
        if outer in frequent and count >= _INNER_SHARE * len(frequent[outer]):
            count = len(frequent[outer]) + 1
    return -count, len(phrase), phrase


def _tells(phrase: str) -> bool:
    words = [word for word in phrase[2:].split() if word != "*"]
    behind = phrase.startswith("=>")
    return any(_names(word) for word in words) and (not behind or _names(words[-1]))


def _names_vary(own: Mapping[int, Slot], sightings: Sequence[Sightings]) -> bool:
    counts = Counter(fold_words(s.value.span.of(sightings[n].text)) for n, s in own.items())
    if sum(name in MONTHS for name in counts) > len(counts) / 2:
        return False
    return len(counts) >= _MIN_DISTINCT and max(counts.values()) <= 0.6 * len(own)


def _overlap(left: Mapping[int, Span], right: Mapping[int, Span]) -> bool:
    shared = left.keys() & right.keys()
    same = sum(left[n].start < right[n].end and right[n].start < left[n].end for n in shared)
    return 2 * same > min(len(left), len(right))


def _name_candidate(
    phrase: str, own: Mapping[int, Slot], sightings: Sequence[Sightings]
) -> Candidate:
    rule = SlotRule(value_type="name", weights={phrase: 1.0}, threshold=1.0)
    found = {
        n: Found(slot.value.span.of(sightings[n].text), slot.value.span) for n, slot in own.items()
    }
    words = [word for word in phrase[2:].split() if word != "*"]
    while words and not _names(words[0]):
        words.pop(0)
    while words and not _names(words[-1]) and words[-1] != "by":
        words.pop()
    ordered = sorted(own.items())
    quotes = [quote(sightings[n].text, s.value.span, s.sentence) for n, s in ordered[:2]]
    return Candidate("name", [" ".join(words)], [rule], found, quotes=tuple(quotes))
