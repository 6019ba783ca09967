"""Sentences that their quotes support, and others that go beyond them by one word or unit.

The passages are of documents that the benchmarks have; the last six were written after the checks.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from srag_mcp.claims.sentences import Ground, check_number, check_sentence
from srag_mcp.text.spans import Span

PLANTED = json.loads(Path(__file__).with_name("planted_sentences.json").read_text("utf-8"))
# A dollar sign may be any money that has none of its own; and no word says of how many causes.
MISSED = {
    "Net sales were CHF 1,791.8 million in the fiscal year ended March 31, 2019.",
    "The sales increase in electronic components was driven entirely by volume.",
}


def problems(*, stands: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences that stand, or do not, and what is found wrong with each."""
    for passage in PLANTED:
        text = passage["text"]
        for item in passage["sentences"]:
            if item["stands"] is stands:
                grounds = [
                    Ground(
                        text,
                        span_of(quote[0], text),
                        0,
                        f"{passage['document']}\n{text}",
                        *quote[1:],
                    )
                    for quote in item["quotes"]
                ]
                found = [check_number("value", ground) for ground in grounds]
                found += check_sentence(item["said"], grounds, {}, "")
                yield item["said"], [problem for problem in found if problem]


def span_of(quote: str, text: str) -> Span:
    start = text.index(quote)
    return Span(start, start + len(quote))


def test_sentences_that_their_quotes_support_stand() -> None:
    found = dict(problems(stands=True))
    assert len(found) >= 60
    assert {said: wrong for said, wrong in found.items() if wrong} == {}


def test_sentences_that_go_beyond_their_quotes_are_rejected() -> None:
    found = dict(problems(stands=False))
    assert len(found) >= 80
    assert {said for said, wrong in found.items() if not wrong} == MISSED
