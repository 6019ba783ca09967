"""The commands to begin with: configurations to paste, a demo, packs with gold to measure on."""

import json
import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from srag_mcp import open_corpus, views
from srag_mcp.cli.arguments import (
    ApiBaseOption,
    CorpusOptions,
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    argument,
    command_settings,
    find_corpus,
    option,
    shipped_corpus,
)
from srag_mcp.cli.building_commands import ingest_corpus, interruption
from srag_mcp.cli.printing import print_json, print_table, say, show_progress
from srag_mcp.cli.reading_commands import print_schema
from srag_mcp.model.ledger import REPLAY
from srag_mcp.settings import PREFIX, Settings

if TYPE_CHECKING:
    from srag_mcp.evaluation.evaluate import Evaluation, SystemRun
    from srag_mcp.evaluation.retrieval import Change, Retrieval


KEY_PLACE = "…"  # no key has this character, so that one that was not put in is found at once


Client: TypeAlias = Literal["claude-desktop", "claude-code", "cursor", "vscode", "codex"]
PLACES: Mapping[Client, str] = {  # of their configurations
    "claude-desktop": "claude_desktop_config.json (Settings > Developer > Edit Config); quit Claude"
    " Desktop fully and start it again",
    "claude-code": ".mcp.json in your project",
    "cursor": ".cursor/mcp.json in your project, or ~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json in your project",
    "codex": "~/.codex/config.toml",
}


def config(
    client: Annotated[Client, argument("The MCP client.", "CLIENT")],
    corpus: CorpusOptions,
    model: ModelOption = None,
    api_base: ApiBaseOption = None,
    home: HomeOption = None,
) -> None:
    """Print the configuration to paste into an MCP client."""
    settings = command_settings(home, model=model, api_base=api_base)
    corpora = [find_corpus(name, settings) for name in corpus]
    environment = server_environment(settings)
    print(f"Paste into {PLACES[client]}:", file=sys.stderr)
    print(render_config(client, corpora, server_command(), settings.home, environment))
    if KEY_PLACE in environment.values():
        print(f"Put your key in the place of {KEY_PLACE}", file=sys.stderr)


def server_command() -> list[str]:
    """Return the command that starts this installation, with an absolute path.

    Hosts run servers in a directory and with a PATH of their own.
    """
    beside = shutil.which("srag-mcp", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("srag-mcp")
    return [found] if found else [sys.executable, "-m", "srag_mcp"]


def render_config(
    client: Client,
    corpora: Sequence[Path],
    command: Sequence[str],
    home: Path | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Write what to paste for *client*.

    *home* and the variables of *environment* are passed on to the server where they are set: hosts
    do not pass on those of a shell.
    """
    options = [part for corpus in corpora for part in ("--corpus", str(corpus.resolve()))]
    if home is not None:
        options += ["--home", str(home.expanduser().resolve())]
    program = command[0]
    arguments = [*command[1:], "serve", *options]
    if client == "codex":
        # A JSON string is a TOML basic string where nothing is escaped to surrogate pairs.
        lines = ["[mcp_servers.srag]", f"command = {_json(program)}"]
        lines.append(f"args = [{', '.join(map(_json, arguments))}]")
        if environment:
            lines += ["", "[mcp_servers.srag.env]"]
            lines += [f"{name} = {_json(value)}" for name, value in environment.items()]
        return "\n".join(lines)
    entry: dict[str, object] = {"command": program, "args": arguments}
    if environment:
        entry["env"] = dict(environment)
    if client in {"vscode", "claude-code"}:
        entry = {"type": "stdio", **entry}
    return _json({"servers" if client == "vscode" else "mcpServers": {"srag": entry}})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def server_environment(settings: Settings) -> dict[str, str]:
    """Return the variables that make a server ask the model of *settings*; none without a model.

    The key has `KEY_PLACE` for its value: none is ever shown.
    """
    named = {"SRAG_MODEL": settings.model, "SRAG_API_BASE": settings.api_base}
    given = {name: value for name, value in named.items() if value}
    is_recorded = (settings.model or REPLAY).startswith(REPLAY)
    needs_key = settings.api_key or not (is_recorded or settings.api_base)
    return given | ({f"{PREFIX}API_KEY": KEY_PLACE} if settings.model and needs_key else {})


RunFiles = Annotated[list[Path], argument("What eval --system NAME --json printed.", "RUN...")]
WorkOption = Annotated[Path | None, option("Folder to work in and keep.", "DIR")]
RecordOption = Annotated[Path | None, option("Write the model's replies there.", "FILE")]
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
            page = views.answers.answer_page(corpus, ask(corpus, question), views.answers.WHOLE)
            say(page.render(rows=False))
    _title(f"For Claude Desktop, paste into {PLACES['claude-desktop']}")
    print(render_config("claude-desktop", [folder], server_command(), settings.home))
    print(f"\n{time.perf_counter() - started:.1f} s. Now with your own folder:")
    print(f'  {shlex.join(server_command())} ask ./your-folder "How many …?"')


def _title(text: str) -> None:
    print(f"\n== {text}", flush=True)


def evaluate(
    pack: Annotated[Path, argument("A folder with documents/, or a published benchmark.", "PACK")],
    schema: Annotated[
        Literal["inferred", "gold", "gold-records"],
        option("Find columns, follow the pack's schema.json, or ask the gold itself."),
    ] = "inferred",
    documents: Annotated[int | None, option("Evenly spaced documents only.", "N", least=1)] = None,
    engine: EngineOption = None,
    model: ModelOption = None,
    work: WorkOption = None,
    record: RecordOption = None,
    questions: Annotated[Path | None, option("Ask those whose ids it lists.", "FILE")] = None,
    system: Annotated[
        str | None, option("Who answers: hybrid, or a baseline such as vector-rag.", "NAME")
    ] = None,
    records: Annotated[Path | None, option("Build the table from these replies.", "FILE")] = None,
    context: Annotated[
        int | None, option("Most tokens of a prompt of full-corpus.", "TOKENS", least=1000)
    ] = None,
    at_once: Annotated[int, option("Questions that share such a prompt.", "N", least=1)] = 1,
    embedder: Annotated[
        str, option("Who makes vectors: local, or as litellm names it.", "NAME")
    ] = "local",
    ranking: Annotated[
        Literal["search", "bm25"], option("What ranks passages, in a pack of retrieval.")
    ] = "search",
    run: Annotated[Path | None, option("Write the ranking there, as TREC does.", "FILE")] = None,
    against: Annotated[Path | None, option("Compare with such a file, in pairs.", "FILE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure cells and questions on a document pack with gold, or retrieval where it has none."""
    from srag_mcp.evaluation.evaluate import EvaluationPlan
    from srag_mcp.evaluation.evaluate import evaluate as evaluate_pack
    from srag_mcp.pipeline import reader_pool

    settings = command_settings(None, engine=engine, model=model)
    reader_pool.prepare()
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
        n_tokens = sum(sum(step.values()) for step in taken["steps"].values())
        calls = f", {evaluation.calls:,} calls, {n_tokens:,} tokens"
        if most := taken["question_most"]:
            usual = f"{taken['question_median']:,.0f} tokens"
            calls += f" (a question alone {usual}, at most {most:,} tokens)"
    read = f"{evaluation.documents} documents, engine {evaluation.engine}"
    print(f"\n{read}{calls}, {evaluation.seconds:.1f} s")


def judge(
    runs: RunFiles,
    engine: EngineOption = None,
    model: ModelOption = None,
    work: WorkOption = None,
    record: RecordOption = None,
    seed: Annotated[int, option("Of the order of the answers.", "N")] = 0,
) -> None:
    """Let a language model judge the answers of saved runs, and add its verdicts to them."""
    from srag_mcp.evaluation.bench import open_bench
    from srag_mcp.evaluation.saved_runs import judge_files, write_table

    settings = command_settings(None, engine=engine, model=model)
    with interruption(), show_progress() as show, open_bench(settings, work, show) as bench:
        judged, n_failed = judge_files(runs, bench, record, seed)
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
