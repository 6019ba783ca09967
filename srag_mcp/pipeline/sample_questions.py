"""Sample questions: what the user of a corpus wants answered, beside its documents."""

from collections.abc import Iterable
from pathlib import Path

from srag_mcp.documents.encoding import decode
from srag_mcp.documents.folder import QUESTIONS_FILE, find_own_file
from srag_mcp.errors import DocumentError

MAX_CHARACTERS = 500


def read_sample_questions(folder: Path) -> list[str]:
    """Read the `sample_questions.txt` of *folder*, in any encoding; none when there is no file.

    Raises:
        DocumentError: If it cannot be read, or is not text.
        CorpusError: If it is a link that leads out of the folder.
    """
    path = find_own_file(folder, QUESTIONS_FILE)
    if path is None:
        return []
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DocumentError(path.name, f"cannot be opened: {error.strerror}") from error
    return tidy_questions(decode(data, path.name).splitlines())


def tidy_questions(questions: Iterable[str]) -> list[str]:
    """Return *questions* without blank ones and repetitions, the long ones cut."""
    stripped = (question.strip()[:MAX_CHARACTERS] for question in questions)
    return list(dict.fromkeys(question for question in stripped if question))
