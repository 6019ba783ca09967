"""Induction: a schema from a sample of documents, without a model. Source: DESIGN 8."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from srag_mcp.documents.document import Document
from srag_mcp.documents.table_files import ColumnSample, ListedMembers
from srag_mcp.rules.candidates import Candidate, Found, overlap
from srag_mcp.rules.items import is_sentence, item_candidates
from srag_mcp.rules.kinship import content_stems
from srag_mcp.rules.labels import label_candidates, vote_candidates
from srag_mcp.rules.merging import join_layouts, join_told_twice
from srag_mcp.rules.naming import describe, examples_of, free_name, unique_labels
from srag_mcp.rules.nouns import find_nouns, folder_nouns
from srag_mcp.rules.places import learn_lines, place_candidates
from srag_mcp.rules.running import name_candidates, slot_candidates
from srag_mcp.rules.sightings import Sightings
from srag_mcp.rules.table_columns import are_rows, row_candidates, with_columns
from srag_mcp.rules.wanted import match_attributes
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.extractors import CellRule, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.text.words import content_words, fold_words
from srag_mcp.values.dates import find_dates
from srag_mcp.values.quantities import find_quantities

_MAX_SAMPLE = 200
_MAX_COLUMNS = 28  # as many as a person looks through
_MIN_SHARE = 0.2  # of the documents state a column that is shown
_ASKED_SHARE = 0.1
_ONE_KIND = 0.9
_LONG_VALUE = 100
_MIN_KNOWN = 3
_MIN_TEMPLATES = 5
_TEMPLATE_SHARE = 0.4
_MAX_MARKED = 0.15
_ALONE = 0.75


def choose_sample(documents: Sequence[Document]) -> list[Document]:
    """Take evenly spaced documents, at most as many as induction needs."""
    step = max(1, -(-len(documents) // _MAX_SAMPLE))
    return list(documents[::step])


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
    sample = choose_sample(documents)
    candidates = harvest(sample, questions)
    chosen = choose(candidates, len(sample))
    sightings = [Sightings(document) for document in sample]
    nouns = find_nouns(sightings, entity, questions, chosen)
    labels = unique_labels(chosen, len(sample), nouns)
    taken = [fold_words(label) for label in (*labels, *(c.label for c in candidates))]
    owners: dict[str, Candidate] = {}  # a phrase of several columns is that of the fullest
    for candidate in sorted(chosen, key=lambda item: -len(item.found)):
        for label in candidate.labels:
            owners.setdefault(fold_words(label), candidate)
    attributes: list[Attribute] = []
    for candidate, label in zip(chosen, labels, strict=True):
        if label:
            name = free_name(label, {attribute.name for attribute in attributes})
            strange = [word for word, owner in owners.items() if owner is not candidate]
            other = {*taken, *strange}
            attributes.append(_attribute(candidate, name, label, len(sample), other))
    return Schema(title=title, entity=entity, nouns=nouns, attributes=tuple(attributes))


def induce_columns(
    columns: Sequence[ColumnSample],
    lists: Sequence[ListedMembers],
    *,
    title: str,
    entity: str,
) -> Schema:
    """Describe the rows of table files; *title* and *entity* as for `induce_schema`."""
    schema = Schema(title=title, entity=entity, nouns=folder_nouns(entity))
    return with_columns(schema, columns, lists)


def learn_extractors(
    schema: Schema, documents: Sequence[Document], questions: Sequence[str] = ()
) -> Schema:
    """Give extractors to the attributes of a hand-written schema that have none.

    Each is matched to what the documents say by its name, synonyms, description, type, unit,
    examples and categories; an attribute that nothing matches stays without.
    """
    if all(attribute.extractors for attribute in schema.attributes):
        return schema
    sample = choose_sample(documents)
    words = [f"{a.name} {' '.join(a.synonyms)}".replace("_", " ") for a in schema.attributes]
    candidates = harvest(sample, [*questions, *words])
    rules = match_attributes(schema, candidates, len(sample))
    attributes = tuple(
        attribute
        if attribute.extractors
        else attribute.model_copy(update={"extractors": rules[attribute.name]})
        for attribute in schema.attributes
    )
    return schema.model_copy(update={"attributes": attributes})


def harvest(documents: Sequence[Document], questions: Sequence[str] = ()) -> list[Candidate]:
    """Collect what the documents state, each fact once."""
    asked = {name for question in questions for name in content_stems(question)}
    if are_rows(documents):
        return row_candidates(documents)
    sightings = [Sightings(document) for document in documents]
    votes = vote_candidates(sightings)
    covered = {
        key
        for vote in votes
        for rule in vote.rules
        if isinstance(rule, KeyRule)
        for key, weight in rule.weights.items()
        if weight > 0.6
    }
    labels = [c for c in label_candidates(sightings) if not _is_covered(c, covered)]
    places = place_candidates(sightings)
    stated = [
        *votes,
        *labels,
        *_cell_candidates(sightings),
        *slot_candidates(sightings, asked),
        *name_candidates(sightings),
    ]
    stated = [candidate for candidate in stated if is_plain(candidate, len(sightings))]
    stated = _without_values_as_labels(stated, places)
    twice = join_told_twice([*stated, *places])
    joined = join_told_twice(join_layouts(twice, len(sightings)))
    joined = [
        c for c in joined if not _repeats_others(c, joined) and not _is_any_date(c, sightings)
    ]
    joined = [candidate for candidate in joined if candidate.labels]
    learn_lines(sightings, joined)
    found = [*joined, *item_candidates(sightings, _said_values(joined))]
    _weigh(found, asked)
    return found


def _without_values_as_labels(
    candidates: Sequence[Candidate], places: Sequence[Candidate]
) -> list[Candidate]:
    """Leave out what stands beside a value of another column: "Anna Berg: 3 votes"."""
    said = Counter(
        fold_words(found.text)
        for candidate in (*candidates, *places)
        if candidate.guess.type == "string" and candidate.origin != "slot"
        for found in candidate.found.values()
    )
    values = {value: n for value, n in said.items() if n > 1 and len(value) > 2}
    return [
        candidate
        for candidate in candidates
        if not any(
            values.get(words, 0) >= len(candidate.found) for words in _word_runs(candidate.label)
        )
    ]


def _is_any_date(candidate: Candidate, sightings: Sequence[Sightings]) -> bool:
    """Whether nothing but its place speaks for a date, and most documents have several."""
    if {rule.kind for rule in candidate.rules} != {"place"} or candidate.guess.type != "date":
        return False
    lone = sum(
        len({found.on() for _, found in find_dates(sightings[number].text)}) == 1
        for number in candidate.found
    )
    return lone < _ALONE * len(candidate.found)


def _repeats_others(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether a text is but a part of a title, or names in text are another column's values."""
    if candidate.guess.type != "string" or candidate.origin == "place":
        return False
    for other in others:
        shared = candidate.found.keys() & other.found.keys()
        if other is not candidate and other.origin == "place" and len(shared) > 1:
            within = sum(_within(candidate.found[n].text, other.found[n].text) for n in shared)
            if within >= _ONE_KIND * len(shared) and len(shared) >= _ONE_KIND * len(
                candidate.found
            ):
                return True
    if candidate.origin != "name":
        return False
    own = Counter(fold_words(found.text) for found in candidate.found.values())
    for other in others:
        if other is not candidate and other.guess.type == "string":
            values = Counter(fold_words(found.text) for found in other.found.values())
            if overlap(own, values) >= _ONE_KIND and other.found.keys() & candidate.found.keys():
                return True
    return False


def _within(part: str, whole: str) -> bool:
    return f" {fold_words(part)} " in f" {fold_words(whole)} "


def _word_runs(label: str) -> Iterator[str]:
    words = fold_words(label).split()
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            yield " ".join(words[start:end])


def _is_covered(candidate: Candidate, covered: set[str]) -> bool:
    rule = candidate.rules[0]
    return isinstance(rule, KeyRule) and bool(covered & {*rule.keys})


def _cell_candidates(sightings: Sequence[Sightings]) -> list[Candidate]:
    """Find pairs of row and column of tables that several documents fill."""
    found: dict[tuple[str, str], dict[int, Found]] = defaultdict(dict)
    columns: dict[str, set[str]] = defaultdict(set)
    for number, sighting in enumerate(sightings):
        for cell in sighting.cells:
            found[cell.row, cell.column].setdefault(number, Found(cell.text, cell.span))
    least = max(2, _MIN_SHARE / 2 * len(sightings))
    frequent = {place: own for place, own in found.items() if len(own) >= least and _varies(own)}
    for row, column in frequent:
        columns[row].add(column)
    return [
        Candidate(
            "cell",
            [row if len(columns[row]) == 1 else f"{row} {column}"],
            [CellRule(row=row, column=column)],
            own,
        )
        for (row, column), own in frequent.items()
        if not row.replace(" ", "").isdigit()
    ]


def _varies(found: dict[int, Found]) -> bool:
    return len({fold_words(item.text) for item in found.values()}) > 1


def is_plain(candidate: Candidate, n_documents: int) -> bool:
    """Whether the values of a candidate are of one kind, short, and not all the same."""
    texts = [found.text for found in candidate.found.values()]
    kind = candidate.guess.type
    if candidate.n_marked > _MAX_MARKED * n_documents and candidate.origin != "label":
        return False
    if not texts or (len(texts) > 1 and len(set(candidate.plain().values())) < 2):
        return False
    if kind == "boolean":
        return True
    if sorted(map(len, texts))[len(texts) // 2] > _LONG_VALUE:
        return False
    if kind != "string":  # one that cannot be read does not make a column of numbers a text
        n_other = round((1 - candidate.guess.share) * len(texts))
        return n_other <= max(len(texts) > _MIN_KNOWN, (1 - _ONE_KIND) * len(texts))
    if _is_template(texts) or sum(map(is_sentence, texts)) > len(texts) / 2:
        return False
    figures = sum(_is_figure(text) for text in texts)
    return min(figures, len(texts) - figures) <= (1 - _ONE_KIND) * len(texts)


def _is_template(values: Sequence[str]) -> bool:
    """Whether texts are one sentence with changing names in it, which are facts of their own."""
    texts = [fold_words(value).split() for value in dict.fromkeys(values)]
    if len(texts) < _MIN_TEMPLATES or sum(map(len, texts)) < _MIN_TEMPLATES * len(texts):
        return False
    counts = Counter(word for text in texts for word in set(text))
    constant = {word for word, count in counts.items() if count >= _ONE_KIND * len(texts)}
    shares = sorted(sum(word in constant for word in text) / max(1, len(text)) for text in texts)
    return shares[len(shares) // 2] >= _TEMPLATE_SHARE


def _is_figure(text: str) -> bool:
    """Whether a text is a number or a date, and nothing else."""
    spans = [span for span, _ in (*find_dates(text), *find_quantities(text))]
    return any(len(text.strip()) - (span.end - span.start) <= 1 for span in spans)


def _said_values(candidates: Sequence[Candidate]) -> set[str]:
    """Return the folded values of texts that recur, and of names and titles."""
    values: set[str] = set()
    for candidate in candidates:
        if candidate.guess.type == "string":
            values.update(fold_words(found.text) for found in candidate.found.values())
    return {value for value in values if len(value) > 3 and not value.isdigit()}


def _weigh(candidates: Sequence[Candidate], asked: set[str]) -> None:
    """Note how much the sample questions ask for each candidate: whose words they say."""
    for candidate in candidates:
        stems = [set(content_stems(label)) for label in candidate.labels]
        shares = [len(own & asked) / len(own) for own in stems if own]
        candidate.asked = max(shares, default=0.0)


def choose(candidates: Sequence[Candidate], n_documents: int) -> list[Candidate]:
    """Keep the candidates that are columns; what most documents state first, booleans last."""
    found = [c for c in candidates if is_column(c, n_documents)]
    order = ("label", "place", "cell", "name", "slot", "item")
    ranked = sorted(found, key=lambda c: (c.asked < 1, c.origin == "item", -_rank(c, n_documents)))
    ranked = ranked[:_MAX_COLUMNS]
    return sorted(
        ranked,
        key=lambda c: (
            c.guess.type == "boolean",
            order.index(c.origin) if c.label not in {"title", "name", "company"} else -1,
            -_rank(c, n_documents),
        ),
    )


def is_column(candidate: Candidate, n_documents: int) -> bool:
    """Whether a candidate is shown: its values are of one kind, and a fair share states it."""
    share = candidate.share(n_documents)
    least = _ASKED_SHARE if candidate.asked >= 1 else _MIN_SHARE
    has_name = bool(content_words(candidate.label))
    return share >= least and has_name and is_plain(candidate, n_documents)


def _rank(candidate: Candidate, n_documents: int) -> float:
    n_said = sum(found.text == "yes" for found in candidate.found.values())
    told = n_said / n_documents if candidate.origin == "item" else candidate.share(n_documents)
    return candidate.asked + 0.5 * told * min(2.0, candidate.n_places)


def _attribute(
    candidate: Candidate, name: str, label: str, n_documents: int, taken: Collection[str]
) -> Attribute:
    guess = candidate.guess
    texts = [found.text for found in candidate.found.values()]
    others = dict.fromkeys(fold_words(other) for other in candidate.labels)
    synonyms = [word for word in others if is_synonym(word, name) and word not in taken]
    return Attribute(
        name=name,
        type=guess.type,
        description=describe(candidate, label, n_documents),
        unit=guess.unit,
        examples=() if candidate.origin == "item" else examples_of(texts),
        categories=guess.categories,
        absent_means=candidate.absent_means,
        synonyms=tuple(synonyms[:10]),
        extractors=tuple(candidate.rules),
    )


def is_synonym(label: str, name: str) -> bool:
    """Whether a label is another phrase for a column: whole words without figures."""
    words = label.split()
    return (
        label.replace(" ", "_") != name
        and bool(content_words(label))
        and all(word.isalpha() for word in words)
        and not any(len(word) == 1 for word in words)
    )
