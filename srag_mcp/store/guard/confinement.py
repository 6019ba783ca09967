"""Layer 4, inside: what the worker process takes from itself before it reads a statement."""

import os
import sys
from typing import TextIO

from srag_mcp.store.guard.limits import QueryLimits

_MAX_OPEN_FILES = 64


def confine(limits: QueryLimits) -> list[str]:
    """Limit memory, file size, core dumps and open files; empty the environment.

    Returns:
        The limits that this system does not have (Windows has none of them).
    """
    os.environ.clear()
    try:
        import resource
    except ImportError:
        return ["RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_NOFILE"]
    wanted = {
        "RLIMIT_AS": limits.address_space_mb << 20,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_NOFILE": _MAX_OPEN_FILES,
    }
    missing = []
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        try:
            if kind is None:
                missing.append(name)
            else:
                resource.setrlimit(kind, (value, value))
        except (OSError, ValueError):  # macOS knows RLIMIT_AS and refuses to set it
            missing.append(name)
    return missing


def take_answers() -> TextIO:
    """Keep stdout for the answers: whatever a library prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    sys.stdout = sys.stderr
    return answers


def drop_errors() -> None:
    """Send stderr nowhere: nobody reads it while queries run, and a full pipe would stop us."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
