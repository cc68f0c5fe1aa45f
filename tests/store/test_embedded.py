"""The embedded store: one change is one unit, and what cannot be written changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, QuerySolutions

from synapse.errors import InvalidQuery, MemoryInUse, QueryTimeout, StoreError
from synapse.rdf.delta import Delta
from synapse.rdf.names import META
from synapse.store.embedded import BULK_QUADS, EmbeddedStore
from synapse.store.sandbox import Table

GRAPH = NamedNode("urn:synapse:file:a.md")
P = NamedNode("urn:p")


def quad(number: int, *, graph: NamedNode = GRAPH) -> Quad:
    return Quad(NamedNode(f"urn:s{number}"), P, Literal(str(number)), graph)


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EmbeddedStore:
    return EmbeddedStore(tmp_path / "store" if request.param == "disk" else None)


def test_a_change_adds_and_removes(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(1), quad(2)]))
    store.apply(Delta.of(added=[quad(3)], removed=[quad(1)]))
    assert set(store.quads()) == {quad(2), quad(3)}


def test_large_changes_write_the_same_as_small_ones(store: EmbeddedStore) -> None:
    many = [quad(number) for number in range(BULK_QUADS + 10)]
    meta = [quad(number, graph=META) for number in range(5)]
    store.apply(Delta.of(added=many), rest=lambda: (Delta.of(added=meta),))
    assert set(store.quads()) == {*many, *meta}
    store.apply(Delta.of(added=[quad(-1)], removed=many))
    assert set(store.quads()) == {quad(-1), *meta}


def test_a_bulk_write_stops_at_its_first_failure(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [quad(number) for number in range(BULK_QUADS)]
    loaded: list[int] = []

    def fail_first(quads: Iterator[Quad]) -> None:
        loaded.append(len(list(quads)))
        if len(loaded) == 1:
            raise OSError("No space left on device")

    monkeypatch.setattr(store, "_bulk_load", fail_first)
    with pytest.raises(StoreError, match="No space left"):
        store.apply(Delta.of(added=many), rest=lambda: (Delta.of(added=[quad(1, graph=META)]),))
    assert loaded == [len(many)]
    assert store.torn


def test_a_graph_that_was_emptied_has_no_name(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(1), quad(2, graph=META)]))
    store.apply(Delta.of(removed=[quad(1)]))
    assert list(store.graph_names()) == [META]


def test_a_query_sees_the_union_of_all_graphs(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(1), quad(2, graph=META)]))
    answer = store.query("ASK { <urn:s1> <urn:p> ?a . <urn:s2> <urn:p> ?b }")
    assert isinstance(answer, QueryBoolean)
    assert bool(answer)


@pytest.mark.parametrize(
    "text", ["SELEC ?x", "INSERT DATA { <urn:a> <urn:b> <urn:c> }", "", "x> } ; DROP ALL #"]
)
def test_what_is_no_query_is_refused_and_changes_nothing(store: EmbeddedStore, text: str) -> None:
    store.apply(Delta.of(added=[quad(1)]))
    with pytest.raises(InvalidQuery):
        store.query(text)
    assert list(store.quads()) == [quad(1)]


def test_a_dataset_survives_closing(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    store.apply(Delta.of(added=[quad(1)]))
    store.close()
    assert list(EmbeddedStore(tmp_path / "store").quads()) == [quad(1)]


def test_a_dataset_has_one_owner(tmp_path: Path) -> None:
    owner = EmbeddedStore(tmp_path / "store")
    with pytest.raises(MemoryInUse, match="another process"):
        EmbeddedStore(tmp_path / "store")
    owner.close()


def test_readers_keep_the_state_they_began_with(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(number) for number in range(50)]))
    solutions = store.query("SELECT ?s { ?s ?p ?o }")
    assert isinstance(solutions, QuerySolutions)
    next(solutions)
    store.apply(Delta.of(removed=[quad(number) for number in range(50)]))
    assert len(list(solutions)) == 49


def ask(store: EmbeddedStore, query: str, *, timeout: float = 30, limit: int | None = None) -> object:
    return store.run(query, base_iri="urn:", prefixes={"x": "urn:"}, timeout=timeout, limit=limit)


def test_a_persons_query_knows_prefixes_and_keeps_the_order_of_its_columns(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(1)]))
    table = ask(store, "SELECT * { ?subject x:p ?number }")
    assert isinstance(table, Table)
    assert table.variables == ("subject", "number")
    assert [cell and cell["value"] for cell in table.rows[0]] == ["urn:s1", "1"]


def test_a_persons_query_is_cut_at_the_limit(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(number) for number in range(20)]))
    table = ask(store, "SELECT ?s { ?s ?p ?o }", limit=5)
    assert isinstance(table, Table)
    assert (len(table.rows), table.truncated) == (5, True)


def test_a_query_that_never_ends_is_killed(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    store.apply(Delta.of(added=[quad(number) for number in range(500)]))
    endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    with pytest.raises(QueryTimeout, match="longer than 1 s"):
        ask(store, endless, timeout=1)
    assert [path.name for path in tmp_path.iterdir()] == ["store"], "its checkpoint is cleared away"


def test_an_update_is_no_query_for_a_person_either(store: EmbeddedStore) -> None:
    store.apply(Delta.of(added=[quad(1)]))
    with pytest.raises(InvalidQuery):
        ask(store, "DROP ALL")
    assert list(store.quads()) == [quad(1)]
