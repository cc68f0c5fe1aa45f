"""What `up` shows when it is ready: the addresses, the counts, and a question worth asking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

from synapse.errors import StoreError
from synapse.interfaces.cli.announcement import screen
from synapse.interfaces.cli.example import example
from synapse.interfaces.cli.hosting import Address, Hosted, Ingest
from synapse.interfaces.cli.output import plain
from synapse.usecases.answers import (
    Explanation,
    Json,
    Proof,
    Source,
    SparqlResult,
    Statement,
    SyncReport,
    WriteBackReport,
    to_json,
)

BASE = "https://synapse.local/"


def stated(path: str) -> Proof:
    source = Source("file", f"urn:synapse:file:{path}", path=path, line=1)
    return Proof(Statement("a", "syn:depends_on", "b"), "stated", sources=(source,))


def proof(object: str, *premises: Proof) -> Proof:
    return Proof(Statement("a", "syn:depends_on", object), "prp-trp", premises=premises)


class Answers:
    """A gateway that knows a few inferred facts and their proofs."""

    def __init__(self, *proofs: Proof) -> None:
        self._proofs = {BASE + str(one.conclusion.object): one for one in proofs}

    def call(self, operation: str, arguments: Mapping[str, Json]) -> Json:
        if operation == "sparql":
            return to_json(SparqlResult("json", json.dumps(self._rows()), len(self._proofs), False, 0.0))
        return to_json(Explanation(True, (self._proofs[str(arguments["object"])],)))

    def _rows(self) -> Any:
        values = ((BASE + "a", "urn:synapse:ns#depends_on", one) for one in self._proofs)
        bindings = [{name: {"value": part} for name, part in zip("spo", row, strict=True)} for row in values]
        return {"head": {"vars": ["s", "p", "o"]}, "results": {"bindings": bindings}}


class Broken:
    """A gateway whose store cannot be read."""

    def call(self, operation: str, arguments: Mapping[str, Json]) -> Json:
        raise StoreError("cannot be read")


def test_the_example_rests_on_several_notes_and_is_short() -> None:
    two = proof("two", stated("a.md"), stated("b.md"))
    three = proof("three", stated("a.md"), stated("b.md"), stated("c.md"))
    winding = proof("winding", proof("x", stated("a.md"), stated("b.md")), proof("y", stated("c.md")))
    found = example(Answers(two, winding, three))
    assert found is not None
    assert found.words == ("a", "depends_on", "three")
    assert found.notes == 3


def test_the_core_ontology_does_not_count_as_a_note() -> None:
    axiom = Source("ontology", "urn:synapse:ontology:core", path="synapse.ttl", line=3)
    leaf = Proof(Statement("p", "rdf:type", "owl:TransitiveProperty"), "stated", sources=(axiom,))
    found = example(Answers(proof("b", leaf, stated("a.md"))))
    assert found is not None
    assert found.notes == 1


def test_without_inferred_facts_or_a_readable_store_there_is_no_example() -> None:
    assert example(Answers()) is None
    assert example(Broken()) is None


def test_the_screen_names_addresses_counts_and_the_example() -> None:
    sync = SyncReport(3, 3, 0, 0, 0, (), 100, 20, 20, 0, 0.5)
    first = Ingest(sync, WriteBackReport(("a.md", "b.md"), 1))
    hosted = Hosted(Address("127.0.0.1", 7337, Event()), first)
    found = example(Answers(proof("b", stated("a.md"))))
    links = {"MCP": f"{hosted.address.url}/mcp"}
    shown = plain(screen(Path("/n/notes"), links, hosted, found, watch=True))
    for part in (
        "/n/notes",
        "3 notes: 3 indexed",
        "100 facts, 20 inferred",
        "inferred facts put into 2 notes",
        "http://127.0.0.1:7337/mcp",
        "synapse why a depends_on b",
        "a.md:1",
        "Ctrl-C stops",
    ):
        assert part in shown


def test_an_ipv6_address_is_bracketed_in_urls() -> None:
    assert Address("::1", 80, Event()).url == "http://[::1]:80"
