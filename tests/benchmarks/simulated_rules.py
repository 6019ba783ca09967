"""An effort over a pack with a simulated model: tokens and cells, no player.

The reader knows the gold and quotes the statement that tells a fact; the writer makes rules as a
diligent model would, from what its prompt shows alone: one for each wording that it sees, with
patterns for names, numbers and dates.

    python -m corpora.generate_hotels --n 500 --seed 7 PACK
    python -m tests.benchmarks.simulated_rules PACK [--effort checked]

Of other packs the reader knows a table of cells, with their words, of any build that read them all:

    python -m tests.benchmarks.simulated_rules PACK --cells CELLS.csv --schema SCHEMA.json

CELLS.csv has the columns document (the name of its file), attribute, value and as_stated, as the
table `cells` of a build has them.
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
_COLUMN = re.compile(r"^(\d+) (\w+) \((\w+)", re.M)
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
    "word": r"\d+|[A-Za-z]+(?:[ -][a-z]+)*",
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

    def __init__(self, gold: dict[str, dict[str, str]]) -> None:
        self.gold = gold
        self.kinds: dict[str, str] = {}
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
        said: dict[str, list[object]]
        if "rules by which a program" in instructions:
            step, said = "rules", {"rules": list(self.write(content))}
        elif instructions.startswith("You read documents"):
            step, said = "records", {"documents": list(self.records(instructions, content))}
        elif instructions.startswith("Documents were read into a table"):
            step, said = "repairs", {"cells": [*self.confirm(content)]}
        elif instructions.startswith("A table was filled in"):
            kept = {"verdict": "keep", "value": None, "rationale": "so it is"}
            ids = dict.fromkeys(re.findall(r"\[(c\d+), begin", content))
            step, said = "standardise", {"verdicts": [{"id": key, **kept} for key in ids]}
        else:
            step, said = "names", {"groups": []}
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
        found = _COLUMN.findall(instructions)
        columns = [(int(number), name) for number, name, _ in found]
        self.kinds |= {name: kind for _, name, kind in found}
        only = dict(re.findall(r"(d\d+): ([\d, ]+)", content.rpartition("these columns:")[2]))
        for key, path, _mark, text in _DOCUMENT.findall(content):
            wanted = {int(n) for n in only[key].split(",")} if key in only else None
            self.read[Path(path).name] += 1
            cells: list[object] = []
            asked = [(n, name) for n, name in columns if wanted is None or n in wanted]
            for number, name in asked:
                cells += self.cell(number, name, Path(path).name, text)
            yield {"id": key, "cells": cells}
            if self.why:
                self.charge(Path(path).name, [name for _, name in asked], text)

    def confirm(self, content: str) -> Iterator[list[object]]:
        """Yield cells in doubt as they were."""
        found = r"^\[(c\d+), begin .*\nvalue: (.*)\nquote: (.*)$"
        for key, value, quote in re.findall(found, content, re.M):
            typed: object = {"true": True, "false": False}.get(value, value)
            if re.fullmatch(r"-?\d+(?:\.\d+)?", value):
                typed = float(value)
            said = [] if quote == "(none)" else [quote]
            yield [key, typed, *said, "doubtful: so it is"]

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

    def cell(self, number: int, name: str, document: str, text: str) -> list[object]:
        value = self.gold[document][name]
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
        shown, _, body = content.rpartition("\n\nColumns:\n")
        self.lines = shown.splitlines()
        for part in re.split(r"^- ", body, flags=re.M)[1:]:
            head = re.match(r"(\w+) \((\w+)", part)
            if head is None:
                continue
            name, kind = head[1], head[2]
            seen = set(re.findall(r"^  fell: (.+?) took ", part, re.M))
            for value, quote in [*_said(part).values(), *_missed(part)]:
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


class Teller(Oracle):
    """The same of a table of cells: it reads what the table has, where its words are shown."""

    def __init__(self, cells: Path) -> None:
        super().__init__(defaultdict(lambda: defaultdict(str)))
        self.said: dict[tuple[str, str], tuple[str, str]] = {}
        for row in read_rows(cells):
            self.said[row["document"], row["attribute"]] = row["value"], row["as_stated"]
            self.gold[row["document"]][row["attribute"]] = row["value"]

    def cell(self, number: int, name: str, document: str, text: str) -> list[object]:
        value, quote = self.said.get((document, name), ("", ""))
        if not quote or " ".join(quote.split()) not in " ".join(text.split()):
            return []
        typed: object = {"true": True, "false": False}.get(value, value) if value else None
        if self.kinds.get(name) in {"number", "integer"} and value:
            typed = float(value)
        return [[number, typed] if quote == value else [number, typed, quote]]

    def write(self, content: str) -> Iterator[dict[str, object]]:
        """Write for each line that states a value the widest rule that no shown document denies."""
        texts = {key: text for key, _, _, text in _DOCUMENT.findall(content)}
        for part in re.split(r"^- ", content.rpartition("\n\nColumns:\n")[2], flags=re.M):
            head = re.match(r"(\w+) \((\w+)", part)
            if head is None:
                continue
            name, kind = head[1], head[2]
            known, missed = _said(part), _missed(part)
            seen = set(re.findall(r"^  fell: (.+?) took ", part, re.M))
            shown = {key: text for key, text in texts.items() if f"{key}" in part}
            for key, (value, quote) in known.items():
                lines = texts.get(key, "").splitlines()
                line = next(
                    (x for x in lines if " ".join(quote.split()) in " ".join(x.split())), ""
                )
                drafts = [*_drafts(name, kind, value, quote, line)]
                best = next((x for x in drafts if not _is_denied(x, kind, known, shown)), None)
                if best is not None and best["pattern"] not in seen:
                    seen.add(str(best["pattern"]))
                    yield best
            for value, line in missed:
                drafts = [*_drafts(name, kind, value, "", line.rpartition("⏎ ")[2] or line)]
                for draft in drafts[1:2] or drafts:
                    if draft["pattern"] not in seen:
                        seen.add(str(draft["pattern"]))
                        yield draft


def _said(part: str) -> dict[str, tuple[str, str]]:
    """Return the values of a column and the words that say them, by document."""
    found = re.findall(r"^  ((?:d\d+(?:, )?)+): (.+?)(?: “(.+)”)?$", part, re.M)
    return {
        key: (value, quote or value) for keys, value, quote in found for key in keys.split(", ")
    }


def _missed(part: str) -> list[tuple[str, str]]:
    found = r"^  (?:missed:|fell: .+ the reader found) (.+?) “(.+)”(?: \(\d+ times.*)?$"
    return re.findall(found, part, re.M)


def _drafts(name: str, kind: str, value: str, quote: str, line: str) -> Iterator[dict[str, object]]:
    """Yield rules for a value in its line, those that rest on the fewest words first."""
    line = line.strip(" …⏎")
    place = _find_value(line, kind, value, quote.strip(" …⏎"))
    if kind == "boolean" or place is None:
        means = value.lower() if kind == "boolean" else value
        said = (quote or line).strip(" …⏎").split()
        if kind in {"boolean", "string"} and sum(map(len, said)) > 2:
            for n in (2, 4, 8):
                words = _varied(" ".join(said[:n]))
                yield {"column": name, "pattern": f"(?P<value>{words})", "means": means}
        return
    before, behind = line[: place[0]], line[place[1] :]
    shape = _TOLD.get(kind) or _shape_of_code(line[place[0] : place[1]])
    rule: dict[str, object] = {"column": name, "pick": "last" if kind == "number" else "first"}
    if kind == "string" and len(value) > 6 and any(map(str.isdigit, value)):
        yield rule | {"pattern": rf"(?<!\w)(?P<value>{shape})(?!\w)"}
    ends = [m.start() for m in re.finditer(r"[^\W\d_]{2,}", before)]
    for start in reversed(ends[-4:]):
        yield rule | {"pattern": rf"\b{_varied(before[start:])}(?P<value>{shape})"}
    if ends:
        yield rule | {"pattern": f"^{_varied(before)}(?P<value>{shape})"}
    if re.search(r"[^\W\d_]{2,}", behind):
        yield rule | {"pattern": f"^{_varied(before)}(?P<value>{shape}){_varied(behind)}"}


def _is_denied(
    rule: dict[str, object],
    kind: str,
    known: dict[str, tuple[str, str]],
    shown: dict[str, str],
) -> bool:
    """Whether a rule reads another value than the reader in one of the documents that are shown."""
    for key, text in shown.items():
        found = [m["value"] for m in re.finditer(str(rule["pattern"]), text, re.M)]
        if not found:
            continue
        value, quote = known.get(key, ("", ""))
        taken = found[-1] if rule.get("pick") == "last" else found[0]
        said = str(rule["means"]) if "means" in rule else taken
        same = {value.casefold(), quote.casefold()}
        if kind in {"number", "integer"} and "means" not in rule:
            if _find_value(said, kind, value, "") is None:
                return True
        elif " ".join(said.split()).casefold() not in same:
            return True
    return False


_TOLD = {
    "number": r"-?(?:RM ?|[$€£] ?)?-?\d*[\d.,]*\d%?",
    "integer": r"\d[\d.,]*",
    "date": r"\d{1,4}[-/. ]\w{1,9}[-/., ]+\d{2,4}|[A-Z][a-z]+ \d{1,2},? \d{4}",
}


def _shape_of_code(words: str) -> str:
    """Return a pattern for a name or code: its runs of digits and letters, of any letters."""
    if not any(map(str.isdigit, words)):
        return r"[\w.'&-]+(?: [\w.'&-]+)*" if " " in words else r"[\w.'&-]+"
    runs = re.findall(r"\d+|[^\W\d_]+|\s+|[^\w\s]|_", words)
    return "".join(
        rf"\d{{{len(run)}}}" if run.isdigit() and len(run) > 4 else r"\d+" if run.isdigit()
        else "[A-Za-z]+" if run.isalpha() else r"\s*" if run.isspace() else re.escape(run)
        for run in runs
    )  # fmt: skip


def _varied(words: str) -> str:
    """Return a pattern for *words*: numbers and gaps vary."""
    parts = re.split(r"(\s*[:.]\s*|\s+|\d[\d.,]*)", words)
    return "".join(
        r"\d[\d.,]*" if part[:1].isdigit()
        else r"\s*" if part.isspace()
        else r"[\s:.]*" if part.strip() in {":", "."}
        else re.escape(part)
        for part in parts
    )  # fmt: skip


def _find_value(line: str, kind: str, value: str, quote: str) -> tuple[int, int] | None:
    """Return where a value stands in the line that states it."""
    if kind in {"number", "integer"}:
        for found in reversed([*re.finditer(r"-?\d*[\d.,]*\d", line)]):
            try:
                if abs(float(found[0].replace(",", "")) - float(value)) < 1e-6:
                    return found.span()
            except ValueError:
                continue
        return None
    for words in (quote, value):
        start = line.casefold().find(words.casefold()) if words else -1
        if start >= 0:
            return start, start + len(words)
    if kind == "date" and (match := re.search(_TOLD["date"], line)):
        return match.span()
    return None


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
    parser.add_argument("--cells", type=Path, help="what the reader knows, where not the gold")
    parser.add_argument("--schema", type=Path, help="where it is not that of the pack")
    parser.add_argument("--show", action="store_true", help="prompts for rules, on stderr")
    given = parser.parse_args()
    oracle = (
        Teller(given.cells)
        if given.cells
        else Oracle({row["document"]: row for row in read_rows(given.pack / "gold.csv")})
    )
    oracle.is_loud = given.show
    with serving(oracle.answer) as server, TemporaryDirectory() as scratch:
        folder = Path(scratch) / given.pack.name
        folder.mkdir()
        shutil.copytree(given.pack / "documents", folder / "documents")
        schema = given.schema or given.pack / SCHEMA_FILE
        (folder / SCHEMA_FILE).write_text(schema.read_text("utf-8"))
        settings = Settings(
            workers=1, home=Path(scratch) / "home", model="openai/fake", api_base=server.base,
            api_key="none", effort=given.effort, lists=False,
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


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def compare(corpus: Corpus, gold: dict[str, dict[str, str]]) -> None:
    """Print the share of right cells, how wrong ones came about, and bounds beside true errors."""
    schema = corpus.schema()
    columns = [item.name for item in schema.attributes]
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
        want = dict(gold[Path(str(row[0])).name])
        for item in schema.attributes:
            if not want.get(item.name):
                implied = item.type.implied.get(item.absent_means)
                want[item.name] = "" if implied is None else str(implied).lower()
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
