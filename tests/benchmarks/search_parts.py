"""Search: what each part of the ranking is worth, by taking it away.

    python -m tests.benchmarks.search_parts PACK WORK [--questions FILE]

PACK is one of retrieval (its questions name documents, and it has no gold records). Printed is a
table: HiT@k over documents and, where the pack names pages, their recall, with all parts, without
each, and with reciprocal ranks instead of the sum of the scores of document, page and passage.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from srag_mcp.evaluation.bench import match_names, open_bench, read_records
from srag_mcp.evaluation.pack import read_pack, take_questions
from srag_mcp.evaluation.retrieval import Hit, Ranking, by_search, rank_questions, score_run
from srag_mcp.retrieval import search
from srag_mcp.settings import Settings
from srag_mcp.store.corpus import Corpus
from tests.benchmarks.reranking import build

_SHOWN = ("hit_1", "hit_5", "hit_10", "page_recall_5", "page_recall_10")
_RANK_CONSTANT = 60  # of reciprocal ranks: Cormack, Clarke and Büttcher (SIGIR 2009)
_SOLE_LEVELS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_DOCUMENTS, _PAGES, _PASSAGES = search._LEVELS
_WITHOUT_NAMES = (f"{search._COUNTED[0].removesuffix(' GROUP BY ALL')} WHERE page IS NOT NULL"
                  " GROUP BY ALL", *search._COUNTED[1:])  # fmt: skip
# What is put in place of what, by module and name.
PARTS: Mapping[str, Mapping[tuple[object, str], object]] = {
    "all parts": {},
    "without the score of documents": {(search, "_LEVELS"): (0.0, _PAGES, _PASSAGES)},
    "without that of pages": {(search, "_LEVELS"): (_DOCUMENTS, 0.0, _PASSAGES)},
    "without that of passages": {(search, "_LEVELS"): (_DOCUMENTS, _PAGES, 0.0)},
    "passages alone": {(search, "_LEVELS"): (0.0, 0.0, 1.0)},
    "without pairs of words": {(search, "_PAIR"): 0.0},
    "without labels (headings, keys, cells)": {(search, "_LABEL"): 0.0},
    "without titles and names of files in the score": {(search, "_COUNTED"): _WITHOUT_NAMES},
    "without them in the filter": {(search, "_named"): lambda *_: iter(())},
    "without the filter": {(search, "_meant"): lambda *_: iter(())},
}


@contextmanager
def replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Let *name* of the module *owner* be *value*."""
    own = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, own)


def by_reciprocal_ranks(corpus: Corpus) -> Ranking:
    """Rank by the places that a passage has by its document, its page and itself."""
    ranking = by_search(corpus)

    def rank(question: str) -> Iterable[Hit]:
        totals: defaultdict[Hit, float] = defaultdict(float)
        for levels in _SOLE_LEVELS:
            with replaced(search, "_LEVELS", levels):
                for place, hit in enumerate(ranking(question), 1):
                    totals[hit] += 1 / (_RANK_CONSTANT + place)
        return sorted(totals, key=lambda hit: -totals[hit])

    return rank


def main() -> None:
    """Read the pack once, rank with each part away, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    pack = read_pack(options.pack)
    if options.questions:
        pack = take_questions(pack, options.questions)
    with open_bench(Settings(), options.work) as bench:
        corpus = bench.corpus(build(pack, bench))
        named = [name for question in pack.questions for name in question.documents]
        names = match_names(read_records(corpus), named)

        def show(part: str, ranking: Ranking) -> None:
            figures = score_run(rank_questions(ranking, pack.questions, names), pack.questions)
            means = [f"{figures.figures()[name].mean:.3f}" for name in shown]
            print(f"| {part} | {' | '.join(means)} |", flush=True)

        has_pages = any(question.evidence for question in pack.questions)
        shown = [name for name in _SHOWN if has_pages or "page" not in name]
        print(f"| {pack.name}, {len(pack.questions)} questions | {' | '.join(shown)} |")
        for part, changes in PARTS.items():
            with ExitStack() as stack:
                for (owner, name), value in changes.items():
                    stack.enter_context(replaced(owner, name, value))
                show(part, by_search(corpus))
        show("reciprocal ranks", by_reciprocal_ranks(corpus))


if __name__ == "__main__":
    main()
