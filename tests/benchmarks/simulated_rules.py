"""Effort `checked` over generated hotels with a simulated model: tokens and cells, no player.

The reader knows the gold and quotes the statement that tells a fact; the writer makes rules as a
diligent model would, from what its prompt shows alone: one for each wording that it sees, with
patterns for names, numbers and dates.

    python -m corpora.generate_hotels --n 500 --seed 7 PACK
    python -m tests.benchmarks.simulated_rules PACK [--effort checked]
"""

import argparse
import csv
import json
import re
import shutil
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from srag_mcp.cells.cell import DocumentText
from srag_mcp.documents.folder import SCHEMA_FILE
from srag_mcp.model.language_model import CHARACTERS_A_TOKEN, count_tokens
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.rule_reading import RuleReading, _find_shown
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import QueryPool
from tests.model.openai_server import Answer, Body, serving

PHRASES = tomllib.loads(
    (Path(__file__).parents[2] / "corpora/generate_hotels/phrases.toml").read_text("utf-8")
)
_DOCUMENT = re.compile(r'^(d\d+) \(path "(.*?)".*?\n<<<(\w+)\n(.*?)\n\3>>>', re.M | re.S)
_COLUMN = re.compile(r"^(\d+) (\w+) \(", re.M)
_SENTENCE = re.compile(r"(?<=[.!?”])\s+(?=[^a-z\s])")
_PLACEHOLDER = re.compile(r"\\\$\w+")


_VALUES = {
    "stars": ("stars", "stars_word", "star_marks"),
    "price_per_night": ("price", "price_number"),
    "rooms_left": ("rooms_left", "n_rooms_left"),
    "n_rooms": ("n_rooms", "n_rooms_words"),
    "n_floors": ("n_floors", "floors_word", "Floors_word"),
    "distance_to_centre_km": ("distance_to_centre",),
    "distance_to_airport_km": ("distance_to_airport",),
}


_SLOTS = {
    "distance": r"\d[\d.,]* (?:km|kilometres|metres|m)",
    "price": r"(?:€ )?\d[\d.,]*(?: euros)?",
    "total": r"(?:€ )?\d[\d.,]*(?: euros)?",
    "word": r"[A-Za-z]+(?:[ -][a-z]+)*",
    "n_rooms": r"\d+",
    "n_floors": r"\d+",
    "n_reviews": r"\d[\d.,]*",
    "rooms_left": r"\d+(?: rooms?)?|[A-Za-z]+ rooms?",
    "rating": r"\d[\d.,]*",
    "airport": r".{1,60}? Airport",
}


def templates() -> dict[str, list[tuple[str, str, re.Pattern[str]]]]:
    """Return form, text and pattern of whole statements, by the fact that they tell."""
    found: dict[str, list[tuple[str, str, re.Pattern[str]]]] = {}
    facts = dict(PHRASES["fact"]) | {f"{k}.false": v for k, v in PHRASES["lacks"].items()}
    for key, forms in facts.items():
        for form, texts in forms.items():
            for text in texts:
                escaped = _separated(_PLACEHOLDER.sub(_shape_of, re.escape(text)), form)
                found.setdefault(key, []).append((form, text, re.compile(escaped)))
    return found


def _shape_of(slot: re.Match[str]) -> str:
    """Return what stands in a slot of a wording, as who reads a few of them would see it."""
    name = slot[0].lstrip("\\$")
    shape = next((shape for part, shape in _SLOTS.items() if part in name), ".{1,60}?")
    return f"(?:{shape})"


def _separated(pattern: str, form: str) -> str:
    return pattern.replace(r"\ \|\ ", r"(?: \| |: )") if form == "rows" else pattern


STATEMENTS = templates()


def statements(text: str) -> list[str]:
    """Return the sentences, items and rows of a page."""
    return [part for line in text.splitlines() for part in _SENTENCE.split(line.removeprefix("- "))]


@cache
def _fits(said: str, keys: tuple[str, ...]) -> int:
    """Return how long a wording is that *said* is of; 0 where it tells none of these facts."""
    fitting = (
        len(template)
        for key in keys
        for _, template, pattern in STATEMENTS.get(key, ())
        if pattern.fullmatch(said)
    )
    return max(fitting, default=0)


def _find_statement(text: str, keys: tuple[str, ...], words: str = "") -> str:
    fitting = [(_fits(said, keys), said) for said in statements(text) if words in said]
    length, said = max(fitting, default=(0, ""))
    return said if length else ""


class Oracle:
    """Answers prompts for records by gold, and prompts for rules by what they show."""

    def __init__(self, pack: Path) -> None:
        with (pack / "gold.csv").open(encoding="utf-8", newline="") as file:
            self.gold = {row["document"]: row for row in csv.DictReader(file)}
        self.tokens: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.read: Counter[str] = Counter()
        self.missed = 0
        self.shown: list[tuple[str, str, str]] = []
        self.phase = "sample"
        self.is_loud = False
        self.why: dict[tuple[str, str], str] = {}
        self.causes: defaultdict[tuple[str, str, str], float] = defaultdict(float)

    def answer(self, body: Body) -> Answer:
        messages = body["messages"]
        assert isinstance(messages, list)
        instructions, content = (str(messages[n]["content"]) for n in (0, 1))
        if "rules by which a program" in instructions:
            step, said = "rules", {"rules": list(self.write(content))}
        elif instructions.startswith("You read documents"):
            step, said = "records", {"documents": list(self.records(instructions, content))}
        elif instructions.startswith("Documents were read into a table"):
            step, said = "repairs", {"cells": []}
            self.shown.append((step, content, ""))
        else:
            step, said = "other", {}
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        whole = json.dumps(body.get("response_format", ""))
        if step == "rules":
            self.shown.append((step, content, text))
        if step == "records":
            step = self.phase
            self.shown.append((step, instructions + content, text))
        self.calls[step] += 1
        if self.is_loud:
            print(step, count_tokens(content), count_tokens(text), file=sys.stderr, flush=True)
        self.tokens[f"{step}: fixed"] += count_tokens(instructions + whole)
        self.tokens[f"{step}: shown"] += count_tokens(content)
        self.tokens[f"{step}: replies"] += count_tokens(text)
        return Answer(text)

    def records(self, instructions: str, content: str) -> Iterator[dict[str, object]]:
        columns = [(int(number), name) for number, name in _COLUMN.findall(instructions)]
        only = dict(re.findall(r"(d\d+): ([\d, ]+)", content.rpartition("these columns:")[2]))
        for key, path, _mark, text in _DOCUMENT.findall(content):
            wanted = {int(n) for n in only[key].split(",")} if key in only else None
            self.read[Path(path).name] += 1
            cells: list[object] = []
            asked = [(n, name) for n, name in columns if wanted is None or n in wanted]
            for number, name in asked:
                cells += self.cell(number, name, self.gold[Path(path).name], text)
            yield {"id": key, "cells": cells}
            if self.why:
                self.charge(Path(path).name, [name for _, name in asked], text)

    def charge(self, document: str, names: Sequence[str], text: str) -> None:
        """Count what is shown of a document for the columns that had it shown, and why."""
        why = {name: self.why.get((document, name), "") for name in names}
        decisive = [name for name in names if "whole" in why[name]] or names
        for name in decisive:
            self.causes[self.phase, name, why[name]] += count_tokens(text) / len(decisive)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note which step asks for what is read, and why."""
        read, read_parts = RuleReading.read, RuleReading.read_parts
        find_left = RuleReading._find_left

        def reading(own, attributes, ids, step):  # type: ignore[no-untyped-def]
            self.phase = {"sample": "practice", "lessons": "audit"}.get(self.phase, self.phase)
            self.phase = "audit" if self.calls["practice"] else self.phase
            self.phase = "sample" if step == "records" else self.phase
            read(own, attributes, ids, step)

        def reading_parts(own, columns, places):  # type: ignore[no-untyped-def]
            self.phase = "lessons"
            read_parts(own, columns, places)

        def finding_left(own, attributes, columns, places):  # type: ignore[no-untyped-def]
            self.phase = "left open, in parts" if columns else "left open, whole"
            for key, item in find_left(own, attributes, columns, places):
                for name in item.names:
                    column = columns.get(name)
                    how = "unread in parts" if column is None else column.rulings[key].verdict
                    is_whole = not (column and _find_shown(column, places, own_text(own, key)))
                    self.why[Path(key).name, name] = f"{how}{', whole' * is_whole}"
                yield key, item

        def own_text(own: RuleReading, key: str) -> DocumentText:
            return next(iter(own.predictions.texts([key])))

        with (
            patch.object(RuleReading, "read", reading),
            patch.object(RuleReading, "read_parts", reading_parts),
            patch.object(RuleReading, "_find_left", finding_left),
        ):
            yield

    def cell(self, number: int, name: str, row: dict[str, str], text: str) -> list[object]:
        value = row[name]
        if name in {"name", "city"}:
            return [[number, value]] if value in text else []
        if not value:
            return []
        typed: object = value
        if value in {"true", "false"}:
            typed, keys = value == "true", [f"{name}.{value}"]
        else:
            keys = [key for key in STATEMENTS if name in key.split()]
            if name not in {"opening_date", "country"}:
                typed = float(value) if "." in value else int(value)
        if name == "country":
            keys, typed = ["address"], value
        said = _find_statement(text, tuple(keys), value if name == "country" else "")
        return [[number, typed, said]] if said else []

    # --- rules ---

    def write(self, content: str) -> Iterator[dict[str, object]]:
        body = content.rpartition("Columns:")[2]
        for part in re.split(r"^- ", body, flags=re.M)[1:]:
            head = re.match(r"(\w+) \((\w+)", part)
            if head is None:
                continue
            name, kind = head[1], head[2]
            seen = set(re.findall(r"^  fell: (.+?) took ", part, re.M))
            found = (
                r"^  (?:d\d+:|missed:|fell: .+ the reader found) (.+?) “(.+)”(?: \(\d+ times.*)?$"
            )
            for value, quote in re.findall(found, part, re.M):
                for rule in self.rule(name, kind, value, quote):
                    if rule["pattern"] not in seen:
                        seen.add(rule["pattern"])
                        yield rule

    def rule(self, name: str, kind: str, value: str, quote: str) -> Iterator[dict[str, object]]:
        if name in {"name", "city"}:
            pattern = {
                "name": r"^title: (?P<value>.+), [^,\n]+ – Nightjar",
                "city": r"^title: .+, (?P<value>[^,\n]+) – Nightjar",
            }[name]
            yield {"column": name, "pattern": pattern}
            return
        fact = "address" if name == "country" else name
        keys = [key for key in STATEMENTS if fact in key.split()]
        if kind == "boolean":
            keys = [f"{name}.{value.lower()}"]
        is_cut = not quote.endswith("⏎") or "…" in quote
        quote = quote.strip(" …⏎").rpartition("⏎ ")[2].removeprefix("- ")
        for said in (quote, *statements(quote)):
            fitting = [
                (len(text), form, text)
                for key in keys
                for form, text, pattern in STATEMENTS[key]
                if pattern.fullmatch(said)
            ]
            if fitting:
                _, form, text = max(fitting)
                yield self.general(name, kind, value, form, text)
                return
        self.missed += is_cut

    def general(self, name: str, kind: str, value: str, form: str, text: str) -> dict[str, object]:
        """Write a rule for one wording: what varies in it may be anything."""
        own = _VALUES.get(name, (name,))
        # what stands before or behind a sentence takes no part in it
        text = re.sub(r"^\$name |^\$airport ", "", text) if form == "prose" else text
        pattern = re.escape(text)
        rule: dict[str, object] = {"column": name}
        for word in re.findall(r"\$(\w+)", text):
            is_value = word in own and "(?P<value>" not in pattern
            [slot, *_] = _PLACEHOLDER.finditer(pattern)
            own_shape = f"(?P<value>{_SHAPES.get(kind, _NUMBER)})"
            shape = own_shape if is_value else _shape_of(slot)
            pattern = f"{pattern[: slot.start()]}{shape}{pattern[slot.end() :]}"
        if kind == "boolean":
            pattern, rule["means"] = f"(?P<value>{pattern})", value.lower()
        if "star_marks" in text:
            rule["map"] = [{"words": "★" * n, "value": str(n)} for n in range(1, 6)]
        pattern = _separated(pattern, form)
        rule["pattern"] = f"^(?:- )?{pattern}$" if form != "prose" else pattern
        return rule


_MEASURE = r"(?: (?:km|kilometres|metres|m|rooms?)\b)?"
_NUMBER = rf"(?:€ )?\d[\d.,]*\d{_MEASURE}|(?:€ )?\d{_MEASURE}|★+|[A-Za-z]+(?:-[a-z]+)?"
_SHAPES = {
    "string": r"[A-Z][a-z]+(?: [A-Z][a-z]+)?",
    "date": r"(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? [A-Z][a-z]+ \d{4}"
    r"|[A-Z][a-z]+ \d{1,2}, \d{4}",
}


def main() -> None:
    """Run one ingestion and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--effort", default="checked")
    parser.add_argument("--show", action="store_true", help="prompts for rules, on stderr")
    given = parser.parse_args()
    oracle = Oracle(given.pack)
    oracle.is_loud = given.show
    with serving(oracle.answer) as server, TemporaryDirectory() as scratch:
        folder = Path(scratch) / "hotels"
        folder.mkdir()
        shutil.copytree(given.pack / "documents", folder / "documents")
        (folder / SCHEMA_FILE).write_text((given.pack / SCHEMA_FILE).read_text("utf-8"))
        settings = Settings(
            workers=1, home=Path(scratch) / "home", model="openai/fake", api_base=server.base,
            api_key="none", effort=given.effort,
        )  # fmt: skip
        with oracle.watching():
            report = ingest(folder, settings)
        print("\n".join(report.ruled))
        if given.show:
            for name, prompt, reply in oracle.shown:
                print(name, prompt, reply, sep="\n", end="\n=====\n", file=sys.stderr)
        with QueryPool() as pool:
            corpus = Corpus(folder, pool, settings.home)
            compare(corpus, oracle.gold)
            [(n_characters,)] = corpus.read("SELECT sum(characters) FROM documents", ())
            n_tokens = int(str(n_characters)) // CHARACTERS_A_TOKEN
    total = sum(oracle.tokens.values())
    print(
        f"{total:,} tokens but for the schema, {n_tokens:,} of the documents:"
        f" {total / n_tokens:.2f}"
    )
    for step, n in oracle.calls.items():
        parts = [oracle.tokens[f"{step}: {part}"] for part in ("fixed", "shown", "replies")]
        said = "".join(f"{part:10,}" for part in (*parts, sum(parts)))
        print(f"{step:20}{n:4} prompts{said}  {sum(parts) / n_tokens:.3f}")
    print(f"read {len(oracle.read)} documents; of what is shown of them, by cause:")
    for (step, name, why), shown in sorted(oracle.causes.items(), key=lambda item: -item[1])[:40]:
        print(f"{step:20} {name:24} {why:24}{shown:10,.0f}  {shown / n_tokens:.3f}")


def compare(corpus: Corpus, gold: dict[str, dict[str, str]]) -> None:
    """Print the share of right cells, how wrong ones came about, and bounds beside true errors."""
    schema = corpus.schema()
    columns = [name for name in next(iter(gold.values())) if name != "document"]
    rows = corpus.read(f"SELECT document_id, {', '.join(columns)} FROM {schema.entity}", ())
    how = {
        (str(row[0]), str(row[1])): (str(row[2]), str(row[3]), str(row[4])[:60])
        for row in corpus.read("SELECT document_id, attribute, state, marks, note FROM cells", ())
    }
    wrong: Counter[str] = Counter()
    ways: Counter[tuple[str, str, str]] = Counter()
    n_ruled: Counter[str] = Counter()
    n_wrong_ruled: Counter[str] = Counter()
    for row in rows:
        want = gold[Path(str(row[0])).name]
        for name, value in zip(columns, row[1:], strict=True):
            said = "" if value is None else str(value)
            said = said.lower() if isinstance(value, bool) else said
            try:
                is_same = abs(float(said) - float(want[name])) < 1e-6
            except ValueError:
                is_same = said == want[name]
            way = how[str(row[0]), name]
            is_ruled = "ruled" in way[1]
            n_ruled[name] += is_ruled
            n_wrong_ruled[name] += is_ruled and not is_same
            if not is_same:
                wrong[name] += 1
                ways[way] += 1
    n = len(rows) * len(columns)
    print(f"cells {1 - sum(wrong.values()) / n:.4f} of {n}")
    for way, n_cells in ways.most_common(8):
        print(n_cells, "wrong cells are", *way)
    print("column, bound, true error of the cells that were not read before, wrong of unread cells")
    for name in columns:
        audit = schema.attribute(name).audit
        if audit is not None:
            found = f"{n_wrong_ruled[name]} of {n_ruled[name]}"
            true = n_wrong_ruled[name] / audit.cells
            print(f"{name:24} {audit.bound:6.1%} {true:6.2%}  {found:12} {wrong[name]} of all")


if __name__ == "__main__":
    main()
