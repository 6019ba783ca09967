"""Who translates a question: the offline grammar, a language model, or one after the other."""

from dataclasses import dataclass

from srag_mcp.model.choice import open_model
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.settings import EngineChoice, Settings


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions are translated.

    Attributes:
        engine: `offline` and `model` force one; `auto` takes the grammar where it is sure, else the
            model; with `agent` a question that the grammar cannot read becomes a brief.
        model: None where there is none.
        votes: Translations by the model whose results are compared.
        model_name: The model as the settings name it: its replies are kept beside the corpus. Empty
            where somebody else keeps them.
    """

    engine: EngineChoice = "offline"
    model: LanguageModel | None = None
    votes: int = 1
    model_name: str = ""


OFFLINE = Asking()


def choose_asking(settings: Settings) -> Asking:
    """Return how questions are translated after *settings*.

    Raises:
        SettingsError: If the engine is `model` and no model is named.
    """
    if settings.engine == "model" or (settings.engine == "auto" and settings.model):
        return Asking(settings.engine, open_model(settings), settings.votes, settings.model or "")
    return OFFLINE
