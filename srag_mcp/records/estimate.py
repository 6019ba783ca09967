"""What the prediction of records will take, before any prompt is sent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from srag_mcp.model.tokens import count_tokens, count_tokens_of
from srag_mcp.records.batches import plan_batches
from srag_mcp.records.record_prompt import render_records_prompt
from srag_mcp.schema.attribute import Attribute

_TOKENS_A_DOCUMENT = 40  # its id, path, title and marks
_TOKENS_A_CELL = 25


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate in tokens of four characters; corrections are not in it.

    *tokens_out* supposes that each document states every attribute: mostly it is less.
    """

    n_prompts: int
    tokens_in: int
    tokens_out: int


def estimate_records(
    attributes: Sequence[Attribute], n_characters: Iterable[int], prompt_tokens: int
) -> Estimate:
    """Estimate the prompts and tokens for documents of so many characters."""
    shown = (min(count_tokens_of(length), prompt_tokens) for length in n_characters if length)
    instructions = count_tokens(render_records_prompt(attributes, {}).instructions)
    n_prompts = n_documents = tokens_in = 0
    for batch in plan_batches(shown, lambda n_tokens: n_tokens, len(attributes)):
        n_prompts += 1
        n_documents += len(batch)
        tokens_in += instructions + sum(batch) + _TOKENS_A_DOCUMENT * len(batch)
    return Estimate(n_prompts, tokens_in, n_documents * len(attributes) * _TOKENS_A_CELL)
