from srag_mcp.model.chat_request import write_messages, write_response_format
from srag_mcp.model.language_model import Correction, Prompt

PROMPT = Prompt("records", "Read.", "A page.", (Correction("Hm.", "Not JSON."),), "page.txt")
SCHEMA = {"type": "object"}


def test_a_correction_is_two_turns_of_the_conversation() -> None:
    assert write_messages(PROMPT, None) == [
        {"role": "system", "content": "Read."},
        {"role": "user", "content": "A page."},
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": "Not JSON."},
    ]


def test_instructions_are_marked_for_providers_that_cache_only_what_is_marked() -> None:
    [system, *_] = write_messages(PROMPT, SCHEMA, mark_cache=True)
    text = 'Read.\n\nReply with one JSON object that fits this JSON Schema:\n{"type":"object"}'
    mark = {"type": "ephemeral"}
    assert system["content"] == [{"type": "text", "text": text, "cache_control": mark}]


def test_the_form_of_the_reply_gets_weaker() -> None:
    assert write_response_format("schema", SCHEMA) == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }
    assert write_response_format("json", SCHEMA) == {"type": "json_object"}
    assert write_response_format("text", SCHEMA) is None
