"""Documents as resources, over every way to reach the server."""

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import TextResourceContents

pytestmark = pytest.mark.anyio


async def read(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


async def test_the_template_of_documents_is_listed(client: Client) -> None:
    templates = (await client.list_resource_templates()).resource_templates

    assert [item.uri_template for item in templates] == ["srag://{corpus}/documents/{+id}"]


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
        ("srag://nowhere/documents/a", "no corpus 'nowhere'"),
        ("srag://fresh/documents/a", "call ingest_corpus with corpus='fresh'"),
        ("srag://fleet/documents/juno", "documents/a b/juno.md"),
    ],
)
async def test_what_is_not_there_says_what_is(client: Client, uri: str, said: str) -> None:
    with pytest.raises(MCPError, match=said) as refused:
        await client.read_resource(uri)

    assert refused.value.error.code == -32602
