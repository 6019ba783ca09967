"""The page as one file: what it holds, and that nothing of a document can act in it."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from srag_mcp.page import page_server
from srag_mcp.page.page_server import write_page
from tests.page.conftest import SCRIPT, Page


def data_of(out: Path) -> Any:  # noqa: ANN401 - JSON
    [text] = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', out.read_text("utf-8")
    )
    return json.loads(text)


def test_it_holds_rows_quotes_and_lists(page: Page, tmp_path: Path) -> None:
    out = tmp_path / "boats.html"
    assert write_page(page.corpus, out) == f"7 of 7 rows of boats written to {out}"
    data = data_of(out)
    assert data["corpus"]["can_change"] is False
    rows = data["tables"]["boats"]["rows"]
    row, cells = next(item for item in rows if item[0][0] == "tern.txt")
    assert row == ["tern.txt", "Tern", "Bergen", 8.25, 1999, 2]
    assert [cell["as_stated"] for cell in cells] == ["Tern", "Bergen", "8.25 m", "1999", "2"]
    assert [item["column"] for item in data["entries"]["suspects"]] == ["crew"]
    assert list(tmp_path.iterdir()) == [out]


def test_no_text_of_a_document_ends_the_data_or_begins_a_script(page: Page, tmp_path: Path) -> None:
    out = tmp_path / "boats.html"
    write_page(page.corpus, out)
    text = out.read_text(encoding="utf-8")
    assert SCRIPT not in text
    assert text.count("<script") == text.count("</script>") == 2
    assert "owned" in text  # as data


def test_its_policy_allows_its_own_style_and_script_and_nothing_else(
    page: Page, tmp_path: Path
) -> None:
    out = tmp_path / "boats.html"
    write_page(page.corpus, out)
    text = out.read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert text.index("Content-Security-Policy") < text.index("<style>")
    for kind in ("style", "script"):
        [held] = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(held.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy[1]
    assert "connect-src" not in policy[1]
    assert "default-src 'none'" in policy[1]


def test_of_more_rows_than_there_is_room_for_it_says_how_many(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "boats.html"
    monkeypatch.setattr(page_server, "MAX_CHARACTERS", 3_000)
    said = write_page(page.corpus, out)
    data = data_of(out)
    n_rows = len(data["tables"]["boats"]["rows"])
    assert 0 < n_rows < 7
    assert said.startswith(f"{n_rows} of 7 rows of boats")
    assert data["tables"]["boats"]["total"] == 7
