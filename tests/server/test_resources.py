"""Resources, prompts and completion, over every way to reach the server."""

import json

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference, TextResourceContents

from srag_mcp.views.results import CorpusList, SchemaPage

pytestmark = pytest.mark.anyio


async def read(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


async def test_resources_and_their_templates_are_listed(client: Client) -> None:
    resources = [str(item.uri) for item in (await client.list_resources()).resources]
    templates = (await client.list_resource_templates()).resource_templates

    assert resources == ["srag://corpora"]
    assert [item.uri_template for item in templates] == [
        "srag://{corpus}/schema",
        "srag://{corpus}/columns/{column}",
        "srag://{corpus}/documents/{+id}",
    ]


async def test_resources_hold_what_the_tools_return(client: Client) -> None:
    corpora = CorpusList.model_validate_json(await read(client, "srag://corpora"))
    schema = await read(client, "srag://fleet/schema")
    column = await read(client, "srag://fleet/columns/crew")

    assert [entry.name for entry in corpora.corpora] == ["fleet", "handed", "fresh"]
    called = await client.call_tool("get_schema", {"corpus": "fleet"})
    assert json.loads(schema) == called.structured_content
    assert SchemaPage.model_validate_json(schema).table == "boats"
    counted = await client.call_tool("get_column_stats", {"corpus": "fleet", "columns": ["crew"]})
    assert json.loads(column) == counted.structured_content


@pytest.mark.parametrize(
    "uri",
    [
        "srag://fleet/documents/documents/a%20b/%C3%BC.txt",
        "srag://handed/documents/documents%2Fa%20b%2F%C3%BC.txt",
        "srag://fleet/documents/documents/a b/ü.txt",
    ],
)
async def test_documents_in_folders_are_read_by_uri(client: Client, uri: str) -> None:
    assert (await read(client, uri)).startswith("Report on Übermut")


@pytest.mark.parametrize(
    "uri",
    [
        "srag://fleet/documents/../../../../etc/passwd",
        "srag://fleet/documents/..%2F..%2Fetc%2Fpasswd",
        "srag://fleet/documents//etc/passwd",
        "srag://fleet/documents/documents/../.srag/schema.json",
        "srag://fleet/documents/.srag/schema.json",
    ],
)
async def test_paths_out_of_the_corpus_are_refused(client: Client, uri: str) -> None:
    with pytest.raises(MCPError) as refused:
        await client.read_resource(uri)

    assert refused.value.error.code == -32602


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("srag://nowhere/schema", "no corpus 'nowhere'"),
        ("srag://fresh/schema", "call ingest_corpus with corpus='fresh'"),
        ("srag://fleet/documents/juno", "documents/a b/juno.md"),
    ],
)
async def test_what_is_not_there_says_what_is(client: Client, uri: str, said: str) -> None:
    with pytest.raises(MCPError, match=said) as refused:
        await client.read_resource(uri)

    assert refused.value.error.code == -32602


async def test_prompts_name_the_corpus_and_the_tools(client: Client) -> None:
    prompts = (await client.list_prompts()).prompts
    arguments = {"corpus": "fleet", "question": "Who is longest?"}

    asking = await client.get_prompt("ask_corpus", arguments)
    building = await client.get_prompt("build_corpus", {"corpus": "fresh"})

    assert [item.name for item in prompts] == ["ask_corpus", "build_corpus"]
    assert all(item.description for item in prompts)
    asked, built = (str(item.messages[0].content) for item in (asking, building))
    assert "'fleet': Who is longest?" in asked
    assert "run_sql" in asked
    assert "'fresh'" in built
    assert "ingest_corpus" in built


async def test_names_of_columns_and_documents_are_completed(client: Client) -> None:
    column = ResourceTemplateReference(uri="srag://{corpus}/columns/{column}")
    document = ResourceTemplateReference(uri="srag://{corpus}/documents/{+id}")

    async def complete(ref: ResourceTemplateReference, corpus: str, **argument: str) -> list[str]:
        found = await client.complete(ref, argument, context_arguments={"corpus": corpus})
        return found.completion.values

    assert await complete(column, "fleet", name="column", value="L") == ["length"]
    assert await complete(document, "fleet", name="id", value="juno") == ["documents/a b/juno.md"]
    assert await complete(column, "fresh", name="column", value="") == []
    assert await complete(column, "nowhere", name="column", value="") == []


async def test_names_of_corpora_are_completed(client: Client) -> None:
    prompt = PromptReference(name="ask_corpus")
    template = ResourceTemplateReference(uri="srag://{corpus}/schema")

    by_prompt = await client.complete(prompt, {"name": "corpus", "value": "F"})
    by_template = await client.complete(template, {"name": "corpus", "value": "han"})
    other = await client.complete(prompt, {"name": "question", "value": "f"})

    assert by_prompt.completion.values == ["fleet", "fresh"]
    assert by_template.completion.values == ["handed"]
    assert other.completion.values == []
