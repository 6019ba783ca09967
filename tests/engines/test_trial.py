"""What the trial of a predicted schema tells the model that refines it."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.settings import Settings
from tests.model.openai_server import Answer, Body, serving
from tests.pipeline import reading_model

TOWNS = ["Arla", "Brun", "Cori"]
QUERIES = {
    "Which are above 5 km?": "SELECT town FROM stations WHERE height_m > 5",
    "How many are above 5000 m?": "SELECT count(*) FROM stations WHERE height_m > 5000",
    "How many of Oslo are above 50 m?": (
        "SELECT count(*) FILTER (town = 'Oslo') FROM stations WHERE height_m > 50"
    ),
    "Is Arla above 200 m?": "SELECT town FROM stations WHERE town = 'Arla' AND height_m > 200",
    "How high is Nowhere?": "SELECT fathoms FROM stations",
    "Who is there?": "",
}
RARE = "if these few documents have no such case, leave the definitions as they are"
RefineAfter = Callable[[list[str]], str]


def say(body: Body) -> Answer:
    """Translate the questions of this file; a question without a query gets no usable reply."""
    messages = body["messages"]
    assert isinstance(messages, list)
    instructions, asked = (str(message["content"]) for message in messages[:2])
    if not instructions.startswith("Translate the question"):
        return reading_model.say(body)
    sql = next(QUERIES[question] for question in QUERIES if question in asked)
    content = {"restated": "it", "columns": [], "missing": [], "sql": sql} if sql else "no"
    return Answer(json.dumps(content))


@pytest.fixture
def refine_after(tmp_path: Path) -> Iterator[RefineAfter]:
    """Ingest with questions; return the problems in the last prompt of a refinement."""
    folder = tmp_path / "stations"
    folder.mkdir()
    for number, town in enumerate(TOWNS, start=1):
        text = f"The hut stands {number}00 metres above the town of {town}.\n"
        (folder / f"{number}.txt").write_text(text)
    with ExitStack() as open_until_the_end:
        server = open_until_the_end.enter_context(serving(say))

        def problems(questions: list[str]) -> str:
            settings = Settings(
                workers=1,
                home=tmp_path / "home",
                model="openai/fake",
                api_base=server.base,
                api_key="none",
                schema_iterations=1,
            )
            ingest(folder, settings, questions=questions)
            prompts = [str(body["messages"]) for body in server.requests]
            refining = [text for text in prompts if "You improve" in text]
            if not refining:
                return ""
            last = refining[-1].partition("Problems found so far:")[2]
            return last.partition("Documents:")[0]

        yield problems


def test_a_question_whose_query_finds_nothing_is_told_with_what_is_there(
    refine_after: RefineAfter,
) -> None:
    asked = ["How many are above 5000 m?", "How many of Oslo are above 50 m?"]
    told = refine_after(asked)
    held = "height_m is 100 to 300, median 200.0; known in 3 of 3"
    assert f"the question “{asked[0]}”: its query finds nothing in the samples:" in told
    assert f"none meets height_m > 5000 ({held}); {RARE}" in told
    assert "none meets town = " in told
    assert "(town is known in 3 of 3: Arla, Brun, Cori)" in told
    assert "height_m > 50 " not in told


def test_a_query_that_cannot_be_run_is_told(refine_after: RefineAfter) -> None:
    assert "no query for this question could be run: " in refine_after(["How high is Nowhere?"])


@pytest.mark.parametrize(
    "question", ["Which are above 5 km?", "Is Arla above 200 m?", "Who is there?"]
)
def test_nothing_is_told_where_the_schema_is_not_at_fault(
    refine_after: RefineAfter, question: str
) -> None:
    assert refine_after([question]) == ""
