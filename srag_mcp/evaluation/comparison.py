"""Comparing cells: when a found value is the gold value, and which column holds a gold field.

A value is also the gold value where it is another name for it: who infers a schema names the
members of a closed set himself.

Names of columns say little, since an induced schema names things after the documents. Columns are
given to fields one to one, the best pair first, by their agreement beyond chance (Cohen's kappa
over all documents, empty counted as a value), names breaking ties. Where all documents have one
value, values tell nothing, and the names decide. A field that no column fits was not found: all its
cells count as wrong, also the empty ones. A category of a closed set counts as the gold value that
it is another name for (see `name_as_gold`).
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from operator import eq
from types import MappingProxyType

from srag_mcp.schema.attribute import snake_case
from srag_mcp.store.guard import Value
from srag_mcp.text.words import content_words, fold, has_digit, is_content
from srag_mcp.values.columns import classify_values
from srag_mcp.values.dates import DateText, find_dates
from srag_mcp.values.states import has_denial, read_boolean
from srag_mcp.values.types import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, ColumnType

EXACT = 1e-6
_LEAST_AGREEMENT = 0.1
_NAME_WEIGHT = 1e-3

_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?)?")


def equal_numbers(found: float, expected: float, tolerance: float = 0.0) -> bool:
    """Return whether two numbers are equal within a relative *tolerance* (at least 1e-6)."""
    return math.isclose(found, expected, rel_tol=max(tolerance, EXACT), abs_tol=1e-9)


def number_of(value: Value) -> float | None:
    """Return a number, or a text that is a plain number; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        return float(value) if _PLAIN_NUMBER.fullmatch(value.strip()) else None
    return float(value)


def write_value(value: Value) -> str:
    """Write a value as texts have it: `7.0 -> "7"`, `True -> "yes"`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def date_of(value: Value) -> date | None:
    """Return the day of an ISO date or of a midnight; None for anything else."""
    match = _DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def one_date(text: str) -> DateText | None:
    """Return the date that *text* is, perhaps in part, in any notation; None for anything else."""
    found = find_dates(text, partial=True)
    return found[0][1] if len(found) == 1 and found[0][0].of(text) == text.strip() else None


def month_of(value: Value) -> tuple[int, int] | None:
    """Return year and month of `March 2021`, `2021-03` or the first day of a month; else None."""
    if not isinstance(value, str):
        return None
    day, found = date_of(value), one_date(value)
    if day is not None:
        return (day.year, day.month) if day.day == 1 else None
    if found is None or found.precision != "month" or found.year is None or found.month is None:
        return None
    return found.year, found.month


@lru_cache(maxsize=65_536, typed=True)  # each column is compared with each field
def meaning_of(value: Value, kind: ColumnType) -> str:
    """Write the value of a field of type *kind* so that equal ones are written alike.

    Empty is empty; an empty value is neither false nor zero. Numbers are equal in seven digits,
    texts when they fold to the same; containment is not equality.

    `("9.00", NUMBER) -> "9"`, `("Acme Co. (N)", TEXT) -> "acme co n"`
    """
    if value is None or value == "":
        return ""
    read: object = None
    if kind.is_boolean:
        read = value if isinstance(value, bool) else read_boolean(str(value))
    elif kind.is_numeric and (number := number_of(value)) is not None:
        read = f"{number:.7g}"
    elif kind.is_date:
        read = date_of(value)
    text = str(value)
    return str(read) if read is not None else fold(text) or text


def gold_type(values: Sequence[str]) -> ColumnType:
    """Return the type of a gold field from its values, as a CSV reader would."""
    return _type_of(tuple(value for value in values if value))


@lru_cache(maxsize=8)
def _type_of(given: Sequence[str]) -> ColumnType:
    if given and all(value.lower() in ("true", "false") for value in given):
        return BOOLEAN
    if given and all(date_of(value) is not None for value in given):
        return DATE
    if given and all(number_of(value) is not None for value in given):
        whole = all(value.lstrip("-").isdigit() for value in given)
        return INTEGER if whole else NUMBER
    return BOOLEAN if classify_values(given).type.is_boolean else TEXT


def name_as_gold(names: Iterable[str], gold: Collection[str], said: str = "") -> dict[str, str]:
    """Return, by name, the gold value that it is another name for.

    One is the other where they fold to the same, or else where one is a short form of the other and
    neither has a second match: `"bachelor's degree" -> "Bachelor"`. A name that could be two gold
    values is none of them. *said* has words that the field or the question says, so that a code
    need not: `"7" -> "Part 7"`.
    """
    left, wanted = list(dict.fromkeys(names)), list(dict.fromkeys(gold))
    by_fold = {fold(value): value for value in wanted}
    same = {item: by_fold[fold(item)] for item in left if fold(item) in by_fold}
    coded = [_words(value) for value in wanted if has_digit(value)]
    idle = set(content_words(said)) | (set.intersection(*coded) if len(coded) > 1 else set())
    kin = [
        (item, value)
        for item in left
        for value in wanted
        if item not in same and value not in same.values() and _is_form(item, value, idle)
    ]
    items, values = (Counter(side) for side in (zip(*kin, strict=True) if kin else ((), ())))
    return same | {item: value for item, value in kin if items[item] == values[value] == 1}


def _is_form(one: str, other: str, idle: Collection[str]) -> bool:
    """Whether one of two names is a short form of the other: some of its words, or their initials.

    What a name denies is no part of it, and a code lacks nothing but *idle* words, which tell no
    value from another: of `under 10` the `10` is no short form.
    """
    short, full = sorted((fold(one).split(), fold(other).split()), key=len)
    more = _words(other) ^ _words(one)
    if not _words(" ".join(short)) <= _words(" ".join(full)):
        return len(full) > 1 and short == ["".join(word[0] for word in full)]
    if has_digit(one + other):
        return not any(map(has_digit, more)) and more <= set(idle)
    return has_denial(one) == has_denial(other) and any(map(is_content, short))


def _words(text: str) -> set[str]:
    return set(fold(text).split()) - {"s"}  # of a possessive


@dataclass(frozen=True, slots=True)
class FieldScore:
    """How well a gold field was found: in which *column* (None: in none), and how many cells.

    Attributes:
        accuracy: The share of the cells that are right.
    """

    field: str
    column: str | None
    accuracy: float


def align(
    gold: Mapping[str, Mapping[str, str]],
    found: Mapping[str, Mapping[str, Value]],
    categories: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> tuple[FieldScore, ...]:
    """Score each gold field; *gold* and *found* have the cells of a document by its id.

    Documents of *found* that gold does not list are left out; one that is missing there is empty.
    *categories* has the closed set of each column that has one.
    """
    fields = list(next(iter(gold.values()), {}))
    columns = list(dict.fromkeys(name for cells in found.values() for name in cells))
    pairs = [
        _pair(field, column, gold, found, categories.get(column, ()))
        for field in fields
        for column in columns
    ]
    chosen: dict[str, FieldScore] = {}
    for agreement, score in sorted(pairs, key=lambda pair: -pair[0]):
        taken = {other.column for other in chosen.values()}
        if agreement < _LEAST_AGREEMENT:
            break
        if score.field not in chosen and score.column not in taken:
            chosen[score.field] = score
    return tuple(chosen.get(field) or FieldScore(field, None, 0.0) for field in fields)


def score_by_name(
    gold: Mapping[str, Mapping[str, str]], found: Mapping[str, Mapping[str, Value]]
) -> tuple[FieldScore, ...]:
    """Score each gold field in the column of its own name, where the schema was given."""
    columns = {name for cells in found.values() for name in cells}
    return tuple(
        _pair(field, column, gold, found)[1]
        if (column := snake_case(field)) in columns
        else FieldScore(field, None, 0.0)
        for field in next(iter(gold.values()), {})
    )


def _pair(
    field: str,
    column: str,
    gold: Mapping[str, Mapping[str, str]],
    found: Mapping[str, Mapping[str, Value]],
    categories: Sequence[str] = (),
) -> tuple[float, FieldScore]:
    """Return how well *column* agrees with *field*, and the score of the field in it."""
    # Outside library, imported where it is needed: it is slow to start.
    from rapidfuzz import fuzz

    wanted = [cells[field] for cells in gold.values()]
    cells = [found.get(document, {}).get(column) for document in gold]
    names = name_as_gold(categories, dict.fromkeys(want for want in wanted if want), field)
    values = [names.get(value, value) if isinstance(value, str) else value for value in cells]
    kind = gold_type(wanted)
    asked, said = ([meaning_of(item, kind) for item in items] for items in (wanted, values))
    equal = list(map(eq, asked, said))
    accuracy = sum(equal) / len(equal)
    held = Counter(said)
    by_chance = sum(n * held[item] for item, n in Counter(asked).items()) / len(equal) ** 2
    agreement = (accuracy - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    words, others = set(field.lower().split("_")), set(column.lower().split("_"))
    if by_chance == accuracy == 1 and (words <= others or others <= words):
        agreement = _LEAST_AGREEMENT  # `insurance`, `has_insurance_requirement`
    alike = float(fuzz.token_sort_ratio(fold(field), fold(column.replace("_", " ")))) / 100
    says = any(same and want for same, want in zip(equal, wanted, strict=True))
    score = FieldScore(field, column, accuracy)
    return (agreement + _NAME_WEIGHT * alike if says else 0.0), score
