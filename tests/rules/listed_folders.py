"""Small folders of several subjects, written by hand, and the rows that their documents list."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import docx


@dataclass(frozen=True)
class ListedFolder:
    """Documents by file name, and by table what each document lists: a row is its values as text.

    Numbers are written as they are stored, dates in ISO 8601.
    """

    files: Mapping[str, bytes]
    truth: Mapping[str, Mapping[str, Sequence[tuple[str, ...]]]]


def _word(
    title: str, lines: Sequence[str], rows: Sequence[Sequence[str]], after: str = ""
) -> bytes:
    word = docx.Document()
    word.add_heading(title, 1)
    for line in lines:
        word.add_paragraph(line)
    table = word.add_table(rows=len(rows), cols=len(rows[0]))
    for cells, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(cells.cells, texts, strict=True):
            cell.text = text
    word.add_paragraph(after)
    buffer = io.BytesIO()
    word.save(buffer)
    return buffer.getvalue()


# --- Laboratory results, Word: two laboratories with other words, units in a column ---------------

_TESTS = {
    "lab_01.docx": ("Ida Holm", "3 March 2025", [
        ("Haemoglobin", "13.2", "g/dL", "12.0 - 15.5"), ("Ferritin", "18", "µg/L", "15 - 150"),
        ("TSH", "2.41", "mU/L", "0.4 - 4.0"), ("Sodium", "139", "mmol/L", "135 - 145")]),
    "lab_02.docx": ("Jon Brekke", "4 March 2025", [
        ("Haemoglobin", "15.9", "g/dL", "13.5 - 17.5"), ("Sodium", "141", "mmol/L", "135 - 145")]),
    "lab_03.docx": ("Ana Prieto", "6 March 2025", [
        ("Ferritin", "301", "µg/L", "15 - 150"), ("TSH", "0.12", "mU/L", "0.4 - 4.0"),
        ("Potassium", "4.4", "mmol/L", "3.5 - 5.1")]),
    "lab_04.docx": ("Marek Wolny", "7 March 2025", [("TSH", "5.3", "mU/L", "0.4 - 4.0")]),
}  # fmt: skip
_PARAMETERS = {
    "befund_1.docx": ("Sofie Lund", "2025-03-03", [
        ("Haemoglobin", "11.1", "g/dL", "12.0 - 15.5"), ("Sodium", "137", "mmol/L", "135 - 145"),
        ("Potassium", "3.1", "mmol/L", "3.5 - 5.1")]),
    "befund_2.docx": ("Per Ask", "2025-03-05", [
        ("Ferritin", "88", "µg/L", "15 - 150"), ("TSH", "1.7", "mU/L", "0.4 - 4.0")]),
    "befund_3.docx": ("Nils Dahl", "2025-03-09", [
        ("Sodium", "129", "mmol/L", "135 - 145"), ("Haemoglobin", "14.0", "g/dL", "13.5 - 17.5"),
        ("Ferritin", "41", "µg/L", "15 - 150"), ("TSH", "2.2", "mU/L", "0.4 - 4.0")]),
}  # fmt: skip


def _laboratory() -> ListedFolder:
    files = {}
    for name, (patient, day, rows) in _TESTS.items():
        table = [("Test", "Result", "Unit", "Reference range"), *rows]
        lines = [f"Patient: {patient}", f"Sample taken: {day}", f"Number of tests: {len(rows)}"]
        files[name] = _word("Laboratory report", lines, table, "Values checked by Dr. Aas.")
    for name, (patient, day, rows) in _PARAMETERS.items():
        table = [("Parameter", "Value", "Unit", "Normal range"), *rows]
        lines = [f"Name: {patient}", f"Date of sample: {day}"]
        files[name] = _word("Laboratory findings", lines, table)
    return ListedFolder(files, {"tests": {n: own[2] for n, own in (_TESTS | _PARAMETERS).items()}})


# --- Time sheets, HTML: totals, a table that goes on in another one, one total that is wrong ------

_HOURS = {
    "amy_w10.html": [[("2025-03-03", "Harbour", "7.5"), ("2025-03-04", "Harbour", "8"),
                      ("2025-03-05", "Library", "6.5")]],
    "ben_w10.html": [[("2025-03-03", "Library", "8"), ("2025-03-04", "Library", "7")],
                     [("2025-03-06", "Harbour", "4"), ("2025-03-07", "Office", "3.5")]],
    "cleo_w10.html": [[("2025-03-05", "Office", "2"), ("2025-03-06", "Harbour", "9.25")]],
    "dan_w11.html": [[("2025-03-10", "Library", "8"), ("2025-03-11", "Office", "8"),
                      ("2025-03-12", "Harbour", "8")], [("2025-03-13", "Harbour", "7.75")]],
    "eve_w11.html": [[("2025-03-11", "Office", "5"), ("2025-03-12", "Office", "5.5"),
                      ("2025-03-14", "Library", "6")]],
}  # fmt: skip
WRONG_TOTAL = "eve_w11.html"


def _time_sheets() -> ListedFolder:
    files, truth = {}, {}
    for name, parts in _HOURS.items():
        truth[name] = [row for part in parts for row in part]
        total = sum(float(row[2]) for row in truth[name]) + (name == WRONG_TOTAL)
        tables = ""
        for number, part in enumerate(parts):
            rows = [f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in part]
            if number == len(parts) - 1:
                rows.append(f"<tr><td>Total</td><td></td><td>{total:g}</td></tr>")
            head = "<tr><th>Day</th><th>Project</th><th>Hours</th></tr>"
            tables += f"<p>Sheet {number + 1}</p><table>{head}{''.join(rows)}</table>"
        person = name.split("_")[0].title()
        page = f"<h1>Time sheet of {person}</h1><p>Approved by: K. Moe</p>{tables}"
        files[name] = f"<html><body>{page}</body></html>".encode()
    return ListedFolder(files, {"projects": truth})


# --- Parts lists, Markdown: a table here, items made alike there, none in one ---------------------

_PARTS = {
    "bench.md": [("M6 screw", "A-100", "8"), ("Plank 120 cm", "W-07", "3"), ("Leg", "W-11", "4")],
    "shelf.md": [("M6 screw", "A-100", "12"), ("Bracket", "B-20", "6"),
                 ("Plank 120 cm", "W-07", "4"), ("Wall plug", "A-130", "12")],
    "stool.md": [("Leg", "W-11", "3"), ("Seat", "W-30", "1")],
    "table.md": [("Leg", "W-11", "4"), ("Bracket", "B-20", "8"), ("Top", "W-41", "1")],
    "crate.md": [("Plank 120 cm", "W-07", "9"), ("M6 screw", "A-100", "24")],
    "rack.md": [("Bracket", "B-20", "10"), ("Wall plug", "A-130", "20"), ("Seat", "W-30", "2")],
}  # fmt: skip
_AS_ITEMS = frozenset({"table.md", "crate.md", "rack.md"})


def _parts() -> ListedFolder:
    files = {}
    for name, rows in _PARTS.items():
        title = f"# {name.split('.')[0].title()}\n\nBuild time: {len(rows) * 15} min\n\n"
        if name in _AS_ITEMS:
            items = "\n".join(f"- {n} x {what} [{code}]" for what, code, n in rows)
            files[name] = f"{title}## Parts\n\n{items}\n\n## Steps\n\nPut it together.\n".encode()
        else:
            lines = "\n".join(f"| {what} | {code} | {n} |" for what, code, n in rows)
            head = "| Part | Part no. | Quantity |\n|---|---|---|\n"
            files[name] = f"{title}## Parts list\n\n{head}{lines}\n\nPut it together.\n".encode()
    return ListedFolder(files, {"parts": _PARTS})


# --- Race reports, plain text: splits that nothing names, officials beside a label ---------------

_SPLITS = {
    "heat1.txt": [("100", "13.1"), ("200", "26.9"), ("300", "41.0"), ("400", "55.8")],
    "heat2.txt": [("100", "12.8"), ("200", "26.1"), ("300", "40.3"), ("400", "54.9")],
    "heat3.txt": [("100", "13.4"), ("200", "27.5")],
    "heat4.txt": [("100", "13.0"), ("200", "26.6"), ("300", "40.9")],
    "heat5.txt": [("100", "12.9"), ("200", "26.4"), ("300", "40.1"), ("400", "54.2")],
}
_JUDGES = {
    "heat1.txt": ["Lena Ray", "Tom Fisk"],
    "heat2.txt": ["Tom Fisk", "Uma Roth", "Lena Ray"],
    "heat3.txt": ["Uma Roth"],
    "heat4.txt": ["Lena Ray", "Uma Roth"],
    "heat5.txt": ["Tom Fisk", "Uma Roth", "Lena Ray", "Vic Stone"],
}


def _races() -> ListedFolder:
    files = {}
    for number, (name, splits) in enumerate(_SPLITS.items(), start=1):
        lines = [f"HEAT REPORT {number}", "", f"Judges: {', '.join(_JUDGES[name])}", ""]
        lines += ["Distance (m)    Time (s)    Lane"]
        lines += [f"{metres:<12}    {time:<8}    {number}" for metres, time in splits]
        lines += ["", "The wind was light, and the track was dry."]
        files[name] = "\n".join(lines).encode()
    judges = {name: [(judge,) for judge in own] for name, own in _JUDGES.items()}
    return ListedFolder(files, {"items": _SPLITS, "judges": judges})


# --- Handover reports, Markdown: a heading and the same labels for every room ---------------------

_ROOMS = {
    "flat_3.md": [("Kitchen", "good", "2"), ("Bath", "worn", "1"), ("Hall", "good", "4")],
    "flat_5.md": [("Kitchen", "damaged", "1"), ("Bedroom", "good", "2")],
    "flat_8.md": [("Bath", "good", "1"), ("Kitchen", "good", "3")],
    "flat_9.md": [("Hall", "worn", "2"), ("Bedroom", "good", "2"), ("Bath", "good", "1")],
}


def _rooms() -> ListedFolder:
    files = {}
    for name, rows in _ROOMS.items():
        parts = [f"# Handover of flat {name[5]}", "Tenant: R. Vale", "## Rooms"]
        parts += [f"### {room}\n\nCondition: {how}\nKeys: {keys}" for room, how, keys in rows]
        files[name] = "\n\n".join(parts).encode()
    return ListedFolder(files, {"rooms": _ROOMS})


LISTED_FOLDERS = {
    "laboratory": _laboratory(),
    "time_sheets": _time_sheets(),
    "parts": _parts(),
    "races": _races(),
    "rooms": _rooms(),
}
