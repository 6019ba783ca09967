"""The text of a document, as a language model is to read it."""

from dataclasses import dataclass

CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class DocumentText:
    """What record prediction needs of a document.

    *text* is the one that spans of cells point into; *sha256* names the bytes it was read from.
    """

    document_id: str
    title: str
    path: str
    text: str
    sha256: str


def count_tokens(text: str) -> int:
    """Estimate the tokens of *text*; exact counts differ from model to model."""
    return count_tokens_of(len(text))


def count_tokens_of(n_characters: int) -> int:
    """Estimate the tokens of so many characters."""
    return -(-n_characters // CHARACTERS_A_TOKEN)
