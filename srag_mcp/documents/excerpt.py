"""An excerpt of a document: its beginning, and passages from all over the rest.

For schema prediction, which does not know yet what to look for, half is the beginning and the rest
is spread evenly. `records.passages` ranks passages by the attributes sought: with none to rank by,
it would show the beginning only.
"""

import re

from srag_mcp.model.language_model import most_characters

GAP = "\n[…]\n"
_HEAD_SHARE = 0.5
_PASSAGE = 600
_BREAK = re.compile(r"\n\s*\n|\n")


def excerpt(text: str, n_tokens: int) -> str:
    """Return *text*, or of a longer one the beginning and evenly spaced passages.

    At most *n_tokens* tokens, as `model.tokens` estimates them, `[…]` between the parts.
    """
    limit = most_characters(text, n_tokens)
    if len(text) <= limit:
        return text
    head_end = _break_before(text, int(limit * _HEAD_SHARE))
    n_passages = max(1, (limit - head_end) // (_PASSAGE + len(GAP)))
    parts = [text[:head_end]]
    end = head_end
    for number in range(n_passages):
        wanted = head_end + (number + 1) * (len(text) - head_end - _PASSAGE) // n_passages
        start = max(end, _break_before(text, wanted))
        end = min(start + _PASSAGE, len(text))
        parts.append(text[start:end])
    return GAP.join(part.strip() for part in parts if part.strip())[:limit]


def _break_before(text: str, wanted: int) -> int:
    """Return the last end of a line in the passage before *wanted*; *wanted* if there is none."""
    breaks = [found.end() for found in _BREAK.finditer(text, max(0, wanted - _PASSAGE), wanted)]
    return breaks[-1] if breaks else wanted
