"""Every layout under the name that a person's slot gives it."""

from collections.abc import Callable

from corpora.generate_cvs import markdown, plain, portable, web, word
from corpora.generate_cvs.cv import Cv

LAYOUTS: dict[str, Callable[[Cv], str | bytes]] = {
    "md_sections": markdown.lay_out_sections,
    "md_front_matter": markdown.lay_out_front_matter,
    "md_prose": markdown.lay_out_prose,
    "txt_tabular": plain.lay_out_tabular,
    "txt_one_pager": plain.lay_out_one_pager,
    "txt_form": plain.lay_out_form,
    "html_profile": web.lay_out_profile,
    "html_table": web.lay_out_table,
    "html_definitions": web.lay_out_definitions,
    "docx_two_column": word.lay_out_two_column,
    "docx_headings": word.lay_out_headings,
    "pdf_one_pager": portable.lay_out_one_pager,
    "pdf_sidebar": portable.lay_out_sidebar,
    "pdf_tabular": portable.lay_out_tabular,
}


def lay_out(cv: Cv) -> bytes:
    """Arrange a CV in the layout of its person, as the bytes of a file."""
    written = LAYOUTS[cv.person.layout](cv)
    return written if isinstance(written, bytes) else written.encode("utf-8")
