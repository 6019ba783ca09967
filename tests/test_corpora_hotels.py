"""The pack `corpora/hotels`: made again it is the same, and gold, pages and answers agree."""

import csv
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import TypedDict

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).parents[1]
PACK = ROOT / "corpora" / "hotels"
FACILITY_LABELS = {
    "pool": r"pools?\b",
    "free_wifi": r"^Free WiFi",
    "parking": r"^(?!No ).*(parking|car park|garage)",
    "spa": r"^Spa\b",
    "gym": r"^(Gym|Fitness)",
    "airport_shuttle": r"^Airport shuttle",
}


class Question(TypedDict):
    id: str
    question: str
    gold_sql: str | None
    answer: object
    answer_type: str
    tolerance: float
    kind: str
    ordered: bool
    absent_terms: list[str]


def read_questions() -> list[Question]:
    text = (PACK / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def read_gold() -> list[dict[str, str]]:
    with (PACK / "gold.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def read_page(document: str) -> LexborHTMLParser:
    return LexborHTMLParser((PACK / "documents" / document).read_text(encoding="utf-8"))


def read_prose(page: LexborHTMLParser) -> list[str]:
    return [paragraph.text() for paragraph in page.css("#about p, #area p")]


def plain(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    return round(value, 6) if isinstance(value, float) else value


def generate(root: Path, pack: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "corpora.generate_hotels", str(pack)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the generator, to be tampered with."""
    shutil.copytree(ROOT / "corpora" / "generate_hotels", tmp_path / "corpora" / "generate_hotels")
    return tmp_path


def reword(source: Path, old: str, new: str) -> None:
    path = source / "corpora" / "generate_hotels" / "wording.jsonl"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_pack_made_again_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    finished = generate(ROOT, tmp_path)

    assert finished.returncode == 0, finished.stderr
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*") if path.is_file()}
    kept = {Path("gold.csv"), Path("questions.jsonl")} | {
        path.relative_to(PACK) for path in (PACK / "documents").iterdir()
    }
    assert set(made) == kept
    assert [p for p in made if made[p].read_bytes() != (PACK / p).read_bytes()] == []


def test_wording_that_leaves_out_a_recorded_fact_is_refused(source: Path) -> None:
    reword(source, "opened its doors on $opening_date", "opened its doors long ago")

    finished = generate(source, source / "pack")

    assert finished.returncode == 1
    assert "lisbon-hotel-ancora-velha.html: nothing in the wording tells opening_date" in (
        finished.stderr
    )


def test_wording_that_tells_a_fact_the_record_lacks_is_refused(source: Path) -> None:
    reword(source, "A crooked lemon tree", "On $opening_date a crooked lemon tree")

    finished = generate(source, source / "pack")

    assert finished.returncode == 1
    assert "KeyError: 'opening_date'" in finished.stderr


def test_every_answer_is_what_its_gold_sql_returns() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE gold AS FROM read_csv(?)", [str(PACK / "gold.csv")])
        for question in read_questions():
            sql = question["gold_sql"]
            rows = connection.execute(sql).fetchall() if sql else [(None,)]
            values = [plain(value) for (value,) in rows]
            if question["answer_type"] == "list" and not question.get("ordered"):
                values.sort(key=str)
            expected = values if question["answer_type"] == "list" else values[0]
            assert question["answer"] == expected, question["id"]
            assert question["answer_type"] == "list" or len(values) == 1, question["id"]


def test_an_unanswerable_question_asks_for_what_no_page_says() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in PACK.glob("documents/*")}
    unanswerable = [q for q in read_questions() if q["kind"] == "unanswerable"]

    assert len(unanswerable) == 4
    for question in unanswerable:
        for term in question["absent_terms"]:
            assert [name for name, page in pages.items() if re.search(term, page, re.I)] == []


def test_no_sentence_of_the_prose_is_used_for_two_hotels() -> None:
    sentences = Counter(
        sentence
        for row in read_gold()
        for paragraph in read_prose(read_page(row["document"]))
        for sentence in set(re.split(r"(?<=[.!?:;])\s+", paragraph))
        if len(sentence.split()) > 3
    )

    assert len(sentences) > 600
    assert [sentence for sentence, times in sentences.items() if times > 1] == []


def test_the_header_says_what_the_gold_says() -> None:
    for row in read_gold():
        header = read_page(row["document"]).css_first(".property-header")
        assert header is not None
        text = header.text()
        score = f"{float(row['rating']):.2f}/10" if row["rating"] else "No rating yet"
        assert row["name"] in text
        assert text.count("★") == int(row["stars"])
        assert f"{score} ({int(row['n_reviews']):,} reviews)" in text
        assert f"{row['city']}" in text
        assert f", {row['country']}" in text


def test_the_price_block_says_what_the_gold_says() -> None:
    for row in read_gold():
        block = read_page(row["document"]).css_first("#availability")
        assert block is not None
        text = block.text(separator=" ")
        assert ("Sold out" in text) == (row["available"] == "false")
        assert ("€" in text) == (row["price_per_night"] != "")
        if row["price_per_night"]:
            price = float(row["price_per_night"])
            assert f"€ {price:,.2f}".removesuffix(".00") in text
            assert ("Breakfast included" in text) == (row["breakfast_included"] == "true")
            free = re.search(r"(?<!No )\bfree cancellation", text, re.I)
            assert (free is not None) == (row["free_cancellation"] == "true")
        left = re.search(r"Only (\d) room", text)
        assert (left[1] if left else "") == row["rooms_left"]


def test_the_only_full_date_in_the_prose_is_the_opening_date() -> None:
    months = [f"{date(2000, month, 1):%B}" for month in range(1, 13)]
    name = "|".join(months)
    full_date = re.compile(
        rf"(\d+)(?:th|st|nd|rd)?(?: of)? ({name}) (\d{{4}})|({name}) (\d+), (\d{{4}})"
    )
    for row in read_gold():
        prose = " ".join(read_prose(read_page(row["document"])))
        told = [
            date(int(year or us_year), months.index(month or us_month) + 1, int(day or us_day))
            for day, month, year, us_month, us_day, us_year in full_date.findall(prose)
        ]
        expected = [date.fromisoformat(row["opening_date"])] if row["opening_date"] else []
        assert told == expected, row["document"]


def test_the_facilities_list_says_what_the_gold_says() -> None:
    for row in read_gold():
        items = read_page(row["document"]).css("#facilities li, #facilities .facility span + span")
        labels = [item.text(strip=True) for item in items]
        for name, label in FACILITY_LABELS.items():
            listed = any(re.search(label, each, re.I) for each in labels)
            assert listed == (row[name] == "true"), (row["document"], name, labels)


def test_the_schema_describes_every_gold_column_in_two_sentences() -> None:
    schema = json.loads((PACK / "schema.json").read_text(encoding="utf-8"))

    assert ["document", *schema["properties"]] == list(read_gold()[0])
    for name, attribute in schema["properties"].items():
        assert attribute["description"].count(".") >= 2, name
        assert attribute["x-absent-means"] in {"unknown", "false"}, name
