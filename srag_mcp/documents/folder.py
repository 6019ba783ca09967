"""Which files of a folder are documents."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from srag_mcp.documents.formats import media_type, readable_endings
from srag_mcp.errors import CorpusError, DocumentError

if TYPE_CHECKING:  # a process that reads documents starts faster without
    from srag_mcp.settings import Settings

DOCUMENTS_FOLDER = "documents"
SCHEMA_FILE = "schema.json"
QUESTIONS_FILE = "sample_questions.txt"
_DIGITS = re.compile(r"(\d+)")
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read; *relative* is its path below the corpus folder, with `/`; *size* in bytes."""

    path: Path
    relative: str
    size: int


def find_documents(
    folder: Path, settings: Settings
) -> tuple[list[SourceFile], list[DocumentError]]:
    """Return the documents of *folder* in natural order, and the files that cannot be read.

    A folder `documents/` inside is read instead of the folder. Hidden files and folders, lock files
    of office programs and links that lead out of the folder are skipped without a word.

    Raises:
        CorpusError: If the folder is missing, is no folder, cannot be listed, holds no document or
            more than `settings.max_documents`.
    """
    root = _root(folder)
    sources: list[SourceFile] = []
    paths, problems = _files(folder, root)
    for path in paths:
        try:
            sources.append(_source(folder, path, settings))
        except DocumentError as error:
            problems.append(error)
        if len(sources) > settings.max_documents:
            msg = (
                f"{folder} holds more than {settings.max_documents} documents; "
                "set SRAG_MAX_DOCUMENTS higher, or point to a smaller folder"
            )
            raise CorpusError(msg)
    if not sources and not problems:
        msg = f"{root} holds no documents; put files into it ({readable_endings()})"
        raise CorpusError(msg)
    return sorted(sources, key=lambda s: natural_key(s.relative)), problems


def find_own_file(folder: Path, name: str) -> Path | None:
    """Return the file *name* beside the documents of *folder*; None where there is none.

    Raises:
        CorpusError: If it is a link that leads out of the folder: it is not read.
    """
    path = folder / name
    if not path.is_file():
        return None
    if not _leads_inside(path, folder.resolve()):
        msg = f"{path} is a link that leads out of the folder; put the file itself there"
        raise CorpusError(msg)
    return path


def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that puts `a2` before `a10`."""
    parts = _DIGITS.split(text)
    keys = [(int(p), "") if n % 2 and len(p) < 18 else (-1, p) for n, p in enumerate(parts)]
    return (*keys, (-1, text))


def _root(folder: Path) -> Path:
    if not folder.exists():
        msg = f"{folder} does not exist; give the path of a folder with documents"
        raise CorpusError(msg)
    if not folder.is_dir():
        msg = f"{folder} is a file; give the folder that it lies in"
        raise CorpusError(msg)
    inside = folder / DOCUMENTS_FOLDER
    return inside if inside.is_dir() and _leads_inside(inside, folder.resolve()) else folder


def _files(folder: Path, root: Path) -> tuple[list[Path], list[DocumentError]]:
    """Return the visible files below *root*, and the folders that cannot be looked into."""
    home = folder.resolve()
    found: list[Path] = []
    problems: list[DocumentError] = []
    pending = [root]
    seen: set[Path] = set()
    while pending:
        current = pending.pop()
        real = current.resolve()
        if real in seen:
            continue
        seen.add(real)
        try:
            entries = _entries(current, home)
        except OSError as error:
            problems.append(_unlisted(current, folder, root, error))
            continue
        pending += [current / entry.name for entry in entries if entry.is_dir()]
        found += [current / entry.name for entry in entries if not entry.is_dir()]
    beside = {folder / SCHEMA_FILE, folder / QUESTIONS_FILE}
    return sorted(path for path in found if path not in beside), problems


def _entries(current: Path, home: Path) -> list[os.DirEntry[str]]:
    """Return what is visible in a folder and does not lead out of *home*."""
    with os.scandir(current) as entries:
        visible = [entry for entry in entries if not entry.name.startswith((".", "~$"))]
    return [
        entry
        for entry in visible
        if not entry.is_symlink() or _leads_inside(current / entry.name, home)
    ]


def _unlisted(current: Path, folder: Path, root: Path, error: OSError) -> DocumentError:
    """Return the problem with a folder inside.

    Raises:
        CorpusError: If it is *root* itself.
    """
    if current == root:
        msg = f"{current} cannot be listed: {error.strerror}"
        raise CorpusError(msg) from error
    relative = current.relative_to(folder).as_posix()
    return DocumentError(f"{relative}/", f"the folder cannot be listed: {error.strerror}")


def _leads_inside(path: Path, home: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(home)
    except (OSError, RuntimeError):  # a link to nowhere, or to itself
        return False


def _source(folder: Path, path: Path, settings: Settings) -> SourceFile:
    relative = path.relative_to(folder).as_posix()
    if media_type(path.name) is None:
        raise DocumentError(relative, f"not a format that can be read ({readable_endings()})")
    try:
        size = path.stat().st_size
    except OSError as error:
        raise DocumentError(relative, f"cannot be opened: {error.strerror}") from error
    if not path.is_file():
        raise DocumentError(relative, "is not a regular file")
    if size == 0:
        raise DocumentError(relative, "the file is empty")
    if size > settings.max_document_mb * _MIB:
        reason = (
            f"{size / _MIB:.1f} MiB is more than the limit of {settings.max_document_mb:g} MiB "
            "(SRAG_MAX_DOCUMENT_MB)"
        )
        raise DocumentError(relative, reason)
    return SourceFile(path, relative, size)
