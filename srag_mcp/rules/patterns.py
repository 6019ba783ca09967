"""Patterns: regular expressions as rules, such as a language model writes.

A pattern comes from outside: it may be slow, match everything or nothing. It runs under a time
limit, and `find_faults` says why one is refused before it fills a column.
"""

from collections.abc import Iterator, Sequence

from srag_mcp.errors import SchemaError
from srag_mcp.schema.extractors import PatternRule
from srag_mcp.text.spans import Span
from srag_mcp.text.words import fold_words
from srag_mcp.values.quantities import find_quantities

_TIMEOUT_S = 0.2  # for one document: a good pattern needs a thousandth of it
_MAX_SHARE = 0.5  # of a text: a value is a part of it
_MAX_MATCHES = 200


class SlowPatternError(SchemaError):
    """A pattern that took too long on one document."""


def find_pattern(rule: PatternRule, text: str) -> Span | None:
    """Return where the value of *rule* is, or None.

    Raises:
        SchemaError: If the pattern cannot be read.
        SlowPatternError: If it takes too long.
    """
    found = list(_matches(rule, text))
    if not found:
        return None
    if rule.pick == "unique":
        return found[0] if len({fold_words(span.of(text)) for span in found}) == 1 else None
    if rule.pick == "max":
        return max(found, key=lambda span: _amount(span.of(text)))
    return found[-1 if rule.pick == "last" else 0]


def map_value(rule: PatternRule, words: str) -> str:
    """Return the value that *rule* has for what was matched, or the words themselves."""
    folded = {fold_words(said): value for said, value in rule.map.items()}
    return folded.get(fold_words(words), words)


def find_faults(rule: PatternRule, texts: Sequence[str]) -> str:
    """Return why *rule* must not be used, judged on a sample of documents; empty where it may."""
    n_found = n_empty = n_large = 0
    try:
        for text in texts:
            span = find_pattern(rule, text)
            n_found += span is not None
            n_empty += span is not None and not span.of(text).strip()
            n_large += span is not None and span.end - span.start > _MAX_SHARE * len(text)
    except SchemaError as error:
        return str(error)
    if not n_found:
        return f"the pattern {rule.pattern!r} matches nothing"
    if n_empty or n_large:
        what = "an empty text" if n_empty else "nearly all of a text"
        return f"the pattern {rule.pattern!r} matches {what}"
    return ""


def _matches(rule: PatternRule, text: str) -> Iterator[Span]:
    import regex  # outside library with a time limit; not needed at start

    try:
        pattern = regex.compile(rule.pattern, regex.MULTILINE)
    except regex.error as error:
        msg = f"the pattern {rule.pattern!r} cannot be read: {error}"
        raise SchemaError(msg) from error
    group = "value" if "value" in pattern.groupindex else 0
    try:
        for scope in _scopes(rule, text):
            matches = pattern.finditer(text, scope.start, scope.end, timeout=_TIMEOUT_S)
            for _, match in zip(range(_MAX_MATCHES), matches, strict=False):
                span = Span(*match.span(group))
                if span.start >= 0 and _is_wanted(rule, text, span):
                    yield span
    except TimeoutError as error:
        msg = f"the pattern {rule.pattern!r} takes longer than {_TIMEOUT_S} s on one document"
        raise SlowPatternError(msg) from error


def _scopes(rule: PatternRule, text: str) -> Iterator[Span]:
    size = rule.characters or len(text)
    if rule.scope == "head":
        yield Span(0, min(size, len(text)))
    elif rule.scope == "tail":
        yield Span(max(0, len(text) - size), len(text))
    elif rule.scope == "text" or not rule.label:
        yield Span(0, len(text))
    else:
        yield from _labelled(rule, text, fold_words(rule.label), size)


def _labelled(rule: PatternRule, text: str, label: str, size: int) -> Iterator[Span]:
    """Yield what follows a label to the end of the next line, or what stands under a heading."""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        folded = fold_words(line)
        if rule.scope == "under" and folded == label:
            yield Span(end, min(len(text), end + size))
        elif rule.scope == "after" and f"{folded} ".startswith(f"{label} "):
            following = text.find("\n", end)
            yield Span(start, len(text) if following < 0 else following)
        start = end


def _is_wanted(rule: PatternRule, text: str, span: Span) -> bool:
    line_end = text.find("\n", span.end)
    line = text[text.rfind("\n", 0, span.start) + 1 : len(text) if line_end < 0 else line_end]
    words = f" {fold_words(line)} "
    has_need = not rule.need or any(f" {fold_words(word)} " in words for word in rule.need)
    return has_need and not any(f" {fold_words(word)} " in words for word in rule.veto)


def _amount(words: str) -> float:
    quantities = find_quantities(words)
    return float(quantities[-1][1].value) if quantities else float("-inf")
