"""Bytes to text: which encoding, and whether they are text, or an archive, at all."""

import codecs
import io
import logging
import re
import struct
import zipfile
import zlib
from contextlib import suppress

from srag_mcp.errors import DocumentError

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
