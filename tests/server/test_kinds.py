"""A folder of several kinds, queried as one by a client."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from tests.server.conftest import Connect
from tests.shop import BUYERS, CONDITION, write_shop

pytestmark = pytest.mark.anyio
INVOICE = "Invoice {n}\n\nInvoice no: {n}\nPaid: {n} EUR\n"
BOAT = "Boat {n}\n\nBoat name: B{n}\nLength: {n} m\n"
MATCH = "6 of the 7 values of deliveries and 6 of the 8 values of orders match"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Path:
    folder = write_shop(tmp_path_factory.mktemp("kinds") / "shop")
    ingest(folder, settings)
    return folder


async def test_the_schema_of_a_folder_has_the_tables_of_its_kinds_and_their_join(
    shop: Path, connect: Connect
) -> None:
    async with connect(shop) as client:
        page = (await client.call_tool("get_schema", {})).structured_content or {}
    assert (page["corpus"], page["table"], page["documents"]) == ("shop", "deliveries, orders", 16)
    assert page["notes"][0] == f"join on {CONDITION}: {MATCH}"
    heads = [line for line in page["columns"] if line.startswith("table ")]
    assert heads == [
        "table deliveries (document_id): 8 documents, a corpus of its own: shop/deliveries",
        "table orders (document_id): 8 documents, a corpus of its own: shop/orders",
    ]


async def test_a_join_of_two_kinds_says_who_finds_a_partner_and_what_is_repeated(
    shop: Path, connect: Connect
) -> None:
    sql = f"SELECT count(*), sum(amount) FROM orders JOIN deliveries ON {CONDITION}"
    async with connect(shop) as client:
        page = (await client.call_tool("run_sql", {"sql": sql})).structured_content or {}
    assert page["rows"] == [[7, 2200]]
    assert page["coverage"] == [
        "Over all 8 documents in deliveries, before conditions and joins; none is left out as"
        " unknown.",
        "Over all 8 documents in orders, before conditions and joins; none is left out as unknown.",
    ]
    assert page["notes"] == [
        "partners by deliveries.for_order = orders.order_number: 7 of the 8 rows of deliveries"
        " have one in orders; 6 of the 8 rows of orders have one in deliveries",
        "SUM(amount) takes a row of orders several times, as joins repeat it; with each"
        " once: 7 — 2100",
    ]


async def test_a_query_over_one_kind_is_as_one_of_its_own_corpus(
    shop: Path, connect: Connect
) -> None:
    sql = "SELECT buyer FROM orders WHERE amount > 700"
    async with connect(shop) as client:
        both = await client.call_tool("run_sql", {"sql": sql, "corpus": "shop"})
        own = await client.call_tool("run_sql", {"sql": sql, "corpus": "shop/orders"})
    assert both.structured_content == own.structured_content
    assert (both.structured_content or {})["rows"] == [["Harbor"]]


async def test_kinds_without_a_condition_between_them_are_told_what_matches(
    shop: Path, connect: Connect
) -> None:
    async with connect(shop) as client:
        sql = "SELECT count(*) FROM orders, deliveries"
        page = (await client.call_tool("run_sql", {"sql": sql})).structured_content or {}
        open_end = f"SELECT count(*) FROM orders JOIN deliveries ON {CONDITION} OR parcels > 7"
        part = (await client.call_tool("run_sql", {"sql": open_end})).structured_content or {}
        beside = (
            "SELECT count(*) FROM orders JOIN documents USING (document_id)"
            f" JOIN deliveries ON {CONDITION}"
        )
        joined = (await client.call_tool("run_sql", {"sql": beside})).structured_content or {}
        grouped = (
            "SELECT spent, n FROM (SELECT order_number AS k, sum(amount) AS spent FROM orders"
            " GROUP BY 1) JOIN (SELECT for_order AS k, count(*) AS n FROM deliveries GROUP BY 1)"
            " USING (k)"
        )
        summed = (await client.call_tool("run_sql", {"sql": grouped})).structured_content or {}
    assert summed["notes"][0].startswith(
        "partners by orders.order_number = deliveries.for_order: 6 of the 8 rows of orders"
    )
    assert page["rows"] == [[64]]
    assert f"no columns of two kinds are set equal here; {CONDITION}: {MATCH}" in page["notes"]
    told = "columns of two kinds are set equal in a part of a condition: no partners counted"
    assert told in part["notes"]
    assert [x for x in joined["notes"] if "document_id" in x] == []


async def test_a_question_over_two_kinds_gets_a_brief_with_both_tables_and_their_join(
    shop: Path, connect: Connect
) -> None:
    async with connect(shop) as client:
        listed = (await client.call_tool("list_corpora", {})).structured_content or {}
        asked = {"question": "How many orders have deliveries?"}
        page = (await client.call_tool("ask", asked)).structured_content or {}
        own = await client.call_tool("ask", {"question": "How many orders are there?"})
    assert "corpus='shop' in get_schema, run_sql and ask means all kinds" in listed["next"]
    assert (page["answered"], page["brief"]["table"]) == (False, "deliveries and orders")
    assert f"join on {CONDITION}: {MATCH}" in page["brief"]["rules"]
    assert any(line.startswith("buyer string") for line in page["brief"]["columns"])
    assert (own.structured_content or {})["rows"] == [[8]]


async def test_files_of_no_kind_are_found_and_told_by_all_tools(
    tmp_path: Path, connect: Connect, settings: Settings
) -> None:
    folder = write_shop(tmp_path / "shop")
    (folder / "letter.md").write_text("Dear all, remember that rain is expected everywhere.")
    (folder / "broken.pdf").write_bytes(b"no more")
    ingest(folder, settings)
    odd = "1 file of the folder in no table (like none of its kinds of documents, found by a"
    odd += " search of the folder): letter.md"
    unread = "1 file of the folder in no table (could not be read): broken.pdf"

    async with connect(folder) as client:

        async def call(tool: str, **asked: object) -> dict[str, Any]:
            return (await client.call_tool(tool, asked)).structured_content or {}

        listed = await call("list_corpora")
        schemas = [await call("get_schema", corpus=name) for name in ("shop", "shop/orders")]
        answers = [await call("ask", question="How many orders are there?", corpus=name)
                   for name in ("shop", "shop/orders")]  # fmt: skip
        counted = await call("run_sql", sql="SELECT count(*) FROM orders")
        found = await call("search_documents", query="rain expected")
        own = await call("search_documents", query="rain expected", corpus="shop/orders")
        [link] = [item["link"] for item in found["passages"]]
        text = (await client.read_resource(link)).contents[0]
        read = await call("get_document", document_id="letter.md")
    assert listed["next"].endswith(f"; shop: {odd}; shop: {unread}")
    for page in (*schemas, counted, own):
        assert {odd, unread} <= {*page["notes"]}
    for page in answers:
        assert {odd, unread} <= {*page["warnings"]}
    assert found["unreadable"] == ["broken.pdf"]
    searched = "what is of no kind: 1 passages of 1 documents match; 1 documents were searched"
    assert searched in found["notes"]
    assert link == "srag://shop/documents/letter.md"
    assert read["text"] in getattr(text, "text", "")


async def test_the_price_of_a_folder_of_kinds_names_each_for_the_next_call(
    tmp_path: Path, connect: Connect, settings: Settings
) -> None:
    folder = write_shop(tmp_path / "shop")
    ingest(folder, settings)
    async with connect(folder) as client:
        asked = {"engine": "agent", "wait_seconds": 50}
        page = (await client.call_tool("ingest_corpus", asked)).structured_content or {}
    assert page["state"] == "priced"
    assert page["next"].startswith(
        "nothing was published: call ingest_corpus with corpus='shop/deliveries', then"
        " 'shop/orders', engine='agent' and go=true"
    )


async def test_a_folder_of_kinds_is_searched_whole_by_turns(shop: Path, connect: Connect) -> None:
    async def found(client: Client, **asked: object) -> dict[str, Any]:
        return (await client.call_tool("search_documents", asked)).structured_content or {}

    async with connect(shop) as client:
        asked = {"query": "order number 24-4107 carrier swift", "narrow": False}
        whole = await found(client, **asked, limit=20)
        pages = [await found(client, **asked, limit=3)]
        while pages[-1]["truncated"]:
            pages.append(await found(client, **asked, limit=3, offset=pages[-1]["next_offset"]))
        some = await found(client, query="Acme", where="buyer = 'Acme'")
        own = await client.call_tool("search_documents", {"query": "Acme", "where": "colour = 1"})
    assert whole["total"] == len(whole["passages"]) == 16
    kinds = [item["link"].split("/")[3] for item in whole["passages"]]
    assert kinds == ["deliveries", "orders"] * 8
    assert [x for page in pages for x in page["passages"]] == whole["passages"]
    assert [len(page["passages"]) for page in pages] == [3, 3, 3, 3, 3, 1]
    assert whole["notes"] == [
        "shop/deliveries: 8 passages of 8 documents match; 8 documents were searched",
        "shop/orders: 8 passages of 8 documents match; 8 documents were searched",
    ]
    assert [item["document_id"] for item in some["passages"]] == ["o1.md"]
    assert "shop/deliveries was not searched: the SQL in where cannot be used" in some["notes"][0]
    assert own.is_error


async def test_what_several_kinds_have_is_asked_back(
    tmp_path: Path, connect: Connect, settings: Settings
) -> None:
    folder = write_shop(tmp_path / "shop")
    for path, buyer in zip(folder.glob("d*.md"), BUYERS, strict=True):
        path.write_text(f"{path.read_text()}- Buyer: {buyer}\n")
    ingest(folder, settings)
    async with connect(folder) as client:
        asked = {"column": "buyer"}
        several = await client.call_tool("trace_value", asked)
        one = await client.call_tool("trace_value", asked | {"document_id": "d1.md"})
    told = "several kinds of documents in shop have it; name one as corpus: shop/deliveries, "
    assert f"{told}shop/orders" in str(several.content[0])
    assert (one.structured_content or {})["corpus"] == "shop/deliveries"


async def test_what_only_one_kind_has_is_found_by_the_name_of_the_folder(
    shop: Path, connect: Connect
) -> None:
    async def call(name: str, **asked: object) -> dict[str, Any]:
        return (await client.call_tool(name, asked)).structured_content or {}

    async with connect(shop) as client:
        traced = await call("trace_value", column="buyer", value="Acme")
        row = await call("trace_value", document_id="d3.md")
        text = await call("get_document", document_id="o2.md")
        counted = await call("get_column_stats", columns=["parcels"])
        none = await client.call_tool("trace_value", {"column": "colour"})
    assert (traced["corpus"], [x["document_id"] for x in traced["sources"]]) == (
        "shop/orders",
        ["o1.md"],
    )
    assert row["corpus"] == "shop/deliveries"
    assert text["text"].startswith("# Order 24-4114")
    assert [x["column"] for x in counted["columns"]] == ["parcels"]
    assert "shop/orders: no column 'colour' in orders" in str(none.content[0])


async def test_where_several_corpora_are_served_an_answer_says_of_which_it_is(
    shop: Path, connect: Connect, tmp_path: Path, settings: Settings
) -> None:
    for name, words in (("bills", INVOICE), ("boats", BOAT)):
        for n in range(1, 9):
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / f"{n}.txt").write_text(words.format(n=n))
        ingest(tmp_path / name, settings)
    places = [tmp_path / "bills", tmp_path / "boats", shop]
    asked = {
        "How many invoices are there?": "bills",
        "What is the average length?": "boats",
        "How many orders are there?": "shop/orders",
    }
    both = "How many bills and how many boats are there?"
    async with connect(*places) as client:
        pages = [await client.call_tool("ask", {"question": question}) for question in asked]
        named = await client.call_tool("ask", {"question": next(iter(asked)), "corpus": "bills"})
        refused = await client.call_tool("ask", {"question": both})
    found = [page.structured_content or {} for page in pages]
    assert [page["corpus"] for page in found] == [*asked.values()]
    assert all(
        f"asked of {x}" in str(y.content) for x, y in zip(asked.values(), pages, strict=True)
    )
    assert "corpus" not in (named.structured_content or {})
    assert "may be about several corpora; pass one of these: bills, boats" in str(refused.content)


async def test_what_another_corpus_has_as_well_is_answered_of_none(
    connect: Connect, tmp_path: Path, settings: Settings
) -> None:
    boat = "Boat {n}\n\nBoat name: B{n}\nLength: {m} m\n"
    raft = "Raft {n}\n\nRaft name: R{n}\nDeck length: {m} m\nPole length: {k} m\n"
    for name, words in (("boats", boat), ("rafts", raft)):
        (tmp_path / name).mkdir()
        for n in range(1, 9):
            text = words.format(n=n, m=4 + n * n % 7, k=2 + n * n % 5)
            (tmp_path / name / f"{n}.txt").write_text(text)
        ingest(tmp_path / name, settings)
    asked = (
        "What is the average length?",
        "What is the average pole length?",
        "What is the average length of the boats?",
    )
    async with connect(tmp_path / "boats", tmp_path / "rafts") as client:
        pages = [await client.call_tool("ask", {"question": question}) for question in asked]
    said = "this question may be about several corpora; pass one of these: boats, rafts"
    assert pages[0].is_error
    assert said in str(pages[0].content)
    found = [page.structured_content or {} for page in pages[1:]]
    assert [(x["corpus"], x["answered"]) for x in found] == [("rafts", True), ("boats", True)]
