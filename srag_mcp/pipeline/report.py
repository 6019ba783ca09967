"""What an ingestion says at its end."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from srag_mcp.cells.cell import BY_RULES
from srag_mcp.engines.protocol import CancelledError, Engine
from srag_mcp.errors import BudgetError, ReplyError, SchemaError
from srag_mcp.model.ledger import Totals
from srag_mcp.pipeline.file_plan import FoundFiles
from srag_mcp.schema.rounds import Extension
from srag_mcp.schema.schema import Schema, find_meant
from srag_mcp.settings import EngineName
from srag_mcp.store.build import published_info
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.evidence import Evidence
from srag_mcp.store.predictions import Predictions, Unread, count_failed_members, find_unread
from srag_mcp.store.takeover import describe_design
from srag_mcp.store.work import OTHER_KIND, WorkDatabase
from srag_mcp.text.shown import first_of, quoted, shorten
from srag_mcp.values.columns import WITHOUT_TIME, has_time

_MAX_NAMED = 20
_MANY_TEXTS = 1_000  # of a column: where a time is told, most have it
_TEXTS = "SELECT as_stated FROM cells WHERE attribute = $1 AND as_stated IS NOT NULL LIMIT $2"
_MAX_REASON = 300
_MAX_QUOTE = 160
_MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """A file or document that is not in the corpus as it should, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class UncoveredQuestion:
    """A sample question that the schema does not answer, and why."""

    question: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingestion did.

    Attributes:
        published: Whether this run made it; False when nothing had changed, or it was cancelled.
        n_documents: Documents of the corpus now, failed ones included.
        failed: Files that could not be read, and documents that a language model was asked about
            in vain; all their cells are failed.
        told: What was left out of table files and of days, and what stands around their tables.
        designed: What the columns leave out: other columns that were proposed, lists, other kinds
            of documents.
        untried: Sample questions beyond those that a language model is asked.
        n_unsettled: Cells that do not fit it, and of which the model gave no verdict of use.
        taken: What the language model took, in interrupted runs before, too; the replies that were
            there already are those of this run. None offline.
        extension: What became of the attribute that was asked for; None where none was.
        n_read: For so many documents it was read as a loose one, now or before; None where it is a
            column.
        shown: A few of these values with their quotes; None where none was asked for, or published.
        account: How much of the documents the columns account for, and what it takes that the
            agent reads prose; empty where a language model chose them.
        proposed: The engine that would read the documents, where nothing is published until
            somebody agrees to that; None where that was decided.
        resumed: What was not given and is as it was for an ingestion that did not end.
    """

    corpus: str
    build_id: str | None
    published: bool
    cancelled: bool = False
    n_documents: int = 0
    n_extracted: int = 0
    n_unchanged: int = 0
    n_removed: int = 0
    rows: bool = False
    rows_reason: str = ""
    failed: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()
    told: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    uncovered: tuple[UncoveredQuestion, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    seconds: float = 0.0
    engine: str = BY_RULES
    n_predicted: int = 0
    n_standardised: int = 0
    n_unsettled: int = 0
    taken: Totals | None = None
    extension: Extension | None = None
    n_read: int | None = None
    n_stated: int = 0
    shown: tuple[Evidence, ...] | None = None
    stopped: str = ""
    answered: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    resumed: str = ""
    account: str = ""
    proposed: EngineName | None = None
    ruled: tuple[str, ...] = ()
    united: str = ""
    designed: tuple[str, ...] = ()
    kinds: tuple["IngestReport", ...] = ()
    lists: tuple[str, ...] = ()

    @property
    def only_quoted(self) -> bool:
        """Whether nothing was done but to say what reading takes."""
        return self.proposed is not None

    @property
    def read_nothing(self) -> bool:
        """Whether there are documents, and none of them could be read."""
        return 0 < self.n_documents <= len(self.failed)

    def to_json(self) -> dict[str, object]:
        """Return as values that JSON can hold."""
        written = asdict(replace(self, extension=None))
        if self.extension is not None:
            attribute = self.extension.attribute.model_dump(mode="json", exclude={"extractors"})
            written["extension"] = {"added": self.extension.added, "attribute": attribute}
        return written

    def lines(self) -> list[str]:
        """Say the same in a few lines for people."""
        said = [
            f"{self.corpus}: {self._outcome()}, {self.seconds:.1f} s",
            f"{self.n_documents} documents ({self.n_extracted} read now, {self.n_unchanged}"
            f" unchanged, {self.n_removed} removed, {len(self.failed)} could not be read)",
        ]
        if self.resumed:
            said.append(f"goes on with what the ingestion that did not end had: {self.resumed}")
        if self.rows_reason:
            said.append(self.rows_reason)
        if self.attributes:
            said.append(f"{len(self.attributes)} attributes: {', '.join(self.attributes)}")
        said += [f"what the documents list: table {table}" for table in self.lists]
        said += self.designed
        said += [f"{text}; the old name stays for this version" for text in self.renamed]
        if self.account and not self.kinds:  # each says its own
            said.append(self.account)
        for what, failures in (("could not be read", self.failed), ("left out", self.skipped)):
            reasons = ((x.path, " ".join(x.reason.split())) for x in failures)
            named = [f"{path}: {reason:.{_MAX_REASON}}" for path, reason in reasons]
            said += [f"{what}: {text}" for text in first_of(named, _MAX_NAMED)]
        said += first_of(self.told, _MAX_NAMED)
        if self.extension is not None:
            attribute = self.extension.attribute
            unit = f", {attribute.unit}" if attribute.unit else ""
            what = f"{attribute.name} ({attribute.type}{unit}): {attribute.description}"
            did = "added the column" if self.extension.added else "it is there already: column"
            if self.n_read is not None:
                did = f"read for {self.n_read} of {self.n_documents} documents, and not kept:"
            said.append(f"{did} {what}")
            said += self._stated()
        if self.taken is not None:
            said.append(self._cost(self.taken))
        for part in self.kinds:
            said += part.lines()
        said += self.ruled
        if self.united:
            said.append(self.united)
        if self.n_unsettled:
            said.append(
                f"{self.n_unsettled} values that do not fit their column are not settled (see"
                " cells.note): the next ingestion asks about them again"
            )
        said += [f"answered: {question}" for question in self.answered]
        said += [f"not answered: {item.question} ({item.reason})" for item in self.uncovered]
        said += [f"not tried, one question too many: {question}" for question in self.untried]
        return said + [f"warning: {text}" for text in self.warnings]

    def _stated(self) -> list[str]:
        """Show a few values of the column that was asked for, each with its document and quote."""
        if self.shown is None:
            return []
        n_read = self.n_documents if self.n_read is None else self.n_read
        lines = [f"stated in {self.n_stated} of {n_read} documents"]
        for item in self.shown:
            unit = f" {item.unit}" if item.unit else ""
            quote = quoted(item.as_stated or "", _MAX_QUOTE)
            lines.append(
                f"{item.document_id}: {shorten(item.value or '', _MAX_QUOTE)}{unit}, {quote}"
            )
        return lines

    def _cost(self, taken: Totals) -> str:
        money = f", ${taken.cost_usd:,.4f}" if taken.cost_usd else ""
        money = ", price not known" if taken.cost_usd is None else money
        about = "about " if taken.is_estimated else ""
        tokens = f"{about}{taken.tokens_in:,} tokens in, {taken.tokens_out:,} out"
        return (
            f"{self.engine}: {self.n_predicted} documents predicted now,"
            f" {self.n_standardised} cells standardised; {taken.n_calls:,} calls ({tokens}),"
            f" {taken.n_cached:,} replies were there already{money}"
        )

    def _outcome(self) -> str:
        if self.stopped:
            return f"stopped: {self.stopped}"
        if self.cancelled:
            return "cancelled; what was finished is kept"
        if self.kinds:
            return "; ".join(dict.fromkeys(part._outcome() for part in self.kinds))
        if self.only_quoted:
            kept = f"; the published build {self.build_id} stays" if self.build_id else ""
            return f"nothing is published{kept}"
        return f"published build {self.build_id}" if self.published else "nothing has changed"


def report_stored(
    folder: Path, found: FoundFiles, work: WorkDatabase, *, by_model: bool
) -> IngestReport:
    """Report what is stored; *by_model*: whether a language model reads the documents."""
    present = work.schema_in_force()
    schema = None if present is None else present.schema
    info = published_info(work.state, work.connection)
    n_stored = work.n_documents()
    files = sorted(work.files().items())
    failed = tuple(Failure(path, x.error) for path, x in files if x.error and x.error != OTHER_KIND)
    asked = schema.attributes if by_model and schema else ()
    unread = find_unread(work, asked)
    members = count_failed_members(work, schema.children) if by_model and schema else {}
    n_in_part = Predictions(work).count_read_in_part(asked) if asked else 0
    records = tuple(Failure(item.document_id, item.reason) for item in unread if item.is_whole)
    return IngestReport(
        corpus=folder.name,
        build_id=info.build_id if info else None,
        published=False,
        n_documents=n_stored + len(failed),
        n_unchanged=n_stored,
        rows=found.rows is not None,
        rows_reason="" if found.mode is None else found.mode.reason,
        failed=failed + records,
        skipped=(
            *(Failure(item.path, item.reason) for item in found.skipped),
            *(Failure(path, OTHER_KIND) for path, x in files if x.error == OTHER_KIND),
        ),
        told=(
            *(told := [f"{path}: {line}" for path, x in files for line in x.told]),
            *(
                f"{item.name}: a list of {item.holds}, not a column"
                for item in (schema.lists if schema else ())
                if not any(f"{item.name}: a list of" in line for line in told)
            ),
            *_tell_times(work, schema),
        ),
        attributes=tuple(item.name for item in schema.shown().attributes) if schema else (),
        lists=tuple(
            f"{child.entity}({', '.join(item.name for item in child.attributes)})"
            for child in (schema.children if schema else ())
        ),
        designed=tuple(describe_design(work, schema, folder.name)) if by_model and schema else (),
        warnings=(*_warnings(work, schema), *_warn_of_unread(unread, members, n_in_part, n_stored)),
    )


def _tell_times(work: WorkDatabase, schema: Schema | None) -> Iterator[str]:
    """Say which columns of dates leave out a time of day that documents state."""
    for item in schema.attributes if schema else ():
        texts = work.run(_TEXTS, item.name, _MANY_TEXTS) if item.type.is_date else ()
        if any(has_time(text) for (text,) in texts):
            yield f"{item.name}: each day is stored {WITHOUT_TIME}"


def _warnings(work: WorkDatabase, schema: Schema | None) -> Iterator[str]:
    if work.warning:
        yield work.warning
    if schema is not None and not schema.attributes:
        yield (
            "no attributes were found: the documents have no fields in common that code can see."
            " Put a schema.json into the folder, or give sample questions; the table `documents`"
            " can be queried"
        )
    described = () if schema is None or work.is_predicted() else schema.shown().attributes
    unread = ", ".join(item.name for item in described if not item.extractors)
    if unread:
        yield f"no rule was found for {unread}, and no model has read it: no value is known"
    meant = find_meant(schema) if schema is not None else {}
    if meant:
        named = ", ".join(f"{name} is “{word}”" for name, word in meant.items())
        yield (
            f"names of columns have Latin letters: {named}. SQL takes the name, questions both;"
            " rename them in .srag/schema.json, keeping the word in x-synonyms"
        )


def _warn_of_unread(
    unread: Sequence[Unread], members: Mapping[str, int], n_in_part: int, n_documents: int
) -> Iterator[str]:
    whole = [item for item in unread if item.is_whole]
    if whole:
        n_again = sum(item.is_asked_again for item in whole)
        again = f"; the next ingestion asks for {n_again} of them again" if n_again else ""
        yield (
            f"no reply of the language model to {len(whole)} of {n_documents} documents"
            f" could be used: all their cells are failed{again}"
        )
    n_cells = Counter(name for item in unread if not item.is_whole for name in item.attributes)
    n_cells.update(members)
    if n_cells:
        most_first = sorted(n_cells.items(), key=lambda item: (-item[1], item[0]))
        counts = ", ".join(f"{name} {n}" for name, n in most_first)
        others = " of other documents" if whole else ""
        cells = "1 cell" if n_cells.total() == 1 else f"{n_cells.total()} cells"
        yield f"{cells}{others} failed ({counts}); trace_value with the state failed says why"
    if n_in_part:
        yield (
            f"{n_in_part} of {n_documents} documents are too long to be read whole: what they do"
            " not mention in the parts that were read stays unknown"
        )


def show_values(report: IngestReport, corpus: Corpus, name: str) -> IngestReport:
    """Show values of the column that was asked for, and how many documents state it."""
    shown = corpus.quotes(name, "", _MAX_SHOWN)
    [found] = corpus.statistics([name])
    return replace(report, shown=shown, n_stated=found.n_non_null)


def join_reports(
    corpus: str, said: str, odd: Sequence[str], reports: Sequence[IngestReport]
) -> IngestReport:
    """Report on a folder with several kinds of documents, of which *said* says which there are.

    *odd* documents are of none of them, or of several, and in no table; *reports* are of the kinds
    ingested.
    """
    reason = (
        "is like none of the kinds of documents here, or like several, and is in no table"
        " (x-kinds in .srag/schema.json puts it into one)"
    )
    proposed = [report.proposed for report in reports]
    return IngestReport(
        corpus=corpus,
        build_id=None,
        published=any(report.published for report in reports),
        cancelled=any(report.cancelled for report in reports),
        n_documents=sum(report.n_documents for report in reports),
        n_extracted=sum(report.n_extracted for report in reports),
        n_unchanged=sum(report.n_unchanged for report in reports),
        n_removed=sum(report.n_removed for report in reports),
        failed=tuple(item for report in reports for item in report.failed),
        skipped=tuple(Failure(path, reason) for path in odd),
        told=(said,),
        account="\n".join(f"{item.corpus}: {item.account}" for item in reports if item.account),
        proposed=proposed[0] if proposed and all(proposed) else None,
        kinds=tuple(reports),
    )


def finish_report(
    engine: Engine, think: Callable[[], IngestReport], stored: Callable[[], IngestReport]
) -> IngestReport:
    """Let *engine* think to the end; a wish to stop, or a spent budget, ends it with a report.

    *stored* reports what there is by then.

    Raises:
        ReplyError, SchemaError: As *think* does; what the engine said is asked for again.
    """
    try:
        report = think()
    except CancelledError:
        report = replace(stored(), cancelled=True)
    except BudgetError as error:
        report = replace(stored(), cancelled=True, stopped=str(error))
    except (ReplyError, SchemaError):  # the same replies would end the next run, too
        engine.forget_useless()
        raise
    taken = engine.taken()
    if not report.cancelled:
        engine.settle()
    return replace(report, taken=taken)
