from __future__ import annotations

import pytest

from synapse.knowledge.names_index import Named, NamesIndex
from synapse.knowledge.nearest import nearest

ENTITIES = {
    "people/bob": "Bob Smith",
    "people/ana": "Ana García",
    "services/payments": "Payments",
    "services/ledger": "Ledger",
    "tools/k8s-cluster": "Kubernetes",
}
INDEX = NamesIndex.build(
    named
    for entity, label in ENTITIES.items()
    for named in (Named(entity, entity, types=("T",), kind="id"), Named(entity, label, types=("T",)))
)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("people/bbo", "people/bob"),
        ("peple/bob", "people/bob"),
        ("bbo", "people/bob"),
        ("person/bob", "people/bob"),
        ("paymnets", "services/payments"),
        ("services/payment", "services/payments"),
        ("/services/ledger/", "services/ledger"),
        ("Smith Bob", "people/bob"),
        ("kubernets", "tools/k8s-cluster"),
        ("k8s", "tools/k8s-cluster"),
        ("anna garcia", "people/ana"),
    ],
)
def test_the_nearest_entity_comes_first(text: str, first: str) -> None:
    assert nearest(INDEX, text)[0].id == first


@pytest.mark.parametrize("text", ["", "-", "/", "zzzz", "x" * 5000, "\ud800", "東京"])
def test_text_that_is_like_nothing_brings_nothing(text: str) -> None:
    assert nearest(INDEX, text) == ()


def test_an_answer_is_bounded_ranked_and_shows_what_it_names() -> None:
    index = NamesIndex.build(Named(f"s/{n}", f"service {n}", types=("Service",)) for n in range(30))
    found = nearest(index, "srvice 7", limit=3)
    assert len(found) == 3
    assert [candidate.score for candidate in found] == sorted((c.score for c in found), reverse=True)
    assert (found[0].id, found[0].label, found[0].types) == ("s/7", "service 7", ("Service",))


def test_each_entity_is_named_once() -> None:
    found = nearest(INDEX, "people/ana")
    assert len({candidate.id for candidate in found}) == len(found)
