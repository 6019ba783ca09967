"""What a measured ranking puts first is what a question is answered from."""

import json

import anyio
import pytest

from srag_mcp.model.language_model import Prompt
from srag_mcp.store.corpus import Corpus
from tests.benchmarks.reranking import Chosen, choose, hits_of
from tests.model.scripted import ScriptedModel, replying

QUESTION = "Who has chaired the board, and what of traffic?"


def ranked(corpus: Corpus, model: ScriptedModel) -> Chosen:
    return anyio.run(choose, model, corpus, QUESTION)


def test_what_the_model_chooses_comes_before_the_others_that_were_found(
    reports: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srag_mcp.inference.by_reading.READING_TOKENS", 1)
    shown: list[str] = []

    def reply(prompt: Prompt) -> str:
        if prompt.step == "narrow":
            return json.dumps({"documents": None, "attribute": None, "search": ["Maria Lund"]})
        shown.extend(line for line in prompt.content.splitlines() if line[:1].isdigit())
        return json.dumps({"ids": [len(shown), 1]})

    found = ranked(reports, ScriptedModel(reply))

    assert found.chosen == (found.found[-1], found.found[0])
    assert len(found.found) == len(shown)
    ranking = hits_of((*found.chosen, *found.found), {})
    assert [hit.passage for hit in ranking] == [
        str(found.found[at].number) for at in (-1, *range(len(found.found) - 1))
    ]
    assert len(ranking) == len(found.found)


def test_where_each_document_would_have_to_be_read_nothing_is_chosen(reports: Corpus) -> None:
    wants: dict[str, object] = {
        "documents": None,
        "attribute": "who chairs the board",
        "search": [],
    }
    found = ranked(reports, replying([json.dumps(wants)]))
    assert (found.proposes, found.chosen, found.error) == (True, (), "")
    assert found.found
