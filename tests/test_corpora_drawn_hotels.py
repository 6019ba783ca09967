"""Packs of drawn hotels: made again the same, and pages, gold and answers agree."""

import csv
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from datetime import date
from functools import cache
from itertools import combinations
from pathlib import Path

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "corpora" / "hotels"
SOURCE = ROOT / "corpora" / "generate_hotels"
PHRASES = tomllib.loads((SOURCE / "phrases.toml").read_text(encoding="utf-8"))
LAYOUTS = tomllib.loads((SOURCE / "layouts.toml").read_text(encoding="utf-8"))["layout"]
YES_OR_NO = ("available", "breakfast_included", "free_cancellation", "pets_allowed")
FACILITIES = ("pool", "free_wifi", "parking", "spa", "gym", "airport_shuttle")
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS += ["eleven", "twelve", "thirteen"]
MONTHS = [f"{date(2000, month, 1):%B}" for month in range(1, 13)]

Row = dict[str, str]


def generate(folder: Path, n_hotels: int, seed: str) -> Path:
    command = [sys.executable, "-m", "corpora.generate_hotels", "--n", str(n_hotels)]
    subprocess.run([*command, "--seed", seed, str(folder)], cwd=ROOT, check=True)
    return folder


def read_files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def read_gold(folder: Path) -> list[Row]:
    with (folder / "gold.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def read_questions(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read_page(folder: Path, document: str) -> LexborHTMLParser:
    return LexborHTMLParser((folder / "documents" / document).read_text(encoding="utf-8"))


def split_sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text.strip())


def read_statements(page: LexborHTMLParser) -> set[str]:
    """The sentences, list items and rows (`key | value`) of a page."""
    said = {line for each in page.css("main p") for line in split_sentences(each.text())}
    said |= {each.text() for each in page.css("main li")}
    for keys, values in (("main th", "main td"), ("main dt", "main dd")):
        pairs = zip(page.css(keys), page.css(values), strict=True)
        said |= {f"{key.text()} | {value.text()}" for key, value in pairs}
    return said


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate(tmp_path_factory.mktemp("drawn") / "pack", 500, "7")


def test_a_pack_is_the_same_on_every_run_and_another_for_another_seed(tmp_path: Path) -> None:
    first = read_files(generate(tmp_path / "first", 60, "7"))
    again = read_files(generate(tmp_path / "again", 60, "7"))
    other = read_files(generate(tmp_path / "other", 60, "8"))

    assert first == again
    assert {name for name in first if first[name] == other.get(name)} == set()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n", "59", "pack"], "--n 59 is not from 60 to 10000"),
        (["--n", "61"], "drawn hotels need a folder"),
        (["--n", "61", str(SHIPPED)], "has documents of another pack, such as"),
    ],
)
def test_hotels_that_would_mix_with_others_are_refused(options: list[str], message: str) -> None:
    command = [sys.executable, "-m", "corpora.generate_hotels", *options]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert finished.returncode != 0
    assert message in finished.stderr


def test_ten_thousand_hotels_have_as_many_names_and_documents() -> None:
    script = (
        "from corpora.generate_hotels.identities import draw_identities\n"
        "from corpora.generate_hotels.statements import read_phrases\n"
        "drawn = draw_identities(10_000, '7', read_phrases().names)\n"
        "print(*(len({each[key] for each in drawn}) for key in ('name', 'document')))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert finished.stdout.split() == ["10000", "10000"]


def test_a_pack_has_the_files_and_columns_of_the_shipped_one(pack: Path) -> None:
    names = {path.name for path in pack.iterdir()}
    schema = json.loads((pack / "schema.json").read_text(encoding="utf-8"))
    gold = read_gold(pack)

    assert names == {path.name for path in SHIPPED.iterdir()} - {"README.md"}
    assert list(gold[0]) == list(read_gold(SHIPPED)[0]) == ["document", *schema["properties"]]
    assert sorted(row["document"] for row in gold) == sorted(read_files(pack / "documents"))
    for name, attribute in schema["properties"].items():
        assert attribute["description"].count(".") >= 2, name


def test_as_many_facts_are_missing_as_in_the_shipped_pack(pack: Path) -> None:
    gold, shipped = read_gold(pack), read_gold(SHIPPED)
    for column in gold[0]:
        share = sum(row[column] == "" for row in gold) / len(gold)
        expected = sum(row[column] == "" for row in shipped) / len(shipped)
        # Three standard errors of a share of 60: 0.19 at one half, 0.12 at one tenth.
        assert share == pytest.approx(expected, abs=0.12), column


def test_facts_depend_on_one_another_as_in_the_shipped_pack(pack: Path) -> None:
    prices: dict[str, list[float]] = defaultdict(list)
    for row in read_gold(pack):
        assert (row["price_per_night"] == "") == (row["available"] == "false")
        assert (row["rating"] == "") == (row["n_reviews"] == "0")
        if row["price_per_night"]:
            prices[row["stars"]].append(float(row["price_per_night"]))

    means = [sum(prices[stars]) / len(prices[stars]) for stars in "2345"]
    assert means == sorted(means)


def test_every_fact_has_six_wordings_in_every_form_and_pages_have_three_layouts() -> None:
    for key, forms in PHRASES["fact"].items():
        is_joined = " " in key  # two facts in one sentence, beside the wordings of each
        for form in () if is_joined else ("prose", "rows", "items"):
            assert len(set(forms[form])) >= 6, (key, form)

    orders = [[set(section["parts"]) for section in layout["section"]] for layout in LAYOUTS]
    styles = [[section["form"] for section in layout["section"]] for layout in LAYOUTS]
    assert len(LAYOUTS) >= 3
    assert all(one != other for one, other in combinations(orders, 2))
    assert all(one != other for one, other in combinations(styles, 2))


def test_no_sentence_stands_on_more_than_a_twentieth_of_the_pages(pack: Path) -> None:
    counts: Counter[str] = Counter()
    for row in read_gold(pack):
        blocks = read_page(pack, row["document"]).css(
            "title, h1, h2, p, li, th, td, dt, dd, nav a, button"
        )
        counts.update({line for each in blocks for line in split_sentences(each.text())})
    sentences = {line: times for line, times in counts.items() if len(line.split()) > 3}

    assert len(sentences) > 5_000
    assert {line: times for line, times in sentences.items() if times > 500 / 20} == {}


# What the values of a fact look like where its wordings have a placeholder.
PATTERNS = {
    "address": {"address": ".+", "country": r"[\w ]+"},
    "stars": {"stars": r"\d", "stars_word": r"\w+", "star_marks": "★+"},
    "rating": {"rating": r"\d\.\d\d"},
    "n_reviews": {"n_reviews": r"[\d,]+"},
    "price_per_night": {"price": r"€ [\d,.]+", "price_number": r"[\d,.]+"},
    "rooms_left": {"rooms_left": r"\d rooms?", "n_rooms_left": r"\d"},
    "opening_date": {"opening_date": r"[\w, ]+"},
    "n_rooms": {"n_rooms": r"\d+", "n_rooms_words": r"\w+"},
    "n_floors": {"n_floors": r"\d", "floors_word": r"\w+", "Floors_word": r"\w+"},
    "distance_to_centre_km": {"distance_to_centre": r"[\d.]+ \w+"},
    "distance_to_airport_km": {"distance_to_airport": r"[\d.]+ \w+"},
}

OTHER_PATTERNS = {"airport": ".+ Airport", "total": r"€ [\d,.]+", "shuttle_price": r"€ \d+"}


@cache
def compile_wording(template: str, fact: str) -> re.Pattern[str]:
    """A pattern for one statement, with a group for each placeholder, its place in the name."""
    values = OTHER_PATTERNS | PATTERNS.get(fact, {})
    patterns = [
        f"(?P<{part}_{at // 2}>{values.get(part, '.+')})" if at % 2 else re.escape(part)
        for at, part in enumerate(re.split(r"\$(\w+)", template))
    ]
    return re.compile("".join(patterns))


def read_value(fact: str, text: str) -> object:
    """The value of the gold that a statement's words stand for."""
    if fact == "opening_date":
        day, year = re.findall(r"\d+", text)
        month = next(at for at, name in enumerate(MONTHS, 1) if name in text)
        return date(int(year), month, int(day)).isoformat()
    if "★" in text:
        return len(text)
    if text.lower() in WORDS:
        return WORDS.index(text.lower())
    number = float(re.sub(r"[^\d.]", "", text))
    is_metres = fact.startswith("distance") and text.endswith(("metres", " m"))
    return number / 1000 if is_metres and "kilometres" not in text else number


def read_told(fact: str, statements: set[str]) -> set[object]:
    """All values that the page's statements tell of one fact."""
    values, told = PATTERNS.get(fact, {}), set[object]()
    for key, forms in PHRASES["fact"].items():
        name, _, value = key.partition(".")
        templates = [each for form in forms.values() for each in form]
        for template in templates if fact in name.split() else ():
            for found in filter(None, map(compile_wording(template, fact).fullmatch, statements)):
                groups = {text for key, text in found.groupdict().items() if key[:-2] in values}
                told |= {read_value(fact, text) for text in groups} if groups else {value}
    return told


def test_a_page_tells_every_fact_of_its_record_and_none_that_is_missing(pack: Path) -> None:
    for row in read_gold(pack)[::5]:
        statements = read_statements(read_page(pack, row["document"]))
        for fact in PATTERNS.keys() - {"address"}:
            expected: object = row[fact]
            if row[fact] and fact != "opening_date":
                expected = float(row[fact])
            told = read_told(fact, statements)
            assert told == ({expected} if row[fact] else set()), (row["document"], fact)
        for fact in YES_OR_NO:
            told = read_told(fact, statements)
            assert told == ({row[fact]} if row[fact] else set()), (row["document"], fact)
        for fact in FACILITIES:
            told = read_told(fact, statements)
            assert told == ({"true"} if row[fact] == "true" else set()), (row["document"], fact)


def test_a_page_tells_its_name_its_city_and_its_country(pack: Path) -> None:
    templates = [each for form in PHRASES["fact"]["address"].values() for each in form]
    for row in read_gold(pack)[::5]:
        page = read_page(pack, row["document"])
        told = [
            {name[:-2]: text for name, text in found.groupdict().items()}
            for template in templates
            for found in map(compile_wording(template, "address").fullmatch, read_statements(page))
            if found is not None
        ]
        heading = page.css_first("h1")
        assert heading is not None
        assert heading.text() == row["name"]
        assert any(
            row["city"] in each["address"] and each["country"] == row["country"] for each in told
        ), row["document"]


def test_every_answer_in_plain_python_is_what_its_gold_sql_returns(pack: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE gold AS FROM read_csv(?)", [str(pack / "gold.csv")])
        for question in read_questions(pack):
            sql, answer = question["gold_sql"], question["answer"]
            rows = connection.execute(str(sql)).fetchall() if sql else [(None,)]
            values = [each.isoformat() if isinstance(each, date) else each for (each,) in rows]
            if question["answer_type"] == "list" and not question.get("ordered"):
                values.sort(key=str)
            expected = values if question["answer_type"] == "list" else values[0]
            if isinstance(expected, float):
                expected = pytest.approx(expected, abs=1e-6)
            assert answer == expected, question["id"]
            assert question["answer_type"] == "list" or len(values) == 1, question["id"]


def test_the_questions_are_of_the_shipped_kinds(pack: Path) -> None:
    drawn, shipped = read_questions(pack), read_questions(SHIPPED)

    assert Counter(q["kind"] for q in drawn) == Counter(q["kind"] for q in shipped)
    assert [q["id"] for q in drawn] == [q["id"] for q in shipped]
    assert {key for q in drawn for key in q} == {key for q in shipped for key in q}
    assert len({str(q["question"]) for q in drawn}) == len(drawn)
    assert not [q for q in drawn if "$" in f"{q['question']} {q['gold_sql']}"]


def test_no_page_says_what_an_unanswerable_question_asks(pack: Path) -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in pack.glob("documents/*"))
    for question in read_questions(pack):
        terms = question.get("absent_terms", [])
        assert isinstance(terms, list)
        assert [term for term in terms if re.search(term, pages, re.I)] == [], question["id"]
