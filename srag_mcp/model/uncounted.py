"""Tokens that nobody counts are estimated: those of agents, of recordings and of some servers."""

from srag_mcp.model.language_model import Prompt
from srag_mcp.model.tokens import count_tokens

AGENT = "agent"
REPLAY = "replay:"


def estimate_prompt_tokens(prompt: Prompt) -> int:
    """Estimate the tokens of all that is sent of *prompt*."""
    corrections = [part for item in prompt.corrections for part in (item.reply, item.message)]
    return count_tokens("\n".join((prompt.instructions, prompt.content, *corrections)))
