"""The corpora of a server: names, readers, and one pool of query workers for all of them."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import CapacityLimiter

from srag_mcp import views
from srag_mcp.errors import (
    CorpusError,
    JobError,
    NotIngestedError,
    SchemaError,
    SeveralKindsError,
    SragError,
)
from srag_mcp.settings import BUILD_SUFFIX, EffortChoice, EngineChoice, Settings, named_engine
from srag_mcp.views.results import ROWS_SHARE, CorpusEntry, CorpusList, JobStatus

if TYPE_CHECKING:  # opening a corpus loads layers that listing tools does not need
    from srag_mcp.pipeline.jobs import Job
    from srag_mcp.store.corpus import Corpus
    from srag_mcp.store.guard import QueryPool
    from srag_mcp.store.kind_tables import KindTables
    from srag_mcp.views.job_pages import PromptDesk

MAX_QUERY_CALLS = 400  # that run or wait for their turn; each has a thread


class Corpora:
    """What a server serves, by name, in the order of the command line.

    Corpora and the pool of query workers are opened by the first call that reads; `close` ends the
    pool, and a later call starts another. What takes a name raises CorpusError where nothing is
    called so, or several corpora are there and none is named; NotIngestedError, which says what to
    do, where what it returns has to be there, or ingested, and is not.
    """

    def __init__(self, locations: Sequence[Path], settings: Settings) -> None:
        self.settings = settings
        self._locations = _named(locations)
        self._lock = threading.RLock()
        self._opened: dict[str, Corpus] = {}
        self._together: dict[str, KindTables] = {}
        self.query_threads = CapacityLimiter(MAX_QUERY_CALLS)
        self._pool: QueryPool | None = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._locations)

    def _all(self) -> dict[str, Path]:
        """Return all corpora: one a kind of a folder that holds several, named after both."""
        found: dict[str, Path] = {}
        for name, location in self._locations.items():
            kinds = self._kinds(name)
            found |= {f"{name}/{kind}": place for kind, place in kinds.items()} or {name: location}
        return found

    def _kinds(self, name: str) -> dict[str, Path]:
        from srag_mcp.store.layout import CorpusFolder

        location = self._locations[name]
        return CorpusFolder(location, self.settings.home).kinds() if location.is_dir() else {}

    def get(self, name: str) -> "Corpus":
        """Return the corpus called *name*; the only one when *name* is empty."""
        if not name and len(self._locations) == 1:
            name = next(iter(self._locations))
        known = {**self._locations, **self._all()}
        if name not in known:
            names = ", ".join(map(repr, self)) or "none"
            said = f"no corpus {name!r}" if name else "there are several corpora"
            msg = f"{said}; pass one of these as corpus: {names}"
            raise CorpusError(msg)
        from srag_mcp.store.corpus import Corpus

        with self._lock:
            if name not in self._opened:
                location = known[name]
                self._opened[name] = Corpus(location, self.pool(), self.settings.home, name)
            return self._opened[name]

    def present(self, name: str) -> "Corpus":
        """Return the corpus called *name*, whose folder or build is there."""
        corpus = self.get(name)
        location = corpus.location
        if not (location.is_file() if corpus.is_build else location.is_dir()):
            kind = "build" if corpus.is_build else "folder"
            msg = f"the {kind} of corpus {corpus.name!r} is not there: {location}; tell the user"
            raise NotIngestedError(msg)
        return corpus

    def readable(self, name: str) -> "Corpus":
        """Return the corpus called *name* at the build that is published now."""
        corpus = self.present(name)
        name = corpus.name
        if name in self._locations and (kinds := self._kinds(name)):
            raise SeveralKindsError(name, (f"{name}/{kind}" for kind in kinds))
        try:
            return corpus.settled()
        except NotIngestedError as error:
            state = "is not ingested yet"
            is_ingesting, job = self._standing(corpus)
            if is_ingesting:
                state = "is being ingested for the first time"
            elif job is not None:
                state = f"has no table yet, {job.quoted}"
            msg = f"corpus {name!r} {state}: {self._next_call(corpus)}"
            raise NotIngestedError(msg) from error

    def queried(self, name: str) -> "Corpus | KindTables":
        """Return what a query runs over: the corpus called *name*, or all kinds of a folder."""
        name = self.present(name).name
        kinds = self._kinds(name) if name in self._locations else {}
        if not kinds:
            return self.readable(name)
        from srag_mcp.store.kind_tables import open_kinds

        with self._lock:
            kept = self._together.get(name)
            names = [] if kept is None else [corpus.name for corpus in kept.corpora]
            if kept is None or names != [f"{name}/{kind}" for kind in kinds]:
                kept = open_kinds(name, kinds, self.pool(), self.settings.home)
                self._together[name] = kept
            return kept

    def holding(self, name: str, column: str = "", document_id: str = "") -> "Corpus":
        """Return the corpus called *name*; of a folder of kinds the only one with what is named."""
        if not (column or document_id):
            return self.readable(name)
        return views.holdings.kind_with(self.queried(name), column, document_id)

    def chosen(self, name: str, question: str) -> "Corpus | KindTables":
        """Return the corpus called *name*, or all kinds of a folder; else what *question* is about.

        CorpusError where it is not clear which that is.
        """
        if name or len(self._locations) == 1:
            return self.queried(name)
        from srag_mcp.inference.ask_kinds import choose_corpus

        return choose_corpus([self.present(key) for key in self], question)

    def ingestible(self, name: str) -> "Corpus":
        """Return the corpus called *name*; JobError where it is a build without documents."""
        corpus = self.present(name)
        if corpus.is_build:
            msg = (
                f"{corpus.name!r} is a published build without documents: it cannot be"
                " ingested, only asked as it is; list_corpora says whether it is ready"
            )
            raise JobError(msg)
        return corpus

    def ingest(
        self,
        name: str,
        questions: Sequence[str],
        thinking: tuple[EngineChoice, EffortChoice],
        *,
        rebuild_schema: bool,
        go: bool,
    ) -> JobStatus:
        """Start an ingestion, or return the one that runs; *thinking*: who thinks, what is read.

        Unless it is to *go*, one that asks a language model says what that takes, and does nothing.

        SchemaError where the columns shall be found anew that a person wrote down.
        """
        from srag_mcp.pipeline.jobs import list_jobs, start_job
        from srag_mcp.schema.json_schema import find_schema_file

        corpus, settings = self.ingestible(name), self.settings
        folder, (engine, effort) = corpus.location, thinking
        if rebuild_schema and (path := find_schema_file(folder)) is not None:
            msg = (
                f"a person wrote the columns of this corpus down in {path}, and rebuild_schema"
                " would leave them out: ask the user to add a column there, then call"
                " ingest_corpus without rebuild_schema"
            )
            raise SchemaError(msg)
        before = {job.id for job in list_jobs(folder, settings)}
        settings = settings.with_engine(engine)
        if effort != "auto":
            settings = settings.model_copy(update={"effort": effort})
        job = start_job(
            folder, settings, questions=questions, fresh=rebuild_schema, asks_first=not go
        )
        given = {
            "sample_questions": questions,
            "rebuild_schema": rebuild_schema,
            "engine": named_engine(engine) is not None,
            "effort": effort != "auto",
        }
        unheard = " and ".join(name for name, value in given.items() if value)
        note = f"this job was running before: your {unheard} wait for a call after its end"
        return self._job_page(corpus, job, note * bool(unheard and job.id in before))

    def extend(self, name: str, attribute: str, documents: str, *, keep: bool) -> JobStatus:
        """Start to add one column, or to read it from *documents* (a SELECT) without keeping it.

        Raises as `extension_options` and `start_job`, and QueryError where *documents* is wrong.
        """
        from srag_mcp.engines.choice import asks_model, callers_engine
        from srag_mcp.inference.brief import price_reading
        from srag_mcp.pipeline.jobs import start_job
        from srag_mcp.pipeline.wishes import extension_options
        from srag_mcp.store.predictions import narrow

        corpus, options = self.ingestible(name), extension_options(attribute, documents, keep=keep)
        note = ""
        if not keep:
            opened, n_tokens = self.readable(name).within(), self.settings.prompt_tokens
            if asks_model(self.settings) or callers_engine(self.settings, opened.info().engine):
                price = price_reading(opened, options["attribute"], documents, n_tokens)
                note = f"to be read with a language model: {price}"
            else:
                narrow(opened, documents)
        options["asks_first"] = True
        job = start_job(corpus.location, self.settings, **options)
        return self._job_page(corpus, job, note)

    def job_status(self, name: str, job_id: str) -> JobStatus:
        """Return the state of a job, of the latest when *job_id* is empty."""
        from srag_mcp.pipeline.jobs import read_job

        corpus = self.ingestible(name)
        return self._job_page(corpus, read_job(corpus.location, self.settings, job_id))

    def cancel(self, name: str, job_id: str, wait_s: float) -> JobStatus:
        """Ask a job to stop, and wait so long for its end; what is finished is kept."""
        from srag_mcp.pipeline.jobs import cancel_job

        corpus = self.ingestible(name)
        job = cancel_job(corpus.location, self.settings, job_id, wait_s)
        return self._job_page(corpus, job, views.job_pages.ASKED_TO_STOP * job.is_running)

    def prompts(self, name: str) -> "PromptDesk":
        """Open the desk where agents fetch the prompts of a corpus."""
        corpus = self.ingestible(name)
        return views.job_pages.PromptDesk(corpus.location, self.settings, corpus.name)

    def _job_page(self, corpus: "Corpus", job: "Job", note: str = "") -> JobStatus:
        return views.job_pages.job_page(corpus.location, self.settings, corpus.name, job, note)

    def list(self) -> CorpusList:
        """List the corpora and say what to call for those that are not ready."""
        entries = [self._entry(name) for name in self]
        steps = ["call ask with a question, or get_schema and then run_sql"]
        if not any(entry.table for entry in entries):
            steps = []
        for state in ("ingesting", "not ingested"):
            found = [item.name for item in entries if item.state == state and not item.table]
            steps += [self._next_call(self.get(name)) for name in found[:1]]
        following = "; for another corpus ".join(steps) or "tell the user what the problem is"
        of_kinds = [name for name in self._locations if self._kinds(name)]
        if of_kinds and any(entry.table for entry in entries):
            named = " or ".join(f"corpus={name!r}" for name in of_kinds)
            following += f"; {named} in get_schema, run_sql and ask means all kinds of documents"
        for name in of_kinds:
            kind = self.get(f"{name}/{next(iter(self._kinds(name)))}")
            following += "".join(f"; {name}: {line}" for line in kind.left_out())
        if not entries:
            following = "no corpus is served: start the server with --corpus DIR"
        return CorpusList(corpora=entries, next=following)

    def _next_call(self, corpus: "Corpus") -> str:
        """Say what to call for a corpus that has no table yet."""
        is_ingesting, job = self._standing(corpus)
        if is_ingesting:
            return f"call ingest_status with corpus={corpus.name!r} while it is running"
        if job is not None:  # nobody has agreed who reads
            return views.job_pages.choose_call([corpus.name], job.engine)
        return f"call ingest_corpus with corpus={corpus.name!r}"

    def _entry(self, name: str) -> CorpusEntry:
        """Describe one corpus; what is wrong with it does not hide the others."""
        corpus, is_ingesting, job = self.get(name), False, None
        try:
            is_ingesting, job = self._standing(corpus)
            info = self.readable(name).info()
        except SragError as error:
            is_to_ingest = isinstance(error, NotIngestedError) and corpus.location.is_dir()
            if corpus.is_build or not is_to_ingest:
                return CorpusEntry(name=name, state="unreadable", problem=str(error))
            if is_ingesting:
                return CorpusEntry(name=name, state="ingesting")
            problem = job.quoted if job else ""
            return CorpusEntry(name=name, state="not ingested", problem=problem)
        return CorpusEntry(
            name=name,
            state="ingesting" if is_ingesting else "ready",
            table=info.entity,
            documents=info.n_documents,
            failed_documents=info.n_failed,
            columns=info.n_attributes,
            built_at=info.created_at,
        )

    def _standing(self, corpus: "Corpus") -> "tuple[bool, Job | None]":
        """Say whether a job, or another process, ingests it; and what only told a price at last."""
        from srag_mcp.pipeline.jobs import list_jobs
        from srag_mcp.store.layout import CorpusFolder

        location = corpus.location
        if corpus.is_build or not location.is_dir():
            return False, None
        job = next(iter(list_jobs(location, self.settings)), None)
        is_read = CorpusFolder(location, self.settings.home).is_ingested_now()
        is_ingesting = is_read or (job is not None and job.is_running)
        return is_ingesting, job if job is not None and job.quoted else None

    def pool(self) -> "QueryPool":
        """Return the pool of query workers."""
        from srag_mcp.store.guard import QueryLimits, QueryPool

        with self._lock:
            if self._pool is None:
                settings = self.settings
                self._pool = QueryPool(
                    QueryLimits(
                        timeout_s=settings.query_timeout_s,
                        memory_mb=settings.query_memory_mb,
                        max_rows=settings.max_rows,
                        max_bytes=int(settings.max_result_characters * ROWS_SHARE),
                    )
                )
            return self._pool

    def close(self) -> None:
        """End the query workers."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._opened.clear()
            self._together.clear()
        if pool is not None:
            pool.close()


def _named(locations: Sequence[Path]) -> dict[str, Path]:
    """Name corpora after their folders; after the folder above, too, where names would be equal.

    One that is given twice is one corpus.

    `["/a/cvs", "/b/cvs", "/c/boats.duckdb"] -> ["a-cvs", "b-cvs", "boats"]`
    """
    resolved = list(dict.fromkeys(location.expanduser().resolve() for location in locations))
    stems = [
        (path.stem if path.suffix == BUILD_SUFFIX else path.name) or "corpus" for path in resolved
    ]
    named: dict[str, Path] = {}
    for stem, location in zip(stems, resolved, strict=True):
        wanted = stem if stems.count(stem) == 1 else f"{location.parent.name}-{stem}".strip("-")
        name, number = wanted, 2
        while name in named:
            name, number = f"{wanted}-{number}", number + 1
        named[name] = location
    return named
