"""The formats that can be read, by the ending of the file's name."""

MEDIA_TYPES = {
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pdf": "application/pdf",
    ".eml": "message/rfc822",
}
TABLE_TYPES = frozenset(
    MEDIA_TYPES[suffix] for suffix in (".csv", ".tsv", ".xlsx", ".json", ".jsonl")
)  # a row of these can be a document


def media_type(name: str) -> str | None:
    """Return the media type of a file called *name*, None if its format cannot be read."""
    dot = name.rfind(".")
    return MEDIA_TYPES.get(name[dot:].lower()) if dot >= 0 else None


def readable_endings() -> str:
    """Return the endings that can be read, for messages."""
    return ", ".join(ending.removeprefix(".") for ending in MEDIA_TYPES)
