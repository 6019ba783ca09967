"""Prompts and answers as files: who gets which, and what is kept when somebody dies."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from srag_mcp.errors import ModelError, ModelStoppedError
from srag_mcp.model.language_model import Correction, Prompt
from srag_mcp.model.prompt_spool import PromptSpool, SpoolCount, SpooledPrompt
from srag_mcp.model.spooled_answer import AnswerOutcome

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"town": {"type": "string"}, "height": {"type": ["number", "null"]}},
    "required": ["town", "height"],
    "additionalProperties": False,
}
GOOD = {"town": "Bergen", "height": 12}
PLENTY = 1_000_000


def prompt(number: int, **changes: object) -> Prompt:
    fields = {"step": "records", "instructions": "Read the note.", "content": f"Note {number}"}
    return Prompt(**(fields | changes))  # type: ignore[arg-type]  # the fields have their types


def answer(spool: PromptSpool, prompt_id: object, reply: object) -> AnswerOutcome:
    (outcome,) = spool.answer([(prompt_id, reply)])
    return outcome


@pytest.fixture
def spool(tmp_path: Path) -> PromptSpool:
    return PromptSpool(tmp_path / "prompts")


def put(spool: PromptSpool, n_prompts: int) -> list[str]:
    return [spool.put(prompt(number), SCHEMA) for number in range(n_prompts)]


def contents(given: list[SpooledPrompt]) -> list[str]:
    return [item.prompt.content for item in given]


def test_a_prompt_comes_out_as_it_went_in_and_its_answer_goes_back(spool: PromptSpool) -> None:
    asked = prompt(1, corrections=(Correction("Well.", "No JSON."),), subject="ü.txt")
    name = spool.put(asked, SCHEMA)

    (given,) = spool.hand_out(10, PLENTY)
    outcome = answer(spool, given.id, GOOD)

    assert given == SpooledPrompt(name[:8], asked, SCHEMA)
    assert outcome == AnswerOutcome(name[:8], "", given.shared)
    assert json.loads(spool.take(name) or "") == GOOD
    assert spool.count() == SpoolCount()
    assert not spool.is_waiting(name)


def test_nothing_waits_in_a_folder_that_is_not_there(spool: PromptSpool, tmp_path: Path) -> None:
    assert spool.count() == SpoolCount()
    assert spool.take("0" * 64) is None
    assert list(tmp_path.iterdir()) == []


def test_two_agents_do_not_get_the_same_prompts(spool: PromptSpool, tmp_path: Path) -> None:
    put(spool, 5)
    other = PromptSpool(tmp_path / "prompts")

    first, second, third = (
        spool.hand_out(2, PLENTY),
        other.hand_out(9, PLENTY),
        spool.hand_out(9, 1),
    )

    assert sorted(contents([*first, *second])) == [f"Note {number}" for number in range(5)]
    assert (len(first), len(second), third) == (2, 3, [])
    count = spool.count()
    assert (count.n_open, count.n_leased) == (0, 5)
    assert 0 < count.lease_s <= 300


def test_an_agent_that_lost_its_prompts_gets_them_again(spool: PromptSpool) -> None:
    put(spool, 3)
    lost = spool.hand_out(2, PLENTY)
    assert answer(spool, lost[0].id, GOOD).accepted

    again = spool.hand_out(9, PLENTY, again=True)

    assert contents(again) == ["Note 1", "Note 2"]
    assert spool.count().n_leased == 2
    assert answer(spool, lost[1].id, GOOD).accepted, "the ids are the same"


def test_a_lease_that_has_run_out_lets_another_agent_answer(tmp_path: Path) -> None:
    spool = PromptSpool(tmp_path / "prompts", lease_s=0)
    put(spool, 1)

    (first,) = spool.hand_out(1, PLENTY)
    (second,) = spool.hand_out(1, PLENTY)

    assert first == second
    assert answer(spool, second.id, GOOD).accepted
    late = answer(spool, first.id, {"town": "Kiel", "height": None})
    assert late == AnswerOutcome(first.id, "answered before; the first answer is kept")


def test_the_first_answer_stays_before_and_after_it_was_taken(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)
    again = {"town": "Kiel", "height": None}

    outcomes = [answer(spool, name[:8], GOOD), answer(spool, name[:8], again)]
    taken = spool.take(name)
    outcomes.append(answer(spool, name[:8], again))

    assert [item.accepted for item in outcomes] == [True, False, False]
    assert spool.take(name) == taken == json.dumps(GOOD)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("Bergen", "reply must be a JSON object: it holds no JSON object; it begins 'Bergen'"),
        ("[1, 2]", "reply must be a JSON object: it holds no JSON object; it begins '[1, 2]'"),
        ([GOOD], "reply must be a JSON object, or its text"),
        (None, "reply must be a JSON object, or its text"),
        ('{"town": "Ber', "reply must be a JSON object: it holds no JSON object"),
        ({"town": "Bergen"}, "fields are missing: height"),
        ("{}", "fields are missing: town, height"),
        (GOOD | {"height": "1 m", "town": ["Bergen"]}, "town: must be a text, not ['Bergen']"),
        (GOOD | {"crew": 2}, "fields that were not asked for: crew; there are: town, height"),
    ],
)
def test_an_answer_that_is_none_is_told_so_and_can_be_mended(
    spool: PromptSpool, reply: object, problem: str
) -> None:
    (name,) = put(spool, 1)

    outcome = answer(spool, name[:8], reply)

    assert outcome.problem.startswith(problem)
    assert spool.take(name) is None
    assert answer(spool, name[:8], GOOD).accepted


@pytest.mark.parametrize("reply", [json.dumps(GOOD), f"Here:\n```json\n{json.dumps(GOOD)}\n```"])
def test_the_text_of_an_answer_is_kept_as_it_was_written(spool: PromptSpool, reply: str) -> None:
    (name,) = put(spool, 1)

    assert answer(spool, name[:8], reply).accepted
    assert spool.take(name) == reply


@pytest.mark.parametrize("prompt_id", ["", "abc", "../../etc", "ABCDEF01", "*" * 8, 7, None, {}])
def test_what_is_no_id_is_told_so(spool: PromptSpool, prompt_id: object) -> None:
    put(spool, 1)

    assert answer(spool, prompt_id, GOOD).problem.startswith("not an id of a prompt")


def test_a_prompt_that_nobody_asks_takes_no_answer(spool: PromptSpool) -> None:
    outcome = answer(spool, "0123abcd", GOOD)

    assert outcome == AnswerOutcome("0123abcd", "no such prompt is asked, or not any more")


def test_ids_are_longer_where_hashes_begin_alike(spool: PromptSpool, tmp_path: Path) -> None:
    (name,) = put(spool, 1)
    alike = name[:10] + ("0" if name[10] != "0" else "1") + name[11:]
    asked = tmp_path / "prompts" / f"{name}.json"
    (tmp_path / "prompts" / f"{alike}.json").write_bytes(asked.read_bytes())

    ids = {item.id for item in spool.hand_out(9, PLENTY)}

    assert ids == {name[:11], alike[:11]}
    ambiguous = answer(spool, name[:8], GOOD)
    assert ambiguous.problem == "fits two prompts by now; fetch the prompts again"
    assert answer(spool, name[:11], GOOD).accepted
    assert spool.take(alike) is None


def test_a_page_holds_what_fits_and_counts_shared_parts_once(spool: PromptSpool) -> None:
    long = "Read the note. " * 100
    for number in range(6):
        spool.put(prompt(number, instructions=long, content=f"{number}" * 1000), SCHEMA)
    other = prompt(9, instructions=long + "Again.", content="9" * 1000)
    spool.put(other, SCHEMA)

    first = spool.hand_out(9, 3800)
    assert len(first) == 2
    assert len(spool.hand_out(9, 1)) == 1
    assert len(spool.hand_out(9, 2100, {first[0].shared})) == 2
    assert contents(spool.hand_out(9, 4800)) == ["5" * 1000]
    assert spool.hand_out(9, 4800)[0].prompt == other


def test_what_a_dead_job_asked_is_put_aside_and_its_answer_found_by_the_next(
    spool: PromptSpool, tmp_path: Path
) -> None:
    names = put(spool, 3)
    ids = [item.id for item in spool.hand_out(9, PLENTY)]
    answer(spool, names[0][:8], GOOD)

    later = PromptSpool(tmp_path / "prompts")
    later.park()
    count = later.count()
    outcome = answer(later, names[1][:8], GOOD)
    later.put(prompt(2), SCHEMA)

    assert sorted(ids) == sorted(name[:8] for name in names)
    assert count == SpoolCount()
    assert outcome.accepted
    assert [later.take(name) is not None for name in names] == [True, True, False]
    assert later.count() == SpoolCount(n_open=1), "who had it may have died with the job"


def test_an_answer_that_a_job_died_with_can_be_taken_again(spool: PromptSpool) -> None:
    (name,) = put(spool, 1)
    answer(spool, name[:8], GOOD)

    first = spool.take(name)
    spool.park()

    assert spool.take(name) == first
    spool.forget_taken()
    assert spool.take(name) is None


def test_old_files_are_forgotten_when_a_job_starts(spool: PromptSpool, tmp_path: Path) -> None:
    old, new = put(spool, 2)
    spool.park()
    parked = tmp_path / "prompts" / "parked"
    os.utime(parked / f"{old}.json", (1, 1))

    spool.park()

    assert [path.name for path in parked.iterdir()] == [f"{new}.json"]


def test_a_damaged_file_is_an_error_that_names_it(spool: PromptSpool, tmp_path: Path) -> None:
    (name,) = put(spool, 1)
    path = tmp_path / "prompts" / f"{name}.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=rf"{name}\.json cannot be read"):
        spool.hand_out(1, PLENTY)
    path.write_text('{"prompt": 1}', encoding="utf-8")
    with pytest.raises(ModelError, match=rf"{name}\.json is damaged"):
        spool.hand_out(1, PLENTY)


def test_a_folder_that_cannot_be_written_stops_the_model(tmp_path: Path) -> None:
    (tmp_path / "prompts").write_text("a file", encoding="utf-8")

    with pytest.raises(ModelStoppedError, match="prompts cannot be written"):
        PromptSpool(tmp_path / "prompts").put(prompt(1), SCHEMA)
