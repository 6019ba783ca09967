"""Draw the questions of recordings, by a seed, before anything is asked.

    python -m tests.benchmarks.draw_questions --packs DIR

writes the ids in `tests/benchmarks/questions/` again, one file a pack, for `srag-mcp eval PACK
--questions FILE`: 100 questions of `tatqa_dev`, and 30 each of those that stay answerable over the
documents whose records were recorded (tests/replies/README.md).
"""

import argparse
import random
from pathlib import Path

from srag_mcp.evaluation.evaluate import take_documents
from srag_mcp.evaluation.pack import read_pack

FOLDER = Path(__file__).parent / "questions"
DRAWN = {  # by the name of the pack: how many documents (None: all), how many questions
    "tatqa_dev": (None, 100),
    "covid_reports": (60, 30),
    "receipts": (60, 30),
    "contracts": (30, 30),
}
_SEED = 20261124


def draw(folder: Path, n_documents: int | None, n_questions: int) -> list[str]:
    """Draw ids of the pack in *folder*, in its order."""
    pack = read_pack(folder)
    if n_documents is not None:
        pack = take_documents(pack, n_documents)
    ids = [question.id for question in pack.questions]
    drawn = set(random.Random(_SEED).sample(sorted(ids), n_questions))
    return [key for key in ids if key in drawn]


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the questions of recordings.")
    parser.add_argument("--packs", type=Path, required=True, help="the folder of the packs")
    packs: Path = parser.parse_args().packs
    for name, (n_documents, n_questions) in DRAWN.items():
        ids = draw(packs / name, n_documents, n_questions)
        path = FOLDER / f"{name}.txt"
        path.write_text("".join(f"{key}\n" for key in ids), encoding="utf-8")


if __name__ == "__main__":
    main()
