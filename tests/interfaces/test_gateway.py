"""One way to ask: the same answers and the same errors, wherever the memory lives."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse import errors
from synapse.errors import InvalidInput, SynapseError
from synapse.interfaces.gateway import (
    OPERATIONS,
    LocalGateway,
    NotResolved,
    OwnerGone,
    RemoteGateway,
    error_from_json,
    error_to_json,
)
from synapse.memory import Memory, MemoryOptions
from synapse.usecases.answers import Candidate, Unresolved


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[LocalGateway]:
    """A real memory of three notes, indexed."""
    notes = tmp_path / "notes"
    (notes / "services").mkdir(parents=True)
    (notes / "services/a.md").write_text("# A\n\n[[depends_on:services/b]]\n", encoding="utf-8")
    (notes / "services/b.md").write_text("# B\n\n[[depends_on:services/c]]\n", encoding="utf-8")
    (notes / "services/c.md").write_text("# C\n\nThe ledger.\n", encoding="utf-8")
    memory = Memory.open(notes=notes, data=tmp_path / "data", options=MemoryOptions())
    try:
        memory.install_scenario("core")
        memory.sync()
        yield LocalGateway(memory)
    finally:
        memory.close()


LATEST = "the latest activity"
NEW = "a new folder"
ARGUMENTS: dict[str, dict] = {
    "card": {"id": "services/a"},
    "neighborhood": {"id": "services/a", "depth": 2, "predicates": ["depends_on"], "direction": "out"},
    "impact": {"id": "services/c", "depth": None},
    "why": {"subject": "services/a", "predicate": "depends_on", "object": "services/c"},
    "provenance": {"subject": "services/a", "predicate": "depends_on"},
    "note": {"path": "services/a.md"},
    "sparql": {"query": "SELECT ?x { ?x syn:depends_on <services/b> }", "format": "json"},
    "assert": {
        "facts": [{"subject": "services/a", "predicate": "tier", "object": "1"}],
        "source": "a test",
        "reason": "to see it arrive",
    },
    "retract": {"assertion_id": "none", "reason": "to see it refused"},
    "undo": {"activity": LATEST, "reason": "to see it refused"},
    "export_okf": {"folder": NEW},
    "scenario_show": {"name": "core"},
    "scenario_install": {"name": "core"},
    "scenario_remove": {"name": "core"},
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_reaches_the_memory_and_answers_json(
    gateway: LocalGateway, operation: str, tmp_path: Path
) -> None:
    arguments = dict(ARGUMENTS.get(operation, {}))
    if arguments.get("activity") == LATEST:
        arguments["activity"] = gateway.call("log", {"limit": 1})["entries"][0]["activity"]
    if arguments.get("folder") == NEW:
        arguments["folder"] = str(tmp_path / "bundle")
    answer = gateway.call(operation, arguments)
    assert isinstance(answer, (dict, list))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_takes_what_its_method_takes(operation: str) -> None:
    known = OPERATIONS[operation]
    parameters = dict(inspect.signature(getattr(Memory, known.method)).parameters)
    needed = {name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty}
    assert known.required.keys() == needed - {"self"}
    # Progress is shown by whoever runs the memory; a function does not travel as JSON.
    assert known.optional.keys() == parameters.keys() - needed - {"progress"}


def test_an_unknown_operation_is_refused_with_the_known_ones(gateway: LocalGateway) -> None:
    with pytest.raises(InvalidInput) as refusal:
        gateway.call("crad", {})
    assert "card" in (refusal.value.hint or "")


@pytest.mark.parametrize(
    ("operation", "arguments", "problem"),
    [
        ("card", {}, "card needs id"),
        ("card", {"id": None}, "card needs id"),
        ("card", {"id": "a", "deep": 1}, "does not take 'deep'"),
        ("card", {"id": 7}, "id must be a text"),
        ("card", {"id": "a", "limit": -1}, "limit must be a whole number"),
        ("card", {"id": "a", "limit": True}, "limit must be a whole number"),
        ("card", {"id": "\ud800"}, "lone surrogate"),
        ("impact", {"id": "a", "predicates": "p"}, "predicates must be a list"),
        ("impact", {"id": "a", "predicates": ["p", 1]}, r"predicates\[1\] must be a text"),
        ("neighborhood", {"id": "a", "direction": "up"}, "direction must be out, in or both"),
        (
            "why",
            {"subject": "a", "predicate": "p", "object": {"lang": "es"}},
            "object must be an id or a lit",
        ),
        ("sparql", {"query": "ASK {}", "timeout": 0}, "timeout must be a number of seconds"),
        ("status", {"wait": "yes"}, "wait must be true or false"),
    ],
)
def test_a_wrong_argument_is_named(
    gateway: LocalGateway, operation: str, arguments: dict, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        gateway.call(operation, arguments)


def test_a_mention_that_names_nothing_is_an_error_with_the_nearest_ids(gateway: LocalGateway) -> None:
    with pytest.raises(NotResolved) as unknown:
        gateway.call("card", {"id": "service/a"})
    assert unknown.value.code == "unknown-entity"
    assert "services/a" in [candidate.id for candidate in unknown.value.did_you_mean]


def every_error(root: type[SynapseError] = SynapseError) -> Iterator[type[SynapseError]]:
    """The tree of errors.py."""
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from every_error(child)


@pytest.mark.parametrize("kind", list(every_error()))
def test_every_error_arrives_as_what_it_was(kind: type[SynapseError]) -> None:
    copy = error_from_json(error_to_json(kind("Qué pasó", hint="try again")))
    assert (type(copy), copy.code, copy.message, copy.hint) == (kind, kind.code, "Qué pasó", "try again")


@pytest.mark.parametrize("reason", ["unknown", "ambiguous"])
def test_an_unresolved_mention_arrives_with_its_candidates(reason: str) -> None:
    nearest = (Candidate("people/bob", "Bob", ("Person",), 0.9), Candidate("people/rob", "Rob"))
    error = NotResolved.of(Unresolved("bo", reason, nearest))  # type: ignore[arg-type]
    copy = error_from_json(error_to_json(error))
    assert isinstance(copy, NotResolved)
    assert (copy.code, copy.did_you_mean, copy.hint) == (f"{reason}-entity", nearest, error.hint)


def test_an_error_of_a_newer_owner_still_arrives() -> None:
    copy = error_from_json({"code": "from-the-future", "message": "new"})
    assert (type(copy), copy.message) == (SynapseError, "new")


def test_an_owner_that_is_gone_is_said_to_be_gone() -> None:
    with pytest.raises(OwnerGone, match="process 12 owns the memory but does not answer"):
        RemoteGateway(host="127.0.0.1", port=1, secret="x", pid=12).call("status", {})


def test_a_tag_is_answered_with_what_bears_it() -> None:
    error = NotResolved.of(Unresolved("#x", "unknown", instead="it is a tag of 1 entity: a"))
    assert error.message == "nothing is called '#x'; it is a tag of 1 entity: a"
