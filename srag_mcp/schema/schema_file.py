"""Schema files: JSON Schema that a person or another tool wrote."""

import json
from pathlib import Path

from srag_mcp.documents.folder import SCHEMA_FILE, find_own_file
from srag_mcp.errors import SchemaError
from srag_mcp.schema.json_schema import schema_from_json
from srag_mcp.schema.schema import Schema


def find_schema_file(folder: Path) -> Path | None:
    """Return the schema that a person put beside the documents of *folder*.

    Raises:
        CorpusError: If it is a link that leads out of the folder.
    """
    return find_own_file(folder, SCHEMA_FILE)


def read_schema_file(path: Path) -> Schema:
    """Read the schema in the file *path*.

    Raises:
        SchemaError: If the file is missing, not JSON, names a property twice, or is not a schema
            that we can use. The text names the file.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        data = json.loads(text, object_pairs_hook=_without_repetition)
        return schema_from_json(data)
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise SchemaError(msg) from error
    except (ValueError, RecursionError) as error:
        msg = f"{path} is not JSON that can be read: {error}. Mend it, or remove it"
        raise SchemaError(msg) from error
    except SchemaError as error:
        msg = f"{path}: {error}"
        raise SchemaError(msg) from error


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse a key that is there twice: JSON would silently keep the last."""
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            msg = f"{key!r} is there twice"
            raise SchemaError(msg)
        found[key] = value
    return found
