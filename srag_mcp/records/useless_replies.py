"""Useless replies in a row: a model that cannot read these prompts is not asked about them all."""

from dataclasses import dataclass

from srag_mcp.errors import UselessRepliesError

MOST_AT_FIRST = 5
MOST_LATER = 25


@dataclass(slots=True)
class UselessReplies:
    """Counts the documents in a row of which no reply had the right form.

    Attributes:
        is_proven: Whether any document was read: then some odd ones in a row may be by chance.
    """

    is_proven: bool = False
    _n_in_a_row: int = 0

    def count(self, reason: str) -> None:
        """Take note of a document whose replies were of no use.

        Raises:
            UselessRepliesError: If there were many in a row, more where others could be read.
        """
        self._n_in_a_row += 1
        if self._n_in_a_row < (MOST_LATER if self.is_proven else MOST_AT_FIRST):
            return
        msg = (
            f"no reply of use came for {self._n_in_a_row} documents in a row; the last one:"
            f" {reason.rstrip('.')}. Try another model (--model), another SRAG_REPLY_FORMAT or a"
            " smaller SRAG_PROMPT_TOKENS; what could be used is kept, start the same command again"
            " to go on"
        )
        raise UselessRepliesError(msg)

    def reset(self) -> None:
        """Take note of a document that was read."""
        self.is_proven = True
        self._n_in_a_row = 0
