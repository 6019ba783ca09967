"""Tokens: how many a text has, estimated; exact counts differ from model to model.

The estimate decides what is shown of a document and which documents share a prompt, so it must not
depend on the model. Letters of other scripts take more of them than Latin ones, as they take more
bytes: with one byte a letter four make a token, with two (Greek, Cyrillic, Arabic) two, with three
(Chinese, Japanese, Korean, Thai) one.
"""

import math

from srag_mcp.model.language_model import Prompt

CHARACTERS_A_TOKEN = 4
LATIN_BYTES = 1.25  # a letter: accents and typography do not make a text another script


def characters_a_token(text: str) -> float:
    """Estimate how many characters of *text* make a token: 4, or fewer in other scripts."""
    n_bytes = len(text.encode(errors="replace")) / max(1, len(text))
    if n_bytes <= LATIN_BYTES:
        return CHARACTERS_A_TOKEN
    return CHARACTERS_A_TOKEN / 2 ** (n_bytes - 1)


def count_tokens(text: str) -> int:
    """Estimate the tokens of *text*."""
    return math.ceil(len(text) / characters_a_token(text))


def most_characters(text: str, n_tokens: int) -> int:
    """Estimate how many characters of *text* make *n_tokens*."""
    return int(n_tokens * characters_a_token(text))


def estimate_prompt_tokens(prompt: Prompt) -> int:
    """Estimate the tokens of all that is sent of *prompt*."""
    corrections = [part for item in prompt.corrections for part in (item.reply, item.message)]
    return count_tokens("\n".join((prompt.instructions, prompt.content, *corrections)))
