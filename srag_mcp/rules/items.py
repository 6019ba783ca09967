"""Items: short statements that recur under a heading that recurs, such as lists of features."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from srag_mcp.cells.cell import Cell
from srag_mcp.rules.candidates import Candidate, Found
from srag_mcp.rules.kinship import content_stems, telling_stems
from srag_mcp.rules.sightings import Item, Sightings
from srag_mcp.schema.attribute import ItemRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import STOP_WORDS, fold_words, stem
from srag_mcp.values.states import State, denies

_MAX_STEMS = 4
_MIN_DOCUMENTS = 3
_MIN_SAID, _MAX_SAID, _MAX_FAMILY = 0.05, 0.97, 0.8  # of the documents that have the heading
_RECURRING = 0.2  # of the documents have the heading
_COVERED = 0.9  # of the statements stand below the heading
# Variants of one thing ("indoor pool", "rooftop pool") are alternatives: they rarely meet.
_MAX_TOGETHER = 0.15
# Of the documents that list one name of a thing most use the other, too; of those without it few.
_SPOKEN, _ABOVE_CHANCE = 0.5, 3.0
_SIGN_FACTOR = 1.5
_NAMES = 0.9
_SHORT = 3  # characters of a value that may as well be a word of something else
_MIN_SENTENCE = 5
_N_QUOTES = 4
_NO_NOUN = ("ed", "able", "ible")
_SENTENCE_ENDS = (".", "?", "!", ":")
_WORD = re.compile(r"(?<!\[)\b[^\W_][\w'’-]*")  # without the x of "[x]"
_VERB = re.compile(r"\b(?:is|are|was|were|will|has|have|had|been|be)\b", re.I)

Statement = tuple[int, Item]


@dataclass(slots=True)
class Topic:
    """What statements are about: the documents that say or deny it."""

    name: str
    stems: frozenset[str]
    statements: list[Statement] = field(default_factory=list)
    is_family: bool = False
    others: tuple[str, ...] = ()

    @property
    def said(self) -> dict[int, Item]:
        """The documents that say it, with where they do."""
        return {number: item for number, item in reversed(self.statements) if not item.negative}

    @property
    def told(self) -> dict[int, Item]:
        """The documents that say or deny it; to say it wins."""
        return dict(reversed(self.statements)) | self.said


def item_candidates(
    sightings: Sequence[Sightings], values: Collection[str] = ()
) -> list[Candidate]:
    """Find the statements that recur under recurring headings: a candidate (a boolean) each.

    *values* holds the folded values of columns of text: what says one of them is no column.
    """
    headings = recurring_headings(sightings)
    topics: dict[frozenset[str], Topic] = {}
    for number, item in _statements(sightings, headings):
        topic = topics.setdefault(item.stems, Topic(item.name, item.stems))
        topic.statements.append((number, item))
    found: dict[frozenset[int], Candidate] = {}  # by the documents that say it: one is enough
    long = [value for value in values if len(value) > _SHORT]
    kept = _with_other_names(_families(_with_longer(topics.values())), sightings)
    for topic in kept:
        sections = _sections(topic, sightings)
        n_headed = sum(bool(_listed(sighting, sections)) for sighting in sightings)
        most = _MAX_FAMILY if topic.is_family else _MAX_SAID
        is_usual = len(topic.told) >= max(_MIN_DOCUMENTS, _MIN_SAID * n_headed)
        is_fact = is_usual and 0 < len(topic.said) <= most * n_headed
        # beside what is but a label there is a value, and that is what the documents state
        is_label = 2 * sum(item.labels for _, item in topic.statements) > len(topic.statements)
        says_value = topic.name in values or any(
            f" {value} " in f" {topic.name} " for value in long
        )
        is_short = len(topic.stems) <= _MAX_STEMS
        if is_fact and is_short and not (says_value or is_label):
            found.setdefault(frozenset(topic.said), _candidate(topic, sections, sightings, kept))
    return list(found.values())


def recurring_headings(sightings: Sequence[Sightings]) -> set[str]:
    """Return the headings of lists, and the labels beside which several things are listed."""
    counts: Counter[str] = Counter()
    several: Counter[str] = Counter()
    for sighting in sightings:
        paths = Counter(item.path for item in sighting.items)
        listed = {item.path for item in sighting.items if item.listed}
        counts.update({heading for path in paths for heading in path})
        # a line alone below "Condition", there and elsewhere, is a value each time
        lists = listed | {path for path, count in paths.items() if count > 1}
        several.update({heading for path in lists for heading in path})
    least = max(2, _RECURRING * len(sightings))
    titles = {fold_words(sighting.document.title) for sighting in sightings}
    found = {section for section, n in counts.items() if n >= least and 2 * several[section] >= n}
    return found - titles - {""}


def _statements(sightings: Sequence[Sightings], headings: set[str]) -> list[Statement]:
    """Return what stands under *headings*, but for names: of people, places, products."""
    statements = [
        (number, item)
        for number, sighting in enumerate(sightings)
        for item in sighting.items
        if not headings.isdisjoint(item.path if item.listed else item.path[-1:])
        and not is_sentence(item.text)
    ]
    titles = {fold_words(sighting.document.title) for sighting in sightings}
    listed = Counter(item.path[-1] for _, item in statements)
    others = Counter(item.path[-1] for _, item in statements if item.name in titles)
    words: dict[str, list[str]] = defaultdict(list)
    for _, item in statements:
        said = _WORD.findall(item.text)[1:]  # the first is in capitals whatever it is
        if not item.negative:  # a name is not denied
            words[item.path[-1]].extend(w for w in said if w.casefold() not in STOP_WORDS)
    of_names = {
        heading
        for heading, said in words.items()
        if said
        and sum(word[0].isupper() for word in said) >= _NAMES * len(said)
        and not "".join(said).isupper()
    }
    of_names |= {heading for heading, n in others.items() if 2 * n > listed[heading]}
    return [(number, item) for number, item in statements if item.path[-1] not in of_names]


def is_sentence(text: str) -> bool:
    """Whether a statement is a whole sentence, which tells more than that something is there."""
    is_long = len(text.split()) >= _MIN_SENTENCE
    return text.rstrip().endswith(_SENTENCE_ENDS) or (is_long and _VERB.search(text) is not None)


def _with_longer(topics: Iterable[Topic]) -> list[Topic]:
    """Count longer statements for a shorter one that they contain, if both rarely meet."""
    found: list[Topic] = []
    for topic in sorted(topics, key=lambda item: (len(item.stems), item.name)):
        shorter = [t for t in found if _says(t.name, t.stems, topic.name, topic.stems)]
        alternatives = [other for other in shorter if _rarely_meet([other, topic])]
        if alternatives:
            alternatives[-1].statements.extend(topic.statements)
        else:
            found.append(topic)
    return found


def _says(name: str, stems: frozenset[str], longer: str, further: frozenset[str]) -> bool:
    """Whether a longer statement says a shorter one: all its words, a single one as its head."""
    return stems <= further and (len(stems) > 1 or stem(_head(longer)) == stem(_head(name)))


def _families(topics: Sequence[Topic]) -> list[Topic]:
    """Join statements with one noun as head ("rooftop pool", "indoor pool") that rarely meet."""
    heads: dict[frozenset[str], list[Topic]] = defaultdict(list)
    for topic in topics:
        heads[frozenset(content_stems(_head(topic.name)))].append(topic)
    found: list[Topic] = []
    for stems, members in heads.items():
        head = _head(members[0].name)
        if len(members) > 1 and not head.endswith(_NO_NOUN) and _rarely_meet(members):
            shortest = min(members, key=lambda topic: len(topic.stems))
            name = shortest.name if shortest.stems == stems else head
            everything = [said for topic in members for said in topic.statements]
            found.append(Topic(name, stems, everything, is_family=name == head))
        else:
            found.extend(members)
    return sorted(found, key=lambda topic: (-len(topic.told), topic.name))


def _with_other_names(topics: Sequence[Topic], sightings: Sequence[Sightings]) -> list[Topic]:
    """Join what is listed under two names: never both, and who lists one speaks of the other."""
    found: list[Topic] = []
    for topic in sorted(topics, key=lambda item: -len(item.said)):
        same = [other for other in found if _says_other(topic, other, sightings)]
        if len(same) == 1:
            same[0].statements.extend(topic.statements)
            same[0].others = (*same[0].others, topic.name)
        else:
            found.append(topic)
    return found


def _says_other(one: Topic, other: Topic, sightings: Sequence[Sightings]) -> bool:
    """Whether documents that list one of two things, and never both, speak of the other in text."""
    places = [{item.path[-1] for item in topic.said.values()} for topic in (one, other)]
    is_apart = not one.said.keys() & other.said.keys() and not one.stems & other.stems
    is_rare = min(len(one.said), len(other.said)) < _MIN_DOCUMENTS
    if is_rare or not is_apart or places[0].isdisjoint(places[1]):
        return False

    def tells(topic: Topic, sighting: Sightings) -> bool:
        is_listed = any(topic.stems <= item.stems for item in sighting.items)
        return not is_listed and sighting.speaks_of(topic.name)

    for listed, spoken in ((one, other), (other, one)):
        share = sum(tells(spoken, sightings[number]) for number in listed.said)
        if share >= _SPOKEN * len(listed.said) and share > 1:
            said = one.said.keys() | other.said.keys()
            silent = [sighting for n, sighting in enumerate(sightings) if n not in said]
            chance = sum(tells(spoken, sighting) for sighting in silent) / max(1, len(silent))
            return share >= _ABOVE_CHANCE * chance * len(listed.said)
    return False


def _rarely_meet(topics: Sequence[Topic]) -> bool:
    counts = Counter(number for topic in topics for number in topic.told)
    together = sum(count > 1 for count in counts.values())
    largest = max(len(topic.told) for topic in topics)
    return together <= _MAX_TOGETHER * min(largest, len(counts) - largest or 1)


def _head(name: str) -> str:
    """Return the last content word before a preposition or conjunction."""
    words = name.split()
    for word, following in pairwise(words):
        if following in STOP_WORDS and word not in STOP_WORDS:
            return word
    return next((word for word in reversed(words) if word not in STOP_WORDS), "")


def _sections(topic: Topic, sightings: Sequence[Sightings]) -> tuple[str, ...]:
    """Return the headings under which a document that has the thing would list it."""
    counts = Counter(heading for _, item in topic.statements for heading in item.path)
    over = {heading for heading, n in counts.items() if n >= _COVERED * len(topic.statements)}
    own = {item.path[-1] for _, item in topic.statements}
    beside: Counter[str] = Counter()
    for sighting in sightings:
        near = {item.path[-1] for item in sighting.items if not over.isdisjoint(item.path)}
        if not near.isdisjoint(own):
            beside.update(near)
    return tuple(sorted(own | {heading for heading, n in beside.items() if n > 1}))


def _listed(sighting: Sightings, sections: Collection[str]) -> list[Item]:
    """Return what a document lists below one of the headings."""
    return [item for item in sighting.items if item.path[-1] in sections]


def _known_beside(
    topic: Topic, sections: Collection[str], sightings: Sequence[Sightings]
) -> tuple[str, ...]:
    """Return what lists with the thing name more than once, and lists half of which are alike."""
    lists = [_listed(sighting, sections) for sighting in sightings]
    counts = Counter(stems for listed in lists for stems in {item.stems for item in listed})
    names: dict[frozenset[str], str] = {}
    waiting = {n for n, listed in enumerate(lists) if listed} - topic.told.keys()
    # a list of one thing cannot show that it is like others: that a fair share names it does
    often = _RECURRING * sum(map(bool, lists))
    alone = [
        n for n in waiting if len(said := _telling(lists[n])) == 1 and counts[said[0]] >= often
    ]
    new: Collection[int] = [*topic.told, *alone]
    while new:
        names |= {i.stems: i.name for n in new for i in lists[n] if counts[i.stems] > 1}
        new = [number for number in waiting if _is_known(lists[number], names.keys())]
        waiting.difference_update(new)
    return tuple(sorted({name for name in names.values() if name}))


@cache  # of one rule for all documents
def _named(names: tuple[str, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((name, telling_stems(name)) for name in names)


@cache
def _stems_of(names: tuple[str, ...]) -> frozenset[frozenset[str]]:
    return frozenset(stems for _, stems in _named(names))


def _telling(listed: Sequence[Item]) -> list[frozenset[str]]:
    """Return the stems of what a list names, without sentences."""
    return [item.stems for item in listed if item.stems and not is_sentence(item.text)]


def _is_known(listed: Sequence[Item], known: Collection[frozenset[str]]) -> bool:
    """Whether half of a list or more names what is known: as it is, or with another word."""
    told = _telling(listed)
    n_known = sum(s in known or any(frozenset({one}) in known for one in s) for s in told)
    return 0 < len(told) <= 2 * n_known


def _candidate(
    topic: Topic,
    sections: tuple[str, ...],
    sightings: Sequence[Sightings],
    others: Sequence[Topic],
) -> Candidate:
    names, signs = (topic.name, *topic.others), list[str]()
    if topic.others:  # words that hardly any document has without the thing: `fitness`
        words = dict.fromkeys(w for name in names for w in name.split() if w not in STOP_WORDS)
        most = _SIGN_FACTOR * len(topic.told)
        signs = [word for word in words if sum(s.speaks_of(word) for s in sightings) <= most]
    besides = [
        other.name
        for other in others
        if other is not topic and _says(topic.name, topic.stems, other.name, other.stems)
    ]
    known = _known_beside(topic, sections, sightings)
    rule = ItemRule(
        items=names, sections=sections, signs=tuple(signs), besides=tuple(besides), known=known
    )
    found = {n: Found("no" if i.negative else "yes", i.span) for n, i in topic.told.items()}
    stems = _stems_of(known)
    for number, sighting in enumerate(sightings):
        if number not in found and _is_known(_listed(sighting, sections), stems):
            found[number] = Found("no", Span(0, 0))
    texts = Counter(" ".join(item.text.split()) for _, item in topic.statements)
    quotes = tuple(text for text, _ in texts.most_common(_N_QUOTES))
    return Candidate("item", [*names], [rule], found, quotes=quotes)


def _is_prose(item: Item) -> bool:
    """Whether a statement is a whole sentence outside a list."""
    return not item.listed and item.text.rstrip().endswith(_SENTENCE_ENDS)


def read_item(rule: ItemRule, sightings: Sightings, name: str) -> Cell | None:
    """Find a statement of the rule; one that says so wins over one that denies it.

    A document that lists things below a heading of the rule, and not this one, has it not: it is
    stated absent, with the heading as evidence; so it is where a format that knows lists has an
    empty one there. Nothing is known where else it lists nothing there, or mostly what no other
    list names (in another language, perhaps), or where a statement has the words without being the
    thing ("parking garage" for `parking`, what the rule names *besides*), or is a whole sentence
    outside a list.
    """
    wanted, besides = _named(rule.items), _stems_of(rule.besides)
    sections = {*rule.sections, *filter(None, [rule.section])}
    listed = [x for x in sightings.statements if not sections or x.path[-1] in sections]
    denied: Cell | None = None
    for item in listed:
        if sections and _is_prose(item) and not item.negative:
            continue  # `A pool is planned.` tells more than that there is one
        if item.stems in besides:
            continue  # `sweet potatoes`, where they are a column of their own
        if any(_says(words, stems, item.name, item.stems) for words, stems in wanted):
            if not item.negative:
                return Cell(name, State.STATED, item.text, item.span)
            denied = denied or Cell(name, State.STATED_ABSENT, item.text, item.span)
    if not listed:
        lists = (x for x in sightings.document.listings if fold_words(x.name) in sections)
        empty = [x.span for x in lists if not x.rows]
        return Cell(name, State.STATED_ABSENT, "", empty[0]) if empty else None
    if denied is not None:
        return denied
    told = [item for item in listed if not _is_prose(item) or denies(item.text)]
    place = sightings.headings.get(told[0].path[-1]) if rule.sections and told else None
    if place is None or any(map(sightings.speaks_of, (*rule.items, *rule.signs))):
        return None
    is_like = not rule.known or _is_known(told, _stems_of(rule.known))
    if not (is_like or all(denies(item.text) for item in told)):
        return None
    words = place.of(sightings.text)
    return Cell(name, State.STATED_ABSENT, words, place, note=f"not listed under {words!r}")
