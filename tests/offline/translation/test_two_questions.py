import pytest

from srag_mcp.errors import QuestionError
from srag_mcp.offline.translation.translator import translate
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.store.values import MemoryValueIndex

SCHEMA = Schema(
    title="Hotel", entity="hotels", attributes=(Attribute(name="price", type="number"),)
)


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("How many hotels have a pool, and what do they cost on average?", "what do"),
        ("What is the average price and how many rooms are there?", "how many"),
        ("Which hotel is the dearest, and in which city does it lie?", "in which"),
    ],
)
def test_two_questions_in_one_are_refused(question: str, second: str) -> None:
    with pytest.raises(QuestionError, match=f"two questions in one; ask “{second} …” by itself"):
        translate(question, SCHEMA, {}, MemoryValueIndex([]))


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between the highest and the lowest price?",
        "Which hotels have a pool and which cost more than 90?",
        "How many hotels cost between 80 and 90?",
    ],
)
def test_one_question_with_two_parts_is_read(question: str) -> None:
    try:
        translate(question, SCHEMA, {}, MemoryValueIndex([]))
    except QuestionError as error:
        assert "two questions" not in str(error)
