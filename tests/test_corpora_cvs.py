"""The pack `corpora/cvs`: made again it is the same, and gold, texts and answers agree."""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TypedDict
from zipfile import ZipFile

import duckdb
import pytest
from docx import Document
from docx.table import Table
from pypdfium2 import PdfDocument
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).parents[1]
PACK = ROOT / "corpora" / "cvs"
DATE_FORMATS = (
    "%-d %B %Y",
    "%-d %b %Y",
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%-d.%-m.%Y",
    "%d/%m/%Y",
    "%B %-d, %Y",
)


class Question(TypedDict):
    id: str
    question: str
    gold_sql: str | None
    answer: object
    answer_type: str
    kind: str
    ordered: bool
    absent_terms: list[str]


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pack = tmp_path_factory.mktemp("cvs")
    command = [sys.executable, "-m", "corpora.generate_cvs", str(pack)]
    subprocess.run(command, cwd=ROOT, check=True)
    return pack


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {path.name: _read(path) for path in sorted((PACK / "documents").iterdir())}


def _read(path: Path) -> str:
    """The words of a document, each run of white space as one space."""
    if path.suffix == ".docx":
        text = " ".join(_word_lines(path))
    elif path.suffix == ".pdf":
        text = _pdf_text(path)
    elif path.suffix == ".html":
        text = LexborHTMLParser(path.read_text(encoding="utf-8")).text(separator=" ")
    else:
        text = path.read_text(encoding="utf-8")
    return " ".join(text.split())


def _word_lines(path: Path) -> Iterator[str]:
    for block in Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            for row in block.rows:
                yield from (cell.text for cell in row.cells)
        else:
            yield block.text


def _pdf_text(path: Path) -> str:
    with PdfDocument(path) as pdf:
        return "\n".join(page.get_textpage().get_text_bounded() for page in pdf)


def _gold() -> list[dict[str, str]]:
    with (PACK / "gold.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _questions() -> list[Question]:
    lines = (PACK / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _rows(sql: str) -> list[tuple[object, ...]]:
    return _tables().execute(sql).fetchall()


@cache
def _tables() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE gold AS FROM read_csv(?)", [str(PACK / "gold.csv")])
    return connection


def _shown_dates(iso: str) -> set[str]:
    forms = ", ".join(f"strftime(DATE '{iso}', '{form}')" for form in DATE_FORMATS)
    shown = {str(value) for value in _rows(f"SELECT {forms}")[0]}
    ordinals = {re.sub(r"^(\d+) ", rf"\1{suffix} ", _long(iso)) for suffix in ("st", "nd", "th")}
    return shown | ordinals


def _long(iso: str) -> str:
    return str(_rows(f"SELECT strftime(DATE '{iso}', '%-d %B %Y')")[0][0])


def test_the_script_writes_the_same_files_again(regenerated: Path) -> None:
    for folder, pattern in (("documents", "*"), ("", "gold.csv"), ("", "questions.jsonl")):
        kept = {path.name for path in (PACK / folder).glob(pattern)}
        assert {path.name for path in (regenerated / folder).glob(pattern)} == kept
    for name in ("gold.csv", "questions.jsonl"):
        assert (regenerated / name).read_bytes() == (PACK / name).read_bytes()
    for path in (regenerated / "documents").iterdir():
        kept_path = PACK / "documents" / path.name
        if path.suffix == ".docx":
            assert _parts(path) == _parts(kept_path), path.name
        elif path.suffix == ".pdf":  # its bytes hold the version of fpdf2
            assert _pdf_text(path) == _pdf_text(kept_path), path.name
        else:
            assert path.read_bytes() == kept_path.read_bytes(), path.name


def _parts(path: Path) -> dict[str, bytes]:
    """A Word file's parts: compressed bytes may differ between builds of zlib."""
    with ZipFile(BytesIO(path.read_bytes())) as archive:
        assert {info.date_time for info in archive.infolist()} == {(2026, 7, 1, 0, 0, 0)}
        return {name: archive.read(name) for name in archive.namelist()}


def test_there_are_forty_cvs_in_five_formats(texts: dict[str, str]) -> None:
    formats = Counter(name.split(".")[1] for name in texts)
    assert formats == {"md": 10, "txt": 8, "html": 8, "docx": 7, "pdf": 7}
    assert [row["document"] for row in _gold()] == list(texts)


@pytest.mark.parametrize(
    "field",
    [
        "name",
        "nationality",
        "city",
        "current_job_title",
        "current_employer",
        "years_of_experience",
        "institution",
        "graduation_year",
    ],
)
def test_every_gold_value_stands_in_its_document(field: str, texts: dict[str, str]) -> None:
    stated = [(row["document"], row[field]) for row in _gold() if row[field]]
    absent = [
        pair for pair in stated if not re.search(rf"\b{re.escape(pair[1])}\b", texts[pair[0]])
    ]
    assert len(stated) > 20
    assert absent == []


def test_every_e_mail_address_stands_in_its_document(texts: dict[str, str]) -> None:
    assert [row["email"] for row in _gold() if row["email"] not in texts[row["document"]]] == []


@pytest.mark.parametrize("field", ["birth_date", "available_from"])
def test_every_date_stands_in_its_document(field: str, texts: dict[str, str]) -> None:
    stated = [(row["document"], row[field]) for row in _gold() if row[field]]
    absent = [
        (document, iso)
        for document, iso in stated
        if not any(form in texts[document] for form in _shown_dates(iso))
    ]
    assert absent == []


def test_every_salary_stands_in_its_document_with_its_currency(texts: dict[str, str]) -> None:
    signs = {"EUR": r"(€|EUR)", "GBP": "£", "USD": r"\$", "CHF": "CHF"}
    for row in _gold():
        if row["expected_salary"]:
            thousands, rest = row["expected_salary"][:-3], row["expected_salary"][-3:]
            amount, sign = rf"{thousands}[.,' ]{rest}", signs[row["salary_currency"]]
            pattern = rf"({sign} ?{amount}|{amount} ?{sign})"
            assert re.search(pattern, texts[row["document"]]), row["document"]


def test_notice_periods_are_stated_only_where_the_gold_has_one(texts: dict[str, str]) -> None:
    for row in _gold():
        found = re.findall(r"(\d) months?\b|(available immediately)", texts[row["document"]])
        months = [int(number or 0) for number, _ in found]
        expected = row["notice_period_months"]
        assert months == ([int(expected)] if expected else []), row["document"]


@pytest.mark.parametrize(
    ("field", "pattern"),
    [
        ("first_aid_certificate", r"first aid"),
        ("speaks_french", r"\bFrench( \(| –|:|,) ?(native|basic|intermediate|good|fluent|[ABC]\d)"),
        ("speaks_german", r"\bGerman( \(| –|:|,) ?(native|basic|intermediate|good|fluent|[ABC]\d)"),
    ],
)
def test_what_absence_denies_is_told_where_it_is_true(
    field: str, pattern: str, texts: dict[str, str]
) -> None:
    told = {name for name, text in texts.items() if re.search(pattern, text, re.IGNORECASE)}
    assert told == {row["document"] for row in _gold() if row[field] == "true"}


def test_what_is_unknown_is_not_told(texts: dict[str, str]) -> None:
    hints = {
        "birth_date": r"\bborn\b|date of birth|birthday|\bDOB\b",
        "driving_licence": r"driv\w+ licen[cs]e|driver's",
        "years_of_experience": r"\d+ years? (of|in|across|behind)|experience: \d",
        "expected_salary": r"(expect|desired|target)\w* (salary|pay)|salary (expect|wish|require)",
        "nationality": r"nationality|citizenship|passport",
        "available_from": r"available from|earliest (start|entry)|can start|free from",
    }
    told = [
        (row["document"], field)
        for row in _gold()
        for field, hint in hints.items()
        if not row[field] and re.search(hint, texts[row["document"]], re.IGNORECASE)
    ]
    assert told == []


@pytest.mark.parametrize("question", _questions(), ids=lambda question: str(question["id"]))
def test_every_answer_is_what_its_query_returns(question: Question) -> None:
    sql = question["gold_sql"]
    if sql is None:
        assert (question["answer"], question["answer_type"]) == (None, "unanswerable")
        return
    values = [row[0] for row in _rows(sql)]
    expected = question["answer"]
    if isinstance(expected, list):
        assert (values if question.get("ordered") else sorted(map(str, values))) == expected
    elif isinstance(expected, int | float):
        assert values == [pytest.approx(expected, abs=1e-6)]
    else:
        assert values == [expected]


def test_the_questions_cover_what_people_ask() -> None:
    questions = _questions()
    assert len(questions) == len({question["question"] for question in questions}) == 40
    assert Counter(question["kind"] for question in questions) == {
        "count": 10,
        "groupby": 6,
        "aggregate": 4,
        "superlative": 4,
        "unanswerable": 4,
        "list": 3,
        "boolean": 2,
        "date": 2,
        "difference": 2,
        "ratio": 2,
        "median_or_percentile": 1,
    }


def test_no_document_says_what_the_unanswerable_questions_ask(texts: dict[str, str]) -> None:
    terms = [term for question in _questions() for term in question.get("absent_terms", [])]
    assert len(terms) > 8
    for name, text in texts.items():
        assert [term for term in terms if re.search(term, text, re.IGNORECASE)] == [], name


def test_the_gold_schema_describes_the_gold_columns() -> None:
    schema = json.loads((PACK / "schema.json").read_text(encoding="utf-8"))
    rows = _gold()
    assert list(schema["properties"]) == [name for name in rows[0] if name != "document"]
    for name, attribute in schema["properties"].items():
        assert len(re.findall(r"\.(?= |$)", attribute["description"])) >= 2, name
        if "enum" in attribute:
            assert {row[name] for row in rows} - {""} == set(attribute["enum"]), name


def test_the_readme_counts_the_empty_cells() -> None:
    readme = (PACK / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ([a-z_, ]+) \| .* \| (\d+) \|$", readme, re.MULTILINE)
    counted = {name: int(n) for names, n in lines for name in names.split(", ")}
    empty = {name: sum(not row[name] for row in _gold()) for name in _gold()[0]}
    assert counted == {name: n for name, n in empty.items() if name != "document"}


def test_the_pack_stays_small() -> None:
    assert sum(path.stat().st_size for path in PACK.rglob("*") if path.is_file()) < 1_500_000
