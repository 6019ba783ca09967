"""What a model is asked through can be loaded before it is asked.

That nothing is sent by that, and litellm, which takes seconds: see `test_remote_model`.
"""

import subprocess
import sys

import pytest

LOADED = """
import sys
from srag_mcp.model.remote_model import load_library
from srag_mcp.settings import Settings

settings = Settings(model=sys.argv[1], api_base="http://127.0.0.1:9/v1")
before = sys.argv[2] in sys.modules
load_library(settings)
print(before, sys.argv[2] in sys.modules)
"""


@pytest.mark.usefixtures("cold_starts")
@pytest.mark.parametrize(
    ("model", "library", "is_there"),
    [
        ("openai/fake", "aiohttp", True),
        ("replay:replies.jsonl", "aiohttp", False),
    ],
)
def test_the_library_is_there_before_the_first_prompt(
    model: str, library: str, *, is_there: bool
) -> None:
    said = subprocess.run(
        [sys.executable, "-c", LOADED, model, library], capture_output=True, text=True, check=True
    )
    assert said.stdout == f"False {is_there}\n"
