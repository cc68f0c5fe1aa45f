"""Examples that agents are shown: true, of this memory, about what was asked; and a person's next step."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interface_helpers import call, text_of
from mcp.server import MCPServer
from note_files import write_notes

from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.server import create_server
from synapse.memory import Memory

NOTES = {
    "lecturas/enorme.md": "---\ntype: Book\n---\n" + "".join(f"[[nota {n}]]\n" for n in range(20)),
    "servicios/facturación.md": "---\ntype: Service\nuses: '[[servicios/correo]]'\n---\n",
    "servicios/correo.md": "---\ntype: Service\ntitle: Correo\n---\n",
    "viejo/correo.md": "---\ntype: Service\ntitle: Correo\n---\n",
}
WHY = {"source": "s", "reason": "r"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(notes=write_notes(tmp_path / "notes", NOTES)) as opened:
        opened.install_scenario("core")
        opened.sync()
        yield opened


def server(memory: Memory, access: Level = Level.FULL) -> MCPServer[Any]:
    return create_server(lambda: LocalGateway(memory), access=access, agent="claude", sparql=True)


def failed(memory: Memory, tool: str, access: Level = Level.FULL, **arguments: Any) -> str:
    result = call(server(memory, access), tool, **arguments)
    assert result.is_error
    return text_of(result)


def example(text: str) -> tuple[str, dict[str, Any]]:
    """The call that a text shows, as a model would make it."""
    found = re.search(r"^Example: (.+)$", text, re.MULTILINE)
    assert found, text
    shown = ast.parse(found[1], mode="eval").body
    assert isinstance(shown, ast.Call) and isinstance(shown.func, ast.Name)
    return shown.func.id, {str(one.arg): ast.literal_eval(one.value) for one in shown.keywords}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        WHY,
        {"facts": [], **WHY},
        {"facts": "x", **WHY},
        {"facts": [{"subject": "a"}], **WHY},
        {"facts": [{"subject": "a", "predicate": "uses", "object": "x", "datatype": "no"}], **WHY},
    ],
)
def test_who_follows_the_example_of_a_write_says_nothing_that_was_not_stated(
    memory: Memory, arguments: dict[str, Any]
) -> None:
    before = {quad.triple for quad in memory._rooms.store.quads() if "meta" not in str(quad.graph_name)}
    tool, shown = example(failed(memory, "assert_facts", **arguments))
    assert tool == "assert_facts"
    followed = call(server(memory), tool, **shown).structured_content
    assert followed["status"] == "ok"
    assert "already-stated" in {notice["code"] for notice in followed["notices"]} or followed["facts"]
    after = {quad.triple for quad in memory._rooms.store.quads() if "meta" not in str(quad.graph_name)}
    assert after == before


def test_right_arguments_stay_in_the_example_of_a_write(memory: Memory) -> None:
    fact = {"subject": "servicios/correo", "predicate": "runs_on", "object": "vm 7"}
    _, shown = example(failed(memory, "assert_facts", facts=[fact], source="acta"))
    assert (shown["facts"], shown["source"]) == ([fact], "acta")
    _, shown = example(failed(memory, "assert_facts", facts=[fact], fuente="acta", reason="r"))
    assert (shown["facts"], shown["reason"]) == ([fact], "r")


def test_an_ambiguous_name_is_answered_with_all_it_may_mean_and_none_is_picked(memory: Memory) -> None:
    for tool, name in (("get_entity", "id"), ("get_impact", "id"), ("get_provenance", "subject")):
        text = failed(memory, tool, **{name: "Correo"})
        assert "- servicios/correo" in text and "- viejo/correo" in text
        assert "Ask again with the id that is meant." in text
        assert "Example" not in text


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (
            "get_neighborhood",
            {"id": "servicios/correo", "predicates": ["uses", "depends_onn"], "depth": 3},
            {"id": "servicios/correo", "predicates": ["uses", "depends_on"], "depth": 3},
        ),
        (
            "get_impact",
            {"id": "servicios/facturacoin", "depth": 1},
            {"id": "servicios/facturación", "depth": 1},
        ),
        ("get_entity", {"id": "viejo/correo", "cursor": "9.00000000"}, {"id": "viejo/correo"}),
        ("get_entity", {"id": "viejo/correo", "max_token": 900}, {"id": "viejo/correo", "max_tokens": 900}),
        ("get_entity", {"id": "viejo/correo", "max_tokens": "x"}, {"id": "viejo/correo"}),
        ("get_log", {"entity": "servicios/coreo"}, {"entity": "servicios/correo"}),
    ],
)
def test_the_example_is_the_question_with_what_was_wrong_mended(
    memory: Memory, tool: str, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    named, shown = example(failed(memory, tool, **arguments))
    assert (named, shown) == (tool, expected)
    assert not call(server(memory), named, **shown).is_error


@pytest.mark.parametrize("moment", ["as_of", "since"])
def test_a_bad_moment_is_replaced_by_a_day(memory: Memory, moment: str) -> None:
    tool, rest = ("get_entity", {"id": "viejo/correo"}) if moment == "as_of" else ("get_log", {})
    named, shown = example(failed(memory, tool, **{**rest, moment: "yesterday"}))
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", shown.pop(moment))
    assert (named, shown) == (tool, rest)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_entity", {}),
        ("get_entity", {"id": "nobody knows this at all"}),
        ("get_provenance", {"subject": 5}),
        ("get_impact", {"ident": "x"}),
    ],
)
def test_other_examples_name_what_this_memory_holds(
    memory: Memory, tool: str, arguments: dict[str, Any]
) -> None:
    named, shown = example(failed(memory, tool, **arguments))
    assert named == tool
    assert not call(server(memory), named, **shown).is_error


def test_nothing_that_somebody_asserted_is_offered_to_be_taken_back(memory: Memory) -> None:
    call(server(memory), "assert_facts", facts=[{"subject": "a", "predicate": "uses", "object": "b"}], **WHY)
    for tool, given in (("retract_facts", {"reason": "r"}), ("undo_write", {"activity": "x", "reason": "r"})):
        assert example(failed(memory, tool, **given)) == ("get_log", {})
    tool, shown = example(failed(memory, "undo_write", activity="01m8"))
    assert (tool, shown["activity"]) == ("undo_write", "01m8")


def test_the_words_of_an_answer_are_those_of_the_tools_and_in_their_own_letters(memory: Memory) -> None:
    text = failed(memory, "get_entity", id=["Facturación"])
    assert "Facturación" in text and "\\u" not in text
    text = failed(memory, "get_impact", id="viejo/correo", predicates=["zzzqqq"])
    assert "The card of an entity shows its properties" in text
    assert "synapse" not in failed(memory, "undo_write", activity="x", reason="r")


@pytest.mark.parametrize(
    ("tool", "arguments", "command"),
    [
        ("undo_write", {"activity": "01m8q5", "reason": "it's"}, ["undo", "01m8q5", "--reason", "it's"]),
        ("retract_facts", {"assertion_id": "01m8q5", "reason": "r"}, ["retract", "01m8q5", "--reason", "r"]),
        (
            "retract_facts",
            {"facts": [{"subject": "a b", "predicate": "uses", "object": "c"}], "reason": "r"},
            ["retract", "--fact", "a b", "uses", "c", "--reason", "r"],
        ),
        ("undo_write", {"activity": "x\n; rm -rf /", "reason": 5}, ["undo", "ACTIVITY", "--reason", "WHY"]),
    ],
)  # fmt: skip
def test_a_call_that_the_level_forbids_names_the_command_of_the_person(
    memory: Memory, tool: str, arguments: dict[str, Any], command: list[str]
) -> None:
    text = failed(memory, tool, Level.READ_WRITE, **arguments)
    assert f"{tool} needs the level full; this connection has read_write." in text
    assert "--access full" in text
    assert shlex.split(text.splitlines()[-1]) == ["synapse", *command]


def test_a_write_that_the_level_forbids_names_a_command_for_each_fact(memory: Memory) -> None:
    facts = [{"subject": "a", "predicate": "uses", "object": name} for name in ("b", "c d")]
    text = failed(memory, "assert_facts", Level.READ, facts=facts, **WHY)
    commands = [shlex.split(line)[2:5] for line in text.splitlines() if line.startswith("  synapse assert")]
    assert commands == [["a", "uses", "b"], ["a", "uses", "c d"]]
    assert "Ask the person" in failed(memory, "run_sparql", Level.READ, query="ASK {}")
