"""Alignment: which found column holds a gold field, decided by the values alone.

Names say little, since an induced schema names things after the documents. Columns are given to
fields one to one, the best pair first, by their agreement beyond chance (Cohen's kappa over all
documents, empty counted as a value), names breaking ties. Where all documents have one value,
values tell nothing, and the names decide. A field that no column fits was not found: all its cells
count as wrong, also the empty ones. A category of a closed set counts as the gold value that it is
another name for (see `renaming`); how many do only for that reason is counted, too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType

from srag_mcp.evaluation.comparison import equal_cells, gold_type, name_as_gold, number_of
from srag_mcp.schema.attribute import snake_case
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value
from srag_mcp.text.words import fold
from srag_mcp.values.states import read_boolean
from srag_mcp.values.types import ColumnType

_LEAST_AGREEMENT = 0.1
_NAME_WEIGHT = 1e-3
_PAGE_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class FieldScore:
    """How well a gold field was found: in which *column* (None: in none), and how many cells.

    Attributes:
        accuracy: The share of the cells that are right.
        renamed: The share of those that are right by another name of a category.
    """

    field: str
    column: str | None
    accuracy: float
    renamed: float = 0.0


@dataclass(frozen=True, slots=True)
class _Pair:
    agreement: float
    field: str
    column: str
    accuracy: float
    renamed: float


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
        pair
        for field in fields
        for column in columns
        if (pair := _pair(field, column, gold, found, categories.get(column, ()))).agreement
        >= _LEAST_AGREEMENT
    ]
    chosen: dict[str, _Pair] = {}
    taken: set[str] = set()
    for pair in sorted(pairs, key=lambda pair: -pair.agreement):
        if pair.field not in chosen and pair.column not in taken:
            chosen[pair.field] = pair
            taken.add(pair.column)
    return tuple(_score(field, chosen.get(field)) for field in fields)


def score_by_name(
    gold: Mapping[str, Mapping[str, str]], found: Mapping[str, Mapping[str, Value]]
) -> tuple[FieldScore, ...]:
    """Score each gold field in the column of its own name, where the schema was given."""
    fields = list(next(iter(gold.values()), {}))
    columns = {name for cells in found.values() for name in cells}
    named = {field: snake_case(field) for field in fields}
    return tuple(
        _score(field, _pair(field, column, gold, found) if column in columns else None)
        for field, column in named.items()
    )


def _score(field: str, pair: _Pair | None) -> FieldScore:
    if pair is None:
        return FieldScore(field, None, 0.0)
    return FieldScore(field, pair.column, pair.accuracy, pair.renamed)


def _pair(
    field: str,
    column: str,
    gold: Mapping[str, Mapping[str, str]],
    found: Mapping[str, Mapping[str, Value]],
    categories: Sequence[str] = (),
) -> _Pair:
    wanted = [cells[field] for cells in gold.values()]
    spelled = [found.get(document, {}).get(column) for document in gold]
    names = name_as_gold(categories, dict.fromkeys(want for want in wanted if want))
    values = [names.get(value, value) if isinstance(value, str) else value for value in spelled]
    kind = gold_type(wanted)
    equal = [equal_cells(value, want, kind) for value, want in zip(values, wanted, strict=True)]
    accuracy = sum(equal) / len(equal)
    by_chance = _chance([_key(want, kind) for want in wanted], [_key(v, kind) for v in values])
    beyond = (accuracy - by_chance) / (1 - by_chance) if by_chance < 1 else 0.0
    says = any(same and want for same, want in zip(equal, wanted, strict=True))
    if by_chance == 1 and accuracy == 1 and _names_hold(field, column):
        beyond = _LEAST_AGREEMENT
    agreement = beyond + _NAME_WEIGHT * _alike(field, column) if says else 0.0
    strict = [equal_cells(value, want, kind) for value, want in zip(spelled, wanted, strict=True)]
    return _Pair(agreement, field, column, accuracy, accuracy - sum(strict) / len(strict))


def _names_hold(field: str, column: str) -> bool:
    """Whether one name has all words of the other: `insurance`, `has_insurance_requirement`."""
    first, second = set(field.lower().split("_")), set(column.lower().split("_"))
    return first <= second or second <= first


def _chance(wanted: Sequence[str], values: Sequence[str]) -> float:
    gold, found = Counter(wanted), Counter(values)
    return sum(count * found[key] for key, count in gold.items()) / (len(wanted) * len(values))


def _key(value: Value, kind: ColumnType) -> str:
    if value is None or value == "":
        return ""
    if kind.is_boolean:
        return str(value if isinstance(value, bool) else read_boolean(str(value)))
    number = number_of(value)
    return f"{number:.6g}" if number is not None else fold(str(value))


def _alike(field: str, column: str) -> float:
    # Outside library, imported where it is needed: it is slow to start.
    from rapidfuzz import fuzz

    return float(fuzz.token_sort_ratio(fold(field), fold(column.replace("_", " ")))) / 100


def read_records(corpus: Corpus) -> dict[str, dict[str, Value]]:
    """Return the cells of every record by document id, page by page."""
    entity = corpus.schema().entity.replace('"', '""')
    records: dict[str, dict[str, Value]] = {}
    offset: int | None = 0
    while offset is not None:
        page = corpus.select(f'SELECT * FROM "{entity}"', limit=_PAGE_ROWS, offset=offset)  # noqa: S608
        for row in page.rows:
            cells = dict(zip(page.columns, row, strict=True))
            records[str(cells.pop("document_id"))] = cells
        offset = page.next_offset if page.truncated else None
    return records


def match_documents(
    records: Mapping[str, Mapping[str, Value]], names: Sequence[str]
) -> dict[str, Mapping[str, Value]]:
    """Return the records by the names that gold uses: an id, a file name, or a stem."""
    found = match_names(records, names)
    matched: dict[str, Mapping[str, Value]] = {}
    for document_id, name in found.items():
        matched.setdefault(name, records[document_id])
    return matched


def match_names(document_ids: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """Return the name that gold uses for each document that it names."""
    wanted = set(names)
    matched: dict[str, str] = {}
    for document_id in document_ids:
        path = PurePosixPath(document_id)
        for name in (document_id, path.name, path.stem):
            if name in wanted:
                matched[document_id] = name
                break
    return matched
