import pytest

from srag_mcp.model.language_model import characters_a_token, count_tokens, most_characters


def test_a_part_of_a_token_counts_as_one() -> None:
    assert count_tokens("The Crown has twelve rooms. " * 10) == 70
    assert [count_tokens("n" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("text", "most", "least"),
    [
        ("Straße und Häuser – 12 € für die Öffnung", 4, 4),
        ("Договор подписан 12 мая", 2.6, 2),
        ("合同金额为五百万元", 1, 1),
        ("料金は1200円です", 2, 1),
        ("", 4, 4),
        ("\ud800", 4, 4),
    ],
)
def test_other_scripts_take_more_tokens(text: str, most: float, least: float) -> None:
    assert least <= characters_a_token(text) <= most


def test_so_many_characters_have_at_most_so_many_tokens() -> None:
    for text in ("The Crown has rooms. ", "合同金额为五百万元", "Договор подписан "):
        long = text * 100
        assert count_tokens(long[: most_characters(long, 50)]) <= 51
