"""What the found columns are worth, by the values of gold, and by a reader where gold is silent."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srag_mcp.evaluation.comparison import gold_type, meaning_of, name_as_gold, number_of
from srag_mcp.schema.attribute import Attribute
from srag_mcp.store.guard import Value
from srag_mcp.text.words import fold
from tests.benchmarks.yardstick_report import ByGold, Column

Cells = Mapping[str, Value]
Gold = Mapping[str, Mapping[str, str]]

# From the definition of the field: right is nine values in ten.
_RIGHT = 0.9
# Agreement beyond chance (Cohen's kappa) that Landis and Koch (1977) call moderate.
_MODERATE = 0.4
# How probable it may be that so many values match by chance; a pack has some hundred pairs of
# columns and fields.
_LUCKY = 1e-3
_N_EXAMPLES, _EXAMPLE_LENGTH = 6, 60


@dataclass(frozen=True, slots=True)
class Match:
    """How the values of a column match a gold field.

    Attributes:
        precision, recall: Of the values of the column, and of the field, how many are equal.
        beyond: What of the precision chance does not explain.
        is_part: Whether the column is right where it says something.
        is_lucky: Whether chance may explain so many equal values.
        is_named: Whether one of the names has all words of the other.
    """

    field: str
    precision: float = 0.0
    recall: float = 0.0
    beyond: float = 0.0
    is_part: bool = False
    is_lucky: bool = True
    is_named: bool = False

    @property
    def verdict(self) -> ByGold:
        """What the column is worth by this field; empty where only a reader can tell."""
        if min(self.precision, self.recall) >= _RIGHT and (not self.is_lucky or self.is_named):
            return "right"
        if self.is_part and not self.is_lucky:
            return "half"
        return "wrong" if self.is_named and self.beyond >= _MODERATE else ""


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a pack by the names of gold; *extra* ones belong to none of gold."""

    gold: Gold
    found: Mapping[str, Cells]
    extra: Sequence[Cells] = ()


def judge_columns(attributes: Sequence[Attribute], records: Records) -> list[Column]:
    """Compare each column with the gold fields, and keep the one that it matches best."""
    return [_judge(attribute, records) for attribute in attributes]


def _judge(attribute: Attribute, records: Records) -> Column:
    fields = list(next(iter(records.gold.values()), {}))
    matches = [match_field(attribute, field, records) for field in fields]
    order = ["", "wrong", "half", "right"]
    best = max(matches, key=lambda item: (order.index(item.verdict), item.beyond))
    values = {name: cells.get(attribute.name) for name, cells in records.found.items()}
    filled = [value for value in values.values() if value is not None]
    shown = Counter(str(value)[:_EXAMPLE_LENGTH] for value in filled).most_common(_N_EXAMPLES)
    return Column(
        name=attribute.name,
        type=attribute.type,
        n_filled=len(filled) + _n_filled(attribute, records.extra),
        by_gold=best.verdict,
        field=best.field,
        precision=round(best.precision, 3),
        recall=round(best.recall, 3),
        holds=hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:12],
        examples=[text for text, _ in shown],
    )


def match_field(attribute: Attribute, field: str, records: Records) -> Match:
    """Compare the values of a column with those of a gold field, over all records.

    A false where gold says nothing is silence, which many columns store so.
    """
    wanted = [cells[field] for cells in records.gold.values()]
    kind = gold_type(wanted)
    found = [records.found.get(name, {}).get(attribute.name) for name in records.gold]
    names = name_as_gold(attribute.categories or (), dict.fromkeys(filter(None, wanted)))
    found = [names.get(value, value) if isinstance(value, str) else value for value in found]
    pairs = [(v, want) for v, want in zip(found, wanted, strict=True) if want or v is not False]
    same = [bool(want) and meaning_of(v, kind) == meaning_of(want, kind) for v, want in pairs]
    n_given = sum(bool(want) for want in wanted)
    n_filled = sum(v is not None for v, _ in pairs) + _n_filled(attribute, records.extra)
    if not n_filled or not n_given:
        return Match(field)
    precision, n_said = sum(same) / n_filled, sum(same)
    chance = _chance([value for value, _ in pairs], wanted, n_filled)
    is_part = precision >= _RIGHT
    if kind == "boolean":  # silence is often stored as false: what it says is what it affirms
        n_true = sum(value is True for value, _ in pairs)
        n_said = sum(hit and value is True for hit, (value, _) in zip(same, pairs, strict=True))
        is_part = n_true > 0 and n_said / n_true >= _RIGHT
    by_luck = sum(want == "true" for want in wanted) / n_given if kind == "boolean" else chance
    first, second = set(field.lower().split("_")), set(attribute.name.split("_"))
    return Match(
        field,
        precision,
        recall=sum(same) / n_given,
        beyond=(precision - chance) / (1 - chance) if chance < 1 else 0.0,
        is_part=is_part,
        is_lucky=by_luck**n_said > _LUCKY,
        is_named=first <= second or second <= first,
    )


def _n_filled(attribute: Attribute, rows: Sequence[Cells]) -> int:
    return sum(row.get(attribute.name) is not None for row in rows)


def _chance(found: Sequence[Value], wanted: Sequence[str], n_filled: int) -> float:
    """Return how often values would be equal if they stood in any order."""
    given = Counter(key_of(want) for want in wanted if want)
    said = Counter(key_of(value) for value in found if value is not None)
    return sum(n * said[key] for key, n in given.items()) / (given.total() * n_filled)


def key_of(value: Value) -> str:
    """Return what values have in common that count as equal, whatever their notation."""
    number = number_of(value)
    return f"{number:.6g}" if number is not None else fold(str(value))


def align_rows(gold: Gold, found: Mapping[str, Cells]) -> dict[str, str]:
    """Return the gold name of each record of a table file, by what they hold and in which order.

    The ids of records may be anything, and some records may be no true ones (totals, footers): a
    record is the gold record with which it shares the most values, at least half of those given;
    among equals the one whose place in the file is the nearest.
    """
    wanted = {
        name: Counter(key_of(value) for value in cells.values() if value)
        for name, cells in gold.items()
    }
    pairs: list[tuple[int, int, str, str]] = []
    for place, (record, cells) in enumerate(found.items()):
        said = Counter(key_of(value) for value in cells.values() if value is not None)
        for at, (name, given) in enumerate(wanted.items()):
            shared = (said & given).total()
            if 2 * shared >= given.total():
                pairs.append((-shared, abs(place - at), record, name))
    matched: dict[str, str] = {}
    for _shared, _apart, record, name in sorted(pairs):
        if record not in matched and name not in matched.values():
            matched[record] = name
    return matched
