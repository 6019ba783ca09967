"""The process of an ingestion job: `python -P -m srag_mcp.pipeline.job_process <request file>`."""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from srag_mcp.errors import SragError
from srag_mcp.model.prompt_spool import PromptSpool
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.job_state import Job, JobFiles
from srag_mcp.pipeline.options import IngestOptions
from srag_mcp.pipeline.report import IngestReport, Progress
from srag_mcp.pipeline.unfinished import go_on
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import PREFIX, EngineChoice, Settings
from srag_mcp.store.layout import prompts_folder

HEARTBEAT_S = 1.0


class JobWriter:
    """Keeps the state file of the running job up to date."""

    def __init__(
        self,
        files: JobFiles,
        folder: str,
        spool: PromptSpool,
        engine: EngineChoice = "auto",
        attribute: str = "",
    ) -> None:
        self._files = files
        self._spool = spool
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._stopped = threading.Event()
        self._job = Job(
            id=files.id,
            folder=folder,
            status="running",
            engine=engine,
            attribute=attribute,
            pid=os.getpid(),
            host=socket.gethostname(),
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def begin(self) -> None:
        """Say that the job runs, and go on saying so every second.

        SIGTERM stops it in order from here on: whoever reads the state may stop the job at once.
        """
        signal.signal(signal.SIGTERM, self.stop)
        self.write()
        threading.Thread(target=self.beat, daemon=True).start()

    def show(self, progress: Progress) -> None:
        """Take note of progress; the next heartbeat tells."""
        with self._lock:
            self._job = replace(
                self._job,
                stage=progress.stage,
                done=progress.done,
                total=progress.total,
                current=progress.current,
            )

    def beat(self) -> None:
        """Write the state every second until the end."""
        while not self._ended.wait(HEARTBEAT_S):
            self.write()

    def write(self) -> None:
        """Write the state as it is, unless the job has ended."""
        count = self._spool.count()
        with self._lock:
            if not self._ended.is_set():
                self._job = replace(self._job, waiting=count.n_open + count.n_leased)
                self._files.write(self._job)

    def stop(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Ask the job to stop; serves as the handler of SIGTERM."""
        self._stopped.set()

    def is_cancelled(self) -> bool:
        """Whether somebody wants it to stop."""
        return self._stopped.is_set() or self._files.cancel.exists()

    def end(self, report: IngestReport) -> None:
        """Write how it ended; one that could read nothing has failed."""
        told = replace(self._job, report=tuple(report.lines()), n_documents=report.n_documents)
        if report.read_nothing and not report.cancelled:
            error = "none of the documents could be read"
            self._end(replace(told, status="failed", error=error))
        else:
            self._end(replace(told, status="cancelled" if report.cancelled else "done"))

    def fail(self, error: str) -> None:
        """Write why it failed."""
        self._end(replace(self._job, status="failed", error=error))

    def _end(self, job: Job) -> None:
        with self._lock:
            self._ended.set()
            self._job = replace(job, waiting=0)
            self._files.write(self._job)


def main(request_path: Path) -> None:
    """Do the ingestion that the request file asks for."""
    request = json.loads(request_path.read_text(encoding="utf-8"))
    job_id = request_path.name.removesuffix(".request.json")
    files = JobFiles(request_path.parent, job_id)
    spool = PromptSpool(prompts_folder(request_path.parent.parent))
    settings = read_settings(request["settings"])
    with files.held():
        spool.park()  # what an earlier job asked does not wait any more
        folder, options = Path(request["folder"]), _options(request)
        engine = go_on(folder, settings, options).settings.engine
        writer = JobWriter(files, str(folder), spool, engine, options["attribute"])
        writer.begin()
        try:
            report = ingest(
                folder,
                settings,
                on_progress=writer.show,
                cancelled=writer.is_cancelled,
                **options,
            )
        except SragError as error:
            writer.fail(str(error))
        else:
            if not report.cancelled:
                spool.forget_taken()  # they are in the database by now
            writer.end(report)


def read_settings(written: Mapping[str, object]) -> Settings:
    """Read the settings of the request, and the key, which is not written down."""
    key = PREFIX + "API_KEY"
    api_key = Settings.from_environ({key: os.environ.get(key, "")}).api_key
    return Settings.model_validate({**written, "api_key": api_key})


def _options(request: Mapping[str, object]) -> IngestOptions:
    schema = request["schema"]
    questions = request["questions"]
    rows = request["rows"]
    return IngestOptions(
        questions=[str(item) for item in questions] if isinstance(questions, list) else [],
        schema=None if schema is None else Schema.model_validate(schema),
        rows="row" if rows == "row" else "file" if rows == "file" else "auto",
        fresh=bool(request["fresh"]),
        attribute=str(request["attribute"]),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
