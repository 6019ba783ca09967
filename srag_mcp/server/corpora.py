"""The corpora of a server: names, readers, and one query worker for all of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from srag_mcp.errors import NotIngestedError, UnknownCorpusError
from srag_mcp.pipeline.jobs import list_jobs
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryLimits, QueryWorker


class Corpora:
    """What a server serves, by name, in the order of the command line."""

    def __init__(self, locations: Sequence[Path], settings: Settings) -> None:
        self.settings = settings
        self.worker = QueryWorker(
            QueryLimits(
                timeout_s=settings.query_timeout_s,
                memory_mb=settings.query_memory_mb,
                max_rows=settings.max_rows,
                max_bytes=settings.max_result_characters,
            )
        )
        self._corpora = {
            name: Corpus(location, self.worker, settings.home)
            for name, location in _unique_names(locations)
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._corpora)

    def __len__(self) -> int:
        return len(self._corpora)

    def get(self, name: str) -> Corpus:
        """Return the corpus called *name*; the only one when *name* is empty.

        Raises:
            UnknownCorpusError: If there is none, or several and no name.
        """
        if not name and len(self._corpora) == 1:
            return next(iter(self._corpora.values()))
        if name in self._corpora:
            return self._corpora[name]
        names = ", ".join(self._corpora) or "none"
        msg = f"no corpus {name!r}; corpora: {names}. Pass one of them as corpus."
        raise UnknownCorpusError(msg)

    def readable(self, name: str) -> Corpus:
        """Return the corpus called *name*, which has a published build.

        Raises:
            UnknownCorpusError: If there is none of that name.
            NotIngestedError: If it was never ingested; the text says what to call.
        """
        corpus = self.get(name)
        try:
            corpus.build_path()
        except NotIngestedError as error:
            called = self.name_of(corpus)
            msg = (
                f"corpus {called!r} is not ingested yet: call ingest_corpus with corpus={called!r},"
                " then ingest_status until it is done"
            )
            raise NotIngestedError(msg) from error
        return corpus

    def name_of(self, corpus: Corpus) -> str:
        """Return the name under which *corpus* is served."""
        return next(name for name, item in self._corpora.items() if item is corpus)

    def is_ingesting(self, name: str) -> bool:
        """Whether a job of the corpus *name* runs, in whichever process."""
        location = self.get(name).location
        if self.get(name).is_build or not location.is_dir():
            return False
        return any(job.is_running for job in list_jobs(location, self.settings)[:1])

    def close(self) -> None:
        """Stop the query worker."""
        self.worker.close()


def _unique_names(locations: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    used: set[str] = set()
    for location in locations:
        stem = location.stem if location.suffix == ".duckdb" else location.name
        name = stem
        number = 2
        while name in used:
            name = f"{stem}-{number}"
            number += 1
        used.add(name)
        yield name, location
