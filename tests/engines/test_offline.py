"""What the engine without a model says of a folder: how much of it stands in columns."""

import shutil
from pathlib import Path

import pytest

from srag_mcp.engines.offline import Account, account_for
from srag_mcp.errors import SchemaError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.pipeline.report import IngestReport
from srag_mcp.settings import Settings
from srag_mcp.store.work import QuotedText
from srag_mcp.text.spans import Span


def quoting(text: str, *quotes: str) -> QuotedText:
    places = [text.index(quote) for quote in quotes]
    spans = [Span(start, start + len(quote)) for start, quote in zip(places, quotes, strict=True)]
    return QuotedText(text, tuple(spans))


def account(*documents: QuotedText) -> Account:
    return account_for(documents, documents, 0, 0)


def test_quotes_and_the_labels_that_documents_share_stand_in_columns() -> None:
    forms = [quoting(f"Town: {town}\nWritten by hand.", town) for town in ("Arla", "Brun", "Cori")]
    assert account(*forms) == Account(3, 15, 15)


def test_words_that_one_document_has_alone_are_left_over() -> None:
    told = quoting("Town: Arla\nThe wind was cold that day.", "Arla")
    assert account(told, quoting("Town: Brun", "Brun")) == Account(2, 10, 4)


def test_what_two_cells_quote_counts_once() -> None:
    text = "open from 8 to 18 on Monday"
    assert account(quoting(text, "from 8 to 18", "18 on Monday")) == Account(1, 7, 6)


def test_a_lone_document_has_no_form() -> None:
    assert account(quoting("Town: Arla", "Arla")) == Account(1, 2, 1)


def test_rows_of_tables_stand_in_columns_as_they_are() -> None:
    assert account_for([], [], 3, 40) == Account(3, 40, 40)


@pytest.mark.parametrize(("n_in_columns", "is_prose"), [(0, True), (9, True), (10, False)])
def test_prose_is_what_leaves_more_over_than_the_columns_hold(
    n_in_columns: int, is_prose: bool
) -> None:
    assert Account(1, 20, n_in_columns).is_prose is is_prose


def test_an_empty_folder_is_no_prose() -> None:
    assert str(Account(0, 0, 0)) == "of 0 words in 0 documents the columns account for 0 %"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(workers=1, home=tmp_path / "home")


def write(folder: Path, texts: list[str]) -> Path:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


STORIES = [
    f"Height: {number}00 m\n\nOn day {number} we met {who}, who told us of the winter of {year} and"
    f" of a {animal} that had lived below the hut, until it left for a place that nobody knows."
    for number, (who, year, animal) in enumerate(
        [("Ada", 1911, "fox"), ("Bo", 1935, "marten"), ("Cy", 1902, "hare"), ("Di", 1950, "crow")],
        start=1,
    )
]


def test_without_a_model_prose_is_published_on_a_command_and_told(
    tmp_path: Path, settings: Settings
) -> None:
    folder = write(tmp_path / "stories", STORIES)
    report = ingest(folder, settings)
    price = quote_ingestion(folder, settings.with_engine("agent"))
    tokens = price.least.tokens
    said, _, takes = report.account.partition("; ")
    assert (report.published, report.only_quoted) == (True, False)
    assert said.startswith("this folder is prose: of 144 words in 4 documents the columns account")
    assert takes.startswith(
        f"with engine agent it takes about {price.least.n_prompts} prompts, {tokens:,} tokens, "
    )
    assert report.account in report.lines()
    again = ingest(folder, settings)
    assert (again.published, again.account) == (False, report.account)


def test_who_asks_first_gets_nothing_published_of_prose_until_an_engine_is_named(
    tmp_path: Path, settings: Settings
) -> None:
    folder = write(tmp_path / "stories", STORIES)
    asked = ingest(folder, settings, asks_first=True, questions=["How high is the hut of Ada?"])
    assert (asked.published, asked.only_quoted, asked.build_id) == (False, True, None)
    assert asked.lines()[0].startswith("stories: nothing is published, ")
    built = ingest(folder, settings.with_engine("offline"), asks_first=True)
    assert (built.published, built.only_quoted) == (True, False)
    assert built.resumed == "1 sample questions", "they were not answered yet"


def test_a_published_table_of_prose_stays_until_an_engine_is_named(
    tmp_path: Path, settings: Settings
) -> None:
    folder = write(tmp_path / "stories", STORIES)
    before = ingest(folder, settings)
    (folder / "9.txt").write_text(STORIES[0].replace("Ada", "Eli"), encoding="utf-8")
    asked = ingest(folder, settings, asks_first=True)
    assert (asked.build_id, asked.only_quoted) == (before.build_id, True)
    assert asked.lines()[0].startswith(
        f"stories: nothing is published; the published build {before.build_id} stays, "
    )


def test_labelled_forms_are_published_whoever_asks_first(
    tmp_path: Path, settings: Settings
) -> None:
    forms = [f"Town: Town {number}\nHeight: {number}00 m\n" for number in range(1, 6)]
    report = ingest(write(tmp_path / "forms", forms), settings, asks_first=True)
    assert (report.published, report.only_quoted) == (True, False)
    assert report.account == "of 30 words in 5 documents the columns account for 100 %"


def test_columns_that_a_person_wrote_are_no_more_than_guesses_where_they_hold_little(
    tmp_path: Path, settings: Settings
) -> None:
    folder = write(tmp_path / "stories", STORIES)
    (folder / "schema.json").write_text(
        '{"title": "Story", "type": "object", "properties": {"height": {"type": "number",'
        ' "description": "Height of the hut.", "x-unit": "m"}}}',
        encoding="utf-8",
    )
    report = ingest(folder, settings, asks_first=True)
    assert (report.published, report.only_quoted) == (False, True)
    assert report.account.startswith("of 144 words in 4 documents the columns account for ")
    assert "; with engine agent it takes about " in report.account


# --- A column that is asked for -------------------------------------------------------------------


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine kilns, ingested; to be copied."""
    folder = write(
        tmp_path_factory.mktemp("once") / "kilns",
        [
            f"TOWN KILN\nKiln number: K-{n:04}\nLowest heat: {700 + n} C\nRent: EUR {10 + n}.00\n"
            for n in range(9)
        ],
    )
    ingest(folder, Settings(workers=1, home=tmp_path_factory.mktemp("home")))
    return folder


@pytest.fixture
def kilns(tmp_path: Path, ingested: Path) -> Path:
    return shutil.copytree(ingested, tmp_path / "kilns")


def extend(folder: Path, settings: Settings, wish: str) -> IngestReport:
    return ingest(folder, settings, attribute=wish)


@pytest.mark.parametrize(
    ("wish", "column"),
    [
        ("town kiln rent", "rent"),
        ("price of the rent", None),
        ("number of the kiln", "kiln_number"),
        ("the lowest heat", "lowest_heat"),
        ("heat", None),
        ("highest heat", None),
        ("net rent", None),
    ],
)
def test_what_a_column_states_already_is_that_column(
    kilns: Path, settings: Settings, wish: str, column: str | None
) -> None:
    if column is None:
        with pytest.raises(SchemaError, match="no column was added"):
            extend(kilns, settings, wish)
        return
    report = extend(kilns, settings, wish)
    assert report.extension is not None
    assert (report.extension.added, report.extension.attribute.name) == (False, column)
    assert report.attributes == ("kiln_number", "lowest_heat", "rent")
    assert any(line.startswith(f"it is there already: column {column} ") for line in report.lines())


def test_an_added_column_keeps_its_unit_and_shows_values_with_quotes(
    kilns: Path, settings: Settings
) -> None:
    schema = '{"type": "object", "properties": {"kiln_number": {"type": "string"}}}'
    (kilns / "schema.json").write_text(schema, encoding="utf-8")
    (kilns / "0.txt").write_text("TOWN KILN\nKiln number: K-0000\n", encoding="utf-8")
    report = extend(kilns, settings, "rent")
    lines = report.lines()
    added = lines.index("added the column rent (number, EUR): rent")
    assert lines[added + 1 : added + 7] == [
        "stated in 8 of 9 documents",
        *(f"{n}.txt: {10 + n}.0 EUR, “EUR {10 + n}.00”" for n in range(1, 6)),
    ]
