"""Systems: what each puts before the model, what comes back, and what it takes."""

import base64
import json
from array import array
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import anyio
import pytest

from srag_mcp.errors import PackError, SettingsError
from srag_mcp.evaluation import systems
from srag_mcp.evaluation.evaluate import Evaluation, EvaluationPlan, evaluate
from srag_mcp.evaluation.pack import PackQuestion
from srag_mcp.evaluation.retrieval import Bm25
from srag_mcp.evaluation.systems import PaperHybrid, cut_chunks
from srag_mcp.model.language_model import Prompt
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import Answer, Body, OpenAIServer, content_of, serving
from tests.model.scripted import ScriptedModel

FILLER = "The harbour was calm and nothing else was written down that day. " * 40  # 650 tokens
SHIPS = {
    "anna.md": f"# Anna\n\nThe Anna has 3 masts.\n\n{FILLER}",
    "bela.md": f"# Bela\n\nThe Bela was built in Bremen.\n\n{FILLER}",
    "cora.html": "<h1>Cora</h1><table><tr><th>Year</th><th>Cargo in tons</th></tr>"
    "<tr><td>1901</td><td>120</td></tr><tr><td>1902</td><td>150</td></tr></table>",
}
WORDS = ("masts", "built", "cargo", "harbour")
READING = ("full-corpus", "given-documents", "vector-rag", "fused-rag", "bm25-rag", "paper-hybrid")
ANSWERS: dict[str, tuple[object, str]] = {
    "How many masts has the Anna?": (3, "3 masts"),
    "Where was the Bela built?": ("Bremen", "built in Bremen"),
    "What cargo had the Cora in 1902?": (150, "150"),
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "ships"
    (folder / "documents").mkdir(parents=True)
    for name, text in SHIPS.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    lines = [
        {"id": f"q{n}", "question": question, "answer": answer, "documents": [document]}
        for n, ((question, (answer, _)), document) in enumerate(
            zip(ANSWERS.items(), SHIPS, strict=True), 1
        )
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "questions.jsonl").write_text(text, encoding="utf-8")
    return folder


def read(content: str) -> list[dict[str, object]]:
    """Answer each question of a prompt if the context says it, as a careful reader would."""
    context, _, questions = content.rpartition("Questions:")
    found: list[dict[str, object]] = []
    for line in questions.splitlines():
        number, _, question = line.partition(". ")
        if not number.isdigit():
            continue
        answer, evidence = ANSWERS[question]
        says_nothing = evidence not in context
        found.append(
            {
                "number": int(number),
                "text": "It is not said." if says_nothing else f"It is {answer}.",
                "answer": None if says_nothing else answer,
                "scale": "",
                "says_nothing": says_nothing,
            }
        )
    return found


def vectors(texts: list[str]) -> Answer:
    """Embed *texts* by the words of ships that they have."""
    data = [
        {
            "object": "embedding",
            "index": at,
            "embedding": [0.01 + text.lower().count(word) for word in WORDS],
        }
        for at, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 7, "total_tokens": 7}
    whole = {"object": "list", "data": data, "model": "vec", "usage": usage}
    return Answer(raw=json.dumps(whole).encode())


def reply(body: Body) -> Answer:
    texts = body.get("input")
    if isinstance(texts, list):
        return vectors([str(text) for text in texts])
    content = content_of(body)
    if "Questions:" not in content:
        return Answer(json.dumps({"ids": [1, 2, 3, 4, 5]}))
    return Answer(json.dumps({"answers": read(content)}))


def run(
    pack: Path,
    plan: EvaluationPlan,
    script: Callable[[Body], Answer] = reply,
) -> tuple[Evaluation, OpenAIServer]:
    with serving(script) as server:
        settings = Settings(model="openai/any", api_base=server.base, api_key="none", workers=1)
        plan = replace(plan, embedder="openai/vec")
        return evaluate(pack, settings, plan), server


def outcomes(found: Evaluation) -> list[str]:
    return [result.outcome for result in found.questions]


@pytest.mark.parametrize("system", [*READING, "mixrag"])
def test_what_is_read_answers(pack: Path, system: str) -> None:
    found, _ = run(pack, EvaluationPlan(system=system))
    assert outcomes(found) == ["right"] * 3
    for result in found.questions:
        assert any(name.startswith(result.question.documents[0]) for name in result.context)
        assert result.tokens["read"] == (100, 20), "as the server counts"


def test_a_closed_book_holds_nothing(pack: Path) -> None:
    found, server = run(pack, EvaluationPlan(system="closed-book"))
    assert outcomes(found) == ["refused"] * 3
    assert all("Context:\n[begin" in content_of(body) for body in server.requests)
    assert all("(none)" in content_of(body) for body in server.requests)
    assert [result.context for result in found.questions] == [()] * 3


def test_ours_asks_the_table_where_the_pack_has_gold(pack: Path) -> None:
    (pack / "gold.csv").write_text(
        "document,masts\nanna.md,3\nbela.md,2\ncora.html,1\n", encoding="utf-8"
    )
    sql = "SELECT sum(masts) / 2 FROM records"
    query = json.dumps({"restated": "masts", "columns": [], "missing": [], "sql": sql})

    for system in ("srag", "hybrid"):
        plan = EvaluationPlan("gold-records", system=system)
        found, _ = run(pack, plan, lambda body: Answer(query))
        first = found.questions[0]
        assert first.outcome == "right"
        assert first.tokens["translate"] == (100, 20)


@pytest.mark.parametrize(
    ("sql", "read_from"),
    [
        ("SELECT name FROM boats WHERE masts > 2", {"anna.txt", "dora.txt"}),
        ("SELECT name FROM boats WHERE masts > 9", {"anna.txt", "bela.txt", "dora.txt"}),
        (None, {"anna.txt", "bela.txt", "dora.txt"}),
    ],
)
def test_the_papers_hybrid_reads_the_documents_of_the_records_that_the_query_reads(
    tmp_path: Path, sql: str | None, read_from: set[str]
) -> None:
    folder = tmp_path / "boats"
    folder.mkdir()
    for name, masts in (("anna", 3), ("bela", 1), ("dora", 4)):
        text = f"Name: {name}\nMasts: {masts}\n"
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    ingest(folder, Settings(engine="offline", workers=1))
    query = {"restated": "?", "columns": [], "missing": [] if sql else ["it"], "sql": sql}

    def say(prompt: Prompt) -> str:
        if prompt.step == "embed":
            ones = base64.b64encode(array("f", [1.0]).tobytes()).decode()
            return json.dumps({"vectors": [ones] * len(json.loads(prompt.content))})
        if prompt.step == "translate":
            return json.dumps(query)
        nothing = {"number": 1, "text": "?", "answer": None, "scale": "", "says_nothing": True}
        return json.dumps({"answers": [nothing]})

    model = ScriptedModel(say)
    with QueryPool() as worker:
        system = PaperHybrid(Corpus(folder, worker), folder, model, model)
        anyio.run(system.prepare)
        asked = PackQuestion("q", "Which have more masts?", 3, "number", "other")
        [result] = anyio.run(system.answer, [asked])

    assert {name.partition(",")[0] for name in result.context} == read_from
    assert list(result.tokens) == ["translate", "embed", "read"]
    assert result.outcome == "refused"


def test_questions_share_what_is_read_and_each_counts_as_if_alone(pack: Path) -> None:
    alone, _ = run(pack, EvaluationPlan(system="full-corpus"))
    shared, server = run(pack, EvaluationPlan(system="full-corpus", at_once=3))

    assert outcomes(shared) == outcomes(alone) == ["right"] * 3
    assert len(server.requests) == 1
    took = [result.tokens["read"] for result in shared.questions]
    assert all(80 < took_in < 100 and took_out == 7 for took_in, took_out in took)
    assert {result.context for result in shared.questions} == {tuple(sorted(SHIPS))}


def test_documents_that_do_not_fit_are_counted(pack: Path) -> None:
    long = "# Long\n\n" + "The sea was grey and wide. " * 4000  # 26,000 tokens
    (pack / "documents" / "bela.md").write_text(long, encoding="utf-8")

    found, server = run(pack, EvaluationPlan(system="full-corpus", context_tokens=5000))
    assert found.run is not None
    assert found.run.notes == ("1 of 3 documents do not fit into 5,000 tokens",)
    assert outcomes(found) == ["right", "refused", "right"]
    assert "bela.md" not in content_of(server.requests[0])

    found, server = run(pack, EvaluationPlan(system="full-corpus", context_tokens=30_000))
    assert found.run is not None
    assert found.run.notes == ("1 documents are cut at 20,000 tokens",)
    assert len(content_of(server.requests[0])) < 90_000


def test_documents_that_cannot_be_read_are_counted(pack: Path) -> None:
    (pack / "documents" / "dora.pdf").write_bytes(b"no such thing")
    found, _ = run(pack, EvaluationPlan(system="bm25-rag"))
    assert found.run is not None
    assert found.run.notes == ("1 documents could not be read",)


def test_a_prompt_that_is_too_long_leaves_its_questions_unanswered(pack: Path) -> None:
    def refuse(body: Body) -> Answer:
        return Answer(status=400, error=("the prompt is too long", "context_length_exceeded"))

    found, _ = run(pack, EvaluationPlan(system="full-corpus"), refuse)
    assert outcomes(found) == ["failed"] * 3


GOOD: dict[str, object] = {
    "number": 1, "text": "?", "answer": 1, "scale": "", "says_nothing": False
}  # fmt: skip


@pytest.mark.parametrize(
    "first",
    [
        "I would rather not.",
        '{"answers": []}',
        json.dumps({"answers": [GOOD | {"number": 2}]}),
        json.dumps({"answers": [GOOD | {"answer": None}]}),
        json.dumps({"answers": [GOOD | {"scale": "dozen"}]}),
    ],
)
def test_a_malformed_reply_is_asked_for_again(pack: Path, first: str) -> None:
    def stumble(body: Body) -> Answer:
        messages = body["messages"]
        assert isinstance(messages, list)
        if len(messages) == 2:
            return Answer(first)
        return Answer(json.dumps({"answers": read(str(messages[1]["content"]))}))

    found, server = run(pack, EvaluationPlan(system="bm25-rag"), stumble)
    assert outcomes(found) == ["right"] * 3
    assert len(server.requests) == 6
    assert found.questions[0].tokens["read"] == (200, 40), "both calls count"


def test_a_model_that_never_answers_a_question_has_not_answered_it(pack: Path) -> None:
    stubborn = json.dumps({"answers": [GOOD | {"number": 9}]})
    found, _ = run(pack, EvaluationPlan(system="bm25-rag"), lambda body: Answer(stubborn))
    assert outcomes(found) == ["failed"] * 3


def test_who_reranks_badly_is_told_so(pack: Path) -> None:
    def rerank(body: Body) -> Answer:
        messages = body.get("messages")
        if isinstance(messages, list) and "Questions:" not in str(messages[1]["content"]):
            best = [99] if len(messages) == 2 else [1, 2, 3, 1]
            return Answer(json.dumps({"ids": best}))
        return reply(body)

    found, _ = run(pack, EvaluationPlan(system="mixrag"), rerank)
    assert outcomes(found) == ["right"] * 3
    assert all(len(result.context) == 3 for result in found.questions)
    assert set(found.questions[0].tokens) == {"embed", "rerank", "read"}


def test_rows_of_tables_are_found_by_their_headers(pack: Path) -> None:
    _, server = run(pack, EvaluationPlan(system="mixrag"))
    embedded = [text for body in server.requests for text in _input(body)]
    assert "1902 | Cargo in tons: 150" in embedded
    assert "Cargo in tons | 1901: 120; 1902: 150" in embedded


def _input(body: Body) -> list[str]:
    texts = body.get("input")
    return [str(text) for text in texts] if isinstance(texts, list) else []


def test_a_result_tells_what_was_read_and_what_it_took(pack: Path) -> None:
    found, _ = run(pack, EvaluationPlan(system="vector-rag"))
    written = json.loads(json.dumps(found.to_json()))
    assert {name: written[name] for name in ("pack", "engine", "system", "embedder", "notes")} == {
        "pack": "ships",
        "engine": "model",
        "system": "vector-rag",
        "embedder": "openai/vec",
        "notes": [],
    }
    assert written["questions"] == {"total": 3, "right": 3, "wrong": 0, "refused": 0, "failed": 0}
    tokens = {"embed": [21, 0], "read": [300, 60]}
    assert written["tokens"] == {
        "median": 127,
        "total": 381,
        "by_step": tokens,
        "once": {"embed": [7, 0]},
    }
    first = written["per_question"][0]
    assert first["context"][0] == "anna.md, part 1"
    del first["context"]
    assert first == {
        "id": "q1",
        "outcome": "right",
        "sql": "",
        "answer": 3,
        "expected": 3,
        "question": "How many masts has the Anna?",
        "kind": "other",
        "text": "It is 3.",
        "scale": "",
        "expected_scale": "",
        "tokens": {"embed": [7, 0], "read": [100, 20]},
    }


def test_a_run_is_recorded_and_replayed(pack: Path, tmp_path: Path) -> None:
    record = tmp_path / "replies.jsonl"
    plan = EvaluationPlan(system="bm25-rag", record=record)
    asked, _ = run(pack, plan)

    again = evaluate(
        pack, Settings(model=f"replay:{record}", workers=1), EvaluationPlan(system="bm25-rag")
    )

    assert outcomes(again) == outcomes(asked) == ["right"] * 3


def test_recorded_replies_are_used_before_the_model_is_asked(pack: Path, tmp_path: Path) -> None:
    record = tmp_path / "read.jsonl"
    run(pack, EvaluationPlan(system="bm25-rag", record=record))

    plan = EvaluationPlan(system="bm25-rag", records=record)
    found, server = run(pack, plan, lambda body: Answer(status=400, error=("nobody", "bad")))
    assert outcomes(found) == ["right"] * 3
    assert server.requests == []


def test_a_system_needs_a_model_and_a_name(pack: Path) -> None:
    with pytest.raises(SettingsError, match="bm25-rag asks a language model"):
        evaluate(pack, Settings(engine="offline", workers=1), EvaluationPlan(system="bm25-rag"))
    with pytest.raises(
        SettingsError, match=r"no system 'rag'; there are srag, hybrid, closed-book"
    ):
        evaluate(pack, Settings(workers=1), EvaluationPlan(system="rag"))


def test_only_the_listed_questions_are_asked(pack: Path, tmp_path: Path) -> None:
    listed = tmp_path / "ids.txt"
    listed.write_text("q3\n\nq1\n", encoding="utf-8")
    found, _ = run(pack, EvaluationPlan(system="bm25-rag", questions=listed))
    assert [result.question.id for result in found.questions] == ["q1", "q3"]

    listed.write_text("q1\nq7\n", encoding="utf-8")
    with pytest.raises(PackError, match=r"ids.txt lists 1 questions that ships has not: q7"):
        run(pack, EvaluationPlan(system="bm25-rag", questions=listed))
    with pytest.raises(PackError, match="is not a file"):
        run(pack, EvaluationPlan(system="bm25-rag", questions=tmp_path / "none.txt"))


@pytest.mark.parametrize(
    "text",
    [
        "word " * 3000,
        "a" * 9000,
        "船" * 3000,
        "Name        Price\n" * 500,
        "  leading and trailing  ",
    ],
)
def test_chunks_hold_each_character_once_and_are_no_longer_than_they_may(text: str) -> None:
    chunks = list(cut_chunks(text))
    assert "".join("".join(chunk.of(text).split()) for chunk in chunks) == "".join(text.split())
    assert all(a.end <= b.start for a, b in pairwise(chunks))
    rate = 1 if "船" in text else 4
    assert all(len(" ".join(chunk.of(text).split())) <= 500 * rate for chunk in chunks)


@pytest.mark.thorough
def test_records_that_were_recorded_are_asked_and_not_recorded_again(tmp_path: Path) -> None:
    root, record = Path(__file__).parents[2], tmp_path / "new.jsonl"
    listed = tmp_path / "ids.txt"
    hotels = (root / "corpora" / "hotels" / "questions.jsonl").read_text(encoding="utf-8")
    ids = [json.loads(line)["id"] for line in hotels.splitlines()[:3]]
    listed.write_text("\n".join(ids), encoding="utf-8")
    replies = root / "tests" / "replies" / "hotels.jsonl"
    plan = EvaluationPlan(system="srag", questions=listed, records=replies, record=record)

    with serving(lambda body: Answer(status=400, error=("nobody", "bad"))) as server:
        # the replies were recorded before lists were read
        settings = Settings(model="openai/any", api_base=server.base, api_key="none", lists=False)
        found = evaluate(root / "corpora" / "hotels", settings, plan)

    assert outcomes(found) == ["right"] * 3
    assert server.requests == []
    assert record.read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("system", ["vector-rag", "fused-rag", "bm25-rag"])
def test_the_best_chunk_is_read_first(
    pack: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(systems, "_N_CHUNKS", 1)
    found, _ = run(pack, EvaluationPlan(system=system))
    for result in found.questions:
        [name] = result.context
        assert name.startswith(result.question.documents[0])


def test_rare_words_come_first_in_the_baseline() -> None:
    assert Bm25(["a b", "a", "c"]).rank("b a") == [0, 1]
