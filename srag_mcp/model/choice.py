"""Which language model the settings mean."""

from pathlib import Path

from srag_mcp.errors import SettingsError
from srag_mcp.model.language_model import LanguageModel, Price
from srag_mcp.model.litellm_library import LitellmWire, find_price
from srag_mcp.model.openai_wire import OpenAIWire
from srag_mcp.model.remote_model import Patience, RemoteModel, Wire
from srag_mcp.model.replay_model import REPLAY, ReplayModel
from srag_mcp.settings import Settings

_OPENAI = "openai/"


def open_model(settings: Settings, patience: Patience | None = None) -> LanguageModel:
    """Return the model that `model` names.

    `replay:<file>` answers from a recording. With an `api_base`, `openai/<name>` and a name without
    a provider mean a server of one's own; all others are as litellm names them. Nothing is loaded
    or asked yet: a wrong key or an unknown model is found by the first prompt.

    Raises:
        SettingsError: If no model is named.
        ModelStoppedError: If the file of a replay cannot be read.
    """
    named = _named(settings)
    if named.startswith(REPLAY):
        return ReplayModel(Path(named.removeprefix(REPLAY)))
    return RemoteModel(_open_wire(named, settings), settings, patience)


def price_of(settings: Settings) -> Price | None:
    """Return what the model charges; None where that is not known, as for a server of one's own.

    May load litellm: 2 s at the first time.
    """
    named = _named(settings)
    if named.startswith(REPLAY):
        return Price(0.0, 0.0, 0.0)
    return None if is_own_server(named, settings) else find_price(named)


def _open_wire(named: str, settings: Settings) -> Wire:
    if settings.api_base and is_own_server(named, settings):
        return OpenAIWire(named.removeprefix(_OPENAI), settings.api_base, settings)
    return LitellmWire(named, settings)


def is_own_server(named: str, settings: Settings) -> bool:
    """Whether the model *named* is asked at the `api_base` of *settings*, without litellm."""
    return bool(settings.api_base) and (named.startswith(_OPENAI) or "/" not in named)


def _named(settings: Settings) -> str:
    if settings.model:
        return settings.model
    msg = (
        "no language model is named. Set SRAG_MODEL or --model, for example openai/gpt-4o-mini"
        " with OPENAI_API_KEY, or openai/<name> with SRAG_API_BASE for a server of your own; the"
        " engines `offline` and `agent` need none"
    )
    raise SettingsError(msg)
