"""The text of a document, as a language model is to read it."""

from dataclasses import dataclass


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
