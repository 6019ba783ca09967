"""Columns of what documents list, and lists, are edited like columns of records."""

import json
from pathlib import Path

import pytest

from srag_mcp.errors import SchemaError
from srag_mcp.inference.turns import give_verdict, retire_pairs
from srag_mcp.pipeline.column_run import change_columns
from srag_mcp.pipeline.correction_run import CellPlace, correct, decide_names
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.feedback import open_feedback
from srag_mcp.store.guard import QueryPool
from tests.conftest import Once

GOODS = ("tea", "rice", "salt", "oil")
PIECES = "SELECT sum(pieces), sum(quantity) FROM orders_items WHERE document_id = '2.md'"


def write_order(folder: Path, number: int) -> None:
    goods = GOODS[: 2 + number % 3]
    rows = "".join(f"| {x} | {number + n} | {n}.50 |\n" for n, x in enumerate(goods, start=1))
    tasks = "".join(f"- {x} to Bo {number}: pack {number + 4}\n" for x in goods)
    (folder / f"{number}.md").write_text(
        f"# Order {number}\n\nQuantity: {number}\n\n## Items\n\n"
        f"| Item | Quantity | Price |\n|---|---|---|\n{rows}\n## Tasks\n\n{tasks}"
    )


@pytest.fixture
def orders(tmp_path: Path, settings: Settings, worker: QueryPool, once: Once) -> Corpus:
    """Six orders with a number of their own, what was sold, and what is to be done."""
    folder = tmp_path / "orders"
    folder.mkdir()
    for number in range(1, 7):
        write_order(folder, number)
    once(folder, lambda: ingest(folder, settings))
    return Corpus(folder, worker, settings.home)


def edit(orders: Corpus, settings: Settings, *said: str) -> tuple[str, ...]:
    seen = change_columns(orders.location, settings, said[0], said[1:], is_preview=True)
    done = change_columns(orders.location, settings, said[0], said[1:])
    assert (seen.said, seen.n_kept, seen.n_lost) == (done.said, done.n_kept, done.n_lost)
    return tuple(done.lines()[:2])


def keep_by_hand(orders: Corpus, settings: Settings) -> None:
    row = CellPlace("2.md", "orders_items.quantity", 1)
    correct(orders.location, settings, row, ("value", "30"))
    assert orders.state is not None
    with open_feedback(orders.state) as kept:
        sql = "SELECT sum(i.quantity) AS n FROM orders_items i WHERE i.quantity > 2"
        give_verdict(orders, kept, "How many pieces?", is_right=True, sql=sql)


def assert_followed(orders: Corpus) -> None:
    # the correction 30 instead of 3, and 4, 5, 6; the column of the record stays what it is
    assert orders.select(PIECES).rows == ((45, 45),)
    assert orders.select("SELECT sum(quantity) FROM orders").rows == ((21,),)
    found = {kept.named: kept.problem for kept in orders.corrections()}
    assert found["orders_items.pieces"] == ""
    assert orders.state is not None
    with open_feedback(orders.state) as kept:
        [pair] = kept.verdicts()
    assert (pair.sql, pair.retired) == (
        "SELECT SUM(i.pieces) AS n FROM orders_items AS i WHERE i.pieces > 2",
        "",
    )


def test_a_renamed_column_of_a_list_keeps_what_a_person_did(
    orders: Corpus, settings: Settings
) -> None:
    keep_by_hand(orders, settings)
    said = edit(orders, settings, "rename", "orders_items.quantity", "pieces")
    assert said == (
        "orders_items.quantity is now pieces",
        "18 values are kept, 0 change, 0 are lost",
    )
    assert_followed(orders)
    write_order(orders.location, 7)
    report = ingest(orders.location, settings)
    assert report.n_unchanged == 6
    assert orders.select("SELECT sum(pieces) FROM orders_items").rows == ((153,),)


def test_a_column_of_a_list_is_renamed_in_the_file_and_no_document_is_read(
    orders: Corpus, settings: Settings
) -> None:
    keep_by_hand(orders, settings)
    assert orders.state is not None
    path = orders.state / "schema.json"
    schema = json.loads(path.read_text())
    members = schema["properties"]["items"]["items"]["properties"]
    renamed = {"pieces": {**members.pop("quantity"), "x-formerly": ["quantity"]}}
    schema["properties"]["items"]["items"]["properties"] = {**members, **renamed}
    path.write_text(json.dumps(schema))
    report = ingest(orders.location, settings)
    assert report.renamed == ("column orders_items.quantity is now orders_items.pieces",)
    assert report.n_unchanged == 6
    with open_feedback(orders.state) as kept:
        retire_pairs(orders, kept)
    assert_followed(orders)


def test_another_column_of_a_list_takes_the_name_of_a_dropped_one(
    orders: Corpus, settings: Settings
) -> None:
    said = edit(orders, settings, "drop", "orders_tasks.pack")
    back = "show takes back a hide, not this: ingest --fresh-schema finds columns anew"
    assert said == ("orders_tasks.pack is dropped", back)
    tasks = "SELECT count(*), count(task), sum({}) FROM orders_tasks"
    assert orders.select(tasks.format("bo")).rows == ((18, 18, 61),)
    edit(orders, settings, "rename", "orders_tasks.bo", "pack")
    assert orders.select(tasks.format("pack")).rows == ((18, 18, 61),)
    write_order(orders.location, 7)
    assert ingest(orders.location, settings).n_unchanged == 6
    assert orders.select(tasks.format("pack")).rows == ((21, 21, 82),)


def test_a_list_is_hidden_shown_and_dropped(orders: Corpus, settings: Settings) -> None:
    row = CellPlace("2.md", "orders_tasks.pack", 1)
    correct(orders.location, settings, row, ("value", "30"))
    tasks = orders.tables()["orders_tasks"]
    edit(orders, settings, "hide", "orders_tasks")
    assert ("orders_tasks" in orders.tables(), orders.corrections()) == (False, [])
    edit(orders, settings, "show", "orders_tasks")
    assert orders.tables()["orders_tasks"] == tasks
    assert orders.select("SELECT max(pack) FROM orders_tasks").rows == ((30,),)
    edit(orders, settings, "hide", "orders_tasks.pack")
    assert orders.tables()["orders_tasks"] == [name for name in tasks if name != "pack"]
    edit(orders, settings, "drop", "orders_tasks")
    assert [child.entity for child in orders.schema().children] == ["orders_items"]
    write_order(orders.location, 7)
    assert ingest(orders.location, settings).n_unchanged == 6
    assert "orders_tasks" not in orders.tables()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            ("type", "orders_tasks.bo", "string"),
            "orders_tasks.bo is of a list: its rows",
        ),
        (("merge", "quantity", "orders_items.quantity"), "are of two tables"),
        (
            ("merge", "orders_tasks.bo", "orders_tasks.pack"),
            "are of a list: its rows are read",
        ),
        (("rename", "orders_items", "goods"), "orders_items is a list as a whole, and none of"),
        (("split-unit", "orders_items.quantity"), "no value of orders_items.quantity states a un"),
        (("rename", "orders_tasks.bo", "position"), "is no name of a column"),
        (("rename", "orders_tasks.bo", "task"), "there is a column 'orders_tasks.task'"),
        (("drop", "orders_tasks.who"), "no attribute 'orders_tasks.who'; there are: .*tasks.bo"),
    ],
)
def test_what_cannot_become_of_a_column_of_a_list_is_refused(
    orders: Corpus, settings: Settings, said: tuple[str, ...], why: str
) -> None:
    with pytest.raises(SchemaError, match=why):
        edit(orders, settings, *said)


def test_what_is_decided_on_names_in_a_list_is_of_its_column_alone(
    tmp_path: Path, settings: Settings, worker: QueryPool
) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    towns = ("Kiel", "Ulm", "Bern", "Cork", "Oslo", "Riga")
    makers = ("Brest Ltd", "Brest Limited", *towns)
    for number, town in enumerate(towns, start=1):
        own = (*makers[:2], f"{town} Oak", f"{town} Iron", f"{town} Clay")
        rows = "".join(f"| {x} | {number + n} |\n" for n, x in enumerate(own))
        said = f"# Order {number}\n\nMaker: {makers[number - 1]}\n\n## Items\n\n"
        (folder / f"{number}.md").write_text(f"{said}| Maker | Pieces |\n|---|---|\n{rows}")
    ingest(folder, settings)
    corpus = Corpus(folder, worker, settings.home)
    both = [("maker", "Brest Limited"), ("orders_items.maker", "Brest Limited")]
    assert [(item.column, item.value) for item in corpus.united_names()] == both
    decide_names(folder, settings, "orders_items.maker", makers[:2], "apart")
    assert [(item.column, item.value) for item in corpus.united_names()] == both[:1]
    edit(corpus, settings, "rename", "orders_items.maker", "firm")
    assert [(item.column, item.value) for item in corpus.united_names()] == both[:1]
    named = "SELECT count(DISTINCT firm), count(DISTINCT o.maker) FROM orders_items, orders AS o"
    assert corpus.select(named).rows == ((20, 5),)
