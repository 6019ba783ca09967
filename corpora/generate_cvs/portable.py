"""Layouts in PDF: a one-pager, a page with a sidebar, a tabular CV."""

import datetime as dt

from fpdf import FPDF

from corpora.generate_cvs.cv import Cv

_EPOCH = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
_LINE = 5.0


def lay_out_one_pager(cv: Cv) -> bytes:
    """Write a centred name, ruled section titles and bullets."""
    pdf = _start(cv)
    pdf.set_font("Helvetica", "B", 18)
    pdf.cell(0, 9, cv.person.gold.name, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", "", 10)
    pdf.cell(0, 6, cv.fill("$city  |  $phone  |  $email"), align="C", new_x="LMARGIN", new_y="NEXT")
    _section(pdf, "Summary", [cv.summary])
    _title(pdf, "Experience")
    for job in cv.jobs:
        _write(pdf, f"{job.title}, {job.employer} ({job.period})", style="B")
        for point in job.points:
            _write(pdf, f"• {point}")
    _section(pdf, "Education", [f"{what}, {year}" for year, what in cv.education])
    _section(pdf, "Skills", [", ".join(cv.skills)])
    _section(pdf, "Certifications", [f"• {certificate}" for certificate in cv.certificates])
    _section(pdf, "Languages", [", ".join(f"{name} ({level})" for name, level in cv.languages)])
    driving = [value for _, value in cv.lines(("", "$driving"))]
    _section(pdf, "Additional", [*driving, *cv.closing])
    _section(pdf, "Interests", [cv.interests] if cv.interests else [])
    return bytes(pdf.output())


def lay_out_sidebar(cv: Cv) -> bytes:
    """Write a narrow column with the facts beside a wide one with the story."""
    pdf = _start(cv)
    top = pdf.get_y()
    pdf.set_right_margin(130)
    _sidebar(pdf, cv)
    pdf.set_margins(88, 15, 15)
    pdf.set_xy(88, top)
    _write(pdf, cv.person.gold.name, size=20, style="B")
    current = cv.lines(("", "$title, $employer"))
    _write(pdf, current[0][1] if current else cv.person.profession, size=12)
    _section(pdf, "Profile", [cv.summary])
    _title(pdf, "Work")
    for job in cv.jobs:
        _write(pdf, f"{job.period}: {job.title}, {job.employer}", style="B")
        _write(pdf, "; ".join(job.points))
    _section(pdf, "Studies", [f"{year}: {what}" for year, what in cv.education])
    _section(pdf, "Courses", cv.certificates)
    _section(pdf, "Free time", [cv.interests] if cv.interests else [])
    return bytes(pdf.output())


def lay_out_tabular(cv: Cv) -> bytes:
    """Write dates and keys in a left column, what they say in a right one."""
    pdf = _start(cv)
    _write(pdf, "Curriculum Vitae", size=18, style="B")
    languages = ", ".join(f"{name} ({level})" for name, level in cv.languages)
    person = cv.lines(
        ("Name", "$name"),
        ("Born", "$birth_date, $birthplace"),
        ("Nationality", "$nationality"),
        ("Address", "$street 11, $city"),
        ("Phone", "$phone"),
        ("E-mail", "$email"),
    )
    terms = cv.lines(
        ("Professional experience", "$years years"),
        ("Driving licence", "$driving"),
        ("Salary expectation", "$salary p.a."),
        ("Notice period", "$notice"),
        ("Earliest entry date", "$available"),
    )
    interests = [("Interests", cv.interests)] if cv.interests else []
    jobs = [
        (job.period, "\n".join([f"{job.title}, {job.employer}", *(f"- {p}" for p in job.points)]))
        for job in cv.jobs
    ]
    _grid(pdf, "Personal data", [*person, *cv.extras])
    _grid(pdf, "Career", jobs)
    _grid(pdf, "Education", cv.education)
    knowledge = [("Languages", languages), ("Skills", ", ".join(cv.skills))]
    _grid(pdf, "Knowledge and terms", [*knowledge, *terms, *interests])
    _section(pdf, "About me", [cv.summary])
    _write(pdf, f"{cv.person.gold.city}, 3.8.2026")
    return bytes(pdf.output())


def _start(cv: Cv) -> FPDF:
    pdf = FPDF(format="A4")
    pdf.core_fonts_encoding = "windows-1252"  # Latin-1, the default, has no euro sign
    pdf.set_creation_date(_EPOCH)
    pdf.set_title(f"CV {cv.person.gold.name}")
    pdf.set_margins(15, 15, 15)
    pdf.add_page()
    return pdf


def _sidebar(pdf: FPDF, cv: Cv) -> None:
    contact = cv.lines(
        ("Date of birth", "$birth_date"),
        ("Nationality", "$nationality"),
        ("City", "$city"),
        ("E-mail", "$email"),
        ("Telephone", "$phone"),
        ("Driving licence", "$driving"),
        ("Notice", "$notice"),
        ("Available", "$available"),
        ("Salary wish", "$salary"),
    )
    _title(pdf, "Contact")
    for key, value in contact:
        _write(pdf, key, size=8)
        _write(pdf, value)
    _section(pdf, "Languages", [f"{name}: {level}" for name, level in cv.languages])
    _section(pdf, "Skills", cv.skills)


def _section(pdf: FPDF, title: str, lines: list[str]) -> None:
    if lines:
        _title(pdf, title)
        for line in lines:
            _write(pdf, line)


def _title(pdf: FPDF, title: str) -> None:
    pdf.ln(3)
    _write(pdf, title.upper(), size=11, style="B")
    pdf.line(pdf.l_margin, pdf.get_y(), pdf.w - pdf.r_margin, pdf.get_y())
    pdf.ln(1)


def _grid(pdf: FPDF, title: str, rows: list[tuple[str, str]]) -> None:
    _title(pdf, title)
    for key, value in rows:
        top = pdf.get_y()
        pdf.set_font("Helvetica", "", 10)
        pdf.multi_cell(48, _LINE, key, align="L")
        pdf.set_xy(65, top)
        pdf.multi_cell(0, _LINE, value, align="L", new_x="LMARGIN", new_y="NEXT")


def _write(pdf: FPDF, text: str, *, size: int = 10, style: str = "") -> None:
    pdf.set_font("Helvetica", style, size)
    pdf.multi_cell(0, size / 2, text, align="L", new_x="LMARGIN", new_y="NEXT")
