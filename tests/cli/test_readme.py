"""The README's commands: each runs as it is written, in a copy of the corpora they name."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _commands() -> list[list[str]]:
    """Return the arguments of each call of `srag-mcp` in the README that stands on its own line."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [line[1:] for line in lines if line and Path(line[0]).name == "srag-mcp"]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what a clone holds beside the code."""
    place = tmp_path_factory.mktemp("clone")
    for name in ("hotels", "cvs"):
        shutil.copytree(
            ROOT / "corpora" / name,
            place / "corpora" / name,
            ignore=shutil.ignore_patterns(".srag"),
        )
    return place


def test_the_readme_shows_how_to_use_a_folder_from_the_command_line() -> None:
    assert {arguments[0] for arguments in _commands()} >= {
        "config",
        "ask",
        "ingest",
        "sql",
        "serve",
    }


@pytest.mark.parametrize("arguments", _commands(), ids=" ".join)
def test_each_command_of_the_readme_runs_as_it_is_written(
    arguments: list[str], clone: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "srag_mcp", *arguments],  # the script itself: see `test_demo`
        cwd=clone,
        env={**os.environ, "SRAG_HOME": str(clone / "home")},
        stdin=subprocess.DEVNULL,  # the server ends where its client does
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Not answered" not in done.stdout
