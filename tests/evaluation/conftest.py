"""Views of tables are tried on files of each format, made as for the readers."""

from tests.documents.conftest import make_pdf, read_bytes

__all__ = ["make_pdf", "read_bytes"]
