"""The prompts of the recorded settings, compared byte by byte with a snapshot.

    python -m tests.benchmarks.prompts --packs DIR --texts NEW             compares
    python -m tests.benchmarks.prompts --packs DIR --texts NEW --before OLD  shows what changed
    python -m tests.benchmarks.prompts --packs DIR --texts NEW --save      takes a new snapshot

The snapshot (`prompts.json`) has hashes alone, for the texts of the packs are not ours: of each
prompt its step, its subject (document ids, or the question) and all of it. `--texts` is a folder
for the prompts themselves: take one before a change, and give it as `--before` after it; then the
first changed prompt of each step and setting is shown as a difference, and a changed prompt gets
the reply that it had before, so that all prompts behind it are seen, too (and so are the figures
that the change would have if the model said the same). Without `--before` a replay ends at the
first prompt that nobody recorded. `--only` names settings as in the yardstick.
"""

import argparse
import difflib
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.benchmarks.told_prompts import ToldPrompt, read_prompts
from tests.benchmarks.yardstick import choose, find_tasks, print_table, run

SNAPSHOT = Path(__file__).with_name("prompts.json")
_N_DIFF_LINES = 60

# By setting, by step: `subject:prompt` of all its prompts, as the beginnings of their hashes.
Snapshot = dict[str, dict[str, str]]


def take(prompts: Iterable[ToldPrompt]) -> dict[str, str]:
    """Return the hashes of *prompts* by step."""
    taken: defaultdict[str, list[str]] = defaultdict(list)
    for prompt in prompts:
        subject = hashlib.sha256(prompt.subject.encode()).hexdigest()[:6]
        taken[prompt.step].append(f"{subject}:{prompt.prompt_hash[:8]}")
    return {step: " ".join(sorted(found)) for step, found in sorted(taken.items())}


def compare(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Count, by step, the prompts that are the same, changed, new and gone.

    Changed are the prompts on one subject as far as there are as many in both.
    """
    counts: dict[str, dict[str, int]] = {}
    for step in sorted(old.keys() | new.keys()):
        was, now = Counter(old.get(step, "").split()), Counter(new.get(step, "").split())
        lost = Counter(name.partition(":")[0] for name in (was - now).elements())
        won = Counter(name.partition(":")[0] for name in (now - was).elements())
        counts[step] = {
            "same": (was & now).total(),
            "changed": (lost & won).total(),
            "new": (won - lost).total(),
            "gone": (lost - won).total(),
        }
    return counts


def show_changes(old: Sequence[ToldPrompt], new: Sequence[ToldPrompt]) -> None:
    """Show the first changed prompt of each step as a difference."""
    known = {prompt.prompt_hash for prompt in old}
    shown: set[str] = set()
    for prompt in new:
        if prompt.prompt_hash in known or prompt.step in shown:
            continue
        shown.add(prompt.step)
        alike = [item for item in old if (item.step, item.subject) == (prompt.step, prompt.subject)]
        before = _text(alike[0]) if alike else ""
        lines = list(
            difflib.unified_diff(before.splitlines(), _text(prompt).splitlines(), lineterm="", n=1)
        )
        print(f"--- {prompt.step} ({prompt.subject[:100]}): {'changed' if alike else 'new'}")
        print("\n".join(line[:200] for line in lines[2:_N_DIFF_LINES]) + "\n")


def _text(prompt: ToldPrompt) -> str:
    schema = json.dumps(prompt.reply_schema, indent=1)
    corrections = "\n".join(f"{reply}\n{message}" for reply, message in prompt.corrections)
    return "\n".join([prompt.instructions, prompt.content, corrections, schema])


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where a prompt differs from the snapshot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--texts", type=Path, required=True, metavar="DIR")
    parser.add_argument("--before", type=Path, metavar="DIR")
    parser.add_argument("--only", default="replays", metavar="SETTING,...")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    chosen = parser.parse_args(arguments)
    chosen.texts.mkdir(parents=True, exist_ok=True)
    tasks = choose(find_tasks(chosen.packs.resolve()), chosen.only.split(","))
    files = {task.name: f"{task.name.partition(':')[2].replace('/', '-')}.jsonl" for task in tasks}
    for task in tasks:
        task.told = (chosen.texts / files[task.name]).resolve()
        task.stand_ins = (chosen.before / files[task.name]).resolve() if chosen.before else None
    parts = run(tasks, chosen.jobs)
    snapshot: Snapshot = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    rows, is_same = [], True
    for task in tasks:
        told = read_prompts(chosen.texts / files[task.name])
        taken = take(told)
        for step, counts in compare(snapshot.get(task.name, {}), taken).items():
            rows.append([f"{task.name} {step}", *map(str, counts.values())])
            is_same = is_same and counts["same"] == sum(counts.values())
        snapshot[task.name] = taken
        if chosen.before:
            show_changes(read_prompts(chosen.before / files[task.name]), told)
        if parts[task.name].error:
            print(f"{task.name} ended early: {parts[task.name].error.splitlines()[-1]}")
    print_table(["prompts", "same", "changed", "new", "gone"], rows)
    if chosen.save:
        SNAPSHOT.write_text(f"{json.dumps(snapshot, indent=1)}\n", encoding="utf-8")
    return int(not is_same)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
