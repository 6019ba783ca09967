from hypothesis import given
from hypothesis import strategies as st

from srag_mcp.schema.rounds import excerpt


def test_a_short_text_stays_as_it_is() -> None:
    assert excerpt("A short text.", 10) == "A short text."


def test_of_a_long_text_the_beginning_and_parts_of_all_the_rest_are_kept() -> None:
    lines = [f"Line {number:05d} of the contract says something." for number in range(5000)]
    kept = excerpt("\n".join(lines), 2000)
    numbers = [int(line[5:10]) for line in kept.splitlines() if line.startswith("Line ")]
    assert numbers[0] == 0
    assert numbers == sorted(set(numbers))
    assert all(
        any(low <= number < low + 1000 for number in numbers) for low in range(0, 5000, 1000)
    )


@given(st.text(alphabet="ab \n", max_size=3000), st.integers(1, 200))
def test_it_is_never_longer_than_allowed(text: str, n_tokens: int) -> None:
    assert len(excerpt(text, n_tokens)) <= 4 * n_tokens
