"""A question over the kinds of a folder."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from srag_mcp.inference.ask import OFFLINE, Asking
from srag_mcp.inference.ask_kinds import converse_kinds
from srag_mcp.inference.turns import BY_PERSON, mark_right
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.feedback import open_feedback
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.kind_tables import KindTables, open_kinds
from srag_mcp.store.layout import CorpusFolder
from tests.model.scripted import replying
from tests.shop import CONDITION, write_shop

BOTH = "How many orders have deliveries?"
PARCELS = "SELECT count(DISTINCT order_number) FROM orders JOIN deliveries ON "


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KindTables]:
    folder = write_shop(tmp_path_factory.mktemp("kinds") / "shop")
    settings = Settings(workers=1, home=tmp_path_factory.mktemp("home"))
    ingest(folder, settings)
    with QueryPool() as worker:
        places = CorpusFolder(folder, settings.home).kinds()
        yield open_kinds("shop", places, worker, settings.home)


def reply(sql: str | None, *missing: str) -> str:
    return json.dumps({"missing": missing, "sql": sql})


def test_a_question_that_names_one_kind_is_answered_by_it(shop: KindTables) -> None:
    of, answer = converse_kinds(shop, "How many deliveries are there?", OFFLINE)
    assert of.name == "shop/deliveries"
    assert answer.rows == ((8,),)


def test_without_a_model_a_question_of_two_kinds_is_refused_with_their_join(
    shop: KindTables,
) -> None:
    of, answer = converse_kinds(shop, BOTH, OFFLINE)
    assert isinstance(of, KindTables)
    assert answer.brief is not None
    assert answer.brief.table == "deliveries and orders"
    assert f"join on {CONDITION}: 6 of the 7 values of deliveries" in answer.text
    assert {"orders.buyer", "deliveries.parcels"} <= {*answer.brief.columns}


def test_a_column_of_another_kind_brings_that_in(shop: KindTables) -> None:
    of, answer = converse_kinds(shop, "How many parcels do the orders of Acme have?", OFFLINE)
    assert isinstance(of, KindTables)
    assert answer.brief is not None
    assert [item.column for item in answer.brief.linked_values] == ["orders.buyer"]


def test_a_question_that_names_nothing_is_refused_with_all_tables(shop: KindTables) -> None:
    of, answer = converse_kinds(shop, "How many gardens are there?", OFFLINE)
    assert of is shop
    assert answer.text.startswith("Not answered: this question names the records of no corpus")
    assert answer.brief is not None
    assert {"orders.buyer", "deliveries.parcels"} <= {*answer.brief.columns}


def test_a_question_of_two_kinds_that_leans_on_one_before_is_of_neither(shop: KindTables) -> None:
    of, answer = converse_kinds(shop, BOTH, OFFLINE, previous="How many orders are there?")
    assert of is shop
    assert answer.text.startswith("Not answered: this question may be about several corpora")


def test_a_question_is_answered_by_the_only_kind_that_keeps_its_query(tmp_path: Path) -> None:
    folder, settings = write_shop(tmp_path / "shop"), Settings(workers=1, home=tmp_path / "home")
    ingest(folder, settings)
    with QueryPool() as worker:
        kinds = open_kinds("shop", CorpusFolder(folder, settings.home).kinds(), worker, None)
        [orders] = [x for x in kinds.corpora if x.name == "shop/orders"]
        assert orders.state is not None
        with open_feedback(orders.state) as kept:
            kept.keep_verdict(mark_right(orders, BOTH, "SELECT count(*) FROM orders"))
        of, answer = converse_kinds(kinds, BOTH, OFFLINE)
    assert (of, answer.rows, answer.assumptions[0]) == (orders, ((8,),), BY_PERSON)


@pytest.mark.parametrize(
    ("folder", "heads"),
    [
        pytest.param("invoices", ("Invoice number", "Document no."), id="the folder is named"),
        pytest.param("office", ("Invoice\nNumber", "Invoice\nRef."), id="both are called so"),
    ],
)
def test_a_count_of_one_of_two_layouts_says_what_the_other_has(
    tmp_path: Path, folder: str, heads: tuple[str, str]
) -> None:
    place = tmp_path / folder
    place.mkdir()
    for n in range(7):
        old = f"{heads[0]}: A-{100 + n}\nSupplier: Acme {n % 2}\nTotal: {90 + n}.50 EUR\n"
        new = f"{heads[1]}: B-{300 + n}\nVendor: Crane {n % 2}\nAmount due: {n + 40}.10 EUR\n"
        further = f"Payment terms: {n % 2 + 10} days\nIssued on: 2024-03-0{n + 1}\n"
        (place / f"inv_{n}.txt").write_text(old)
        (place / f"rg_{n}.txt").write_text(new + further)
    ingest(place, Settings(workers=1))
    with QueryPool() as worker:
        kinds = open_kinds(folder, CorpusFolder(place).kinds(), worker, None)
        own, answer = converse_kinds(kinds, "How many invoices are there?", OFFLINE)
        [other] = [x.name for x in kinds.corpora if x is not own]
    why = f"{other}, a kind of 7 documents, may hold some as well, and was not asked"
    assert (answer.rows, answer.warnings) == (((7,),), (why,))


def test_what_the_sheet_is_called_is_in_no_other_sheet(tmp_path: Path) -> None:
    place = tmp_path / "donor_visits"
    place.mkdir()
    rows = "".join(f"S{n},{'Ulm' if n % 2 else 'Bonn'},{n + 40}\n" for n in range(1, 9))
    (place / "visits.csv").write_text(f"visit,town,donors\n{rows}")
    vans = "".join(f"Van {n},{2000 + n},{n}000\n" for n in range(1, 8))
    (place / "vans.csv").write_text(f"van,built,visits made\n{vans}")
    ingest(place, Settings(workers=1))
    with QueryPool() as worker:
        kinds = open_kinds("donors", CorpusFolder(place).kinds(), worker, None)
        _, counted = converse_kinds(kinds, "How many visits are there?", OFFLINE)
        _, summed = converse_kinds(kinds, "How many donors were there in total?", OFFLINE)
    assert (counted.rows, counted.warnings) == (((8,),), ())
    assert (summed.rows, summed.warnings) == (((356,),), ())


def test_a_sheet_in_another_unit_is_said_not_to_have_been_asked(tmp_path: Path) -> None:
    place = tmp_path / "herbs"
    place.mkdir()
    for name, unit in (("herbs", "kg"), ("others", "t")):
        rows = "".join(f"P{n},{('mint', 'dill')[n % 2]},{n}.5 {unit}\n" for n in range(1, 9))
        (place / f"{name}.csv").write_text(f"plot,herb,yield_{unit}\n{rows}")
    ingest(place, Settings(workers=1))
    with QueryPool() as worker:
        kinds = open_kinds("herbs", CorpusFolder(place).kinds(), worker, None)
        _, answer = converse_kinds(kinds, "Which herb has the highest total yield?", OFFLINE)
    others = next(x.name for x in kinds.corpora if x.name.endswith("others"))
    why = f"{others}, a kind of 8 documents, may hold some as well, and was not asked"
    assert (answer.rows, answer.warnings) == ((("mint",),), (why,))


def test_a_model_gets_both_tables_and_the_join(shop: KindTables) -> None:
    model = replying([reply(PARCELS + CONDITION)])
    of, answer = converse_kinds(shop, BOTH, Asking(model))
    assert isinstance(of, KindTables)
    assert answer.rows == ((6,),)
    assert "7 of the 8 rows of deliveries have one in orders" in " ".join(answer.assumptions)
    assert "Over all 8 documents in orders" in " ".join(answer.assumptions)
    [prompt] = model.prompts
    assert "Table `deliveries` (" in prompt.content
    assert "Table `orders` (" in prompt.content
    assert f"- {CONDITION}: 6 of the 7 values of deliveries" in prompt.content


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        pytest.param(
            "SELECT count(*) FROM orders JOIN deliveries USING (document_id)",
            "deliveries.document_id = orders.document_id",
            id="by what does not match",
        ),
        pytest.param(
            "SELECT count(DISTINCT order_number) FROM orders, deliveries",
            "the query sets nothing equal",
            id="by nothing",
        ),
        pytest.param(
            f"SELECT sum(amount) FROM orders JOIN deliveries ON {CONDITION}",
            "takes a row of orders several times",
            id="so that rows are summed up twice",
        ),
    ],
)
def test_a_query_that_joins_otherwise_goes_back(shop: KindTables, sql: str, said: str) -> None:
    model = replying([reply(sql), reply(PARCELS + CONDITION)])
    _, answer = converse_kinds(shop, BOTH, Asking(model))
    assert answer.rows == ((6,),)
    assert said in model.prompts[1].corrections[0].message


def test_what_no_column_of_both_holds_is_refused(shop: KindTables) -> None:
    model = replying([reply(None, "the driver")])
    _, answer = converse_kinds(shop, BOTH, Asking(model))
    assert answer.brief is not None
    assert answer.text.startswith("Not answered: no column holds the driver; it is about")


def test_a_model_says_which_kind_a_question_is_about_that_may_be_of_any(shop: KindTables) -> None:
    biggest = "SELECT max(amount) FROM orders"
    model = replying([reply(biggest), reply(biggest)])
    of, answer = converse_kinds(shop, "What was the biggest deal?", Asking(model))
    assert (of.name, answer.rows) == ("shop/orders", ((800,),))
    assert answer.denominator is not None
    both, one = model.prompts
    assert "Table `deliveries` (" in both.content
    assert "deliveries" not in one.content


def test_what_one_kind_holds_nothing_of_is_asked_of_all(shop: KindTables) -> None:
    nothing = "SELECT max(parcels) FROM deliveries WHERE parcels > 100"
    found = "SELECT amount FROM orders WHERE buyer = 'Acme'"
    model = replying([reply(nothing), reply(found), reply(found)])
    of, answer = converse_kinds(shop, "How much is the delivery for Acme?", Asking(model))
    assert (of.name, answer.rows) == ("shop/orders", ((100,),))
    kept = replying([reply(nothing), reply(nothing)])
    of, answer = converse_kinds(shop, "How much is the delivery for Acme?", Asking(kept))
    assert (of.name, answer.rows) == ("shop/deliveries", ((None,),))
