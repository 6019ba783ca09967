"""The zip archives that office files are: refused before a parser unpacks too much of them."""

import io
import struct
import zipfile

from srag_mcp.errors import DocumentError

_OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_UNPACKED_BYTES = 1024**3
_MAX_RATIO = 200
_MIN_SUSPECT_BYTES = 100 * 1024**2


def check_archive(data: bytes, path: str) -> None:
    """Check that *data* is a zip archive of a size that can be unpacked.

    Raises:
        DocumentError: If it is not, is encrypted, or unpacks to too much.
    """
    if data.startswith(_OLE_MARK):
        raise DocumentError(path, "it is encrypted, or in an old binary Office format")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, struct.error, NotImplementedError) as error:
        raise DocumentError(path, "it is not an Office file, or a damaged one") from error
    if any(member.flag_bits & 1 for member in members):
        raise DocumentError(path, "it is encrypted")
    unpacked = sum(member.file_size for member in members)
    is_bomb = unpacked > _MIN_SUSPECT_BYTES and unpacked > _MAX_RATIO * len(data)
    if unpacked > _MAX_UNPACKED_BYTES or is_bomb:
        raise DocumentError(path, f"it unpacks to {unpacked / 1024**2:.0f} MiB, too much to read")
