"""Candidates from running text: numbers and dates among words that recur."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from srag_mcp.rules.candidates import Candidate, Found, join_surest
from srag_mcp.rules.kinship import content_stems
from srag_mcp.rules.naming import IN_BRACKETS
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.slots import Slot, best_slot, learn_slot_rule, to_latest, told_apart
from srag_mcp.schema.attribute import SlotRule
from srag_mcp.text.words import (
    HELPING,
    JOINING,
    STOP_WORDS,
    fold_word,
    fold_words,
    is_content,
    plural,
    singular,
    stem,
)
from srag_mcp.values.numbers import AND, NO_VALUE, SIGN, SIGNS, hedge_in_text
from srag_mcp.values.quantities import read_number_words
from srag_mcp.values.units import CURRENCY_WORDS, UNITS, is_currency

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

_Slots = Mapping[int, Slot]


def slot_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Cluster the numbers and dates of *sightings* and learn a rule for each cluster worth one."""
    documents = [sighting.slots for sighting in sightings]
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(documents)))
    step = max(1, -(-len(documents) // _MAX_CLUSTERED))
    sample = documents[::step]
    familiar = _most_familiar(sample, max(_MIN_SLOTS, _MAX_SLOTS // max(1, len(sample))))
    found: list[tuple[Candidate, _Slots]] = []
    for cluster in cluster_slots(familiar):
        members = _without_outliers(cluster.members)
        if len(members) * step < floor or len(members) < _MIN_DOCUMENTS or not _varies(members):
            continue
        placed = {n * step: to_latest(slot, sample[n]) for n, slot in members.items()}
        if _are_ends(placed, sightings):
            continue
        is_date = next(iter(placed.values())).value.type == "date"
        is_marked = all(_MARKS & slot.features for slot in placed.values())
        if not is_date and not is_marked and not _is_running(placed, sightings):
            continue
        rule = learn_slot_rule(placed, documents)
        chosen = {n: slot for n, slots in enumerate(documents) if (slot := best_slot(rule, slots))}
        if _is_stable(placed, documents, chosen):
            near = Counter(
                word
                for slot in placed.values()
                for word in {name[1:].lstrip("!") for name in slot.features if name[0] in "<>"}
                if is_content(word)
            )
            candidate = Candidate("slot", [], [rule], _found(chosen, sightings))
            candidate.near = {name: count / len(placed) for name, count in near.items()}
            candidate.quotes = _quotes(placed, sightings)
            found.append((candidate, placed))
    phrases = [_phrases(placed, sightings) for _, placed in found]
    for own, (candidate, slots_of_one) in zip(phrases, found, strict=True):
        bound, others = _threshold(slots_of_one), list[dict[str, _Said]]()
        for said, (_, further) in zip(phrases, found, strict=True):
            may_be_taken = said is not own and bound in {"", _threshold(further)}
            if may_be_taken and slots_of_one.keys() & further.keys():
                others.append(said)
        labels = _labels(own, others, slots_of_one)
        candidate.labels = _with_deed(labels, own, slots_of_one, sightings)
        if not all(_MARKS & slot.features for slot in slots_of_one.values()):
            candidate.found = _found(_ask_for_name(candidate, slots_of_one, sightings), sightings)
    return [candidate for candidate, _ in found]


def _are_ends(members: _Slots, sightings: Sequence[Sightings]) -> bool:
    """Whether most values are but intended, or ends of where others lie: no column holds them."""
    hedges = (
        hedge_in_text(sightings[n].text, slot.value.span, is_day=slot.value.type == "date")
        for n, slot in members.items()
    )
    return 2 * sum(hedge in NO_VALUE for hedge in hedges) > len(members)


def _ask_for_name(
    candidate: Candidate, own: _Slots, sightings: Sequence[Sightings]
) -> dict[int, Slot]:
    """Let its rule take nothing that its name is not said of: `300 g rice` is no flour."""
    said = {name for slot in own.values() for name in slot.features if name[0] == "~"}
    named = {name for label in candidate.labels for name in content_stems(label)}
    needs = sorted(name for name in named if f"~{name}" in said)
    known = {"needs": tuple(needs), "told": _told(own, sightings, named)}
    rules = [rule for rule in candidate.rules if isinstance(rule, SlotRule)]
    (rule,) = [rule.model_copy(update=known) for rule in rules]
    candidate.rules = [rule]
    return {n: slot for n, it in enumerate(sightings) if (slot := best_slot(rule, it.slots))}


def _threshold(slots: _Slots) -> str:
    return next(iter(slots.values())).threshold


def _found(slots: _Slots, sightings: Sequence[Sightings]) -> dict[int, Found]:
    spans = {n: slot.value.span for n, slot in slots.items()}
    return {n: Found(span.of(sightings[n].text), span) for n, span in spans.items()}


def _most_familiar(documents: Sequence[Sequence[Slot]], most: int) -> list[list[Slot]]:
    """Keep at most *most* slots a document: those whose neighbours most documents have."""
    spread: Counter[str] = Counter()
    for slots in documents:
        spread.update({name for slot in slots for name in slot.features if name[0] in "<>@"})
    kept = []
    for slots in documents:
        points = [sum(spread[n] for n in s.features if n[0] in "<>@") for s in slots]
        chosen = sorted(range(len(slots)), key=lambda place: -points[place])[:most]
        kept.append([slots[place] for place in sorted(chosen)])
    return kept


def _without_outliers(members: _Slots) -> dict[int, Slot]:
    """Leave out numbers of another size or form: a cumulative total among daily figures."""
    marks = Counter(mark for slot in members.values() for mark in _MARKS & slot.features)
    usual = {mark for mark, count in marks.items() if count >= _USUAL * len(members)}
    members = {n: slot for n, slot in members.items() if usual <= slot.features}
    is_date = any(slot.value.type == "date" for slot in members.values())
    if is_date or len(members) < _MIN_DOCUMENTS:
        return dict(members)
    sizes = sorted(abs(slot.value.amount) for slot in members.values())
    low = sizes[len(sizes) // 20] / _OUTLIER_FACTOR
    high = min(sizes[-1 - len(sizes) // 20], 50 * median(sizes)) * _OUTLIER_FACTOR
    return {n: slot for n, slot in members.items() if low <= abs(slot.value.amount) <= high}


def _varies(members: _Slots) -> bool:
    counts = Counter(slot.value.amount for slot in members.values())
    if len(members) <= _MIN_DISTINCT:
        return len(counts) > 1
    return len(counts) >= _MIN_DISTINCT and max(counts.values()) <= _MAX_COMMON * len(members)


def _is_stable(members: _Slots, documents: Sequence[Sequence[Slot]], chosen: _Slots) -> bool:
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


def _is_running(members: _Slots, sightings: Sequence[Sightings]) -> bool:
    """Whether most values stand among words in lower case: not in an address, not in a heading."""
    n_running = 0
    for number, slot in members.items():
        text, value = sightings[number].text, slot.value.span
        before = _MARK.split(text[slot.sentence.start : value.start])[-1]
        behind = _MARK.split(text[value.start : slot.sentence.end])[0]
        n_running += any(m.group()[0].islower() for m in _LOWER.finditer(before + behind))
    return 2 * n_running > len(members)


def _quotes(members: _Slots, sightings: Sequence[Sightings]) -> tuple[str, ...]:
    """Return what stands around a middle and the first slot, cut at words."""
    ordered = sorted(members.items())
    quotes = []
    for number, slot in (ordered[len(ordered) // 2], ordered[0]):
        start = max(slot.sentence.start, slot.value.span.start - _QUOTE_CHARACTERS)
        end = min(slot.sentence.end, slot.value.span.end + _QUOTE_CHARACTERS)
        words = " ".join(sightings[number].text[start:end].split())
        words = words if start == slot.sentence.start else f"… {words.partition(' ')[2]}"
        quotes.append(words if end == slot.sentence.end else f"{words.rpartition(' ')[0]} …")
    return tuple(dict.fromkeys(quotes))


_WORD = re.compile(r"[^\W_]+(?:[-–’'][^\W_]+)*")
_CLAUSE = re.compile(r"[;:()\[\].!?|•·]|,\s")
_CLAUSES = re.compile(rf"{_CLAUSE.pattern}|\b(and|as well as|und|sowie)\b")
_FIGURE = re.compile(r"(?<!\w)(?<!\w-)\d")
_OTHER_FIGURE = re.compile(rf"(?<!\band )(?<!as well as )(?<!\bund )(?<!sowie ){_FIGURE.pattern}")
_OF = frozenset({"of", "de", "du", "der"})
_LEADING = JOINING - _OF - {"per", "and"}
_YEAR = re.compile(r"[12]\d{3}")
_BEING = re.compile(rf"\b(?:{'|'.join(sorted(HELPING - {'the', 'a', 'an'}))})\b", re.I)
# What has a subject of its own, or behind a value a verb, is another clause: `7 and had booked`.
_OTHER_SUBJECT = "|".join(sorted(STOP_WORDS - JOINING - HELPING))
_JOINED_BEFORE = re.compile(rf"\b(?:{AND})\s(?=(?:{_OTHER_SUBJECT})\b)", re.I)
_JOINED_BEHIND = re.compile(
    rf"\A\W*\b(?:{AND})\b|\b(?:{AND})\s(?=(?:{_OTHER_SUBJECT})\b|{_BEING.pattern})", re.I
)
_NO_NAME_ENDINGS = ("ed", "ing", "ly")
_PARTICIPLE = re.compile(r"\w+[^\We]ed")  # what was done, and not what a number counts
_DEED = re.compile(rf"({_PARTICIPLE.pattern}) ({'|'.join(sorted(_LEADING))}) ?\Z", re.I)
_OBJECT = re.compile(  # "he was keeper of the light in 1872", but "the mill opened in 1850"
    rf"\w\s(?:the|an?|{'|'.join(sorted(_LEADING | _OF))})\s[^\W\d][\w\s]*\Win\s*\Z", re.I
)
_MAX_PHRASE = 5
_N_AROUND = 8
_MIN_SAID = 0.4
_LENGTH_WEIGHTS = {1: 0.8, 2: 1.0, 3: 1.0, 4: 0.95, 5: 0.85}
_BEHIND, _BESIDE = 0.25, 0.5  # "218 new deaths": what a number counts stands behind it
_ELSEWHERE = 0.5
_DIMENSIONS = frozenset(["long", "wide", "high", "deep", "tall"])
_AFTER_MEASURE = _DIMENSIONS | {"away", "ago", "old", "later"}
_TO = frozenset(["from", "to"])
_WAY = _TO | {"away", "off"}


@dataclass(slots=True)
class _Said:
    """How often a phrase stands near values, right beside or behind them, cut, or led by a word."""

    count: int = 0
    n_beside: int = 0
    n_behind: int = 0
    n_cut: int = 0
    n_led: int = 0


def _phrases(members: _Slots, sightings: Sequence[Sightings]) -> dict[str, _Said]:
    """Return the phrases near the slots, folded, with how many slots have them, and where."""
    said: dict[str, _Said] = defaultdict(_Said)
    for number, slot in members.items():
        text, value = sightings[number].text, slot.value.span
        seen: set[str] = set()
        unit = slot.value.unit and re.search(r"(?<=[\d\s])[^\W\d_]\D*\Z", value.of(text))
        after = value.start + unit.start() if unit else value.end
        right, left = text[after : slot.sentence.end], text[slot.sentence.start : value.start]
        if (told := told_apart(text, value, slot.sentence)) and told[1]:
            right, left = told[0], ""  # what several share names none of them
        behind = _words(re.split(SIGN, right)[0], last=False)
        # "discharged (39 % of whom had died)" is no share of those discharged
        left = "" if behind and left.rstrip().endswith("(") else left
        before = _words(_without_counted(left) if slot.value.unit else left, last=True)
        if before and before[-1] in _OF and not any(map(_names, behind[:1])):
            before.pop()  # "the age of 54" is right beside it, "a total of 54 men" is not
        if before[1:] and before[-1] == "in" and _YEAR.fullmatch(value.of(text)):
            done = _words(_BEING.split(left)[-1], last=True)[:-1]  # "the mill was built in 1850"
            is_thing = _OBJECT.search(left) and not _PARTICIPLE.fullmatch(before[-2])
            before = done if len(done) < len(before) - 1 else [] if is_thing else before[-2:-1]
        if before[-1:] == ["by"] and slot.value.type != "date":
            before = []  # "the car had overstayed by 7 minutes": no measure of the car
        if slot.value.amount == 1 and behind and not slot.value.unit:
            behind[0] = plural(behind[0])
        for words, is_behind in ((behind, True), (before, False)):
            for phrase, distance, is_cut in _grams(words, is_behind):
                if phrase not in seen:
                    seen.add(phrase)
                    said[phrase].count += 1
                    is_led = is_behind and distance and words[distance - 1] in _LEADING
                    said[phrase].n_led += bool(is_led)
                    said[phrase].n_beside += distance == 0
                    said[phrase].n_behind += is_behind and distance == 0
                    said[phrase].n_cut += is_cut
    return {phrase: item for phrase, item in said.items() if item.count >= _MIN_SAID * len(members)}


def _told(members: _Slots, sightings: Sequence[Sightings], named: set[str]) -> tuple[str, ...]:
    """Return the words that the clauses of values share: what happened to what they count."""
    said = Counter[str]()
    for number, slot in members.items():
        text, value, sentence = sightings[number].text, slot.value.span, slot.sentence
        before = _CLAUSES.split(text[sentence.start : value.start])
        behind = _CLAUSES.split(_FIGURE.split(text[value.end : sentence.end])[0])
        words = _content(behind[0]) | _content("" if _FIGURE.search(before[-1]) else before[-1])
        is_joined = any((*before[-2:-1], *behind[1:2]))
        if is_joined and all("-" in word or stem(word) in named for word in words):
            # "14 men and 7 boys came": both did; of "21 shots, 4 on target" 4 were
            sides = (text[sentence.start : value.start], text[value.end : sentence.end])
            left, right = (IN_BRACKETS.sub("", " ".join(side.split())) for side in sides)
            behind = _OTHER_FIGURE.split(_CLAUSE.split(right)[0])
            words = _content(f"{_CLAUSE.split(left)[-1]} {behind[0]}")
        said.update(words)
    return tuple(sorted(word for word, n in said.items() if n >= _USUAL * len(members)))


def _content(text: str) -> set[str]:
    return {word for word in map(fold_word, _WORD.findall(text)) if is_content(word)}


def _without_counted(text: str) -> str:
    """Leave out what other numbers count, which a number with a unit does not: "one person"."""
    kept, is_counted = list[str](), False
    for word in text.split(" "):
        folded = fold_words(word)
        is_counted = read_number_words(folded or "-") is not None or (
            is_counted and _names(folded) and folded not in HELPING
        )
        kept += [] if is_counted else [word]
    return " ".join(kept)


def _words(stretch: str, *, last: bool) -> list[str]:
    """Return the folded words of the clause of a stretch that is next to the value."""
    clauses = _CLAUSE.split(stretch)
    clause = clauses[-1] if last else clauses[0]
    if last and len(clause.split()) < 2 and not _FIGURE.search("".join(clauses[-2:-1])):
        clause = " ".join(clauses[-2:])
    clause = _JOINED_BEFORE.split(clause)[-1] if last else _JOINED_BEHIND.split(clause)[0]
    found = [match.group() for match in _WORD.finditer(clause)]
    figures = [place for place, word in enumerate(found) if word[0].isdigit() and "-" not in word]
    if figures:  # what stands beyond another number belongs to that
        found = found[figures[-1] + 1 :] if last else found[: figures[0]]
    plain = [word for word in found if "-" not in word and not any(map(str.isdigit, word))]
    folded = [fold_words(word) for word in plain if fold_words(word) not in HELPING]
    if not last and figures and folded and (folded[-1] in _OF or _names(folded[-1])):
        # of "in 1754 at the age of 54" `age` is beside 54
        leads = [place for place, word in enumerate(folded) if word in _LEADING]
        folded = folded[: leads[-1]] if leads else folded
    return folded[-_N_AROUND:] if last else folded[:_N_AROUND]


def _grams(words: Sequence[str], is_behind: bool) -> Iterator[tuple[str, int, bool]]:
    """Yield the phrases that could be a name, with the number of words between it and the value."""
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _MAX_PHRASE) + 1):
            phrase = words[start:end]
            inner = phrase[1:-1]
            is_name = _names(phrase[0]) and _names(phrase[-1]) and not all(map(_is_unit, phrase))
            if (is_name or "per" in inner) and all(_names(w) or w in JOINING for w in inner):
                is_cut = start > 0 and _names(words[start - 1])
                yield " ".join(phrase), start if is_behind else len(words) - end, is_cut


def _names(word: str) -> bool:
    return is_content(word) and len(word) > 2 and word not in _AFTER_MEASURE


def _is_unit(word: str) -> bool:
    return word in UNITS or word in CURRENCY_WORDS or is_currency(word.upper())


def _labels(
    own: Mapping[str, _Said], others: Sequence[Mapping[str, _Said]], members: _Slots
) -> list[str]:
    """Return the phrases that name a value best, with one head."""
    features = Counter(name for slot in members.values() for name in slot.features)
    if features["@score"] >= _USUAL * len(members):
        return ["rating"]
    is_date = next(iter(members.values())).value.type == "date"
    points: dict[str, float] = {}
    # What stands beside the values of another column nearly as often names neither of them.
    shared = {
        phrase
        for phrase, said in own.items()
        for other in others
        if phrase in other and 2 * other[phrase].n_beside >= said.n_beside
    }
    for phrase, said in own.items():
        words = phrase.split()
        worth = said.count / len(members) * _LENGTH_WEIGHTS[len(words)]
        worth *= 1 + _BEHIND * said.n_behind / said.count
        worth *= 1 + _BESIDE * said.n_beside / said.count
        against = (
            words[-1].endswith(_NO_NAME_ENDINGS) and not is_date,
            said.n_cut > said.count / 2,
            said.n_led > said.count / 2,  # "34 km/h in the afternoon" is no afternoon
            # "stations report": what follows a plural is no name
            any(len(w) > 3 and w != singular(w) for w in words[:-1]) and not JOINING & {*words},
            # "patients in intensive": what follows a preposition is said whole
            bool(_LEADING & {*words})
            and any(
                p.startswith(f"{phrase} ") and 2 * x.count > said.count for p, x in own.items()
            ),
        )
        points[phrase] = worth * _ELSEWHERE ** sum(against)
    # the school of 180 pupils is no name of their number, though another one counts pupils, too
    counted, *further = (
        {p for p, x in one.items() if 2 * x.n_behind > x.count} for one in (own, *others)
    )
    values = [slot.value for slot in members.values()]
    if (
        counted
        and counted <= frozenset().union(*further)
        and all(value.unit is None and value.amount.is_integer() for value in values)
    ):
        shared, points = shared - counted, {phrase: points[phrase] for phrase in counted}
    ranked = sorted(points, key=lambda phrase: (phrase in shared, -points[phrase], phrase))
    is_year = 2 * features["<!in"] > len(members)
    is_year = is_year and all(_YEAR.fullmatch(f"{value.amount:g}") for value in values)
    labels = [p for p in ranked[:1] if is_date or is_year or not _PARTICIPLE.fullmatch(p)]
    for phrase in ranked[1:] if labels else ():
        # "patients in intensive care": `intensive care` says it, too; "people in Ulm": not `ulm`
        is_led = " " not in phrase and 2 * own[phrase].n_led > own[phrase].count
        is_head = stem(phrase.split()[-1]) == stem(labels[0].split()[-1])
        if is_head and not is_led and phrase not in shared:
            labels.append(phrase)
    labels = labels[:4]
    if labels and is_date and "date" not in labels[0].split():
        labels = [f"{label} date" for label in labels]
    tall = [word for word in _DIMENSIONS if 2 * features[f">!{word}"] > len(members)]
    labels = [f"{x} {y}" for x in labels for y in tall] or labels  # "the tunnel is 300 m long"
    if bound := _threshold(members):
        labels = [f"{label} {SIGNS[bound[0]]} {bound[1:]}" for label in labels]
    is_length = features["unit:length"] >= _USUAL * len(members)
    if is_length and 2 * sum(features[f">!{word}"] for word in _WAY) >= len(members):
        # "3 miles to Ulm": what stands before is no goal
        is_led = 2 * sum(features[f">!{word}"] for word in _TO) >= len(members)
        goals = [phrase for phrase in ranked if 2 * own[phrase].n_led > own[phrase].count]
        goals = goals[:1] if is_led else labels
        labels = [f"distance to {label}" for label in goals]
    return labels


def _with_deed(
    labels: list[str], own: Mapping[str, _Said], members: _Slots, sightings: Sequence[Sightings]
) -> list[str]:
    """Name what a number counts by what was done to it, where all sentences tell of that."""
    said = Counter[str]()
    for number, slot in members.items():
        left = sightings[number].text[slot.sentence.start : slot.value.span.start]
        said.update(" ".join(deed.groups()) for deed in _DEED.finditer(left))
    [(deed, n)] = said.most_common(1) or [("", 0)]
    are_counted = all(one in own and 2 * own[one].n_behind > own[one].count for one in labels)
    is_usual = are_counted and n >= _USUAL * len(members)
    return [f"{deed.lower()} {label}" for label in labels] if is_usual else labels


_POSITION_WEIGHTS = {"~": 0.7, "<": 1.2, ">": 1.5, "#": 0.5, "@": 2.5, "u": 1.5, "^": 0.35, "|": 1}
_NEXT_WORD_WEIGHT = 2.0
_MAX_FEATURES = 32
_MAX_CLUSTERS = 300
_MAX_REFRESHED = 32  # members, after which a centroid hardly moves
_JOIN_SIMILARITY = 0.6
_VARIANT_SIMILARITY = 0.30
_MAX_SHARED_DOCUMENTS = 0.2
_MAX_FACTOR = 6.0
_MIN_AMOUNT = 1e-9
_SIZE_POWER = 0.25
_LEAST_SHARE = 0.15
_FEWEST = 4
_MAX_ROUNDS = 16
_MAX_PER_DOCUMENT = 1.8
_SETTLED_SHARE = 0.1
_COMMON = 0.7
_MIN_COMMON = 2
_NEAR_BONUS = {">!": 1.5, ">": 1.25, "<": 1.15}
_MAX_DISTANCE = 1.5

Vector = dict[str, float]


@dataclass(slots=True)
class Cluster:
    """Slots that are taken for one fact: by document, and what they look like on average.

    *words* is what it is about, whatever the order of its words.
    """

    members: dict[int, Slot] = field(default_factory=dict)
    features: Counter[str] = field(default_factory=Counter)
    words: Vector = field(default_factory=dict)

    def add(self, document: int, slot: Slot) -> None:
        """Take *slot* in as what that document says."""
        self.members[document] = slot
        self.features.update(slot.features)

    def middle(self) -> float:
        """Return the size of the median amount."""
        return abs(median(slot.value.amount for slot in self.members.values()))


def cluster_slots(documents: Sequence[Sequence[Slot]]) -> list[Cluster]:
    """Group the slots of *documents* by what they are; types and thresholds are never mixed.

    Clusters of one wording come first, then what no cluster of one wording holds, grouped by the
    words that tell them apart, then what is left.
    """
    by_sort: dict[_Sort, list[list[Slot]]] = {}
    for index, slots in enumerate(documents):
        for slot in slots:
            rows = by_sort.setdefault(_sort_of(slot), [[] for _ in documents])
            rows[index].append(slot)
    clusters: list[Cluster] = []
    for rows in by_sort.values():
        weights, seeds = _FeatureWeights(rows), list[Cluster]()
        for _ in range(2):
            assigned = _assign_all(rows, seeds, weights)
            seeds = [cluster for cluster in assigned if len(cluster.members) > 1]
        clusters += _join_variants([c for c in assigned if c.members], weights)
    return group_by_keywords(clusters, len(documents))


_Sort = tuple[str, str]


def _sort_of(slot: Slot) -> _Sort:
    """Return the type of a slot, and the threshold under which it holds."""
    return slot.value.type, slot.threshold


class _FeatureWeights:
    """How much a feature tells: by its position, and by how few slots of the corpus have it."""

    def __init__(self, documents: Iterable[Iterable[Slot]]) -> None:
        slots, spread = Counter[str](), Counter[str]()
        n_slots = 0
        for found in documents:
            inside = Counter(name for slot in found for name in slot.features)
            n_slots += sum(1 for _ in found)
            slots.update(inside)
            spread.update(inside.keys())
        self._weights = {
            name: (_NEXT_WORD_WEIGHT if name[:2] == ">!" else _POSITION_WEIGHTS[name[0]])
            * math.log(1 + n_slots / (1 + count))
            for name, count in slots.items()
            if spread[name] > 1
        }

    def vector(self, features: Mapping[str, float]) -> Vector:
        """Return *features* weighted and of length one."""
        known = self._weights
        weighted = {n: known[n] * count for n, count in features.items() if n in known}
        if len(weighted) > _MAX_FEATURES:
            best = sorted(weighted, key=lambda name: (-weighted[name], name))[:_MAX_FEATURES]
            weighted = {name: weighted[name] for name in best}
        norm = math.sqrt(sum(value * value for value in weighted.values())) or 1.0
        return {name: value / norm for name, value in weighted.items()}


def _assign_all(
    documents: Sequence[Sequence[Slot]], seeds: Sequence[Cluster], weights: _FeatureWeights
) -> list[Cluster]:
    """Put each slot into the nearest cluster; the centroids of *seeds* stay where they are."""
    clusters = [Cluster() for _ in seeds]
    postings: dict[str, dict[int, float]] = defaultdict(dict)

    def refresh(number: int, features: Mapping[str, float]) -> None:
        for name, value in weights.vector(features).items():
            postings[name][number] = value

    for number, seed in enumerate(seeds):
        refresh(number, seed.features)
    for document, slots in enumerate(documents):
        found: list[tuple[float, int, int]] = []
        for position, slot in enumerate(slots):
            vector = weights.vector(dict.fromkeys(slot.features, 1.0))
            found += [(points, position, number) for number, points in _near(vector, postings)]
        placed: dict[int, int] = {}
        for _, position, number in sorted(found, reverse=True):
            if position not in placed and number not in placed.values():
                placed[position] = number
                cluster = clusters[number]
                cluster.add(document, slots[position])
                if number >= len(seeds) and len(cluster.members) <= _MAX_REFRESHED:
                    refresh(number, cluster.features)
        for position, slot in enumerate(slots):
            if position not in placed:
                clusters.append(Cluster({document: slot}, Counter(slot.features)))
                refresh(len(clusters) - 1, clusters[-1].features)
    return clusters


def _near(vector: Vector, postings: Mapping[str, Mapping[int, float]]) -> list[tuple[int, float]]:
    """Return the clusters that a slot is similar to, with how similar."""
    scores: dict[int, float] = defaultdict(float)
    for name, value in vector.items():
        for number, weight in postings.get(name, {}).items():
            scores[number] += value * weight
    return [(number, points) for number, points in scores.items() if points >= _JOIN_SIMILARITY]


def _join_variants(clusters: Sequence[Cluster], weights: _FeatureWeights) -> list[Cluster]:
    """Join clusters that say the same in other words, the most similar first."""
    ranked = sorted(clusters, key=lambda cluster: -len(cluster.members))
    several = [cluster for cluster in ranked[:_MAX_CLUSTERS] if len(cluster.members) > 1]
    for cluster in several:
        cluster.words = _word_vector(cluster, weights)

    def similarity(left: Cluster, right: Cluster) -> float:
        short, long = sorted((left.words, right.words), key=len)
        alike = sum(value * long.get(name, 0.0) for name, value in short.items())
        return alike * _may_be_one(left, right) if alike >= _VARIANT_SIMILARITY else 0.0

    def join(kept: Cluster, gone: Cluster) -> None:
        for document, slot in gone.members.items():
            if document not in kept.members:
                kept.add(document, slot)
        kept.words = _word_vector(kept, weights)

    return [*join_surest(several, similarity, join, _VARIANT_SIMILARITY), *ranked[len(several) :]]


def _word_vector(cluster: Cluster, weights: _FeatureWeights) -> Vector:
    words: Counter[str] = Counter()
    for name, count in cluster.features.items():
        if name[0] in "~u":
            words[name] += count
        elif name[0] in "<>" and name[1] != "!":
            words[f"~{name[1:]}"] += count
    return weights.vector(words)


def _may_be_one(left: Cluster, right: Cluster) -> float:
    """Return 1.0, less for amounts of another size; 0.0 where both cannot be one."""
    shared = len(left.members.keys() & right.members.keys())
    # mostly values of an earlier day, given for comparison
    past = [2 * c.features["@earlier"] > len(c.members) for c in (left, right)]
    if shared > _MAX_SHARED_DOCUMENTS * min(map(len, (left.members, right.members))):
        return 0.0
    if past[0] != past[1]:
        return 0.0
    if next(iter(left.members.values())).value.type == "date":
        return 1.0
    low, high = sorted((left.middle(), right.middle()))
    factor = max(1.0, high / max(low, _MIN_AMOUNT))
    return 0.0 if factor > _MAX_FACTOR else float(factor**-_SIZE_POWER)


_Located = tuple[int, Slot]
_Keyword = tuple[_Sort, str, str]  # sort and unit of the slot, and the word


def group_by_keywords(clusters: Sequence[Cluster], n_documents: int) -> list[Cluster]:
    """Return the clusters of one wording, new groups by keyword, and what is left of the others."""
    settled = [cluster for cluster in clusters if _is_settled(cluster, n_documents)]
    loose = [cluster for cluster in clusters if not _is_settled(cluster, n_documents)]
    left = [found for cluster in loose for found in cluster.members.items()]
    floor = max(_FEWEST, _LEAST_SHARE * n_documents)
    words: dict[_Keyword, list[_Located]] = defaultdict(list)
    for document, slot in left:
        unit = next((name for name in slot.features if name.startswith("unit:")), "")
        for word in sorted({n[1:].lstrip("!") for n in slot.features if n[0] in "~<>"} - {""}):
            words[_sort_of(slot), unit, word].append((document, slot))
    words = {keyword: group for keyword, group in words.items() if len(group) >= floor}
    groups: list[Cluster] = []
    gone: set[int] = set()
    while len(groups) < _MAX_ROUNDS and (chosen := _best_group(words, floor, gone)):
        groups.append(Cluster())
        for document, slot in chosen.items():
            groups[-1].add(document, slot)
            gone.add(id(slot))
    kept = [
        cluster
        for cluster in loose
        if 2 * sum(id(slot) not in gone for slot in cluster.members.values()) > len(cluster.members)
    ]
    return [*settled, *groups, *kept]


def _is_settled(cluster: Cluster, n_documents: int) -> bool:
    """Whether a cluster is large and its slots are worded alike."""
    n_members = len(cluster.members)
    if n_members < max(_FEWEST, _SETTLED_SHARE * n_documents):
        return False
    common = {n for n, count in cluster.features.items() if count >= _COMMON * n_members}
    near = [sum(n[0] in "<>" for n in slot.features & common) for slot in cluster.members.values()]
    return not _MARKS.isdisjoint(common) or median(near) >= _MIN_COMMON


def _best_group(
    words: Mapping[_Keyword, Sequence[_Located]], floor: float, gone: Collection[int]
) -> dict[int, Slot]:
    """Return the slots, one a document, that one word tells best; none below *floor*."""
    best, most = dict[int, Slot](), 0.0
    for (_, _, word), everything in words.items():
        group = [found for found in everything if id(found[1]) not in gone]
        spread = len({document for document, _ in group})
        if spread < floor or len(group) > _MAX_PER_DOCUMENT * spread:
            continue
        chosen: dict[int, Slot] = {}
        for document, slot in group:
            known = chosen.get(document)
            if known is None or _bonus(word, slot) > _bonus(word, known):
                chosen[document] = slot
        # decimal orders; days are numbers of one size
        sizes = {d: math.log10(max(abs(s.value.amount), 1e-6)) for d, s in chosen.items()}
        middle = median(sizes.values())
        chosen = {d: s for d, s in chosen.items() if abs(sizes[d] - middle) <= _MAX_DISTANCE}
        worth = sum(_bonus(word, slot) for slot in chosen.values()) * spread / len(group)
        if len(chosen) >= floor and worth > most:
            best, most = chosen, worth
    return best


def _bonus(word: str, slot: Slot) -> float:
    """Return how near the word stands to the value."""
    near = (bonus for mark, bonus in _NEAR_BONUS.items() if f"{mark}{word}" in slot.features)
    return next(near, 1.0)
