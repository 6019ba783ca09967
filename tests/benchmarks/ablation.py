"""Ablation: what a function, or a kind of extractor, is worth.

    python -m tests.benchmarks.ablation --packs DIR srag_mcp.rules.labels:vote_candidates
    python -m tests.benchmarks.ablation --packs DIR --only hotels,receipts place part
    python -m tests.benchmarks.ablation --packs DIR --asking srag_mcp.answer.closed_world:state_…

A function (`module:name`, `module:Class.name`) does nothing but return a constant, each of False,
True, None, nothing (an empty list) and its own first argument in turn; what is told is the best of
them, right answers less wrong ones. A kind of extractor is not looked for when a schema is induced.
`--asking` is for functions that only questions use: each pack is ingested once for all of them.
Parts are named as in the yardstick; without `--only` all packs of documents without a model.
A constant with which a pack cannot be measured is left out.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.benchmarks.yardstick import TABLES, choose, find_tasks, print_table, run
from tests.benchmarks.yardstick_part import CONSTANTS, Replaced, Task
from tests.benchmarks.yardstick_report import Part

_INDUCED = "srag_mcp.rules"
# Where induction proposes rules of each kind; a kind that gets a new place is entered here.
KINDS = {
    "vote": (f"{_INDUCED}.labels:vote_candidates", "nothing"),
    "label": (f"{_INDUCED}.labels:label_candidates", "nothing"),
    "item": (f"{_INDUCED}.items:item_candidates", "nothing"),
    "slot": (f"{_INDUCED}.running:slot_candidates", "nothing"),
    "place": (f"{_INDUCED}.places:place_candidates", "nothing"),
}


def changes_of(target: str) -> list[Replaced]:
    """List what is tried for one target of the command line."""
    if target in KINDS:
        function, constant = KINDS[target]
        return [Replaced(function=function, constant=constant)]
    return [Replaced(function=target, constant=constant) for constant in CONSTANTS]


def measure(
    tasks: Sequence[Task], changes: Sequence[Replaced], jobs: int, *, asking: bool
) -> dict[str, dict[str, Part]]:
    """Measure the parts as they are (under the key "") and with each change, by its name."""
    if asking:
        parts = run([task.model_copy(update={"asked_with": changes}) for task in tasks], jobs)
        found: dict[str, dict[str, Part]] = {"": parts}
        for part in parts.values():
            for name, changed in part.changed.items():
                found.setdefault(name, {})[part.name] = changed
        return found
    every = {"": run(tasks, jobs)}
    for change in changes:
        again = [task.model_copy(update={"replaced": [change]}) for task in tasks]
        every[change.name] = run(again, jobs)
    return every


def best_of(
    before: Mapping[str, Part], found: Mapping[str, Mapping[str, Part]], changes: Sequence[Replaced]
) -> tuple[str, dict[str, str]] | None:
    """Return the constant that does the least harm, and what it changes; None if none works."""
    tried = []
    for change in changes:
        parts = found.get(change.name, {})
        if parts.keys() == before.keys() and not any(part.error for part in parts.values()):
            worth = Counter[str]()
            for part in parts.values():
                worth.update(part.outcomes())
            shown = {name: _difference(before[name], part) for name, part in parts.items()}
            tried.append((worth["right"] - worth["wrong"], change.constant, shown))
    if not tried:
        return None
    _, constant, shown = max(tried, key=lambda item: item[0])
    return constant, shown


def _difference(before: Part, after: Part) -> str:
    """Write how many right and wrong answers, and columns, there are more: `-3 / +1`."""
    old, new = before.outcomes(), after.outcomes()
    n_right, n_wrong = new["right"] - old["right"], new["wrong"] - old["wrong"]
    n_columns = len(after.columns) - len(before.columns) if after.columns else 0
    columns = f" ({n_columns:+} columns)" if n_columns else ""
    return f"{n_right:+} / {n_wrong:+}{columns}" if n_right or n_wrong or n_columns else "·"


def _measured_by_default(tasks: Iterable[Task]) -> list[Task]:
    return [task for task in tasks if task.what == "documents"]


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="+", metavar="FUNCTION|KIND")
    parser.add_argument("--packs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", default="", metavar="PART,...", help=f"packs, or {TABLES}")
    parser.add_argument("--asking", action="store_true", help="ingest once, then replace")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    chosen = parser.parse_args(arguments)
    only = [name.strip() for name in chosen.only.split(",") if name.strip()]
    tasks = find_tasks(chosen.packs.resolve())
    tasks = choose(tasks, only) if only else _measured_by_default(tasks)
    wanted = {target: changes_of(target) for target in chosen.targets}
    changes = [change for tried in wanted.values() for change in tried]
    found = measure(tasks, changes, chosen.jobs, asking=chosen.asking)
    rows = []
    for target, tried in wanted.items():
        best = best_of(found[""], found, tried)
        cells = [f"{target}: no constant works"] if best is None else [f"{target} = {best[0]}"]
        shown = {} if best is None else best[1]
        rows.append([*cells, *(shown.get(name, "") for name in found[""])])
    outcomes = [part.outcomes() for part in found[""].values()]
    print_table(
        ["taken out: right / wrong", *found[""]],
        [["nothing", *(f"{item['right']} / {item['wrong']}" for item in outcomes)], *rows],
    )


if __name__ == "__main__":
    main(sys.argv[1:])
