"""Which language model the settings mean."""

from pathlib import Path

from srag_mcp.errors import SettingsError
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.litellm_model import LitellmModel
from srag_mcp.model.replay_model import ReplayModel
from srag_mcp.settings import Settings

REPLAY = "replay:"


def open_model(settings: Settings) -> LanguageModel:
    """Return the model that `model` names: `replay:<file>`, or one that litellm knows.

    Nothing is loaded or asked yet; a wrong key or an unknown model is found by the first prompt.

    Raises:
        SettingsError: If no model is named.
        ModelStoppedError: If the file of a replay cannot be read.
    """
    if not settings.model:
        msg = (
            "no language model is named. Set SRAG_MODEL or --model, for example"
            " openai/gpt-4o-mini with OPENAI_API_KEY, or openai/<name> with SRAG_API_BASE for a"
            " server of your own; the engines `offline` and `agent` need none"
        )
        raise SettingsError(msg)
    if settings.model.startswith(REPLAY):
        return ReplayModel(Path(settings.model.removeprefix(REPLAY)))
    return LitellmModel(settings)
