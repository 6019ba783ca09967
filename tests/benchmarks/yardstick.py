"""The yardstick: how good the product is, side by side with a saved run.

Run it before and after a change, and land nothing that it does not like:

    python -m tests.benchmarks.yardstick --packs DIR --save before.json
    python -m tests.benchmarks.yardstick --packs DIR --against before.json
    python -m tests.benchmarks.yardstick --packs DIR --against before.json --only invoices,hotels
    python -m tests.benchmarks.yardstick --packs DIR --show after.json --against before.json

DIR is a folder of packs; those with gold.csv and `wtq_dev` are measured, `corpora/hotels` and
`corpora/cvs` of this repository beside them. Each pack is ingested without a model as
`srag-mcp eval` does it: its `documents/` stand in a folder that has the name of the pack (which is
a word for its records where a user would choose such a name; `--called NAME` takes another one),
and `sample_questions.txt` are the questions of the user. All questions go through `ask`.

Runs are comparable because sets have the same order in all of them (PYTHONHASHSEED is 0); what
changes with `--seed 1` hangs on that order, which it should not.

Parts can be named in `--only`: packs, `hotels`, `cvs`, `wtq_dev`, `replays` (all fifteen recorded
settings) or one of them such as `replay:hotels/gold`, and `house` (lines, files; no time).
On two idle cores (`--jobs 2`) the packs of documents take about 2 minutes, `wtq_dev` 2, the
replays 4. A part that crashes is told with its traceback; the others go on.

What is told of a pack: questions *right* (an unanswerable one that is refused, too), *wrong*,
*silent* (of the wrong ones: no bounds that hold the truth, and no note that names the cause of the
error; a note that stands on more than a fifth of the right answers counts as none), *refused*.
Columns *right* (nine values in ten, of one gold field), *half* (right where filled, but of one
layout or part), *wrong*, *junk*; columns that match no gold field are listed and judged by a
reader, whose verdicts are kept in `yardstick_verdicts.json`, as are those on notes: by pack, column
and the hash of what it holds; by pack, question and the note without its names and numbers. What
is not judged is *unjudged*, and silent. *cells* is the mean over the gold fields; rows of what
documents list are measured against `gold_<list>.csv` (`yardstick_children`). Records of a
table file that are none count as wrong ones. Of a replay it is told what the model took: tokens of
the documents, of the build, of a question in the median and at most, of its answer in the median,
of each step in + out.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.yardstick_part import Task
from tests.benchmarks.yardstick_report import (
    OUTCOMES,
    Package,
    Part,
    Question,
    Report,
    read_verdicts,
    settle,
)

ROOT = Path(__file__).parents[2]
REPLIES = ROOT / "tests" / "replies"
SHIPPED = ("hotels", "cvs")
TABLES = "wtq_dev"
# tests/replies/README.md: how many documents were read when the replies were recorded.
RECORDED: dict[str, int | None] = {
    "hotels": None, "cvs": None, "covid_reports": 60, "receipts": 60, "contracts": 30
}  # fmt: skip
# Recorded since a model's lists are read; the others before that.
LISTED = ("invoices", "minutes", "orders_json", "sales_xlsx")
RECORDED |= dict.fromkeys(LISTED)
SOURCES = {"inferred": "", "gold": "gold_schema", "gold-records": "gold_records"}
_N_SHARDS = 4
_TIMEOUT_S = 3600


def find_tasks(packs: Path, called: str = "", hash_seed: str = "0") -> list[Task]:
    """List all parts, the longest first."""
    folders = {path.parent.name: path.parent for path in sorted(packs.glob("*/gold.csv"))}
    folders |= {name: ROOT / "corpora" / name for name in SHIPPED}
    tasks = [Task(name=name, pack=folder, called=called) for name, folder in folders.items()]
    if (packs / TABLES).is_dir():
        shards = [(number, _N_SHARDS) for number in range(_N_SHARDS)]
        tables = packs / TABLES
        tasks[:0] = [Task(name=TABLES, pack=tables, what="tables", shard=item) for item in shards]
    for name, n_documents in RECORDED.items():
        for source, folder in SOURCES.items():
            replies = REPLIES / folder / f"{name}.jsonl"
            if name in folders and replies.exists():
                replay = {"name": f"replay:{name}/{source}", "pack": folders[name],
                          "what": "replay", "replies": replies, "schema_source": source,
                          "n_documents": n_documents, "lists": name in LISTED}  # fmt: skip
                tasks.append(Task.model_validate(replay))
    return [task.model_copy(update={"hash_seed": hash_seed}) for task in tasks]


def choose(tasks: Iterable[Task], only: Sequence[str]) -> list[Task]:
    """Return the tasks that are named, all where none is."""
    wanted = set(only)
    return [
        task
        for task in tasks
        if not wanted or task.name in wanted or (task.what == "replay" and "replays" in wanted)
    ]


def run(tasks: Sequence[Task], jobs: int) -> dict[str, Part]:
    """Measure each part in a process of its own, *jobs* at a time."""
    parts: dict[str, Part] = {}
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(_run_one, task): task for task in tasks}
        for number, done in enumerate(as_completed(running), start=1):
            part, known = done.result(), parts.get(running[done].name)
            parts[part.name] = part if known is None else _join(known, part)
            outcomes = " ".join(f"{n} {name}" for name, n in part.outcomes().items() if n)
            said = "CRASHED" if part.error else outcomes
            print(f"[{number}/{len(tasks)}] {part.name}: {said}, {part.seconds:.0f} s",
                  file=sys.stderr, flush=True)  # fmt: skip
    order = list(dict.fromkeys(task.name for task in tasks))
    return dict(sorted(parts.items(), key=lambda item: order.index(item[0])))


def _run_one(task: Task) -> Part:
    started = time.monotonic()
    command = [sys.executable, "-m", "tests.benchmarks.yardstick_part", task.model_dump_json()]
    environment = os.environ | {"PYTHONHASHSEED": task.hash_seed}
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
            env=environment,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Part(name=task.name, what=task.what, error=f"not done in {_TIMEOUT_S} s")
    if done.returncode == 0:
        return Part.model_validate_json(done.stdout)
    seconds = time.monotonic() - started
    error = done.stderr[-4000:] or f"ended with {done.returncode}"
    return Part(name=task.name, what=task.what, error=error, seconds=seconds)


def _join(first: Part, second: Part) -> Part:
    """Put two shards of a pack together."""
    update = {
        "questions": sorted(first.questions + second.questions, key=lambda item: item.id),
        "n_documents": first.n_documents + second.n_documents,
        "seconds": first.seconds + second.seconds,
        "error": first.error + second.error,
    }
    return first.model_copy(update=update)


def measure_house() -> dict[str, Package]:
    """Count lines and files of each folder of the package, and the lines of its tests."""
    packages: dict[str, Package] = {}
    for path in sorted((ROOT / "srag_mcp").rglob("*.py")):
        place = path.parent.relative_to(ROOT / "srag_mcp").as_posix()
        package = packages.setdefault(place, Package())
        package.files += 1
        package.lines += len(path.read_text(encoding="utf-8").splitlines())
    for path in sorted((ROOT / "tests").rglob("*.py")):
        place = path.parent.relative_to(ROOT / "tests").as_posix()
        package = packages.setdefault(place if place in packages else f"tests/{place}", Package())
        package.test_lines += len(path.read_text(encoding="utf-8").splitlines())
    return packages


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print one table, its columns aligned."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    for line in lines:
        cells = [
            text.rjust(width) if at else text.ljust(width)
            for at, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    print()


class Sheet:
    """Prints tables whose cells stand beside those of a saved run: `5 (was 4)`."""

    def __init__(self, now: Report, before: Report | None) -> None:
        self.now, self.before = now, before

    def cell(self, value: object, was: object) -> str:
        """Write one cell; *was* is None where there is nothing to compare with."""
        text, old = (
            f"{item:.3f}" if isinstance(item, float) else str(item) for item in (value, was)
        )
        return text if was is None or text == old else f"{text} (was {old})"

    def was(self, part: Part) -> Part | None:
        """Return what the saved run has of a part, if it was measured there."""
        saved = self.before.parts.get(part.name) if self.before else None
        return None if saved is None or saved.error else saved

    def print_parts(self, parts: Sequence[Part]) -> None:
        """Print a row for each part: its questions, columns, cells."""
        rows = []
        for part in parts:
            was = self.was(part)
            now, old = part.figures(), was.figures() if was else {}
            figures = [self.cell(value, old.get(name)) for name, value in now.items()]
            rows.append([part.name, *figures, f"{part.seconds:.0f} s"])
        print_table(["part", *Part(name="").figures(), ""], rows)


def token_rows(parts: Iterable[Part]) -> Iterator[list[str]]:
    """Yield what each replay took: in and out of the steps that took anything, in their order."""
    taken = [(part.name, part.tokens) for part in parts if part.tokens]
    steps = list(dict.fromkeys(
        step for _, item in taken for step, n in item.steps.items() if n.sent + n.replied
    ))  # fmt: skip
    yield ["tokens", "documents", "build", "ratio", "question", "most", "answer", *steps]
    for name, item in taken:
        each = [f"{item.steps[step].sent:,} + {item.steps[step].replied:,}" for step in steps]
        of_each = (item.question_median, item.question_most, item.answer_median)
        medians = [f"{n:,.0f}" for n in of_each]
        ratio = f"{item.build_ratio:.2f}"
        yield [name, f"{item.documents:,}", f"{item.build:,}", ratio, *medians, *each]


def _rows_by_kind(sheet: Sheet, parts: Iterable[Part]) -> Iterator[list[str]]:
    for part in parts:
        was = sheet.was(part)
        for kind in sorted({item.kind for item in part.questions}):
            now, old = part.outcomes(kind), was.outcomes(kind) if was else {}
            yield [
                f"{part.name}: {kind}",
                *(sheet.cell(n, old.get(name)) for name, n in now.items()),
            ]


def print_report(report: Report, before: Report | None) -> None:
    """Print all tables, then what is to be judged, and what has changed."""
    sheet, parts = Sheet(report, before), [p for p in report.parts.values() if not p.error]
    measured = [part for part in parts if part.what != "replay"]
    for rows in (measured, [part for part in parts if part.what == "replay"]):
        if rows:
            sheet.print_parts(rows)
    head, *rows_of_tokens = token_rows(parts)
    if rows_of_tokens:
        print_table(head, rows_of_tokens)
    print_table(["by kind", *OUTCOMES], list(_rows_by_kind(sheet, measured)))
    listed = [
        [f"{part.name}: {name}", str(score)]
        for part in parts
        for name, score in part.children.items()
    ]
    if listed:
        print_table(["rows of what documents list", ""], listed)
    for part in measured:
        _print_walk(sheet, part)
    _print_house(sheet, report, before)
    for part in measured:
        _print_to_judge(part)
    for part in parts:
        _print_changes(part, sheet.was(part))
    for part in report.parts.values():
        if part.error:
            print(f"CRASHED: {part.name}\n{part.error}\n")
    print(f"commit {report.commit}, {report.seconds:.0f} s")


def _print_walk(sheet: Sheet, part: Part) -> None:
    if part.walk is None:
        return
    was = sheet.was(part)
    old = was.walk.model_dump() if was and was.walk else {}
    rows = [[name, sheet.cell(n, old.get(name))] for name, n in part.walk.model_dump().items()]
    print_table(["one question passes through", ""], rows)


def _print_to_judge(part: Part) -> None:
    for column in part.columns:
        if not column.by_gold and (column.is_old or not column.by_reader):
            near = f"nearest gold field {column.field} {column.precision}/{column.recall}"
            print(f"to judge: column {part.name} {column.name} {column.holds} ({column.verdict}):"
                  f" {column.n_filled} filled, {column.examples}, {near}")  # fmt: skip
    for item in part.questions:
        if item.outcome == "wrong" and item.silent:
            print(
                f"silent: {part.name} {item.id} {item.question!r} -> {str(item.answer)[:80]}"
                f" (truth {str(item.expected)[:80]}); notes to judge: {item.to_judge or 'none'}"
            )


def _print_house(sheet: Sheet, report: Report, before: Report | None) -> None:
    if not report.packages:
        return
    old = before.packages if before else {}
    rows = []
    for name in [*report.packages, *(name for name in old if name not in report.packages)]:
        now, was = report.packages.get(name, Package()), old.get(name, Package() if old else None)
        numbers = now.model_dump()
        rows.append(
            [name, *(sheet.cell(n, was and was.model_dump()[key]) for key, n in numbers.items())]
        )
    total, total_was = _total(report.packages), _total(old) if old else None
    rows.append(["all", *(sheet.cell(n, total_was and total_was.model_dump()[key])
                          for key, n in total.model_dump().items())])  # fmt: skip
    print_table(["package", "lines", "files", "lines of tests"], rows)


def _total(packages: dict[str, Package]) -> Package:
    items = packages.values()
    return Package(
        lines=sum(item.lines for item in items),
        files=sum(item.files for item in items),
        test_lines=sum(item.test_lines for item in items),
    )


def _print_changes(part: Part, was: Part | None) -> None:
    old = {item.id: item for item in was.questions} if was else {}
    for item in part.questions:
        before = old.get(item.id)
        if before and (_verdict(before) != _verdict(item) or
                       (item.outcome == "wrong" and before.answer != item.answer)):  # fmt: skip
            print(f"changed: {part.name} {item.id} {item.question!r}: {_verdict(before)} ->"
                  f" {_verdict(item)} (truth {str(item.expected)[:80]})\n"
                  f"  was {before.sql or before.notes} -> {str(before.answer)[:100]}\n"
                  f"  now {item.sql or item.notes} -> {str(item.answer)[:100]}")  # fmt: skip


def _verdict(item: Question) -> str:
    return "silent wrong" if item.outcome == "wrong" and item.silent else item.outcome


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where a part crashed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", default="", metavar="PART,...")
    parser.add_argument("--called", default="", metavar="NAME", help="folder of the documents")
    parser.add_argument("--seed", default="0", metavar="N", help="PYTHONHASHSEED, or random")
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--against", type=Path, metavar="FILE")
    parser.add_argument("--show", type=Path, metavar="FILE", help="measure nothing, print this run")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    chosen = parser.parse_args(arguments)
    only = [name.strip() for name in chosen.only.split(",") if name.strip()]
    tasks = choose(find_tasks(chosen.packs.resolve(), chosen.called, chosen.seed), only)
    if not tasks and only != ["house"]:
        parser.error(f"there is no part {chosen.only!r} in {chosen.packs}")
    if chosen.show:
        report = Report.model_validate_json(chosen.show.read_text(encoding="utf-8"))
    else:
        report = measure(tasks, chosen.jobs, with_house=not only or "house" in only)
    before, verdicts = None, read_verdicts()
    if chosen.against:
        before = Report.model_validate_json(chosen.against.read_text(encoding="utf-8"))
        settle(before.parts, verdicts)
    settle((before.parts if before else {}) | report.parts, verdicts)
    if chosen.save:
        chosen.save.write_text(report.model_dump_json(indent=1), encoding="utf-8")
    print(report.model_dump_json(indent=1)) if chosen.json else print_report(report, before)
    return int(any(part.error for part in report.parts.values()))


def measure(tasks: Sequence[Task], jobs: int, *, with_house: bool) -> Report:
    """Measure the parts, and the house where that is wanted."""
    started = time.monotonic()
    git = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    commit = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    report = Report(
        commit=commit.strip(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        parts=run(tasks, jobs),
        packages=measure_house() if with_house else {},
    )
    report.seconds = time.monotonic() - started
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
