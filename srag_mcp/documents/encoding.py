"""Bytes to text: which encoding, and whether it is text at all."""

import codecs
import logging
import re

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
# What people's files are in. Where few bytes speak, encodings of old machines fit as well.
_LIKELY = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
    "iso8859_2", "iso8859_5", "iso8859_7", "koi8_r", "koi8_u", "cp874", "cp932", "euc_jp",
    "gb18030", "big5", "cp949", "euc_kr",
]  # fmt: skip


def decode(data: bytes, path: str, declared: str | None = None) -> str:
    r"""Return the text of *data* with line ends `\n`; *path* names the file in errors.

    *declared* is the encoding that the file itself names; it is used where the bytes are not UTF-8.

    Raises:
        DocumentError: If the bytes are not text.
    """
    try:
        text = data.decode(_encoding(data, path, declared))
    except UnicodeDecodeError:  # the sample was clean and the rest is not: keep what can be read
        text = data.decode(_FALLBACK, errors="replace")
    return normalise_lines(text)


def normalise_lines(text: str) -> str:
    r"""Return *text* with `\n` line ends, and without characters that no store can hold."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\v", "\n")
    return without_surrogates(text.replace("\0", "").replace("\ufeff", ""))


def without_surrogates(text: str) -> str:
    r"""Return *text* with a `?` for each lone surrogate (JSON's `"\ud800"`): UTF-8 has none."""
    return text.encode("utf-8", "replace").decode()


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a web page or an XML file names at its start, None if none."""
    match = _DECLARED.search(data[:2048])
    if match is None:
        return None
    name = match[1].decode("ascii")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


def _encoding(data: bytes, path: str, declared: str | None) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    sample = data[:_SAMPLE_BYTES]
    if sample.count(0) == 0 and _is_utf8(data):
        _refuse_controls(sample, path)
        return "utf-8"
    wide = _wide_encoding(sample)
    if wide is not None:
        return wide
    _refuse_controls(sample, path)
    return declared or _detect(sample)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _wide_encoding(sample: bytes) -> str | None:
    """Recognise UTF-16 without a mark: every other byte of Western text is zero."""
    half = len(sample) // 2
    if half and sample[1::2].count(0) > 0.7 * half and sample[::2].count(0) == 0:
        return "utf-16-le"
    if half and sample[::2].count(0) > 0.7 * half and sample[1::2].count(0) == 0:
        return "utf-16-be"
    return None


def _refuse_controls(sample: bytes, path: str) -> None:
    control = len(sample) - len(sample.translate(None, _CONTROL))
    if control > _MAX_CONTROL_SHARE * len(sample):
        raise DocumentError(path, "it is not text: it looks like binary data")


def _detect(sample: bytes) -> str:
    # its tables take 60 ms to load, and nearly all files are UTF-8
    from charset_normalizer import from_bytes

    logging.getLogger("charset_normalizer").setLevel(logging.ERROR)
    best = from_bytes(sample[:8192], cp_isolation=_LIKELY).best()
    return best.encoding if best is not None else _FALLBACK
