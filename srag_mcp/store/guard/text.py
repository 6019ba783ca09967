"""The first look at a statement: what no parser should have to see."""

import re

from srag_mcp.errors import RefusedQueryError

MAX_CHARACTERS = 20_000
MAX_NESTING = 60
MAX_KEYWORDS = 200

# Control characters; zero-width space and byte order mark; marks that turn the direction of text;
# line separators; halves of a character. Spaces and joiners of other scripts are left alone.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff]"
)
_BRACKET = re.compile(r"[()\[\]{}]")
_NESTING_KEYWORD = re.compile(r"\b(?:case|not|select)\b", re.IGNORECASE)


def check_text(sql: str) -> None:
    """Refuse text that is too long, too deep, or shows a reader something else than a parser.

    Raises:
        RefusedQueryError: With what was found and where.
    """
    reason = _objection(sql)
    if reason is not None:
        raise RefusedQueryError(reason, sql[:MAX_CHARACTERS])


def _objection(sql: str) -> str | None:
    if len(sql) > MAX_CHARACTERS:
        return f"The statement has {len(sql)} characters; at most {MAX_CHARACTERS} are read."
    if (found := _INVISIBLE.search(sql)) is not None:
        code = ord(found[0])
        return (
            f"There is an invisible character (U+{code:04X}) at position {found.start()};"
            f" leave it out, or write chr({code}) when it belongs to a value."
        )
    if (depth := _nesting(sql)) > MAX_NESTING:
        return f"Brackets are nested {depth} deep; at most {MAX_NESTING}. Use WITH for the steps."
    if (n_keywords := len(_NESTING_KEYWORD.findall(sql))) > MAX_KEYWORDS:
        return f"There are {n_keywords} CASE, NOT or SELECT; at most {MAX_KEYWORDS}."
    return None


def _nesting(sql: str) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(sql):
        depth += 1 if bracket in "([{" else -1
        deepest = max(deepest, depth)
    return deepest
