"""Prompts of every step are, byte for byte, those that were recorded: replies are found by them.

The prompts of the recorded packs are compared by `python -m tests.benchmarks.prompts`. A prompt
that has to change is taken over by `python -m tests.pipeline.test_recorded_prompts`, and is named
in the commit.
"""

import hashlib
import json
import tempfile
from pathlib import Path

from srag_mcp.pipeline.ingest import ingest
from tests.model.openai_server import Body, serving
from tests.pipeline.reading_model import say
from tests.pipeline.test_model_crashes import QUESTIONS, settings_for, write_stations

KEPT = Path(__file__).parents[1] / "fixtures" / "recorded_prompts.json"


def sent(scratch: Path) -> list[str]:
    """Ingest stations, and add a column; return what was sent: messages, and form of the reply."""
    folder = write_stations(scratch / "stations", 60, 12)
    with serving(say) as server:
        settings = settings_for(server.base, scratch / "home")
        ingest(folder, settings, questions=QUESTIONS)
        ingest(folder, settings, attribute="who keeps the station")
    return [_written(body) for body in server.requests]


def _written(body: Body) -> str:
    parts = {name: body.get(name) for name in ("messages", "response_format")}
    return json.dumps(parts, indent=1, ensure_ascii=False)


def summarise(prompts: list[str]) -> dict[str, dict[str, object]]:
    """Return, by the first words of the instructions, the first prompt and the hashes of all."""
    kinds: dict[str, list[str]] = {}
    for prompt in prompts:
        kinds.setdefault(json.loads(prompt)["messages"][0]["content"][:40], []).append(prompt)
    return {
        kind: {
            "first": min(found).splitlines(),
            "hashes": sorted(hashlib.sha256(text.encode()).hexdigest()[:16] for text in found),
        }
        for kind, found in sorted(kinds.items())
    }


def test_prompts_are_those_that_were_recorded(tmp_path: Path) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))

    assert summarise(sent(tmp_path)) == kept


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        text = json.dumps(summarise(sent(Path(scratch))), indent=1, ensure_ascii=False)
        KEPT.write_text(f"{text}\n", encoding="utf-8")
