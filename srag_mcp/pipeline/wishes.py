"""What is asked of an ingestion; of one that did not end, for the one that goes on with it."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict  # pydantic reads no other one before Python 3.12

from srag_mcp.documents.folder import QUESTIONS_FILE, decode, find_own_file, read_members
from srag_mcp.errors import DocumentError, SchemaError, SragError
from srag_mcp.schema.attribute import LONGEST_WISH
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import EngineName, Settings
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.state import UNFINISHED, open_state, read_state

logger = logging.getLogger(__name__)

MAX_QUESTION_CHARACTERS = 500
RowsMode: TypeAlias = Literal["auto", "file", "row"]


class IngestOptions(TypedDict, total=False):
    """What can be asked of an ingestion.

    Attributes:
        rows: Whether rows of tables are documents: `auto` when a table is the only file.
        fresh: Whether to find the schema anew and to try files again that could not be read.
        attribute: One more attribute, described in words; only it is extracted anew.
        keep: Whether the attribute becomes a column; else it is loose (`store.loose`).
        documents: A SELECT of the documents that a loose attribute is read from; empty for all.
        asks_first: Whether to do nothing, and say what it would take, where a language model is to
            be asked for more than one column; and to publish nothing where nobody chose an engine,
            no model is named and the columns that rules find leave most words over.
    """

    questions: Sequence[str]
    schema: Schema | None
    rows: RowsMode
    fresh: bool
    attribute: str
    keep: bool
    documents: str
    asks_first: bool


class Unfinished(BaseModel, frozen=True):
    """What an ingestion was asked to do, until it has done it.

    Attributes:
        model: The language model that the settings named, whoever thinks.
        api_base: Where it is asked; not gone on with, as the key would be sent there.
        budget_usd, budget_calls: What it was not to exceed; see `within_budget`.
    """

    engine: EngineName
    model: str | None = None
    api_base: str | None = None
    questions: tuple[str, ...] = ()
    rows: RowsMode = "auto"
    fresh: bool = False
    budget_usd: float | None = None
    budget_calls: int | None = None


class Continuation(NamedTuple):
    """Settings and options of an ingestion, and what of them an earlier one left, for people."""

    settings: Settings
    options: IngestOptions
    taken_over: str = ""


def read_unfinished(folder: Path) -> Unfinished | None:
    """Return what the last ingestion, of a state folder, was to do; None if it did end."""
    with read_state(folder) as state:
        written = state.note(UNFINISHED)
    try:
        return None if written is None else Unfinished.model_validate_json(written)
    except ValidationError as error:
        logger.warning("what did not end in %s is damaged, and left aside: %s", folder, error)
        return None


def remember_unfinished(folder: Path, wish: Unfinished | None) -> None:
    """Take note of what an ingestion is to do; None: there is nothing to go on with."""
    with open_state(folder) as state:
        state.keep_note(UNFINISHED, None if wish is None else wish.model_dump_json())


@contextmanager
def remembered(
    state: Path, wish: Unfinished | None, is_begun: Callable[[], bool]
) -> Iterator[None]:
    """Remember *wish* while it is done; None remembers nothing.

    It stays when it is cut off, for the next ingestion to go on with. One that fails before it *is
    begun*, for a wrong key or no documents, leaves what was there before.
    """
    before = read_unfinished(state)
    if wish is not None:
        if before is not None and before.questions != wish.questions:
            with open_state(state) as opened:
                opened.run("DELETE FROM earlier_answers")  # another thing is asked now
        remember_unfinished(state, wish)
    try:
        yield
    except SragError:
        if not is_begun():
            remember_unfinished(state, before)
        raise


def forget_fresh(state: Path) -> None:
    """Say that the columns were found anew: who goes on must not do so again."""
    wish = read_unfinished(state)
    if wish is not None and wish.fresh:
        remember_unfinished(state, wish.model_copy(update={"fresh": False}))


def go_on(folder: Path, settings: Settings, options: IngestOptions) -> Continuation:
    """Complete settings and options by those of the ingestion of *folder* that did not end.

    What is given wins. An engine is given by its name, or by naming another model than then. Where
    nobody gave questions, those beside the documents count.

    Raises:
        DocumentError: If the file `sample_questions.txt` cannot be read.
    """
    wish = read_unfinished(CorpusFolder(folder, settings.home).readable())
    given = options.get("questions")
    beside = [] if given else read_sample_questions(folder)
    if wish is None:
        return Continuation(settings, options | IngestOptions(questions=given or beside))
    rows = options.get("rows", "auto")
    completed = options | IngestOptions(
        questions=given or wish.questions or beside,
        rows=wish.rows if rows == "auto" else rows,
        fresh=options.get("fresh", False) or wish.fresh,
    )
    # the engines load half of the package: only for who goes on with one
    from srag_mcp.engines.choice import take_over, usual_engine

    thinking = take_over(settings, wish.engine, wish.model, wish.api_base)
    taken_over = []
    if thinking.engine not in {settings.engine, usual_engine(settings).name}:
        taken_over.append(f"engine {thinking.engine}")
    if thinking.model != settings.model:
        taken_over.append(f"model {thinking.model}")
    if wish.questions and not given and list(wish.questions) != beside:
        taken_over.append(f"{len(wish.questions)} sample questions")
    return Continuation(thinking, completed, ", ".join(taken_over))


def within_budget(folder: Path, settings: Settings) -> Settings:
    """Return *settings* with the budget of the ingestion of *folder* that did not end.

    It is for those who do not mean to spend, as somebody who asks a question. A budget in
    *settings* wins.
    """
    wish = read_unfinished(CorpusFolder(folder, settings.home).readable())
    if wish is None or settings.budget_usd is not None or settings.budget_calls is not None:
        return settings
    kept = {"budget_usd": wish.budget_usd, "budget_calls": wish.budget_calls}
    return settings.model_copy(update=kept)


def read_sample_questions(folder: Path) -> list[str]:
    """Read the `sample_questions.txt` of *folder*, in any encoding; none when there is no file.

    The corpus of a kind has its share of those of its folder.

    Raises:
        DocumentError: If it cannot be read, or is not text.
        CorpusError: If it is a link that leads out of the folder.
    """
    members = read_members(folder)
    if members is not None:
        return [*members.questions, *members.needed]
    path = find_own_file(folder, QUESTIONS_FILE)
    if path is None:
        return []
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(path.name, f"cannot be opened: {error.strerror}") from error
    return tidy_questions(decode(data, path.name).splitlines())


def find_tried(folder: Path, questions: Iterable[str]) -> tuple[str, ...]:
    """Return those of *questions* that the corpus in *folder* is to answer alone.

    Of a kind they are not those that are of several, for which it but has columns.
    """
    members = read_members(folder)
    return tuple(x for x in questions if members is None or x not in members.needed)


def tidy_questions(questions: Iterable[str]) -> list[str]:
    """Return *questions* without blank ones and repetitions, the long ones cut."""
    stripped = (question.strip()[:MAX_QUESTION_CHARACTERS] for question in questions)
    return list(dict.fromkeys(question for question in stripped if question))


def tidy_wish(wish: str) -> str:
    """Return the wish for an attribute on one line; SchemaError where it is empty or too long."""
    wish = " ".join(wish.split())
    if not wish or len(wish) > LONGEST_WISH:
        msg = f"describe one attribute in 1 to {LONGEST_WISH} characters, not {len(wish)}"
        raise SchemaError(msg)
    return wish


def extension_options(attribute: str, documents: str = "", *, keep: bool = True) -> IngestOptions:
    """Return what is asked of an ingestion that adds *attribute*, or reads it from *documents*.

    SchemaError as `tidy_wish`, or where a column shall be read from some of the documents only.
    """
    wish = tidy_wish(attribute)
    if keep and documents.strip():
        msg = (
            "a column that is kept is read from all documents: leave documents out, or pass"
            " keep=false to read these documents only"
        )
        raise SchemaError(msg)
    return (
        {"attribute": wish} if keep else {"attribute": wish, "keep": False, "documents": documents}
    )
