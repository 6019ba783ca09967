"""Retrieval: how near the top a ranking puts the document and the pages that hold the answer.

A ranking is a function from a question to passages, the best first; its first `DEPTH` are looked
at. HiT@k and the reciprocal rank (MRR) are over distinct documents, Recall@k over distinct pages,
one page a passage, Precision@5 over passages: those of a page of the evidence or, where no pages
are named, of a document that is named. A run can be kept as a file in the form of TREC, and two of
them compared.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from srag_mcp.errors import PackError
from srag_mcp.evaluation.bench import read_rows
from srag_mcp.evaluation.pack import PackQuestion
from srag_mcp.retrieval.search import find_filter, search
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.spans import Span
from srag_mcp.text.words import words


class Hit(NamedTuple):
    """A passage that was found: in which document, on which page from 1 (None: it has none)."""

    document: str
    page: int | None
    passage: str


Ranking: TypeAlias = Callable[[str], Iterable[Hit]]
Ranker: TypeAlias = Callable[[Corpus], Ranking]
Run: TypeAlias = Mapping[str, Sequence[Hit]]  # by the id of the question
Scores: TypeAlias = Mapping[str, float]

MEASURES = (
    "hit_1", "hit_3", "hit_5", "hit_10", "mrr", "page_recall_5", "page_recall_10", "precision_5"
)  # fmt: skip
DEPTH = 1000  # of a run of TREC
_Z = 1.959964  # two-sided, 95 %
_N_SHUFFLES = 10_000
_TAG = "srag-mcp"


class Figure(NamedTuple):
    """The mean of a measure over *n* questions, and its 95 % interval after Wilson.

    For shares of a question (MRR, recall, precision) the interval is wider than it must be: no
    values between 0 and 1 vary more than zeros and ones of the same mean.
    """

    mean: float
    n: int
    low: float
    high: float


class Change(NamedTuple):
    """By how much a measure is higher than that of another run, and the p-value of that."""

    difference: float
    p: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a ranking found: the scores of each question by its id."""

    scores: Mapping[str, Scores]

    def figures(self) -> dict[str, Figure]:
        """Return the figure of each measure; of pages, over the questions that name some."""
        return {name: figure_of(items) for name, items in _by_measure(self.scores.values()).items()}

    def to_json(self) -> dict[str, object]:
        """Return the mean of each measure (None: no question has it), counts and intervals."""
        figures = self.figures()
        return {
            **dict.fromkeys(MEASURES),
            **{name: round(figure.mean, 4) for name, figure in figures.items()},
            "n_questions": {name: figure.n for name, figure in figures.items()},
            "n_hits": {
                name: round(figure.mean * figure.n)
                for name, figure in figures.items()
                if name.startswith("hit_")
            },
            "interval_95": {
                name: [round(figure.low, 4), round(figure.high, 4)]
                for name, figure in figures.items()
            },
        }


def _by_measure(questions: Iterable[Scores]) -> dict[str, list[float]]:
    values = defaultdict[str, list[float]](list)
    for scores in questions:
        for name, value in scores.items():
            values[name].append(value)
    return values


def figure_of(values: Sequence[float]) -> Figure:
    """Return the mean of *values*, each from 0 to 1, at least one, with its interval."""
    n, mean = len(values), sum(values) / len(values)
    centre, scale = mean + _Z**2 / (2 * n), 1 + _Z**2 / n
    reach = _Z * sqrt(mean * (1 - mean) / n + _Z**2 / (4 * n**2))
    return Figure(mean, n, max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale))


def by_search(corpus: Corpus) -> Ranking:
    """Rank as the product's own search does: what the question itself names comes first."""

    def rank(question: str) -> Iterable[Hit]:
        named = find_filter(corpus, question)
        words, ahead = (named.rest, named.documents) if named else (question, None)
        page = search(corpus, words, ahead=ahead, limit=DEPTH)
        return (Hit(hit.document_id, hit.page, str(hit.number)) for hit in page.hits)

    return rank


class Bm25:
    """Scores texts by the words of a question, and nothing else: a baseline.

    Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with its usual
    parameters; the inverse frequency is never negative, as in Lucene.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._lengths: list[int] = []
        self._postings: dict[str, dict[int, int]] = {}
        for at, text in enumerate(texts):
            said = words(text)
            for word, count in Counter(said).items():
                self._postings.setdefault(word, {})[at] = count
            self._lengths.append(len(said))
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def rank(self, question: str) -> list[int]:
        """Return the places of the texts that share a word with *question*, the best first."""
        k1, b = 1.2, 0.75
        n_texts, scores = len(self._lengths), defaultdict[int, float](float)
        for word in words(question):
            found = self._postings.get(word, {})
            rarity = log(1 + (n_texts - len(found) + 0.5) / (len(found) + 0.5))
            for at, count in found.items():
                reach = k1 * (1 - b + b * self._lengths[at] / self._mean)
                scores[at] += rarity * count * (k1 + 1) / (count + reach)
        return sorted(scores, key=lambda at: -scores[at])


def bm25(corpus: Corpus) -> Ranking:
    """Rank the passages of *corpus* by `Bm25`."""
    passages = list(read_passages(corpus))
    ranked = Bm25(said for _, _, said in passages)
    return lambda question: [passages[at][0] for at in ranked.rank(question)]


def read_passages(corpus: Corpus) -> Iterator[tuple[Hit, Span, str]]:
    """Yield all passages of *corpus*, each with its place in the text of its document."""
    rows = read_rows(corpus, "SELECT * FROM passages ORDER BY document_id, number")
    for document, passages in groupby(rows, lambda row: str(row["document_id"])):
        text = corpus.document_text(document)
        for row in passages:
            page, number, start, end = (row[name] for name in ("page", "number", "start", "end"))
            span = Span(int(str(start)), int(str(end)))
            yield (
                Hit(document, None if page is None else int(page), str(number)),
                span,
                span.of(text),
            )


RANKERS: Mapping[str, Ranker] = {"search": by_search, "bm25": bm25}


def rank_questions(
    ranking: Ranking, questions: Iterable[PackQuestion], names: Mapping[str, str]
) -> dict[str, tuple[Hit, ...]]:
    """Rank for each question that names documents; *names*: what questions call a document."""
    return {
        question.id: tuple(
            hit._replace(document=names.get(hit.document, hit.document))
            for hit in islice(ranking(question.question), DEPTH)
        )
        for question in questions
        if question.documents
    }


def score_run(run: Run, questions: Iterable[PackQuestion]) -> Retrieval:
    """Score *run*; a question that it does not have found nothing."""
    return Retrieval(
        {item.id: _score(item, run.get(item.id, ())) for item in questions if item.documents}
    )


def _score(question: PackQuestion, hits: Sequence[Hit]) -> Scores:
    documents = dict.fromkeys(hit.document for hit in hits)
    pages = list(dict.fromkeys((hit.document, hit.page) for hit in hits))
    wanted = set(question.evidence)
    first = next((n for n, name in enumerate(documents, 1) if name in question.documents), None)
    scores = {f"hit_{k}": float(first is not None and first <= k) for k in (1, 3, 5, 10)}
    scores["mrr"] = 0.0 if first is None else 1 / first
    if wanted:
        scores |= {f"page_recall_{k}": len(wanted & set(pages[:k])) / len(wanted) for k in (5, 10)}
    good = [
        (hit.document, hit.page) in wanted if wanted else hit.document in question.documents
        for hit in hits[:5]
    ]
    return {**scores, "precision_5": sum(good) / 5}


def compare_runs(one: Retrieval, other: Retrieval) -> dict[str, Change]:
    """Return, by measure, how much better *one* is than *other*.

    A paired, two-sided randomisation test over the questions: how often is the difference as large
    when each question gives either run's score to either run?
    Source: Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for
    Information Retrieval Evaluation" (CIKM 2007).
    """
    pairs = _by_measure(
        {name: score - other.scores[question][name] for name, score in scores.items()}
        for question, scores in one.scores.items()
    )
    return {name: Change(sum(items) / len(items), _p_value(items)) for name, items in pairs.items()}


def _p_value(differences: Sequence[float]) -> float:
    told = [item for item in differences if item]  # the others add nothing, whatever their sign
    draw, observed = random.Random(0), abs(sum(told)) - 1e-9
    n_as_large = sum(
        abs(sum(item if draw.getrandbits(1) else -item for item in told)) >= observed
        for _ in range(_N_SHUFFLES)
    )
    return (1 + n_as_large) / (1 + _N_SHUFFLES)


def write_run(run: Run, path: Path) -> None:
    """Write *run* in the form of TREC: `question Q0 document#page#passage rank score tag`.

    Blanks, `#` and `%` in a name are written as in an address (`%20`).
    """
    lines = [
        f"{quote(key)} Q0 {quote(hit.document)}#{hit.page or ''}#{quote(hit.passage)}"
        f" {rank} {DEPTH - rank + 1} {_TAG}\n"
        for key, hits in run.items()
        for rank, hit in enumerate(hits, 1)
    ]
    path.write_text("".join(lines), encoding="utf-8")


def read_run(path: Path) -> dict[str, list[Hit]]:
    """Read a run in the form of TREC, of this or of another system, in the order of its scores.

    Raises:
        PackError: If the file cannot be read, or is none; the text names the line.
    """
    found: dict[str, list[tuple[float, Hit]]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        msg = f"{path}: not a run that can be read ({error})"
        raise PackError(msg) from error
    for number, line in enumerate(lines, 1):
        try:
            key, _, name, _, score, _ = line.split()
            document, page, passage = [*name.split("#"), "", ""][:3]
            hit = Hit(unquote(document), int(page) if page else None, unquote(passage))
            found.setdefault(unquote(key), []).append((-float(score), hit))
        except ValueError as error:
            msg = f"{path}, line {number}: not `question Q0 document rank score tag` ({error})"
            raise PackError(msg) from error
    return {
        key: [hit for _, hit in sorted(items, key=lambda item: item[0])]
        for key, items in found.items()
    }
