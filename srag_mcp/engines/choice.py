"""Which engine thinks: the one that is named, or what leaving it open means here."""

from srag_mcp.engines.model import AgentEngine, ModelEngine
from srag_mcp.engines.offline import OfflineEngine
from srag_mcp.engines.protocol import Engine
from srag_mcp.errors import SettingsError
from srag_mcp.inference.ask import OFFLINE, SURE_OR_BRIEF, Asking
from srag_mcp.inference.by_model import ONCE
from srag_mcp.model.remote_model import open_model
from srag_mcp.settings import EngineName, Settings, named_engine
from srag_mcp.store.work import WorkDatabase

ENGINES: dict[str, type[Engine]] = {
    engine.name: engine for engine in (OfflineEngine, ModelEngine, AgentEngine)
}


def _chosen(settings: Settings) -> type[Engine] | None:
    """Return the engine that is named, or that of the model that is; None where both are open."""
    name = named_engine(settings.engine)
    if name is not None:
        return ENGINES[name]
    return ModelEngine if settings.model else None


def choose_engine(work: WorkDatabase, settings: Settings) -> type[Engine]:
    """Return the engine of the settings; left open: the model if one is named, else as last time.

    Raises:
        SettingsError: If the last ingestion had a language model, and none is named now.
    """
    if (chosen := _chosen(settings)) is not None:
        return chosen
    last = ENGINES[work.engine_in_force()]
    if work.schema_in_force() is None or not last.asks:
        return OfflineEngine
    if last.by_caller:
        return last
    msg = (
        "this corpus was ingested with a language model, and none is named now. Set SRAG_MODEL or"
        " --model, or choose --engine agent. With --engine offline rules read all columns anew; a"
        " column that is added (extend) they read alone, and the others stay"
    )
    raise SettingsError(msg)


def callers_engine(settings: Settings, last: str | None) -> EngineName | None:
    """Return the engine, *last* that of a build, if it would wait for its caller; else None."""
    engine = _chosen(settings) or (None if last is None else ENGINES[last])
    return engine.name if engine is not None and engine.by_caller else None


def take_over(settings: Settings, engine: str, model: str | None, api_base: str | None) -> Settings:
    """Complete *settings* by the engine and model of an ingestion that did not end.

    An engine is given by its name, or by naming another model than then. A model is not gone on
    with at another address: the key would be sent there.
    """
    names_another = settings.model is not None and settings.model != model
    name = named_engine(settings.engine) or (None if names_another else engine)
    is_there = api_base in {None, settings.api_base}
    if settings.model is None and name == ModelEngine.name and is_there:
        settings = settings.model_copy(update={"model": model})
    return settings if name is None else settings.model_copy(update={"engine": name})


def usual_engine(settings: Settings) -> type[Engine]:
    """Return who thinks where nobody has thought before."""
    return _chosen(settings) or OfflineEngine


def asks_model(settings: Settings) -> bool:
    """Whether a language model that the settings name is asked, where it is not known better."""
    engine = usual_engine(settings)
    return engine.asks and not engine.by_caller


def choose_asking(settings: Settings) -> Asking:
    """Return how questions are translated after *settings*; SettingsError without a model named.

    Where the engine is left open the grammar goes first; where no model is named, or the calling
    agent thinks, the brief is for whoever asks, unless the grammar is sure.
    """
    if not asks_model(settings):
        is_forced = named_engine(settings.engine) == OfflineEngine.name
        return OFFLINE if is_forced else SURE_OR_BRIEF
    return Asking(
        open_model(settings),
        ONCE,
        settings.model or "",
        settings.question_timeout_s,
        grammar_first=named_engine(settings.engine) is None,
        prompt_tokens=settings.prompt_tokens,
    )
