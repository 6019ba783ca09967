import math
from pathlib import Path

import pytest

from srag_mcp.errors import SettingsError
from srag_mcp.pipeline.ingest import ingest
from srag_mcp.pipeline.quote import quote_ingestion
from srag_mcp.schema.attribute import Attribute
from srag_mcp.schema.schema import Schema
from srag_mcp.settings import Settings
from tests.model.openai_server import serving
from tests.pipeline.reading_model import say, settings_for

SCHEMA = Schema(
    title="Station",
    entity="stations",
    attributes=(
        Attribute(name="town", type="string", description="The town below the station."),
        Attribute(name="height_m", type="integer", unit="m", description="Above the sea."),
    ),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stations = tmp_path / "stations"
    stations.mkdir()
    for number in range(20):
        text = f"The hut stands {100 + number} metres above the town of Arla. " + "Rain fell. " * 50
        (stations / f"{number:02d}.txt").write_text(text)
    return stations


def test_a_quote_is_what_the_ingestion_then_takes(folder: Path, tmp_path: Path) -> None:
    with serving(say) as server:
        settings = Settings(
            workers=1, home=tmp_path, model="openai/fake", api_base=server.base, api_key="none"
        )
        quote = quote_ingestion(folder, settings, schema=SCHEMA)
        assert server.requests == [], "nothing was asked"
        assert (quote.n_documents, quote.n_to_read, quote.n_attributes) == (20, 20, 2)
        assert quote.is_schema_known
        ingest(folder, settings, schema=SCHEMA)
        assert quote.least.n_prompts == len(server.requests)
        sent = sum(len(str(body["messages"])) for body in server.requests) / 4
        assert sent == pytest.approx(quote.least.tokens_in, rel=0.15)
        assert quote.price is None, "the price of this model is not known"
        after = quote_ingestion(folder, settings, schema=SCHEMA)
        assert (after.n_to_read, after.least.n_prompts, after.least.tokens_in) == (0, 0, 0)
        (folder / "20.txt").write_text("The hut stands 7 metres above the town of Brun.")
        assert quote_ingestion(folder, settings, schema=SCHEMA).n_to_read == 1
        (folder / "00.txt").write_text("The hut stands 9 metres above the town of Cima.")
        edited = SCHEMA.model_copy(update={"attributes": SCHEMA.attributes[:1]})
        edited = edited.model_copy(
            update={
                "attributes": (edited.attributes[0].model_copy(update={"description": "Town"}),)
            }
        )
        assert quote_ingestion(folder, settings, schema=edited).n_to_read == 21, "each once"


def test_a_column_is_quoted_alone(folder: Path, tmp_path: Path) -> None:
    with serving(say) as server:
        settings = Settings(
            workers=1, home=tmp_path, model="openai/fake", api_base=server.base, api_key="none"
        )
        ingest(folder, settings, schema=SCHEMA)
        wish = "who keeps the station"
        quote = quote_ingestion(folder, settings, attribute=wish)
        n_asked = len(server.requests)
        ingest(folder, settings, attribute=wish)

    assert (quote.n_to_read, quote.n_attributes) == (20, 1)
    assert quote.least.n_prompts == len(server.requests) - n_asked
    there = quote_ingestion(folder, settings, attribute="Height m")
    assert (there.n_to_read, there.least.n_prompts) == (0, 0)


def test_a_quote_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    quote_ingestion(folder, Settings(workers=1, home=tmp_path / "home", model="gpt-4o-mini"))
    assert sorted(tmp_path.rglob("*")) == before


def test_the_rounds_of_a_schema_and_its_trial_are_quoted_too(folder: Path, tmp_path: Path) -> None:
    settings = Settings(workers=1, home=tmp_path, model="gpt-4o-mini")
    quote = quote_ingestion(folder, settings, questions=["How many?", "How high?"])
    assert (quote.is_schema_known, quote.n_attributes) == (False, settings.columns)
    assert quote.least.n_prompts == 2 + 3 + 2, (
        "batches of 16, two rounds and a repair, two questions"
    )
    cost = quote.cost_usd(quote.least)
    assert cost is not None
    assert 0.001 < cost < 1
    assert quote.least.tokens_in < 75_000, (
        "three short documents a round, not eight thousand tokens"
    )
    assert "about 30 columns, engine model" in quote.lines()[0]


def test_a_price_is_that_of_the_effort(tmp_path: Path) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number in range(400):
        (folder / f"{number:03}.txt").write_text(f"Station {number}. {'It rains a lot. ' * 60}")
    settings = Settings(workers=1, home=tmp_path, model="gpt-4o-mini")
    full, checked, draft = (
        quote_ingestion(folder, settings.model_copy(update={"effort": effort}))
        for effort in ("full", "checked", "draft")
    )
    assert (full.n_to_read, checked.n_to_read, draft.n_to_read) == (400, 81, 24)
    assert draft.workload.tokens < checked.workload.tokens < full.workload.tokens
    assert checked.most.tokens > full.workload.tokens, "rules are written and audited before"
    low, high = checked.least.tokens, checked.most.tokens
    assert checked.lines()[1].startswith(
        f"from {low:,} tokens, where rules hold in their audit, to {high:,}, where none does; "
        f"{checked.least.n_prompts} to {checked.most.n_prompts} calls: about $"
    )
    n_full, n_draft = full.workload.tokens, draft.workload.tokens
    assert checked.others == {"draft": (n_draft, n_draft), "full": (n_full, n_full)}
    assert [found.lines()[2] for found in (checked, full, draft)] == [
        f"that is effort checked; draft takes less, about {n_draft:,} tokens (a sample and its"
        f" rules, unaudited), full takes about {n_full:,} tokens (all is read)",
        f"that is effort full; draft takes less, about {n_draft:,} tokens (a sample and its rules,"
        f" unaudited), checked takes from {low:,} to {high:,} tokens (rules, an audit, and what"
        " they leave open)",
        "that is a draft: a sample and its rules, unaudited; checked takes more, from"
        f" {low:,} to {high:,} tokens (rules, an audit, and what they leave open), full takes more,"
        f" about {n_full:,} tokens (all is read)",
    ]
    assert checked.lines()[2] in checked.sentence()
    assert f"takes from {low:,} tokens, where rules hold" in checked.sentence()
    shown = checked.to_json()
    assert shown["at_most"] == {
        "n_calls": checked.most.n_prompts,
        "tokens_in": checked.most.tokens_in,
        "tokens_out": checked.most.tokens_out,
        "minutes": math.ceil(checked.most.tokens_out / 50 / settings.concurrency / 60),
        "cost_usd": checked.cost_usd(checked.most),
    }


def test_the_price_of_rules_that_save_nothing_is_that_of_reading_all(tmp_path: Path) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number in range(60):
        (folder / f"{number:03}.txt").write_text(f"Station {number}. {'It rains a lot. ' * 60}")
    settings = Settings(workers=1, home=tmp_path, model="gpt-4o-mini")
    full, checked = (
        quote_ingestion(folder, settings.model_copy(update={"effort": effort}))
        for effort in ("full", "checked")
    )
    assert (checked.n_to_read, checked.least, checked.most) == (60, full.least, full.least)
    assert [*checked.others] == [*full.others] == ["draft"]


def test_a_draft_that_takes_more_than_reading_all_is_told_with_both_prices(tmp_path: Path) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number:03}.txt").write_text(f"Station {number}. {'It rains a lot. ' * 60}")
    settings = Settings(workers=1, home=tmp_path, model="gpt-4o-mini")
    full, draft = (
        quote_ingestion(folder, settings.model_copy(update={"effort": effort}))
        for effort in ("full", "draft")
    )
    assert draft.workload.tokens > full.workload.tokens
    assert full.lines()[2] == (
        f"that is effort full; draft takes more, about {draft.workload.tokens:,} tokens (a sample"
        " and its rules, unaudited)"
    )
    assert draft.lines()[2] == (
        "that is a draft: a sample and its rules, unaudited; full takes less, about"
        f" {full.workload.tokens:,} tokens (all is read)"
    )


def test_nobody_knows_what_an_agent_pays(folder: Path, tmp_path: Path) -> None:
    quote = quote_ingestion(folder, Settings(workers=1, home=tmp_path, engine="agent"))
    assert quote.price is None
    assert " out: on the bill of the agent, about " in quote.lines()[1]


def test_reading_all_documents_whole_is_quoted_where_it_costs_less(
    folder: Path, tmp_path: Path
) -> None:
    settings = Settings(workers=1, home=tmp_path, engine="agent")
    for path in sorted(folder.glob("*.txt"))[5:]:
        path.unlink()
    short = quote_ingestion(folder, settings)
    for number in range(20):
        text = f"The hut stands {100 + number} metres high. " + "Rain fell on it. " * 1000
        (folder / f"{number:02d}.txt").write_text(text)
    long = quote_ingestion(folder, settings)
    for number in range(20, 40):
        (folder / f"{number:02d}.txt").write_text(f"{number} " + "Rain fell on it. " * 1000)
    larger = quote_ingestion(folder, settings)

    assert short.tokens_to_read < 1480
    assert short.alternative().endswith("the table never costs less, but it can be checked")
    n_questions = math.ceil(long.workload.tokens / (long.tokens_to_read - 1480))
    assert long.alternative() == (
        f"reading the folder whole takes about {long.tokens_to_read:,} tokens, so for questions"
        " that are asked at one time it costs less; asked one by one, the table costs less from"
        f" {n_questions} questions on"
    )
    assert larger.alternative() == "", "no model reads as much at once"
    assert long.lines()[-1] == long.alternative()
    assert long.to_json()["minutes"] == math.ceil(long.least.tokens_out / 50 / 60)


def test_whoever_asks_first_is_told_the_price_and_no_prompt_is_sent(
    folder: Path, tmp_path: Path
) -> None:
    with serving(say) as server:
        settings = Settings(
            workers=1, home=tmp_path, model="openai/fake", api_base=server.base, api_key="none"
        )
        asked = ingest(folder, settings, schema=SCHEMA, asks_first=True)
        one = settings.model_copy(update={"schema_questions": 1})
        more = ingest(folder, one, schema=SCHEMA, asks_first=True, questions=["How old?", "Why?"])
        assert server.requests == []
        ingest(folder, settings, schema=SCHEMA)
        n_asked = len(server.requests)
        again = ingest(folder, settings, schema=SCHEMA, asks_first=True)

    assert (asked.only_quoted, asked.published, asked.n_documents) == (True, False, 20)
    assert asked.account.startswith(f"with engine model it takes about {n_asked} prompts, ")
    assert "of 2 questions the first 1 are tried" in more.account
    assert "are tried" not in asked.account
    assert not again.only_quoted, "there is nothing to ask"


def test_offline_costs_nothing(folder: Path, tmp_path: Path) -> None:
    quote = quote_ingestion(folder, Settings(workers=1, home=tmp_path))
    assert quote.lines() == ["20 documents, engine offline: no language model is asked"]


def test_offline_the_documents_that_are_chosen_are_counted(folder: Path, tmp_path: Path) -> None:
    settings = Settings(workers=1, home=tmp_path)
    ingest(folder, settings, schema=SCHEMA)
    chosen = "SELECT document_id FROM documents ORDER BY 1 LIMIT 5"
    quote = quote_ingestion(folder, settings, attribute="height", documents=chosen, keep=False)
    assert quote.lines() == ["5 of 20 documents, engine offline: no language model is asked"]


def test_a_model_must_be_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no language model is named"):
        quote_ingestion(folder, Settings(workers=1, home=tmp_path, engine="model"))


def test_each_row_of_a_table_is_a_document_of_the_quote(tmp_path: Path) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    write_rows(folder, 400)
    with serving(say) as server:
        settings = Settings(
            workers=1, home=tmp_path, model="openai/fake", api_base=server.base, api_key="none"
        )
        quote = quote_ingestion(folder, settings, schema=SCHEMA)
        assert (quote.n_documents, quote.n_to_read) == (400, 400)
        ingest(folder, settings, schema=SCHEMA)
        assert quote.least.n_prompts == len(server.requests)
        after = quote_ingestion(folder, settings, schema=SCHEMA)
        assert (after.n_documents, after.n_to_read) == (400, 0)
    write_rows(folder, 500)
    more = quote_ingestion(folder, settings, schema=SCHEMA)
    assert (more.n_documents, more.n_to_read) == (500, 100)


def write_rows(folder: Path, n_rows: int) -> None:
    page = "The hut stands {0} metres above the town of Arla,{0}\n"
    rows = "".join(map(page.format, range(1, n_rows + 1)))
    (folder / "stations.csv").write_text(f"page,number\n{rows}")


def test_of_more_than_150_files_rules_read_what_they_may(tmp_path: Path) -> None:
    stations = tmp_path / "stations"
    stations.mkdir()
    settings = Settings(workers=1, home=tmp_path / "home", engine="agent")
    efforts = []
    for number in range(151):
        text = f"The hut stands {100 + number} metres above the town of Arla. " + "Rain fell. " * 50
        (stations / f"{number:03d}.txt").write_text(text)
        if number >= 149:
            efforts.append(quote_ingestion(stations, settings, schema=SCHEMA).effort)
    assert efforts == ["full", "checked"]


def test_the_price_of_notes_supposes_no_more_columns_than_they_have_words_for(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "stations"
    folder.mkdir()
    for number in range(16):
        text = f"The hut stands {100 + number} metres above the town of Arla since {1890 + number}"
        (folder / f"{number:02d}.txt").write_text(f"{text}. It is kept by Brun.")
    questions = [f"What is the largest height of {n} stations?" for n in range(8)]
    questions += ["When was the oldest station opened?", "When was the newest station opened?"]
    with serving(say) as server:
        settings = settings_for(server, tmp_path / "home")
        quote = quote_ingestion(folder, settings, questions=questions)
        ingest(folder, settings, questions=questions)
    assert quote.n_attributes == 4
    parts = [
        (body["messages"], body["response_format"], say(body).text) for body in server.requests
    ]
    n_taken = sum(len(str(part)) for parts in parts for part in parts) / 4
    assert 0.8 < quote.workload.tokens / n_taken < 1.5
