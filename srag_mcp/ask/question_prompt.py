"""The prompt of a question, the schema with what it holds, linked values, rules; and its reply."""

from collections.abc import Mapping, Sequence

from srag_mcp.ask.brief import describe_column, link_values
from srag_mcp.model.language_model import Prompt
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.model.tokens import CHARACTERS_A_TOKEN
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.statistics import ColumnStatistics
from srag_mcp.store.values import ValueMatch

NONE = "(none)"
_COLUMNS_TOKENS = 2600
_TOKENS_A_COLUMN = 65
_MAX_DESCRIPTION = 300
_LEAST_DESCRIPTION = 40


class TranslationReply(ReplyContent):
    """A query, or what no column holds.

    Attributes:
        restated: The reading, in plain words.
        columns: The columns used.
        missing: What the question needs and no column holds.
        sql: One SELECT; None when something is missing.
    """

    restated: str
    columns: list[str]
    missing: list[str]
    sql: str | None


def write_question_prompt(corpus: Corpus, question: str, attempt: int = 1) -> Prompt:
    """Write the prompt that translates *question*.

    It stays below 4,000 tokens for 40 columns: descriptions are cut to their first sentences, the
    same for all columns, where all of them would take too much. Attempts after the first say so,
    because an equal prompt would have an equal reply.
    """
    schema = corpus.schema()
    statistics = {item.column: item for item in corpus.statistics()}
    asked = question if attempt == 1 else f"{question}\n(independent attempt {attempt})"
    return render_prompt(
        "translate",
        "translate",
        question,
        entity=schema.entity,
        title=schema.title,
        n_records=f"{corpus.info().n_documents:,}",
        columns=enclose(_columns(schema, statistics)),
        linked=enclose(_linked(link_values(question, schema, corpus.values()))),
        question=enclose(asked),
    )


def _columns(schema: Schema, statistics: Mapping[str, ColumnStatistics]) -> str:
    n_tokens = max(_COLUMNS_TOKENS, _TOKENS_A_COLUMN * len(schema.attributes))
    limit = n_tokens * CHARACTERS_A_TOKEN
    longest = _MAX_DESCRIPTION
    while True:
        lines = [_column(item, statistics, longest) for item in schema.attributes]
        text = "\n".join(lines) or NONE
        if len(text) <= limit or longest <= _LEAST_DESCRIPTION:
            return text
        longest //= 2


def _column(item: Attribute, statistics: Mapping[str, ColumnStatistics], longest: int) -> str:
    unit = f", {item.unit}" if item.unit else ""
    description = _cut(item.description, longest)
    found = statistics.get(item.name)
    holds = f" [{describe_column(found)}]" if found else ""
    implied = (
        "" if item.absent_means == "unknown" else f" Not mentioned counts as {_implied(item)}."
    )
    return f"- {item.name} ({item.type}{unit}): {description}{implied}{holds}"


def _cut(description: str, longest: int) -> str:
    """Cut a description to its first sentences, or, where the first is too long, between words."""
    if len(description) <= longest:
        return description
    end = max(description.rfind(f"{mark} ", 0, longest) for mark in ".!?")
    if end > 0:
        return description[: end + 1]
    return f"{description[:longest].rsplit(' ', 1)[0]} …"


def _implied(item: Attribute) -> str:
    return "false" if item.absent_means == "false" else "0"


def _linked(matches: Sequence[ValueMatch]) -> str:
    lines = [f"- {match.column} = '{match.value}' ({match.n_records} records)" for match in matches]
    return "\n".join(lines) or NONE
