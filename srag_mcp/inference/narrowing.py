"""Narrowing: which documents are read for a question that no column answers, and by which words."""

from collections.abc import Sequence
from dataclasses import dataclass

from srag_mcp.errors import QueryError
from srag_mcp.inference.brief import describe_column
from srag_mcp.inference.by_model import with_nearest
from srag_mcp.inference.linking import link_values
from srag_mcp.model.asking import ask_for
from srag_mcp.model.language_model import LanguageModel, Prompt, count_tokens
from srag_mcp.model.reply_content import ReplyContent
from srag_mcp.prompting import enclose, render_prompt
from srag_mcp.retrieval.search import search
from srag_mcp.schema.attribute import LONGEST_WISH
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.shown import one_line, shorten

MAX_SEARCHES = 3
_MAX_HOLDS = 80
_TABLE_TOKENS = 600
_MAX_ALIKE, _MAX_OTHERS = 10, 4
_FEW = 20  # documents are all named
_MAX_NAME = 100
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
    runs = _Runs(corpus)
    prompt = _write_prompt(corpus, question, missing)
    asked = await ask_for(model, prompt, NarrowingReply, runs.check)
    reply = asked.content
    sql = _clean(reply.documents)
    n_documents = runs.counts.get(sql) if sql else None
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


class _Runs:
    """Runs narrowing queries; *counts* has how many documents each that could be run leaves."""

    def __init__(self, corpus: Corpus) -> None:
        self.counts: dict[str, int] = {}
        self._corpus = corpus

    def check(self, reply: NarrowingReply) -> Sequence[str]:
        sql = _clean(reply.documents)
        if sql is None:
            return ()
        is_known = sql in self.counts
        try:
            self.counts[sql] = count_documents(self._corpus, sql)
        except QueryError as error:
            return (f"the query in documents could not be run: {with_nearest(error)}",)
        if self.counts[sql] or is_known:
            return ()
        return (
            "the query in documents leaves no document: give a wider one, or null for all; if that"
            " is right, send it again",
        )


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


def _write_prompt(corpus: Corpus, question: str, missing: Sequence[str]) -> Prompt:
    said = [question, *(f"No column holds: {item}" for item in missing)]
    return render_prompt(
        "narrow",
        "narrow",
        question,
        table=enclose(_describe_table(corpus, question)),
        documents=enclose(_list_documents(corpus, question)),
        question=enclose("\n".join(said)),
    )


def _describe_table(corpus: Corpus, question: str) -> str:
    """Name the columns with what they hold, those behind the bound by name alone."""
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
        shorten(f"{name} — {title}" if title and title not in name else name, _MAX_NAME)
        for name, title in names.items()
    ]
    if len(names) < n_documents:
        lines.append(f"and {n_documents - len(names):,} others of {n_documents:,}")
    return "\n".join(lines)
