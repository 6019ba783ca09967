import anyio
import pytest

from srag_mcp.errors import ReplyError
from srag_mcp.model.language_model import Correction, Prompt, hash_prompt
from srag_mcp.model.reply_content import Asked, Doubt, ReplyContent, ask_for, read_content
from tests.model.scripted import replying


class Size(ReplyContent):
    name: str
    n_rooms: int | None


PROMPT = Prompt("records", "Read the page.", "The Crown has 12 rooms.", subject="crown.txt")
GOOD = '{"name": "The Crown", "n_rooms": 12}'


def ask(texts: list[str]) -> Asked[Size]:
    async def asked() -> Asked[Size]:
        return await ask_for(replying(texts), PROMPT, Size)

    return anyio.run(asked)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is the record:\n{GOOD}\nI hope that it helps.",
        f"Of course.\n```\n{GOOD}\n```\n",
    ],
)
def test_an_object_is_found_in_fences_and_prose(text: str) -> None:
    assert read_content(text, Size) == Size(name="The Crown", n_rooms=12)


@pytest.mark.parametrize("half", ["\\ud83d", "\ud83d"])
def test_half_an_emoji_is_no_character(half: str) -> None:
    text = f'{{"name": "The Crown {half}, \\ud83d\\ude00", "n_rooms": null}}'
    assert read_content(text, Size).name == "The Crown ?, \U0001f600"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot do that.", "it holds no JSON object; it begins 'I cannot do that.'"),
        ('{"n_rooms": 12}', "name: Field required"),
        ('{"maybe": 12}', "name: Field required; n_rooms: Field required; maybe: Extra inputs"),
        (
            '{"name": "The Crown", "n_rooms": "many", "stars": 3}',
            "n_rooms: Input should be a valid integer, unable to parse string as an integer",
        ),
        ('{"name": "The Crown", "n_ro', "it holds no JSON object; it begins"),
        ("[1, 2]", "it holds no JSON object; it begins '[1, 2]'"),
    ],
)
def test_what_does_not_fit_is_named(text: str, reason: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read_content(text, Size)
    assert str(caught.value).startswith(reason)


def test_a_reply_of_the_wrong_form_goes_back_with_the_reason() -> None:
    model = replying(["Twelve.", GOOD])

    async def asked() -> Asked[Size]:
        return await ask_for(model, PROMPT, Size)

    assert anyio.run(asked) == Asked(Size(name="The Crown", n_rooms=12), (), GOOD)
    first, second = model.prompts
    assert first == PROMPT
    assert second.corrections == (
        Correction(
            "Twelve.",
            "The reply cannot be used as it is:\n- it holds no JSON object; it begins 'Twelve.'\n"
            "Answer again: the whole reply, with this put right, as one JSON object and nothing"
            " else.",
        ),
    )
    assert hash_prompt(first, {}) != hash_prompt(second, {})


def test_after_two_corrections_it_gives_up_by_name() -> None:
    with pytest.raises(ReplyError, match=r"^records \(crown.txt\): no reply had the right"):
        ask(["No.", "No.", "No.", GOOD])


def test_what_the_check_finds_wrong_is_told_and_kept() -> None:
    few = '{"name": "The Crown", "n_rooms": 1}'
    model = replying([few, few, "nonsense"])

    async def asked() -> Asked[Size]:
        return await ask_for(model, PROMPT, Size, lambda size: ["n_rooms: too few"])

    found = anyio.run(asked)
    assert found == Asked(Size(name="The Crown", n_rooms=1), ("n_rooms: too few",), few)
    assert [len(prompt.corrections) for prompt in model.prompts] == [0, 1, 2]


def test_a_doubt_is_worded_as_one() -> None:
    model = replying([GOOD, GOOD])
    doubts = [[Doubt("n_rooms: few")], []]

    async def asked() -> Asked[Size]:
        return await ask_for(model, PROMPT, Size, lambda size: doubts.pop(0))

    assert anyio.run(asked).problems == ()
    [correction] = model.prompts[1].corrections
    assert correction.message == (
        "Look at the reply again:\n- n_rooms: few\nAnswer with the whole reply, put right, or the"
        " same where it is right all the same, as one JSON object and nothing else."
    )


def test_the_name_of_a_prompt_does_not_depend_on_what_is_not_sent() -> None:
    same = Prompt("schema", PROMPT.instructions, PROMPT.content, subject="another")
    assert hash_prompt(PROMPT, {"type": "object"}) == hash_prompt(same, {"type": "object"})
    assert hash_prompt(PROMPT, {"type": "object"}) != hash_prompt(PROMPT, {})


def test_a_reply_that_is_nested_without_end_is_given_back() -> None:
    assert ask(['{"name":' * 50_000, "[" * 200_000, GOOD]).text == GOOD
