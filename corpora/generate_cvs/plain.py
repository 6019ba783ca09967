"""Layouts in plain text: a tabular CV, a one-pager, an application form."""

from textwrap import wrap

from corpora.generate_cvs.cv import Cv, Job

COLUMN = 24


def lay_out_tabular(cv: Cv) -> str:
    """Write the tabular CV of German-speaking countries: key, spaces, value."""
    person = cv.lines(
        ("Name", "$name"),
        ("Date and place of birth", "$birth_date in $birthplace"),
        ("Nationality", "$nationality"),
        ("Address", "$street 7, $city"),
        ("Telephone", "$phone"),
        ("E-mail", "$email"),
    )
    further = [
        ("Languages", ", ".join(f"{name} ({level})" for name, level in cv.languages)),
        *cv.lines(("Driving licence", "$driving")),
        *(("Certificate", certificate) for certificate in cv.certificates),
        ("Other skills", ", ".join(cv.skills)),
        *cv.lines(
            ("Salary expectation", "$salary gross p.a."),
            ("Notice period", "$notice"),
            ("Available from", "$available"),
        ),
    ]
    if cv.interests:
        further.append(("Interests", cv.interests))
    sections = [
        ("Personal details", [*person, *cv.extras]),
        ("Profile", [("", cv.summary)]),
        ("Professional experience", [line for job in cv.jobs for line in _rows(job)]),
        ("Education", cv.education),
        ("Further information", further),
    ]
    body = [f"{title}\n{_table(rows)}" for title, rows in sections]
    signature = f"{cv.person.gold.city}, 12.07.2026"
    return "\n\n".join(["CURRICULUM VITAE", *body, signature]) + "\n"


def lay_out_one_pager(cv: Cv) -> str:
    """Write the resume of the United States: capitals, short lines, no age."""
    head = cv.fill("$name\n$city | $phone | $email")
    jobs = [
        "\n".join([f"{job.title} - {job.employer}", job.period, *(f"* {p}" for p in job.points)])
        for job in cv.jobs
    ]
    languages = ", ".join(f"{name} ({level})" for name, level in cv.languages)
    extra = [*cv.lines(("", "$driving")), *(("", line) for line in cv.closing)]
    sections = [
        ("SUMMARY", "\n".join(wrap(cv.summary, 78))),
        ("EXPERIENCE", "\n\n".join(jobs)),
        ("EDUCATION", "\n".join(f"{what}, {year}" for year, what in cv.education)),
        ("LICENSES AND CERTIFICATIONS", "\n".join(cv.certificates)),
        ("SKILLS", "; ".join(cv.skills)),
        ("LANGUAGES", languages),
        ("ADDITIONAL INFORMATION", "\n".join(f"* {line}" for _, line in extra)),
        ("INTERESTS", cv.interests or ""),
    ]
    return "\n\n".join([head, *(f"{title}\n{text}" for title, text in sections if text)]) + "\n"


def lay_out_form(cv: Cv) -> str:
    """Write an online application as it is printed: numbered parts, a colon after each key."""
    parts = [
        [
            *cv.lines(
                ("Full name", "$name"),
                ("DOB (dd/mm/yyyy)", "$birth_date"),
                ("Nationality", "$nationality"),
                ("Town", "$city"),
                ("Email address", "$email"),
                ("Phone", "$phone"),
                ("Full driving licence", "$driving"),
            )
        ],
        [
            *cv.lines(
                ("Current position", "$title"),
                ("Current employer", "$employer"),
                ("Total years of experience", "$years"),
                ("Expected salary (gross, per year)", "$salary"),
                ("Notice period", "$notice"),
                ("Available from", "$available"),
            ),
            *cv.extras,
        ],
        [
            ("Qualifications", "; ".join(f"{what} ({year})" for year, what in cv.education)),
            ("Languages", "; ".join(f"{name}: {level}" for name, level in cv.languages)),
            ("Certificates", "; ".join(cv.certificates) or "-"),
            ("Key skills", "; ".join(cv.skills)),
        ],
    ]
    history = [
        f"{job.period}  {job.title}, {job.employer}. {'. '.join(job.points)}." for job in cv.jobs
    ]
    titles = ("About you", "Work and availability", "Education and skills")
    blocks = [
        f"PART {number}. {title}\n" + "\n".join(f"{key}: {value}" for key, value in rows)
        for number, (title, rows) in enumerate(zip(titles, parts, strict=True), 1)
    ]
    story = f"PART 4. In your own words\n{cv.summary}"
    return "\n\n".join([*blocks, story, "PART 5. Employment history\n" + "\n".join(history)]) + "\n"


def _rows(job: Job) -> list[tuple[str, str]]:
    return [(job.period, f"{job.title}, {job.employer}"), *(("", f"- {p}") for p in job.points)]


def _table(rows: list[tuple[str, str]]) -> str:
    lines = []
    for key, value in rows:
        wrapped = wrap(value, 60)
        lines += [f"{k:<{COLUMN}}  {v}" for k, v in zip([key] + [""] * 9, wrapped, strict=False)]
    return "\n".join(lines)
