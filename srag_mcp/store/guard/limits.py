"""What one query may use."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one query may use; the defaults suit an agent that reads pages of rows.

    Attributes:
        timeout_s: Seconds after which the engine stops a query; half a second later the worker
            process is killed.
        long_after_s: Seconds after which a query counts as long: it may have to wait again.
        memory_mb: Memory that the engine may use, in MiB.
        address_space_mb: Address space of the worker process, in MiB (Linux).
        max_rows: Most rows of one page.
        max_bytes: Most bytes of one page, as JSON; a page has at least one row.
        max_cell_characters: Longer text is cut and says by how much.
        threads: Threads that the engine may use. With one, a statement gives the same rows in the
            same order each time: pages follow each other, and sums of floating-point numbers agree.
    """

    timeout_s: float = 5.0
    long_after_s: float = 1.0
    memory_mb: int = 512
    address_space_mb: int = 2048
    max_rows: int = 1000
    max_bytes: int = 200_000
    max_cell_characters: int = 2000
    threads: int = 1
