"""Documents that are not to be trusted, and the page over them on a real server."""

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import uvicorn

from srag_mcp import open_corpus
from srag_mcp.page.page_server import TOKEN_HEADER, make_page
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.schema.attribute import Attribute, KeyRule
from srag_mcp.schema.schema import Schema
from srag_mcp.server.loopback import OnlyFromHere, PatientProtocol
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus

ACTING = "<img src=x onerror=\"document.title='owned'\">"
SCRIPT = "</script><script>document.title='owned'</script>"
TOKEN = "the-token-of-the-tests"
BOATS = (
    (f"{ACTING[:10]}boat.txt", f"Sea Wolf {ACTING}", SCRIPT, "12.5", "1987", "4"),
    ("tern.txt", "Tern", "Bergen", "8.25", "1999", "2"),
    ("a b/ü.txt", "Übermut", "Kiel", "15", "2004", "6"),
    ("a b/juno.md", "Juno \u202e\u200b", "Kiel", "22.75", "1975", "9"),
    ("petrel.md", "Petrel", "Brest Ltd", "9", "2011", ""),
    ("gale.txt", "Gale", "Brest Limited", "31.5", "", "12"),
    ("moth.txt", "Moth", "Bergen", "6.5", "2019", "1"),
)
"""Path, name, harbour, length, year, crew; each is a document of such lines."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is served, and how to ask it."""

    url: str
    corpus: Corpus
    client: httpx2.Client

    @property
    def address(self) -> str:
        """What the command prints."""
        return f"{self.url}/#token={TOKEN}"

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return self.client.get(path, headers={TOKEN_HEADER: TOKEN} | headers)

    def post(self, path: str, body: object, **headers: str) -> httpx2.Response:
        return self.client.post(path, json=body, headers={TOKEN_HEADER: TOKEN} | headers)


def _attribute(name: str, kind: str, unit: str | None = None) -> Attribute:
    return Attribute(
        name=name,
        type=kind,
        unit=unit,
        description=f"The {name} of the boat. {ACTING}",
        extractors=(KeyRule(keys=(name,)),),
    )


SCHEMA = Schema(
    title=f"Boat {ACTING}",
    entity="boats",
    nouns=("boat",),
    attributes=(
        _attribute("name", "string"),
        _attribute("harbour", "string"),
        _attribute("length", "number", "m"),
        _attribute("built", "integer"),
        _attribute("crew", "integer"),
    ),
)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(workers=1, home=tmp_path_factory.mktemp("home"), engine="offline")


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "boats"
    for path, name, harbour, length, built, crew in BOATS:
        lines = [f"# Report {ACTING}", "", f"Name: {name}", f"Harbour: {harbour}"]
        lines.append(f"Length: {length} m")
        lines += [f"{key}: {value}" for key, value in (("Built", built), ("Crew", crew)) if value]
        lines += ["", "Crew: 13"] if path == "gale.txt" else []  # it contradicts itself
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ingest(folder, settings, schema=SCHEMA)
    return folder


@pytest.fixture
def boats(ingested: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder, which a test may change."""
    return Path(shutil.copytree(ingested, tmp_path / "boats"))


@contextmanager
def serving(folder: Path, settings: Settings) -> Iterator[Page]:
    """Serve the page over a folder as the command does, on a thread."""
    with open_corpus(folder, settings) as corpus, socket.create_server(("127.0.0.1", 0)) as socket_:
        app = OnlyFromHere(make_page(corpus, settings, TOKEN))
        config = uvicorn.Config(app, http=PatientProtocol, ws="none", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([socket_],))
        thread.start()
        url = f"http://127.0.0.1:{socket_.getsockname()[1]}"
        try:
            with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
                yield Page(url, corpus, client)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def page(ingested: Path, settings: Settings) -> Iterator[Page]:
    """Serve the shared folder, which no test changes."""
    with serving(ingested, settings) as served:
        yield served
