"""Packs: what is read, and what is missing or malformed by file and line."""

import json
from pathlib import Path

import pytest

from srag_mcp.errors import PackError
from srag_mcp.evaluation.pack import Pack, PackQuestion, read_gold_schema, read_pack
from srag_mcp.schema.attribute import Attribute

QUESTION = {"id": "q1", "question": "How many?", "answer": 2, "kind": "count", "tolerance": 0.1}


def write_pack(folder: Path, questions: str | None = None, gold: str | None = None) -> Path:
    (folder / "documents").mkdir()
    (folder / "questions.jsonl").write_text(
        json.dumps(QUESTION) if questions is None else questions, encoding="utf-8"
    )
    if gold is not None:
        (folder / "gold.csv").write_text(gold, encoding="utf-8")
    return folder


def test_a_pack_is_read_as_a_whole(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, gold="document,price,day\na.txt,9.50,2020-01-02\nb.txt,,\n")
    (folder / "sample_questions.txt").write_text("How many?\n\n# note\n", encoding="utf-8")
    assert read_pack(folder) == Pack(
        folder=folder.resolve(),
        name=folder.name,
        fields=("price", "day"),
        gold={"a.txt": {"price": "9.50", "day": "2020-01-02"}, "b.txt": {"price": "", "day": ""}},
        questions=(PackQuestion("q1", "How many?", 2, "number", "count", 0.1),),
        sample_questions=("How many?",),
        source=folder.resolve() / "documents",
    )


def test_lists_and_unanswerable_questions_are_recognised(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "?", "answer": ["x", "y"], "ordered": True},
        {"id": "b", "question": "?", "answer": None},
    ]
    pack = read_pack(write_pack(tmp_path, "\n".join(map(json.dumps, lines))))
    assert [(item.answer, item.answer_type, item.kind) for item in pack.questions] == [
        (("x", "y"), "list", "other"),
        (None, "unanswerable", "other"),
    ]
    assert not pack.of_tables


def test_a_single_answer_about_a_table_is_a_list_of_one(tmp_path: Path) -> None:
    line = {"id": "c", "question": "?", "answer": "1", "table": "tables/1.csv"}
    pack = read_pack(write_pack(tmp_path, json.dumps(line)))
    assert [(item.answer, item.kind) for item in pack.questions] == [(("1",), "table")]
    assert pack.of_tables


def test_documents_and_pages_that_hold_the_answer_make_a_pack_of_retrieval(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "?", "documents": ["x.pdf"],
         "evidence": [{"page": 0, "text": "…"}, {"page": 4}, {"page": 4}]},
        {"id": "b", "question": "?", "answer": "so", "documents": ["x.pdf", "y.pdf"],
         "evidence": [{"page": 9, "document": "y.pdf"}]},
        {"id": "c", "question": "?", "answer": 1},
    ]  # fmt: skip
    pack = read_pack(write_pack(tmp_path, "\n".join(map(json.dumps, lines))))
    assert pack.of_retrieval
    assert [(item.documents, item.evidence) for item in pack.questions] == [
        (("x.pdf",), (("x.pdf", 1), ("x.pdf", 5))),
        (("x.pdf", "y.pdf"), (("y.pdf", 10),)),
        ((), ()),
    ]
    (tmp_path / "gold.csv").write_text("document,n\nx.pdf,1\n", encoding="utf-8")
    assert not read_pack(tmp_path).of_retrieval


def test_a_page_of_one_of_several_documents_says_of_which(tmp_path: Path) -> None:
    line = QUESTION | {"documents": ["x.pdf", "y.pdf"], "evidence": [{"page": 1}]}
    with pytest.raises(PackError, match=r"questions.jsonl, line 1: not a question"):
        read_pack(write_pack(tmp_path, json.dumps(line)))


@pytest.mark.parametrize(
    ("questions", "gold", "message"),
    [
        ("{", None, "questions.jsonl, line 1"),
        ('{"id": 1, "question": "?"}', None, "questions.jsonl, line 1"),
        (json.dumps(QUESTION) + "\n[]", None, "questions.jsonl, line 2"),
        ("", None, "nothing to compare with"),
        ("", "name,price\na,1\n", "gold.csv, line 1, needs a column 'document'"),
        ("", 'document,price\n"a,1\n', "gold.csv, line 1, is not CSV"),
        ("", "", "gold.csv, line 1, needs a column 'document'"),
        ("", "document,price\n", "nothing to compare with"),
        ("", "document,price\na,1\nb,2,3\n", "gold.csv, line 3, has another number of cells"),
        ("", "document,price\na,1\nb\n", "gold.csv, line 3, has another number of cells"),
        ("", "document,price\na,1\na,2\n", "gold.csv, line 3, names 'a' for the second time"),
        ("", "document,price,price\na,1,2\n", "gold.csv, line 1, .* no column twice"),
        (json.dumps(QUESTION) + "\n" + json.dumps(QUESTION), None, "line 2: the id 'q1' is there"),
        (json.dumps(QUESTION | {"answer": float("nan")}), None, "NaN is not JSON"),
        (json.dumps(QUESTION | {"tolerance": -1}), None, "tolerance -1 is not a share"),
        (json.dumps(QUESTION | {"answer": [1, [2]]}), None, "answer mixes values and rows"),
        (json.dumps(QUESTION | {"answer": [[[2]]]}), None, "is no value"),
        (
            json.dumps(QUESTION) + "\n" + json.dumps(QUESTION | {"id": "b", "table": "a.csv"}),
            None,
            "some questions name a `table` and others do not",
        ),
    ],
)
def test_a_malformed_pack_is_refused_by_file(
    tmp_path: Path, questions: str, gold: str | None, message: str
) -> None:
    with pytest.raises(PackError, match=message):
        read_pack(write_pack(tmp_path, questions, gold))


@pytest.mark.parametrize("name", ["questions.jsonl", "gold.csv", "sample_questions.txt"])
def test_a_file_that_is_not_text_or_no_file_is_named(tmp_path: Path, name: str) -> None:
    folder = write_pack(tmp_path, gold="document,price\na,1\n")
    (folder / name).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PackError, match=f"{name}: not a text file in UTF-8"):
        read_pack(folder)
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(PackError, match=f"{name}: not a text file in UTF-8"):
        read_pack(folder)


def test_a_byte_order_mark_and_unusual_line_ends_in_texts_are_read(tmp_path: Path) -> None:
    line = json.dumps(QUESTION | {"question": "How\u2028many?"}, ensure_ascii=False)
    pack = read_pack(write_pack(tmp_path, f"\ufeff{line}\r\n"))
    assert [question.question for question in pack.questions] == ["How\u2028many?"]


@pytest.mark.parametrize(
    ("answer", "answer_type", "expected"),
    [
        ("2", "number", 2.0),
        ("about two", "number", "about two"),
        ("yes", "boolean", True),
        ("5 March 2020", "date", "2020-03-05"),
        ("March 2020", "date", "March 2020"),
        ("nobody says", "unanswerable", None),
        ({"Rome": 2, "Oslo": 3}, "", (("Rome", 2), ("Oslo", 3))),
        ([["Rome", 2]], "list", (("Rome", 2),)),
        ([{"city": "Rome", "n": 2}], "list", (("Rome", 2),)),
    ],
)
def test_answers_are_read_as_their_type_says(
    tmp_path: Path, answer: object, answer_type: str, expected: object
) -> None:
    line = json.dumps(QUESTION | {"answer": answer, "answer_type": answer_type})
    (question,) = read_pack(write_pack(tmp_path, line)).questions
    assert question.answer == expected


def test_a_folder_that_is_no_pack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="is not a folder"):
        read_pack(tmp_path / "none")
    (tmp_path / "questions.jsonl").write_text(json.dumps(QUESTION), encoding="utf-8")
    with pytest.raises(PackError, match="no folder documents"):
        read_pack(tmp_path)


README = """# Boats

| field | checked |
| --- | --- |
| `hull` | twice |

| field | meaning | unit |
|:---|---|---:|
| document | file name | |
| `hull`, deck | what it is made of; wood \\| steel | |
| motor | true if it has *one* | |
| sails | true if it carries any! | |
| owner | true if somebody owns it | |
| length | | m |
| mast | of no field | m |
"""


def test_the_gold_schema_tells_what_the_readme_says_and_what_silence_means(tmp_path: Path) -> None:
    gold = (
        "document,hull,deck,motor,sails,owner,length\n"
        "a.txt,wood,wood,true,true,true,9.5\n"
        "b.txt,steel,wood,false,true,,7\n"
        "c.txt,steel,wood,false,true,false,8\n"
    )
    folder = write_pack(tmp_path, gold=gold)
    (folder / "README.md").write_text(README, encoding="utf-8")
    made_of = "what it is made of; wood | steel."
    assert read_gold_schema(read_pack(folder)).attributes == (
        Attribute(name="hull", type="string", description=made_of),
        Attribute(name="deck", type="string", description=made_of),
        Attribute(
            name="motor",
            type="boolean",
            description="true if it has one.",
            absent_means="false",
        ),
        Attribute(name="sails", type="boolean", description="true if it carries any!"),
        Attribute(name="owner", type="boolean", description="true if somebody owns it."),
        Attribute(name="length", type="number"),
    )


def test_a_readme_that_is_no_text_is_named(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, gold="document,hull\na.txt,wood\n")
    (folder / "README.md").write_bytes(b"\x00\x01\x02\x00")
    with pytest.raises(PackError, match=r"README\.md"):
        read_gold_schema(read_pack(folder))


def test_the_gold_schema_is_the_file_or_the_columns_of_gold(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, gold="document,Price,day\na.txt,9.50,2020-01-02\n")
    assert read_gold_schema(read_pack(folder)).attributes == (
        Attribute(name="price", type="number", synonyms=("Price",)),
        Attribute(name="day", type="date"),
    )
    written = {"title": "Bill", "properties": {"total": {"type": "number"}}}
    (folder / "schema.json").write_text(json.dumps(written), encoding="utf-8")
    assert read_gold_schema(read_pack(folder)).entity == "bill"
    (folder / "schema.json").write_text("{", encoding="utf-8")
    with pytest.raises(PackError, match=r"schema\.json: not JSON"):
        read_gold_schema(read_pack(folder))
