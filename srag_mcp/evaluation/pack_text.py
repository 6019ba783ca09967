"""The text files of a pack."""

from pathlib import Path

from srag_mcp.errors import PackError


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file with their ends; only line feeds end a line.

    Raises:
        PackError: If it cannot be read, or is not UTF-8.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path.name}: not a text file in UTF-8 that can be read ({error})"
        raise PackError(msg) from error
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
