"""Who may ask the page, and what it does: real HTTP to a real server."""

import hashlib
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from srag_mcp.page.page_server import TOKEN_HEADER, make_pages
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.kind_tables import open_kinds
from srag_mcp.store.layout import CorpusFolder
from tests.page.conftest import TOKEN, Page, serving

READS = ("corpus", "rows", "cells?ids=[]", "spreads", "document?id=tern.txt", "worklists",
         "entries?kind=gaps", "search?query=boat")  # fmt: skip


def state_of(folder: Path) -> dict[str, str]:
    """Return the hash of each file of a corpus."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_its_files_hold_nothing_of_the_corpus_and_need_no_token(page: Page) -> None:
    for path, kind in (("/", "html"), ("/page.css", "css"), ("/page.js", "javascript")):
        answer = page.client.get(path)
        assert (answer.status_code, kind in answer.headers["content-type"]) == (200, True)
        assert "Sea Wolf" not in answer.text


@pytest.mark.parametrize("path", READS)
def test_what_is_of_the_corpus_needs_the_token(page: Page, path: str) -> None:
    assert page.get(f"/api/{path}").status_code == 200
    for wrong in ("", "x", TOKEN[:-1], TOKEN + "x"):
        refused = page.get(f"/api/{path}", **{TOKEN_HEADER: wrong})
        assert (refused.status_code, "the token is missing" in refused.text) == (403, True)
    assert page.client.get(f"/api/{path}").status_code == 403
    in_address = page.client.get(f"/api/{path}", params={"token": TOKEN})
    assert in_address.status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example"]
)
def test_a_foreign_host_is_misdirected(page: Page, host: str) -> None:
    for path in ("/", "/api/corpus"):
        assert page.get(path, Host=host).status_code == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:1", "file://"]
)
def test_pages_of_other_origins_are_forbidden_even_with_the_token(page: Page, origin: str) -> None:
    assert page.get("/api/corpus", Origin=origin).status_code == 403
    assert page.post("/api/sql", {"sql": "SELECT 1"}, Origin=origin).status_code == 403
    assert page.post("/api/sql", {"sql": "SELECT 1"}, Origin=page.url).status_code == 200


def test_a_preflight_is_not_answered(page: Page) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Origin": "https://evil.example"}
    answer = page.client.options("/api/correct", headers=asked)
    assert answer.status_code == 403
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_nothing_changes_by_get(page: Page, ingested: Path) -> None:
    before = state_of(ingested)
    for path in READS:
        page.get(f"/api/{path}")
    for path in ("correct", "names", "ask", "sql"):
        asked = "document_id=tern.txt&column=crew&do=value&value=3&question=How+many&sql=SELECT+1"
        assert page.get(f"/api/{path}?{asked}").status_code == 405
    for path in READS:
        assert page.post(f"/api/{path}", {}).status_code == 405
    assert state_of(ingested) == before


def test_a_form_of_another_page_cannot_be_sent(page: Page) -> None:
    headers = {TOKEN_HEADER: TOKEN, "Content-Type": "text/plain"}
    answer = page.client.post("/api/sql", content='{"sql": "SELECT 1"}', headers=headers)
    assert answer.status_code == 415


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml", "/%2e%2e/page_server.py", "/page.js/../page_server.py",
        "/page_server.py", "/.srag/state.sqlite", "//etc/passwd", "/static/../../etc/passwd",
        "/api/../page_server.py", "/api/", "/api/token",
    ],
)  # fmt: skip
def test_no_path_leads_out(page: Page, path: str) -> None:
    request = page.client.build_request("GET", "/", headers={TOKEN_HEADER: TOKEN})
    request.url = request.url.copy_with(raw_path=path.encode())
    assert page.client.send(request).status_code == 404


@pytest.mark.parametrize("name", ["../tern.txt", "/etc/passwd", "a b/../tern.txt", "%2e%2e/x"])
def test_no_document_is_read_but_from_the_build(page: Page, name: str) -> None:
    answer = page.get(f"/api/document?id={name}")
    assert (answer.status_code, "no document" in answer.json()["error"]) == (400, True)


def test_what_is_wrong_is_said(page: Page) -> None:
    for path, status, said in (
        ("rows?table=cells", 400, "there is no table 'cells'; tables: boats"),
        ("rows?sort=x", 400, "there is no column 'x'"),
        ("rows?limit=100000", 422, "less than or equal to 500"),
        ("rows?filters=[", 422, "cannot be read"),
        ("rows?nonsense=1", 422, "Extra inputs"),
        ("search?query=%20", 400, "the query has no words"),
    ):
        answer = page.get(f"/api/{path}")
        assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text
    wrong = page.post("/api/sql", {"sql": "DROP TABLE boats"})
    assert (wrong.status_code, "SELECT" in wrong.json()["error"]) == (400, True)
    assert page.post("/api/sql", {"sql": "x" * 300_000}).status_code == 413
    broken = {TOKEN_HEADER: TOKEN, "Content-Type": "application/json"}
    for content in ("{", "[" * 100_000, '"x"'):
        answer = page.client.post("/api/sql", content=content, headers=broken)
        assert answer.status_code == 422


def test_every_answer_forbids_what_a_document_could_do(page: Page) -> None:
    for answer in (page.get("/"), page.get("/nowhere"), page.get("/api/rows"), page.get("/api/x")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


def test_a_question_and_a_query_are_answered(page: Page) -> None:
    answer = page.post("/api/ask", {"question": "How many boats are in Kiel?"}).json()
    assert (answer["answered"], answer["rows"]) == (True, [[2]])
    assert "SELECT" in answer["sql"]
    assert "7 documents" in answer["denominator"]
    rows = page.post("/api/sql", {"sql": "SELECT max(length) AS m FROM boats"}).json()
    assert (rows["columns"], rows["rows"]) == (["m"], [[31.5]])
    refused = page.post("/api/ask", {"question": "Why?"}).json()
    assert refused["brief"]["table"] == "boats"
    passages = page.get("/api/search?query=Petrel").json()
    assert passages["passages"][0]["document_id"] == "petrel.md"


def test_a_correction_is_published_and_seen_at_once(boats: Path, settings: Settings) -> None:
    with serving(boats, settings) as page:
        place = {"document_id": "petrel.md", "column": "crew"}
        done = page.post("/api/correct", {**place, "do": "value", "value": "5"})
        assert done.json() == {"said": "crew of petrel.md: 5 instead of not_mentioned; published"}
        asked = "/api/rows?search=petrel"
        assert page.get(asked).json()["rows"] == [
            ["petrel.md", "Petrel", "Brest Limited", 9.0, 2011, 5]
        ]
        assert page.get("/api/corpus").json()["corrected"] == 1
        wrong = page.post("/api/correct", {**place, "do": "value", "value": "many"})
        assert (wrong.status_code, "does not fit crew" in wrong.text) == (400, True)
        page.post("/api/correct", {**place, "do": "undo"})
        assert page.get("/api/corpus").json()["corrected"] == 0


def test_each_kind_of_a_folder_has_a_page_behind_the_same_token(
    tmp_path: Path, settings: Settings
) -> None:
    folder = tmp_path / "sea"
    folder.mkdir()
    for n in range(1, 7):
        boat = f"# Boat {n}\n\n- Berth: {n}\n- Hull: wood\n- Skipper: sailor {n}\n"
        (folder / f"b{n}.md").write_text(boat)
        lesson = f"# Lesson {n}\n\n- Pupil: child {n}\n- Strokes: {n}\n- Badge: bronze\n"
        (folder / f"c{n}.md").write_text(lesson)
    ingest(folder, settings)
    kinds = CorpusFolder(folder, settings.home).kinds()
    with QueryPool() as pool:
        found = open_kinds("sea", kinds, pool, settings.home)
        pages = make_pages(found.corpora, settings, TOKEN)
        routes = [Mount(path, page) for path, page in pages.items()]
        client, key = TestClient(Starlette(routes=routes)), {TOKEN_HEADER: TOKEN}
        for name in ("boats", "lessons"):
            assert client.get(f"/{name}/").status_code == 200
            assert client.get(f"/{name}/api/corpus").status_code == 403
            said = client.get(f"/{name}/api/corpus", headers=key).json()
            assert (said["name"], said["kinds"]) == (f"sea/{name}", ["boats", "lessons"])
