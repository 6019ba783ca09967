"""What the server and its worker process say to each other: one JSON value a line.

The first line of a worker process lists the limits that this system cannot set.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Literal

from srag_mcp import errors
from srag_mcp.errors import QueryError, StoreError, UnknownNameError
from srag_mcp.store.guard.result_page import Value

STOP = b"stop\n"  # instead of a request: stop the one that was sent last


@dataclass(frozen=True, slots=True)
class Request:
    """One statement to run: `select` is from outside and is checked, `read` is our own.

    *timeout_s* is a time limit shorter than that of the worker; None for none.
    """

    kind: Literal["select", "read"]
    build: str
    sql: str
    tables: dict[str, list[str]] = field(default_factory=dict)
    parameters: list[Value] = field(default_factory=list)
    limit: int = 0
    offset: int = 0
    timeout_s: float | None = None

    def to_line(self) -> bytes:
        """Write the request as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Request":
        """Read a line that `to_line` wrote."""
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as it travels; `spent` when the process should not be used any more."""

    name: str
    message: str
    nearest: list[str]
    spent: bool = False

    @classmethod
    def of(cls, error: StoreError, *, spent: bool = False) -> "Failure":
        """Pack *error*."""
        nearest = list(error.nearest) if isinstance(error, UnknownNameError) else []
        return cls(type(error).__name__, str(error), nearest, spent)

    def to_error(self, sql: str) -> StoreError:
        """Unpack it as the error it was."""
        kind: type[StoreError] = getattr(errors, self.name)
        if issubclass(kind, UnknownNameError):
            return kind(self.message, sql, self.nearest)
        return kind(self.message, sql) if issubclass(kind, QueryError) else kind(self.message)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: rows, or a failure; neither where it was stopped by `STOP`."""

    columns: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    rows: list[list[Value]] = field(default_factory=list)
    truncated: bool = False
    seconds: float = 0.0
    failure: Failure | None = None
    was_stopped: bool = False

    def to_line(self) -> str:
        """Write the reply as a line."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name != "failure"}
        failure = None if self.failure is None else asdict(self.failure)
        return json.dumps({**fields, "failure": failure}, ensure_ascii=False) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Reply":
        """Read a line that `to_line` wrote."""
        fields = json.loads(line)
        failure = fields.pop("failure")
        return cls(**fields, failure=None if failure is None else Failure(**failure))
