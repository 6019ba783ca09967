"""Questions without a model that say `2006-07`: a month, the years 2006 and 2007, or a season."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import pytest

from srag_mcp import Settings, ask, ingest

DAYS = [date(2006, 1, 15) + timedelta(days=23 * number) for number in range(40)]
ISO, GERMAN, SLASHED = "%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d"
YEARS = "2006-01-01' AND DATE '2007-12-31'"


Matches = Callable[..., Path]


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Matches:
    """Write and read a table file of matches, once for each way to write its dates."""

    @cache
    def build(written: str, *seasons: str) -> Path:
        folder = tmp_path_factory.mktemp("home") / "matches"
        folder.mkdir()
        lines = [",".join(("date", "opponent", "goals", *["season"] * bool(seasons)))]
        for n, day in enumerate(DAYS):
            season = [seasons[n % len(seasons)]] if seasons else []
            lines.append(",".join((f"{day:{written}}", f"Club {n % 5}", str(n % 4), *season)))
        (folder / "matches.csv").write_text("\n".join(lines), encoding="utf-8")
        ingest(folder, Settings(engine="offline", workers=1))
        return folder

    return build


@pytest.mark.parametrize(
    ("written", "asked", "low_to_high"),
    [
        (ISO, "in 2006-07", "2006-07-01' AND DATE '2006-07-31'"),
        (SLASHED, "in 2006/07", "2006-07-01' AND DATE '2006-07-31'"),
        (ISO, "in the years 2006-07", YEARS),
        (GERMAN, "in the years 2006-07", YEARS),
        (GERMAN, "in 2006-03", "2006-03-01' AND DATE '2006-03-31'"),
    ],
)
def test_a_month_or_years_is_what_words_or_dates_bear_out(
    matches: Matches, written: str, asked: str, low_to_high: str
) -> None:
    found = ask(matches(written), f"What is the total number of goals {asked}?")
    assert found.sql == f"SELECT SUM(goals) FROM matches WHERE date BETWEEN DATE '{low_to_high}"


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        (GERMAN, "in 2006-07"),
        (GERMAN, "from 2006-07 to 2008-09"),
        (ISO, "in 2006/07"),
        (ISO, "in the 2006-07 season"),
    ],
)
def test_what_may_be_a_season_is_refused_where_nothing_bears_out_a_month(
    matches: Matches, written: str, asked: str
) -> None:
    folder = matches(written)
    assert ask(folder, f"What is the total number of goals {asked}?").refused


def test_a_season_that_a_column_holds_is_that_value(matches: Matches) -> None:
    folder = matches(GERMAN, "2006-07", "2007-08")
    found = ask(folder, "What is the total number of goals in the 2006-07 season?")
    assert found.sql == "SELECT SUM(goals) FROM matches WHERE season = '2006-07'"
