"""The MCP server as clients meet it: the real SDK client over stdio, /mcp and /sse, in both eras."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from interface_helpers import HOSTILE, call, talk, text_of
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from note_files import write_notes

from synapse.errors import MemoryInUse
from synapse.interfaces.daemon import OwnerRecord, announced
from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.lines import term
from synapse.interfaces.mcp.server import MemoryServer, create_server
from synapse.interfaces.web.app import create_app
from synapse.memory import Memory, MemoryOptions

NOTES = {
    "services/checkout.md": "---\ntype: Service\naliases: [Kasse]\n---\n# Checkout\n\n"
    "Where people pay.\n\n[[depends_on:services/payments]] #critical\n",
    "services/payments.md": "---\ntype: Service\n---\n# Payments\n\n[[depends_on:services/ledger]]\n",
    "services/ledger.md": "---\ntype: Service\n---\n# Ledger\n\nEvery booking, once.\n",
    "people/ñandú.md": "---\ntype: Person\n---\n# Ñandú García\n\n[[knows:people/bob]]\n",
    "people/bob.md": "---\ntype: Person\n---\n# Bob\n\n"
    + "".join(f"[[mentions:topics/topic-{number}]]\n" for number in range(120)),
}
READ_TOOLS = ["get_entity", "get_neighborhood", "get_impact", "get_provenance", "get_log"]
WRITE_TOOLS = ["assert_facts", "retract_facts", "undo_write"]

SERVER = """
import sys
from pathlib import Path
from synapse.interfaces.mcp.stdio import run_stdio

def open_memory():
    from synapse.memory import Memory, MemoryOptions
    print("a stray line of a library")
    sys.stdout.write("and half of one")
    memory = Memory.open(notes=Path(sys.argv[1]), data=Path(sys.argv[2]), options=MemoryOptions())
    memory.sync()
    return memory

run_stdio(open_memory, Path(sys.argv[2]), closing=lambda: sys.stdout.write("and half of one at the end"))
"""


@dataclass(frozen=True)
class Served:
    """A memory that is served over HTTP, and what is needed to start it over stdio."""

    memory: Memory
    port: int
    notes: Path
    data: Path


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, answering: Callable[[Any], AbstractContextManager[int]]
) -> Iterator[Served]:
    """A real memory behind a real HTTP server, both alive for all tests of the module."""
    folder = tmp_path_factory.mktemp("served")
    notes, data = write_notes(folder / "notes", NOTES), folder / "data"
    with Memory.open(notes=notes, data=data, options=MemoryOptions()) as memory:
        memory.install_scenario("core")
        memory.sync()
        with answering(create_app(LocalGateway(memory), secret="s")) as port:
            root = OwnerRecord.of_this_process(
                host="127.0.0.1", port=port, secret="s", notes_root=notes, version="0"
            )
            with announced(data, root):
                yield Served(memory, port, notes, data)


def stdio(served: Served) -> Any:
    """The transport of a server that is the client's child, and asks the owner of the memory."""
    arguments = ["-c", SERVER, str(served.notes), str(served.data)]
    return stdio_client(StdioServerParameters(command=sys.executable, args=arguments))


TRANSPORTS: dict[str, Callable[[Served], Any]] = {
    "stdio": stdio,
    "mcp": lambda served: f"http://127.0.0.1:{served.port}/mcp",
    "sse": lambda served: sse_client(f"http://127.0.0.1:{served.port}/sse"),
}


def in_process(memory: Memory, **options: Any) -> MemoryServer:
    """A server for a client of the same process."""
    return create_server(lambda: LocalGateway(memory), **options)


# Over stdio the older era is spoken by hand in the next test.
@pytest.mark.parametrize(
    ("transport", "mode"),
    [("stdio", "auto"), ("mcp", "auto"), ("mcp", "legacy"), ("sse", "auto"), ("sse", "legacy")],
)
def test_a_client_lists_the_tools_and_gets_a_card(served: Served, transport: str, mode: str) -> None:
    async def conversation(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [*READ_TOOLS, "assert_facts"]
        result = await client.call_tool("get_entity", {"id": "people/ñandú"})
        assert not result.is_error, text_of(result)
        assert result.structured_content["label"] == "Ñandú García"
        assert "people/ñandú" in text_of(result)
        resource = await client.read_resource("synapse://entity/people/bob")
        assert "people/bob" in resource.contents[0].text

    talk(TRANSPORTS[transport](served), conversation, mode=mode)


def test_the_handshake_over_stdio_opens_no_memory_and_stray_output_stays_off_the_wire(
    served: Served, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    command = [sys.executable, "-c", SERVER, str(served.notes), str(data)]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert server.stdin and server.stdout
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    handshake = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    server.stdin.write(json.dumps(handshake) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "synapse"
    assert not data.exists()
    asked = {"name": "get_entity", "arguments": {"id": "people/ñandú"}}
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    ):
        server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["result"]["structuredContent"]["label"] == "Ñandú García"
    rest, log = server.communicate(timeout=60)
    assert rest == ""
    assert "a stray line of a library" in log
    assert "and half of one at the end" in log
    assert server.returncode == 0


def test_instructions_name_ids_of_this_memory(served: Served) -> None:
    async def conversation(client: Client) -> str:
        return client.instructions or ""

    assert 'get_entity(id="people/bob")' in talk(in_process(served.memory), conversation)


def test_every_tool_is_described_annotated_and_announces_its_shape(served: Served) -> None:
    server = in_process(served.memory, access=Level.FULL, sparql=True)
    tools = talk(server, lambda client: client.list_tools()).tools
    assert [tool.name for tool in tools] == [*READ_TOOLS, *WRITE_TOOLS, "run_sparql"]
    for tool in tools:
        assert tool.title
        assert tool.description
        assert tool.annotations.read_only_hint is (tool.name not in WRITE_TOOLS)
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema["type"] == "object"
        Draft202012Validator.check_schema(tool.output_schema)
        Draft202012Validator.check_schema(tool.input_schema)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_entity", {"id": "services/payments"}),
        ("get_neighborhood", {"id": "services/payments", "depth": 2}),
        ("get_impact", {"id": "services/ledger"}),
        ("get_provenance", {"subject": "services/checkout", "predicate": "depends_on"}),
    ],
)
@pytest.mark.parametrize("response_format", ["concise", "detailed"])
def test_both_channels_carry_the_same_facts(
    served: Served, tool: str, arguments: dict, response_format: str
) -> None:
    result = call(in_process(served.memory), tool, **arguments, response_format=response_format)
    text, answer = text_of(result), result.structured_content
    found = list(facts_in(answer))
    assert found
    for fact in found:
        assert f"{fact['subject']} -{fact['predicate']}-> {term(fact['object'])}" in text
    for source in sources_in(answer):
        place = "(inferred)" if source["kind"] == "inferred" else source.get("path", source["graph"])
        assert place in text
    if response_format == "detailed" and "query" in answer:
        assert answer["query"] in text
    assert ("query" in answer) <= (response_format == "detailed")


def facts_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every triple anywhere in an answer."""
    if isinstance(value, list):
        for item in value:
            yield from facts_in(item)
    elif isinstance(value, dict):
        if {"subject", "predicate", "object"} <= value.keys():
            yield value
        for item in value.values():
            yield from facts_in(item)


def sources_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every source anywhere in an answer."""
    for fact in facts_in(value):
        yield from fact.get("sources", ())


def test_an_impact_names_what_depends_through_inferred_facts(served: Served) -> None:
    answer = call(in_process(served.memory), "get_impact", id="services/ledger").structured_content
    assert {affected["id"] for affected in answer["affected"]} >= {"services/payments", "services/checkout"}


def test_an_inferred_fact_is_proved_down_to_lines_of_notes(served: Served) -> None:
    result = call(
        in_process(served.memory),
        "get_provenance",
        subject="services/checkout",
        predicate="depends_on",
        object="services/ledger",
    )
    (fact,) = result.structured_content["facts"]
    assert fact["inferred"]
    leaves = [proof for proof in proofs_in(fact["proof"]) if proof["rule"] == "stated"]
    assert {"services/checkout.md", "services/payments.md"} <= {
        source["path"] for proof in leaves for source in proof["sources"] if "path" in source
    }
    assert "services/checkout.md:" in text_of(result)


def proofs_in(proof: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A proof and every proof it rests on."""
    yield proof
    for premise in proof["premises"]:
        yield from proofs_in(premise)


def test_a_hub_is_read_page_by_page_until_every_fact_was_seen(served: Served) -> None:
    async def conversation(client: Client) -> set[str]:
        seen: set[str] = set()
        cursor = None
        for _ in range(100):
            arguments = {"id": "people/bob", "max_tokens": 600, "cursor": cursor}
            answer = (await client.call_tool("get_entity", arguments)).structured_content
            seen |= {fact["object"] for fact in answer["out"] if isinstance(fact["object"], str)}
            cursor = answer.get("cursor")
            if cursor is None:
                return seen
        raise AssertionError("the pages have no end")

    seen = talk(in_process(served.memory), conversation)
    assert {f"topics/topic-{number}" for number in range(120)} <= seen


def test_the_same_entity_answers_to_its_label_alias_and_iri(served: Served) -> None:
    for mention in ("Checkout", "Kasse", "https://synapse.local/services/checkout"):
        answer = call(in_process(served.memory), "get_entity", id=mention).structured_content
        assert answer["id"] == "services/checkout"


def test_an_unknown_entity_teaches_the_nearest_ids(served: Served) -> None:
    result = call(in_process(served.memory), "get_entity", id="service/checkout")
    assert result.is_error
    assert "services/checkout" in text_of(result)
    assert 'Example: get_entity(id="services/checkout")' in text_of(result)


@pytest.mark.parametrize(
    ("arguments", "lesson"),
    [
        ({}, "id is missing"),
        ({"entity": "a"}, "there is no argument 'entity'"),
        ({"id": 5}, "id takes a text, not 5"),
        ({"id": "a", "max_tokens": "lots"}, "max_tokens takes a whole number from 200 to 20000, not 'lots'"),
        ({"id": "a", "response_format": "long"}, "response_format takes concise or detailed, not 'long'"),
        ({"id": "people/bob", "cursor": "5.00000000"}, "the cursor belongs to another question"),
    ],
)
def test_a_wrong_call_is_answered_with_what_was_wrong_and_a_right_one(
    served: Served, arguments: dict, lesson: str
) -> None:
    result = call(in_process(served.memory), "get_entity", **arguments)
    assert result.is_error
    assert lesson in text_of(result)
    assert 'Example: get_entity(id="' in text_of(result)
    assert "pydantic" not in text_of(result)
    assert "http" not in text_of(result)


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: repr(text[:20]))
def test_hostile_ids_are_refused_by_every_tool_and_change_nothing(served: Served, hostile: str) -> None:
    before = served.memory.status()

    async def conversation(client: Client) -> list[Any]:
        calls = [
            ("get_entity", {"id": hostile}),
            ("get_neighborhood", {"id": hostile}),
            ("get_neighborhood", {"id": "people/bob", "predicates": [hostile]}),
            ("get_impact", {"id": hostile}),
            ("get_provenance", {"subject": hostile}),
        ]
        return [await client.call_tool(tool, arguments) for tool, arguments in calls]

    for result in talk(in_process(served.memory), conversation):
        text = text_of(result)
        assert len(text) < 3000
        assert "unexpectedly" not in text
        assert "Traceback" not in text
        if result.is_error:
            assert "Example: " in text
    after = served.memory.status()
    assert (after.triples, after.entities, after.inferred) == (
        before.triples,
        before.entities,
        before.inferred,
    )


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: repr(text[:20]))
def test_a_hostile_id_names_no_entity(served: Served, hostile: str) -> None:
    assert call(in_process(served.memory), "get_entity", id=hostile).is_error


@pytest.mark.parametrize(
    ("access", "enabled", "offered"),
    [
        (Level.READ, True, False),
        (Level.READ_WRITE, True, False),
        (Level.FULL, False, False),
        (Level.FULL, True, True),
    ],
)
def test_sparql_is_hidden_and_refused_unless_full_and_enabled(
    served: Served, access: Level, enabled: bool, offered: bool
) -> None:
    server = in_process(served.memory, access=access, sparql=enabled)

    async def conversation(client: Client) -> tuple[bool, Any]:
        listed = "run_sparql" in [tool.name for tool in (await client.list_tools()).tools]
        return listed, await client.call_tool("run_sparql", {"query": "SELECT ?s { ?s ?p ?o } LIMIT 1"})

    listed, result = talk(server, conversation)
    assert listed is offered
    assert result.is_error is not offered
    assert ("[server]" in text_of(result)) == (not enabled)


@pytest.mark.parametrize(
    "query", ["INSERT DATA { <a:a> <a:b> <a:c> }", "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }"]
)
def test_a_query_neither_writes_nor_calls_out(served: Served, query: str) -> None:
    before = served.memory.status().triples
    server = in_process(served.memory, access=Level.FULL, sparql=True)
    result = call(server, "run_sparql", query=query)
    assert result.is_error
    assert "Example: run_sparql(" in text_of(result)
    assert served.memory.status().triples == before


def test_an_unknown_tool_is_answered_with_the_nearest(served: Served) -> None:
    result = call(in_process(served.memory), "get_entry", id="people/bob")
    assert result.is_error
    assert "Did you mean get_entity?" in text_of(result)


def test_a_memory_that_cannot_be_opened_is_explained_without_blaming_the_call() -> None:
    def held() -> LocalGateway:
        raise MemoryInUse("process 7 owns the memory but does not answer", hint="end process 7")

    result = call(create_server(held, ready=lambda: False), "get_entity", id="people/bob")
    assert result.is_error
    assert "process 7 owns the memory" in text_of(result)
    assert "End process 7" in text_of(result)
    assert "Example" not in text_of(result)


def test_a_crash_is_logged_and_not_shown_to_the_model(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> LocalGateway:
        raise RuntimeError("the secret inside")

    result = call(create_server(broken, ready=lambda: False), "get_entity", id="people/bob")
    assert result.is_error
    assert "failed unexpectedly" in text_of(result)
    assert "secret" not in text_of(result)
    assert "the secret inside" in caplog.text


def test_a_wrong_call_opens_no_memory() -> None:
    def unopened() -> LocalGateway:
        raise AssertionError("the memory was opened")

    result = call(create_server(unopened, ready=lambda: False), "get_entity", ident="people/bob")
    assert 'Example: get_entity(id="people/bob")' in text_of(result)


def test_many_clients_at_once_get_their_own_answers(served: Served) -> None:
    ids = ["services/checkout", "services/payments", "services/ledger", "people/bob", "people/ñandú"]

    async def one(identifier: str) -> str:
        async with Client(f"http://127.0.0.1:{served.port}/mcp") as client:
            result = await client.call_tool("get_entity", {"id": identifier})
            return result.structured_content["id"]

    async def all_at_once() -> list[str]:
        return await asyncio.gather(*(one(identifier) for identifier in ids * 3))

    assert asyncio.run(all_at_once()) == ids * 3


def test_prompts_teach_the_memory(served: Served) -> None:
    async def conversation(client: Client) -> Any:
        prompts = (await client.list_prompts()).prompts
        assert all(prompt.description for prompt in prompts)
        return await client.get_prompt("assess_change", {"id": "services/ledger"})

    prompt = talk(in_process(served.memory), conversation)
    assert "get_impact(id='services/ledger')" in prompt.messages[0].content.text
