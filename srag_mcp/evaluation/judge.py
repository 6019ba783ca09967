"""Judging: a language model compares the answers of systems with the expected ones.

It sees question, expected answer and answer, and neither which system answered nor what the match
says; the answers of all runs come in one order that is drawn by a seed.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic import JsonValue

from srag_mcp.engines.model import ModelEngine
from srag_mcp.errors import ModelError, SettingsError
from srag_mcp.evaluation.bench import OnProgress, open_bench, say_nothing
from srag_mcp.evaluation.comparison import write_value
from srag_mcp.evaluation.pack import Scale
from srag_mcp.evaluation.saved_runs import (
    Grade,
    SavedQuestion,
    SavedRun,
    Verdict,
    read_saved_run,
    write_saved_run,
)
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.ledger import write_replies
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.settings import Settings

FOLDER = "judging"


class JudgeReply(ReplyContent):
    """What a judge says of an answer; *parts*: the facts of the expected one."""

    reason: str
    parts: int
    parts_given: int
    correct: bool
    faithfulness: Grade
    completeness: Grade
    relevance: Grade


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """How saved runs are judged.

    Attributes:
        work: Folder in which it is done and kept; None for a temporary one.
        record: File for the replies of the judge; None to keep none.
        seed: Of the order in which answers are shown.
    """

    work: Path | None = None
    record: Path | None = None
    seed: int = 0


def judge_files(
    paths: Sequence[Path],
    settings: Settings,
    plan: JudgePlan,
    on_progress: OnProgress = say_nothing,
) -> tuple[list[SavedRun], int]:
    """Judge the saved runs in the files *paths*, and add the verdicts to them.

    Returns:
        The runs, and how many answers the judge gave no verdict on: they have none.

    Args:
        paths: What `srag-mcp eval PACK --system NAME --json` printed.
        settings: Who judges.
        plan: Where, and in which order.
        on_progress: Called after each answer.

    Raises:
        PackError: If a file is no saved run.
        SettingsError: If no language model is named.
    """
    runs = [read_saved_run(path) for path in paths]
    with open_bench(settings, plan.work, on_progress) as bench:
        folder = bench.folder / FOLDER
        folder.mkdir(exist_ok=True)
        with bench.open_engine(folder) as engine:
            if not isinstance(engine, ModelEngine):
                msg = "a judge is a language model: name one (--model), or --engine agent"
                raise SettingsError(msg)
            n_failed = run_to_end(judge_runs, engine.model, runs, plan.seed, on_progress)
            engine.forget_useless()
            if plan.record is not None:
                write_replies(plan.record, engine.replies.kept())
    for run, path in zip(runs, paths, strict=True):
        write_saved_run(run, path)
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
    value = "" if item.answer in ([], None) else f"{_write(item.answer, item.scale)}\n"
    prompt = render_prompt(
        "judge_answer",
        "judge",
        item.id,
        question=enclose(item.question),
        expected=enclose(_write(item.expected, item.expected_scale)),
        answer=enclose(f"{value}In words: {item.text}"),
    )
    asked = await ask_for(model, prompt, JudgeReply, _find_problems)
    reply = asked.content
    if asked.problems:
        asked.forget(model)
        raise ModelError(asked.problems[0])
    return Verdict(
        correct=reply.correct,
        recall=reply.parts_given / reply.parts,
        faithfulness=reply.faithfulness,
        completeness=reply.completeness,
        relevance=reply.relevance,
        reason=reply.reason,
    )


def _find_problems(reply: JudgeReply) -> list[str]:
    if not 0 <= reply.parts_given <= reply.parts or not reply.parts:
        return [f"parts_given is from 0 to parts, which is 1 at least: {reply.parts_given}"]
    if reply.correct and reply.parts_given < reply.parts:
        return ["correct is true, and not all parts are given"]
    return []


def _write(value: JsonValue, scale: Scale) -> str:
    """Write an answer as people do: `["1,234"], "million"` -> `1,234 (million)`."""
    items = value if isinstance(value, list) else [value]
    scalars = [item for item in items if isinstance(item, str | int | float)]
    if items and len(scalars) == len(items):
        said = ", ".join(map(write_value, scalars))
    else:
        said = json.dumps(value, ensure_ascii=False)
    return f"{said} ({scale})" if scale else said
