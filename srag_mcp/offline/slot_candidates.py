"""Candidates from running text: clusters of slots that are frequent and vary."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.clusters import cluster_slots
from srag_mcp.offline.keywords import group_by_keywords
from srag_mcp.offline.sentences import Token, tokens_of
from srag_mcp.offline.sightings import Sightings
from srag_mcp.offline.slot_rules import best_slot, learn_slot_rule, to_latest
from srag_mcp.offline.slots import Slot
from srag_mcp.schema.extractors import SlotRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import is_content
from srag_mcp.values.units import UNITS

_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.05
_MIN_DISTINCT = 3
_MAX_COMMON = 0.85
_OUTLIER_FACTOR = 6.0
_MAX_CLUSTERED = 120
_MAX_SLOTS = 6_000
_MIN_SLOTS = 40
_N_LABEL_WORDS = 4
_LABEL_SHARE = 0.4
_FAR_SHARE = 0.6
_MARKS = frozenset({"@score", "@stars"})
_USUAL = 0.8
_TELLING = 1.0
_OWNER_SHARE = 0.2
_QUOTE_CHARACTERS = 80
_MAX_PHRASE = 6
_BREAK = re.compile(r"[,;:()\[\].!?|•·/]")
_COPULAS = frozenset({"<!is", "<!are", "<!was", "<!wer", "<!at"})


def slot_candidates(sightings: Sequence[Sightings], asked: Collection[str] = ()) -> list[Candidate]:
    """Cluster the slots of *sightings* and learn a rule for each cluster worth one.

    *asked* are stems that sample questions use: labels prefer them.
    """
    documents = [sighting.slots for sighting in sightings]
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(documents)))
    step = max(1, -(-len(documents) // _MAX_CLUSTERED))
    sample = documents[::step]
    familiar = most_familiar(sample, max(_MIN_SLOTS, _MAX_SLOTS // max(1, len(sample))))
    clusters = group_by_keywords(cluster_slots(familiar), len(sample))
    candidates: list[Candidate] = []
    placements: list[dict[int, Slot]] = []
    for cluster in clusters:
        members = without_outliers(cluster.members)
        if len(members) * step >= floor and len(members) >= _MIN_DOCUMENTS and _varies(members):
            placed = {n * step: to_latest(slot, sample[n]) for n, slot in members.items()}
            candidates.append(_candidate(placed, documents, sightings))
            placements.append(placed)
    for candidate, placed in zip(candidates, placements, strict=True):
        others = {
            stem
            for other in candidates
            if other is not candidate and len(other.values) >= _OWNER_SHARE * len(documents)
            for stem, share in other.near.items()
            if share >= _LABEL_SHARE
        }
        candidate.label = _label(placed, sightings, candidate, set(asked) - others, asked)
        candidate.quotes = _quotes(placed, sightings)
    return sorted(candidates, key=lambda candidate: -len(candidate.values))


def most_familiar(documents: Sequence[Sequence[Slot]], most: int) -> list[list[Slot]]:
    """Keep at most *most* slots a document: those whose neighbours most documents have.

    Long documents hold hundreds of numbers, and only what recurs can become an attribute.
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


def _candidate(
    members: Mapping[int, Slot], documents: Sequence[Sequence[Slot]], sightings: Sequence[Sightings]
) -> Candidate:
    """Learn a candidate from the slots that say one fact."""
    rule = learn_slot_rule(members, documents)
    values: dict[int, str] = {}
    for number, slots in enumerate(documents):
        found = best_slot(rule, slots)
        if found is not None:
            values[number] = found.value.span.of(sightings[number].text)
    candidate = Candidate("slot", "", [rule], values, _words(members))
    candidate.near = _near_words(members, sightings)
    return candidate


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


def _words(members: Mapping[int, Slot]) -> Counter[str]:
    """Count the stems around the slots: near ones twice, those of the sentence once."""
    words: Counter[str] = Counter()
    for slot in members.values():
        for name in slot.features:
            if name[0] in "~<>" and name[1] != "!":
                words[name[1:]] += 1
            elif name[0] == "#":
                words.update(name[1:].split())
    return words


def _near_words(members: Mapping[int, Slot], sightings: Sequence[Sightings]) -> dict[str, float]:
    """Return the share of slots that have a stem where it says what they are.

    That is the phrase after the value ("38 small rooms"), but what stands before dates ("opened on
    3 May") and copulas ("the level is 139").
    """
    counts: Counter[str] = Counter()
    predicate = _is_predicate(members)
    for number, slot in members.items():
        if predicate:
            near = {n[1:].lstrip("!") for n in slot.features if n[0] == "<"}
            counts.update(stem for stem in near if is_content(stem))
        else:
            counts.update(_phrase_after(sightings[number].text, slot))
    return {stem: count / len(members) for stem, count in counts.items()}


def _phrase_after(text: str, slot: Slot) -> set[str]:
    """Return the stems of the content words that follow a value without a break."""
    start, phrase = slot.value.span.end, set()
    for token in tokens_of(text, Span(start, max(start, slot.sentence.end)))[:_MAX_PHRASE]:
        if not token.word.isdigit() and not is_content(token.word):
            break
        if _BREAK.search(text, start, token.start):
            break
        start = token.end
        if is_content(token.word):
            phrase.add(token.stem)
    return phrase


def _is_predicate(members: Mapping[int, Slot]) -> bool:
    if next(iter(members.values())).value.type == "date":
        return True
    after = sum(not _COPULAS.isdisjoint(slot.features) for slot in members.values())
    return 2 * after > len(members)


def _label(
    members: Mapping[int, Slot],
    sightings: Sequence[Sightings],
    candidate: Candidate,
    own: Collection[str],
    asked: Collection[str],
) -> str:
    """Take the words beside the value that most slots share, and what questions call it.

    They come in the order of a typical sentence; many are cut down to those of the questions
    (*asked*) and the last, which is what the value counts. Words further away count when no other
    candidate has them near (*own*).
    """
    rule = candidate.rules[0]
    weights = rule.weights if isinstance(rule, SlotRule) else {}
    number, slot = _typical(members, weights)
    shares = Counter(stem for slot in members.values() for stem in _stems(slot))
    tokens = [
        token
        for token in tokens_of(sightings[number].text, slot.sentence)
        if is_content(token.word) and len(token.word) > 2 and token.word not in UNITS
    ]
    stems = list(dict.fromkeys(token.stem for token in tokens))
    near = [stem for stem in stems if candidate.near.get(stem, 0.0) >= _LABEL_SHARE]
    common = [stem for stem in stems if shares[stem] >= _FAR_SHARE * len(members)]
    far = [stem for stem in common if stem in own and weights.get(f"~{stem}", 0.0) >= _TELLING]
    chosen = _shortened(near or [] if far else near or common, far, asked)
    candidate.full_label = _words_of(tokens, {*near, *common[:_N_LABEL_WORDS]})
    return _words_of(tokens, chosen)


def _quotes(members: Mapping[int, Slot], sightings: Sequence[Sightings]) -> tuple[str, ...]:
    """Return what stands around a first and a middle slot, cut at words."""
    ordered = sorted(members.items())
    chosen = [ordered[len(ordered) // 2], ordered[0]]
    quotes = [_quote(sightings[number].text, slot) for number, slot in chosen]
    return tuple(dict.fromkeys(quotes))


def _quote(text: str, slot: Slot) -> str:
    sentence, value = slot.sentence, slot.value.span
    start = max(sentence.start, value.start - _QUOTE_CHARACTERS)
    end = min(sentence.end, value.end + _QUOTE_CHARACTERS)
    words = " ".join(text[start:end].split())
    words = words if start == sentence.start else f"… {words.partition(' ')[2]}"
    return words if end == sentence.end else f"{words.rpartition(' ')[0]} …"


def _words_of(tokens: Sequence[Token], stems: Collection[str]) -> str:
    ordered = dict.fromkeys(token.word for token in tokens if token.stem in stems)
    return " ".join(list(ordered)[: _N_LABEL_WORDS + 1])


def _shortened(near: Sequence[str], far: Sequence[str], asked: Collection[str]) -> set[str]:
    if len(near) > _N_LABEL_WORDS - 1:
        near = [*[stem for stem in near if stem in asked], *near[-1:]]
    room = _N_LABEL_WORDS - len(set(near))
    return {*near, *[stem for stem in far if stem not in near][: max(room, 0)]}


def _stems(slot: Slot) -> set[str]:
    return {name[1:].lstrip("!") for name in slot.features if name[0] in "~<>"}


def _typical(members: Mapping[int, Slot], weights: Mapping[str, float]) -> tuple[int, Slot]:
    def points(item: tuple[int, Slot]) -> float:
        return sum(weights.get(name, 0.0) for name in item[1].features)

    return max(members.items(), key=points)
