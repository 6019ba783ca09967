"""A process that reads documents for another one: `python -P -m srag_mcp.pipeline.reader_process`.

A parser that crashes, hangs or fills the memory takes this process with it, and nothing else.
"""

import gc
import os
import pickle
import sys
from contextlib import suppress

from srag_mcp.pipeline.reading import perform

MEMORY_LIMIT_BYTES = 4 * 1024**3
# Documents are trees of small objects without cycles: looking for cycles as often as Python does by
# itself takes a tenth of the time.
_OBJECTS_BETWEEN_COLLECTIONS = 10_000


def main() -> None:
    """Answer pickled tasks from stdin with pickled replies on stdout, until stdin ends."""
    replies = os.fdopen(os.dup(1), "wb")
    # What parsers print must not mix with the replies.
    os.dup2(2, 1)
    _limit_memory()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    with suppress(BrokenPipeError, KeyboardInterrupt):
        while True:
            try:
                # The tasks come from the parent process, over a pipe of its own.
                task = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            for reply in perform(task):
                pickle.dump(reply, replies, protocol=pickle.HIGHEST_PROTOCOL)
            replies.flush()


def _limit_memory() -> None:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))


if __name__ == "__main__":
    main()
