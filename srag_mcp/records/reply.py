"""What a language model replies when it is asked for records."""

from typing import ClassVar, Literal

from srag_mcp.cells.normalised import ReplyValue
from srag_mcp.model.reply_content import ReplyContent, ReplyElement


class CellReply(ReplyElement):
    """What a document says of one attribute."""

    blanks: ClassVar = {"attribute": "", "state": "stated", "value": None, "quote": ""}

    attribute: str
    state: Literal["stated", "stated_absent"]
    value: ReplyValue
    quote: str


class DocumentReply(ReplyElement):
    """The record of one document; *id* is the short one of the prompt."""

    blanks: ClassVar = {"id": "", "cells": (), "not_mentioned": ()}

    id: str
    cells: tuple[CellReply, ...]
    not_mentioned: tuple[str, ...]


class RecordsReply(ReplyContent):
    """The records of the documents of one prompt."""

    documents: tuple[DocumentReply, ...]
