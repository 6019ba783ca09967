"""The command that shows what the language models have taken."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from srag_mcp.cli.options import CorpusArgument, HomeOption, JsonOption, command_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from srag_mcp.model.ledger import Call, Totals

_COUNTS = ("tokens in", "out", "cached by provider", "seconds", "cost")
_ESTIMATED = "~"


def ledger(
    corpus: CorpusArgument,
    calls: Annotated[bool, typer.Option("--calls", help="Each call, oldest first.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the calls of language models took: tokens, seconds, money."""
    from srag_mcp.cli.shipped import find_corpus
    from srag_mcp.store.replies import read_calls

    settings = command_settings(home)
    found = read_calls(find_corpus(corpus, settings), settings.home)
    if calls:
        _print_calls(found, as_json=as_json)
    else:
        _print_steps(found, as_json=as_json)


def _print_calls(calls: "Sequence[Call]", *, as_json: bool) -> None:
    from srag_mcp.cli.tables import ONE_LINE_A_ROW, print_json, print_table

    if as_json:
        print_json([_as_json(call) for call in calls])
        return
    print_table(
        ("at (UTC)", "step", "subject", "model", "outcome", *_COUNTS),
        [
            (
                f"{call.at:%Y-%m-%d %H:%M:%S}",
                call.step,
                " ".join(call.subject.split()),
                call.model,
                call.outcome,
                *_counts(call),
            )
            for call in calls
        ],
        file_width=ONE_LINE_A_ROW,
    )
    _explain_estimates(call.is_estimated for call in calls)


def _print_steps(calls: "Iterable[Call]", *, as_json: bool) -> None:
    from srag_mcp.cli.tables import ONE_LINE_A_ROW, print_json, print_table
    from srag_mcp.model.ledger import Ledger

    counted = Ledger(calls)
    rows: list[tuple[str, Totals]] = [*counted.by_step.items(), ("total", counted.total)]
    if as_json:
        print_json({step: asdict(totals) for step, totals in rows})
        return
    print_table(
        ("step", "answered", "kept before", "failed", *_COUNTS),
        [(step, item.n_calls, item.n_cached, item.n_failed, *_counts(item)) for step, item in rows],
        file_width=ONE_LINE_A_ROW,
    )
    _explain_estimates([counted.total.is_estimated])


def _as_json(call: "Call") -> dict[str, object]:
    return asdict(call) | {"at": call.at.isoformat(), "is_estimated": call.is_estimated}


def _counts(item: "Call | Totals") -> tuple[str, str, int, float, str]:
    about = _ESTIMATED if item.is_estimated else ""
    cost = "not known"
    if item.cost_usd is not None:
        cost = f"{about if item.cost_usd else ''}${item.cost_usd:,.4f}"
    tokens = f"{about}{item.tokens_in}", f"{about}{item.tokens_out}"
    return *tokens, item.tokens_cached, round(item.seconds, 1), cost


def _explain_estimates(are_estimated: "Iterable[bool]") -> None:
    if any(are_estimated):
        print(f"{_ESTIMATED} nobody counted these tokens: they are estimated", file=sys.stderr)
