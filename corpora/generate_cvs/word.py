"""Layouts in Word: a table of two columns, headings with bullets."""

import datetime as dt
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx import Document

from corpora.generate_cvs.cv import Cv

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.table import Table

_EPOCH = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)


def lay_out_two_column(cv: Cv) -> bytes:
    """Write one table: keys left, values right, a merged row as the title of each section."""
    document = Document()
    document.add_heading(cv.person.gold.name, level=0)
    table = document.add_table(rows=0, cols=2)
    for title, rows in _sections(cv):
        if rows:
            merged = table.add_row().cells
            merged[0].merge(merged[1]).paragraphs[0].add_run(title).bold = True
            _add_rows(table, rows)
    return _pack(document, cv)


def lay_out_headings(cv: Cv) -> bytes:
    """Write a British CV: contact line, headings, bullets, personal details at the end."""
    document = Document()
    document.add_heading(cv.person.gold.name, level=0)
    document.add_paragraph(cv.fill("$street 23, $city\t$phone\t$email"))
    document.add_heading("Personal statement", level=1)
    document.add_paragraph(cv.summary)
    document.add_heading("Employment history", level=1)
    for job in cv.jobs:
        document.add_paragraph().add_run(f"{job.title}, {job.employer}\t{job.period}").bold = True
        _add_bullets(document, list(job.points))
    document.add_heading("Education and training", level=1)
    for year, what in cv.education:
        document.add_paragraph(f"{year}\t{what}")
    _add_bullets(document, cv.certificates)
    document.add_heading("Skills", level=1)
    _add_bullets(document, [*cv.skills, f"Languages: {cv.values['languages']}"])
    document.add_heading("Personal details", level=1)
    details = cv.lines(
        ("DOB", "$birth_date"), ("Nationality", "$nationality"), ("Notice required", "$notice")
    )
    for key, value in details:
        document.add_paragraph(f"{key}: {value}")
    for line in (cv.fill(cv.wording["driving"]), *cv.closing, cv.interests):
        if line:
            document.add_paragraph(line)
    return _pack(document, cv)


def _sections(cv: Cv) -> list[tuple[str, list[tuple[str, str]]]]:
    contact = cv.lines(
        ("Date of birth", "$birth_date"),
        ("Place of birth", "$birthplace"),
        ("Citizenship", "$nationality"),
        ("Place of residence", "$city"),
        ("E-mail", "$email"),
        ("Telephone", "$phone"),
        ("Driving licence", "$driving"),
    )
    present = cv.lines(
        ("Current position", "$title, $employer"), ("Profile", cv.wording["summary"])
    )
    terms = cv.lines(
        ("Salary expectation", "$salary per annum"),
        ("Notice period", "$notice"),
        ("Available from", "$available"),
    )
    jobs = [
        (job.period, "\n".join([f"{job.title}, {job.employer}", *job.points])) for job in cv.jobs
    ]
    further = [("Languages", "\n".join(f"{name}, {level}" for name, level in cv.languages))]
    further += [("Certificates", "\n".join(cv.certificates))] if cv.certificates else []
    further += [("Skills", ", ".join(cv.skills))]
    further += [("Interests", cv.interests)] if cv.interests else []
    return [
        ("Personal information", [*contact, *cv.extras]),
        ("Profile", present),
        ("Professional career", jobs),
        ("Education", cv.education),
        ("Further knowledge", further),
        ("Conditions", terms),
    ]


def _add_rows(table: "Table", rows: list[tuple[str, str]]) -> None:
    for key, value in rows:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = key, value


def _add_bullets(document: "WordDocument", items: list[str]) -> None:
    for item in items:
        document.add_paragraph(item, style="List Bullet")


def _pack(document: "WordDocument", cv: Cv) -> bytes:
    """Save with fixed times, so that the same CV has the same bytes tomorrow."""
    properties = document.core_properties
    properties.author, properties.title = cv.person.gold.name, "Curriculum vitae"
    properties.created = properties.modified = _EPOCH
    properties.last_modified_by, properties.comments = "", ""
    saved, packed = BytesIO(), BytesIO()
    document.save(saved)
    with ZipFile(saved) as source, ZipFile(packed, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            info = ZipInfo(name, _EPOCH.timetuple()[:6])
            target.writestr(info, source.read(name), ZIP_DEFLATED)
    return packed.getvalue()
