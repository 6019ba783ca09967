"""The demo: from sixty pages to three answers, with nothing but this package."""

import shlex
import time
from pathlib import Path

from srag_mcp.ask.ask import ask
from srag_mcp.cli.answers import print_answer
from srag_mcp.cli.client_config import Client, config_place, render_config, server_command
from srag_mcp.cli.columns import print_schema
from srag_mcp.cli.ingestion import IngestChoice, ingest_corpus
from srag_mcp.cli.shipped import open_corpus, shipped_corpus
from srag_mcp.engines.offline import OfflineEngine
from srag_mcp.settings import Settings

CORPUS = "hotels"
QUESTIONS = (
    "What is the average price per night of hotels with a pool but no airport shuttle?",
    "How many four-star hotels have a pool?",
    "Which city has the highest average price per night?",
)


def run_demo(settings: Settings) -> None:
    """Ingest the shipped hotel pages; print schema, answers and the configuration to paste."""
    started = time.perf_counter()
    folder = shipped_corpus(CORPUS, settings)
    _ingest(folder, settings)
    with open_corpus(folder, settings) as corpus:
        _title("The schema that was found: no model, no key, no network")
        print_schema(corpus, as_json=False)
        for question in QUESTIONS:
            _title(question)
            print_answer(ask(corpus, question), CORPUS, as_json=False)
    _title(f"For Claude Desktop, paste into {config_place(Client.CLAUDE_DESKTOP)}")
    print(render_config(Client.CLAUDE_DESKTOP, [folder], server_command(), settings.home))
    print(f"\n{time.perf_counter() - started:.1f} s. Now with your own folder:")
    print(f'  {shlex.join(server_command())} ask ./your-folder "How many …?"')


def _ingest(folder: Path, settings: Settings) -> None:
    """Ingest as on the first day, whatever was done before."""
    offline = settings.with_engine(OfflineEngine.name)  # whatever is configured here
    report = ingest_corpus(folder, IngestChoice(fresh=True), offline)
    _title(f"{report.n_documents} hotel pages become one table")
    print(f"documents: {folder / 'documents'}")
    print(f"{len(report.failed)} could not be read; {len(report.attributes)} columns were found")
    for warning in report.warnings:
        print(f"warning: {warning}")


def _title(text: str) -> None:
    print(f"\n== {text}", flush=True)
