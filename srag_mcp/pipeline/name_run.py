"""Names of the columns are united: a model decides what is doubtful, a person what they like."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from srag_mcp.cells.cell import Cell
from srag_mcp.cells.normalised import read_column
from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Progress
from srag_mcp.errors import CorpusError, SchemaError
from srag_mcp.names.doubtful import Doubt, cut_around, find_candidates, resolve, write_prompts
from srag_mcp.names.uniting import (
    Decided,
    Decision,
    Thing,
    Verdict,
    are_names,
    describe_things,
    fold_name,
    unite,
)
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.build import publish_changes
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.predictions import Predictions
from srag_mcp.store.united_names import (
    are_united,
    decided_in_force,
    keep_verdicts,
    kept_verdicts,
    put_names_in_force,
    read_decided,
    write_decided,
)
from srag_mcp.store.work import WorkDatabase, open_work
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_word, stem


def resolve_names(
    work: WorkDatabase,
    schema: Schema,
    engine: ModelEngine,
    on_progress: Callable[[Progress], None],
) -> None:
    """Ask which doubtful names of the columns mean one thing; what was said holds for good.

    A group is asked about once; one that a new spelling joins is asked about again. Nothing is
    asked where no group is doubtful.

    Raises:
        ModelStoppedError: If no further prompt can be answered.
        CancelledError: If somebody wants it to stop.

    Source: DESIGN 7.5.
    """
    predictions, plain = Predictions(work), cache(partial(_read_plain, work))
    doubts: list[Doubt] = []
    for place, attribute in enumerate(schema.attributes):
        if are_united(attribute):
            on_progress(Progress("uniting", place, len(schema.attributes), attribute.name))
            doubts += _find_doubts(work, predictions, attribute, plain)
    prompts = write_prompts(doubts)
    if not prompts:
        return
    said = engine.run(lambda: resolve(engine.model, prompts))
    verdicts: dict[str, list[Verdict]] = {}
    for column, verdict in said:
        verdicts.setdefault(column, []).append(verdict)
    for column, new in verdicts.items():  # at the end: what a stop leaves over is asked as before
        keep_verdicts(work, column, new)


# Of a thousand documents: the words of a language are soon all there.
_PLAIN = r"""
SELECT DISTINCT rtrim(word, '.,;:') FROM (
  SELECT unnest(string_split_regex(left(text, 20_000), '\s+')) AS word
  FROM (SELECT text FROM documents ORDER BY md5(document_id) LIMIT 1_000))
WHERE regexp_full_match(word, '\p{Ll}{2,}[.,;:]?')
"""


def _read_plain(work: WorkDatabase) -> frozenset[str]:
    """Return the stems of the words that documents have in small letters: they name nothing."""
    return frozenset(stem(fold_word(word)) for (word,) in work.run(_PLAIN))


def _find_doubts(
    work: WorkDatabase,
    predictions: Predictions,
    attribute: Attribute,
    plain: Callable[[], frozenset[str]],
) -> Iterator[Doubt]:
    """Yield the groups of a column that nobody has decided yet.

    Of a column that describes things instead of naming them nothing is asked.
    """
    predicted = predictions.cells(attribute)
    cells = dict(zip(predicted, read_column(attribute, [*predicted.values()]), strict=True))
    counts = Counter(cell.value for cell in cells.values() if isinstance(cell.value, str))
    if not are_names(counts):
        return
    decided = decided_in_force(work, attribute.name)
    things = unite(counts, decided)
    known = [frozenset(verdict.keys) for verdict in kept_verdicts(work, attribute.name)]
    groups = [
        group
        for group in find_candidates(things, decided)
        if not any(all(thing.keys <= keys for thing in group) for keys in known)
    ]
    if not groups or describe_things((thing.name for thing in things), plain()):
        return
    around = _read_around(predictions, cells, groups)
    for group in groups:
        yield Doubt(attribute.name, attribute.description, tuple(group), around)


def _read_around(
    predictions: Predictions, cells: Mapping[str, Cell], groups: Sequence[Sequence[Thing]]
) -> dict[str, str]:
    """Return words around each name of *groups* in the first document that has it."""
    wanted = {thing.spellings[0] for group in groups for thing in group}
    first: dict[str, tuple[str, Span]] = {}
    for document_id, cell in cells.items():
        if cell.value in wanted and cell.span is not None:
            first.setdefault(str(cell.value), (document_id, cell.span))
    texts = predictions.texts([document_id for document_id, _ in first.values()])
    return {
        value: cut_around(document.text, span.start, span.end)
        for (value, (_, span)), document in zip(first.items(), texts, strict=True)
    }


def decide_names(
    folder: Path, settings: Settings, column: str, names: Sequence[str], decision: Decision
) -> bool:
    """Keep for good what a person says of names of a column, and publish it at once.

    The first of those that are the same is the spelling to keep. A name stands for all that differ
    from it in case and marks only. Returns whether anything else was decided before.

    Raises:
        CorpusError: If the folder has no table yet.
        SchemaError: If there is no such column, it is not one of names, or names that differ in
            case or marks only are to be apart.
        LockedError: If another process ingests the corpus.
    """
    state = CorpusFolder(folder, settings.home).writable()
    with open_work(state) as work:
        present = work.schema_in_force()
        if present is None:
            msg = f"{folder} has no table yet: ingest it first"
            raise CorpusError(msg)
        if not are_united(present.schema.attribute(column)):
            msg = f"{column} is no column of texts without a list of categories"
            raise SchemaError(msg)
        if decision == "apart" and len({*map(fold_name, names)}) < len({*names}):
            msg = f"two of {', '.join(names)} differ in case or marks only: these are always one"
            raise SchemaError(msg)
        decided = read_decided(state)
        before = decided.get(column, Decided())
        decided[column] = before.decide(decision, list(dict.fromkeys(names)))
        write_decided(state, decided)
        put_names_in_force(work)
        publish_changes(work, present.schema)
    return decided[column] != before
