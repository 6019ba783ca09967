"""An append-only file of lines that survives the end of its process, however it ends."""

import os
from collections.abc import Iterator
from pathlib import Path

from srag_mcp.errors import StoreError


class Journal:
    """Lines that are not yet in the database.

    A line is handed to the operating system before `append` returns: a killed process loses none.
    A power cut may, for nothing is forced to the disk.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def append(self, line: bytes) -> None:
        """Write *line*, which has no line feed.

        Raises:
            StoreError: If it cannot be written whole; then none of it is there.
        """
        data = line + b"\n"
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                self._drop_torn_end(self._file)
            n_written = os.write(self._file, data)
            if n_written < len(data):  # a full disk: the next write would say so
                os.ftruncate(self._file, os.fstat(self._file).st_size - n_written)
                msg = f"{self._path}: only {n_written} of {len(data)} bytes could be written"
                raise StoreError(msg)
        except OSError as error:
            msg = f"writing {self._path}: {error}"
            raise StoreError(msg) from error

    def lines(self) -> Iterator[bytes]:
        """Read the whole lines; one that was cut off by the end of its process is left out."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line[:-1]

    def clear(self) -> None:
        """Forget all lines: they are in the database now."""
        if self._path.exists():
            os.truncate(self._path, 0)

    def close(self) -> None:
        """Close the file; it can be written to again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _drop_torn_end(self, file: int) -> None:
        data = self._path.read_bytes()
        os.ftruncate(file, data.rfind(b"\n") + 1)
