import anyio
import pytest

from srag_mcp.model.litellm_library import run_to_end


async def double(number: int) -> int:
    await anyio.sleep(0)
    return 2 * number


async def fail() -> int:
    msg = "it failed"
    raise RuntimeError(msg)


def test_it_runs_where_no_loop_runs() -> None:
    assert run_to_end(double, 21) == 42


def test_it_runs_where_a_loop_runs_already() -> None:
    async def notebook() -> int:
        return run_to_end(double, 21)

    assert anyio.run(notebook) == 42


def test_an_error_of_the_function_is_its_own() -> None:
    with pytest.raises(RuntimeError, match="it failed"):
        run_to_end(fail)
