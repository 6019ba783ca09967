"""What the prediction of records will take, before any prompt is sent."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from srag_mcp.model.tokens import count_tokens
from srag_mcp.records.batches import plan_batches
from srag_mcp.records.reading_on import MAX_PROMPTFULS
from srag_mcp.records.record_prompt import render_records_prompt
from srag_mcp.schema.attribute import Attribute

_TOKENS_A_DOCUMENT = 40  # its id, path, title and marks
_TOKENS_A_CELL = 25


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate in tokens, see `model.tokens`; corrections are not in it.

    *tokens_out* supposes that each document states every attribute: mostly it is less.
    """

    n_prompts: int
    tokens_in: int
    tokens_out: int


def estimate_records(
    attributes: Sequence[Attribute], n_tokens: Iterable[int], prompt_tokens: int
) -> Estimate:
    """Estimate the prompts and tokens for documents of *n_tokens* each.

    Long documents are taken to be read on as far as they ever are: an upper end.
    """
    lengths = [length for length in n_tokens if length]
    shown = (min(length, prompt_tokens) for length in lengths)
    parts = [(n,) for length in lengths for n in _further_parts(length, prompt_tokens)]
    instructions = count_tokens(render_records_prompt(attributes, {}).instructions)
    n_prompts = tokens_in = 0
    for batch in chain(plan_batches(shown, lambda n: n, len(attributes)), parts):
        n_prompts += 1
        tokens_in += instructions + sum(batch) + _TOKENS_A_DOCUMENT * len(batch)
    return Estimate(n_prompts, tokens_in, len(lengths) * len(attributes) * _TOKENS_A_CELL)


def _further_parts(n_tokens: int, prompt_tokens: int) -> Iterator[int]:
    """Yield the tokens of the parts after the first in which a document is read."""
    end = min(n_tokens, MAX_PROMPTFULS * prompt_tokens)
    for start in range(prompt_tokens, end, prompt_tokens):
        yield min(prompt_tokens, end - start)
