"""Translation by a language model: a question becomes a query that was run (S-RAG 3.3)."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import anyio

from srag_mcp.ask.diagnosis import diagnose, explain_nothing, is_empty
from srag_mcp.ask.question_prompt import TranslationReply, write_question_prompt
from srag_mcp.errors import ModelError, QueryError, QuestionError, UnknownNameError
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.sqlfacts.grounding import find_ungrounded, reads_tables
from srag_mcp.sqlfacts.query import QueryFacts, read_query
from srag_mcp.sqlfacts.translation import Translation
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage
from srag_mcp.values.quantities import Quantity, find_quantities

MAX_ROWS = 1000
_CONTRADICTION = (
    "there is both sql and something in missing: either the columns hold all that the question"
    " needs, then missing is empty; or they do not, then sql is null"
)
_DIGITS = 6
_NUMERAL = re.compile(r"\d+(?:[.,'\u00a0\u202f]\d+)*")
_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,'\u00a0\u202f]\d{3})+")
_MARKS = re.compile(r"\D")


@dataclass(frozen=True, slots=True)
class Translated:
    """A question as a query, and the result of running it.

    Attributes:
        n_votes: How many translations had this result.
        n_attempts: How many were made.
    """

    translation: Translation
    page: ResultPage
    n_votes: int = 1
    n_attempts: int = 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be known of a result that not most translations had."""
        if self.n_attempts == 1 or 2 * self.n_votes > self.n_attempts:
            return ()
        return (_say_votes(self.n_votes, self.n_attempts, "had this result"),)


async def translate_question(
    model: LanguageModel,
    corpus: Corpus,
    question: str,
    *,
    votes: int = 1,
    may_find_nothing: bool = False,
) -> Translated:
    """Let *model* write the query of *question*, run it, and let it repair what failed.

    An error of the guard or of DuckDB, a query that puts out what comes from no record, a text that
    no record has where a similar one is stored, and, unless it *may_find_nothing*, an empty result
    go back to the model, at most twice. Of an empty result it is told which condition no record
    meets, each once: a query that comes back with it is right. One that only all conditions
    together have made empty is taken as it is. With several *votes*, that many translations are
    made and the one whose result most others share wins, the first of equals.

    Raises:
        QuestionError: If the model says that columns are missing (`unplaced` names what), or no
            query of it could be run.
        ModelError: If no reply could be had.

    Source: S-RAG 3.3.
    """
    if votes == 1:
        return await _translate_once(model, corpus, question, 1, may_find_nothing)
    outcomes: dict[int, Translated | QuestionError | ModelError] = {}

    async def attempt(number: int) -> None:
        try:
            outcomes[number] = await _translate_once(
                model, corpus, question, number, may_find_nothing
            )
        except (QuestionError, ModelError) as error:
            outcomes[number] = error

    async with anyio.create_task_group() as group:
        for number in range(1, votes + 1):
            group.start_soon(attempt, number)
    return _elect([outcomes[number] for number in sorted(outcomes)])


async def _translate_once(
    model: LanguageModel, corpus: Corpus, question: str, attempt: int, may_find_nothing: bool
) -> Translated:
    runs = _Runs(corpus, may_find_nothing)
    prompt = write_question_prompt(corpus, question, attempt)
    asked = await ask_for(model, prompt, TranslationReply, runs.check)
    reply = asked.content
    missing = tuple(reply.missing)
    if reply.sql is None or missing:
        msg = f"no column holds {', '.join(missing) or 'what is asked'}"
        raise QuestionError(msg, missing)
    ran = runs.results.get(reply.sql)
    if ran is None:
        asked.forget(model)
        msg = f"no query for this question could be run: {'; '.join(asked.problems)}"
        raise QuestionError(msg)
    facts, page = ran
    described = (facts.schema.attribute(name).description for name in facts.names)
    shown = (value for row in page.rows for value in row)
    known = (reply.sql, *described, *shown)
    restated = facts.words or restate_question(reply.restated, question, known)
    return Translated(Translation(question, restated, facts), page)


class _Runs:
    """Runs the queries of replies and says what is wrong with them.

    Attributes:
        results: What each query says, and its rows.
    """

    def __init__(self, corpus: Corpus, may_find_nothing: bool) -> None:
        self.results: dict[str, tuple[QueryFacts, ResultPage]] = {}
        self._corpus = corpus
        self._may_find_nothing = may_find_nothing
        self._contradicted = False
        self._told: set[str] = set()

    def check(self, reply: TranslationReply) -> Sequence[str]:
        """Run the query of *reply*.

        A query beside something missing is told once; who insists on it has refused.
        """
        if reply.sql is None:
            return () if reply.missing else ("there is neither sql nor anything in missing",)
        if reply.missing:
            told, self._contradicted = self._contradicted, True
            return () if told else (_CONTRADICTION,)
        try:
            facts, page = self.results[reply.sql] = self._run(reply.sql)
        except UnknownNameError as error:
            nearest = f"; nearest names: {', '.join(error.nearest)}" if error.nearest else ""
            return (f"the query could not be run: {error}{nearest}",)
        except QueryError as error:
            return (f"the query could not be run: {error}",)
        doubts = [doubt for doubt in self._doubt(facts, page) if doubt not in self._told]
        self._told.update(doubts)
        return [f"{doubt}; if that is right, send the same query again" for doubt in doubts]

    def _doubt(self, facts: QueryFacts, page: ResultPage) -> Sequence[str]:
        """Say what no record has: that there is none may be right, so it is told once."""
        misspelt = diagnose(self._corpus, facts)
        if misspelt or self._may_find_nothing or not is_empty(page.rows):
            return misspelt
        return explain_nothing(self._corpus, facts, only_doubtful=True)

    def _run(self, sql: str) -> tuple[QueryFacts, ResultPage]:
        page = self._corpus.select(sql, limit=MAX_ROWS)
        facts = read_query(sql, self._corpus.schema())
        if not reads_tables(facts.tree):
            msg = "it reads no record, and the answer has to come out of the table"
            raise QueryError(msg, sql)
        if ungrounded := find_ungrounded(facts.tree):
            msg = (
                f"{', '.join(ungrounded)} would be the same whatever the records say: put out"
                " columns, and what is computed from them, only"
            )
            raise QueryError(msg, sql)
        return facts, page


def restate_question(restated: str, question: str, known: Iterable[object]) -> str:
    """Return *restated*, or *question* where it says a number that comes from nowhere.

    It stands beside the answer, and may not be one of its own: its numbers have to be in the
    question or in *known*, which is the query, the values that it returned and what the schema
    says of its columns. `fifty` and `50`, `50 %` and `0.5` are one number.
    """
    said = restated.strip().rstrip(".")
    asked = question.strip(" .?")
    if not said or _has_unknown_number(said, [asked, *map(str, known)]):
        return asked
    return said


def _has_unknown_number(said: str, known: Sequence[str]) -> bool:
    read = [(span.of(said), quantity) for span, quantity in find_quantities(said)]
    unread = [text for text in _NUMERAL.findall(said) if not any(text in t for t, _ in read)]
    if not read and not unread:
        return False
    figures = _figures(known)
    if any(_figure(text) not in figures for text in unread):
        return True
    open_forms = [_forms(item) for text, item in read if _figure(text) not in figures]
    return bool(open_forms) and any(map(_values(known).isdisjoint, open_forms))


def _figures(texts: Sequence[str]) -> set[str]:
    """Return all numerals: `2021-03-04` -> `2021`, `3`, `4`."""
    return {_figure(numeral) for text in texts for numeral in _NUMERAL.findall(text)}


def _figure(text: str) -> str:
    """Return a whole number without marks: `1,200` -> `1200`, `03` -> `3`; other text as it is."""
    return (_MARKS.sub("", text).lstrip("0") or "0") if _WHOLE.fullmatch(text) else text


def _values(texts: Sequence[str]) -> set[float]:
    found = [quantity for text in texts for _, quantity in find_quantities(text)]
    return {end for item in found for end in (item.value, item.upper) if end is not None}


def _forms(quantity: Quantity) -> set[float]:
    """Return the numbers that may be stored for one that is said: `50 %` is 50 or 0.5."""
    is_share = quantity.unit == "percent"
    return {quantity.value, quantity.value / 100} if is_share else {quantity.value}


def _elect(outcomes: Sequence[Translated | QuestionError | ModelError]) -> Translated:
    """Return the translation whose result occurs most; refusals count as one result.

    An attempt without a reply, or of which no query could be run, has no vote.

    Raises:
        QuestionError: If most say that they cannot, or no query could be run.
        ModelError: If no attempt had a reply.
    """
    ballots = [item for item in outcomes if _has_vote(item)]
    if not ballots:
        failed = [item for item in outcomes if isinstance(item, QuestionError)]
        raise next(item for item in (*failed, *outcomes) if isinstance(item, Exception))
    votes = Counter(map(_result_key, ballots))
    winner = max(ballots, key=lambda outcome: votes[_result_key(outcome)])
    n_votes = votes[_result_key(winner)]
    if isinstance(winner, Translated):
        return replace(winner, n_votes=n_votes, n_attempts=len(outcomes))
    if isinstance(winner, QuestionError) and 2 * n_votes <= len(outcomes):
        said = _say_votes(n_votes, len(outcomes), "said so")
        msg = f"{winner} ({said})"
        raise QuestionError(msg, winner.unplaced) from winner
    raise winner


def _has_vote(outcome: Translated | QuestionError | ModelError) -> bool:
    """Whether *outcome* is a result, or a refusal that names what is missing."""
    return isinstance(outcome, Translated) or (
        isinstance(outcome, QuestionError) and bool(outcome.unplaced)
    )


def _say_votes(n_votes: int, n_attempts: int, what: str) -> str:
    return f"{n_votes} of {n_attempts} translations {what}"


def _result_key(outcome: Translated | QuestionError | ModelError) -> object:
    """Return what equal results have in common: neither rows nor columns have an order."""
    if isinstance(outcome, Exception):
        return None
    return tuple(sorted(tuple(sorted(map(_rounded, row))) for row in outcome.page.rows))


def _rounded(value: object) -> str:
    """Write a value so that equal ones look the same: `12.0` -> `12`, `0.30000000004` -> `0.3`."""
    if not isinstance(value, float):
        return str(value)
    return str(int(value)) if value.is_integer() else f"{value:.{_DIGITS}g}"
