"""Alignment: which found column holds a gold field, decided by the values alone.

Names say little, since an induced schema names things after the documents. Columns are given to
fields one to one, the best pair first, by their agreement beyond chance (Cohen's kappa over all
documents, empty counted as a value), names breaking ties. Where all documents have one value,
values tell nothing, and the names decide. A field that no column fits was not found: all its cells
count as wrong, also the empty ones. A category of a closed set counts as the gold value that it is
another name for (see `name_as_gold`); how many do only for that reason is counted, too.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from pathlib import PurePosixPath
from types import MappingProxyType

from srag_mcp.evaluation.comparison import gold_type, meaning_of, name_as_gold
from srag_mcp.schema.attribute import snake_case
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import Value
from srag_mcp.text.words import fold

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
    spelled = [found.get(document, {}).get(column) for document in gold]
    names = name_as_gold(categories, dict.fromkeys(want for want in wanted if want), field)
    values = [names.get(value, value) if isinstance(value, str) else value for value in spelled]
    kind = gold_type(wanted)
    asked, said, strict = (
        [meaning_of(item, kind) for item in items] for items in (wanted, values, spelled)
    )
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
    score = FieldScore(field, column, accuracy, accuracy - sum(map(eq, asked, strict)) / len(equal))
    return (agreement + _NAME_WEIGHT * alike if says else 0.0), score


def read_records(corpus: Corpus) -> dict[str, dict[str, Value]]:
    """Return the cells of every record by document id."""
    entity = corpus.schema().entity.replace('"', '""')
    rows = read_rows(corpus, f'SELECT * FROM "{entity}"')  # noqa: S608
    return {str(cells.pop("document_id")): cells for cells in rows}


def read_rows(corpus: Corpus, sql: str) -> Iterator[dict[str, Value]]:
    """Yield all rows of a query, page by page."""
    offset: int | None = 0
    while offset is not None:
        page = corpus.select(sql, limit=_PAGE_ROWS, offset=offset)
        yield from (dict(zip(page.columns, row, strict=True)) for row in page.rows)
        offset = page.next_offset


def match_documents(
    records: Mapping[str, Mapping[str, Value]], names: Sequence[str]
) -> dict[str, Mapping[str, Value]]:
    """Return the records by the names that gold uses: an id, a file name, or a stem."""
    matched: dict[str, Mapping[str, Value]] = {}
    for document_id, name in match_names(records, names).items():
        matched.setdefault(name, records[document_id])
    return matched


def match_names(document_ids: Iterable[str], names: Sequence[str]) -> dict[str, str]:
    """Return the name that gold uses for each document that it names."""
    wanted = set(names)
    paths = {document_id: PurePosixPath(document_id) for document_id in document_ids}
    return {
        document_id: name
        for document_id, path in paths.items()
        if (name := next((n for n in (document_id, path.name, path.stem) if n in wanted), None))
        is not None
    }
