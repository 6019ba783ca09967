"""Candidates from lists: short statements that some documents make and others do not."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from srag_mcp.offline.candidates import Candidate
from srag_mcp.offline.sightings import Item, Sightings
from srag_mcp.offline.words import content_stems
from srag_mcp.schema.extractors import ItemRule
from srag_mcp.text.words import STOP_WORDS
from srag_mcp.text.words import fold_words as fold

_MAX_STEMS = 4
_MIN_DOCUMENTS = 3
_MIN_SHARE = 0.04
_MAX_SHARE = 0.985
_MAX_ITEMS = 60
_MAX_TOGETHER = 0.3
_MIN_VARIANTS = 2
_N_TEXTS = 4
_NO_NOUN_ENDINGS = ("ed", "able", "ible")
_SENTENCE_ENDS = (".", "?", "!", ":")
_TELLING_BOTH = 0.75


@dataclass(slots=True)
class Topic:
    """What a group of statements is about: in how many documents it is said or denied."""

    name: str
    stems: frozenset[str]
    said: set[int] = field(default_factory=set)
    denied: set[int] = field(default_factory=set)
    listed: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    longer: Counter[str] = field(default_factory=Counter)
    texts: dict[bool, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    @property
    def documents(self) -> set[int]:
        """Documents that say or deny it."""
        return self.said | self.denied


def item_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find the closed vocabulary of short statements: a candidate (a boolean) each."""
    topics = _topics(sightings)
    floor = max(_MIN_DOCUMENTS, round(_MIN_SHARE * len(sightings)))
    families = _families([topic for topic in topics if topic.listed or len(topic.said) >= floor])
    chosen = [
        topic
        for topic in _without_longer([*families, *topics])
        if (topic.listed or topic.denied)
        and len(topic.documents) >= floor
        and _tells_apart(topic, len(sightings))
    ]
    chosen = _without_doubles(chosen)
    chosen.sort(key=lambda topic: (-len(topic.documents), topic.name))
    return [_candidate(topic, len(sightings)) for topic in chosen[:_MAX_ITEMS]]


def _topics(sightings: Sequence[Sightings]) -> list[Topic]:
    """Collect statements by their stems; each also counts for shorter statements within it."""
    titles = {fold(sighting.document.title) for sighting in sightings}
    statements = [
        (number, item)
        for number, sighting in enumerate(sightings)
        for item in sighting.items
        if item.name not in titles and not item.text.rstrip().endswith(_SENTENCE_ENDS)
    ]
    topics: dict[frozenset[str], Topic] = {}
    for _, item in statements:
        if len(item.stems) <= _MAX_STEMS:
            topic = topics.setdefault(item.stems, Topic(item.name, item.stems))
            topic.listed += item.listed
            topic.labels[item.name] += 1
    _count(topics.values(), statements)
    return list(topics.values())


def _count(topics: Collection[Topic], statements: Sequence[tuple[int, Item]]) -> None:
    by_stem: dict[str, list[Topic]] = defaultdict(list)
    for topic in topics:
        by_stem[min(topic.stems)].append(topic)
    for number, item in statements:
        for topic in (topic for stem in item.stems for topic in by_stem[stem]):
            if topic.stems <= item.stems:
                topic.texts[item.negative][" ".join(item.text.split())] += 1
                topic.longer[item.name] += topic.stems < item.stems
                (topic.denied if item.negative else topic.said).add(number)


def _families(topics: Sequence[Topic]) -> list[Topic]:
    """Find statements with one head ("rooftop pool", "indoor pool") that rarely meet."""
    heads: dict[str, list[Topic]] = defaultdict(list)
    for topic in topics:
        head = _head(topic.name)
        if head and len(topic.stems) > 1 and not head.endswith(_NO_NOUN_ENDINGS):
            heads[head].append(topic)
    families = []
    for head, members in heads.items():
        family = Topic(head, frozenset(content_stems(head)))
        counts: Counter[int] = Counter()
        for topic in _without_longer(members):
            for denied, texts in topic.texts.items():
                family.texts[denied] += texts
            family.said |= topic.said
            family.denied |= topic.denied
            family.listed += topic.listed
            counts.update(topic.documents)
        together = sum(count > 1 for count in counts.values())
        if len(members) >= _MIN_VARIANTS and together <= _MAX_TOGETHER * len(counts):
            families.append(family)
    return families


def _head(name: str) -> str | None:
    """Return the last content word before a preposition or conjunction."""
    words = name.split()
    content = [word for word in words if word not in STOP_WORDS]
    for number, word in enumerate(words[1:], start=1):
        if word in STOP_WORDS and words[number - 1] not in STOP_WORDS:
            return words[number - 1]
    return content[-1] if content else None


def _without_longer(topics: Sequence[Topic]) -> list[Topic]:
    """Leave out statements that a shorter one contains: they count for it."""
    stems = [topic.stems for topic in topics]
    return [topic for topic in topics if not any(other < topic.stems for other in stems)]


def _without_doubles(topics: Sequence[Topic]) -> list[Topic]:
    seen: set[frozenset[str]] = set()
    kept = []
    for topic in topics:
        if topic.stems not in seen:
            seen.add(topic.stems)
            kept.append(topic)
    return kept


def _tells_apart(topic: Topic, n_documents: int) -> bool:
    return bool(topic.said) and len(topic.said) <= max(_MAX_SHARE * n_documents, 1)


def _candidate(topic: Topic, n_documents: int) -> Candidate:
    values = dict.fromkeys(topic.denied, "no") | dict.fromkeys(topic.said, "yes")
    words = Counter(dict.fromkeys(content_stems(topic.name), len(values)))
    label = topic.labels.most_common(1)[0][0] if topic.labels else topic.name
    candidate = Candidate("item", label, [ItemRule(items=(topic.name,))], values, words)
    candidate.full_label = topic.longer.most_common(1)[0][0] if topic.longer else ""
    said = [text for text, _ in topic.texts[False].most_common(_N_TEXTS)]
    denied = [text for text, _ in topic.texts[True].most_common(1)]
    candidate.quotes = (*said, *denied)
    told = len(topic.denied) > 0 and len(values) >= _TELLING_BOTH * n_documents
    candidate.absent_means = "unknown" if told else "false"
    return candidate
