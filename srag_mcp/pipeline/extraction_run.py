"""The extraction of all pending files, kept batch by batch."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from srag_mcp.engines.protocol import Progress
from srag_mcp.pipeline.file_plan import FilePlan
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.reading_tasks import Extracted, FileDone, Reply, Sampled, Unreadable
from srag_mcp.store.work import FinishedDocument, FinishedFile, WorkDatabase

BATCH_DOCUMENTS = 100
BATCH_CHARACTERS = 4_000_000
BATCH_SECONDS = 1.0


class ExtractionRun:
    """Does the tasks of a plan and keeps what is finished, in one transaction a batch.

    Attributes:
        n_extracted: Documents extracted so far.
        n_removed: Documents dropped because their file is gone.
        cancelled: Whether it was stopped before its end.
    """

    def __init__(self, work: WorkDatabase, plan: FilePlan) -> None:
        self.n_extracted = 0
        self.n_removed = 0
        self.cancelled = False
        self._work = work
        self._plan = plan
        self._parts_left = Counter(task.source.relative for task in plan.tasks)
        self._failed: set[str] = set()
        self._stale: dict[str, list[str]] = {}
        self._told: dict[str, list[str]] = {}
        self._documents: list[FinishedDocument] = []
        self._files: list[FinishedFile] = list(plan.failed)
        self._n_characters = 0
        self._n_done = 0
        self._kept_at = time.monotonic()

    def finish(
        self,
        readers: ReaderPool,
        on_progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Do all tasks, or those before *cancelled* says so."""
        self.n_removed = self._work.remove_files(self._plan.gone)
        tasks = self._plan.tasks
        with closing(readers.perform(tasks)) as replies:
            for reply in replies if tasks else ():
                self._take(reply)
                on_progress(Progress("extracting", self._n_done, len(tasks), reply.path))
                if self._is_due():
                    self._keep()
                if cancelled():
                    self.cancelled = True
                    break
        self._keep()

    def _take(self, reply: Reply) -> None:
        if isinstance(reply, Extracted):
            self._documents.extend(reply.documents)
            self._n_characters += sum(len(item.text) for item in reply.documents)
            return
        if isinstance(reply, Sampled):
            return
        self._n_done += 1
        self._parts_left[reply.path] -= 1
        self._finish_file(reply)

    def _finish_file(self, reply: FileDone | Unreadable) -> None:
        state = self._plan.states[reply.path]
        if isinstance(reply, Unreadable):
            if reply.path in self._failed:
                return
            self._failed.add(reply.path)
            self._documents = [item for item in self._documents if item.path != reply.path]
            stored = self._work.known_documents([reply.path]).get(reply.path, {})
            again = "; the next ingestion tries again" if reply.passing else ""
            failed = replace(state, error=f"{reply.reason}{again}", passing=reply.passing)
            self._files.append(replace(failed, stale=tuple(stored)))
            return
        self._stale.setdefault(reply.path, []).extend(reply.stale)
        self._told.setdefault(reply.path, []).extend(reply.told)
        if self._parts_left[reply.path] == 0 and reply.path not in self._failed:
            stale, told = self._stale.pop(reply.path), self._told.pop(reply.path)
            self._files.append(replace(state, stale=tuple(stale), told=tuple(told)))

    def _is_due(self) -> bool:
        return (
            len(self._documents) >= BATCH_DOCUMENTS
            or self._n_characters >= BATCH_CHARACTERS
            or time.monotonic() - self._kept_at > BATCH_SECONDS
        )

    def _keep(self) -> None:
        documents = [item for item in self._documents if item.path not in self._failed]
        if documents or self._files:
            self._work.store(documents, self._files)
        self.n_extracted += len(documents)
        self._documents, self._files = [], []
        self._n_characters = 0
        self._kept_at = time.monotonic()
