"""RECAP: what a model restates, extracts, has computed, answers and presents; and its checks.

A sentence stands only if its quotes are in their documents and what it says is in them or computed
of them. The model computes nothing: DuckDB does, and code puts the results into the sentences.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from srag_mcp.claims.captions import head_lines, headings_of_row, line_at
from srag_mcp.claims.figures import read_figures
from srag_mcp.claims.quotes import ground
from srag_mcp.claims.sentences import Ground, Result, check_number, check_sentence
from srag_mcp.documents.lines import narrow_gaps
from srag_mcp.errors import QueryError
from srag_mcp.inference.answer import Computed, Reading, Sentence, render_number
from srag_mcp.model.language_model import enclose
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.retrieval.search import search
from srag_mcp.retrieval.segments import Quote, Segment, whole_statement
from srag_mcp.schema.attribute import Attribute
from srag_mcp.sqlfacts.trees import exp, parse_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.database import quote_name
from srag_mcp.text.shown import shorten
from srag_mcp.text.spans import Span
from srag_mcp.text.words import words
from srag_mcp.values.units import SCALES, is_currency, parse_unit, unit_of

_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,59}")
_SLOT = re.compile(
    r"\{\s*(?P<name>\w+)\s*(?:\?(?P<yes>[^{}:]*):(?P<no>[^{}]*)"
    r"|:\s*(?P<form>%|[a-z]*)(?:\.(?P<digits>\d)f?)?\s*)?\}"
)
_NEXT_WORD = re.compile(r"\s*-?(?:per\scent\b|[^\W\d_]+|%)")
_LAST_WORD = re.compile(r"(?:[^\W\d_]+|[^\w\s])\s*$")
_SHARES, _BASIS = (
    frozenset({"percent", "per cent", "percentage", "%"}),
    frozenset({"basis", "bp", "bps"}),
)
_FILLED = "…"  # stands for what code fills in, where the rest of a sentence is checked
_MOST_SHOWN = 80
_MAX_MISSING = 200
_PLACE = """
SELECT number, page, headings FROM passages WHERE document_id = $1 AND start <= $2
ORDER BY start DESC LIMIT 1
"""


class ExtractedReply(ReplyContent):
    """What a quote of a passage says; *value* is None where its words are what counts."""

    name: str
    value: float | None
    unit: str | None
    passage: str
    quote: str


class FormulaReply(ReplyContent):
    """What is to be computed, as SQL over names."""

    name: str
    sql: str


class SentenceReply(ReplyContent):
    """A sentence with slots for what is computed, and the names that it stands on."""

    text: str
    on: list[str]


class ReadingReply(ReplyContent):
    """An answer from passages: what is quoted, what is computed of it, what is said of both."""

    restated: str
    extracted: list[ExtractedReply]
    compute: list[FormulaReply]
    answer: list[SentenceReply]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class Shown:
    """A segment as it is shown: its id, a line that says where it stands, and its document."""

    id: str
    segment: Segment
    context: str
    document: str

    @property
    def text(self) -> str:
        """What stands there, with two blanks where the layout has many."""
        lines = self.segment.span.of(self.document).splitlines()
        return "\n".join(narrow_gaps(line.rstrip()) for line in lines if line.strip())

    def render(self) -> str:
        """Write it for the model, below the heads that stand above it in the document."""
        segment = self.segment
        start = segment.span.start
        heads = head_lines(self.document, segment.floor, start, heads=segment.heads)
        above = [*heads, "[…]"] if heads else []
        return enclose("\n".join([self.context, *above, self.text]), self.id)


# What formulas divide and multiply by, and no document has to say: percent and scales are powers of
# ten, a mean of quarters or months divides by 12 at most; days, weeks, hours and minutes.
_PLAIN = frozenset({24, 52, 60, 360, 365, 366, *range(13), *(10**power for power in range(2, 13))})


@dataclass(frozen=True, slots=True)
class Formula:
    """What a formula is made of: the names and the numbers in it; *problem*: why it is none.

    *is_ratio*: it divides by what is named, so that its result has not the unit of the names.
    """

    names: frozenset[str] = frozenset()
    numbers: tuple[float, ...] = ()
    problem: str = ""
    is_ratio: bool = False


def read_formula(sql: str) -> Formula:
    """Read one expression over names; no table, no query, and no text may stand in it.

    `"(a - b) / b * 100"` -> names `a` and `b`, number 100
    """
    tree = parse_query(f"SELECT {sql}")
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return Formula(problem="it is not one SQL expression")
    others = (exp.Table, exp.Query, exp.Star, exp.AggFunc, exp.Alias)
    if any(node is not tree for node in tree.find_all(*others)) or set(tree.args) - {
        name for name, value in tree.args.items() if name in {"expressions", "kind"} or not value
    }:
        return Formula(problem="only names, numbers and functions of one row may stand in it")
    literals = list(tree.find_all(exp.Literal))
    if any(literal.is_string for literal in literals):
        return Formula(problem="it has a text; a result is a number, or true or false")
    if any(not function.find(exp.Column) for function in tree.find_all(exp.Func)):
        return Formula(problem="each function in it must be one of names")  # not of chance, or now
    names = frozenset(column.name.lower() for column in tree.find_all(exp.Column))
    if not names:
        return Formula(problem="it has no name of an extracted value, so that it computes nothing")
    is_ratio = any(item.expression.find(exp.Column) for item in tree.find_all(exp.Div))
    return Formula(names, tuple(float(literal.this) for literal in literals), is_ratio=is_ratio)


def invented_numbers(formula: Formula, known: Iterable[float]) -> list[float]:
    """Return the numbers of *formula* that are neither plain ones nor *known*."""
    said = _PLAIN | set(known)
    return [number for number in formula.numbers if number not in said]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is left of a reply: the *reading*, without *n_dropped* sentences that do not stand.

    *problems*: what is wrong, for the model.
    """

    reading: Reading
    n_dropped: int
    problems: tuple[str, ...]


class Judge:
    """Holds replies to one question against the passages that were *shown*."""

    def __init__(self, corpus: Corpus, question: str, shown: Sequence[Shown]) -> None:
        self._corpus = corpus
        self._question = question
        self._shown = {item.id: item for item in shown}

    def check(self, reply: ReadingReply) -> Sequence[str]:
        """Say what is wrong with *reply*."""
        if not reply.answer and not any(map(str.strip, reply.missing)):
            return ("there is neither an answer nor anything in missing",)
        return self.judge(reply).problems

    def judge(self, reply: ReadingReply) -> Judged:
        """Find the sentences that stand."""
        problems: list[str] = []
        grounds: dict[str, Ground] = {}
        quotes: dict[str, Quote] = {}
        for item in reply.extracted:
            problem = self._extract(item, grounds, quotes)
            if problem:
                problems.append(f"extracted {shorten(item.name, _MOST_SHOWN)!r}: {problem}")
        values = {name: item.size for name, item in grounds.items() if item.size is not None}
        computed, needs, wrong = self._compute(reply.compute, values, grounds)
        problems += wrong
        bases = {name: (name,) for name in grounds} | needs
        found = {**values, **{item.name: item.value for item in computed}}
        formulas = {item.name: read_formula(_with_quotes(item.sql, found)) for item in computed}
        named = {
            name: _Value(value, [grounds[base] for base in bases[name]], formulas.get(name))
            for name, value in found.items()
        }
        sentences = []
        for said in reply.answer:
            text, used, wrong = _fill(said.text, named)
            names = dict.fromkeys([*map(str.strip, said.on), *used])
            wrong += [
                f"it stands on {name!r}, which is not there or not right"
                for name in names
                if name not in bases and name not in used
            ]
            under = dict.fromkeys(base for name in names for base in bases.get(name, ()))
            if not wrong:
                shown = {name: named[name] for name in names if name in needs}
                wrong = self._check(said.text, named, shown, [grounds[base] for base in under])
            if wrong:
                start = shorten(said.text, _MOST_SHOWN)
                problems += [f"the sentence “{start}”: {problem}" for problem in wrong]
            else:
                cited = dict.fromkeys(quotes[base] for base in under)
                sentences.append(Sentence(text.strip(), tuple(cited)))
        n_dropped = len(reply.answer) - len(sentences)
        unsaid = (shorten(item, _MAX_MISSING) for item in reply.missing if item.strip())
        reading = Reading(tuple(sentences), tuple(computed), tuple(values.items()), tuple(unsaid))
        return Judged(reading, n_dropped, tuple(problems))

    def _check(
        self,
        said: str,
        named: Mapping[str, "_Value"],
        computed: Mapping[str, "_Value"],
        grounds: Sequence[Ground],
    ) -> list[str]:
        if not grounds:
            return ["it stands on nothing: name in `on` what it stands on"]
        masked, _, _ = _fill(said, named, mask=True)
        texts = {ground.text for ground in grounds}
        cited = [item for item in self._shown.values() if item.document in texts]
        return check_sentence(
            masked,
            grounds,
            {name: Result(item.value, item.is_percent) for name, item in computed.items()},
            self._question,
            partial(self._is_of_another, cited),
        )

    def _extract(
        self, item: ExtractedReply, grounds: dict[str, Ground], quotes: dict[str, Quote]
    ) -> str:
        name = item.name.strip()
        if not _IDENTIFIER.fullmatch(name):
            return "its name must be of small letters, digits and underscores"
        if name in grounds:
            return "its name is there twice"
        shown = self._shown.get(item.passage.strip())
        if shown is None:
            return f"there is no passage {shorten(item.passage, _MOST_SHOWN)!r}"
        if item.value is not None and not math.isfinite(item.value):
            return "its value is no number"
        segment = shown.segment
        column, text = Attribute(name=name, type="string"), shown.document
        place = ground(item.quote, segment.span.of(text), column)
        span = None if place is None else place.moved(segment.span.start)
        span = span or ground(item.quote, text[segment.floor : segment.span.start], column)
        if place is None and span is not None:
            span = span.moved(segment.floor)
        if span is None:
            return f"its quote is not in {shown.id}, character by character and in one place"
        around = f"{shown.context}\n{text[segment.floor : segment.span.end]}"
        found = Ground(text, span, segment.floor, around, item.value, item.unit)
        problem = check_number(name, found)
        if not problem:
            grounds[name] = found
            quotes[name] = self._quote(segment, span, text)
        return problem

    def _quote(self, segment: Segment, span: Span, text: str) -> Quote:
        document_id, said = segment.document_id, whole_statement(text, span)
        rows = self._corpus.read(_PLACE, [document_id, span.start])
        number, page, path = rows[0] if rows else (0, None, "")
        place = None if page is None else int(str(page))
        heads = self._corpus.table_heads(document_id).get(int(str(number)))
        row = line_at(text, said)
        is_below = heads is not None and heads.end <= row.start
        above = headings_of_row(text, row, heads, segment.floor) if heads and is_below else ()
        headings = filter(None, dict.fromkeys((*str(path or "").split(" > "), *above)))
        return Quote(document_id, place, " > ".join(headings), said.of(text), said)

    def _compute(
        self,
        formulas: Sequence[FormulaReply],
        values: Mapping[str, float],
        grounds: Mapping[str, Ground],
    ) -> tuple[list[Computed], dict[str, tuple[str, ...]], list[str]]:
        """Run *formulas* over *values*; return also what each result is computed of."""
        known: set[float] = set()
        for text in (self._question, *(item.quote.of(item.text) for item in grounds.values())):
            figures = read_figures(text)
            known |= {*figures.plain, *(float(found.value) for found in figures.quantities)}
        needs: dict[str, tuple[str, ...]] = {}
        computed: list[Computed] = []
        problems: list[str] = []
        outputs: dict[str, str] = {}
        for item in formulas:
            sql = _with_quotes(item.sql, [*values, *outputs])
            name, formula = item.name.strip(), read_formula(sql)
            missing = sorted(formula.names - {*values, *needs})
            invented = invented_numbers(formula, known)
            problem = formula.problem
            if not _IDENTIFIER.fullmatch(name) or name in values or name in needs:
                problem = "its name must be new, of small letters, digits and underscores"
            elif missing:
                problem = f"{', '.join(missing)}: there is no such number, or it is not right"
            elif invented:
                problem = f"the number {invented[0]:g} is in no quote: extract it"
            if not problem:
                outputs[name] = sql
                try:
                    value = _run(self._corpus, values, outputs)
                except QueryError as error:
                    problem = str(error).partition("\n")[0]
                else:
                    problem = "" if value is not None else "it comes to nothing (NULL)"
                if not problem and value is not None:
                    bases = [
                        base for used in sorted(formula.names) for base in needs.get(used, (used,))
                    ]
                    needs[name] = tuple(dict.fromkeys(bases))
                    computed.append(Computed(name, " ".join(item.sql.split()), value))
                else:
                    del outputs[name]
            if problem:
                problems.append(f"compute {shorten(item.name, _MOST_SHOWN)!r}: {problem}")
        return computed, needs, problems

    def _is_of_another(self, cited: Sequence[Shown], word: str, is_asked: bool) -> bool:
        """Whether *word* names a document that is not *cited* and does not stand in those."""
        if any(word in words(item.document) for item in cited):
            return False
        ids, named = {x.segment.document_id for x in cited}, self._corpus.documents_like(word)
        is_named = any(word in words(f"{x.path} {x.title}") for x in named if x.id not in ids)
        return is_named or (is_asked and search(self._corpus, word, limit=1).n_passages > 0)


def _with_quotes(sql: str, names: Collection[str]) -> str:
    """Quote *names* in *sql*: some are words of the language, as `drop`; a function is none."""
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf'(?<!")\b(?:{known})\b(?!"|\s*\()', r'"\g<0>"', sql) if known else sql


def _run(
    corpus: Corpus, values: Mapping[str, float], outputs: Mapping[str, str]
) -> float | bool | None:
    """Return what the last of *outputs* comes to, one SELECT over one row of *values*."""
    names = ", ".join(map(quote_name, values))
    row = ", ".join(f"{value!r}::DOUBLE" for value in values.values())
    said = ", ".join(f"(\n{sql}\n) AS {quote_name(name)}" for name, sql in outputs.items())
    sql = f"WITH extracted({names}) AS (VALUES ({row})) SELECT {said} FROM extracted"  # noqa: S608 - it runs through the guard
    value = corpus.select(sql, limit=1).rows[0][-1]
    if isinstance(value, bool):
        return value
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


@dataclass(frozen=True, slots=True)
class _Value:
    """What may stand in a slot: a quoted number, or what a formula makes of *grounds*.

    *formula* is None for a quoted one.
    """

    value: float | bool
    grounds: Sequence[Ground]
    formula: Formula | None

    @property
    def units(self) -> frozenset[str | None]:
        return frozenset(parse_unit(ground.unit or "").unit for ground in self.grounds)

    @property
    def is_percent(self) -> bool:
        """Whether 12 means 12 %."""
        of_percents = self.units == {"percent"}
        if self.formula is None:
            return of_percents
        return 100.0 in self.formula.numbers or (of_percents and not self.formula.is_ratio)

    def find_problem(self, slot: re.Match[str]) -> str:
        """Say why what stands around *slot* makes another number of it; empty if it does not."""
        before, after = slot.string[: slot.start()], slot.string[slot.end() :]
        form, word = slot["form"] or "", (_NEXT_WORD.match(after) or [""])[0].strip().lower()
        is_share, is_percent = word in _SHARES, self.is_percent
        if slot["yes"] is not None or isinstance(self.value, bool):
            is_choice = slot["yes"] is not None and isinstance(self.value, bool)
            return "" if is_choice else "true and false, and nothing else, choose words: {name?…:…}"
        if form not in ("", "%") and form not in SCALES:
            return "there is no such form"
        if form in SCALES and SCALES.get(word) != SCALES[form]:
            return f"write {form} behind it"
        if form not in SCALES and word in SCALES:
            return f"write {{{slot['name']}:{word}}} {word}"
        if form == "%" and (is_percent or is_share):
            return "it is in percent already"
        if word in _BASIS or (is_share and not form and not is_percent):
            return f"write it as {{{slot['name']}:%}}, without a sign behind it"
        currency = unit_of((_LAST_WORD.search(before) or [""])[0].strip())
        known = {unit for unit in self.units if is_currency(unit)}
        if is_currency(currency) and known and currency not in known and "$" not in before[-2:]:
            return f"it is in {' and '.join(map(str, sorted(map(str, known))))}"
        return ""


def _fill(
    said: str, named: Mapping[str, _Value], *, mask: bool = False
) -> tuple[str, list[str], list[str]]:
    """Put values into the slots of a sentence; return also their names, and what is wrong.

    `"It grew by {growth:%.1}"`, growth 0.117 -> `"It grew by 11.7 %"`; `{more?yes:no}`. *mask*: a
    mark instead of each number, so that the rest can be checked.
    """
    used: list[str] = []
    problems: list[str] = []

    def put(slot: re.Match[str]) -> str:
        used.append(slot["name"])
        found = named.get(slot["name"])
        problem = "there is no such result" if found is None else found.find_problem(slot)
        if found is None or problem:
            problems.append(f"{slot[0]}: {problem}")
            return slot[0]
        if isinstance(found.value, bool):
            return slot["yes" if found.value else "no"].strip()
        digits = None if slot["digits"] is None else int(slot["digits"])
        return _FILLED if mask else _write(found.value, slot["form"] or "", digits)

    text = _SLOT.sub(put, said)
    if any(mark in text for mark in "{}") and not problems:
        problems.append("braces stand around what is no slot")
    return text, used, problems


def _write(value: float, form: str, digits: int | None) -> str:
    """Write a result: `(0.117, "%", 1) -> "11.7 %"`, `(2.5e9, "million", None) -> "2,500"`."""
    shown = value * 100 if form == "%" else value / SCALES.get(form, 1)
    if form == "%" and digits is None:
        digits = 1
    text = render_number(round(shown, 9)) if digits is None else f"{shown:,.{digits}f}"
    return f"{text} %" if form == "%" else text
