"""The engine of the calling agent: its prompts wait until the caller has answered them."""

from typing import ClassVar

from srag_mcp.engines.model import ModelEngine
from srag_mcp.model.agent_model import AGENT, AgentModel
from srag_mcp.model.language_model import LanguageModel, Price
from srag_mcp.settings import EngineName, Settings
from srag_mcp.store.spool import PromptSpool
from srag_mcp.store.state import State

IN_FLIGHT = 200  # so many prompts an agent and its helpers may share


class AgentEngine(ModelEngine):
    """The calling agent thinks, as a language model without a key."""

    __slots__ = ()
    name: ClassVar[EngineName] = AGENT
    by_caller: ClassVar[bool] = True

    @classmethod
    def price(cls, settings: Settings) -> Price | None:
        """Its prompts are on the bill of the agent."""
        return None

    @property
    def is_begun(self) -> bool:
        """Its prompts wait for somebody as soon as they are written."""
        return True

    @classmethod
    def _open_model(cls, settings: Settings, state: State) -> LanguageModel:
        return AgentModel(PromptSpool(state))

    @classmethod
    def _model_name(cls, settings: Settings) -> str:
        return AGENT

    @classmethod
    def _in_flight(cls, settings: Settings) -> int:
        return IN_FLIGHT
