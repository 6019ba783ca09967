"""A scripted model that finds the documents of a prompt and answers for each by a rule."""

import json
import re
from collections.abc import Callable, Sequence

from srag_mcp.model.language_model import Prompt
from tests.model.scripted import ScriptedModel

_DOCUMENT = re.compile(
    r"^(d\d+) \(path [^\n]*\)\n<<<(\w+)\n(.*?)\n\2>>>$", re.DOTALL | re.MULTILINE
)
DocumentAnswer = dict[str, object]
CellAnswer = Sequence[object]


def shown_documents(prompt: Prompt) -> dict[str, str]:
    """Return the texts of a prompt by their short ids."""
    return {match[1]: match[3] for match in _DOCUMENT.finditer(prompt.content)}


def stated(attribute: str, value: object, *quote: object) -> CellAnswer:
    """Say a cell, by the name of its column; a quote and a remark may follow."""
    return [attribute, value, *quote]


def answer(key: str, cells: list[CellAnswer]) -> DocumentAnswer:
    return {"id": key, "cells": cells}


def reply(*documents: DocumentAnswer) -> str:
    return json.dumps({"documents": documents}, ensure_ascii=False)


def repaired(*cells: CellAnswer) -> str:
    return json.dumps({"cells": cells}, ensure_ascii=False)


def reading(answer_one: Callable[[str, str, Prompt], DocumentAnswer]) -> ScriptedModel:
    """Make a model that answers `answer_one(key, text, prompt)` for each document."""

    def answer_all(prompt: Prompt) -> str:
        shown = shown_documents(prompt)
        return reply(*(answer_one(key, text, prompt) for key, text in shown.items()))

    return ScriptedModel(answer_all)
