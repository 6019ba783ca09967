"""Forms of one layout, and of two: which labels are one fact, and what their signs say."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from srag_mcp.inference.ask import ask
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.rules.folder import tabulate

N = 24


def _note(n: int) -> str:
    """Write a note of a form whose labels say how was paid, and what was burnt on which floor."""
    floor, by = ("upper", "ground")[n % 3 > 0], ("card", "cash", "card", "transfer")[n % 4]
    sign = "-" if n % 5 < 2 else ""
    return (
        f"Note N{n}\n\nPort: {('Olm', 'Rannow')[n % 2]}\nFreight: {300 + 7 * n} EUR\n"
        f"Paid by {by}: {100 + n} EUR\n"
        f"{('gas', 'oil')[n // 2 % 2].title()} consumption: {201 + 31 * n}\n"
        f"Humidity {floor} floor: {30 + n} %\nRooms {floor} floor: {2 + n % 7}\n"
        f"Returns: {sign}{5 + n % 6}.50\nBreakage: {sign}{40 + n % 9}.00\n"
        f"Drift: {n % 7 - 3}.25\n"
    )


def _plan(n: int) -> str:
    """Write a plan in one of two layouts, which take a deposit off in their own ways."""
    total, share, deposit = 900 + 10 * n, 300 + n, (0, 50, 80)[n % 3]
    if n % 2:
        return (
            f"Plan T{n}\n\nPatient: Ada {'ABC'[n % 3]}\nTotal: {total}.00 EUR\n"
            f"Insurance share: {total - share}.00 EUR\nPatient share: {share}.00 EUR\n"
            f"Deposit paid: {deposit}.00 EUR\nAmount due: {share - deposit}.00 EUR\n"
        )
    return (
        f"Estimate T{n}\n\nPrepared for: Bo {'DEF'[n % 3]}\nTotal costs: {total}.00 EUR\n"
        f"Paid by the insurance: {total - share}.00 EUR\nYour share: {share}.00 EUR\n"
        f"Less deposit: {-deposit}.00 EUR\nStill to pay: {share - deposit}.00 EUR\n"
    )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], str]]:
    folder = tmp_path_factory.mktemp("forms")
    with QueryPool() as worker:
        corpora = {}
        for name, write in (("notes", _note), ("plans", _plan)):
            for number in range(N):
                path: Path = folder / name / f"{name}_{number:02d}.txt"
                path.parent.mkdir(exist_ok=True)
                path.write_text(write(number), encoding="utf-8")
            ingest(folder / name, Settings(workers=1, engine="offline"))
            corpora[name] = Corpus(folder / name, worker)
        yield lambda name, question: ask(corpora[name], question).text.partition("\n")[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the total paid by cash?", "666 EUR: sum of paid_by_cash."),
        ("What is the average paid by card?", "111 EUR: average of paid_by_card."),
        ("What is the highest oil consumption?", "914: highest oil_consumption."),
        ("What is the average rooms upper floor?", "4.625: average of rooms_upper_floor."),
        ("What is the average humidity of the upper floor?", "40.5 %: average of"),
        ("How many notes have a gas consumption above 700?", "3: number of records where gas"),
    ],
)
def test_a_word_in_which_labels_of_one_layout_differ_is_a_value(
    told: Callable[[str, str], str], question: str, answer: str
) -> None:
    assert told("notes", question).startswith(answer)


@pytest.mark.parametrize(
    ("question", "cause"),
    [
        ("What is the total paid?", "sum of paid_by_card; or: sum of paid_by_cash"),
        ("What is the average consumption?", "only 12 of 24 documents give gas_consumption"),
    ],
)
def test_who_does_not_say_the_word_is_given_no_part_for_the_whole(
    told: Callable[[str, str], str], question: str, cause: str
) -> None:
    answer = told("notes", question)
    assert answer.startswith("Not answered")
    assert cause in answer


def test_labels_of_two_layouts_are_one_fact_and_what_says_less_is_what_is_left(
    told: Callable[[str, str], str],
) -> None:
    """`Your share` may be either share, until that of the insurance has its other label."""
    answers = [
        told("plans", f"What is the average {name}?")
        for name in ("insurance share", "patient share", "total")
    ]
    assert answers == [
        "703.5 EUR: average of paid_by_the_insurance.",
        "311.5 EUR: average of your_share.",
        "1015 EUR: average of total_costs.",
    ]


@pytest.mark.parametrize(
    ("folder", "question", "cause"),
    [
        ("plans", "What is the sum of deposits paid?", "negative goes with the label beside it"),
        ("notes", "What are the total returns?", "negative goes with the sign of breakage"),
        ("notes", "How many notes have a breakage above 40?", "with the sign of returns"),
    ],
)  # fmt: skip
def test_amounts_whose_sign_goes_with_the_layout_are_not_put_together(
    told: Callable[[str, str], str], folder: str, question: str, cause: str
) -> None:
    answer = told(folder, question)
    assert answer.startswith("Not answered")
    assert cause in answer
    assert "its sign may say nothing" in answer


def test_signs_that_go_with_nothing_and_answers_that_do_not_hang_on_them_are_not_doubted(
    told: Callable[[str, str], str],
) -> None:
    assert told("notes", "What is the lowest drift?") == "-3.25: lowest drift."
    assert told("plans", "How many plans have no deposit?").startswith("8: number of records")


def test_the_only_key_of_each_json_file_is_what_a_record_is_called() -> None:
    shops = ("Olm", "Ravno", "Gent")
    engines = [
        {
            "built": 1901 + n,
            "depot": {"city": ("Olm", "Ravno")[n % 2]},
            "overhauls": [
                {"shop": shops[(n + k) % 3], "cost": 70 + 3 * n + k, "passed": k % 2 == 0}
                for k in range(1 + n % 3)
            ],
        }
        for n in range(12)
    ]
    wrapped = tabulate([json.dumps({"engine": engine}) for engine in engines], ending="json")
    plain = tabulate([json.dumps(engine) for engine in engines], ending="json")
    assert wrapped.columns == plain.columns == {"built": "integer", "depot_city": "string"}
    assert (wrapped.schema.nouns, plain.schema.nouns) == (("engine", "engines"), ())
    assert [[c.list_name for c in x.schema.children] for x in (wrapped, plain)] == [
        ["overhauls"]
    ] * 2
