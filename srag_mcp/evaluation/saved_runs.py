"""Saved runs: the results of systems on one pack, side by side, tested in pairs, and judged.

A saved run is what `srag-mcp eval PACK --system NAME --json` prints; a judge adds its verdicts. It
is a language model that compares the answers with the expected ones: it sees question, expected
answer and answer, and neither which system answered nor what the match says; the answers of all
runs come in one order that is drawn by a seed.
"""

import json
import random
from collections.abc import Sequence
from math import comb
from pathlib import Path
from statistics import mean
from typing import Literal, TypeAlias

import anyio
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from srag_mcp.engines.model import ModelEngine
from srag_mcp.errors import ModelError, PackError, SettingsError
from srag_mcp.evaluation.bench import OUTCOMES, Bench, OnProgress, Outcome, say_nothing
from srag_mcp.evaluation.comparison import write_value
from srag_mcp.evaluation.pack import Scale
from srag_mcp.model.language_model import LanguageModel, enclose, render_prompt
from srag_mcp.model.ledger import write_replies
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.store.layout import write_atomically

FOLDER = "judging"
_LEAST_P = 0.001  # as it is written

Grade: TypeAlias = Literal[1, 2, 3, 4, 5]


class Verdict(BaseModel):
    """What a judge says of an answer, compared with the expected one.

    Attributes:
        correct: Answer Comparison.
        recall: Answer Recall: the share of the parts of the expected answer that it gives.
        faithfulness, completeness, relevance: From 1 to 5; None where there was nothing to read.
        reason: Why, in a sentence.

    Source: S-RAG 5.5; the grades are those of the Enterprise RAG paper.
    """

    correct: bool
    recall: float
    faithfulness: Grade | None = None
    completeness: Grade | None = None
    relevance: Grade | None = None
    reason: str = ""


class SavedQuestion(BaseModel):
    """A question, the answer of a system, and what became of it."""

    model_config = ConfigDict(extra="allow")

    id: str
    question: str
    outcome: Outcome
    answer: JsonValue
    text: str
    scale: Scale
    expected: JsonValue
    expected_scale: Scale
    tokens: dict[str, tuple[int, int]]
    verdict: Verdict | None = None

    @property
    def is_right(self) -> bool:
        """Whether the answer matches."""
        return self.outcome == "right"


class _Tokens(BaseModel):
    model_config = ConfigDict(extra="allow")

    median: float
    total: int


class SavedRun(BaseModel):
    """The run of a system on a pack."""

    model_config = ConfigDict(extra="allow")

    pack: str
    system: str
    embedder: str
    tokens: _Tokens
    notes: list[str]
    questions_asked: list[SavedQuestion] = Field(alias="per_question")

    @property
    def is_judged(self) -> bool:
        """Whether a judge has seen all of it."""
        return all(item.verdict is not None for item in self.questions_asked)

    def figures(self) -> dict[str, int | float | None]:
        """Return what the table shows of it."""
        asked = self.questions_asked
        outcomes = [item.outcome for item in asked]
        verdicts = [item.verdict for item in asked if item.verdict is not None]
        both = [
            (item.is_right, item.verdict.correct)
            for item in asked
            if item.verdict is not None and item.verdict.relevance is not None
        ]
        share, kappa = agreement(both)
        found: dict[str, int | float | None] = {
            "questions": len(asked),
            **{name: outcomes.count(name) for name in OUTCOMES},
            "tokens_median": self.tokens.median,
            "tokens_total": self.tokens.total,
            "judged_right": None,
        }
        if not self.is_judged:
            return found
        return found | {
            "judged_right": sum(verdict.correct for verdict in verdicts),
            "recall": _mean([verdict.recall for verdict in verdicts]),
            **{name: _mean([getattr(verdict, name) for verdict in verdicts]) for name in GRADES},
            "agreement": share,
            "kappa": kappa,
        }


GRADES = ("faithfulness", "completeness", "relevance")


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of those that are there."""
    there = [value for value in values if value is not None]
    return round(mean(there), 3) if there else None


def agreement(pairs: Sequence[tuple[bool, bool]]) -> tuple[float | None, float | None]:
    """Return the share of *pairs* that agree, and Cohen's kappa; None where it says nothing.

    `[(True, True), (True, False), (False, False), (False, False)] -> (0.75, 0.5)`
    """
    if not pairs:
        return None, None
    n = len(pairs)
    share = sum(one == other for one, other in pairs) / n
    first, second = (sum(side) / n for side in zip(*pairs, strict=True))
    by_chance = first * second + (1 - first) * (1 - second)
    kappa = None if by_chance == 1 else round((share - by_chance) / (1 - by_chance), 3)
    return round(share, 3), kappa


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the p-value that two runs do as well, of which each has questions right alone.

    The exact test: each of these may be either's. Source: McNemar (1947), with the binomial
    distribution.

    `6, 0 -> 0.03125`
    """
    n = only_one + only_other
    tail: int = sum(comb(n, k) for k in range(min(only_one, only_other) + 1))
    p: float = 2 * tail / 2**n
    return min(1.0, p)


class Comparison(BaseModel):
    """Two runs on the same questions.

    Attributes:
        only_first, only_other: What only one of them has right.
        p: Of the exact test.
        by: Who says what is right.
    """

    pack: str
    first: str
    other: str
    n_shared: int
    only_first: int
    only_other: int
    p: float
    by: Literal["match", "judge"]


def compare_systems(first: SavedRun, other: SavedRun) -> list[Comparison]:
    """Compare two runs in pairs, over the questions that both have: by match, and by judge."""
    mine = {item.id: item for item in first.questions_asked}
    pairs = [(mine[item.id], item) for item in other.questions_asked if item.id in mine]
    sides: dict[Literal["match", "judge"], list[tuple[bool, bool]]] = {
        "match": [(one.is_right, two.is_right) for one, two in pairs]
    }
    if first.is_judged and other.is_judged:
        sides["judge"] = [
            (one.verdict.correct, two.verdict.correct)
            for one, two in pairs
            if one.verdict is not None and two.verdict is not None
        ]
    compared = []
    for by, found in sides.items():
        only_first = sum(one and not two for one, two in found)
        only_other = sum(two and not one for one, two in found)
        compared.append(
            Comparison(
                pack=first.pack,
                first=first.system,
                other=other.system,
                n_shared=len(found),
                only_first=only_first,
                only_other=only_other,
                p=round(mcnemar(only_first, only_other), 4),
                by=by,
            )
        )
    return compared


def compare_with_first(runs: Sequence[SavedRun]) -> list[list[Comparison]]:
    """Compare each of *runs* with the first one of its pack; that with itself is no comparison."""
    firsts: dict[str, SavedRun] = {}
    pairs = [(firsts.setdefault(run.pack, run), run) for run in runs]
    return [[] if first is run else compare_systems(first, run) for first, run in pairs]


def read_saved_run(path: Path) -> SavedRun:
    """Read a saved run.

    Raises:
        PackError: If the file cannot be read, or is none.
    """
    try:
        return SavedRun.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        msg = f"{path}: not what `srag-mcp eval PACK --system NAME --json` prints ({said})"
        raise PackError(msg) from error


def write_table(runs: Sequence[SavedRun]) -> list[str]:
    """Write the figures of *runs* as a table in Markdown; p is against the first run of a pack."""
    lines = [
        "| pack | system | right | wrong | refused | not answered | p | judged right | p | recall"
        " | faithful, complete, relevant | judge = match (κ) | tokens a question |",
        f"|{' --- |' * 13}",
    ]
    for run, compared in zip(runs, compare_with_first(runs), strict=True):
        figures, tested = run.figures(), {item.by: item.p for item in compared}
        grades = ", ".join(_write(figures.get(name)) for name in GRADES)
        agreed = f"{_write(figures.get('agreement'))} ({_write(figures.get('kappa'))})"
        cells = [
            run.pack,
            f"{run.system} ({run.embedder})" if run.embedder else run.system,
            f"{figures['right']} of {figures['questions']}",
            *(_write(figures[name]) for name in ("wrong", "refused", "failed")),
            _write_p(tested.get("match")),
            _write(figures["judged_right"]),
            _write_p(tested.get("judge")),
            _write(figures.get("recall")),
            grades if run.is_judged else "",
            agreed if run.is_judged else "",
            f"{figures['tokens_median']:,.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _write(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _write_p(p: float | None) -> str:
    return "" if p is None else "< 0.001" if p < _LEAST_P else f"{p:.3f}"


class JudgeReply(ReplyContent):
    """What a judge says of an answer; *parts*: the facts of the expected one."""

    reason: str
    parts: int
    parts_given: int
    correct: bool
    faithfulness: Grade
    completeness: Grade
    relevance: Grade


def judge_files(
    paths: Sequence[Path], bench: Bench, record: Path | None = None, seed: int = 0
) -> tuple[list[SavedRun], int]:
    """Judge the saved runs in the files *paths*, and add the verdicts to them.

    Returns:
        The runs, and how many answers the judge gave no verdict on: they have none.

    Raises:
        PackError: If a file is no saved run.
        SettingsError: If no language model is named.
    """
    runs = [read_saved_run(path) for path in paths]
    folder = bench.folder / FOLDER
    folder.mkdir(exist_ok=True)
    with bench.open_engine(folder) as engine:
        if not isinstance(engine, ModelEngine):
            msg = "a judge is a language model: name one (--model), or --engine agent"
            raise SettingsError(msg)
        n_failed = run_to_end(judge_runs, engine.model, runs, seed, bench.on_progress)
        engine.forget_useless()
        if record is not None:
            write_replies(record, engine.replies.kept())
    for run, path in zip(runs, paths, strict=True):
        write_atomically(path, run.model_dump_json(by_alias=True, indent=2) + "\n")
    return runs, n_failed


async def judge_runs(
    model: LanguageModel,
    runs: Sequence[SavedRun],
    seed: int,
    on_progress: OnProgress = say_nothing,
) -> int:
    """Put a verdict on each answer of *runs*; return how many have none.

    What is no answer, or answers what has none, is not shown to the judge.
    """
    shown: list[SavedQuestion] = []
    for item in (item for run in runs for item in run.questions_asked):
        if item.outcome in {"refused", "failed"} or item.expected is None:
            item.verdict = Verdict(correct=item.is_right, recall=float(item.is_right))
        else:
            shown.append(item)
    random.Random(seed).shuffle(shown)
    done: list[bool] = []

    async def judge(item: SavedQuestion) -> None:
        try:
            item.verdict = await judge_answer(model, item)
        except ModelError:
            item.verdict = None
        done.append(item.verdict is not None)
        on_progress("judging", len(done), len(shown))

    async with anyio.create_task_group() as tasks:
        for item in shown:
            tasks.start_soon(judge, item)
    return done.count(False)


async def judge_answer(model: LanguageModel, item: SavedQuestion) -> Verdict:
    """Let *model* compare an answer with the expected one.

    Raises:
        ModelError: If no reply could be had, or none that makes sense.
    """
    value = "" if item.answer in ([], None) else f"{_as_people_write(item.answer, item.scale)}\n"
    prompt = render_prompt(
        "judge_answer",
        "judge",
        item.id,
        question=enclose(item.question),
        expected=enclose(_as_people_write(item.expected, item.expected_scale)),
        answer=enclose(f"{value}In words: {item.text}"),
    )
    asked = await ask_for(model, prompt, JudgeReply, _find_problems)
    reply = asked.content
    if asked.problems:
        asked.forget(model)
        raise ModelError(asked.problems[0])
    said = reply.model_dump(include={"correct", *GRADES, "reason"})
    return Verdict(recall=reply.parts_given / reply.parts, **said)


def _find_problems(reply: JudgeReply) -> list[str]:
    if not 0 <= reply.parts_given <= reply.parts or not reply.parts:
        return [f"parts_given is from 0 to parts, which is 1 at least: {reply.parts_given}"]
    if reply.correct and reply.parts_given < reply.parts:
        return ["correct is true, and not all parts are given"]
    return []


def _as_people_write(value: JsonValue, scale: Scale) -> str:
    """Write an answer as people do: `["1,234"], "million"` -> `1,234 (million)`."""
    items = value if isinstance(value, list) else [value]
    scalars = [item for item in items if isinstance(item, str | int | float)]
    if items and len(scalars) == len(items):
        said = ", ".join(map(write_value, scalars))
    else:
        said = json.dumps(value, ensure_ascii=False)
    return f"{said} ({scale})" if scale else said
