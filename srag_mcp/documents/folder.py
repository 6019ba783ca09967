"""Which files of a folder are documents."""

from __future__ import annotations

import codecs
import hashlib
import io
import logging
import os
import re
import struct
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pydantic import TypeAdapter

from srag_mcp.errors import CorpusError, DocumentError
from srag_mcp.text.shown import first_of

if TYPE_CHECKING:
    from srag_mcp.settings import Settings

FileMark: TypeAlias = tuple[int, int]
"""Size and time of the last change, by which a file is recognised without being read."""

MEDIA_TYPES = {
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pdf": "application/pdf",
    ".eml": "message/rfc822",
}
READABLE = ", ".join(ending.removeprefix(".") for ending in MEDIA_TYPES)  # for messages
TABLE_TYPES = frozenset(
    MEDIA_TYPES[suffix] for suffix in (".csv", ".tsv", ".xlsx", ".json", ".jsonl")
)  # a row of these can be a document
DOCUMENTS_FOLDER = "documents"
SCHEMA_FILE = "schema.json"
QUESTIONS_FILE = "sample_questions.txt"
STATE_FOLDER = ".srag"
KINDS_FOLDER = "kinds"  # in the state folder: a corpus for each kind, where a folder holds several
KIND_FILE = "kind.json"
REST_FOLDER = "of_no_kind"  # among the kinds: documents of none of them, and files nobody can read
_MANY_DEEP = 200  # as the issue has it: a parent folder by mistake, not a corpus in folders
_MAX_NAMED_CORPORA = 3
_DIGITS = re.compile(r"(\d+)")
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read; *relative* is its path below the corpus folder, with `/`; *size* in bytes."""

    path: Path
    relative: str
    size: int

    def read(self) -> bytes:
        """Return what is in it.

        Raises:
            DocumentError: If it cannot be opened, or is empty.
        """
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise DocumentError(self.relative, f"cannot be opened: {error.strerror}") from error
        if not data:
            raise DocumentError(self.relative, "the file is empty")
        return data


@dataclass(frozen=True, slots=True)
class KindMembers:
    """What makes a folder the corpus of one kind of the documents of another folder.

    Attributes:
        folder: That folder, as seen from the one with this file.
        documents: Paths below it, with `/`.
        sorted: All files of it that were sorted into kinds; another one may be of any.
        columns: What the columns of the tables are called whose rows it has; empty for documents.
        questions: Those of that folder's sample questions that are about it.
        needed: Those for which it may need columns, and which are another's, or of several kinds.
        others: The columns of the other kinds of tables there.
        is_sole: Whether it has all documents there, beside tables: what is of another kind comes
            here, and is found out here.
    """

    folder: str
    documents: tuple[str, ...]
    sorted: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()
    is_sole: bool = False


_MEMBERS = TypeAdapter(KindMembers)


def read_members(folder: Path) -> KindMembers | None:
    """Return what *folder* holds if it is the corpus of a kind; None for any other folder.

    It lies in the state folder of the folder that it points to, so that a file that somebody wrote
    opens no other one.
    """
    path, state = folder / KIND_FILE, folder.parent.parent.resolve()
    if folder.parent.name != KINDS_FOLDER or not path.is_file():
        return None
    try:
        found = _MEMBERS.validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None
    holder = (folder / found.folder).resolve()
    apart = hashlib.sha256(str(holder).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    is_own = state == holder / STATE_FOLDER or state.name.endswith(f"-{apart}")
    return found if is_own else None


def holds_rest(folder: Path) -> bool:
    """Whether *folder* is the corpus of what is of no kind: it is searched, and no table."""
    return folder.name == REST_FOLDER and read_members(folder) is not None


def media_type(name: str) -> str | None:
    """Return the media type of a file called *name*, None if its format cannot be read."""
    dot = name.rfind(".")
    return MEDIA_TYPES.get(name[dot:].lower()) if dot >= 0 else None


def find_documents(
    folder: Path, settings: Settings
) -> tuple[list[SourceFile], list[DocumentError]]:
    """Return the documents of *folder* in natural order, and the files that cannot be read.

    A folder `documents/` inside is read instead of the folder; for the corpus of a kind, its
    documents in the folder that holds them. Hidden files and folders, lock files
    of office programs and links that lead out of the folder are skipped without a word.

    Raises:
        CorpusError: If the folder is missing, is no folder, cannot be listed, holds no document or
            more than `settings.max_documents`.
    """
    members = read_members(folder)
    if members is not None:
        folder = folder / members.folder
    root = _root(folder)
    sources: list[SourceFile] = []
    paths, problems = _files(folder, root)
    if members is not None:
        own = set(members.documents)
        paths = [path for path in paths if path.relative_to(folder).as_posix() in own]
        problems = []
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
    if not sources and not problems and (members is None or members.documents):
        msg = f"{root} holds no documents; put files into it ({READABLE})"
        raise CorpusError(msg)
    return sorted(sources, key=lambda source: natural_key(source.relative)), problems


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


def list_files(folder: Path, ends_at: float | None = None) -> dict[str, FileMark] | None:
    """Return all files of *folder* that may be documents, with size and time of their last change.

    For the corpus of a kind, those of the folder that holds all kinds: a new one may be of any.
    None where it is not done at *ends_at*, a time of `time.monotonic`.

    Raises:
        CorpusError: If the folder is missing, or cannot be listed.
    """
    found: dict[str, FileMark] = {}
    top = listed_folder(folder)
    for path in _files(top, _root(top))[0]:
        if ends_at is not None and time.monotonic() > ends_at:
            return None
        with suppress(OSError):  # it is gone, or nobody may look
            if media_type(path.name) is not None:
                found[path.relative_to(top).as_posix()] = mark_of(path)
    return found


def listed_folder(folder: Path) -> Path:
    """Return where the files of *folder* lie: of the corpus of a kind, the folder of all kinds."""
    members = read_members(folder)
    return folder if members is None else folder / members.folder


def mark_of(path: Path) -> FileMark:
    """Return size and time of the last change of the file at *path*."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def why_ask_first(folder: Path) -> str:
    """Say why *folder* looks like no corpus of its own; empty where it does not.

    It has no `documents/`, and holds several corpora, or many files in folders inside.

    Raises:
        CorpusError: If it is missing, or cannot be listed.
    """
    if _root(folder) != folder or read_members(folder) is not None:
        return ""
    corpora = [
        item.name
        for item in sorted(folder.iterdir())
        if any((item / name).is_dir() for name in (DOCUMENTS_FOLDER, STATE_FOLDER))
    ]
    if len(corpora) > 1:
        named = ", ".join(first_of(corpora, _MAX_NAMED_CORPORA))
        return f"it holds {len(corpora)} corpora ({named})"
    n_deep = sum("/" in path for path in list_files(folder) or ())
    return f"it holds {n_deep:,} files in folders inside" if n_deep > _MANY_DEEP else ""


def find_copies(sources: Sequence[SourceFile], known: Mapping[str, str]) -> dict[str, str]:
    """Return the files that have the same bytes as another one of *sources*, and which.

    That is the one of the shortest name: `soup.md`, and not `soup (copy).md`.
    *known* are hashes of files that need not be read for that. Only files of one size are compared.
    """
    sizes = Counter(source.size for source in sources)
    first: dict[str, str] = {}
    copies: dict[str, str] = {}
    for source in sorted(sources, key=lambda source: len(source.relative)):
        with suppress(OSError):  # reading it will say what is wrong
            if sizes[source.size] > 1:
                sha256 = known.get(source.relative)
                sha256 = sha256 or hashlib.sha256(source.path.read_bytes()).hexdigest()
                original = first.setdefault(sha256, source.relative)
                if original != source.relative:
                    copies[source.relative] = original
    return copies


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
            with os.scandir(current) as entries:
                visible = [entry for entry in entries if not entry.name.startswith((".", "~$"))]
        except OSError as error:
            if current == root:
                msg = f"{current} cannot be listed: {error.strerror}"
                raise CorpusError(msg) from error
            relative = current.relative_to(folder).as_posix()
            reason = f"the folder cannot be listed: {error.strerror}"
            problems.append(DocumentError(f"{relative}/", reason))
            continue
        for entry in visible:
            path = current / entry.name
            if not entry.is_symlink() or _leads_inside(path, home):
                (pending if entry.is_dir() else found).append(path)
    beside = {folder / SCHEMA_FILE, folder / QUESTIONS_FILE}
    return sorted(path for path in found if path not in beside), problems


def _leads_inside(path: Path, home: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(home)
    except (OSError, RuntimeError):  # a link to nowhere, or to itself
        return False


def _source(folder: Path, path: Path, settings: Settings) -> SourceFile:
    relative = path.relative_to(folder).as_posix()
    if media_type(path.name) is None:
        raise DocumentError(relative, f"not a format that can be read ({READABLE})")
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


_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 65_536
_MAX_CONTROL_SHARE = 0.02
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b\x1a"))
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_FALLBACK = "cp1252"
# What people's files are in, the most usual first, which is taken where two fit equally: `Hélène`
# is `Hélčne` in cp1250. Where few bytes speak, encodings of old machines fit as well.
_LIKELY = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
    "iso8859_2", "iso8859_5", "iso8859_7", "koi8_r", "koi8_u", "cp874", "cp932", "euc_jp",
    "gb18030", "big5", "cp949", "euc_kr",
]  # fmt: skip
ARCHIVE_ERRORS = (  # what reading a damaged one ends in
    zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, RuntimeError,
)  # fmt: skip
_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_UNPACKED_BYTES = 1024**3
_MAX_RATIO = 200
_MIN_SUSPECT_BYTES = 100 * 1024**2


def decode(data: bytes, path: str, declared: str | None = None) -> str:
    r"""Return the text of *data* with line ends `\n`; *path* names the file in errors.

    *declared* is the encoding that the file itself names; it is used where the bytes are not UTF-8.

    Raises:
        DocumentError: If the bytes are not text.
    """
    try:
        text = data.decode(_find_encoding(data, path, declared))
    except UnicodeDecodeError:  # the sample was clean and the rest is not: keep what can be read
        text = data.decode(_FALLBACK, errors="replace")
    return normalise_lines(text)


def normalise_lines(text: str) -> str:
    r"""Return *text* with `\n` line ends, and without characters that no store can hold."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\v", "\n")
    return storable(text.replace("\0", "").replace("\ufeff", ""))


def storable(text: str) -> str:
    r"""Return *text* with a `?` for each lone surrogate (JSON's `"\ud800"`): UTF-8 has none."""
    return text.encode("utf-8", "replace").decode()


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a web page or an XML file names at its start, None if none."""
    match = _DECLARED.search(data[:2048])
    try:
        return codecs.lookup(match[1].decode("ascii")).name if match else None
    except LookupError:
        return None


def _find_encoding(data: bytes, path: str, declared: str | None) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    sample = data[:_SAMPLE_BYTES]
    n_control = len(sample) - len(sample.translate(None, _CONTROL))
    is_text = n_control <= _MAX_CONTROL_SHARE * len(sample)
    if is_text and 0 not in sample:
        with suppress(UnicodeDecodeError):
            data.decode("utf-8")
            return "utf-8"
    # UTF-16 without a mark: every other byte of Western text is zero
    half, n_even, n_odd = len(sample) // 2, sample[::2].count(0), sample[1::2].count(0)
    if half and n_odd > 0.7 * half and n_even == 0:
        return "utf-16-le"
    if half and n_even > 0.7 * half and n_odd == 0:
        return "utf-16-be"
    if not is_text:
        raise DocumentError(path, "it is not text: it looks like binary data")
    if declared:
        return declared
    # its tables take 60 ms to load, and nearly all files are UTF-8
    from charset_normalizer import from_bytes

    logging.getLogger("charset_normalizer").setLevel(logging.ERROR)
    found = from_bytes(sample[:8192], cp_isolation=_LIKELY)
    best = found.best()
    equal = [item.encoding for item in found if best and not item < best and not best < item]
    return min(equal, key=_LIKELY.index, default=_FALLBACK)


def check_archive(data: bytes, path: str) -> None:
    """Check that *data* is a zip archive, as office files are, of a size that can be unpacked.

    Raises:
        DocumentError: If it is not, is encrypted, or unpacks to too much.
    """
    if data.startswith(_OLE_MARK):
        raise DocumentError(path, "it is encrypted, or in an old binary Office format")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except ARCHIVE_ERRORS as error:
        raise DocumentError(path, "it is not an Office file, or a damaged one") from error
    if any(member.flag_bits & 1 for member in members):
        raise DocumentError(path, "it is encrypted")
    unpacked = sum(member.file_size for member in members)
    is_bomb = unpacked > _MIN_SUSPECT_BYTES and unpacked > _MAX_RATIO * len(data)
    if unpacked > _MAX_UNPACKED_BYTES or is_bomb:
        raise DocumentError(path, f"it unpacks to {unpacked / 1024**2:.0f} MiB, too much to read")
