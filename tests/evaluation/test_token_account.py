"""Where the tokens of a language model go: every call under one step, and all of them together."""

from pathlib import Path

import anyio

from srag_mcp.engines.model import ModelEngine
from srag_mcp.engines.protocol import Work
from srag_mcp.evaluation.bench import (
    STEPS,
    QuestionResult,
    Tokens,
    account_for_tokens,
    ask_questions,
)
from srag_mcp.evaluation.evaluate import EvaluationPlan, evaluate
from srag_mcp.evaluation.pack import PackQuestion, read_pack
from srag_mcp.model.language_model import Correction, Prompt, count_tokens
from srag_mcp.model.ledger import Ledger, MemoryReplies, MeteredModel
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from srag_mcp.store.layout import CorpusFolder
from srag_mcp.store.spool import read_calls
from srag_mcp.store.work import open_work
from tests.model.openai_server import serving
from tests.model.scripted import ScriptedModel
from tests.pipeline.reading_model import say

TOWNS = ("Alm", "Brig", "Chur", "Davos", "Elm", "Flims")
STEPS_OF_THE_ISSUE = [
    "schema", "rules", "audit", "records", "repairs", "standardise", "names", "extend", "embed",
    "questions", "narrow", "rewrite", "rerank", "read", "answer", "judge",
]  # fmt: skip
PAGE = "The station. " * 12 + "High"  # 40 tokens
QUESTION = "How high is the highest station?"


def make_pack(folder: Path) -> Path:
    pages = folder / "documents"
    pages.mkdir(parents=True)
    rows = ["document,town,height_m"]
    for number, town in enumerate(TOWNS, start=1):
        text = (
            f"# Station\n\nIt is above the town of {town} and stands {number * 100} metres high.\n"
        )
        (pages / f"{town}.md").write_text(text, encoding="utf-8")
        rows.append(f"{town}.md,{town},{number * 100}")
    (folder / "gold.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    line = f'{{"id": "q1", "question": "{QUESTION}", "answer": 600, "kind": "superlative"}}\n'
    (folder / "questions.jsonl").write_text(line, encoding="utf-8")
    return folder


def test_every_token_of_the_ledger_stands_under_one_step(tmp_path: Path) -> None:
    pack, work = make_pack(tmp_path / "stations"), tmp_path / "work"
    with serving(say) as server:
        settings = Settings(model="openai/m", api_base=server.base, api_key="k", workers=1)
        found = evaluate(pack, settings, EvaluationPlan(work=work))

    [folder] = [path for path in work.iterdir() if path.name == "stations"]
    ledger = Ledger(read_calls(folder, work / "home"))
    written = found.to_json()["tokens"]
    assert isinstance(written, dict)
    assert list(written["steps"]) == STEPS_OF_THE_ISSUE
    taken = written["steps"].values()
    total = (ledger.total.tokens_in, ledger.total.tokens_out)
    assert (sum(item["in"] for item in taken), sum(item["out"] for item in taken)) == total
    assert found.calls == ledger.total.n_calls > 0
    texts = (page.read_text(encoding="utf-8") for page in (pack / "documents").iterdir())
    assert written["documents"] <= sum(map(count_tokens, texts))
    built = [written["steps"][step] for step in STEPS_OF_THE_ISSUE[:7]]
    assert written["build"] == sum(item["in"] + item["out"] for item in built)
    assert written["build_ratio"] == round(written["build"] / written["documents"], 2)


def results(*taken: Tokens) -> list[QuestionResult]:
    asked = PackQuestion("q1", "How many?", 1, "number", "count")
    return [QuestionResult(asked, "right", None, tokens) for tokens in taken]


def test_cells_that_are_asked_for_again_are_repairs() -> None:
    model, replies = ScriptedModel(lambda prompt: "eight ch"), MemoryReplies()
    metered = MeteredModel(model, replies, "m")
    asked = Prompt("records", "Read.", PAGE, subject="a.md")
    again = Prompt("records", "Read.", PAGE, (Correction("{}", "no cells"),), "a.md")
    translated = Prompt("translate", "Write SQL.", PAGE, (Correction("{}", "no"),), "q1")

    async def ask() -> None:
        for prompt in (asked, again, translated):
            await metered.complete(prompt, {})

    anyio.run(ask)

    account = account_for_tokens(21, replies.calls(), results({"translate": (40, 2)}, {}))
    taken = {step: n for step, n in account["steps"].items() if sum(n.values())}
    assert taken == {key: {"in": 40, "out": 2} for key in ("records", "repairs", "questions")}
    assert (account["build"], account["build_ratio"]) == (84, 4.0)
    assert (account["question_median"], account["answer_median"]) == (42, 42)
    several = results({"translate": (40, 2)}, {}, {"translate": (60, 3)}, {"translate": (10, 0)})
    found = account_for_tokens(21, replies.calls(), several)
    assert (found["question_median"], found["question_most"]) == (42, 63)


def test_passages_are_embedded_for_the_build_and_a_question_for_its_answer() -> None:
    replies = MemoryReplies()
    metered = MeteredModel(ScriptedModel(lambda prompt: "{}"), replies, "m")

    async def ask() -> None:
        for subject in ("the documents", "How many?"):
            await metered.complete(Prompt("embed", "", f"{subject:120}", subject=subject), {})

    anyio.run(ask)

    account = account_for_tokens(10, replies.calls(), results({"embed": (30, 0)}))
    assert (account["build"], account["steps"]["embed"]) == (30, {"in": 60, "out": 0})
    assert (account["question_median"], account["answer_median"]) == (0, 30)


def test_a_reply_that_was_there_counts_for_its_question_as_when_it_came(tmp_path: Path) -> None:
    pack = make_pack(tmp_path / "stations")
    with serving(say) as server:
        settings = Settings(model="openai/m", api_base=server.base, api_key="k", workers=1)
        ingest(pack / "documents", settings, questions=[QUESTION])
        with (
            QueryPool() as pool,
            open_work(CorpusFolder(pack / "documents", None).writable()) as database,
            ModelEngine.open(Work(database, settings)) as engine,
        ):
            corpus = Corpus(pack / "documents", pool)
            [result] = ask_questions(corpus, read_pack(pack).questions, engine)
            assert engine.model.ledger.total.n_calls == 0

    [(taken_in, taken_out)] = result.tokens.values()
    assert taken_in > 100
    assert taken_out > 0


def test_the_form_of_a_reply_is_a_part_of_what_is_sent() -> None:
    prompt = Prompt("records", "Read.", "A page.")
    form = {"properties": {"n": {"type": "integer"}}}
    assert prompt.count_tokens(form) == count_tokens(
        'Read.\nA page.\n{"properties":{"n":{"type":"integer"}}}'
    )
    assert len(STEPS) == len(STEPS_OF_THE_ISSUE)
