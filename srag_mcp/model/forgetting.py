"""Forgetting of useless replies: a kept one must not fail a prompt for ever."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from srag_mcp.model.language_model import LanguageModel, Prompt


@runtime_checkable
class ForgetfulModel(Protocol):
    """A language model that keeps replies."""

    def forget(self, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
        """Take note that the reply to *prompt* is of no use, and is to be asked for anew."""
        ...


def forget_reply(model: LanguageModel, prompt: Prompt, reply_schema: Mapping[str, object]) -> None:
    """Tell *model* that its reply to *prompt* is of no use, if it is one that keeps replies.

    Call it where nothing came of a prompt and its corrections, for the last of them: somebody else
    may find the answer that was not found today.
    """
    if isinstance(model, ForgetfulModel):
        model.forget(prompt, reply_schema)
