"""The pages on engines and kinds: commands run as written, in order, and print what is shown.

A language model is played by `reading_model`, behind a server on loopback and as an agent.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from srag_mcp.cli.printing import SHOWN
from srag_mcp.cli.trial_commands import server_command
from tests.model.openai_server import serving
from tests.pipeline.reading_model import say

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
KINDS_PAGE = (ROOT / "docs" / "kinds.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOWNS = ("Alm", "Brig", "Chur", "Davos", "Elm", "Flims", "Glarus", "Hospental")
KEEPERS = ("Ada", "Ben", "Cleo")
MODEL = "from tests.pipeline.reading_model import reply as think\n"
FEWEST_COMMANDS = 12

# What differs from run to run.
VARYING = (
    (re.compile(r"\d+\.\d s\b"), "0.0 s"),
    (re.compile(r"\b(\d{6})-[0-9a-f]{8}\b"), r"\1-…"),
    (
        re.compile(r"\d[\d,]*(?= tokens| out\b)|(?<=\$)\d+\.\d+|(?<=about )\d+(?= calls| min)"),
        "N",
    ),  # as long as the prompts are
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b"), "JOB"),
)


@pytest.mark.thorough
def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    write_stations(tmp_path / "stations")
    (tmp_path / "my_model.py").write_text(MODEL, encoding="utf-8")
    (script,) = blocks("python")
    (tmp_path / "answer.py").write_text(script, encoding="utf-8")
    calls = [call for block in blocks("console") for call in read_calls(block)]

    with serving(say) as server:
        run = [(command, run_command(command, tmp_path, server.base)) for command, _ in calls]

    assert len(calls) >= FEWEST_COMMANDS
    assert [(command, level(said)) for command, said in run] == [
        (command, level(shown)) for command, shown in calls
    ]


@pytest.mark.thorough
def test_the_commands_of_the_page_on_kinds_print_what_it_shows(tmp_path: Path) -> None:
    write_papers(tmp_path / "papers")
    [calls] = map(read_calls, blocks("console", KINDS_PAGE))
    run = [(command, run_command(command, tmp_path, "")) for command, _ in calls]
    assert [(command, level(said)) for command, said in run] == [
        (command, level(shown)) for command, shown in calls
    ]


@pytest.mark.parametrize("page", [README, PAGE, KINDS_PAGE], ids=["README", "engines", "kinds"])
def test_links_to_files_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page)
    folder = ROOT if page is README else ROOT / "docs"

    assert links
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_table_of_files_names_what_an_ingestion_with_a_model_leaves(tmp_path: Path) -> None:
    write_stations(tmp_path / "stations")
    with serving(say) as server:
        run_command("srag-mcp ingest stations", tmp_path, server.base)

    named = set(re.findall(r"^\| `\.srag/([\w.]+)", PAGE, re.MULTILINE))
    left = {path.name for path in (tmp_path / "stations" / ".srag").iterdir()}

    assert named - left == set()


def blocks(language: str, page: str = PAGE) -> list[str]:
    """Return what stands in a page's blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def read_calls(block: str) -> list[tuple[str, str]]:
    """Split a console block into commands and what each prints; `> ` goes on with a command."""
    calls: list[tuple[str, str]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            calls.append((line[2:], ""))
        else:
            command, shown = calls[-1]
            is_command = line.startswith("> ")
            calls[-1] = (
                (f"{command}\n{line[2:]}", shown) if is_command else (command, f"{shown}{line}\n")
            )
    return calls


def run_command(command: str, place: Path, api_base: str) -> str:
    """Run a line of the page; return what it prints, stdout first, without the progress."""
    programs = [str(Path(found).parent) for found in (server_command()[0], sys.executable)]
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=place,
        env={
            **os.environ,
            "PATH": os.pathsep.join([*programs, os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT),
            "SRAG_HOME": str(place / "home"),
            "SRAG_WORKERS": "1",
            "SRAG_API_BASE": api_base,
            "SRAG_MODEL": "openai/any",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    progress = tuple(SHOWN.values())
    said = [line for line in done.stderr.splitlines() if not line.startswith(progress)]
    shown = done.stdout + "".join(f"{line}\n" for line in said)
    return shown.replace(str(place), "/home/you")


def level(text: str) -> str:
    """Take out of *text* what differs from run to run, and spaces and empty lines at its end."""
    for pattern, plain in VARYING:
        text = pattern.sub(plain, text)
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


def write_stations(folder: Path) -> None:
    """Write the folder that the page's examples are about, with its gold."""
    (folder / "documents").mkdir(parents=True)
    gold = ["document,town,height_m,opened,keeper"]
    for number, town in enumerate(TOWNS, start=1):
        height, opened, keeper = 400 + 150 * number, 1900 + 7 * number, KEEPERS[number % 3]
        text = (
            f"The station stands {height} metres high, above the town of {town}. It has measured"
            f" since {opened}. It is kept by {keeper}.\n"
        )
        (folder / "documents" / f"{town.lower()}.txt").write_text(text, encoding="utf-8")
        gold.append(f"{town.lower()}.txt,{town},{height},{opened},{keeper}")
    (folder / "gold.csv").write_text("\n".join(gold) + "\n", encoding="utf-8")
    asked = "In which year was the last station opened?"
    (folder / "sample_questions.txt").write_text(f"{asked}\n", encoding="utf-8")
    question = {"id": "1", "question": asked, "answer": 1956, "answer_type": "number"}
    line = json.dumps(question | {"tolerance": 0, "kind": "superlative"})
    (folder / "questions.jsonl").write_text(f"{line}\n", encoding="utf-8")


def write_papers(folder: Path) -> None:
    """Write the folder that the page on kinds is about: invoices, minutes and a letter."""
    folder.mkdir()
    for number, total in enumerate((175, 222, 66, 84, 310, 48, 129, 177), start=1):
        customer = ("Ahlers", "Boyd", "Costa")[number % 3]
        lines = f"Customer: {customer}\nOrder: {500 + number}\nTotal: {total}.00 EUR\n"
        text = f"# Invoice {100 + number}\n\n{lines}Paid: {'yes' if number % 4 else 'no'}\n"
        (folder / f"invoice_{number}.md").write_text(text, encoding="utf-8")
    for number in range(1, 8):
        lines = f"Chair: {'Leo Pratt' if number % 3 else 'Ida Moss'}\nDate: 2026-0{number}-12\n"
        text = f"# Minutes of the board\n\n{lines}Members present: {3 + number}\n"
        (folder / f"meeting_{number}.md").write_text(text, encoding="utf-8")
    letter = "Dear neighbours,\n\nthe fence will be painted in June. Please keep the gate closed.\n"
    (folder / "letter.md").write_text(letter, encoding="utf-8")
