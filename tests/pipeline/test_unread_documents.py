"""Documents that a language model was asked about in vain are named, each with its reason."""

import json
from pathlib import Path

from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.jobs import read_job, start_job
from tests.model.openai_server import Answer, Body, Script, serving
from tests.pipeline.reading_model import reply, say
from tests.pipeline.test_model_crashes import settings_for, write_stations

QUESTION = "Which station opened last?"
USELESS = "I am sorry, I cannot do that."


def instructions(body: Body) -> str:
    return part_of(body, 0)


def part_of(body: Body, number: int) -> str:
    messages = body["messages"]
    assert isinstance(messages, list)
    return str(messages[number]["content"])


def failing_for(name: str, text: str) -> Script:
    """Answer all prompts but those for records in which *name* stands, and *text* to these."""

    def script(body: Body) -> Answer:
        reads = instructions(body).startswith("You read documents")
        is_useless = reads and name in part_of(body, 1)
        return Answer(text) if is_useless else say(body)

    return script


def making_up(body: Body) -> Answer:
    """Quote what no document says."""
    said = reply(instructions(body), part_of(body, 1))
    for document in said.get("documents", []):  # type: ignore[attr-defined] # of JSON
        for cell in document["cells"]:
            cell[2] = "they say so"
    return Answer(json.dumps(said))


def without_years(body: Body) -> Answer:
    """Leave the year out of all records."""
    said = reply(instructions(body), part_of(body, 1))
    for document in said.get("documents", []):  # type: ignore[attr-defined] # of JSON
        document["cells"] = [item for item in document["cells"] if "since" not in str(item[2])]
    return Answer(json.dumps(said))


def test_an_ingestion_that_read_nothing_says_so(tmp_path: Path) -> None:
    folder = write_stations(tmp_path / "stations", 21)
    with serving(making_up) as server:
        settings = settings_for(server.base, tmp_path / "home")
        report = ingest(folder, settings, questions=[QUESTION])

    assert report.read_nothing
    assert [item.path for item in report.failed] == [f"{n:03d}.txt" for n in range(21)]
    assert {"not grounded" in item.reason for item in report.failed} == {True}, report.failed
    assert report.answered == ()
    assert [item.reason for item in report.uncovered] == ["no document has a value of opened"]
    assert report.warnings == (
        "no reply of the language model to 21 of 21 documents could be used: all their cells are"
        " failed",
    )
    named = [line for line in report.lines() if line.startswith("could not be read: ")]
    assert len(named) == 21
    assert named[-1] == "could not be read: 1 more"


def test_a_document_that_could_not_be_read_is_named_until_it_is(tmp_path: Path) -> None:
    folder = write_stations(tmp_path / "stations", 12)
    with serving(failing_for("003.txt", USELESS)) as server:
        settings = settings_for(server.base, tmp_path / "home")
        report = ingest(folder, settings, questions=[QUESTION])
        again = ingest(folder, settings)
    with serving(say) as server:
        mended = ingest(folder, settings.model_copy(update={"api_base": server.base}))

    assert [item.path for item in report.failed] == ["003.txt"]
    assert (report.n_documents, report.read_nothing) == (12, False)
    assert report.warnings == (
        "no reply of the language model to 1 of 12 documents could be used: all their cells are"
        " failed; the next ingestion asks for 1 of them again",
    )
    assert report.answered == (QUESTION,)
    assert [item.path for item in again.failed] == ["003.txt"]
    assert (mended.failed, mended.warnings) == ((), ())


def test_cells_that_could_not_be_read_are_counted(tmp_path: Path) -> None:
    folder = write_stations(tmp_path / "stations", 5)

    def misquote(body: Body) -> Answer:
        text = say(body).text or ""
        return Answer(text.replace("stands 103 metres", "is 103 metres high, they say"))

    with serving(misquote) as server:
        report = ingest(folder, settings_for(server.base, tmp_path / "home"))

    assert report.failed == ()
    assert report.warnings == (
        "1 cell failed (height_m 1); trace_value with the state failed says why",
    )


def test_a_question_whose_column_is_empty_is_not_answered(tmp_path: Path) -> None:
    folder = write_stations(tmp_path / "stations", 5)
    with serving(without_years) as server:
        settings = settings_for(server.base, tmp_path / "home")
        reports = [ingest(folder, settings, questions=[QUESTION]) for _ in range(2)]

    for report in reports:
        assert report.answered == ()
        assert [item.reason for item in report.uncovered] == ["no document has a value of opened"]


def test_a_job_that_read_nothing_has_failed(tmp_path: Path) -> None:
    folder = write_stations(tmp_path / "stations", 4)
    with serving(failing_for("", USELESS)) as server:
        settings = settings_for(server.base, tmp_path / "home")
        job = read_job(folder, settings, start_job(folder, settings).id, 60)

    assert (job.status, job.error) == ("failed", "none of the documents could be read")
    assert "could not be read: 000.txt: " in "\n".join(job.report)
