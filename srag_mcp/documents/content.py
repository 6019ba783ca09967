"""What a reader of a format hands over: text, blocks and a title."""

from dataclasses import dataclass

from srag_mcp.documents.document import Block


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a file with its blocks; *title* is None where the format names none."""

    text: str
    blocks: tuple[Block, ...]
    title: str | None = None
