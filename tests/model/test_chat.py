from srag_mcp.model.language_model import Correction, Prompt
from srag_mcp.model.openai_wire import ChatRequest

PROMPT = Prompt("records", "Read.", "A page.", (Correction("Hm.", "Not JSON."),), "page.txt")
SCHEMA = {"type": "object"}
REQUEST = ChatRequest(PROMPT, SCHEMA)


def test_a_correction_is_two_turns_of_the_conversation() -> None:
    assert REQUEST.messages(shows_schema=True) == [
        {"role": "system", "content": "Read."},
        {"role": "user", "content": "A page."},
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": "Not JSON."},
    ]


def test_instructions_are_marked_for_providers_that_cache_only_what_is_marked() -> None:
    [system, *_] = REQUEST.messages(shows_schema=False, mark_cache=True)
    text = 'Read.\n\nReply with one JSON object that fits this JSON Schema:\n{"type":"object"}'
    mark = {"type": "ephemeral"}
    assert system["content"] == [{"type": "text", "text": text, "cache_control": mark}]


def test_the_form_of_the_reply_gets_weaker() -> None:
    named = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert REQUEST.options() == {
        "temperature": 0.0,
        "response_format": {"type": "json_schema", "json_schema": named},
    }
    assert ChatRequest(PROMPT, SCHEMA, "json").options() == {
        "temperature": 0.0,
        "response_format": {"type": "json_object"},
    }
    assert ChatRequest(PROMPT, SCHEMA, "text", temperature=None).options() == {}


def test_the_schema_is_shown_where_the_form_does_not_show_it() -> None:
    [system, *_] = ChatRequest(PROMPT, SCHEMA, "json").messages(shows_schema=True)
    assert str(system["content"]).endswith('fits this JSON Schema:\n{"type":"object"}')
