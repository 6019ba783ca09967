"""How long a search takes over many passages, and how large their index is beside their text.

Words are drawn as often as in a language without its function words (Zipf, from rank 50 on: the
most frequent one stands in a third of the passages); the passages of the first documents are
written, and those of the others have the same terms. A question has words of a passage in a row.
Run: pytest -m benchmark tests/benchmarks/test_search_scale.py -s
"""

import os
import random
import sys
import time
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from statistics import median

import pytest

from srag_mcp.retrieval.search import find_filter, search
from srag_mcp.schema.schema import Schema
from srag_mcp.store.build import publish
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.values import PassageRow, cut_postings
from srag_mcp.store.work import FinishedDocument, open_work
from tests.benchmarks.test_ingest_scale import peak_memory, processor_seconds

pytestmark = pytest.mark.benchmark

N_WORDS, N_VOCABULARY = 130, 60_000  # of a passage of 200 tokens; of a language
N_PASSAGES = 10  # of a document
N_WRITTEN = 1000  # documents
N_QUESTIONS = 40
DRAW = random.Random(7)
WEIGHTS = list(accumulate(1 / (rank + 50) for rank in range(N_VOCABULARY)))
REPEATED = """
INSERT INTO {table} SELECT written.* REPLACE (document_id || '-' || copy AS document_id)
FROM {table} AS written, range(1, {n}) AS copies(copy)
"""


def word() -> str:
    """Draw a word: letters that say its rank."""
    rank, letters = bisect(WEIGHTS, DRAW.random() * WEIGHTS[-1]), ""
    while not letters or rank:
        rank, digit = divmod(rank, 20)
        letters += "bcdfghklmnprstvwzxqj"[digit] + "aeiou"[digit % 5]
    return f"{letters}n"


def write_document(number: int) -> FinishedDocument:
    text, passages = "", list[PassageRow]()
    for n in range(1, N_PASSAGES + 1):
        start = len(text)
        heading = f"{word()} {word()}"
        text += f"{heading}\n\n{' '.join(word() for _ in range(N_WORDS))}.\n\n"
        passages.append((n, None, heading, start, len(text) - 2, "text", None, None))
    path = f"{word()}_{number}.txt"
    postings = cut_postings(path, path, text, passages)
    return FinishedDocument(
        path, path, path, "text/plain", str(number), text, (), tuple(passages), postings
    )


def questions(documents: list[FinishedDocument]) -> Iterator[str]:
    for document in DRAW.sample(documents, min(len(documents), N_QUESTIONS)):
        said = document.text.split()
        start = DRAW.randrange(len(said) - 20)
        yield f"What is the {' '.join(said[start : start + DRAW.randrange(4, 16)])} of {word()}?"


def seconds_of(worker: QueryPool) -> float:
    """Return how long the processes of *worker* have computed: other programs do not count."""
    texts = [Path(f"/proc/{item}/stat").read_text("utf-8") for item in worker.process_ids]
    ticks = sum(int(n) for text in texts for n in text.rpartition(")")[2].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("n_passages", [100_000, 1_000_000])
def test_a_search_takes_little_time(tmp_path: Path, n_passages: int) -> None:
    state = CorpusFolder(tmp_path).writable()
    documents = [write_document(number) for number in range(N_WRITTEN)]
    n_copies = n_passages // (N_WRITTEN * N_PASSAGES)
    used = processor_seconds()
    with peak_memory() as published, open_work(state) as work:
        work.put_in_force(schema := Schema(title="Page", entity="pages", attributes=()), "given")
        work.store(documents, [])
        for table in ("documents", "passages", "postings"):
            work.connection.execute(REPEATED.format(table=table, n=n_copies))
        publish(work, schema)
    used = processor_seconds() - used
    n_characters = n_copies * sum(len(item.text) for item in documents)
    with peak_memory() as searched, QueryPool() as worker:
        corpus = Corpus(tmp_path, worker)
        search(corpus, "warm")
        computed, searches, filters = seconds_of(worker), list[float](), list[float]()
        for question in questions(documents):
            started = time.perf_counter()
            named = find_filter(corpus, question)
            filters.append(1000 * (time.perf_counter() - started))
            search(corpus, question, ahead=named.documents if named else None)
            searches.append(1000 * (time.perf_counter() - started))
        computed = 1000 * (seconds_of(worker) - computed) / N_QUESTIONS
    print(
        f"\n{n_passages:,} passages: search {median(searches):.0f} ms in the median,"
        f" {max(searches):.0f} ms at most, {computed:.0f} ms of them computing in the mean;"
        f" the filter's part {median(filters):.0f} ms;"
        f" file {corpus.build_path().stat().st_size / n_characters:.2f} x the text;"
        f" stored and published in {used:.0f} processor s and {published[0]:.0f} MiB,"
        f" searched in {searched[0]:.0f} MiB"
    )
    assert computed <= 150 * n_passages / 100_000
