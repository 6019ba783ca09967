"""The meanings of gold fields, as the README of a pack tells them.

A README describes the fields in a table: their names in its first column, what they mean in its
second. Names may be several in a cell, separated by commas.
"""

from collections.abc import Collection
from pathlib import Path

from srag_mcp.documents.document import Table
from srag_mcp.documents.readers import read_content
from srag_mcp.errors import DocumentError, PackError

_README = "README.md"


def read_meanings(folder: Path, fields: Collection[str]) -> dict[str, str]:
    """Return what the README in *folder* says of *fields*, by name; of the others it says nothing.

    Of its tables it is the one that names the most fields. Nothing where there is no README.

    `| length | of the hull |` -> `{"length": "of the hull."}`

    Raises:
        PackError: If the README is not text that can be read.
    """
    path = folder / _README
    if not path.exists():
        return {}
    try:
        blocks = read_content(path.read_bytes(), _README).blocks
    except (OSError, DocumentError) as error:
        msg = f"{_README}: not a text file that can be read ({error})"
        raise PackError(msg) from error
    tables = [_meanings(block, fields) for block in blocks if isinstance(block, Table)]
    return max(tables, key=len, default={})


def _meanings(table: Table, fields: Collection[str]) -> dict[str, str]:
    rows = [(row[0].text, row[1].text.strip()) for row in table.rows]
    return {
        name: _sentence(meaning)
        for names, meaning in rows
        for name in map(str.strip, names.split(","))
        if name in fields and meaning
    }


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
