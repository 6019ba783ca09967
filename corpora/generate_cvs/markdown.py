"""Layouts in Markdown: sections with bullets, front matter, prose."""

from corpora.generate_cvs.cv import Cv


def lay_out_sections(cv: Cv) -> str:
    """Write a heading a section, personal facts as bullets with bold keys."""
    facts = cv.lines(
        ("Born", "$birth_date, $birthplace"),
        ("Citizenship", "$nationality"),
        ("Lives in", "$city"),
        ("E-mail", "$email"),
        ("Mobile", "$phone"),
        ("Driving licence", "$driving"),
        ("Salary expectation", "$salary per year"),
        ("Notice period", "$notice"),
        ("Earliest start", "$available"),
    )
    parts = [
        f"# {cv.person.gold.name}",
        "\n".join(f"- **{key}:** {value}" for key, value in facts),
        f"## Profile\n\n{cv.summary}",
        f"## Experience\n\n{_jobs(cv, '### {title}, {employer} ({period})')}",
        "## Education\n\n" + "\n".join(f"- {year}: {what}" for year, what in cv.education),
        "## Languages\n\n" + "\n".join(f"- {name} ({level})" for name, level in cv.languages),
        *_listed("## Certificates", cv.certificates),
        *_listed("## Skills", cv.skills),
    ]
    if cv.interests:
        parts.append(f"## Interests\n\n{cv.interests}")
    return "\n\n".join(parts) + "\n"


def lay_out_front_matter(cv: Cv) -> str:
    """Write the facts as front matter, as for a static web site, and the story below."""
    facts = cv.lines(
        ("name", "$name"),
        ("date_of_birth", "$birth_date"),
        ("nationality", "$nationality"),
        ("location", "$city"),
        ("email", "$email"),
        ("phone", '"$phone"'),
        ("position", "$title"),
        ("company", "$employer"),
        ("experience_years", "$years"),
        ("driving_licence", "$driving"),
        ("desired_salary", '"$salary"'),
        ("notice_period", "$notice"),
        ("available", "$available"),
    )
    languages = "\n".join(f"  - {name} ({level})" for name, level in cv.languages)
    parts = [
        "---\n" + "\n".join(f"{k}: {v}" for k, v in facts) + f"\nlanguages:\n{languages}\n---",
        f"# About me\n\n{cv.summary}",
        f"# Work\n\n{_jobs(cv, '**{employer}** — {title} *({period})*')}",
        "# Schooling\n\n" + "\n".join(f"* {what} ({year})" for year, what in cv.education),
        f"# Can do\n\n{', '.join([*cv.skills, *cv.certificates])}",
    ]
    if cv.interests:
        parts.append(f"# Off duty\n\n{cv.interests}")
    return "\n\n".join(parts) + "\n"


def lay_out_prose(cv: Cv) -> str:
    """Write the paragraphs as they are: a CV in the form of a letter."""
    paragraphs = [cv.fill(paragraph) for paragraph in cv.wording["paragraphs"]]
    return "\n\n".join([f"# {cv.person.gold.name}", *paragraphs]) + "\n"


def _jobs(cv: Cv, head: str) -> str:
    entries = []
    for job in cv.jobs:
        title = head.format(title=job.title, employer=job.employer, period=job.period)
        entries.append("\n".join([title, "", *(f"- {point}" for point in job.points)]).strip())
    return "\n\n".join(entries)


def _listed(heading: str, items: list[str]) -> list[str]:
    return [heading + "\n\n" + "\n".join(f"- {item}" for item in items)] if items else []
