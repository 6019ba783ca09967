"""What a language model replies when it is asked for records."""

from typing import Literal, TypeAlias

from srag_mcp.model.asking import ReplyContent

ReplyValue: TypeAlias = str | int | float | bool | None


class CellReply(ReplyContent):
    """What a document says of one attribute."""

    attribute: str
    state: Literal["stated", "stated_absent"]
    value: ReplyValue
    quote: str


class DocumentReply(ReplyContent):
    """The record of one document; *id* is the short one of the prompt."""

    id: str
    cells: tuple[CellReply, ...]
    not_mentioned: tuple[str, ...]


class RecordsReply(ReplyContent):
    """The records of the documents of one prompt."""

    documents: tuple[DocumentReply, ...]
