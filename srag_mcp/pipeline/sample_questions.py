"""Sample questions: what the user of a corpus wants answered, beside its documents."""

from pathlib import Path


def read_sample_questions(folder: Path) -> list[str]:
    """Read the `sample_questions.txt` of *folder*; none when there is no file."""
    path = folder / "sample_questions.txt"
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]
