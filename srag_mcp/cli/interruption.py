"""Ctrl-C, also while a database works."""

from collections.abc import Iterator
from contextlib import contextmanager

_INTERRUPTED = "Query interrupted"


@contextmanager
def interruption() -> Iterator[None]:
    """Raise KeyboardInterrupt for the RuntimeError that DuckDB makes of it in a statement.

    Raises:
        KeyboardInterrupt: If Ctrl-C came, wherever the block was.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) != _INTERRUPTED:
            raise
        raise KeyboardInterrupt from error
