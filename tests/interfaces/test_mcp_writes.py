"""Agents write over MCP: by level, with who and why on record, and with answers that teach."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interface_helpers import HOSTILE, call, talk, text_of
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation
from note_files import write_notes

from synapse.interfaces.cli.main import main
from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.lines import term
from synapse.interfaces.mcp.server import MemoryServer, create_server
from synapse.interfaces.mcp.written import BY_WEIGHT, bounded
from synapse.memory import Memory
from synapse.usecases.written import FactInput

NOTES = {
    "services/payments.md": "---\ntype: Service\ndepends_on: '[[services/ledger]]'\n---\n",
    "services/ledger.md": "---\ntype: Service\naliases: [libro mayor]\n---\n# Ledger\n",
    "tools/kubernetes.md": "---\ntype: Tool\naliases: [K8s]\n---\n# Kubernetes\n",
    "people/begoña.md": "---\ntype: Person\n---\n# Begoña Ruiz\n",
}
WHY = {"source": "the stand-up", "reason": "Bob said so"}


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    write_notes(notes, NOTES)
    memory.sync()
    return memory


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory for the tests that leave it as it is, or do not care what it holds."""
    with Memory.open(notes=write_notes(tmp_path_factory.mktemp("notes"), NOTES)) as opened:
        opened.install_scenario("core")
        opened.sync()
        yield opened


def server(memory: Memory, *, access: Level = Level.FULL, **options: Any) -> MemoryServer:
    return create_server(lambda: LocalGateway(memory), access=access, sparql=True, **options)


def fact(subject: str, predicate: str, object: str, **how: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": object, **how}


def state(memory: Memory) -> set[str]:
    """Every quad and every activity there is."""
    rooms = memory._rooms
    return {*map(str, rooms.store.quads()), *(entry.iri for entry in rooms.history.entries())}


TEN = [
    fact("services/ledger", "runs_on", "K8s"),
    fact("services/ledger", "owned_by", "people/begoña"),
    fact("services/ledger", "schema:description", "Every booking, once.", lang="en"),
    fact("services/ledger", "schema:description", "Cada asiento, una vez.", lang="es"),
    fact("services/ledger", "tier", "1", datatype="xsd:integer"),
    fact("services/ledger", "since", "2024-05-01", datatype="xsd:date"),
    fact("services/ledger", "homepage", "https://example.org/ledger", object_is="iri"),
    fact("people/begoña", "knows", "people/iván"),
    fact("services/payments", "part_of", "products/checkout"),
    fact("services/payments", "note", "slow on Mondays", object_is="literal"),
]


def test_an_agent_over_stdio_asserts_reads_retracts_and_leaves_only_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, notes = tmp_path / "home", write_notes(tmp_path / "notes", NOTES)
    monkeypatch.setenv("SYNAPSE_HOME", str(home))
    who = ["--agent", "claude", "--access", "full", "--notes", str(notes)]
    command = ["-m", "synapse.interfaces.cli", "serve", "--stdio", *who]
    environment = {"SYNAPSE_HOME": str(home)}
    child = StdioServerParameters(command=sys.executable, args=command, env=environment)

    def ask_meta(query: str) -> list[dict[str, str]]:
        assert main(["sparql", query, "--format", "json", "--notes", str(notes)]) == 0
        rows = json.loads(capsys.readouterr().out)["results"]["bindings"]
        return [{name: cell["value"] for name, cell in row.items()} for row in rows]

    async def conversation(client: Client) -> None:
        written = (await client.call_tool("assert_facts", {"facts": TEN, **WHY})).structured_content
        assert written["status"] == "ok"
        assert len(written["facts"]) == len(TEN)
        assertion = written["id"]
        card = await client.call_tool("get_entity", {"id": "services/ledger", "response_format": "detailed"})
        sources = [
            source
            for one in card.structured_content["out"]
            for source in one["sources"]
            if source["kind"] == "assertion"
        ]
        assert len(sources) == 7
        for source in sources:
            assert (source["agent"], source["reason"]) == ("claude", "Bob said so")
            assert source["activity"] == assertion
            assert source["learned_at"]

        one = await client.call_tool("retract_facts", {"facts": [TEN[0]], "reason": "moved to bare metal"})
        assert one.structured_content["status"] == "ok", text_of(one)
        whole = await client.call_tool("retract_facts", {"assertion_id": assertion, "reason": "all wrong"})
        assert len(whole.structured_content["facts"]) == len(TEN) - 1

        card = await client.call_tool("get_entity", {"id": "services/ledger", "response_format": "detailed"})
        assert assertion not in text_of(card)
        assert (await client.call_tool("get_entity", {"id": "people/iván"})).is_error
        provenance = await client.call_tool("get_provenance", {"subject": "services/ledger"})
        assert "assertion" not in text_of(provenance)

        log = (await client.call_tool("get_log", {"agent": "claude"})).structured_content
        assert [entry["kind"] for entry in log["entries"]] == ["retract", "retract", "assert"]

        # The command line asks the memory that this server owns.
        records = await asyncio.to_thread(
            ask_meta,
            "SELECT ?kind ?agent ?at ?reason { GRAPH <urn:synapse:meta> { ?activity a ?kind ; "
            "prov:wasAssociatedWith/rdfs:label ?agent ; prov:endedAtTime ?at ; syn:reason ?reason "
            "FILTER(?agent = 'claude' && ?kind != prov:Activity) } } ORDER BY ?at",
        )
        assert [(record["kind"], record["reason"]) for record in records] == [
            ("urn:synapse:ns#Assert", "Bob said so"),
            ("urn:synapse:ns#Retract", "moved to bare metal"),
            ("urn:synapse:ns#Retract", "all wrong"),
        ]
        assert all(record["at"].endswith("Z") for record in records)
        left = await asyncio.to_thread(
            ask_meta,
            "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } FILTER(STRSTARTS(STR(?g), 'urn:synapse:assertion:')) }",
        )
        assert left == []

    talk(stdio_client(child), conversation)


def test_a_fact_of_a_note_survives_the_retraction_and_is_never_retracted_itself(company: Memory) -> None:
    same = fact("services/payments", "depends_on", "services/ledger")
    call(server(company), "assert_facts", facts=[same], **WHY)
    taken = call(server(company), "retract_facts", facts=[same], reason="doubled")
    assert "still stated by services/payments.md:3" in text_of(taken)
    asked = {"subject": "services/payments", "predicate": "depends_on", "object": "services/ledger"}
    (left,) = call(server(company), "get_provenance", **asked).structured_content["facts"]
    assert [source["path"] for source in left["sources"]] == ["services/payments.md"]

    before = state(company)
    refused = call(server(company), "retract_facts", facts=[same], reason="again")
    assert refused.structured_content["status"] == "refused"
    assert "services/payments.md:3: edit it there" in text_of(refused)
    assert state(company) == before


@pytest.mark.parametrize(
    ("access", "offered"),
    [
        (Level.READ, set()),
        (Level.READ_WRITE, {"assert_facts"}),
        (Level.FULL, {"assert_facts", "retract_facts", "undo_write"}),
    ],
)
def test_a_level_hides_and_refuses_what_it_does_not_permit(
    standing: Memory, access: Level, offered: set[str]
) -> None:
    calls = {
        "assert_facts": {"facts": [fact("a", "p", "b")], **WHY},
        "retract_facts": {"assertion_id": "x", "reason": "r"},
        "undo_write": {"activity": "x", "reason": "r"},
    }

    async def conversation(client: Client) -> set[str]:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert "get_log" in listed
        assert listed & calls.keys() == offered
        for tool in calls.keys() - offered:
            before = state(standing)
            result = await client.call_tool(tool, calls[tool])
            assert result.is_error
            assert f"{tool} needs the level" in text_of(result)
            assert state(standing) == before
        return {tool for tool in calls if tool in (client.instructions or "")}

    taught = talk(server(standing, access=access), conversation)
    assert taught == offered


def test_write_tools_say_that_they_write(standing: Memory) -> None:
    tools = {tool.name: tool for tool in talk(server(standing), lambda client: client.list_tools()).tools}
    assert tools["get_log"].annotations.read_only_hint
    for name, destructive in (("assert_facts", False), ("retract_facts", True), ("undo_write", True)):
        hints = tools[name].annotations
        assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (
            False,
            destructive,
            False,
        )
        assert hints.open_world_hint is False
        assert "$ref" not in json.dumps(tools[name].input_schema)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    ("configured", "client", "agent"),
    [
        (None, "Claude Code", "Claude Code"),
        (None, "a\x00b\n\u202ec" + "d" * 500, None),
        (None, " ", "mcp"),
        ("reviewer", "Claude Code", "reviewer"),
    ],
)
def test_the_agent_is_the_configured_one_else_what_the_client_calls_itself(
    standing: Memory, configured: str | None, client: str, agent: str | None, mode: str
) -> None:
    asked = {"facts": [fact("services/ledger", "tier", "1", datatype="xsd:integer")], **WHY}
    talk(
        server(standing, agent=configured),
        lambda connected: connected.call_tool("assert_facts", asked),
        mode=mode,
        client_info=Implementation(name=client, version="1"),
    )
    entry = next(standing._rooms.history.entries(newest_first=True))
    assert entry.kind == "assert"
    assert entry.agent == (agent or "a b c" + "d" * 195)


def facts_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every triple anywhere in an answer."""
    if isinstance(value, dict) and {"subject", "predicate", "object"} <= value.keys():
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from facts_in(item)


WRITES = [
    [fact("services/ledger", "runs_on", "K8s"), fact("people/begoña", "knows", "Ledgr")],
    [fact("teams/lonely", "motto", "solos", lang="es")],
    [fact("Kubernetes 2", "rdf:type", "Tool"), fact("services/payments", "depends_on", "services/payments")],
]


@pytest.mark.parametrize("facts", WRITES)
def test_both_channels_say_the_same_and_fit_the_announced_shape(company: Memory, facts: list) -> None:
    async def conversation(client: Client) -> tuple[Any, Any]:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        written = await client.call_tool("assert_facts", {"facts": facts, **WHY})
        return tools["assert_facts"].output_schema, written

    schema, result = talk(server(company), conversation)
    answer, text = result.structured_content, text_of(result)
    Draft202012Validator(schema).validate(answer)
    for one in facts_in(answer):
        assert f"{one['subject']} -{one['predicate']}-> {term(one['object'])}" in text
    for name, key in (("connected", "mention"), ("ambiguous", "mention"), ("possible_duplicate_of", "id")):
        assert all(one[key] in text for one in answer[name])
    for asked in answer["ambiguous"]:
        assert all(candidate["id"] in text for candidate in asked["did_you_mean"])
    for entity, degree in answer.get("degree", {}).items():
        assert f"{entity} {degree}" in text
    for said in (*answer["stubs"], *answer["enrich_hint"], answer.get("orphan_warning", "")):
        assert said in text
    assert all(notice["message"] in text for notice in answer["notices"])


def test_a_question_names_the_ids_and_the_answer_to_it_is_written(company: Memory) -> None:
    asked = call(server(company), "assert_facts", facts=[fact("Begonia Ruiz", "tier", "x")], **WHY)
    (question,) = asked.structured_content["ambiguous"]
    assert asked.structured_content["status"] == "refused"
    meant = question["did_you_mean"][0]["id"]
    assert meant == "people/begoña"
    again = call(server(company), "assert_facts", facts=[fact(meant, "tier", "x")], **WHY)
    assert again.structured_content["status"] == "ok"
    another = [fact("Begonia Ruiz", "tier", "x")]
    forced = call(server(company), "assert_facts", facts=another, force_new=True, **WHY)
    assert forced.structured_content["facts"][0]["subject"] == "Begonia Ruiz"


@pytest.mark.parametrize(
    ("tool", "arguments", "lesson"),
    [
        ("assert_facts", WHY, "facts is missing"),
        ("assert_facts", {"facts": [], **WHY}, "0 facts in one call"),
        ("assert_facts", {"facts": "x", **WHY}, "facts takes a list of facts, not 'x'"),
        ("assert_facts", {"facts": ["x"], **WHY}, 'fact 1 takes {"subject": …, "predicate": …, "object": …}'),
        ("assert_facts", {"facts": [fact("a", "p", "b"), {}], **WHY}, "fact 2 needs subject"),
        ("assert_facts", {"facts": [fact("a", "p", 5)], **WHY}, "fact 1: object takes a text, not 5"),  # type: ignore[arg-type]
        ("assert_facts", {"facts": [fact("a", "p", "b", objct="c")], **WHY}, "fact 1 has no 'objct'"),
        (
            "assert_facts",
            {"facts": [fact("a", "p", "b", object_is="thing")], **WHY},
            "fact 1: object_is takes id or literal or iri, not 'thing'",
        ),
        (
            "assert_facts",
            {"facts": [fact("a", "p", "b"), fact("a", "p", "x", datatype="xsd:integer")], **WHY},
            "fact 2: 'x' is not a xsd:integer",
        ),
        ("assert_facts", {"facts": [fact("a", "p", "x", datatype="no")], **WHY}, "'no' is no datatype"),
        ("assert_facts", {"facts": [fact("a", "p", "x", lang="!")], **WHY}, "fact 1: 'x' is no literal"),
        (
            "assert_facts",
            {"facts": [fact("a", "p", "x")], **WHY, "confidence": 2},
            "confidence takes a number from 0 to 1, not 2",
        ),
        ("assert_facts", {"facts": [fact("a", "p", "x")], "source": "s", "reason": " "}, "reason is empty"),
        ("retract_facts", {"reason": "r"}, "give an assertion_id or facts"),
        ("retract_facts", {"reason": "r", "assertion_id": "x", "facts": [fact("a", "p", "b")]}, "one of"),
        ("undo_write", {"activity": "x", "reason": "r"}, "there is no activity 'x'"),
        ("get_log", {"since": "tomorrow"}, "since must be a day, 2026-03-01, or a moment in UTC"),
        ("get_log", {"entity": "services/ledgr"}, "- services/ledger: Ledger"),
        ("get_entity", {"id": "services/ledger", "as_of": "2026-02-30"}, "as_of must be a day"),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong_with_an_example_and_changes_nothing(
    standing: Memory, tool: str, arguments: dict, lesson: str
) -> None:
    before = state(standing)
    result = call(server(standing), tool, **arguments)
    text = text_of(result)
    assert result.is_error
    assert lesson in text
    # What takes back is not shown by an example, which somebody may follow, but by where to look.
    shown = tool if tool in ("assert_facts", "get_log", "get_entity") else "get_log"
    assert f"Example: {shown}(" in text
    assert "pydantic" not in text
    assert state(standing) == before


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: repr(text[:20]))
def test_hostile_text_is_refused_or_kept_as_text_and_never_runs(standing: Memory, hostile: str) -> None:
    before = state(standing)
    good = fact("services/ledger", "note", "x")
    calls = [
        ("assert_facts", {"facts": [{**good, name: hostile}], **WHY})
        for name in ("subject", "predicate", "datatype", "lang", "object_is")
    ]
    calls += [
        ("assert_facts", {"facts": [{**good, "object": hostile, "object_is": "iri"}], **WHY}),
        ("retract_facts", {"assertion_id": hostile, "reason": "r"}),
        ("retract_facts", {"facts": [{**good, "subject": hostile}], "reason": "r"}),
        ("retract_facts", {"facts": [{**good, "object": hostile}], "reason": "r"}),
        ("undo_write", {"activity": hostile, "reason": "r"}),
        ("get_log", {"entity": hostile}),
        ("get_log", {"since": hostile}),
        ("get_entity", {"id": "services/ledger", "as_of": hostile}),
    ]

    async def conversation(client: Client) -> None:
        for tool, arguments in calls:
            result = await client.call_tool(tool, arguments)
            text = text_of(result)
            assert len(text) < 6000, tool
            assert "unexpectedly" not in text, (tool, arguments, text)
            assert "Traceback" not in text
        # What may be any text arrives as the text it was.
        kept = {"facts": [{**good, "object": f"x{hostile}", "object_is": "literal"}], **WHY}
        written = await client.call_tool("assert_facts", {**kept, "max_tokens": 20_000})
        if "\x00" in hostile:  # but a control character, which would reach somebody's terminal
            assert written.is_error
            return
        assert written.structured_content["facts"][0]["object"]["value"] == f"x{hostile}"

    talk(server(standing), conversation)
    gone = before - state(standing)
    assert not gone, "a hostile text took something away"


def test_a_lone_surrogate_is_refused_in_words(standing: Memory) -> None:
    result = call(server(standing), "assert_facts", facts=[fact("services/ledger", "note", "\ud800")], **WHY)
    assert result.is_error
    assert "fact 1: object" in text_of(result)


def test_an_undone_write_is_as_if_it_had_not_been_made(company: Memory) -> None:
    written = call(server(company), "assert_facts", facts=[fact("services/ledger", "runs_on", "K8s")], **WHY)
    undone = call(server(company), "undo_write", activity=written.structured_content["id"], reason="a test")
    assert "services/ledger -syn:runs_on-> tools/kubernetes" in text_of(undone)
    assert "follows no longer:" in text_of(undone)
    assert "runs_on" not in text_of(call(server(company), "get_entity", id="services/ledger"))
    sync = next(entry for entry in company._rooms.history.entries() if entry.kind == "sync")
    refused = call(
        server(company), "undo_write", activity=sync.iri.rpartition(":")[2], reason="not an agent's"
    )
    assert refused.structured_content["status"] == "refused"
    again = call(server(company), "undo_write", activity=written.structured_content["id"], reason="a test")
    assert again.structured_content["status"] == "refused"
    assert f"already taken back by undo {undone.structured_content['id']}" in text_of(again)


def test_the_past_is_answered_as_of_then(company: Memory) -> None:
    written = call(server(company), "assert_facts", facts=[fact("services/ledger", "runs_on", "K8s")], **WHY)
    entry = next(company._rooms.history.entries(newest_first=True))
    call(
        server(company),
        "retract_facts",
        assertion_id=written.structured_content["id"],
        reason="no longer true",
    )
    now = call(server(company), "get_entity", id="services/ledger")
    then = call(server(company), "get_entity", id="services/ledger", as_of=entry.at)
    assert "runs_on" not in text_of(now)
    assert "services/ledger -syn:runs_on-> tools/kubernetes" in text_of(then)
    query = "ASK { <services/ledger> syn:runs_on <tools/kubernetes> }"
    assert "true" in text_of(call(server(company), "run_sparql", query=query, as_of=entry.at))
    assert "false" in text_of(call(server(company), "run_sparql", query=query))


def test_the_log_is_read_page_by_page_until_the_first_activity(company: Memory) -> None:
    for number in range(12):
        given = FactInput("services/ledger", "note", f"entry {number}", object_is="literal")
        company.assert_facts([given], source="s", reason=f"reason {number}", agent="claude")

    async def conversation(client: Client) -> list[str]:
        seen: list[str] = []
        cursor = None
        while True:
            asked = {"agent": "claude", "max_tokens": 600, "cursor": cursor}
            page = (await client.call_tool("get_log", asked)).structured_content
            seen += [entry["reason"] for entry in page["entries"]]
            cursor = page.get("cursor")
            if cursor is None:
                return seen

    assert talk(server(company), conversation) == [f"reason {number}" for number in range(11, -1, -1)]


def test_a_long_answer_is_cut_with_a_notice_but_all_of_it_is_written(company: Memory) -> None:
    facts = [fact("services/ledger", "note", f"entry {number}", object_is="literal") for number in range(200)]
    result = call(server(company), "assert_facts", facts=facts, max_tokens=400, **WHY)
    answer = result.structured_content
    assert 0 < len(answer["facts"]) < 200
    (cut,) = [notice for notice in answer["notices"] if notice["code"] == "cut"]
    assert f"shown {len(answer['facts'])} of 200 facts" in cut["message"]
    assert cut["message"] in text_of(result)
    query = "SELECT (COUNT(*) AS ?n) { <services/ledger> :note ?x }"
    assert "200" in text_of(call(server(company), "run_sparql", query=query))


def test_questions_are_the_last_to_be_cut() -> None:
    many = [
        {"subject": f"a/{number}", "predicate": "p", "object": "b", "sources": []} for number in range(99)
    ]
    question = {"mention": "x", "reason": "similar", "did_you_mean": []}
    empty: dict[str, Any] = {name: [] for name in BY_WEIGHT}
    answer = {**empty, "status": "ok", "notices": [], "facts": many, "ambiguous": [question]}
    answer["degree"] = {f"a/{number}": number for number in range(99)}
    shown = bounded(answer, 1000)
    assert shown["ambiguous"] == [question]
    assert 0 < len(shown["facts"]) < len(many)
    assert "40 of 99 degree" in shown["notices"][-1]["message"]
    assert answer["facts"] == many


def test_a_prompt_reviews_what_an_agent_wrote(standing: Memory) -> None:
    async def conversation(client: Client) -> str:
        prompt = await client.get_prompt("review_learned", {"since": "2026-03-01", "agent": "claude"})
        return prompt.messages[0].content.text

    assert 'get_log(since="2026-03-01", agent="claude")' in talk(server(standing), conversation)


def test_provenance_quotes_the_line_in_both_channels_and_looks_back(company: Memory, notes: Path) -> None:
    asked = {"subject": "services/payments", "predicate": "depends_on", "object": "services/ledger"}
    result = call(server(company), "get_provenance", **asked)
    (source,) = result.structured_content["facts"][0]["sources"]
    assert source["path"] == "services/payments.md"
    assert "[[services/ledger]]" in source["text"]
    assert json.dumps(source["text"], ensure_ascii=False) in text_of(result)
    then = call(server(company), "get_log").structured_content["entries"][0]["at"]
    (notes / "services/payments.md").unlink()
    (source,) = call(server(company), "get_provenance", **asked).structured_content["facts"][0]["sources"]
    assert source["text_missing"] == "the file is gone"
    company.sync()
    result = call(server(company), "get_provenance", **asked)
    assert result.is_error or result.structured_content["facts"] == []
    (past,) = call(server(company), "get_provenance", **asked, as_of=then).structured_content["facts"]
    assert past["sources"][0]["path"] == "services/payments.md"
