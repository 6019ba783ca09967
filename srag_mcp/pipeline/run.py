"""One ingestion: what is to be ingested, by which settings, and who is told of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from srag_mcp.documents.document import Document
from srag_mcp.errors import CorpusError
from srag_mcp.pipeline.engine import Engine
from srag_mcp.pipeline.file_plan import FoundFiles, find_files
from srag_mcp.pipeline.reader_pool import ReaderPool
from srag_mcp.pipeline.report import Progress
from srag_mcp.pipeline.sample_questions import tidy_questions
from srag_mcp.pipeline.sampling import read_sample
from srag_mcp.pipeline.schema_choice import SchemaWish
from srag_mcp.pipeline.wishes import Continuation, RowsMode, Unfinished
from srag_mcp.settings import Settings

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class Run:
    """What the steps of one ingestion share."""

    folder: Path
    settings: Settings
    readers: ReaderPool
    found: FoundFiles
    wish: SchemaWish
    rows: RowsMode
    on_progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    attribute: str

    def unfinished(self, engine: Engine) -> Unfinished | None:
        """Return what another ingestion would go on with; None for a column added by rules.

        The latter must not make rules read the other columns.
        """
        if self.attribute and engine == "offline":
            return None
        return Unfinished(
            engine=engine,
            model=self.settings.model,
            api_base=self.settings.api_base,
            questions=self.wish.questions,
            rows=self.rows,
            fresh=self.wish.fresh,
            budget_usd=self.settings.budget_usd,
            budget_calls=self.settings.budget_calls,
        )


def plan_run(
    folder: Path,
    continued: Continuation,
    on_progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> Run:
    """Find the files and settle what is to be done with them.

    Raises:
        CorpusError: If the folder cannot be used.
    """
    settings, options = continued.settings, continued.options
    rows = options.get("rows", "auto")
    return Run(
        folder=folder.expanduser().resolve(),
        settings=settings,
        readers=ReaderPool(settings.workers, settings.document_timeout_s),
        found=find_files(folder, settings),
        wish=SchemaWish(
            options.get("schema"),
            tuple(tidy_questions(options.get("questions", ()))),
            options.get("fresh", False),
        ),
        rows=rows,
        on_progress=on_progress,
        cancelled=cancelled,
        attribute=options.get("attribute", ""),
    )


def sample_documents(run: Run) -> Sequence[Document]:
    """Read the sample for a schema.

    Raises:
        CorpusError: If no file can be read, so that there is nothing to learn from.
    """
    run.on_progress(Progress("schema"))
    sample = read_sample(run.found, run.readers)
    if sample.documents:
        return sample.documents
    problems = [str(item) for item in (*sample.failed, *run.found.failed, *run.found.skipped)]
    named = "; ".join(problems[:_MAX_NAMED])
    more = f" and {len(problems) - _MAX_NAMED} more" if len(problems) > _MAX_NAMED else ""
    msg = f"none of the files of {run.folder} could be read: {named}{more}"
    raise CorpusError(msg)
