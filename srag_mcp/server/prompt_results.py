"""What the tools of the agent engine return."""

from typing import Annotated

from pydantic import BaseModel, Field

from srag_mcp.server.results import JobStatus


class CorrectionEntry(BaseModel, defer_build=True):
    """An earlier reply to a prompt, and what was wrong with it."""

    reply: str
    problem: str


class PromptEntry(BaseModel, defer_build=True):
    """What one reply is about."""

    id: str
    content: str
    corrections: list[CorrectionEntry] = []


class PromptStep(BaseModel, defer_build=True):
    """Prompts that share their instructions and the form of their replies."""

    step: str
    instructions: str
    reply_schema: Annotated[
        dict[str, object], Field(description="JSON Schema; empty where it was given before")
    ] = {}
    prompts: list[PromptEntry]


class PromptPage(JobStatus):
    """Prompts that are yours to answer, and the state of the job that asks them."""

    steps: list[PromptStep] = Field(default_factory=list)
    with_others: Annotated[int, Field(description="prompts that other agents have")] = 0


class AnswerProblem(BaseModel, defer_build=True):
    """Why an answer was not accepted."""

    id: str
    problem: str


class AnswersPage(PromptPage):
    """What became of your answers, and further prompts where you asked for them."""

    accepted: int
    problems: list[AnswerProblem] = Field(default_factory=list)
