"""Where a table pays: tokens a question of each system, what it built included, and who is right.

    python -m tests.benchmarks.crossing [--table]            the table, and docs/crossing.svg
    python -m tests.benchmarks.crossing add RUN.json [--pack NAME] [--system NAME]
        [--documents N] [--computed]

A run is what `srag-mcp eval PACK --json` prints, with or without `--system`; its figures are kept
in `crossing.json`, one row a pack, number of documents and system. Tokens are counted as if each
question had been asked alone. *Computed* rows were not recorded whole: `tests/replies/README.md`
says what their figures were taken from.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import log10
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from srag_mcp.model.embedder import LOCAL

FIGURES = Path(__file__).with_suffix(".json")
CHART = Path(__file__).parents[2] / "docs" / "crossing.svg"
ASKED = (1, 10, 100)

_Tokens: TypeAlias = Annotated[int, Field(ge=0)]
_WIDTH, _HEIGHT, _LEFT, _GAP = 300, 210, 44, 150
_COLOURS = (
    "#1b6ca8",
    "#c2571a",
    "#2f8f4e",
    "#8a4fbf",
    "#b3261e",
    "#5b6770",
    "#a8871b",
    "#1ba89d",
    "#d16ba5",
)


class Row(BaseModel):
    """A system on a pack; *right* is None where only its tokens are known.

    *build* is what is paid once, *question* the median of what each question takes.
    """

    model_config = ConfigDict(frozen=True)

    pack: str
    documents: int
    system: str
    questions: int
    right: int | None
    unanswered: int = 0
    build: _Tokens
    question: _Tokens
    is_computed: bool = False

    @property
    def place(self) -> tuple[str, int, str]:
        """What tells it from other rows."""
        return self.pack, self.documents, self.system

    def a_question(self, n_asked: float) -> float:
        """The tokens of a question when *n_asked* are asked."""
        return self.build / n_asked + self.question


_ROWS = TypeAdapter(list[Row])


def read_row(
    run: Path, pack: str, system: str, n_documents: int | None, *, is_computed: bool
) -> Row:
    """Take the figures of the saved *run*; empty names and no number are those of the run."""
    found = json.loads(run.read_text("utf-8"))
    asked, tokens = found["questions"], found["tokens"]
    build = tokens.get("build")
    if build is None:  # what is embedded on this computer asks nobody
        is_own = found["embedder"] in {"", LOCAL}
        build = 0 if is_own else sum(map(sum, tokens["once"].values()))
    return Row(
        pack=pack or found["pack"],
        documents=n_documents or found["documents"],
        system=system or found["system"],
        questions=asked["total"],
        right=asked["right"],
        unanswered=asked["refused"] + asked["failed"],
        build=build,
        question=round(tokens.get("answer_median", tokens.get("median"))),
        is_computed=is_computed,
    )


def read_rows() -> list[Row]:
    """Read the kept figures."""
    return _ROWS.validate_json(FIGURES.read_bytes()) if FIGURES.exists() else []


def keep(row: Row) -> None:
    """Write *row* in the place of the one of its pack, documents and system."""
    rows = {item.place: item for item in (*read_rows(), row)}
    kept = sorted(rows.values(), key=lambda item: item.place)
    FIGURES.write_bytes(_ROWS.dump_json(kept, indent=1) + b"\n")


def write_table(rows: Iterable[Row]) -> list[str]:
    """Write the rows as a table in Markdown."""
    spans = " | ".join(f"{n} asked" if n > 1 else "1 asked" for n in ASKED)
    lines = [
        f"| pack | documents | system | right | not answered | build | a question | {spans} |",
        "| --- " * (7 + len(ASKED)) + "|",
    ]
    last: tuple[str, int] | None = None
    for row in rows:
        place = (row.pack, row.documents)
        named = ("", "") if place == last else (row.pack, f"{row.documents:,}")
        right = "–" if row.right is None else f"{row.right} of {row.questions}"
        of_each = " | ".join(f"{row.a_question(n):,.0f}" for n in ASKED)
        mark = " *" if row.is_computed else ""
        figures = f"{right} | {row.unanswered} | {row.build:,} | {row.question:,} | {of_each}"
        lines.append(f"| {named[0]} | {named[1]} | `{row.system}`{mark} | {figures} |")
        last = place
    return lines


def draw(rows: Sequence[Row]) -> str:
    """Draw tokens a question over the number of questions, a panel for each set of documents."""
    panels = [
        (f"{pack}, {documents:,} documents", list(of_panel))
        for (pack, documents), of_panel in groupby(rows, key=lambda row: row.place[:2])
    ]
    systems = list(dict.fromkeys(row.system for row in rows))
    colours = dict(zip(systems, _COLOURS * len(systems), strict=False))
    width, height = _LEFT + _WIDTH + _GAP + 10, len(panels) * (_HEIGHT + 70) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    ]
    for number, (title, of_panel) in enumerate(panels):
        parts += _draw_panel(title, of_panel, colours, top=number * (_HEIGHT + 70) + 30)
    return "\n".join([*parts, "</svg>", ""])


def _draw_panel(
    title: str, rows: Sequence[Row], colours: dict[str, str], *, top: int
) -> Iterable[str]:
    steps = [10 ** (step / 8) for step in range(8 * len(ASKED) - 7)]
    lines = [(row, [row.a_question(n) for n in steps]) for row in rows]
    low = min(min(values) for _, values in lines)
    high = max(max(values) for _, values in lines)
    first, last = log10(low) - 0.1, log10(high) + 0.1

    def across(n: float) -> float:
        return _LEFT + _WIDTH * log10(n) / log10(ASKED[-1])

    def up(tokens: float) -> float:
        return top + _HEIGHT * (last - log10(tokens)) / (last - first)

    yield f'<text x="{_LEFT}" y="{top - 10}" font-weight="bold">{title}</text>'
    frame = f'x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}"'
    yield f'<rect {frame} fill="none" stroke="#999"/>'
    for n in ASKED:
        yield f'<text x="{across(n):.0f}" y="{top + _HEIGHT + 14}" text-anchor="middle">{n}</text>'
    for power in range(int(first) + 1, int(last) + 1):
        y = up(10**power)
        yield f'<path d="M{_LEFT} {y:.1f}h{_WIDTH}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 4}" y="{y + 4:.1f}" text-anchor="end">{_short(10**power)}</text>'
    middle = _LEFT + _WIDTH / 2
    yield f'<text x="{middle}" y="{top + _HEIGHT + 28}" text-anchor="middle">questions asked</text>'
    below = 0.0
    for row, values in sorted(lines, key=lambda line: -line[1][-1]):
        colour = colours[row.system]
        points = " ".join(
            f"{across(n):.1f},{up(value):.1f}" for n, value in zip(steps, values, strict=True)
        )
        dashes = ' stroke-dasharray="4 3"' if row.is_computed else ""
        pen = f'fill="none" stroke="{colour}" stroke-width="2"{dashes}'
        yield f'<polyline points="{points}" {pen}/>'
        below = max(up(values[-1]) + 4, below + 13)
        right = "" if row.right is None else f" {row.right}/{row.questions}"
        x = _LEFT + _WIDTH + 5
        yield f'<text x="{x}" y="{below:.1f}" fill="{colour}">{row.system}{right}</text>'


def _short(tokens: int) -> str:
    return (
        f"{tokens // 10**6}M"
        if tokens >= 10**6
        else f"{tokens // 1000}k"
        if tokens >= 1000
        else str(tokens)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Where a table pays.")
    parser.add_argument("--table", action="store_true", help="the table alone")
    commands = parser.add_subparsers(dest="command")
    adding = commands.add_parser("add")
    adding.add_argument("run", type=Path)
    adding.add_argument("--pack", default="")
    adding.add_argument("--system", default="")
    adding.add_argument("--documents", type=int)
    adding.add_argument("--computed", action="store_true")
    wanted = parser.parse_args()
    if wanted.command == "add":
        names = (wanted.pack, wanted.system, wanted.documents)
        keep(read_row(wanted.run, *names, is_computed=wanted.computed))
        return
    rows = read_rows()
    print("\n".join(write_table(rows)))
    if not wanted.table:
        CHART.write_text(draw(rows), "utf-8")


if __name__ == "__main__":
    main()
