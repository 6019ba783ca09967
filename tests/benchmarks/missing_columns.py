"""Attributes without a column: questions by what a schema does not hold, read when it is asked for.

    python -m tests.benchmarks.missing_columns PACK REPLIES WORK --without a,b,c --save FILE
        [--documents N] [--questions FILE] [--build]

PACK has gold; REPLIES are those recorded with its gold schema (`--schema gold`). The table is built
from them, the columns named in `--without` are taken out of the schema, and the questions whose
`gold_sql` uses one (of those that `--questions` lists) are asked, all at once, of the engine
`agent` in the folder WORK/NAME (`srag-mcp prompts next WORK/NAME`, with SRAG_HOME=WORK/home). What
an answer proposes to read is read (`extend_schema`, keep=false), and the question asked again, as
often as it proposes more. Printed: outcomes of each round, how often something was asked for, and
for how many of these documents had to be read: what was read by another name is not read again.

`--build` asks nothing: it leaves the table in WORK, and in `--save` the ids of the questions. So
another system can stand on it: `srag-mcp eval PACK --system NAME --schema gold --work WORK
--questions FILE`, where PACK has a `schema.json`, which is left in WORK, without these columns.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from srag_mcp.engines.model import ModelEngine
from srag_mcp.errors import SchemaError
from srag_mcp.evaluation.bench import Bench, QuestionResult, ask_each, ask_question, open_bench
from srag_mcp.evaluation.evaluate import take_documents
from srag_mcp.evaluation.pack import (
    Pack,
    PackQuestion,
    read_gold_schema,
    read_pack,
    take_questions,
)
from srag_mcp.inference.ask import Asking
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.json_schema import schema_to_json
from srag_mcp.settings import Settings

MOST_ROUNDS = 3


def ask_all(
    bench: Bench, folder: Path, questions: list[PackQuestion]
) -> tuple[QuestionResult, ...]:
    """Ask *questions* at once, of whoever answers the prompts of the agent engine."""
    with bench.open_engine(folder) as engine:
        assert isinstance(engine, ModelEngine)
        corpus, asking = bench.corpus(folder), Asking(engine.model)

        async def ask(batch: Sequence[PackQuestion]) -> list[QuestionResult]:
            return [await ask_question(corpus, question, asking) for question in batch]

        return ask_each([[question] for question in questions], ask)


def build(pack: Pack, bench: Bench, replies: Path, without: list[str]) -> Path:
    """Build the table from recorded replies, and take columns out of its schema."""
    schema, folder = read_gold_schema(pack), bench.lay_out(pack)
    recorded = bench.settings.model_copy(
        update={"model": f"replay:{replies}", "engine": "model", "lists": False}
    )
    ingest(folder, recorded, questions=pack.sample_questions, schema=schema)
    left = tuple(item for item in schema.attributes if item.name not in without)
    assert len(left) == len(schema.attributes) - len(without), "one is no column"
    schema = schema.model_copy(update={"attributes": left})
    ingest(folder, recorded, schema=schema)
    (bench.folder / "schema.json").write_text(json.dumps(schema_to_json(schema)))
    return folder


def tell(results: Iterable[QuestionResult]) -> None:
    """Print how many have which outcome."""
    print(dict(Counter(item.outcome for item in results)), flush=True)


def main() -> None:
    """Ask, read what is proposed, ask again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("replies", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--without", required=True)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--save", type=Path, required=True)
    options = parser.parse_args()
    without = options.without.split(",")
    pack = read_pack(options.pack)
    if options.documents:
        pack = take_documents(pack, options.documents)
    if options.questions:
        pack = take_questions(pack, options.questions)
    used = re.compile(rf"\b(?:{'|'.join(map(re.escape, without))})\b")
    questions = [item for item in pack.questions if used.search(item.gold_sql)]
    with open_bench(Settings(), options.work) as bench:
        folder = build(pack, bench, options.replies, without)
        if options.build:
            options.save.write_text("".join(f"{item.id}\n" for item in questions))
            return
        agent = replace(bench, settings=bench.settings.with_engine("agent"))
        results = {item.question.id: item for item in ask_all(agent, folder, questions)}
        before, n_calls, n_readings = dict(results), 0, 0
        for _ in range(MOST_ROUNDS):
            open_ones = [
                item
                for item in results.values()
                if item.answer and item.answer.proposal is not None
            ]
            proposals = {
                (item.answer.proposal.attribute, item.answer.proposal.documents)
                for item in open_ones
                if item.answer and item.answer.proposal
            }
            tell(results.values())
            if not proposals:
                break
            for attribute, documents in sorted(proposals, key=lambda pair: (len(pair[1]), pair)):
                n_calls += 1
                try:
                    report = ingest(
                        folder, agent.settings, attribute=attribute, documents=documents, keep=False
                    )
                except SchemaError as error:  # no document that was shown says it
                    print(f"not read: {error}", flush=True)
                else:
                    n_readings += report.n_predicted > 0
                    told = f"{report.n_predicted} documents, {report.stopped or 'done'}"
                    print(f"read {attribute!r}: {told}", flush=True)
            asked = [item.question for item in open_ones]
            results |= {item.question.id: item for item in ask_all(agent, folder, asked)}
    rows = [
        {
            "id": name,
            "question": item.question.question,
            "expected": item.question.answer,
            "before": before[name].outcome,
            "after": item.outcome,
            "text": item.answer and item.answer.text,
            "sql": item.answer and item.answer.sql,
            "tokens": item.answer and item.answer.taken and item.answer.taken.tokens_in,
        }
        for name, item in results.items()
    ]
    options.save.write_text(json.dumps(rows, indent=1, ensure_ascii=False, default=str))
    print(f"{n_calls} calls, {n_readings} readings for {len(questions)} questions")


if __name__ == "__main__":
    main()
