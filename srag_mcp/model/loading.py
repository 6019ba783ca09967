"""Loading the library that a model is asked through while there is other work to do."""

import threading
from typing import Protocol, runtime_checkable

from srag_mcp.model.language_model import LanguageModel


@runtime_checkable
class LoadableModel(Protocol):
    """A language model that is asked through a large library."""

    def load(self) -> None:
        """Import the library; nothing is sent. The first prompt would, and wait for it."""
        ...


def load_model(model: LanguageModel) -> None:
    """Let *model* load what it needs, if it needs anything."""
    if isinstance(model, LoadableModel):
        model.load()


def start_loading(model: LanguageModel) -> threading.Thread:
    """Let *model* load what it needs in a thread, which nobody has to wait for."""
    thread = threading.Thread(target=load_model, args=(model,), name="loading", daemon=True)
    thread.start()
    return thread
