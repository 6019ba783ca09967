from srag_mcp.model.tokens import count_tokens, count_tokens_of


def test_a_part_of_a_token_counts_as_one() -> None:
    assert count_tokens("The Crown has twelve rooms. " * 10) == 70
    assert [count_tokens_of(n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert count_tokens("") == 0
