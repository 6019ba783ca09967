"""What a model is asked through is loaded before it is asked, and nothing is sent by that."""

import subprocess
import sys

import pytest

from srag_mcp.model.ledger import MemoryReplies
from srag_mcp.model.metering import MeteredModel
from srag_mcp.model.remote_model import open_model
from srag_mcp.settings import Settings
from tests.model.scripted import replying

LOADED = """
import sys
from srag_mcp.model.remote_model import open_model
from srag_mcp.model.metering import MeteredModel
from srag_mcp.model.ledger import MemoryReplies
from srag_mcp.settings import Settings

settings = Settings(model=sys.argv[1], api_base="http://127.0.0.1:9/v1")
metered = MeteredModel(open_model(settings), MemoryReplies(), sys.argv[1])
before = sys.argv[2] in sys.modules
metered.load()
print(before, sys.argv[2] in sys.modules)
"""


@pytest.mark.parametrize(
    ("model", "library"), [("openai/fake", "aiohttp"), ("hosted_vllm/fake", "litellm")]
)
def test_the_library_is_there_before_the_first_prompt(model: str, library: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", LOADED, model, library], capture_output=True, text=True, check=True
    )
    assert said.stdout == "False True\n"


def test_loading_again_changes_nothing() -> None:
    settings = Settings(model="openai/fake", api_base="http://127.0.0.1:9/v1")
    model = open_model(settings)
    for _ in range(2):
        model.load()


def test_a_model_without_a_library_has_nothing_to_load() -> None:
    model = replying(())
    MeteredModel(model, MemoryReplies(), "scripted").load()
    assert model.prompts == []
