"""What a language model replies to a question."""

from srag_mcp.model.reply_content import ReplyContent


class TranslationReply(ReplyContent):
    """A query, or what no column holds.

    Attributes:
        restated: The reading, in plain words.
        columns: The columns used.
        missing: What the question needs and no column holds.
        sql: One SELECT; None when something is missing.
    """

    restated: str
    columns: list[str]
    missing: list[str]
    sql: str | None
