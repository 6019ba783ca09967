import pytest

from srag_mcp.ask.by_model import TranslationReply
from srag_mcp.model.asking import reply_schema
from srag_mcp.model.reply_content import find_misfit
from srag_mcp.records.judging import RecordsReply
from tests.model.asking_server import Rooms

DOCUMENT = {"id": "d1", "cells": [], "not_mentioned": []}


@pytest.mark.parametrize(
    ("documents", "misfit"),
    [
        ("x", "documents: must be a list, not 'x'"),
        ({"d1": {}}, "documents: must be a list, not {'d1': {}}"),
        ([DOCUMENT, "x"], "documents: item 2 must be an object, not 'x'"),
        ([DOCUMENT], ""),
        ([], ""),
        (None, ""),
        ([DOCUMENT | {"cells": "what is in it, the job checks"}], ""),
    ],
)
def test_lists_must_be_lists_of_the_right_things(documents: object, misfit: str) -> None:
    assert find_misfit({"documents": documents}, reply_schema(RecordsReply)) == misfit


@pytest.mark.parametrize(
    ("field", "value", "misfit"),
    [
        ("sql", 12, "sql: must be a text, not 12"),
        ("sql", None, ""),
        ("sql", "SELECT 1", ""),
        ("missing", [1], "missing: item 1 must be a text, not 1"),
    ],
)
def test_a_text_may_be_null_where_the_form_says_so(field: str, value: object, misfit: str) -> None:
    assert find_misfit({field: value}, reply_schema(TranslationReply)) == misfit


@pytest.mark.parametrize(("value", "fits"), [(12, True), ("12", True), ([12], False)])
def test_a_number_in_quotes_will_do(value: object, *, fits: bool) -> None:
    assert (find_misfit({"n": value}, reply_schema(Rooms)) == "") is fits
