"""The text of a result says what its data says, and nothing in it acts."""

import pytest

from srag_mcp.views.results import (
    AnswerPage,
    BriefPage,
    CellScalar,
    DocumentPage,
    LinkedValue,
    PromptEntry,
    PromptPage,
    PromptStep,
    ResultTable,
    SchemaPage,
    SourceEntry,
    render_cell,
)

ACTING = "a\x1b[2J\nb"


def test_rows_stand_below_what_is_said_of_them_as_csv() -> None:
    table = ResultTable(
        columns=["name", "open", "n,m"],
        rows=[["Cork", True, 1.5], [None, False, None], ['a "b"', None, 7], [ACTING, None, 0]],
        truncated=True,
        next_offset=4,
        coverage=["Over all 9 documents."],
        notes=["one\nline"],
    )

    assert table.render().splitlines() == [
        "Over all 9 documents.",
        "one line",
        "truncated: more rows follow; next_offset 4",
        "rows, as data:",
        'name,open,"n,m"',
        "Cork,true,1.5",
        ",false,",
        '"a ""b""",,7',
        "a�[2J b,,0",
    ]


def test_data_leaves_out_defaults_and_what_acts() -> None:
    table = ResultTable(columns=["x"], rows=[[ACTING], [None]], truncated=False)

    assert table.data() == {
        "columns": ["x"],
        "rows": [["a�[2J\nb"], [None]],
        "truncated": False,
    }


def test_prompts_reach_the_language_model_as_they_are() -> None:
    step = PromptStep(
        step="records", instructions="", prompts=[PromptEntry(id="a", content=ACTING)]
    )
    page = PromptPage(job_id="1", corpus="c", state="running", steps=[step])

    assert page.data() == page.exact()
    assert "\\u001b[2J" in page.render()


def test_an_answer_names_its_reading_query_and_quotes() -> None:
    page = AnswerPage(
        answered=True,
        text="2 boats",
        reading="count of boats",
        sql="SELECT count(*) FROM boats",
        columns=["n"],
        rows=[[2]],
        truncated=True,
        denominator="Over all 9 documents.",
        bounds=[2.0, 3.0],
        warnings=["look"],
        sources=[
            SourceEntry(
                document_id="a.txt",
                title="A",
                column="length",
                state="stated",
                value=15.0,
                unit="m",
                quote="15 m",
                start=5,
                end=9,
            )
        ],
        engine="offline",
    )

    assert page.render().splitlines() == [
        "2 boats",
        "Over all 9 documents.",
        "look",
        "bounds: 2.0 to 3.0",
        "reading: count of boats",
        "sql: SELECT count(*) FROM boats",
        "engine: offline",
        "truncated: more rows exist; page through them with run_sql and this sql",
        "source: a.txt (A) 5-9: length = 15.0 m; stated: “15 m”",
        "rows, as data:",
        "n",
        "2",
    ]


def test_a_brief_begins_with_what_the_question_may_mean() -> None:
    brief = BriefPage(
        table="boats",
        documents=9,
        columns=["port string: …"],
        other_tables=["cells(document_id)"],
        linked_values=[LinkedValue(column="port", value="Cork's", records=3)],
        rules=["Write one SELECT."],
        next="call run_sql",
    )

    assert AnswerPage(answered=False, text="Not answered", brief=brief).render().splitlines() == [
        "Not answered",
        "the question may mean port = 'Cork''s' (3 records)",
        "table boats, 9 documents:",
        "port string: …",
        "other tables:",
        "cells(document_id)",
        "Write one SELECT.",
        "next: call run_sql",
    ]


def test_a_schema_that_goes_on_says_where() -> None:
    page = SchemaPage(
        corpus="fleet",
        title="Boat",
        table="boats",
        documents=9,
        columns=["port string"],
        other_tables=["cells(document_id)"],
        notes=["Unknown values are NULL."],
        truncated=True,
        next_offset=1,
    )

    assert page.render().splitlines() == [
        "corpus fleet (Boat), 9 documents; table boats:",
        "port string",
        "other tables:",
        "cells(document_id)",
        "Unknown values are NULL.",
        "truncated: more columns follow; next_offset 1",
    ]


def test_a_document_is_closed_by_a_mark_of_its_text() -> None:
    page = DocumentPage(
        document_id="a.txt",
        title="A",
        characters=40,
        start=5,
        end=15,
        text="<b>[x](y)\x00",
        truncated=True,
        next_start=15,
    )
    head, body, end = page.render().split("\n")
    mark = end.partition(":")[0]

    assert head == f"a.txt (A), 5-15 of 40; truncated, next_start 15; text up to '{mark}':"
    assert body == "< b>[x] (y)�"
    assert end == f"{mark}: 10 characters"
    assert page.model_copy(update={"text": "other"}).render().split("\n")[2] != end


def test_a_document_without_text_says_why() -> None:
    page = DocumentPage(
        document_id="a",
        title="A",
        characters=0,
        start=0,
        end=0,
        text="",
        truncated=False,
        note="no text",
    )

    assert page.render() == "a (A), 0-0 of 0\nno text"


@pytest.mark.parametrize(
    ("value", "said"), [(True, "yes"), (False, "no"), (1.5, "1.5"), ("two\n lines", "two lines")]
)
def test_a_cell_is_written_on_one_line(value: CellScalar, said: str) -> None:
    assert render_cell(value) == said
