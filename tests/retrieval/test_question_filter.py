"""The filter of a question: which words stand for documents, and which for none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.retrieval.search import find_filter, search
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool

REPORTS = Schema(
    title="Report",
    entity="reports",
    attributes=(
        Attribute(name="port", type="string"),
        Attribute(name="master", type="string"),
        Attribute(name="line", type="string"),
        Attribute(name="date", type="date"),
    ),
)
COMMON = "\nEarnings and costs of the market are told below.\n\nThe market of Kiel was small.\n"
TEXTS = {
    "GREYHERON_2019_10K": "Grey Heron Lines\nDate: 4 May 2019\nLine: Grey Heron\nPort: Olm\n"
    "Master: Ann Lee\n\nGrey Heron sails from Olm. Ann Lee is told to steer. Grey Heron is old.\n",
    "GREYHERON_2021_10K": "Grey Heron Lines\nDate: 4 May 2021\nPort: Rann\n\nGrey Heron sails in"
    " 2021. In 2021 it was sold to Rann.\n",
    "dunlin_2019_EARNINGS": "Dunlin\nDate: 7 May 2019\nPort: Olm\n\nDunlin left Olm. Earnings of"
    " 2021 may fall; it is like Curlew.\n",
    "curlew_2020_EARNINGS": "Curlew\nDate: 7 May 2020\nPort: Rann\nMaster: Bo Lee\n\nCurlew lies in"
    " Rann, which Bo Lee likes. Curlew paid.\n",
    "Ibis": "Stilt, Inc.\nDate: 8 May 2020\nPort: Sund\n\nThe ship has a stilt below. Stilt said"
    " so of Sund.\n",
    "ruff": "Ruff\nDate: 9 May 2020\n\nRuff has no port. Ships of Olm pass.\n",
    "knot": "Knot\nDate: 9 May 2020\nPort: Kiel\n\nKnot. Risks and costs.\n",
    "ship_of_ruff": "Cod\nDate: 9 May 2020\nPort: Kiel\n\nShip, ship, ship, ship: the ship.\n",
    "report_of_knot": "Eel\nDate: 9 May 2020\nPort: Kiel\n\nReport, Report, Report.\n",
    "rail": "Rail\nDate: 9 May 2020\nPort: Sund\n\nThe rail of Sund.\n",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = Path(tmp_path_factory.mktemp("ships"))
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(f"# {text}{COMMON}", encoding="utf-8")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings, schema=REPORTS)
    with QueryPool() as worker:
        yield Corpus(folder, worker, settings.home)


def narrowed(corpus: Corpus, question: str) -> tuple[tuple[str, ...], set[str]]:
    """Return the words that stand for documents, and the documents, without the ends of files."""
    found = find_filter(corpus, question)
    if found is None:
        return (), set()
    rows = corpus.select(found.documents).rows
    same = f"SELECT document_id FROM reports WHERE {found.where}"
    assert sorted(rows) == sorted(corpus.select(same).rows)
    return found.words, {str(row[0]).removesuffix(".txt") for row in rows}


@pytest.mark.parametrize(
    ("question", "words", "documents"),
    [
        (
            "What did Grey Heron sell?",
            ("Grey Heron",),
            {"GREYHERON_2019_10K", "GREYHERON_2021_10K"},
        ),
        ("grey heron's age", ("grey heron",), {"GREYHERON_2019_10K", "GREYHERON_2021_10K"}),
        ("Is Dunlin sold?", ("Dunlin",), {"dunlin_2019_EARNINGS"}),
        (
            "How do Dunlin and Curlew compare?",
            ("Dunlin", "Curlew"),
            {"dunlin_2019_EARNINGS", "curlew_2020_EARNINGS"},
        ),
        (
            "what does curlew_2020_EARNINGS say?",
            ("curlew_2020_EARNINGS",),
            {"curlew_2020_EARNINGS"},
        ),
    ],
)
def test_names_of_files_stand_for_documents_however_they_are_written(
    corpus: Corpus, question: str, words: tuple[str, ...], documents: set[str]
) -> None:
    assert narrowed(corpus, question) == (words, documents)


@pytest.mark.parametrize(
    "question",
    [
        "What were the earnings?",  # two files are called so, and all speak of them
        "What were the Earnings of the Market in Kiel?",  # a value, that all texts name
        "Who steers in 2020?",  # most are of that year
        "Why are the costs so high?",
        "has the ship a stilt?",  # a title is a sentence of the language, too
        "which ship likes it?",  # most that say it are others, and it is no name as it is written
        "Which ships, other than Dunlin, are told of?",
        "Which of all but Dunlin are told of?",
        "What besides Dunlin is told of?",
        "Everything except Dunlin",
        "Is it not Dunlin?",
        "Who was chosen instead of Dunlin?",
        "Is the Report long?",  # what a record is called
        "",
        "of the",
    ],
)
def test_what_others_say_as_well_stands_for_no_document(corpus: Corpus, question: str) -> None:
    assert narrowed(corpus, question) == ((), set())


def test_a_word_of_a_title_with_a_capital_stands_for_its_document(corpus: Corpus) -> None:
    assert narrowed(corpus, "What does Stilt say?") == (("Stilt",), {"Ibis"})


def test_a_value_leaves_documents_in_that_do_not_say_theirs(corpus: Corpus) -> None:
    assert narrowed(corpus, "Which ships left Olm?") == (
        ("Olm",),
        {"GREYHERON_2019_10K", "dunlin_2019_EARNINGS", "ruff"},
    )


def test_what_adds_no_document_is_left_out(corpus: Corpus) -> None:
    found = find_filter(corpus, "Was Grey Heron sold?")
    assert found is not None
    assert found.where == "(document_id IN ('GREYHERON_2019_10K.txt', 'GREYHERON_2021_10K.txt'))"


def test_a_part_of_a_value_stands_for_it_with_a_capital_only(corpus: Corpus) -> None:
    found = find_filter(corpus, "Where does Lee live?")
    assert found is not None
    assert found.where == "(master IN ('Ann Lee', 'Bo Lee') OR master IS NULL)"
    assert find_filter(corpus, "where is lee?") is None


@pytest.mark.parametrize(
    ("question", "is_thin"),
    [
        ("Is Dunlin sold?", True),  # that others are
        ("Who left, Dunlin?", False),
        ("Is Dunlin photogenic?", False),  # nobody is
        ("About Dunlin", False),
    ],
)
def test_it_is_told_where_no_other_word_is_said_of_who_is_named(
    corpus: Corpus, question: str, *, is_thin: bool
) -> None:
    found = find_filter(corpus, question)
    assert found is not None
    assert (found.words, found.is_thin) == (("Dunlin",), is_thin)


def test_a_year_stands_for_documents_where_all_have_a_date(corpus: Corpus) -> None:
    found = find_filter(corpus, "What happened in 2021?")
    assert found is not None
    assert (found.where, found.reason) == ("(year(date) = 2021)", "“2021” stands for documents")


def test_all_that_is_named_holds_together_where_a_document_meets_it(corpus: Corpus) -> None:
    assert narrowed(corpus, "Why did Grey Heron leave Rann in 2021?")[1] == {"GREYHERON_2021_10K"}
    words, documents = narrowed(corpus, "Why did Dunlin leave Rann?")
    assert words == ("Dunlin", "Rann")
    assert documents >= {"dunlin_2019_EARNINGS", "curlew_2020_EARNINGS", "GREYHERON_2021_10K"}


def test_a_common_word_names_nothing_that_says_no_other_word_of_the_question(
    corpus: Corpus,
) -> None:
    assert narrowed(corpus, "the rail of the market") == (("rail",), {"rail"})
    assert find_filter(corpus, "why was the rail sold") is None
    assert narrowed(corpus, "why was the rail painted") == (("rail",), {"rail"}), "nobody says it"


LEASES = Schema(
    title="Lease",
    entity="leases",
    attributes=(
        Attribute(name="tenant", type="string"),
        Attribute(name="town", type="string"),
    ),
)


@pytest.fixture
def leases(tmp_path: Path) -> Iterator[Corpus]:
    """Four leases in the same words: the tenant stands in the first passage only."""
    for number, (tenant, town) in enumerate(
        (
            ("Alba Joinery", "Rome"),
            ("Borro Bakery", "Rome"),
            ("Cinder Inn", "Bari"),
            ("Delmar", "Bari"),
        )
    ):
        text = f"# Lease\n\nTenant: {tenant}\nTown: {town}\n\n"
        text += f"## Notice\n\nNotice of {number + 2} months is given in writing.\n\n"
        text += f"## Repairs\n\nRepairs up to EUR {number + 5}0 are borne by the user.\n"
        (tmp_path / f"{number}.md").write_text(text, encoding="utf-8")
    ingest(tmp_path, Settings(), schema=LEASES)
    with QueryPool() as pool:
        yield Corpus(tmp_path, pool)


@pytest.mark.parametrize(
    ("question", "rest", "found"),
    [
        ("What notice does Alba Joinery give?", "What notice does   give?", ("0.md", "Notice")),
        ("Which repairs does Delmar bear?", "Which repairs does   bear?", ("3.md", "Repairs")),
        ("Who is Cinder Inn?", "Who is Cinder Inn?", ("2.md", "Lease")),  # nothing else is asked
        ("What is let in Rome?", "What is let in Rome?", ("0.md", "Lease")),  # a value of several
    ],
)
def test_what_names_one_record_tells_its_passages_apart_no_more(
    leases: Corpus, question: str, rest: str, found: tuple[str, str]
) -> None:
    named = find_filter(leases, question)
    assert named is not None
    assert named.rest == rest
    hit = search(leases, named.rest, ahead=named.documents).hits[0]
    assert (hit.document_id, hit.headings.split(" > ")[-1]) == found
