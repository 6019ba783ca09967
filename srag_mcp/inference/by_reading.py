"""Reading: a question that no column answers is answered from passages (Hybrid-S-RAG).

Narrow by SQL, search, choose, join to segments, read. Source: S-RAG 3.3; MixRAG; spRAG.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srag_mcp.documents.lines import collapse
from srag_mcp.errors import QueryError
from srag_mcp.inference.answer import Answer, Sentence, refuse
from srag_mcp.inference.brief import Proposal, describe_column, price_reading
from srag_mcp.inference.by_model import with_nearest
from srag_mcp.inference.linking import link_values
from srag_mcp.inference.recap import Judge, ReadingReply, Shown
from srag_mcp.model.language_model import (
    CHARACTERS_A_TOKEN,
    LanguageModel,
    count_tokens,
    enclose,
    most_characters,
    render_prompt,
)
from srag_mcp.model.reply_content import ReplyContent, ask_for
from srag_mcp.retrieval.search import Hit, read_hit, search
from srag_mcp.retrieval.segments import Segment, gather, join_segments, quote_hits, sought_terms
from srag_mcp.schema.attribute import LONGEST_WISH
from srag_mcp.settings import PROMPT_TOKENS
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.shown import one_line, shorten, shorten_start
from srag_mcp.text.words import words
from srag_mcp.values.quantities import find_quantities

MAX_SEARCHES = 3
_MAX_HOLDS = 80
_TABLE_TOKENS = 600
_MAX_ALIKE, _MAX_OTHERS = 10, 4
_FEW = 20  # documents are all named
_MAX_NAMED = 100
_NAMES = "SELECT document_id, title FROM documents ORDER BY document_id LIMIT $1"


class NarrowingReply(ReplyContent):
    """Where to read.

    Attributes:
        documents: One SELECT of ids; None for all.
        attribute: What each of them is to be read for; None where a few passages hold the answer.
        search: The question in the words of documents.
    """

    documents: str | None
    attribute: str | None
    search: list[str]


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Where to read, checked.

    Attributes:
        documents: A SELECT of ids that has run and found some; None for all documents.
        n_documents: How many it leaves; None where all are left.
        attribute: As in the reply.
        searches: At most three.
        notes: What was taken off, and why.
    """

    documents: str | None
    n_documents: int | None
    attribute: str | None
    searches: tuple[str, ...]
    notes: tuple[str, ...] = ()


async def narrow(
    model: LanguageModel, corpus: Corpus, question: str, missing: Sequence[str]
) -> Narrowing:
    """Let *model* say where to read for what is *missing*.

    A query that cannot be run, or leaves no document, goes back to the model, at most twice; the
    latter once, and then all documents are read.

    Raises:
        ModelError: If no reply could be had.
    """
    counts: dict[str, int] = {}  # how many documents each query that could be run leaves

    def check(reply: NarrowingReply) -> Sequence[str]:
        sql = _clean(reply.documents)
        if sql is None:
            return ()
        is_known = sql in counts
        try:
            counts[sql] = count_documents(corpus, sql)
        except QueryError as error:
            return (f"the query in documents could not be run: {with_nearest(error)}",)
        if counts[sql] or is_known:
            return ()
        return (
            "the query in documents leaves no document: give a wider one, or null for all; if that"
            " is right, send it again",
        )

    said = [question, *(f"No column holds: {item}" for item in missing)]
    prompt = render_prompt(
        "narrow",
        "narrow",
        question,
        table=enclose(_describe_table(corpus, question)),
        documents=enclose(_list_documents(corpus, question)),
        question=enclose("\n".join(said)),
    )
    asked = await ask_for(model, prompt, NarrowingReply, check)
    reply = asked.content
    sql = _clean(reply.documents)
    n_documents = counts.get(sql) if sql else None
    notes: tuple[str, ...] = ()
    if sql and not n_documents:
        why = "no document is left by it" if n_documents == 0 else "; ".join(asked.problems)
        notes = (f"the narrowing query was taken off, for {why}: {one_line(sql)}",)
        sql, n_documents = None, None
    attribute = shorten(one_line(reply.attribute or "").strip(), LONGEST_WISH) or None
    searches = tuple(filter(None, map(str.strip, reply.search)))[:MAX_SEARCHES]
    return Narrowing(sql, n_documents, attribute, searches, notes)


def _clean(sql: str | None) -> str | None:
    return (sql or "").strip().rstrip(";").rstrip() or None


def count_documents(corpus: Corpus, sql: str) -> int:
    """Return how many documents *sql*, a SELECT of ids from outside, leaves.

    Raises:
        QueryError: If it is refused or wrong, or has other columns.
    """
    columns = corpus.select(sql, limit=1).columns
    if [name.lower() for name in columns] != ["document_id"]:
        msg = f"its columns are {', '.join(columns)}: it must have document_id alone"
        raise QueryError(msg, sql)
    counted = f"SELECT count(*) FROM documents WHERE document_id IN (\n{sql}\n)"  # noqa: S608 - it runs through the guard
    return int(corpus.select(counted, limit=1).rows[0][0] or 0)


def _describe_table(corpus: Corpus, question: str) -> str:
    schema = corpus.schema()
    statistics = {item.column: item for item in corpus.statistics()}
    lines = [
        f"{schema.entity}(document_id, …), {corpus.info().n_documents:,} records"
        if schema.attributes
        else f"no table has columns: choose by documents, {corpus.info().n_documents:,} records"
    ]
    rest = []
    left = _TABLE_TOKENS
    for item in schema.attributes:
        unit = f", {item.unit}" if item.unit else ""
        named = f"{item.name} ({item.type}{unit})"
        found = statistics.get(item.name)
        holds = shorten(describe_column(found), _MAX_HOLDS) if found else ""
        line = f"- {named}: {holds}"
        left -= count_tokens(line)
        if left >= 0:
            lines.append(line)
        else:
            rest.append(named)
    lines += [f"and {', '.join(rest)}"] if rest else []
    lines += map(str, link_values(question, corpus))
    return "\n".join(lines)


def _list_documents(corpus: Corpus, question: str) -> str:
    """Name the documents that the words of the question resemble, and a few others."""
    n_documents = corpus.info().n_documents
    alike = search(corpus, question, per_document=1, limit=_MAX_ALIKE).hits
    names = {hit.document_id: corpus.document(hit.document_id).title for hit in alike}
    most = n_documents if n_documents <= _FEW else len(alike) + _MAX_OTHERS
    for document_id, title in corpus.read(_NAMES, [max(_FEW, _MAX_ALIKE + _MAX_OTHERS)]):
        if len(names) < most:
            names.setdefault(str(document_id), str(title or ""))
    lines = [
        shorten(f"{name} — {title}" if title and title not in name else name, _MAX_NAMED)
        for name, title in names.items()
    ]
    if len(names) < n_documents:
        lines.append(f"and {n_documents - len(names):,} others of {n_documents:,}")
    return "\n".join(lines)


MAX_SNIPPETS = 40
SNIPPET_TOKENS = 80
READING_TOKENS = 3500  # of passages: with all stages an answer takes 8,000
_MAX_CONTEXT, _MAX_NAME, _MAX_HEADINGS = 160, 60, 60
ALL_DOCUMENTS = "SELECT document_id FROM documents"
_ANY_PASSAGE = "SELECT count(*) FROM passages"


class RankingReply(ReplyContent):
    """The ids of the passages that help, the best first."""

    ids: list[int]


async def answer_by_reading(
    model: LanguageModel,
    corpus: Corpus,
    question: str,
    missing: Sequence[str] = (),
    *,
    prompt_tokens: int = PROMPT_TOKENS,
) -> Answer:
    """Answer *question* from passages; *missing* is what it needs and no column holds.

    Where each document would have to be read for it, none is, and the answer proposes that, with
    its price at *prompt_tokens* a prompt. Where
    no sentence stands on what the passages say, the question is refused.

    Raises:
        ModelError: If a reply could not be had.
        QueryError: If a search could not be run.
        StoreError: If the build has no index of passages.
    """
    unplaced = tuple(missing)
    unheld = f"no column holds {', '.join(missing) or 'what is asked'}"
    is_indexed = "passages" in corpus.tables()  # else the search says that the build is old
    if is_indexed and not corpus.select(_ANY_PASSAGE, limit=1).rows[0][0]:
        return refuse(corpus, question, unheld, unplaced)
    narrowing = await narrow(model, corpus, question, missing)
    if narrowing.attribute is not None:
        documents = narrowing.documents or ALL_DOCUMENTS
        price = price_reading(corpus, narrowing.attribute, documents, prompt_tokens)
        proposal = Proposal(narrowing.attribute, documents, price)
        reason = f"{unheld}, and each document would have to be read for it"
        reason = "; ".join((reason, *narrowing.notes))
        is_possible = price.n_documents > 0 and not corpus.is_build
        return refuse(corpus, question, reason, unplaced, proposal if is_possible else None)
    narrowing, hits = await choose_passages(model, corpus, question, narrowing)
    if not hits:
        reason = f"{unheld}, and no passage that was found seems to say it"
        return refuse(corpus, question, reason, unplaced)
    segments = join_segments(corpus, hits, READING_TOKENS)
    shown = [_show(corpus, number, item) for number, item in enumerate(segments, start=1)]
    judge = Judge(corpus, question, shown)
    prompt = render_prompt(
        "read_passages",
        "read",
        question,
        passages="\n".join(item.render() for item in shown),
        question=enclose(question),
    )
    asked = await ask_for(model, prompt, ReadingReply, judge.check)
    judged = judge.judge(asked.content)
    reading = judged.reading
    if not reading.sentences:
        said = f"no passage says {', '.join(reading.missing) or 'it'}"
        if judged.n_dropped:
            asked.forget(model)
            said = "what the model said of the passages is not in its quotes"
        return refuse(corpus, question, f"{unheld}, and {said}", unplaced)
    notes = list(narrowing.notes)
    if judged.n_dropped:
        n_all = judged.n_dropped + len(reading.sentences)
        notes.append(
            f"{judged.n_dropped} of {n_all} sentences were left out: what they say is not in their"
            " quotes"
        )
    n_all = corpus.info().n_documents
    n_searched = n_all if narrowing.n_documents is None else narrowing.n_documents
    reading = replace(
        reading,
        sentences=tuple(with_share(item, n_searched) for item in reading.sentences),
        documents=narrowing.documents,
        n_passages=sum(item.n_passages for item in segments),
        n_read=len({item.document_id for item in segments}),
        n_searched=n_searched,
        n_documents=n_all,
    )
    text = " ".join(item.text for item in reading.sentences)
    warnings = tuple(notes)
    return Answer(question, text, reading=reading, warnings=warnings, assumptions=corpus.notices())


def with_share(sentence: Sentence, n_searched: int) -> Sentence:
    """Say of how many documents a number is that was made of several; the others are not in it."""
    n_quoted = len({quote.document_id for quote in sentence.quotes})
    if not 1 < n_quoted < n_searched or not find_quantities(sentence.text):
        return sentence
    share = f"(Of {n_quoted:,} of the {n_searched:,} documents that were searched.)"
    return replace(sentence, text=f"{sentence.text} {share}")


async def choose_passages(
    model: LanguageModel, corpus: Corpus, question: str, narrowing: Narrowing
) -> tuple[Narrowing, tuple[Hit, ...]]:
    """Return the passages that *model* chooses of those that were found, the best first.

    Where the narrowed documents have none, all documents are searched, and the narrowing says so.

    Raises:
        ModelError: If no reply could be had.
        QueryError: If the narrowing query is refused or wrong.
        StoreError: If the build has no index.
    """
    searches = (question, *narrowing.searches)
    hits = gather(corpus, searches, narrowing.documents, MAX_SNIPPETS)
    if narrowing.documents is not None:
        hits = hits + _read_whole(corpus, narrowing.documents, hits)
    chosen = await _choose(model, corpus, question, hits, searches)
    if chosen or narrowing.documents is None:
        return narrowing, chosen
    sql = one_line(narrowing.documents)
    note = f"the narrowing query was taken off, for its documents do not seem to say it: {sql}"
    wide = replace(narrowing, documents=None, n_documents=None, notes=(*narrowing.notes, note))
    hits = gather(corpus, searches, None, MAX_SNIPPETS)
    return wide, await _choose(model, corpus, question, hits, searches)


def _read_whole(corpus: Corpus, documents: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return what *hits* leave of *documents* where all of it can be read: no word is needed."""
    found = f"FROM passages WHERE document_id IN (\n{documents}\n)"
    size, count = corpus.select(f'SELECT sum("end" - start), count(*) {found}', limit=1).rows[0]
    if int(size or 0) > READING_TOKENS * CHARACTERS_A_TOKEN:
        return ()
    sql = f'SELECT document_id, number, page, headings, start, "end" {found} ORDER BY ALL'
    known = {(hit.document_id, hit.number) for hit in hits}
    rows = corpus.select(sql, limit=int(count or 1)).rows
    return tuple(read_hit(*row) for row in rows if row[:2] not in known)


async def _choose(
    model: LanguageModel,
    corpus: Corpus,
    question: str,
    hits: Sequence[Hit],
    searches: Sequence[str],
) -> tuple[Hit, ...]:
    """Let *model* pick from snippets; where all that was found can be read, nobody is asked."""
    texts = corpus.document_texts([(hit.document_id, hit.span) for hit in hits])
    if sum(count_tokens(collapse(text)) for text in texts) <= READING_TOKENS:
        return tuple(hits)
    sought = sought_terms(" ".join(searches))
    ids = {name: f"d{n}" for n, name in enumerate(dict.fromkeys(x.document_id for x in hits), 1)}
    lines = [f"{short} is {_name(corpus, name)}" for name, short in ids.items()]
    for number, quote in enumerate(quote_hits(corpus, hits, sought), start=1):
        place = _place(ids[quote.document_id], quote.page, quote.headings)
        text = f"{number} | {place} | {one_line(quote.text)}"
        lines.append(shorten(text, most_characters(text, SNIPPET_TOKENS)))
    chosen = await rank_snippets(model, question, lines, n_snippets=len(hits))
    return tuple(hits[place] for place in chosen)


async def rank_snippets(
    model: LanguageModel, question: str, lines: Sequence[str], *, n_snippets: int, subject: str = ""
) -> list[int]:
    """Let *model* choose among the snippets of *lines*, numbered from 1; return their places.

    *subject* is what the prompt is kept by, if not the question.
    """
    prompt = render_prompt(
        "rerank",
        "rerank",
        subject or question,
        snippets=enclose("\n".join(lines)),
        question=enclose(question),
    )

    def check(reply: RankingReply) -> Sequence[str]:
        wrong = [item for item in reply.ids if not 1 <= item <= n_snippets]
        return [f"there is no passage {wrong[0]}: ids are 1 to {n_snippets}"] if wrong else ()

    asked = await ask_for(model, prompt, RankingReply, check)
    return [item - 1 for item in dict.fromkeys(asked.content.ids) if 1 <= item <= n_snippets]


def _show(corpus: Corpus, number: int, segment: Segment) -> Shown:
    name = _name(corpus, segment.document_id)
    context = _place(name, segment.page, segment.headings)
    if summary := one_line(corpus.summary(segment.document_id)):
        context = f"{context} ({summary})"
    return Shown(f"p{number}", segment, context, corpus.document_text(segment.document_id))


def _name(corpus: Corpus, document_id: str) -> str:
    entry = corpus.document(document_id)
    is_new = not set(words(entry.title)) <= set(words(entry.id))
    named = [entry.id, shorten(entry.title, _MAX_NAME)] if is_new else [entry.id]
    return shorten(" — ".join(named), _MAX_CONTEXT)


def _place(name: str, page: int | None, headings: str) -> str:
    """Write where a passage stands: `"ACME_2019.pdf — Annual report, page 12, Risks > Rates"`."""
    inner = shorten_start(headings, _MAX_HEADINGS)
    return ", ".join([name, *([f"page {page}"] if page else []), *([inner] if inner else [])])
