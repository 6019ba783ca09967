"""Makes the pack again: `python -m corpora.generate_cvs [FOLDER]`."""

import sys
from pathlib import Path

from corpora.generate_cvs.cv import write_cvs
from corpora.generate_cvs.gold import write_gold
from corpora.generate_cvs.layouts import lay_out
from corpora.generate_cvs.people import draw_people
from corpora.generate_cvs.questions import write_questions


def generate(pack: Path) -> None:
    """Write documents, gold.csv and questions.jsonl into *pack*; what else is there stays."""
    documents = pack / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    people = draw_people()
    for cv in write_cvs(people):
        (documents / cv.person.gold.document).write_bytes(lay_out(cv))
    write_gold(pack / "gold.csv", [person.gold for person in people])
    write_questions(pack / "questions.jsonl", pack / "gold.csv")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "cvs")
