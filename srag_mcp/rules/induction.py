"""Induction: a schema from a sample of documents, without a model. Source: DESIGN 8."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.documents.document import Document, spread_evenly
from srag_mcp.documents.table_files import ColumnSample, ListedMembers
from srag_mcp.names.uniting import closed_set
from srag_mcp.rules.candidates import (
    LONG_VALUE,
    NEARLY_ALL,
    SHOWN,
    Candidate,
    amount_of,
    join_layouts,
    join_told_twice,
)
from srag_mcp.rules.child_tables import count_listed, find_listed_cells, induce_children
from srag_mcp.rules.items import is_sentence, item_candidates, recurring_headings
from srag_mcp.rules.kinship import content_stems, is_same_name, kin_of, kinship
from srag_mcp.rules.labels import label_candidates, vote_candidates
from srag_mcp.rules.naming import (
    describe,
    examples_of,
    find_nouns,
    free_name,
    nouns_of_names,
    unique_labels,
)
from srag_mcp.rules.places import place_candidates
from srag_mcp.rules.running import slot_candidates
from srag_mcp.rules.sightings import Sightings, is_plain_value
from srag_mcp.rules.table_columns import are_rows, row_candidates, with_columns, with_lists
from srag_mcp.schema.attribute import Attribute, Extractor, ItemRule, KeyRule, PlaceRule, keys_of
from srag_mcp.schema.schema import ListName, Schema, Table
from srag_mcp.text.spans import Spans
from srag_mcp.text.words import content_words, fold_words, singular, stem, stems
from srag_mcp.values.dates import find_dates
from srag_mcp.values.numbers import read_number
from srag_mcp.values.quantities import find_quantities
from srag_mcp.values.states import read_missing
from srag_mcp.values.units import SIZES

_MAX_SAMPLE = 200
_MAX_COLUMNS = 28  # as many as a person looks through
_ASKED_SHARE = 0.1
_MIN_KNOWN = 3
_MIN_TEMPLATES = 5
_TEMPLATE_SHARE = 0.4
_ALONE = 0.75
_SURE_KEY = 0.6
_ORDER = ("label", "place", "slot", "item")


def induce_schema(
    documents: Sequence[Document], *, title: str, entity: str, questions: Sequence[str] = ()
) -> Schema:
    """Find out what each document of a corpus describes.

    Args:
        documents: A varied sample; of more than a few hundred, evenly spaced ones are looked at.
        title: What one record is, for people.
        entity: The name of the record table.
        questions: Sample questions: they choose among what documents state, and invent nothing.
    """
    sample = spread_evenly(documents, _MAX_SAMPLE)
    sightings = list(map(Sightings, sample))
    candidates = _harvest(sightings, questions)
    chosen = _choose(candidates, len(sample))
    heads = [listing.name for document in sample for listing in document.listings]
    nouns = _without_heads(find_nouns(sightings, entity, questions, chosen), heads)
    labels = unique_labels(chosen, len(sample), nouns)
    taken = {fold_words(label) for label in (*labels, *(c.label for c in candidates))}
    owners: dict[str, Candidate] = {}  # a phrase of several columns is that of the fullest
    for candidate in sorted(chosen, key=lambda item: -len(item.found)):
        for label in candidate.labels:
            owners.setdefault(fold_words(label), candidate)
    attributes: list[Attribute] = []
    columns: dict[str, Candidate] = {}
    for candidate, label in zip(chosen, labels, strict=True):
        if not label:
            continue
        name, guess = free_name(label, {item.name for item in attributes}), candidate.guess
        synonyms = [
            word
            for word in dict.fromkeys(map(fold_words, candidate.labels))
            if _is_synonym(word, name) and word not in taken and owners[word] is candidate
        ]
        columns[name] = candidate
        attributes.append(
            Attribute(
                name=name,
                type=guess.type,
                description=describe(candidate, label, len(sample)),
                unit=guess.unit,
                examples=() if candidate.origin == "item" else examples_of(candidate.texts),
                categories=closed_set(guess.categories),
                synonyms=tuple(synonyms[:10]),
                extractors=tuple(candidate.rules),
            )
        )
    attributes = [_places_apart(attribute, attributes) for attribute in attributes]
    schema = Schema(title=title, entity=entity, nouns=nouns, attributes=tuple(attributes))
    schema = induce_children(schema, sightings)
    # One fact, one place: what columns say of items, yes or no, is not listed in a table as well;
    # items that have parts are rows first.
    schema = _without_told(schema, [child for child in schema.children if not child.of_values])
    cells = [*map(Spans, find_listed_cells(schema, sightings))]
    counts = count_listed(schema, sightings)
    kept = tuple(
        attribute
        for attribute in schema.attributes
        if not _is_listed(found := columns[attribute.name], cells)
        and not any(_is_count(found, own) for own in counts)
    )
    schema = _without_told(schema.model_copy(update={"attributes": kept}))
    listed = [child.list_name for child in schema.children]
    own = _without_heads(nouns, listed)
    # what only the folder is called, and documents list: who counts these counts no records
    folder = _without_heads(entity.split("_")[-1:], (*listed, *own))
    many = (x for x in sorted(recurring_headings(sightings)) if folder and singular(x) != x)
    told = (ListName(name=x, holds="things") for x in many if not _without_heads(folder, [x]))
    return schema.model_copy(update={"nouns": own, "lists": (*schema.lists, *told)})


def _without_heads(nouns: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Leave out the nouns that end the *names* of lists: these are called so, and no record is."""
    listed = {
        singular(word)
        for name in names
        for word in content_words(name.replace(".", " ").replace("_", " "))[-1:]
    }
    return tuple(noun for noun in nouns if singular(noun) not in listed)


def _places_apart(attribute: Attribute, others: Sequence[Attribute]) -> Attribute:
    """Let the first date of a document be none that stands beside the label of another column."""
    keys = {key for item in others if item.type.is_date for key in keys_of(item.extractors)}
    keys -= {*keys_of(attribute.extractors)}
    rules = (
        rule.model_copy(update={"skip": (*rule.skip, *sorted(keys))})
        if isinstance(rule, PlaceRule) and rule.place == "first_date"
        else rule
        for rule in attribute.extractors
    )
    return attribute.model_copy(update={"extractors": tuple(rules)})


def _without_told(schema: Schema, rows_first: Sequence[Table] = ()) -> Schema:
    """Leave out the lists whose items columns tell, yes or no, but for *rows_first*."""
    rules = [rule for attribute in schema.attributes for rule in attribute.extractors]
    own = [rule for rule in rules if isinstance(rule, ItemRule)]
    told = {section for rule in own for section in (rule.section, *rule.sections)} - {None}
    children = tuple(
        child
        for child in schema.children
        if child in rows_first or not told & {item.section for item in child.sources}
    )
    return schema.model_copy(update={"children": children})


def _is_listed(candidate: Candidate, listed: Sequence[Spans]) -> bool:
    """Whether most of what a column would hold are cells of items that a child table holds."""
    said = {n: f.span for n, f in candidate.found.items() if f.span.start < f.span.end}
    return 2 * sum(listed[n].overlap(span) for n, span in said.items()) > len(said)


def _is_count(candidate: Candidate, n_rows: Mapping[int, int]) -> bool:
    """Whether some sentences tell how many things are listed, which more documents show."""
    said = {n: amount_of(f.text) for n, f in candidate.found.items() if n in n_rows}
    is_less = candidate.origin == "slot" and len(candidate.found) < len(n_rows)
    n_equal = sum(amount == n_rows[n] for n, amount in said.items())
    return is_less and n_equal >= max(2, NEARLY_ALL * len(candidate.found))


def _is_synonym(label: str, name: str) -> bool:
    """Whether a label is another phrase for a column: whole words without figures."""
    is_plain = all(len(word) > 1 and word.isalpha() for word in label.split())
    return label.replace(" ", "_") != name and bool(content_words(label)) and is_plain


def induce_columns(
    columns: Sequence[ColumnSample],
    lists: Sequence[ListedMembers],
    *,
    title: str,
    entity: str,
    file: str = "",
) -> Schema:
    """Describe the rows of table files; *title* and *entity* as for `induce_schema`.

    *file* is the name of the one that all are of; empty where there are several.
    """
    nouns = _without_heads(nouns_of_names(entity, file), [item.name for item in lists])
    schema = Schema(title=title, entity=entity, nouns=nouns)
    return with_lists(with_columns(schema, columns), lists)


def _harvest(sightings: Sequence[Sightings], questions: Sequence[str]) -> list[Candidate]:
    """Collect what the documents state, each fact once."""
    documents = [sighting.document for sighting in sightings]
    if are_rows(documents):
        return row_candidates(documents)
    asked = {name for question in questions for name in content_stems(question)}
    votes = [candidate for candidate in vote_candidates(sightings) if _is_plain(candidate)]
    places = place_candidates(sightings)
    for candidate in places:
        candidate.is_guess = _is_any_date(candidate, sightings)
    weights = [rule.weights for c in votes for rule in c.rules if isinstance(rule, KeyRule)]
    covered = {key for own in weights for key, weight in own.items() if weight > _SURE_KEY}
    labels = [
        candidate
        for candidate in label_candidates(sightings)
        if not any(isinstance(r, KeyRule) and covered & {*r.keys} for r in candidate.rules)
    ]
    stated = [*votes, *labels, *slot_candidates(sightings)]
    stated = _without_values_as_labels([one for one in stated if _is_plain(one)], places)
    twice = join_told_twice([*stated, *places])
    joined = [
        candidate
        for candidate in join_told_twice(join_layouts(twice, len(sightings)))
        if candidate.labels and not candidate.is_guess
    ]
    joined = [candidate for candidate in joined if not _repeats_place(candidate, joined)]
    texts = [candidate.values() for candidate in joined if candidate.guess.type.is_text]
    values = {text for own in texts for text in own if not text.isdigit()}
    found = [*joined, *item_candidates(sightings, values)]
    for candidate in found:  # how much the sample questions say its words
        stems = [{*content_stems(label)} for label in candidate.labels]
        candidate.asked = max((len(own & asked) / len(own) for own in stems if own), default=0.0)
    return found


def _without_values_as_labels(
    candidates: Sequence[Candidate], places: Sequence[Candidate]
) -> list[Candidate]:
    """Leave out what stands beside a value of another column: "Anna Berg: 3 votes"."""
    said: Counter[str] = Counter()
    for candidate in (*candidates, *places):
        if candidate.guess.type.is_text and candidate.origin != "slot":
            said.update(candidate.values())
    values = {f" {value} ": n for value, n in said.items() if n > 1 and len(value) > 2}

    def is_beside_value(candidate: Candidate) -> bool:
        label, n_found = f" {fold_words(candidate.label)} ", len(candidate.found)
        return any(value in label and n >= n_found for value, n in values.items())

    return [candidate for candidate in candidates if not is_beside_value(candidate)]


def _is_any_date(candidate: Candidate, sightings: Sequence[Sightings]) -> bool:
    """Whether nothing but its place speaks for a date, and most documents have several."""
    if not candidate.guess.type.is_date:
        return False
    alone: Counter[int] = Counter()
    n_lone = 0
    for number, found in candidate.found.items():
        sighting = sightings[number]
        n_lone += len({day.on() for _, day in find_dates(sighting.text)}) == 1
        alone.update(n for n, line in enumerate(sighting.first_lines) if line == found.span)
    return max(n_lone, *alone.values(), 0) < _ALONE * len(candidate.found)


def _repeats_place(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether a text is but a part of a title, of its own document or of another one."""
    if not candidate.guess.type.is_text or candidate.origin == "place":
        return False
    texts = {n: f" {fold_words(found.text)} " for n, found in candidate.found.items()}
    is_shared = candidate.origin == "label" and len({*texts.values()}) < NEARLY_ALL * len(texts)
    for other in (other for other in others if other.label == "title"):
        titles = {n: f" {fold_words(found.text)} " for n, found in other.found.items()}
        n_within = sum(any(text in title for title in titles.values()) for text in texts.values())
        both = texts.keys() & titles.keys()
        is_own = sum(texts[n] in titles[n] for n in both) >= NEARLY_ALL * len(both)
        if n_within >= max(2, NEARLY_ALL * len(texts)) and not (is_shared and is_own):
            return True
    return False


def _is_plain(candidate: Candidate) -> bool:
    """Whether the values of a candidate are of one kind, short, and not all the same."""
    texts, kind = candidate.texts, candidate.guess.type
    is_constant = len(texts) > 1 and len(set(candidate.plain.values())) < 2
    if not texts or is_constant:
        return False
    if kind.is_boolean:
        return True
    is_long = sorted(map(len, texts))[len(texts) // 2] > LONG_VALUE
    # beside a label `54 min.` is a number; behind words it is how a sentence ends
    is_said = 2 * sum(is_sentence(t) and not is_plain_value(t) for t in texts)
    if is_long or is_said > len(texts):
        return False
    if not kind.is_text:  # one that cannot be read does not make a column of numbers a text
        given = [t for t in candidate.exact if read_missing(t, candidate.label) is None]
        n_other = round((1 - candidate.guess.share) * len(given))
        if kind.is_numeric and 2 * (len(given) - n_other) > len(texts):
            # `not measured`, `to be set`: there is no number, and the cell says so
            n_other -= sum(not any(map(str.isdigit, t)) and read_number(t) is None for t in given)
        return n_other <= max(len(texts) > _MIN_KNOWN, (1 - NEARLY_ALL) * len(texts))
    if _is_template(texts):
        return False
    figures = 0  # a number or a date, and nothing else
    for text in texts:
        spans = [span for span, _ in (*find_dates(text), *find_quantities(text))]
        figures += any(len(text.strip()) - (span.end - span.start) <= 1 for span in spans)
    return min(figures, len(texts) - figures) <= (1 - NEARLY_ALL) * len(texts)


def _is_template(values: Sequence[str]) -> bool:
    """Whether texts are one sentence with changing names in it, which are facts of their own."""
    texts = [fold_words(value).split() for value in dict.fromkeys(values)]
    if len(texts) < _MIN_TEMPLATES or sum(map(len, texts)) < _MIN_TEMPLATES * len(texts):
        return False
    counts = Counter(word for text in texts for word in set(text))
    constant = {word for word, count in counts.items() if count >= NEARLY_ALL * len(texts)}
    shares = sorted(sum(word in constant for word in text) / max(1, len(text)) for text in texts)
    return shares[len(shares) // 2] >= _TEMPLATE_SHARE


def _choose(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Keep the candidates that are columns; what most documents state first, booleans last."""

    def rank(candidate: Candidate) -> float:
        n_told = sum(found.text != "no" for found in candidate.found.values())
        return candidate.asked + 0.5 * n_told / n_documents

    found = [
        c
        for c in candidates
        if c.share(n_documents) >= (_ASKED_SHARE if c.asked >= 1 else SHOWN)
        and content_words(c.label)
        and _is_plain(c)
    ]
    ranked = sorted(found, key=lambda c: (c.asked < 1, c.origin == "item", -rank(c)))
    first = {"title", "name", "company"}
    return sorted(
        ranked[:_MAX_COLUMNS],
        key=lambda c: (
            c.guess.type.is_boolean,
            -1 if c.label in first else _ORDER.index(c.origin),
            -rank(c),
        ),
    )


# Found by trial at 16a3ebc on the hand-written schemas of hotels, CVs, reports, receipts and
# contracts: below 0.8 points pairs are right by chance.
_MIN_POINTS = 0.8
_FALLBACK_SHARE = 0.5
_MAX_RULES = 5
_NAME_WEIGHT, _KIN_WEIGHT, _DESCRIPTION_WEIGHT = 1.0, 0.6, 0.25
_EXAMPLE_POINTS, _UNIT_POINTS = 2.0, 0.6
_LABEL_SHARE = 0.8
_HAS_WORDS = frozenset(map(stem, ("has", "have", "is", "are", "with", "number", "offer", "n")))


def learn_extractors(
    schema: Schema,
    documents: Sequence[Document],
    questions: Sequence[str] = (),
    *,
    as_called: bool = False,
) -> Schema:
    """Give extractors to the attributes of a hand-written schema that have none.

    Each is matched to what the documents say by its name, synonyms, description, type, unit,
    examples and categories; an attribute that nothing matches stays without. *as_called*: only to
    what documents call as one of its synonyms does, no telling word more or less.
    """
    if all(attribute.extractors for attribute in schema.attributes):
        return schema
    sample = spread_evenly(documents, _MAX_SAMPLE)
    words = [" ".join(_names_of(attribute)) for attribute in schema.attributes]
    candidates = _harvest(list(map(Sightings, sample)), [*questions, *words])
    if as_called:
        titled = [frozenset(content_stems(document.title)) for document in sample]
        nouns = _nouns(schema).union(frozenset.intersection(*titled) if titled else ())
        candidates = [
            candidate
            for candidate in candidates
            if any(_is_called(attribute, candidate, nouns) for attribute in schema.attributes)
        ]
    if is_table := are_rows(sample):
        stated = (x.extractors for x in schema.attributes if x.is_column)
        held = {key for rules in stated for key in keys_of(rules)}
        candidates = [item for item in candidates if held.isdisjoint(keys_of(item.rules))]
    found = _match_attributes(schema, candidates, len(sample))
    if is_table:
        found = {item.name: _as_column(item, found[item.name]) for item in schema.attributes}
    attributes = tuple(
        attribute
        if attribute.extractors
        else attribute.model_copy(update={"extractors": found[attribute.name]})
        for attribute in schema.attributes
    )
    return schema.model_copy(update={"attributes": attributes})


def _nouns(schema: Schema) -> frozenset[str]:
    return frozenset(content_stems(" ".join((schema.title, schema.entity, *schema.nouns))))


def _is_called(attribute: Attribute, candidate: Candidate, nouns: frozenset[str]) -> bool:
    """Whether a label of *candidate* says what a synonym of *attribute* does, and nothing else."""
    besides = nouns.union(map(stem, attribute.type.asked))
    return any(
        is_same_name(wish, label, besides)
        for wish in attribute.synonyms
        for label in candidate.labels
    )


def _as_column(attribute: Attribute, rules: tuple[Extractor, ...]) -> tuple[Extractor, ...]:
    """Return the *rules* for rows of a table: a column that is called as *attribute* states it."""
    called = [stems(name) for name in _names_of(attribute)]
    match rules:
        case (KeyRule() as rule, *others) if any(stems(key) in called for key in rule.keys):
            return (rule.model_copy(update={"reads": "column"}), *others)
    return rules


def _names_of(attribute: Attribute) -> list[str]:
    return [name.replace("_", " ") for name in (attribute.name, *attribute.synonyms)]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An attribute as words: stems with how much they tell, and examples, folded."""

    attribute: Attribute
    stems: dict[str, float]
    names: tuple[frozenset[str], ...]
    values: frozenset[str]


def _match_attributes(
    schema: Schema, candidates: Sequence[Candidate], n_documents: int
) -> dict[str, tuple[Extractor, ...]]:
    """Return the extractors of each attribute, the best candidate's first."""
    nouns = _nouns(schema)
    wanted = [_wanted(attribute, nouns) for attribute in schema.attributes]
    # what a candidate is about: stems with how surely they belong to it
    shares = [dict(candidate.near) for candidate in candidates]
    for candidate, own in zip(candidates, shares, strict=True):
        is_title = candidate.origin == "place" and candidate.label == "title"
        for label in (*candidate.labels, *(("name",) if is_title else ())):
            own |= {n: max(own.get(n, 0.0), _LABEL_SHARE) for n in content_stems(label)}
    spread = Counter(name for own in shares for name in own)
    pairs = []
    for row, want in enumerate(wanted):
        for column, candidate in enumerate(candidates):
            if _fits(want, candidate):
                points = _points(want, candidate, shares[column], spread)
                points *= 0.6 + 0.4 * candidate.share(n_documents)
                pairs += [(-points, row, column)] if points >= _MIN_POINTS else []
    chosen: dict[int, list[tuple[float, Candidate]]] = {row: [] for row in range(len(wanted))}
    taken: set[int] = set()
    for points, row, column in sorted(pairs):
        own_pairs, candidate = chosen[row], candidates[column]
        # a place only says where a value stands: no help beside one that says what it is
        helps = not own_pairs or (
            -points >= -_FALLBACK_SHARE * own_pairs[0][0]
            and candidate.origin != "place"
            and not _contradicts(candidate, own_pairs[0][1])
        )
        if column not in taken and len(own_pairs) < _MAX_RULES and helps:
            own_pairs.append((points, candidate))
            taken.add(column)
    found: dict[str, tuple[Extractor, ...]] = {}
    for row, attribute in enumerate(schema.attributes):
        rules = [rule for _, candidate in chosen[row] for rule in candidate.rules]
        if attribute.type.is_boolean:  # is looked for by its name, too
            names = [fold_words(name).split() for name in _names_of(attribute)]
            said = [" ".join(w for w in name if stem(w) not in _HAS_WORDS) for name in names]
            items = tuple(dict.fromkeys(filter(None, said))) or (attribute.name,)
            rules.append(ItemRule(items=items))
        found[attribute.name] = tuple(rules)
    return found


def _contradicts(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates often say different things in one document: they are two facts."""
    here, there = one.plain, other.plain
    both = here.keys() & there.keys()
    return sum(here[n] != there[n] for n in both) > (1 - NEARLY_ALL) * max(1, len(both))


def _wanted(attribute: Attribute, nouns: frozenset[str]) -> _Wanted:
    spoken = [frozenset(content_stems(name)) for name in _names_of(attribute)]
    first_sentence = attribute.description.partition(". ")[0]
    stems = dict.fromkeys(content_stems(first_sentence), _DESCRIPTION_WEIGHT)
    for name in frozenset().union(*spoken):
        stems |= {like: max(stems.get(like, 0.0), _KIN_WEIGHT) for like in kin_of(name)}
    stems |= dict.fromkeys(frozenset().union(*spoken) - _HAS_WORDS, _NAME_WEIGHT)
    values = (*attribute.examples, *(attribute.categories or ()))
    names = tuple(name - nouns - _HAS_WORDS or name for name in spoken if name)
    folded = frozenset(fold_words(str(value)) for value in values)
    return _Wanted(attribute, stems, names or (frozenset({attribute.name}),), folded)


def _fits(wanted: _Wanted, candidate: Candidate) -> bool:
    kind, found = wanted.attribute.type, candidate.guess.type
    name = wanted.attribute.name.replace("_", " ")
    if any(kinship(name, label) < 0 for label in candidate.labels):
        return False  # its contrary: "net" for "gross"
    if candidate.origin == "item":
        labels = [{*content_stems(label)} for label in candidate.labels]
        return kind.is_boolean and any(own <= wanted.stems.keys() for own in labels)
    if kind.is_boolean:
        return found.is_boolean or candidate.origin == "label"
    return found.is_numeric if kind.is_numeric else found == kind


def _points(
    wanted: _Wanted, candidate: Candidate, shares: Mapping[str, float], spread: Counter[str]
) -> float:
    points = sum(
        weight * shares[name] * math.log(1 + 12 / (1 + spread[name]))
        for name, weight in wanted.stems.items()
        if name in shares
    )
    met = max(
        sum(bool(kin_of(word) & shares.keys()) for word in name) / len(name)
        for name in wanted.names
    )
    if candidate.origin == "place" and met < 1:
        return 0.0  # a place has no name of its own: a title is no job title
    points *= math.sqrt(met)
    units = (wanted.attribute.unit, candidate.guess.unit)
    if wanted.attribute.type.is_numeric and all(units):
        kinds = {SIZES[unit][0] if unit in SIZES else unit.casefold() for unit in units if unit}
        return points + (_UNIT_POINTS if len(kinds) == 1 else -_UNIT_POINTS)
    values = candidate.values()
    if wanted.attribute.type.is_text and wanted.values and values:
        known = sum(n for value, n in values.items() if value in wanted.values)
        points += _EXAMPLE_POINTS * known / values.total() + 0.2 * bool(known)
    return points
