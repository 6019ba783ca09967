"""Sample questions: what the user of a corpus wants answered, beside its documents."""

from collections.abc import Iterable
from pathlib import Path

MAX_CHARACTERS = 500


def read_sample_questions(folder: Path) -> list[str]:
    """Read the `sample_questions.txt` of *folder*; none when there is no file."""
    path = folder / "sample_questions.txt"
    if not path.is_file():
        return []
    return tidy_questions(path.read_text(encoding="utf-8").splitlines())


def tidy_questions(questions: Iterable[str]) -> list[str]:
    """Return *questions* without blank ones and repetitions, the long ones cut."""
    stripped = (question.strip()[:MAX_CHARACTERS] for question in questions)
    return list(dict.fromkeys(question for question in stripped if question))
