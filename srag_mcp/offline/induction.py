"""Induction: a schema from a sample of documents, without a model. Source: DESIGN 8."""

from collections import Counter
from collections.abc import Sequence

from srag_mcp.documents.document import Document
from srag_mcp.documents.table_files import ColumnSample, ListedMembers
from srag_mcp.offline.harvest import choose_sample, harvest
from srag_mcp.offline.matching import match_attributes
from srag_mcp.offline.naming import attribute_name, describe, examples_of, label_of
from srag_mcp.offline.questions import weigh_by_questions
from srag_mcp.offline.table_columns import are_rows, with_columns
from srag_mcp.offline.typed_candidates import TypedCandidate
from srag_mcp.offline.words import stem
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.text.words import fold_words as fold

_MAX_ATTRIBUTES = 40
_ASKED_WEIGHT = 0.5
_MAX_ASKED = 4.0
_RARE = 0.15
_TOO_RARE = 0.1
_MANY = 20
_ORIGIN_WEIGHTS = {
    "place": 1.5, "field": 1.0, "slot": 0.8, "cell": 0.7, "anchor": 0.7, "item": 0.6, "part": 1.1,
}  # fmt: skip


def induce_schema(
    documents: Sequence[Document], *, title: str, entity: str, questions: Sequence[str] = ()
) -> Schema:
    """Find out what each document of a corpus describes.

    Args:
        documents: A varied sample; of more than a few hundred, evenly spaced ones are looked at.
        title: What one record is, for people.
        entity: The name of the record table.
        questions: Sample questions; what they ask for is kept even where it is rare.
    """
    sample = choose_sample(documents)
    items = harvest(sample, questions)
    weigh_by_questions([item.candidate for item in items], questions)
    chosen = items if are_rows(sample) else _choose(items, len(sample))
    nouns = frozenset(stem(noun) for noun in _nouns(title, entity))
    attributes: list[Attribute] = []
    for item in chosen:
        taken = {attribute.name for attribute in attributes}
        name = attribute_name(label_of(item.candidate, item.guess.type, nouns), ())
        if name in taken:
            name = attribute_name(item.candidate.full_label or name, taken)
        attributes.append(_attribute(item, name, len(sample)))
    schema = Schema(title=title, entity=entity, nouns=_nouns(title, entity))
    return schema.model_copy(update={"attributes": tuple(attributes)})


def induce_columns(
    columns: Sequence[ColumnSample],
    lists: Sequence[ListedMembers],
    *,
    title: str,
    entity: str,
) -> Schema:
    """Describe the rows of table files; *title* and *entity* as for `induce_schema`."""
    schema = Schema(title=title, entity=entity, nouns=_nouns(title, entity))
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
    items = harvest(sample, [*questions, *words])
    rules = match_attributes(schema.attributes, items, len(sample))
    attributes = tuple(
        attribute.model_copy(update={"extractors": rules[attribute.name]})
        if not attribute.extractors
        else attribute
        for attribute in schema.attributes
    )
    return schema.model_copy(update={"attributes": attributes})


def _choose(items: Sequence[TypedCandidate], n_documents: int) -> list[TypedCandidate]:
    """Keep the best candidates; texts and dates first, booleans last."""
    frequent = [item for item in items if not _is_rare(item, n_documents)]
    ranked = sorted(frequent, key=lambda item: -_rank(item, n_documents))[:_MAX_ATTRIBUTES]
    order = ("place", "part", "field", "anchor", "cell", "slot", "item")
    return sorted(
        ranked,
        key=lambda item: (
            item.guess.type == "boolean",
            order.index(item.candidate.origin),
            -_rank(item, n_documents),
        ),
    )


def _is_rare(item: TypedCandidate, n_documents: int) -> bool:
    """Whether few of many documents state it, and no question asks for it."""
    candidate = item.candidate
    few = candidate.share(n_documents) < _TOO_RARE and n_documents >= _MANY
    return few and not candidate.asked


def _rank(item: TypedCandidate, n_documents: int) -> float:
    candidate = item.candidate
    share = candidate.share(n_documents)
    asked = min(candidate.asked, _MAX_ASKED) * min(1.0, share / _RARE)
    return _ORIGIN_WEIGHTS[candidate.origin] * (0.3 + share) + _ASKED_WEIGHT * asked


def _attribute(item: TypedCandidate, name: str, n_documents: int) -> Attribute:
    candidate, guess = item.candidate, item.guess
    known = {*name.split("_"), name.replace("_", " ")}
    folded = dict.fromkeys(map(fold, candidate.labels))
    synonyms = [word for word in folded if word not in known and len(word) > 2]
    is_item = candidate.origin == "item"
    return Attribute(
        name=name,
        type=guess.type,
        description=describe(candidate, guess.type, guess.unit, n_documents),
        unit=guess.unit,
        examples=() if is_item else examples_of(list(candidate.values.values())),
        categories=guess.categories,
        absent_means=candidate.absent_means,
        synonyms=tuple(synonyms[:10]),
        extractors=tuple(candidate.rules),
    )


def _nouns(title: str, entity: str) -> tuple[str, ...]:
    """Return the words for one record and for many that title and entity give."""
    nouns: Counter[str] = Counter()
    for text in (title, entity.replace("_", " ")):
        words = fold(text).split()
        if words:
            one = words[-1]
            single = one[:-1] if one.endswith("s") and not one.endswith("ss") else one
            nouns.update((single, f"{stem(single)}ies" if single.endswith("y") else f"{single}s"))
    return tuple(nouns)
