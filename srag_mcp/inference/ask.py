"""Inference: a question becomes a query, its result an answer (S-RAG 3.3).

Who translates: the offline grammar, a language model, or one after the other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import anyio

from srag_mcp.cells.cell import is_predicted
from srag_mcp.errors import ModelError, QueryError, QuestionError, ReplyError
from srag_mcp.grammar.filters import SURE
from srag_mcp.grammar.translate import translate
from srag_mcp.inference.answer import MANY_UNKNOWN, Answer, is_empty, render_text
from srag_mcp.inference.brief import write_brief
from srag_mcp.inference.by_model import translate_question
from srag_mcp.inference.diagnosis import explain_nothing
from srag_mcp.inference.grounds import Grounds, find_grounds
from srag_mcp.inference.unknowns import NO_BOUNDS, is_settled
from srag_mcp.model.asking import MAX_CORRECTIONS
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.ledger import MemoryReplies, ReplyCache
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.metering import MeteredModel
from srag_mcp.rules.doubts import check_columns
from srag_mcp.sqlfacts.aggregates import takes_first
from srag_mcp.sqlfacts.query import Translation
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.replies import StoredReplies
from srag_mcp.store.state import open_state

MAX_ANSWER_ROWS = 1000
MAX_QUESTION_CHARACTERS = 2000
_ASK_OTHERWISE = "name another model, or let it reply in words only (SRAG_REPLY_FORMAT=text)"
_ASK_GRAMMAR = "or ask the grammar (SRAG_ENGINE=offline)"


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions are translated.

    Attributes:
        model: None where the grammar is asked alone; what it cannot read becomes a brief.
        votes: Translations by the model whose results are compared.
        model_name: The model as the settings name it: its replies are kept beside the corpus. Empty
            where somebody else keeps them.
        timeout_s: Longest wait for the model by one question; None is no limit.
        grammar_first: Whether the model is asked only where the grammar is not sure.
    """

    model: LanguageModel | None = None
    votes: int = 1
    model_name: str = ""
    timeout_s: float | None = None
    grammar_first: bool = False


OFFLINE = Asking()


def ask(corpus: Corpus, question: str, asking: Asking = OFFLINE) -> Answer:
    """Answer *question* over all records, or return a brief when it cannot be translated.

    Raises:
        NotIngestedError: If the corpus has no build.
        QuestionError: If the question is longer than any question is.
        StoreError: If the build cannot be read.
    """
    if asking.model is None:
        return _ask_offline(corpus, question)
    return run_to_end(ask_model, corpus, question, asking)


async def ask_model(corpus: Corpus, question: str, asking: Asking) -> Answer:
    """Answer *question* as `ask` does, within an event loop.

    Raises:
        NotIngestedError: If the corpus has no build.
        QuestionError: If the question is longer than any question is.
        StoreError: If the build cannot be read.
    """
    if asking.model is None:
        return _ask_offline(corpus, question)
    offline = _ask_offline(corpus, question) if asking.grammar_first else None
    if offline is not None and _is_sure(offline):
        return offline
    _check_length(question)
    with _replies(corpus, asking) as replies:
        model = MeteredModel(asking.model, replies, asking.model_name)
        try:
            with anyio.fail_after(asking.timeout_s):  # callers of ours give up after a minute
                found = await translate_question(model, corpus, question, votes=asking.votes)
        except QuestionError as refusal:
            answer = _refuse(corpus, question, str(refusal), refusal.unplaced)
        except TimeoutError:
            reason = f"no reply within {asking.timeout_s:g} s (SRAG_QUESTION_TIMEOUT_S)"
            return _fall_back(corpus, question, offline, ModelError(reason))
        except ModelError as failure:
            return _fall_back(corpus, question, offline, failure)
        else:
            grounds = find_grounds(corpus, found.translation.facts, found.page)
            answer = _write_answer(found.translation, found.page, grounds)
            answer = replace(answer, warnings=(*answer.warnings, *found.warnings))
        finally:
            model.drop_useless()
    return replace(answer, engine="model", taken=model.ledger.total)


@contextmanager
def _replies(corpus: Corpus, asking: Asking) -> Iterator[ReplyCache]:
    """Open where the replies to questions are kept."""
    folder = corpus.state if asking.model_name else None
    if folder is None:
        yield MemoryReplies()
        return
    with open_state(folder) as state:
        yield StoredReplies(state, of_questions=True)


def _check_length(question: str) -> None:
    if len(question) > MAX_QUESTION_CHARACTERS:
        msg = (
            f"the question has {len(question)} characters; at most {MAX_QUESTION_CHARACTERS} are"
            " read: ask one thing, in one sentence"
        )
        raise QuestionError(msg)


def _ask_offline(corpus: Corpus, question: str) -> Answer:
    _check_length(question)
    statistics = {item.column: item for item in corpus.statistics()}
    try:
        translation = translate(question, corpus.schema(), statistics, corpus.values())
        if not is_predicted(corpus.info().engine):
            facts = translation.facts
            check_columns(corpus, translation, lambda gaps: is_settled(corpus, facts, gaps))
        page = corpus.select(translation.sql, limit=MAX_ANSWER_ROWS)
    except QuestionError as refusal:
        return _refuse(corpus, question, str(refusal), refusal.unplaced)
    except QueryError as failure:
        return _refuse(corpus, question, f"the query could not be run: {failure}")
    if any(value is not None for row in page.rows for value in row):
        grounds = find_grounds(corpus, translation.facts, page)
        doubt = _find_doubt(grounds)
        return (
            _refuse(corpus, question, doubt) if doubt else _write_answer(translation, page, grounds)
        )
    try:  # no list and no highest value comes of no record: say what was looked for in vain
        reasons = explain_nothing(corpus, translation.facts)
    except QueryError:
        reasons = []
    nothing = f"no record has what was asked ({translation.restated})"
    return _refuse(corpus, question, "; ".join((nothing, *reasons)))


def _find_doubt(grounds: Grounds) -> str:
    """Say so where many values are unknown, or some contradicted, and who knows what follows."""
    columns = () if grounds.denominator is None else grounds.denominator.columns
    doubted = [item for item in columns if item.n_contradicted]
    if doubted and NO_BOUNDS in grounds.notes:
        said = (f"{x.n_contradicted} of {x.n_used} values of {x.column}" for x in doubted)
        return f"{' and '.join(said)} are contradicted in their documents, and {NO_BOUNDS}"
    for item in columns:
        n_said, n_all = item.n_used + item.n_none, item.n_used + item.n_none + item.n_unknown
        n_all += item.n_failed
        if grounds.is_open and item.n_open > MANY_UNKNOWN * n_all:
            return f"only {n_said} of {n_all} documents say {item.column}, and {grounds.notes[0]}"
    return ""


def _is_sure(answer: Answer) -> bool:
    """Whether the reading assumes next to nothing, and the columns that it uses are filled."""
    has_gaps = answer.denominator is not None and answer.denominator.has_many_gaps
    if answer.translation is None or answer.warnings or has_gaps or is_empty(answer.rows):
        return False
    return answer.translation.score >= SURE


def _fall_back(
    corpus: Corpus, question: str, offline: Answer | None, failure: ModelError
) -> Answer:
    """Give what the grammar has when the model cannot be asked, and say so."""
    is_odd = isinstance(failure, ReplyError)
    tried = f"was asked {MAX_CORRECTIONS + 1} times" if is_odd else "could not be asked"
    reason = f"the language model {tried}: {failure}"
    if offline is not None and not offline.refused:
        warning = f"{reason}; this is the grammar's reading"
        return replace(offline, warnings=(*offline.warnings, warning))
    if is_odd:
        grammar = "" if offline is not None else f", {_ASK_GRAMMAR}"
        reason = f"{reason}; {_ASK_OTHERWISE}{grammar}"
    return _refuse(corpus, question, reason)


def _refuse(corpus: Corpus, question: str, reason: str, unplaced: tuple[str, ...] = ()) -> Answer:
    brief = write_brief(question, (reason, unplaced), corpus.schema(), corpus.values())
    text = f"Not answered: {reason}"
    return Answer(question, text, brief=brief, assumptions=corpus.notices())


def _write_answer(translation: Translation, page: ResultPage, grounds: Grounds) -> Answer:
    facts = translation.facts
    n_rows = len(set(page.rows))
    is_tie = n_rows > 1 and not page.truncated and takes_first(facts)
    tie = f"{n_rows} tie: " if is_tie else ""
    return Answer(
        question=translation.question,
        text=tie + render_text(page, translation.restated, facts.unit),
        is_tie=is_tie,
        columns=page.columns,
        rows=page.rows,
        sql=translation.sql,
        restated=translation.restated,
        denominator=grounds.denominator,
        bounds=grounds.bounds,
        warnings=tuple(f"nothing was found: {reason}" for reason in grounds.nothing),
        assumptions=grounds.notes,
        sources=grounds.sources,
        truncated=page.truncated,
        translation=translation,
    )
