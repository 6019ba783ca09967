from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import ModelError, ModelStoppedError, SettingsError
from srag_mcp.model.language_model import Correction, Prompt, hash_prompt
from srag_mcp.model.ledger import (
    MemoryReplies,
    MeteredModel,
    ReplayModel,
    pack_text,
    unpack_text,
    write_replies,
)
from srag_mcp.model.remote_model import RemoteModel, open_model
from srag_mcp.settings import Settings
from tests.model.scripted import replying

SCHEMA = {"type": "object"}
TEXT = "The Crown stands in Żywiec\u2028and has 12 rooms, which nobody else says. "
PROMPT = Prompt("records", "Read the page.", TEXT, subject="crown.txt")
CORRECTED = replace(PROMPT, corrections=(Correction("Twelve.", "It holds no JSON object."),))
REPLY = '{"town": "Żywiec\u2028and", "quote": "has 12 rooms, which nobody else says"}'


def record(path: Path) -> None:
    cache = MemoryReplies()
    metered = MeteredModel(replying([REPLY, "{}"]), cache, "a/b")
    for prompt in (PROMPT, CORRECTED):
        anyio.run(metered.complete, prompt, SCHEMA)
    assert write_replies(path, cache.kept()) == 2


def test_recorded_replies_answer_the_same_prompts(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    record(path)

    model = open_model(Settings(model=f"replay:{path}"))

    said = [anyio.run(model.complete, prompt, SCHEMA) for prompt in (PROMPT, CORRECTED)]
    assert [reply.text for reply in said] == [REPLY, "{}"]
    assert [(reply.model, reply.cost_usd) for reply in said] == [("a/b", 0.0)] * 2


def test_a_delta_does_not_hold_the_words_of_the_documents() -> None:
    delta = pack_text(REPLY, PROMPT)
    assert unpack_text(delta, PROMPT) == REPLY
    assert len(delta) < len(REPLY)
    with pytest.raises(ValueError, match=r"dictionary|data"):
        unpack_text(delta, replace(PROMPT, content="Another page."))


def test_the_quotes_of_a_long_document_are_not_in_the_delta_either() -> None:
    words = " ".join(f"word{number:05d}" for number in range(3000))
    prompt = replace(PROMPT, content=words)
    assert len(pack_text(words[-20_000:], prompt)) < 300


@pytest.mark.parametrize(
    ("prompt", "schema"),
    [
        (replace(PROMPT, content=TEXT + "!"), SCHEMA),
        (replace(PROMPT, instructions="Read it."), SCHEMA),
        (PROMPT, {"type": "array"}),
    ],
)
def test_what_has_no_recorded_reply_is_named(
    tmp_path: Path, prompt: Prompt, schema: dict[str, object]
) -> None:
    path = tmp_path / "replies.jsonl"
    record(path)
    short = hash_prompt(prompt, schema)[:12]
    with pytest.raises(ModelStoppedError) as caught:
        anyio.run(ReplayModel(path).complete, prompt, schema)
    assert str(caught.value) == (
        f"records (crown.txt): {path} has no reply to this prompt ({short}…); its template, its"
        " schema, the documents or a setting (as SRAG_LISTS) are not those of the recording"
    )


def test_a_file_that_is_no_recording_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with pytest.raises(ModelStoppedError, match="cannot be read"):
        ReplayModel(path)
    record(path)
    path.write_text(path.read_text(encoding="utf-8") + '{"hash": 3}\n', encoding="utf-8")
    with pytest.raises(ModelStoppedError, match=r"replies\.jsonl, line 3: not a recorded reply"):
        ReplayModel(path)


def test_a_damaged_delta_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    record(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"delta": "', '"delta": "AAAA'), encoding="utf-8")
    with pytest.raises(ModelError, match="is damaged"):
        anyio.run(ReplayModel(path).complete, PROMPT, SCHEMA)


def test_without_a_name_there_is_no_model() -> None:
    with pytest.raises(SettingsError, match="Set SRAG_MODEL or --model"):
        open_model(Settings())
    assert isinstance(open_model(Settings(model="openai/gpt-4o-mini")), RemoteModel)
