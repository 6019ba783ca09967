"""The commands that try the package out: on its own pages, and on packs with gold."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from srag_mcp.cli.options import (
    EngineOption,
    HomeOption,
    JsonOption,
    ModelOption,
    command_settings,
)


def demo(home: HomeOption = None) -> None:
    """Ingest 60 shipped hotel pages and answer three questions."""
    from srag_mcp.cli.demo import run_demo

    run_demo(command_settings(home))


def evaluate(
    pack: Annotated[
        Path, typer.Argument(help="A folder with documents/ and gold.csv.", metavar="PACK")
    ],
    schema: Annotated[
        Literal["inferred", "gold", "gold-records"],
        typer.Option(help="Find columns, follow the pack's schema.json, or ask the gold itself."),
    ] = "inferred",
    documents: Annotated[
        int | None, typer.Option(min=1, help="Evenly spaced documents only.", metavar="N")
    ] = None,
    engine: EngineOption = None,
    model: ModelOption = None,
    work: Annotated[
        Path | None, typer.Option(help="Folder to work in and keep.", metavar="DIR")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the model's replies there.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure cells and questions on a document pack with gold."""
    from srag_mcp.cli.evaluation import evaluate_pack
    from srag_mcp.evaluation.evaluate import EvaluationPlan

    plan = EvaluationPlan(schema, documents, work, record)
    evaluate_pack(pack, command_settings(None, engine=engine, model=model), plan, as_json=as_json)
