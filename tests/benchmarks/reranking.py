"""Reranking: how near the top `ask` puts what holds the answer, where a model rewrites and chooses.

    python -m tests.benchmarks.reranking PACK WORK [--questions FILE] [--replies FILE]
        [--sentences FILE]

PACK is one of retrieval (its questions name documents, and it has no gold records). Each question
goes the way of `ask`: the model narrows and rewrites, at most 40 snippets of 80 tokens are found,
and it chooses among them. Replies are those recorded in `--replies`, such as those of `srag-mcp
eval PACK --system hybrid --record FILE`; without it all questions are asked at once of the engine
`agent` (`srag-mcp prompts next WORK/NAME`, with SRAG_HOME=WORK/home).
Printed, as counts or means with 95 % intervals: the search of the question alone; the passages that
the rewritten question finds; those chosen alone, which is what is read; and those with the others
of the 40 below them. Where nothing is chosen, for each document would have to be read or no passage
seems to say it, that is said, and the last ranking is that of the rewritten question.
`--sentences` answers the questions as well, and keeps what each sentence says, and its quotes.
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import anyio

from srag_mcp.engines.model import ModelEngine
from srag_mcp.errors import ModelError
from srag_mcp.evaluation.bench import Bench, ask_question, match_names, open_bench, read_records
from srag_mcp.evaluation.evaluate import NO_COLUMNS
from srag_mcp.evaluation.pack import Pack, PackQuestion, read_pack, take_questions
from srag_mcp.evaluation.retrieval import (
    Hit,
    Run,
    by_search,
    compare_runs,
    rank_questions,
    score_run,
)
from srag_mcp.inference.ask import Asking
from srag_mcp.inference.by_reading import MAX_SNIPPETS, choose_passages, narrow
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval import search
from srag_mcp.retrieval.segments import gather
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus

_SHOWN = ("hit_1", "hit_3", "hit_5", "hit_10", "mrr", "page_recall_5", "page_recall_10")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a question came to.

    Attributes:
        found: What the rewritten question finds, in the documents that are left.
        chosen: What the model chooses of it, or of more of these documents.
        proposes: Whether it wants each document read instead, so that nothing is chosen.
        error: Why there was no reply; empty where there was.
    """

    found: tuple[search.Hit, ...] = ()
    chosen: tuple[search.Hit, ...] = ()
    proposes: bool = False
    error: str = ""


async def choose(model: LanguageModel, corpus: Corpus, question: str) -> Chosen:
    """Find and choose passages for *question*, as `answer_by_reading` does."""
    try:
        narrowing = await narrow(model, corpus, question, ())
        proposes, chosen = narrowing.attribute is not None, tuple[search.Hit, ...]()
        if not proposes:
            narrowing, chosen = await choose_passages(model, corpus, question, narrowing)
    except ModelError as error:
        return Chosen(error=str(error))
    searches = (question, *narrowing.searches)
    found = gather(corpus, searches, narrowing.documents, MAX_SNIPPETS)
    return Chosen(found, chosen, proposes)


async def read_sentences(
    model: LanguageModel, corpus: Corpus, question: PackQuestion
) -> list[dict[str, object]]:
    """Answer *question*, and return what each sentence says, and its quotes."""
    result = await ask_question(corpus, question, Asking(model))
    reading = result.answer.reading if result.answer else None
    return (
        [
            {
                "id": question.id,
                "question": question.question,
                "outcome": result.outcome,
                "sentence": sentence.text,
                "computed": [item.render() for item in reading.computed],
                "values": dict(reading.values),
                "quotes": [
                    {
                        "document": quote.document_id,
                        "page": quote.page,
                        "headings": quote.headings,
                        "text": quote.text,
                    }
                    for quote in sentence.quotes
                ],
            }
            for sentence in reading.sentences
        ]
        if reading
        else []
    )


def build(pack: Pack, bench: Bench) -> Path:
    """Read and cut the documents of *pack*, into no columns."""
    folder = bench.lay_out(pack)
    report = ingest(folder, bench.settings.with_engine("offline"), schema=NO_COLUMNS)
    for failure in report.failed:
        print(f"{failure.path} could not be read: {failure.reason}", flush=True)
    return folder


def hits_of(hits: Iterable[search.Hit], names: dict[str, str]) -> tuple[Hit, ...]:
    """Return passages as rankings are scored, each once; *names*: what questions call documents."""
    found = (
        Hit(names.get(hit.document_id, hit.document_id), hit.page, str(hit.number)) for hit in hits
    )
    return tuple(dict.fromkeys(found))


def tell(runs: dict[str, Run], questions: Iterable[PackQuestion]) -> None:
    """Print the figures of each ranking, and how much the last is better than the first."""
    asked = tuple(questions)
    scored = {name: score_run(run, asked) for name, run in runs.items()}
    for name, found in scored.items():
        print(name)
        for measure, figure in found.figures().items():
            if measure in _SHOWN:
                count = f"{round(figure.mean * figure.n)} of " if "hit" in measure else ""
                interval = f"{figure.low:.2f} to {figure.high:.2f}"
                print(f"  {measure}: {count}{figure.n}, {figure.mean:.3f} ({interval})")
    first, *_, last = scored.values()
    for measure, change in compare_runs(last, first).items():
        if measure in _SHOWN:
            print(f"last against first, {measure}: {change.difference:+.3f} (p = {change.p:.4f})")


def main() -> None:
    """Ask, rank and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--replies", type=Path)
    parser.add_argument("--sentences", type=Path)
    options = parser.parse_args()
    pack = read_pack(options.pack)
    if options.questions:
        pack = take_questions(pack, options.questions)
    settings = Settings().with_engine("agent")
    if options.replies:
        settings = Settings(engine="model", model=f"replay:{options.replies}")
    results: dict[str, Chosen] = {}
    sentences: dict[str, list[dict[str, object]]] = {}
    with open_bench(settings, options.work) as bench:
        folder = build(pack, bench)
        corpus = bench.corpus(folder)
        with bench.open_engine(folder) as engine:
            assert isinstance(engine, ModelEngine)
            model = engine.model

            async def ask(question: PackQuestion) -> None:
                results[question.id] = await choose(model, corpus, question.question)
                if options.sentences:
                    sentences[question.id] = await read_sentences(model, corpus, question)

            async def ask_all() -> None:
                async with anyio.create_task_group() as tasks:
                    for question in pack.questions:
                        tasks.start_soon(ask, question)

            run_to_end(ask_all)
        named = [name for question in pack.questions for name in question.documents]
        names = match_names(read_records(corpus), named)
        runs: dict[str, Run] = {
            "the question alone": rank_questions(by_search(corpus), pack.questions, names),
            "rewritten": {key: hits_of(one.found, names) for key, one in results.items()},
            "chosen": {key: hits_of(one.chosen, names) for key, one in results.items()},
            "chosen, then the others": {
                key: hits_of((*one.chosen, *one.found), names) for key, one in results.items()
            },
        }
    tell(runs, pack.questions)
    failed = [one.error for one in results.values() if one.error]
    proposed = sum(one.proposes for one in results.values())
    none = sum(not (one.chosen or one.proposes or one.error) for one in results.values())
    print(f"{proposed} wanted each document read, {none} found nothing, {len(failed)} failed")
    if failed:
        print(f"the first that failed: {failed[0]}")
    if options.sentences:
        kept = [item for question in pack.questions for item in sentences[question.id]]
        options.sentences.write_text(json.dumps(kept, indent=1, ensure_ascii=False))
        print(f"{len(kept)} sentences in {sum(map(bool, sentences.values()))} answers")


if __name__ == "__main__":
    main()
