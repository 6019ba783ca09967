"""Models whose tokens nobody counts, agents and recordings: they are estimated."""

from srag_mcp.model.language_model import Prompt
from srag_mcp.model.tokens import count_tokens

AGENT = "agent"
REPLAY = "replay:"


def is_uncounted(asked_model: str) -> bool:
    """Whether the tokens of a model are estimated: `"agent"`, `"replay:stations.jsonl"`."""
    return asked_model == AGENT or asked_model.startswith(REPLAY)


def estimate_prompt_tokens(prompt: Prompt) -> int:
    """Estimate the tokens of all that is sent of *prompt*."""
    corrections = [part for item in prompt.corrections for part in (item.reply, item.message)]
    return count_tokens("\n".join((prompt.instructions, prompt.content, *corrections)))
