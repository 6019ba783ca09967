"""The choice among proposed columns: as many as are wanted, and what questions need."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from statistics import median_low
from typing import NamedTuple

from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.rounds import Decision, PredictedSchema, find_needed

_N_NAMES = 2
_SILENCE = {"false": "false", "zero": "0"}

Said = Mapping[str, Sequence[str | None]]
"""What each document of a sample says, by attribute; None where one says nothing."""


def choose_columns(
    predicted: PredictedSchema, said: Said, n_columns: int, number: int
) -> PredictedSchema:
    """Leave out what *predicted* has beyond *n_columns*, as decisions of round *number*.

    What a question needs stays, whatever its number. Then come the first two texts that name the
    documents; then, in turns, what most documents state and what tells most pairs of them apart, a
    silence that means no or 0 included. What has one value everywhere comes last, behind other
    texts that are never the same: nobody counts, groups or compares by them. Of equal ones the
    earlier proposed stays. What was not tried, as it was defined after the sample was read, is
    taken to be as the middle one of those that were.
    """
    attributes = predicted.schema.attributes
    needed = find_needed(predicted)
    n_documents = max(map(len, said.values()), default=0)
    tried = {item.name: _weigh(item, said[item.name]) for item in attributes if item.name in said}
    found = {item.name: tried.get(item.name) or _usual(tried.values()) for item in attributes}
    names = [item.name for item in attributes if found[item.name].is_naming][:_N_NAMES]
    most_stated = sorted(
        found, key=lambda x: (found[x].is_of_use, found[x].n_stated, found[x].n_apart), reverse=True
    )
    most_apart = sorted(
        found, key=lambda x: (found[x].is_of_use, found[x].n_apart, found[x].n_stated), reverse=True
    )
    turns = list(dict.fromkeys(chain.from_iterable(zip(most_stated, most_apart, strict=True))))
    ranked = sorted(
        attributes,
        key=lambda item: (
            item.name not in needed,
            item.name not in names,
            turns.index(item.name),
        ),
    )
    n_needed = sum(item.name in needed for item in attributes)
    left = {item.name for item in ranked[max(n_columns, n_needed) :]}
    kept = tuple(item for item in attributes if item.name not in left)
    decisions = [
        Decision(
            number,
            "leave_out",
            item.name,
            f"stated in {found[item.name].n_stated} of {n_documents} documents that were tried;"
            f" SRAG_COLUMNS={n_columns}",
            item,
        )
        for item in attributes
        if item.name in left
    ]
    return replace(
        predicted,
        schema=predicted.schema.model_copy(update={"attributes": kept}),
        decisions=(*predicted.decisions, *decisions),
    )


class _Evidence(NamedTuple):
    """What a sample shows of a column: *n_apart* pairs of the documents differ in it.

    *is_of_use*: its values differ, and can be counted, grouped or compared. *is_naming*: it is a
    text, and most documents state one that no other has.
    """

    is_of_use: tuple[bool, bool]
    is_naming: bool
    n_stated: int
    n_apart: int


def _weigh(attribute: Attribute, values: Sequence[str | None]) -> _Evidence:
    stated = [value for value in values if value is not None]
    silence = _SILENCE.get(attribute.absent_means)
    known = Counter(silence if value is None else value for value in values)
    del known[None]
    n_known = known.total()
    n_pairs = (n_known**2 - sum(n**2 for n in known.values())) // 2
    is_own = attribute.type.is_text and len(set(stated)) == len(stated)
    is_naming = is_own and 2 * len(stated) > len(values) > 1
    return _Evidence((n_pairs > 0, not is_own), is_naming, len(stated), n_pairs)


def _usual(tried: Collection[_Evidence]) -> _Evidence:
    n_stated, n_apart = (
        median_low([getattr(item, name) for item in tried] or [0])
        for name in ("n_stated", "n_apart")
    )
    return _Evidence((n_apart > 0, True), False, n_stated, n_apart)
