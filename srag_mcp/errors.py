"""Every error this package raises on purpose.

SragError
    SettingsError             a setting or option has a value that cannot be used
    DocumentError             a file could not be read as a document; has .path and .reason
    SchemaError               a schema cannot be used
    CorpusError               a folder cannot be used as a corpus
        SeveralKindsError     it holds several kinds of documents, each a corpus of its own
        NotIngestedError      the corpus has no published build yet
            AskFirstError     it should not be ingested without being asked: it looks like no corpus
    JobError                  an ingestion job is unknown or cannot do what was asked
        LockedError           another process ingests this corpus
    StoreError                a database of a corpus could not be read or written
        QueryError            SQL was wrong or not allowed; has .sql
            RefusedQueryError     the guard does not allow it
            UnknownNameError      a table or column does not exist; has .nearest
            QueryTimeoutError     stopped at the time limit
            QueryMemoryError      stopped at the memory limit
            QueryCancelledError   stopped because the caller gave up
    QuestionError             a question could not be translated; has .unplaced
    ModelError                no reply could be had from a language model
        ReplyError            a reply did not have the form that was asked for
        PromptTooLongError    the prompt is longer than the model can read
        PromptRefusedError    the provider refuses the prompt for its content
        ModelStoppedError     no further prompt can be answered (wrong key, unknown model, …)
            BudgetError       the budget of calls or money is used up
            UselessRepliesError   nothing can be made of the replies to many prompts in a row; also
                              a ReplyError
    PackError                 a benchmark pack is incomplete or malformed
"""

from collections.abc import Iterable, Sequence


class SragError(Exception):
    """The root of all errors of this package; its text is written for the user."""


class SettingsError(SragError):
    """A setting or option has a value that cannot be used."""


class DocumentError(SragError):
    """A file could not be read as a document.

    Attributes:
        path: The file, relative to the corpus folder.
        reason: What is wrong with it, as one clause.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[type["DocumentError"], tuple[str, str]]:
        """Pickle with both arguments: readers run in other processes."""
        return (type(self), (self.path, self.reason))


class SchemaError(SragError):
    """A schema cannot be used; the text names the attribute and what is wrong with it."""


class CorpusError(SragError):
    """A folder cannot be used as a corpus."""


class SeveralKindsError(CorpusError):
    """A folder holds several kinds of documents; *names* are those of their corpora."""

    def __init__(self, folder: object, names: Iterable[str]) -> None:
        told = "holds several kinds of documents, each a corpus of its own; name one"
        super().__init__(f"{folder} {told}: {', '.join(names)}")


class NotIngestedError(CorpusError):
    """The corpus has no published build yet."""


class AskFirstError(NotIngestedError):
    """A folder that has no build should not be ingested without being asked."""


class JobError(SragError):
    """An ingestion job is unknown or cannot do what was asked."""


class LockedError(JobError):
    """Another process ingests this corpus; the text names it."""


class StoreError(SragError):
    """A database of a corpus could not be read or written."""


class QueryError(StoreError):
    """SQL was wrong or not allowed.

    Attributes:
        sql: The statement as it was sent.
    """

    def __init__(self, message: str, sql: str) -> None:
        super().__init__(message)
        self.sql = sql


class RefusedQueryError(QueryError):
    """The guard does not allow the statement."""


class UnknownNameError(QueryError):
    """A table or column does not exist.

    Attributes:
        nearest: Existing names that look alike, best first.
    """

    def __init__(self, message: str, sql: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(message, sql)
        self.nearest = tuple(nearest)


class QueryTimeoutError(QueryError):
    """The query was stopped at the time limit."""


class QueryMemoryError(QueryError):
    """The query was stopped at the memory limit."""


class QueryCancelledError(QueryError):
    """The query was stopped because the caller gave up."""


class QuestionError(SragError):
    """A question could not be translated into a query.

    Attributes:
        unplaced: The words of the question that had no place in the reading.
    """

    def __init__(self, message: str, unplaced: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.unplaced = tuple(unplaced)


class ModelError(SragError):
    """No reply could be had from a language model."""


class ReplyError(ModelError):
    """A reply did not have the form that was asked for."""


class PromptTooLongError(ModelError):
    """The prompt is longer than the model can read."""


class PromptRefusedError(ModelError):
    """The provider refuses the prompt for its content."""


class ModelStoppedError(ModelError):
    """No further prompt can be answered: a wrong key, an unknown model, a server that is gone."""


class BudgetError(ModelStoppedError):
    """The budget of calls or money is used up; the text says how to go on."""


class UselessRepliesError(ModelStoppedError, ReplyError):
    """Nothing can be made of the replies to many prompts in a row."""


class PackError(SragError):
    """A benchmark pack is incomplete or malformed."""
