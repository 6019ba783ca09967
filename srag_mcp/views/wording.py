"""What to do next, in the words of who reads it.

Messages below the server and the command line name tools. A terminal has commands instead.
"""

import re

COMMANDS = {
    "list_corpora": "status",
    "ingest_corpus": "ingest",
    "extend_schema": "extend",
    "ingest_status": "status",
    "get_schema": "schema",
    "get_column_stats": "stats",
    "run_sql": "sql",
    "trace_value": "trace",
    "next_prompts": "prompts next",
    "answer_prompts": "prompts answer",
}
_TOOL = re.compile(rf"\b(call )?({'|'.join(COMMANDS)})\b")


def for_terminal(text: str) -> str:
    """Name commands for the tools: `"call get_schema" -> "run srag-mcp schema"`."""
    return _TOOL.sub(
        lambda found: f"{'run ' if found[1] else ''}srag-mcp {COMMANDS[found[2]]}", text
    )
