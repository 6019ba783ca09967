"""Induction: a schema from a sample of documents, without a model. Source: DESIGN 8."""

from collections import Counter
from collections.abc import Sequence

from srag_mcp.documents.document import Document
from srag_mcp.offline.harvest import TypedCandidate, are_rows, choose_sample, harvest
from srag_mcp.offline.naming import attribute_name, describe, examples_of
from srag_mcp.offline.questions import asked_words, weigh_by_questions
from srag_mcp.offline.words import fold, stem
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema

_MAX_ATTRIBUTES = 40
_ASKED_WEIGHT = 0.5
_ORIGIN_WEIGHTS = {
    "place": 1.5, "field": 1.0, "slot": 0.8, "cell": 0.7, "anchor": 0.7, "mention": 0.4,
    "item": 0.6, "part": 1.1,
}  # fmt: skip


def induce_schema(
    documents: Sequence[Document], *, title: str, entity: str, questions: Sequence[str] = ()
) -> Schema:
    """Find out what each document of a corpus describes.

    Args:
        documents: A varied sample; of more than a few hundred, evenly spaced ones are looked at.
        title: What one record is, for people.
        entity: The name of the record table.
        questions: Sample questions; what they ask for is kept even where it is rare, and their
            words become synonyms.
    """
    sample = choose_sample(documents)
    items = harvest(sample)
    weigh_by_questions([item.candidate for item in items], questions)
    chosen = items if are_rows(sample) else _choose(items, len(sample))
    attributes: list[Attribute] = []
    for item in chosen:
        name = attribute_name(item.candidate.label, {a.name for a in attributes})
        attributes.append(_attribute(item, name, len(sample), questions))
    return Schema(
        title=title, entity=entity, attributes=tuple(attributes), nouns=_nouns(title, entity)
    )


def _choose(items: Sequence[TypedCandidate], n_documents: int) -> list[TypedCandidate]:
    """Keep the best candidates; texts and dates first, booleans last."""
    ranked = sorted(items, key=lambda item: -_rank(item, n_documents))[:_MAX_ATTRIBUTES]
    order = ("place", "part", "field", "anchor", "cell", "slot", "mention", "item")
    return sorted(
        ranked,
        key=lambda item: (
            item.guess.type == "boolean",
            order.index(item.candidate.origin),
            -_rank(item, n_documents),
        ),
    )


def _rank(item: TypedCandidate, n_documents: int) -> float:
    candidate = item.candidate
    base = _ORIGIN_WEIGHTS[candidate.origin] * (0.3 + candidate.share(n_documents))
    return base + _ASKED_WEIGHT * min(candidate.asked, 4.0)


def _attribute(
    item: TypedCandidate, name: str, n_documents: int, questions: Sequence[str]
) -> Attribute:
    candidate, guess = item.candidate, item.guess
    words = (*candidate.labels, *asked_words(candidate, questions))
    known = {fold(name), ""}
    synonyms = [word for word in dict.fromkeys(fold(word) for word in words) if word not in known]
    is_item = candidate.origin in {"item", "mention"}
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
