"""Fit what the assumptions of a reading cost: the weights of `srag_mcp/grammar/filters.py`.

    python -m tests.benchmarks.fit_grammar [--packs DIR]

Every question of `tests/grammar/worlds`, and with DIR those of its packs over their gold records
and of `wtq_dev` over its tables, gives its candidate readings with their features; each is right or
wrong by the rows of its query. A refusal is a candidate, too, which costs LIMIT and is right where
no other one is. The weights make the right candidate likely (a softmax over negative costs, weights
not below zero, drawn to those in force); a wrong answer counts more than a refusal. It prints the
weights, and right / wrong / refused by cross-validation over worlds for several margins.
"""

import argparse
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from srag_mcp.errors import SragError
from srag_mcp.evaluation.matching import is_right, is_right_of_table
from srag_mcp.evaluation.pack import (
    PackQuestion,
    read_gold_schema,
    read_pack,
    write_gold_records,
)
from srag_mcp.grammar.filters import LIMIT, MARGIN, WEIGHTS
from srag_mcp.grammar.link import read_sentences
from srag_mcp.grammar.table import describe_table
from srag_mcp.grammar.translate import read_question
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool, Value
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import ValueIndex
from tests.grammar.conftest import FOLDER, read_world
from tests.grammar.test_worlds import _plain

_FOLDS, _STEPS, _RATE, _WRONG, _PULL = 5, 300, 0.02, 4.0, 0.002
_MARGINS = (0.0, 0.15, 0.25, 0.35, 0.5)


@dataclass(frozen=True)
class Case:
    """A question of a world: its candidates, as features and whether each is right."""

    world: str
    candidates: tuple[tuple[Mapping[str, float], bool], ...]


def collect(packs: Path | None) -> list[Case]:
    """Return the cases of the worlds, and of the packs in the folder *packs*."""
    cases = list(_of_worlds())
    if packs is not None:
        with tempfile.TemporaryDirectory() as scratch:
            cases += _of_packs(packs, Path(scratch))
    return cases


def _of_worlds() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.json")):
        world = read_world(path)
        lines = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
        for question, line in zip(lines[::2], lines[1::2], strict=True):
            sql = line.strip().removeprefix("OR REFUSED ")
            wanted = None if sql == "REFUSED" else sorted(_plain(world.rows(sql)), key=str)
            table = describe_table(world.schema, world.statistics)
            ranked, _ = read_question(read_sentences(question, table, world.values), table)
            found = [
                (parse.features, sorted(_plain(world.rows(parse.sql)), key=str) == wanted)
                for _, parse in ranked[:8]
            ]
            yield Case(path.stem, tuple(found))


def _of_packs(packs: Path, scratch: Path) -> Iterator[Case]:
    settings = Settings(home=scratch / "home", engine="offline")
    for folder in sorted(packs.iterdir()):
        if (folder / "gold.csv").exists() and (folder / "questions.jsonl").exists():
            pack = read_pack(folder)
            place = scratch / folder.name
            place.mkdir()
            write_gold_records(pack, place / "gold.csv")
            try:
                ingest(place, settings, rows="row", schema=read_gold_schema(pack))
            except SragError as error:
                print(f"{folder.name}: left out, {error}")
                continue
            yield from _ask(place, settings, pack.questions, folder.name)
        elif (folder / "tables").is_dir():
            by_table: dict[str, list[PackQuestion]] = defaultdict(list)
            for question in read_pack(folder).questions:
                by_table[str(question.table)].append(question)
            for number, (table, questions) in enumerate(by_table.items()):
                place = scratch / f"table{number}"
                place.mkdir()
                (place / "table.csv").write_bytes((folder / table).read_bytes())
                try:
                    ingest(place, settings, rows="row")
                except SragError:
                    continue
                yield from _ask(place, settings, questions, f"{folder.name}-{number % 10}")


def _ask(
    folder: Path, settings: Settings, questions: Sequence[PackQuestion], world: str
) -> Iterator[Case]:
    with QueryPool() as pool:
        corpus = Corpus(folder, pool, settings.home)
        schema, values = corpus.schema(), corpus.values()
        statistics = {item.column: item for item in corpus.statistics()}
        with duckdb.connect(str(corpus.build_path()), read_only=True) as build:
            for question in questions:
                yield _case(question, (schema, statistics, values), build, world)


def _case(
    question: PackQuestion,
    seen: tuple[Schema, Mapping[str, ColumnStatistics], ValueIndex],
    build: duckdb.DuckDBPyConnection,
    world: str,
) -> Case:
    schema, statistics, values = seen
    table = describe_table(schema, statistics)
    ranked, _ = read_question(read_sentences(question.question, table, values), table)
    found = []
    for _, parse in ranked[:8]:
        rows = [tuple(map(_value, row)) for row in build.execute(parse.sql).fetchall()]
        found.append((parse.features, _judge(question, rows)))
    return Case(world, tuple(found))


def _value(value: object) -> Value:
    return value if isinstance(value, int | float | str | None) else str(value)


def _judge(question: PackQuestion, rows: Sequence[tuple[Value, ...]]) -> bool:
    if question.table is None:
        return is_right(question, rows)
    members = question.answer if isinstance(question.answer, tuple) else ()
    wanted = [member for member in members if not isinstance(member, tuple)]
    return bool(wanted) and is_right_of_table([row[0] for row in rows if row], wanted)


def fit(cases: Sequence[Case], start: Mapping[str, float]) -> dict[str, float]:
    """Return weights under which the right candidates of *cases* are likely."""
    weights = dict(start)
    for _ in range(_STEPS):
        slope: defaultdict[str, float] = defaultdict(float)
        for case in cases:
            costs = [sum(weights.get(k, 0.0) * v for k, v in f.items()) for f, _ in case.candidates]
            odds = [math.exp(-cost) for cost in (*costs, LIMIT)]
            right = [ok for _, ok in case.candidates]
            rights = [*right, not any(right)]
            good = sum(odd for odd, ok in zip(odds, rights, strict=True) if ok)
            for (features, ok), odd in zip(case.candidates, odds[:-1], strict=True):
                share = odd / sum(odds) * (1 if ok or any(right) else _WRONG)
                share -= odd / good if ok else 0.0
                for name, value in features.items():
                    slope[name] -= share * value
        for name in weights:
            pull = _PULL * len(cases) * (weights[name] - start[name])
            weights[name] = max(0.0, weights[name] - _RATE * (slope[name] + pull) / len(cases) * 50)
    return weights


def judge(cases: Sequence[Case], weights: Mapping[str, float], margin: float) -> Counter[str]:
    """Count right, wrong and refused of *cases*."""
    counts: Counter[str] = Counter()
    for case in cases:
        costs = sorted(
            (sum(weights.get(k, 0.0) * v for k, v in features.items()), ok)
            for features, ok in case.candidates
        )
        sure = bool(costs) and costs[0][0] <= LIMIT
        alone = len(costs) < 2 or costs[1][0] - costs[0][0] >= margin
        counts["refused" if not (sure and alone) else "right" if costs[0][1] else "wrong"] += 1
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packs", type=Path)
    cases = collect(parser.parse_args().packs)
    worlds = sorted({case.world for case in cases})
    print(f"{len(cases)} questions of {len(worlds)} worlds")
    print("in force:", dict(judge(cases, WEIGHTS, MARGIN)), f"margin {MARGIN}")
    held: dict[float, Counter[str]] = {margin: Counter() for margin in _MARGINS}
    for fold in range(_FOLDS):
        out = set(worlds[fold::_FOLDS])
        weights = fit([case for case in cases if case.world not in out], WEIGHTS)
        for margin in _MARGINS:
            held[margin] += judge([case for case in cases if case.world in out], weights, margin)
    for margin, counts in held.items():
        print(f"held out, margin {margin}:", dict(counts))
    for name, weight in fit(cases, WEIGHTS).items():
        print(f'    "{name}": {weight:.2f},  # in force {WEIGHTS[name]}')


if __name__ == "__main__":
    main()
