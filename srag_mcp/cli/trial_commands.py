"""The commands that try the package out: on its own pages, and on packs with gold."""

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from srag_mcp import open_corpus, views
from srag_mcp.cli.arguments import (
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    command_settings,
    shipped_corpus,
)
from srag_mcp.cli.building_commands import ingest_corpus, interruption
from srag_mcp.cli.config_command import Client, config_place, render_config, server_command
from srag_mcp.cli.printing import print_json, print_table, say, show_progress
from srag_mcp.cli.reading_commands import print_schema

if TYPE_CHECKING:  # what evaluates is loaded by the command that does
    from collections.abc import Mapping

    from srag_mcp.evaluation.evaluate import Evaluation, SystemRun
    from srag_mcp.evaluation.retrieval import Change, Retrieval

RunFiles = Annotated[
    list[Path],
    typer.Argument(help="What eval --system NAME --json printed.", metavar="RUN..."),
]
WorkOption = Annotated[Path | None, typer.Option(help="Folder to work in and keep.", metavar="DIR")]
RecordOption = Annotated[
    Path | None, typer.Option(help="Write the model's replies there.", metavar="FILE")
]
CORPUS = "hotels"
QUESTIONS = (
    "What is the average price per night of hotels with a pool but no airport shuttle?",
    "How many four-star hotels have a pool?",
    "Which city has the highest average price per night?",
)


def demo(home: HomeOption = None) -> None:
    """Ingest 60 shipped hotel pages and answer three questions."""
    from srag_mcp.engines.offline import OfflineEngine
    from srag_mcp.inference.ask import ask

    started, settings = time.perf_counter(), command_settings(home)
    folder = shipped_corpus(CORPUS, settings)
    # As on the first day, whatever was done before, and whatever is configured here.
    offline = settings.with_engine(OfflineEngine.name)
    report = ingest_corpus(folder, offline, {"fresh": True})
    _title(f"{report.n_documents} hotel pages become one table")
    print(f"documents: {folder / 'documents'}")
    print(f"{len(report.failed)} could not be read; {len(report.attributes)} columns were found")
    say(*(f"warning: {warning}" for warning in report.warnings))
    with open_corpus(folder, settings) as corpus:
        _title("The schema that was found: no model, no key, no network")
        print_schema(corpus)
        for question in QUESTIONS:
            _title(question)
            say(*views.answers.answer_lines(ask(corpus, question), CORPUS))
    _title(f"For Claude Desktop, paste into {config_place(Client.CLAUDE_DESKTOP)}")
    print(render_config(Client.CLAUDE_DESKTOP, [folder], server_command(), settings.home))
    print(f"\n{time.perf_counter() - started:.1f} s. Now with your own folder:")
    print(f'  {shlex.join(server_command())} ask ./your-folder "How many …?"')


def _title(text: str) -> None:
    print(f"\n== {text}", flush=True)


def evaluate(
    pack: Annotated[
        Path,
        typer.Argument(help="A folder with documents/, or a published benchmark.", metavar="PACK"),
    ],
    schema: Annotated[
        Literal["inferred", "gold", "gold-records"],
        typer.Option(help="Find columns, follow the pack's schema.json, or ask the gold itself."),
    ] = "inferred",
    documents: Annotated[
        int | None, typer.Option(min=1, help="Evenly spaced documents only.", metavar="N")
    ] = None,
    engine: EngineOption = None,
    model: ModelOption = None,
    work: WorkOption = None,
    record: RecordOption = None,
    questions: Annotated[
        Path | None, typer.Option(help="Ask those whose ids it lists.", metavar="FILE")
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(help="Who answers: hybrid, or a baseline such as vector-rag.", metavar="NAME"),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="Build the table from these replies.", metavar="FILE")
    ] = None,
    context: Annotated[
        int | None,
        typer.Option(min=1000, help="Most tokens of a prompt of full-corpus.", metavar="TOKENS"),
    ] = None,
    at_once: Annotated[
        int, typer.Option(min=1, help="Questions that share such a prompt.", metavar="N")
    ] = 1,
    embedder: Annotated[
        str, typer.Option(help="Who makes vectors: local, or as litellm names it.", metavar="NAME")
    ] = "local",
    ranking: Annotated[
        Literal["search", "bm25"], typer.Option(help="What ranks passages, in a pack of retrieval.")
    ] = "search",
    run: Annotated[
        Path | None, typer.Option(help="Write the ranking there, as TREC does.", metavar="FILE")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Compare with such a file, in pairs.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure cells and questions on a document pack with gold, or retrieval where it has none."""
    from srag_mcp.evaluation.evaluate import EvaluationPlan
    from srag_mcp.evaluation.evaluate import evaluate as evaluate_pack

    settings = command_settings(None, engine=engine, model=model)
    with interruption(), show_progress() as show:
        plan = EvaluationPlan(
            schema=schema,
            n_documents=documents,
            work=work,
            record=record,
            ranking=ranking,
            run=run,
            against=against,
            questions=questions,
            system=system,
            records=records,
            context_tokens=context,
            at_once=at_once,
            embedder=embedder,
        )
        evaluation = evaluate_pack(pack, settings, plan, show)
    if as_json:
        print_json(evaluation.to_json())
        return
    if evaluation.retrieval is not None:
        _print_retrieval(evaluation.retrieval, evaluation.changes)
    else:
        _print_figures(evaluation)
    if evaluation.run is not None:
        _print_run(evaluation.run)
    taken, calls = evaluation.tokens, ""
    if taken is not None and evaluation.calls:
        calls = f", {evaluation.calls:,} calls, {taken.total:,} tokens"
    read = f"{evaluation.documents} documents, engine {evaluation.engine}"
    print(f"\n{read}{calls}, {evaluation.seconds:.1f} s")


def judge(
    runs: RunFiles,
    engine: EngineOption = None,
    model: ModelOption = None,
    work: WorkOption = None,
    record: RecordOption = None,
    seed: Annotated[int, typer.Option(help="Of the order of the answers.", metavar="N")] = 0,
) -> None:
    """Let a language model judge the answers of saved runs, and add its verdicts to them."""
    from srag_mcp.evaluation.saved_runs import JudgePlan, judge_files, write_table

    settings = command_settings(None, engine=engine, model=model)
    with interruption(), show_progress() as show:
        judged, n_failed = judge_files(runs, settings, JudgePlan(work, record, seed), show)
    print("\n".join(write_table(judged)))
    if n_failed:
        print(f"\n{n_failed} answers have no verdict: the judge gave none")


def compare(runs: RunFiles, as_json: JsonOption = False) -> None:
    """Show saved runs of systems side by side, each tested in pairs against the first."""
    from srag_mcp.evaluation.saved_runs import compare_with_first, read_saved_run, write_table

    read = [read_saved_run(path) for path in runs]
    if as_json:
        figures = [{"pack": run.pack, "system": run.system, **run.figures()} for run in read]
        pairs = [item.model_dump() for each in compare_with_first(read) for item in each]
        print_json({"runs": figures, "pairs": pairs})
    else:
        print("\n".join(write_table(read)))


def _print_run(run: "SystemRun") -> None:
    embedder = f", embedder {run.embedder}" if run.embedder else ""
    print(
        f"\nsystem {run.system}{embedder}: {run.tokens.median:,.0f} tokens a question in the median"
    )
    print_table(
        ("step", "tokens in", "tokens out"), [(step, *n) for step, n in run.tokens.by_step.items()]
    )
    say(*run.notes)


def _print_retrieval(found: "Retrieval", changes: "Mapping[str, Change]") -> None:
    rows: list[tuple[str | int, ...]] = []
    for name, (mean, n, low, high) in found.figures().items():
        told = [f"{changes[name].difference:+.3f}", f"{changes[name].p:.4f}"] if changes else []
        rows.append((name, f"{mean:.3f}", f"{low:.3f} to {high:.3f}", n, *told))
    head = ("retrieval", "mean", "95 % interval", "questions", "difference", "p")
    print_table(head if changes else head[:4], rows)


def _print_figures(evaluation: "Evaluation") -> None:
    from srag_mcp.evaluation.bench import OUTCOMES

    cells, mean = evaluation.cells, evaluation.cells_mean
    if mean is not None:
        scores = [(score.field, score.column, f"{score.accuracy:.3f}") for score in cells]
        print_table(("gold field", "column", "accuracy"), [*scores, ("mean", None, f"{mean:.3f}")])
        for score in cells:
            if score.renamed:
                print(
                    f"{score.field}: {score.renamed:.3f} of them by other names of categories in"
                    f" {score.column}"
                )
        print()
    rows: list[tuple[str | int, ...]] = []
    for name, group in [*evaluation.by_kind().items(), ("all", evaluation.questions)]:
        outcomes = [result.outcome for result in group]
        counts = [outcomes.count(outcome) for outcome in OUTCOMES]
        rows.append((name, len(group), sum(item.is_answered for item in group), *counts))
    print_table(("questions", "total", "answered", *OUTCOMES), rows)
    answered = [item for item in evaluation.questions if item.is_answered]
    if answered:
        right = sum(item.outcome == "right" for item in answered)
        print(f"\nright among answered: {right} of {len(answered)} ({right / len(answered):.2f})")
