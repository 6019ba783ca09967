"""The page as served on this computer: who may ask, what is read, what is changed.

Documents are not to be trusted, and neither are other pages that the browser shows. Files of the
page are for all, and have nothing of the corpus. Whatever has asks for a token in a header, which
no other page can send; it is in the address behind `#`, which a browser sends to nobody.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import anyio.to_thread
from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from srag_mcp.errors import SragError
from srag_mcp.page import shown_facts as facts
from srag_mcp.server.loopback import LOOPBACK, listen, serve_app
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.layout import put_in_place
from srag_mcp.text.shown import printable
from srag_mcp.views.results import cut_middle, for_terminal, json_size, printable_value

API = "/api/"
FILES = {"/": ("page.html", "text/html"), "/page.css": ("page.css", "text/css"),
         "/page.js": ("page.js", "text/javascript")}  # fmt: skip
TOKEN_HEADER = "x-srag-token"
MAX_BODY = 200_000
MAX_ERROR_CHARACTERS = 3_000
POLICY = (
    "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
"""What a browser lets the page do, but for its own files; it can make no markup of a text."""
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; script-src 'self'; style-src 'self'; connect-src 'self';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


Endpoint: TypeAlias = tuple[type[BaseModel], Callable[..., object]]
"""What is asked for, as a request must say it, and what answers."""


class Nothing(BaseModel, extra="forbid"):
    """A request without arguments."""


def make_page(corpus: Corpus, settings: Settings, token: str, kinds: Sequence[str] = ()) -> ASGIApp:
    """Make the application: files of the page, what GET reads, and what POST asks or changes.

    *kinds*: what the pages beside it are called, of which it is one.
    """
    reads: dict[str, Endpoint] = {
        "corpus": (Nothing, lambda _: facts.describe_corpus(corpus) | {"kinds": kinds}),
        "rows": (facts.RowsWanted, partial(facts.find_rows, corpus)),
        "cells": (facts.CellsWanted, partial(facts.find_marked_cells, corpus)),
        "spreads": (facts.TableWanted, partial(facts.count_spreads, corpus)),
        "document": (facts.DocumentWanted, partial(facts.show_document, corpus)),
        "worklists": (Nothing, lambda _: facts.count_entries(corpus)),
        "entries": (facts.EntriesWanted, partial(facts.find_entries, corpus)),
        "search": (facts.SearchWanted, partial(facts.find_passages, corpus, settings)),
    }
    one_by_one = threading.Lock()

    def change(decide: Callable[..., object]) -> Callable[..., object]:
        def run(said: BaseModel) -> object:
            with one_by_one:
                return decide(corpus, settings, said)

        return run

    changes: dict[str, Endpoint] = {
        # a question is kept with its answer, so that it can be called wrong
        "ask": (facts.Question, partial(facts.answer_question, corpus, settings)),
        "sql": (facts.Query, partial(facts.run_query, corpus, settings)),
        "correct": (facts.CellDecision, change(facts.decide_cell)),
        "names": (facts.NameDecision, change(facts.decide_name)),
    }
    routes = [
        Route(path, partial(_send_file, name, kind), methods=["GET"])
        for path, (name, kind) in FILES.items()
    ]
    for way, endpoints in (("GET", reads), ("POST", changes)):
        for name, endpoint in endpoints.items():
            routes.append(Route(f"{API}{name}", partial(_answer, endpoint), methods=[way]))
    return OnlyThisPage(Starlette(routes=routes), token)


def make_pages(corpora: Sequence[Corpus], settings: Settings, token: str) -> dict[str, ASGIApp]:
    """Make the page of each corpus, by its path; several are kinds of one folder, and linked."""
    names = [corpus.name.rpartition("/")[2] for corpus in corpora]
    if len(corpora) == 1:
        return {"": make_page(corpora[0], settings, token)}
    return {
        f"/{name}": make_page(corpus, settings, token, names)
        for name, corpus in zip(names, corpora, strict=True)
    }


def serve_page(
    corpora: Sequence[Corpus], settings: Settings, port: int, on_ready: Callable[[str], None]
) -> None:
    """Serve the pages of *corpora* on *port*, on a free one if 0, until the process is ended.

    *on_ready* is given its address when a browser may ask for it.

    Raises:
        SettingsError: If the port cannot be used.
    """
    token = secrets.token_urlsafe(32)
    listening = listen(port)
    pages = make_pages(corpora, settings, token)
    first = quote(next(iter(pages)))
    on_ready(f"http://{LOOPBACK}:{listening.getsockname()[1]}{first}/#token={token}")
    serve_app(Starlette(routes=[Mount(path, page) for path, page in pages.items()]), listening)


class OnlyThisPage:
    """Answers the page itself: what is of no other origin and, but for its files, has the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with 403, or pass the request on; what is sent has the headers of the page."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        said = Headers(scope=scope)
        refusal = ""
        if said.get("origin", (own := f"http://{said.get('host')}")) != own:
            refusal = "this is no request of the page itself"
        elif scope["path"].removeprefix(scope.get("root_path", "")).startswith(API):
            token = said.get(TOKEN_HEADER, "").encode("latin-1")
            if not hmac.compare_digest(token, self._token):
                refusal = "open the whole address that the command printed: the token is missing"
        if refusal:
            await JSONResponse({"error": refusal}, 403)(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)


async def _send_file(name: str, kind: str, _: Request) -> Response:
    return Response(facts.read_file(name), media_type=kind)


async def _answer(endpoint: Endpoint, request: Request) -> Response:
    """Answer with JSON: what was asked for, or `{"error": …}` and a status of 400 to 422."""
    model, work = endpoint
    try:
        said: object = dict(request.query_params)
        if request.method == "POST":  # a form of another page cannot send this type
            if request.headers.get("content-type") != "application/json":
                return JSONResponse({"error": "the body must be application/json"}, 415)
            body = await _read_body(request)
            if body is None:
                return JSONResponse({"error": f"more than {MAX_BODY} bytes"}, 413)
            said = json.loads(body)
        wanted = model.model_validate(said)
    except (ValidationError, ValueError, RecursionError) as error:
        return JSONResponse({"error": f"this cannot be read: {error}"[:MAX_ERROR_CHARACTERS]}, 422)

    try:
        found = await anyio.to_thread.run_sync(lambda: printable_value(work(wanted)))
        return JSONResponse(found)
    except SragError as error:
        text = for_terminal(cut_middle(printable(str(error)), MAX_ERROR_CHARACTERS))
        return JSONResponse({"error": text}, 400)


async def _read_body(request: Request) -> bytes | None:
    """Return the body; None where it is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return body


MAX_CHARACTERS = 20_000_000  # of rows and quotes: what a browser opens in a second or two
MAX_ENTRIES = 200
ENDINGS = (".html", ".htm")
# What could end the element that holds it, or begin another.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def write_page(corpus: Corpus, out: Path) -> str:
    """Write the page with as many rows as there is room for; say which there are."""
    room, said = MAX_CHARACTERS, list[str]()
    tables: dict[str, object] = {}
    for table in facts.record_tables(corpus):
        rows, total, room = _take_rows(corpus, table, room)
        spreads = facts.count_spreads(corpus, facts.TableWanted(table=table))
        tables[table] = {"rows": rows, "total": total, "spreads": spreads}
        said.append(f"{len(rows):,} of {total:,} rows of {table}")
    counts = facts.count_entries(corpus)
    data = {
        "corpus": facts.describe_corpus(corpus) | {"can_change": False},
        "tables": tables,
        "worklists": counts,
        "entries": {
            kind: facts.find_entries(corpus, facts.EntriesWanted(kind=kind, limit=MAX_ENTRIES))
            for kind in counts
        },
    }
    text = json.dumps(printable_value(data), ensure_ascii=False, separators=(",", ":"))
    temporary = out.with_name(f".{out.name}.tmp")
    temporary.write_text(_assemble(text.translate(_ESCAPED)), encoding="utf-8")
    put_in_place(temporary, out)
    return f"{', '.join(said)} written to {out}"


def _take_rows(corpus: Corpus, table: str, room: int) -> tuple[list[object], int, int]:
    """Return rows with the cells of their documents, how many there are, and the room left."""
    taken: list[object] = []
    while True:
        page = facts.RowsWanted(table=table, offset=len(taken), limit=facts.MAX_ROWS)
        found = facts.find_rows(corpus, page)
        total = found["total"] or 0
        ids = [str(row[0]) for row in found["rows"]]
        cells = facts.find_cells(corpus, list(dict.fromkeys(ids)))
        for document_id, row in zip(ids, found["rows"], strict=True):
            # a row of a list shows its own cells
            own = [cell for cell in cells[document_id] if cell.get("table_name", table) == table]
            entry = [row, own]
            room -= json_size(printable_value(entry))
            if room < 0:
                return taken, total, 0
            taken.append(entry)
        if len(taken) >= total:
            return taken, total, room


def _assemble(data: str) -> str:
    """Put style, script and data into the page, and let a browser run nothing else."""
    style, script = facts.read_file("page.css"), facts.read_file("page.js")
    policy = POLICY
    for kind, text in (("style", style), ("script", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        policy += f"; {kind}-src 'sha256-{digest}'"
    put = {
        "<head>": f'<head><meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<link rel="stylesheet" href="page.css">': f"<style>{style}</style>",
        '<script src="page.js" defer></script>': "",
        "</body>": f'<script type="application/json" id="data">{data}</script>'
        f"<script>{script}</script></body>",
    }
    # one pass: what is put in is not looked at again
    return re.sub(
        "|".join(map(re.escape, put)), lambda found: put[found[0]], facts.read_file("page.html")
    )
