"""One part of the yardstick, measured in a process of its own.

`python -m tests.benchmarks.yardstick_part '{"name": …}'` prints the part as JSON.
"""

import importlib
import inspect
import json
import logging
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Literal

from pydantic import BaseModel, Field

from srag_mcp.evaluation.bench import (
    Bench,
    QuestionResult,
    ask_questions,
    match_documents,
    match_names,
    open_bench,
    read_records,
)
from srag_mcp.evaluation.comparison import align
from srag_mcp.evaluation.evaluate import EvaluationPlan, SchemaSource, categories_of, evaluate
from srag_mcp.evaluation.pack import Pack, PackQuestion, read_pack
from srag_mcp.inference.ask import ask
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard.check import check_query
from tests.benchmarks.told_prompts import told_prompts
from tests.benchmarks.yardstick_children import score_children
from tests.benchmarks.yardstick_columns import Records, align_rows, judge_columns
from tests.benchmarks.yardstick_report import (
    Part,
    Question,
    Tokens,
    Walk,
    normalise_note,
)

_WALKED_PACK = "hotels"
WALKED = "How many hotels have a pool?"
# What a function can be made to return, whatever it is given.
CONSTANTS: dict[str, Callable[..., object]] = {
    "False": lambda *given, **named: False,
    "True": lambda *given, **named: True,
    "None": lambda *given, **named: None,
    "nothing": lambda *given, **named: [],
    "its first argument": lambda *given, **named: given[0] if given else None,
}
_PACKAGE = "/srag_mcp/"
_GUARD = "/srag_mcp/store/guard/"


class Replaced(BaseModel):
    """A function (`module:name`) that does nothing but return a constant; see `CONSTANTS`."""

    function: str
    constant: str

    @property
    def name(self) -> str:
        """Both, to tell the change from others."""
        return f"{self.function} = {self.constant}"

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Replace the body of the function, so that whoever holds it holds the constant."""
        module, _, path = self.function.partition(":")
        found: object = importlib.import_module(module)
        for name in path.split("."):
            found = inspect.getattr_static(found, name)
        found = found.fget if isinstance(found, property) else inspect.unwrap(_plain(found))
        assert isinstance(found, FunctionType), f"{self.function} is no function"
        own, found.__code__ = found.__code__, CONSTANTS[self.constant].__code__
        try:
            yield
        finally:
            found.__code__ = own


def _plain(found: object) -> Callable[..., object]:
    return found.__func__ if isinstance(found, staticmethod | classmethod) else found  # type: ignore[return-value]


class Task(BaseModel):
    """What is measured.

    Attributes:
        pack: The folder of the pack.
        called: Name of the folder in which a user would have its documents.
        shard: Of a pack of tables: which of how many equal parts of its tables.
        replies: Recorded replies of a language model; None for the offline engine.
        schema_source, n_documents: Of a replay: where the schema comes from, and how many documents
            are read; None for all.
        lists: Of a replay: whether the lists that the model proposed are read.
        replaced: What is changed in the code before anything is done.
        told, stand_ins: Of a replay: files of its prompts, see `told_prompts`.
        hash_seed: Of the process; it decides on the order of sets.
        asked_with: What is changed, each alone, when all questions are asked again.
    """

    name: str
    pack: Path
    what: Literal["documents", "tables", "replay"] = "documents"
    called: str = ""
    shard: tuple[int, int] = (0, 1)
    replies: Path | None = None
    schema_source: SchemaSource = "inferred"
    n_documents: int | None = None
    lists: bool = False
    replaced: list[Replaced] = Field(default_factory=list)
    asked_with: list[Replaced] = Field(default_factory=list)
    told: Path | None = None
    stand_ins: Path | None = None
    hash_seed: str = "0"


def measure(task: Task) -> Part:
    """Measure one part."""
    with ExitStack() as changes:
        for change in task.replaced:
            changes.enter_context(change.in_force())
        if task.told:
            changes.enter_context(told_prompts(task.told, task.stand_ins))
        return _measure(task)


def _measure(task: Task) -> Part:
    started = time.monotonic()
    if task.what == "replay":
        part = _replay(task)
    else:
        pack = read_pack(task.pack)
        pack = replace(pack, name=task.called or pack.name)
        # One reader process: the yardstick itself runs a process for each core.
        with open_bench(Settings(engine="offline", workers=1)) as bench:
            part = (
                _of_tables(task, pack, bench)
                if pack.of_tables
                else _of_documents(task, pack, bench)
            )
    found = {"name": task.name, "what": task.what, "seconds": time.monotonic() - started}
    return part.model_copy(update=found)


def _of_documents(task: Task, pack: Pack, bench: Bench) -> Part:
    started = time.monotonic()
    folder = bench.lay_out(pack)
    ingest(folder, bench.settings, questions=pack.sample_questions)
    ingest_s = time.monotonic() - started
    corpus = bench.corpus(bench.place_of(folder))
    schema, found = corpus.schema(), read_records(corpus)
    names = match_names(found, list(pack.gold))
    if (pack.folder / "rows.csv").exists():
        names = align_rows(pack.gold, found)
        extra = [cells for name, cells in found.items() if name not in names]
        records = Records(pack.gold, {names[name]: found[name] for name in names}, extra)
    else:
        records = Records(pack.gold, match_documents(found, list(pack.gold)))
    scores = align(pack.gold, records.found, categories_of(schema))
    n_gold = len(pack.gold)
    part = Part(
        name=pack.name,
        folder=folder.name,
        entity=schema.entity,
        n_documents=corpus.info().n_documents,
        n_records=len(found),
        n_extra_records=len(records.extra),
        questions=_ask(corpus, pack.questions),
        columns=judge_columns(schema.attributes, records),
        cells={
            score.field: score.accuracy * n_gold / (n_gold + len(records.extra)) for score in scores
        },
        children=score_children(pack.folder, corpus, names),
        ingest_s=ingest_s,
    )
    if pack.folder.name == _WALKED_PACK:
        part.walk = walk(corpus, WALKED)
    for change in task.asked_with:
        part.changed[change.name] = _ask_with(change, part, corpus, pack)
    return part


def _ask_with(change: Replaced, part: Part, corpus: Corpus, pack: Pack) -> Part:
    """Ask again with one change; where that fails, whatever the reason, say so."""
    changed = Part(name=part.name, columns=part.columns)
    with change.in_force(), ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_ask, corpus, pack.questions)
        if error := asked.exception():
            changed.error = repr(error)
        else:
            changed.questions = asked.result()
    return changed


def _of_tables(task: Task, pack: Pack, bench: Bench) -> Part:
    tables = list(dict.fromkeys(question.table for question in pack.questions))
    first, step = task.shard
    kept = set(tables[first::step])
    pack = replace(pack, questions=tuple(item for item in pack.questions if item.table in kept))
    part = Part(name=task.name, what="tables", folder="the stem of the table's file")
    for corpus, questions in bench.tables(pack):
        part.n_documents += corpus.info().n_documents if corpus else 0
        part.questions += _ask(corpus, questions)
    return part


def _replay(task: Task) -> Part:
    plan = EvaluationPlan(task.schema_source, task.n_documents)
    model = f"replay:{task.replies}"
    found = evaluate(task.pack, Settings(model=model, workers=1, lists=task.lists), plan)
    return Part(
        name=task.name,
        n_documents=found.documents,
        questions=[_judged(result) for result in found.questions],
        cells={score.field: score.accuracy for score in found.cells},
        calls=found.calls,
        tokens=found.tokens and Tokens.model_validate(found.tokens),
    )


def _ask(corpus: Corpus | None, questions: Sequence[PackQuestion]) -> list[Question]:
    results = ask_questions(corpus, questions)
    schema = corpus.schema() if corpus else None
    names = [schema.entity, *(item.name for item in schema.attributes)] if schema else []
    return [_judged(result, names) for result in results]


def _judged(result: QuestionResult, names: Sequence[str] = ()) -> Question:
    """Write a result down, with what was said beside the answer; *names* are those of columns."""
    asked = result.question
    said = {"kind": asked.kind, "question": asked.question, **result.to_json()}
    judged = Question.model_validate_json(json.dumps(said, default=str))
    answer = result.answer
    if answer is not None and answer.refused:
        judged.notes = [answer.text]
    elif answer is not None:
        judged.notes = [*answer.warnings, *answer.assumptions]
        judged.templates = [normalise_note(note, names) for note in judged.notes]
        bounds = answer.bounds
        judged.bounds = (bounds.lower, bounds.upper) if bounds else None
    return judged


def walk(corpus: Corpus, question: str) -> Walk:
    """Follow *question* through the package, once it has been asked before."""
    ask(corpus, question)
    passed: Counter[CodeType] = Counter()
    parsed: list[str] = []
    statements: list[str] = []

    def follow(frame: FrameType, event: str, argument: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and _PACKAGE in path:
            passed[frame.f_code] += 1
            caller = frame.f_back.f_code.co_filename if frame.f_back else ""
            if _GUARD in path and _PACKAGE in caller and _GUARD not in caller:
                statements.extend([str(frame.f_locals["sql"])] if "sql" in frame.f_locals else [])
        elif event == "call" and path.endswith("sqlglot/parser.py"):
            parsed.extend([str(frame.f_locals["sql"])] if frame.f_code.co_name == "parse" else [])

    threading.setprofile(follow)
    sys.setprofile(follow)
    answer = ask(corpus, question)
    sys.setprofile(None)
    threading.setprofile(None)
    found = Walk(
        files=len({code.co_filename for code in passed}),
        functions=len(passed),
        calls=passed.total(),
        parses=len(parsed),
        n_parsed=len(set(parsed)),
        most_parses=max(Counter(parsed).values(), default=0),
        statements=len(statements),
        guard_parses=0,
    )
    parsed.clear()
    sys.setprofile(follow)
    check_query(answer.sql, corpus.tables())
    sys.setprofile(None)
    found.guard_parses = len(parsed)
    return found


def main(task: str) -> None:
    """Measure the part that *task* describes, and print it."""
    logging.basicConfig(level=logging.ERROR)
    print(measure(Task.model_validate_json(task)).model_dump_json())


if __name__ == "__main__":
    main(sys.argv[1])
