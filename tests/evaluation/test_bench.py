"""The bench: what is copied of a pack, and what becomes of its questions."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.bench import Outcome, QuestionResult, ask_questions, open_bench
from srag_mcp.evaluation.pack import Expected, Pack, PackQuestion, read_gold_schema, read_pack
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.brief import Brief
from srag_mcp.settings import Settings
from srag_mcp.store.guard import Value

OFFLINE = Settings(engine="offline", workers=1)
BRIEF = Brief("why", (), "boats", (), ())


def question(key: str, answer: Expected = 2, table: str | None = None) -> PackQuestion:
    return PackQuestion(key, "How many?", answer, "number", "count", table=table)


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    folder = tmp_path / "boats"
    for name in ("a.txt", "deep/b.txt", "c.txt", ".hidden", ".srag/schema.json"):
        path = folder / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Name: {name}\n", encoding="utf-8")
    (folder / "documents" / "away.txt").symlink_to(tmp_path / "elsewhere.txt")
    (tmp_path / "elsewhere.txt").write_text("Name: away\n", encoding="utf-8")
    gold = {"a.txt": {"name": "a.txt"}, "b": {"name": "b"}}
    return Pack(folder, "boats", ("name",), gold, (), (), source=folder / "documents")


def copied(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_what_is_hidden_or_a_link_is_not_copied(pack: Pack, tmp_path: Path) -> None:
    with open_bench(OFFLINE, tmp_path / "work") as bench:
        folder = bench.lay_out(pack)

        assert folder == (tmp_path / "work" / "boats").resolve()
        assert copied(folder) == ["a.txt", "c.txt", "deep/b.txt"]
        assert bench.settings.home == (tmp_path / "work" / "home").resolve()


def test_of_a_part_only_what_gold_names_is_copied(pack: Pack, tmp_path: Path) -> None:
    part = replace(pack, is_part=True)
    with open_bench(OFFLINE, tmp_path / "work") as bench:
        folder = bench.lay_out(part)
        bench.lay_out(part)  # again, as where an evaluation goes on

        assert copied(folder) == ["a.txt", "deep/b.txt"]


def test_texts_of_a_pack_are_written_beside_its_files(pack: Pack, tmp_path: Path) -> None:
    with open_bench(OFFLINE, tmp_path / "work") as bench:
        folder = bench.lay_out(replace(pack, texts={"d.md": "# Größe"}))
        assert copied(folder) == ["a.txt", "c.txt", "d.md", "deep/b.txt"]
        only = bench.lay_out(replace(pack, name="dinghies", source=None, texts={"d.md": "# Größe"}))

    assert copied(only) == ["d.md"]
    assert (only / "d.md").read_text(encoding="utf-8") == "# Größe"


def test_a_bench_without_a_place_leaves_none(pack: Pack) -> None:
    with open_bench(OFFLINE) as bench:
        folder = bench.lay_out(pack)
        assert folder.is_dir()

    assert not folder.exists()


def test_a_table_that_cannot_be_ingested_refuses_its_questions(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "empty.csv").touch()
    asked = (question("a", (2,), "empty.csv"), question("b", None, "empty.csv"))
    pack = Pack(tmp_path.resolve(), "tables", (), {}, asked, ())
    with open_bench(OFFLINE) as bench:
        [(corpus, questions)] = bench.tables(pack)

    assert (corpus, questions) == (None, list(asked))
    assert "empty.csv was not ingested, its questions count as refused" in caplog.text
    outcomes = [(item.outcome, item.is_answered) for item in ask_questions(None, questions)]
    assert outcomes == [("refused", False), ("right", False)]


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        (((2,),), 2),
        (((2,), (3,)), [2, 3]),
        ((("Rome", 2),), [["Rome", 2]]),
        ((("Rome", 2), ("Oslo", 3)), [["Rome", 2], ["Oslo", 3]]),
        ((), []),
        (((None,),), None),
    ],
)
def test_a_single_value_stands_for_its_row_and_its_list(
    rows: tuple[tuple[Value, ...], ...], shown: object
) -> None:
    answer = Answer("How many?", "2", rows=rows, sql="SELECT 2")

    written = QuestionResult(question("q"), "wrong", answer).to_json()
    assert (written["sql"], written["answer"], written["expected"]) == ("SELECT 2", shown, 2)


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        ("refused", None),
        ("refused", Answer("?", "no", brief=BRIEF)),
        ("failed", Answer("?", "2", rows=((2,),), sql="SELECT 2")),
    ],
)
def test_what_was_refused_or_failed_has_no_answer_to_compare(
    outcome: Outcome, answer: Answer | None
) -> None:
    result = QuestionResult(question("q"), outcome, answer)

    assert not result.is_answered
    assert (result.to_json()["answer"], result.to_json()["sql"]) == (None, "")


def test_a_pack_without_gold_has_no_schema(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    line = {"id": "q", "question": "How many?", "answer": 2}
    (tmp_path / "questions.jsonl").write_text(json.dumps(line), encoding="utf-8")

    with pytest.raises(PackError, match=r"has neither schema.json nor gold.csv"):
        read_gold_schema(read_pack(tmp_path))
