"""Layouts in HTML: a network's profile page, a table, a definition list."""

from html import escape

from corpora.generate_cvs.cv import Cv

_PROFILE_STYLE = "main{max-width:46rem;margin:auto}.card{border:1px solid #ddd;padding:1rem}"
_TABLE_STYLE = "th{text-align:left;vertical-align:top;width:14rem}td{padding-bottom:.4rem}"
_LIST_STYLE = "dt{font-weight:bold}aside{font-style:italic}"


def lay_out_profile(cv: Cv) -> str:
    """Write a profile page as a professional network shows it: cards of nested boxes."""
    headline = cv.lines(("", "$title at $employer")) or [
        ("", f"{cv.person.profession}, open to work")
    ]
    contact = cv.lines(
        ("Birthday", "$birth_date"),
        ("Nationality", "$nationality"),
        ("Email", "$email"),
        ("Phone", "$phone"),
    )
    career = cv.lines(
        ("Total experience", "$years years"),
        ("Desired compensation", "$salary / year"),
        ("Notice", "$notice"),
        ("Open to start", "$available"),
    )
    licences = [*cv.certificates, *(value for _, value in cv.lines(("", "$driving")))]
    body = [
        f'<section class="top card"><h1>{_text(cv.person.gold.name)}</h1>'
        f'<div class="headline">{_text(headline[0][1])}</div>'
        f'<div class="place">{_text(cv.person.gold.city)} · 500+ connections</div></section>',
        _card("About", f"<p>{_text(cv.summary)}</p>"),
        _card("Job preferences", _spans(career)),
        _card("Experience", "\n".join(_profile_jobs(cv))),
        _card("Education", "\n".join(_profile_schools(cv))),
        _card("Licenses &amp; certifications", _items(licences)),
        _card("Skills", _items(cv.skills)),
        _card("Languages", _items([f"{name} – {level}" for name, level in cv.languages])),
        _card("Contact info", _spans(contact)),
    ]
    nav = "<nav><a href='#'>Home</a> <a href='#'>My network</a> <a href='#'>Jobs</a></nav>"
    footer = "<footer>About · Accessibility · Privacy &amp; terms · Ad choices</footer>"
    main = "<main>\n" + "\n".join(body) + "\n</main>"
    return _page(cv, _PROFILE_STYLE, f"{nav}\n{main}\n{footer}")


def lay_out_table(cv: Cv) -> str:
    """Write one table of two columns with a spanning row a section."""
    person = cv.lines(
        ("First name and surname", "$name"),
        ("Born", "$birth_date in $birthplace"),
        ("Nationality", "$nationality"),
        ("Residence", "$city"),
        ("Mail", "$email"),
        ("Phone", "$phone"),
        ("Driving licence", "$driving"),
    )
    terms = cv.lines(
        ("Expected salary", "$salary gross annually"),
        ("Period of notice", "$notice"),
        ("Can start on", "$available"),
    )
    knowledge = [
        ("Languages", "; ".join(f"{name}: {level}" for name, level in cv.languages)),
        *(("Further training", certificate) for certificate in cv.certificates),
        ("Skills", ", ".join(cv.skills)),
    ]
    if cv.interests:
        knowledge.append(("Interests", cv.interests))
    jobs = [
        (job.period, ". ".join([f"{job.title}, {job.employer}", *job.points])) for job in cv.jobs
    ]
    rows = [
        *_rows("Personal data", [*person, *cv.extras]),
        *_rows("Career", [("In short", cv.summary), *jobs]),
        *_rows("Training", cv.education),
        *_rows("Knowledge", knowledge),
        *_rows("Terms", terms),
    ]
    title = f"<h1>Curriculum vitae {_text(cv.person.gold.name)}</h1>"
    return _page(cv, _TABLE_STYLE, title + "\n<table>\n" + "\n".join(rows) + "\n</table>")


def lay_out_definitions(cv: Cv) -> str:
    """Write a personal page: a paragraph to open with, then definition lists."""
    facts = cv.lines(
        ("Born on", "$birth_date"),
        ("Passport", "$nationality"),
        ("Based in", "$city"),
        ("Write to", "$email"),
        ("Call", "$phone"),
        ("Present job", "$title at $employer"),
        ("Driving licence", "$driving"),
        ("Languages", "$languages"),
    )
    wishes = cv.lines(
        ("Salary", "$salary a year"), ("Free from", "$available"), ("Notice", "$notice")
    )
    jobs = [
        f"<li><b>{_text(job.title)}</b>, {_text(job.employer)}, {job.period}"
        f"{_items(job.points)}</li>"
        for job in cv.jobs
    ]
    body = [
        f"<h1>{_text(cv.person.gold.name)}</h1>",
        f"<p>{_text(cv.summary)}</p>",
        _definitions(facts),
        "<h2>Where I have worked</h2>\n<ul>\n" + "\n".join(jobs) + "\n</ul>",
        "<h2>What I learned</h2>\n" + _items([f"{what} ({year})" for year, what in cv.education]),
        "<h2>Skills and papers</h2>\n" + _items([*cv.skills, *cv.certificates]),
        "<h2>What I am looking for</h2>\n" + _definitions(wishes),
    ]
    if cv.interests:
        body.append(f"<aside>When not at work: {_text(cv.interests)}.</aside>")
    return _page(cv, _LIST_STYLE, "\n".join(body))


def _page(cv: Cv, style: str, body: str) -> str:
    head = f'<meta charset="utf-8">\n<title>{_text(cv.person.gold.name)}</title>'
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n<style>{style}</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _profile_jobs(cv: Cv) -> list[str]:
    return [
        f'<div class="entry"><h3>{_text(job.title)}</h3>'
        f"<div>{_text(job.employer)} · Full-time</div>"
        f'<div class="when">{job.period}</div>{_items(job.points)}</div>'
        for job in cv.jobs
    ]


def _profile_schools(cv: Cv) -> list[str]:
    return [
        f'<div class="entry"><div>{_text(what)}</div><div class="when">Class of {year}</div></div>'
        for year, what in cv.education
    ]


def _card(title: str, content: str) -> str:
    return f'<section class="card">\n<h2>{title}</h2>\n{content}\n</section>' if content else ""


def _spans(pairs: list[tuple[str, str]]) -> str:
    return "\n".join(
        f'<div><span class="k">{key}</span> <span class="v">{_text(value)}</span></div>'
        for key, value in pairs
    )


def _rows(title: str, pairs: list[tuple[str, str]]) -> list[str]:
    if not pairs:
        return []
    rows = [f"<tr><th>{_text(k)}</th><td>{_text(v)}</td></tr>" for k, v in pairs]
    return [f'<tr><th colspan="2"><h2>{title}</h2></th></tr>', *rows]


def _definitions(pairs: list[tuple[str, str]]) -> str:
    entries = "\n".join(f"<dt>{key}</dt><dd>{_text(value)}</dd>" for key, value in pairs)
    return f"<dl>\n{entries}\n</dl>"


def _items(items: list[str] | tuple[str, ...]) -> str:
    return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in items) + "</ul>" if items else ""


def _text(text: str) -> str:
    return escape(text, quote=False)
