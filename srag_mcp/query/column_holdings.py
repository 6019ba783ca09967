"""What a column holds, in one line for a model or an agent."""

from srag_mcp.store.statistics import ColumnStatistics, ValueCount

MAX_VALUES_SHOWN = 8
MAX_UNIQUE_SHOWN = 3
MAX_VALUE_CHARACTERS = 40


def describe_column(statistics: ColumnStatistics) -> str:
    """Say what a column holds in one line.

    `"62 to 1244, median 482; known in 98 of 100"`, `"known in 99 of 100: Berlin (12), Rome (9), …
    14 distinct"`; values that no other record has come without a count.
    """
    known = f"known in {statistics.n_non_null} of {statistics.n_records}"
    if statistics.minimum is not None:
        return f"{statistics.minimum} to {statistics.maximum}, median {statistics.median}; {known}"
    are_unique = statistics.n_distinct == statistics.n_non_null
    n_shown = MAX_UNIQUE_SHOWN if are_unique else MAX_VALUES_SHOWN
    shown = ", ".join(_show_value(item, are_unique) for item in statistics.values[:n_shown])
    rest = f", … {statistics.n_distinct} distinct" if statistics.n_distinct > n_shown else ""
    return f"{known}: {shown}{rest}" if shown else known


def _show_value(item: ValueCount, are_unique: bool) -> str:
    text = str(item.value).lower() if isinstance(item.value, bool) else str(item.value)
    if len(text) > MAX_VALUE_CHARACTERS:
        text = f"{text[: MAX_VALUE_CHARACTERS - 1]}…"
    if "," in text:
        text = f"'{text}'"
    return text if are_unique else f"{text} ({item.count})"
