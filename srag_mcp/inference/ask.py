"""Inference: a question becomes a query, its result an answer (S-RAG 3.3).

Who translates: the offline grammar, a language model, or one after the other.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import permutations

import anyio

from srag_mcp.cells.cell import BY_MODEL, is_predicted
from srag_mcp.errors import ModelError, QueryError, QuestionError, ReplyError, StoreError
from srag_mcp.grammar.table import LISTED, OF_RECORD
from srag_mcp.grammar.translate import TwoReadingsError, read_tables, translate
from srag_mcp.inference.answer import (
    MANY_UNKNOWN,
    Answer,
    is_empty,
    refuse,
    render_text,
    result_key,
    row_key,
)
from srag_mcp.inference.brief import Proposal, explain_nothing, price_reading
from srag_mcp.inference.by_model import MAX_ROWS, ONCE, Translating, translate_question
from srag_mcp.inference.by_reading import ALL_DOCUMENTS, answer_by_reading
from srag_mcp.inference.grounds import MAX_SOURCES, Grounds, find_grounds, find_open_lists
from srag_mcp.inference.linking import telling_words
from srag_mcp.inference.unknowns import NO_BOUNDS, find_gaps, find_unknowns, is_settled
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.ledger import MemoryReplies, MeteredModel
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import MAX_CORRECTIONS
from srag_mcp.names.doubtful import find_candidates, find_forms, find_shortened
from srag_mcp.names.uniting import UNDECIDED, Decided, are_names, unite
from srag_mcp.retrieval.search import idle_words
from srag_mcp.retrieval.segments import gather, quote_hits, shared_terms, sought_terms
from srag_mcp.rules.doubts import check_columns
from srag_mcp.settings import PROMPT_TOKENS
from srag_mcp.sqlfacts.aggregates import takes_first
from srag_mcp.sqlfacts.query import Translation, read_query
from srag_mcp.sqlfacts.trees import unite_values
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.corrections import read_decided
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.spool import QUESTIONS, StoredReplies
from srag_mcp.store.state import open_state
from srag_mcp.store.values import ValueIndex, find_several, goes_on, signed_words
from srag_mcp.text.shown import first_of, quoted, shorten
from srag_mcp.text.words import is_content
from srag_mcp.values.states import read_statement

MAX_QUESTION_CHARACTERS = 2000
_MAX_LIKE = 5
_MAX_TEXT = 200  # characters of one of two results
MAX_PASSAGES = 3  # of a refusal: enough to see whether a search is worth it
_NONE = ((0,),)  # the rows of a count of none
_ASK_OTHERWISE = "name another model, or let it reply in words only (SRAG_REPLY_FORMAT=text)"
_ASK_GRAMMAR = "or ask the grammar (SRAG_ENGINE=offline)"


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions are translated.

    Attributes:
        model: None where the grammar is asked alone; what it cannot read becomes a brief, and what
            it is not sure of as well where it goes *grammar_first*.
        how: How the model translates.
        model_name: The model as the settings name it: its replies are kept beside the corpus. Empty
            where somebody else keeps them.
        timeout_s: Longest wait for the model by one question; None is no limit.
        grammar_first: Whether the grammar is taken only where it is sure, and the model asked, or
            whoever reads the brief, where it is not.
        reads: Whether what no column holds is read in the documents.
        prompt_tokens: Of a prompt that documents are read by, for the price of that.
    """

    model: LanguageModel | None = None
    how: Translating = ONCE
    model_name: str = ""
    timeout_s: float | None = None
    grammar_first: bool = False
    reads: bool = True
    prompt_tokens: int = PROMPT_TOKENS


OFFLINE = Asking()
SURE_OR_BRIEF = Asking(grammar_first=True)


def ask(corpus: Corpus, question: str, asking: Asking = OFFLINE) -> Answer:
    """Answer *question* over all records, or return a brief when it cannot be translated.

    All of the answer is of the build that is published now.

    Raises:
        NotIngestedError: If the corpus has no build.
        QuestionError: If the question is longer than any question is.
        StoreError: If the build cannot be read.
    """
    corpus = corpus.settled()
    if asking.model is None:
        return _ask_grammar(corpus, question, asking)
    return run_to_end(ask_model, corpus, question, asking)


async def ask_model(corpus: Corpus, question: str, asking: Asking) -> Answer:
    """Answer *question* as `ask` does, within an event loop.

    Raises:
        NotIngestedError: If the corpus has no build.
        QuestionError: If the question is longer than any question is.
        StoreError: If the build cannot be read.
    """
    if asking.model is None:
        return _ask_grammar(corpus, question, asking)
    offline = ask_offline(corpus, question) if asking.grammar_first else None
    if offline is not None and _is_sure(offline):
        return offline
    check_length(question)
    try:
        async with open_metered(corpus, asking, asking.model) as model:
            answer = await _answer_by_model(model, corpus, question, asking)
    except ModelError as failure:
        return _with_passages(corpus, fall_back(corpus, question, offline, failure))
    steps = tuple(model.ledger.by_step.items())
    answer = replace(answer, engine=BY_MODEL, taken=model.ledger.total, steps=steps)
    return _with_passages(corpus, answer)


def _ask_grammar(corpus: Corpus, question: str, asking: Asking) -> Answer:
    """Answer by the grammar, where *asking* does not want it surer than it is."""
    answer = ask_offline(corpus, question)
    if asking.grammar_first:
        answer = only_sure(corpus, answer)
    return _with_passages(corpus, answer)


def only_sure(corpus: Corpus, answer: Answer) -> Answer:
    """Return an answer of the grammar where that is sure, else the brief with its reading.

    Documents that nobody has read for a loose attribute make no reading doubtful.
    """
    found = answer.denominator
    if found is not None:
        columns = tuple(replace(item, n_unread=0) for item in found.columns)
        found = replace(found, columns=columns)
    if answer.refused or _is_sure(replace(answer, denominator=found)):
        return answer
    is_none = is_empty(answer.rows)
    gaps = "nothing has it" if is_none else "many documents do not say what it uses"
    doubt = "; ".join(answer.warnings) or gaps
    reason = f"the grammar is not sure of its reading, {answer.restated}: {doubt}"
    return refuse(corpus, answer.question, f"{reason}; its query: {answer.sql}")


async def _answer_by_model(
    model: LanguageModel, corpus: Corpus, question: str, asking: Asking
) -> Answer:
    """Translate *question*; where something that it needs is in no column, read the documents."""
    missing: tuple[str, ...] = ()
    if corpus.schema().attributes:
        try:
            found = await translate_question(model, corpus, question, asking.how)
        except QuestionError as refusal:
            missing, reason = refusal.unplaced, str(refusal)
            if not missing or not asking.reads:
                return refuse(corpus, question, reason, missing)
        else:
            grounds = find_grounds(corpus, found.translation.facts, found.page)
            answer = write_answer(found.translation, found.page, grounds)
            proposal = _propose_rest(corpus, grounds, asking.prompt_tokens)
            return replace(answer, proposal=proposal)
    else:
        reason = "the table has no column"
    try:
        return await answer_by_reading(
            model, corpus, question, missing, prompt_tokens=asking.prompt_tokens
        )
    except (QueryError, StoreError, ModelError) as failure:
        if isinstance(failure, ModelError) and not missing:
            raise
        said = str(failure).partition("\n")[0]
        reason = f"{reason}; the documents were not read for it: {said}"
        return refuse(corpus, question, reason, missing)


def _propose_rest(corpus: Corpus, grounds: Grounds, prompt_tokens: int) -> Proposal | None:
    """Propose to read the documents that were not read for a column that the query uses."""
    columns = () if grounds.denominator is None else grounds.denominator.columns
    unread = next((item.column for item in columns if item.n_unread), None)
    if unread is None or corpus.is_build:
        return None
    try:
        price = price_reading(corpus, unread, ALL_DOCUMENTS, prompt_tokens)
    except (QueryError, StoreError):  # the answer is there, and worth more
        return None
    return Proposal(unread, ALL_DOCUMENTS, price)


def _with_passages(corpus: Corpus, answer: Answer) -> Answer:
    """Add to a refusal the passages that have a word of what it asks, not only of what it is of."""
    if answer.brief is None:
        return answer
    try:
        hits = gather(corpus, [answer.question], None, MAX_PASSAGES)
    except (QueryError, StoreError):  # such as a build without an index: the brief is worth more
        return answer
    idle = idle_words(answer.question)
    telling = telling_words(answer.question, corpus.schema())
    sought = sought_terms(" ".join(word for word in telling if word not in idle))
    quotes = quote_hits(corpus, hits, sought)
    passages = tuple(x for x in quotes if shared_terms(f"{x.headings}\n{x.text}", sought))
    return replace(answer, brief=replace(answer.brief, passages=passages))


@asynccontextmanager
async def open_metered(
    corpus: Corpus, asking: Asking, model: LanguageModel
) -> AsyncIterator[MeteredModel]:
    """Open *model* for one question: its replies are kept, and it has as long as is left.

    Raises:
        ModelError: If the time is over.
    """
    with ExitStack() as stack:
        replies = MemoryReplies()
        if asking.model_name and corpus.state is not None:
            state = stack.enter_context(open_state(corpus.state))
            replies = StoredReplies(state, QUESTIONS)
        metered = MeteredModel(model, replies, asking.model_name)
        try:
            with anyio.fail_after(asking.timeout_s):  # callers of ours give up after a minute
                yield metered
        except TimeoutError as error:
            msg = f"no reply within {asking.timeout_s:g} s (SRAG_QUESTION_TIMEOUT_S)"
            raise ModelError(msg) from error
        finally:
            metered.drop_useless()


def check_length(question: str) -> None:
    """Raise QuestionError if *question* is longer than any question is."""
    if len(question) > MAX_QUESTION_CHARACTERS:
        msg = (
            f"the question has {len(question)} characters; at most {MAX_QUESTION_CHARACTERS} are"
            " read: ask one thing, in one sentence"
        )
        raise QuestionError(msg)


def ask_offline(corpus: Corpus, question: str, rejected: Collection[str] = ()) -> Answer:
    """Answer *question* by the grammar, by none of its readings whose query is *rejected*."""
    check_length(question)
    try:
        translation = _translate(corpus, question, rejected)
        facts = translation.facts
        own = corpus.about(facts.schema.entity)
        rows = facts.rows_of(find_gaps(own))
        check_columns(own, translation, lambda gaps: is_settled(own, facts, gaps), rows)
        page = corpus.select(translation.sql, limit=MAX_ROWS)
    except QuestionError as refusal:
        return refuse(corpus, question, str(refusal), refusal.unplaced)
    except QueryError as failure:
        return refuse(corpus, question, f"the query could not be run: {failure}")
    if any(value is not None for row in page.rows for value in row):
        grounds = find_grounds(corpus, translation.facts, page)
        doubt = _find_doubt(grounds)
        for name, n_open, n_all in find_open_lists(corpus, translation.facts.listed):
            if n_open > MANY_UNKNOWN * n_all:
                doubt = f"of {n_open} of {n_all} documents it is not known what {name} they have"
        if doubt:
            return refuse(corpus, question, doubt)
        answer = write_answer(translation, page, grounds)
        if page.rows == _NONE and is_empty(page.rows):  # an answer, and no doubt
            answer = replace(answer, warnings=(), assumptions=answer.warnings + answer.assumptions)
        try:
            doubts = tuple(_find_doubts(corpus, translation, page))
        except QuestionError as refusal:
            return refuse(corpus, question, str(refusal))
        return replace(answer, warnings=(*answer.warnings, *doubts))
    try:  # no list and no highest value comes of no record: say what was looked for in vain
        reasons = explain_nothing(corpus, facts)
        is_first = facts.aggregate is not None and facts.aggregate.function == "first"
        reasons += find_unknowns(own, facts).notes if is_first and not reasons else ()
    except QueryError:
        reasons = []
    nothing = f"no record has what was asked ({translation.restated})"
    return refuse(corpus, question, "; ".join((nothing, *reasons)))


def _translate(corpus: Corpus, question: str, rejected: Collection[str]) -> Translation:
    """Translate by the grammar; of two readings with one result, the first."""
    try:
        tables = corpus.once(read_tables)
        return translate(question, corpus.schema(), tables, corpus.values(), rejected)
    except TwoReadingsError as error:
        pages = [corpus.select(sql, limit=MAX_ROWS).rows for sql in error.queries]
        one, two = ([*map(row_key, rows)] for rows in pages)
        if is_empty(pages[0]) or one != two:
            raise
        other = error.queries[1]
    return _translate(corpus, question, (*rejected, other))


def _find_doubt(grounds: Grounds) -> str:
    """Say so where many values are unknown, or some contradicted, and who knows what follows."""
    if grounds.doubts:
        return "; ".join(grounds.doubts)
    columns = () if grounds.denominator is None else grounds.denominator.columns
    doubted = [item for item in columns if item.n_contradicted]
    if doubted and NO_BOUNDS in grounds.notes:
        said = (f"{x.n_contradicted} of {x.n_used} values of {x.column}" for x in doubted)
        return f"{' and '.join(said)} are in doubt, and {NO_BOUNDS}"
    for item in columns:
        n_said, n_all = item.n_used + item.n_none, item.n_used + item.n_none + item.n_unknown
        n_all += item.n_failed + item.n_unread
        if grounds.is_open and item.n_open > MANY_UNKNOWN * n_all:
            return f"only {n_said} of {n_all} documents say {item.column}, and {grounds.notes[0]}"
    return ""


def _find_doubts(corpus: Corpus, translation: Translation, page: ResultPage) -> Iterator[str]:
    """Say what a reading assumes, and which other one has another result."""
    if translation.assumed:
        yield f"assumed: {'; '.join(translation.assumed)}"
    for name, n_open, n_all in find_open_lists(corpus, translation.facts.listed):
        yield f"{name}: {n_open:,} of {n_all:,} documents may list more"
    for sql in translation.rivals:
        try:
            other = corpus.select(sql, limit=MAX_ROWS)
        except QueryError:
            continue
        if result_key(other.rows) != result_key(page.rows):
            words = read_query(sql, corpus.schema()).words or "another reading"
            yield f"it can also be read so: {render_text(other, words)}"
            break
    try:
        yield from _compare_names(corpus, translation, page)
    except (QueryError, StoreError):  # the answer is there, and worth more
        yield "whether other names mean the same was not looked for"


def _compare_names(corpus: Corpus, translation: Translation, page: ResultPage) -> Iterator[str]:
    """Say of which names it was not looked whether they mean the same.

    Raises:
        QuestionError: If the result is another one where names are one thing that may be, as nobody
            has decided which it is; or each value is counted, of which some are several at once.
    """
    facts, bound = translation.facts, defaultdict[str, list[str]](list)
    for item in translation.literals:
        bound[item.column].append(item.stored)
    told_apart = sorted(facts.told_apart - bound.keys())
    bound |= {x: [] for x in told_apart if facts.schema.attribute(x).type.is_text}
    united, told = translation.sql, list[str]()
    was_asked = is_predicted(corpus.info().engine)
    for column, values in bound.items():
        table, _, own = column.replace(OF_RECORD, LISTED).rpartition(LISTED)
        table = table or facts.schema.entity
        if was_asked and table == corpus.schema().entity:
            continue  # a model has decided on the names of records; of lists not always
        (found,) = corpus.statistics([own], table)
        counts = {str(item.value): item.count for item in found.values}
        if (several := find_several(counts)) and not values:
            several = [f"{quoted(x)} ({counts[x]:,})" for x in several]
            shown = ", ".join(first_of(several, _MAX_LIKE))
            msg = f"each {column} was to be told apart, and some documents have several: {shown}"
            raise QuestionError(msg)
        if found.truncated and not values and are_names(counts):
            yield f"{column}: its rarer values were not compared, and may mean the same as others"
        kept = dict[str, str]()
        decided = read_decided(corpus.state).get(column, UNDECIDED) if corpus.state else UNDECIDED
        index = corpus.values().about(found.table)
        for group in _find_like_names(index, own, counts, values, decided):
            ranked = sorted(group, key=lambda x: (x not in values, -counts[x]))
            if not values or ranked[0] in values:
                kept |= dict.fromkeys(ranked[1:], ranked[0])
                told.append(" and ".join(f"{x} ({counts[x]:,})" for x in ranked))
        united = unite_values(united, table, own, kept)
    other = page if united == translation.sql else corpus.select(united, limit=MAX_ROWS)
    if result_key(other.rows) != result_key(page.rows):
        apart, as_one = (
            shorten(render_text(x, translation.restated, facts.unit), _MAX_TEXT)
            for x in (page, other)
        )
        names = "; ".join(first_of([*dict.fromkeys(told)], _MAX_LIKE))
        msg = f"nobody knows whether these are the same: {names}. If not: {apart} If so: {as_one}"
        raise QuestionError(msg)


def _find_like_names(
    index: ValueIndex, column: str, counts: dict[str, int], asked: Sequence[str], decided: Decided
) -> Iterator[list[str]]:
    """Yield groups of values of a column that may be one: with those *asked*, if any is."""
    several = {*find_several(counts)}  # of others, and no other spelling of one
    single = [x for x in counts if x not in several]
    # where values return, as those do of which one is written in several ways
    returns = 2 * len(counts) <= sum(counts.values())
    alike = [*find_forms(single, column), *(find_shortened(single) if returns else [])]
    words = {x: signed_words(x) for x in single if read_statement(x, column) is not False}
    alike += [
        [short, long]
        for short, long in (permutations(words, 2) if returns and not asked else ())
        if goes_on(words[long], words[short], is_name=short[:1].isupper())
        and any(map(is_content, {*words[long]} - {*words[short]}))  # `very good` says another thing
    ]
    yield from (group for group in alike if not decided.parts(group))
    if are_names(counts):
        for near in [index.near(x, column) for x in asked] or [dict(counts)]:
            counts |= near
            known = {x: n for x, n in near.items() if x not in several}
            groups = find_candidates(unite(known, decided), decided)
            yield from ([x.spellings[0] for x in things] for things in groups)


def _is_sure(answer: Answer) -> bool:
    """Whether the reading assumes nothing, and the columns that it uses are filled."""
    has_gaps = answer.denominator is not None and answer.denominator.has_many_gaps
    is_answer = answer.rows == _NONE or not is_empty(answer.rows)
    return is_answer and answer.translation is not None and not answer.warnings and not has_gaps


def fall_back(corpus: Corpus, question: str, offline: Answer | None, failure: ModelError) -> Answer:
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
    return refuse(corpus, question, reason)


def _unit_of(translation: Translation, page: ResultPage, grounds: Grounds) -> str | None:
    """Return the unit of the one output: that of its own cells, where they have another one."""
    facts = translation.facts
    name = next((x.column for x in facts.outputs[:1] if x is not None), "")
    own = {x.unit for x in grounds.sources if x.column == name and x.unit}
    if len(own) == 1 and len(page.rows) <= MAX_SOURCES:
        return own.pop()
    columns = grounds.denominator.columns if grounds.denominator and name else ()
    is_open = len(own) > 1 or any(x.column == name and x.n_contradicted for x in columns)
    return None if is_open else facts.unit


def write_answer(translation: Translation, page: ResultPage, grounds: Grounds) -> Answer:
    """Say the result of a query, over which records it is, and what stands behind it."""
    facts = translation.facts
    n_rows, unit = len(set(page.rows)), _unit_of(translation, page, grounds)
    is_tie = n_rows > 1 and not page.truncated and takes_first(facts)
    tie = f"A tie of {n_rows:,}: " if is_tie else ""
    return Answer(
        question=translation.question,
        text=tie + render_text(page, translation.restated, unit, grounds.whole),
        is_tie=is_tie,
        columns=page.columns,
        rows=page.rows,
        sql=translation.sql,
        restated=translation.restated,
        denominator=grounds.denominator,
        bounds=grounds.bounds,
        warnings=(*(f"nothing was found: {reason}" for reason in grounds.nothing), *grounds.doubts),
        assumptions=grounds.notes,
        sources=grounds.sources,
        truncated=page.truncated,
        translation=translation,
    )
