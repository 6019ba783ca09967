"""Tokens: how many a text has, estimated; exact counts differ from model to model.

The estimate decides what is shown of a document and which documents share a prompt, so it must not
depend on the model.
"""

CHARACTERS_A_TOKEN = 4


def count_tokens(text: str) -> int:
    """Estimate the tokens of *text*."""
    return count_tokens_of(len(text))


def count_tokens_of(n_characters: int) -> int:
    """Estimate the tokens of so many characters."""
    return -(-n_characters // CHARACTERS_A_TOKEN)
