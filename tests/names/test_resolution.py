"""What a model is asked about doubtful names, and what becomes of its replies."""

import json
from collections.abc import Sequence

import anyio
import pytest

from srag_mcp.model.language_model import LanguageModel, count_tokens
from srag_mcp.names.likeness import find_candidates
from srag_mcp.names.resolution import MAX_GROUPS, Doubt, resolve, write_prompts
from srag_mcp.names.uniting import Same, Verdict, unite
from tests.model.scripted import ScriptedModel, replying
from tests.names.name_set import find_doubts, make_columns


def doubt(*spellings: str, column: str = "issuer") -> Doubt:
    [group] = find_candidates(unite(dict.fromkeys(spellings, 2)))
    around = {"Acme": "published by _ in May"}
    return Doubt(column, "Who issues it.", tuple(group), around)


def ask(model: LanguageModel, doubts: Sequence[Doubt]) -> list[Verdict]:
    async def run() -> list[Verdict]:
        return [
            verdict for asked in write_prompts(doubts) for _, verdict in await resolve(model, asked)
        ]

    return anyio.run(run)


def said(*groups: tuple[str, Sequence[Sequence[str]]]) -> str:
    return json.dumps({"groups": [{"id": key, "same": same} for key, same in groups]})


ACME = ("Acme", "Acme Holdings", "Acme Labs")


def test_a_group_is_shown_with_its_counts_and_the_words_around() -> None:
    [asked] = write_prompts([doubt(*ACME), doubt("Bo Hale", "B. Hale", column="author")])
    lines = asked.prompt.content.splitlines()[1:-1]
    assert lines == [
        "Column `issuer`: Who issues it.",
        "g1",
        "a (2) Acme | published by _ in May",
        "b (2) Acme Holdings",
        "c (2) Acme Labs",
        "Column `author`: Who issues it.",
        "g2",
        "a (2) Bo Hale",
        "b (2) B. Hale",
    ]
    assert asked.prompt.step == "names"


def test_the_first_letter_of_a_list_is_the_spelling_to_keep() -> None:
    [verdict] = ask(replying([said(("g1", [["b", "a"]]))]), [doubt(*ACME)])
    keys = ("acme", "acme holdings")
    assert verdict == Verdict(
        keys=("acme", "acme holdings", "acme labs"), same=(Same(name="Acme Holdings", keys=keys),)
    )


def test_a_group_that_is_left_out_stands_apart() -> None:
    [verdict] = ask(replying([said()]), [doubt(*ACME)])
    assert verdict.same == ()


@pytest.mark.parametrize(
    "wrong",
    [
        said(("g7", [["a", "b"]])),
        said(("g1", [["a", "z"]])),
        said(("g1", [["a", "b"], ["b", "c"]])),
    ],
)
def test_a_reply_that_cannot_be_is_asked_for_again(wrong: str) -> None:
    model = replying([wrong, said(("g1", [["a", "c"]]))])
    [verdict] = ask(model, [doubt(*ACME)])
    assert [item.name for item in verdict.same] == ["Acme"]
    assert len(model.prompts) == 2


def test_a_letter_in_two_lists_to_the_end_is_in_none() -> None:
    [verdict] = ask(replying([said(("g1", [["a", "b"], ["b", "c"]]))] * 3), [doubt(*ACME)])
    assert verdict.same == ()


def test_without_a_reply_of_use_nothing_is_decided() -> None:
    assert ask(ScriptedModel(lambda prompt: "no idea"), [doubt(*ACME)]) == []


def test_prompts_are_small_and_hold_many_groups() -> None:
    prompts = write_prompts(find_doubts(make_columns()))
    assert max(asked.prompt.count_tokens() for asked in prompts) <= 1_500
    assert max(len(asked.doubts) for asked in prompts) == MAX_GROUPS
    n_groups = sum(len(asked.doubts) for asked in prompts)
    n_tokens = sum(count_tokens(asked.prompt.content) for asked in prompts)
    assert (n_groups, len(prompts)) == (69, 5)
    assert n_tokens < 80 * n_groups
