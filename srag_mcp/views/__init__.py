"""What is shown of a schema, a result, a trace, a job: once, as data and as text.

A module loads when it is first used: a server lists its tools without any.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from srag_mcp.views import answers, findings, holdings, job_pages

__all__ = ["answers", "findings", "holdings", "job_pages"]


def __getattr__(name: str) -> ModuleType:
    """Load the module *name* of this package."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return import_module(f"{__name__}.{name}")
