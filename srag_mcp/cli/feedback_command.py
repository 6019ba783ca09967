"""`srag-mcp feedback`: what a person says of answers, and what is kept of questions."""

import shlex
from dataclasses import asdict
from typing import Annotated

import typer

from srag_mcp import views
from srag_mcp.cli.arguments import (
    CorpusArgument,
    HomeOption,
    JsonOption,
    command_settings,
    open_ready,
)
from srag_mcp.cli.printing import print_json, print_table, say
from srag_mcp.errors import QuestionError, StoreError
from srag_mcp.text.shown import one_line


def feedback(
    corpus: CorpusArgument,
    question: Annotated[
        str,
        typer.Argument(
            help="As it was asked; without one, what is kept is listed.", metavar="[QUESTION]"
        ),
    ] = "",
    right: Annotated[bool, typer.Option("--right", help="Its query is right.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="Its query is wrong.")] = False,
    statement: Annotated[
        str, typer.Option("--sql", help="The query that is right, if not the last.", metavar="SQL")
    ] = "",
    drop: Annotated[
        int | None, typer.Option(help="Drop the verdict of this number.", metavar="N")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Drop the questions kept.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say as a person that an answer is right or wrong; list or drop what is kept."""
    from srag_mcp.inference.verified import give_verdict, retire_pairs
    from srag_mcp.store.feedback import MAX_TURNS, open_feedback

    if bool(question) != (right or wrong) or (right and wrong) or (statement and not right):
        msg = "a question takes --right or --wrong, and --sql goes with --right"
        raise typer.BadParameter(msg)
    with open_ready(corpus, command_settings(home)) as opened:
        if opened.state is None:
            msg = (
                f"nothing is kept of {opened.name}: its folder cannot be written, or it is a build"
            )
            raise StoreError(msg)
        with open_feedback(opened.state) as kept:
            if drop is not None and not kept.drop_verdict(drop):
                listing = f"srag-mcp feedback {shlex.quote(corpus)}"
                msg = f"there is no verdict {drop}; {listing} lists them"
                raise QuestionError(msg)
            if forget:
                kept.forget_turns()
            if question:
                answer = give_verdict(opened, kept, question, is_right=right, sql=statement)
                if answer is not None and not as_json:
                    say(*views.answers.answer_lines(answer, corpus), "")
            retire_pairs(opened, kept)
            turns, verdicts = kept.turns(), kept.verdicts()
    if as_json:
        print_json({"questions": [*map(asdict, turns)], "verdicts": [*map(asdict, verdicts)]})
        return
    print(f"questions kept: {len(turns)} of at most {MAX_TURNS}; verdicts: {len(verdicts)}")
    if turns and not question:
        rows = [(one_line(x.asked), one_line(x.sql or f"refused: {x.refusal}")) for x in turns]
        print_table(("question", "query"), rows)
    if verdicts and not question:
        said = [
            f"{x.judgement}, retired: {x.retired}" if x.retired else x.judgement for x in verdicts
        ]
        print_table(
            ("number", "by", "verdict", "question", "query"),
            [
                (
                    item.number,
                    item.giver,
                    one_line(judged),
                    one_line(item.question),
                    one_line(item.sql),
                )
                for item, judged in zip(verdicts, said, strict=True)
            ],
        )
