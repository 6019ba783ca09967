"""The page as one file: it needs no network and no server, and can be read, not changed."""

import base64
import hashlib
import json
import re
from pathlib import Path

from srag_mcp.page.page_server import POLICY
from srag_mcp.page.record_rows import (
    MAX_ROWS,
    RowsWanted,
    TableWanted,
    count_spreads,
    find_rows,
    record_tables,
)
from srag_mcp.page.shown_facts import describe_corpus, find_cells, read_file
from srag_mcp.page.worklists import EntriesWanted, count_entries, find_entries
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.layout import put_in_place
from srag_mcp.views.results import json_size, printable_value

MAX_CHARACTERS = 20_000_000  # of rows and quotes: what a browser opens in a second or two
MAX_ENTRIES = 200
ENDINGS = (".html", ".htm")
# What could end the element that holds it, or begin another.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def write_page(corpus: Corpus, out: Path) -> str:
    """Write the page with as many rows as there is room for; say which there are."""
    room, said = MAX_CHARACTERS, list[str]()
    tables: dict[str, object] = {}
    for table in record_tables(corpus):
        rows, total, room = _take_rows(corpus, table, room)
        spreads = count_spreads(corpus, TableWanted(table=table))
        tables[table] = {"rows": rows, "total": total, "spreads": spreads}
        said.append(f"{len(rows):,} of {total:,} rows of {table}")
    counts = count_entries(corpus)
    data = {
        "corpus": describe_corpus(corpus) | {"can_change": False},
        "tables": tables,
        "worklists": counts,
        "entries": {
            kind: find_entries(corpus, EntriesWanted(kind=kind, limit=MAX_ENTRIES))
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
        page = RowsWanted(table=table, offset=len(taken), limit=MAX_ROWS)
        found = find_rows(corpus, page)
        total = found["total"] or 0
        ids = [str(row[0]) for row in found["rows"]]
        cells = find_cells(corpus, list(dict.fromkeys(ids)))
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
    style, script = read_file("page.css"), read_file("page.js")
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
        "|".join(map(re.escape, put)), lambda found: put[found[0]], read_file("page.html")
    )
