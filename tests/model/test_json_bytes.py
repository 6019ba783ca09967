"""JSON as bytes, against the standard library; and the names of prompts, which never change."""

import hashlib
import json

import pytest

from srag_mcp.model.language_model import Correction, Prompt, hash_prompt, write_json

WHOLE = (
    "",
    'He said "no",\\ and left.\n\tThen\r\x0b\x00\x1f\x7f',
    "".join(map(chr, range(0x20, 0xD800))) + "\ue000\uffff\U0001f600\U0010ffff",
)
TEXTS = (*WHOLE, "cut \ud83d")


def as_the_standard_library_does(data: object) -> bytes:
    return json.dumps(data, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("text", TEXTS)
def test_an_object_is_read_again_as_it_was(text: str) -> None:
    data = {"messages": [{"content": text}], "temperature": 0.0, "schema": {"type": ["a", None]}}
    written = write_json(data)
    assert json.loads(written.decode("utf-8")) == data
    assert b"0.0" in written


@pytest.mark.parametrize("text", WHOLE)
def test_the_name_of_a_prompt_is_the_hash_of_all_that_is_sent(text: str) -> None:
    prompt = Prompt("records", f"Read. {text}", text, (Correction(text, "é"),), "crown.txt")
    schema = {"type": "object", "description": text, "$defs": {"b": 1, "a": [True, 2.5]}}
    sent = {
        "instructions": prompt.instructions,
        "content": prompt.content,
        "corrections": [(text, "é")],
        "reply_schema": schema,
    }
    named = hash_prompt(prompt, schema)
    assert named == hashlib.sha256(as_the_standard_library_does(sent)).hexdigest()
