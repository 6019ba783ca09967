"""What a language model would say about pages on weather stations; it reads the prompts."""

import json
import re
from collections.abc import Iterable

from tests.model.openai_server import Answer, Body, content_of

_DOCUMENT = re.compile(r"^(d\d+) \(path.*?\n<<<(\w+)\n(.*?)\n\2>>>", re.MULTILINE | re.DOTALL)
_SUSPECT = re.compile(r"^\[(c\d+), begin \w+\]\nvalue: (\d+)$", re.MULTILINE)
_COLUMN = re.compile(r"^(\d+) (\w+) \(", re.MULTILINE)
_READERS = {
    "town": (r"above the town of ([A-Z][a-z]+)", str),
    "height_m": (r"stands (\d+) metres", int),
    "opened": (r"since (\d{4})", int),
    "keeper": (r"kept by ([A-Z][a-z]+)", str),
}


def describe(name: str, kind: str, unit: str | None = None) -> dict[str, object]:
    """Define an attribute as a model would."""
    return {
        "name": name,
        "type": kind,
        "description": f"The {name} of the station. Written as in the page.",
        "unit": unit,
        "categories": None,
        "absent_means": "unknown",
        "synonyms": [],
        "examples": [],
        "rationale": "Every page gives it.",
    }


def say(body: Body) -> Answer:
    """Answer any prompt of an ingestion or of a question."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return Answer(json.dumps(reply(str(messages[0]["content"]), str(messages[1]["content"]))))


def reply(instructions: str, content: str) -> dict[str, object]:
    """Reply to a prompt in its two parts."""
    if instructions.startswith("You design one SQL table"):
        attributes = [describe("town", "string"), describe("height_m", "integer", "m")]
        return {"title": "Station", "entity": "stations", "nouns": ["station"],
                "attributes": attributes}  # fmt: skip
    if instructions.startswith("You improve"):
        return refine(content)
    if instructions.startswith("A table was filled in"):
        keeper: dict[str, object] = {"existing": None, "definition": describe("keeper", "string")}
        return {"verdicts": list(judge(content))} if "Values to look at" in content else keeper
    if instructions.startswith("You read documents"):
        return {"documents": list(read(instructions, content))}
    if instructions.startswith("Documents were read into a table"):
        return {"cells": []}
    return translate(content)


def suspects(body: Body) -> tuple[str, ...]:
    """Return the values that a prompt of standardisation asks about; none for other prompts."""
    content = content_of(body)
    found = _SUSPECT.findall(content) if "Values to look at" in content else []
    return tuple(value for _, value in found)


def judge(content: str) -> Iterable[dict[str, object]]:
    """Change every other suspected height from millimetres; say of the rest that they are right."""
    for key, value in _SUSPECT.findall(content):
        is_right = int(value) % 2000 > 0
        metres = None if is_right else int(value) // 1000
        verdict = "keep" if is_right else "change"
        yield {"id": key, "verdict": verdict, "value": metres, "rationale": "so"}


def refine(content: str) -> dict[str, object]:
    """Add the year, when a question asks for it and it is not there."""
    wanted = "opened" in content and "- opened (integer)" not in content
    change = {"action": "add", "attribute": "opened", "definition": describe("opened", "integer"),
              "rationale": "A question asks for it."}  # fmt: skip
    return {"changes": [change] if wanted else []}


def read(instructions: str, content: str) -> Iterable[dict[str, object]]:
    """Fill in the attributes that are asked for, from each document."""
    numbers = {name: int(number) for number, name in _COLUMN.findall(instructions)}
    for key, _mark, text in _DOCUMENT.findall(content):
        cells = []
        for name, (pattern, kind) in _READERS.items():
            found = re.search(pattern, text)
            if found and name in numbers:
                cells.append([numbers[name], kind(found[1]), found[0]])
        yield {"id": key, "cells": cells}


def translate(content: str) -> dict[str, object]:
    """Write the query of the questions that the tests ask."""
    question = content.rpartition("Question: ")[2]
    column = "opened" if "opened" in question else "height_m"
    if f"- {column} (" not in content:
        return {"restated": "", "columns": [], "missing": [column], "sql": None}
    sql = f"SELECT max({column}) FROM stations"
    return {"restated": f"the largest {column}", "columns": [column], "missing": [], "sql": sql}
