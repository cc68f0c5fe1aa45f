from __future__ import annotations

from dataclasses import replace

import pytest

from synapse.knowledge.candidate import Candidate
from synapse.knowledge.feedback import (
    Feedback,
    Relation,
    Written,
    changed_materially,
    enrich_hint,
    feedback,
    named_in_description,
    review_relations,
    tag_relations,
)
from synapse.knowledge.names_index import Named, NamesIndex
from synapse.knowledge.resolve_settings import ResolveSettings
from synapse.knowledge.resolver import Ask
from synapse.knowledge.vocabulary import Vocabulary

VOCABULARY = Vocabulary.parse(
    """
    [anchors.Project]
    relation = "belongs_to"
    may_stand_alone = true
    [anchors.Client]
    relation = "for"
    [anchors.Course]
    relation = "covers"
    inverted = true
    """,
    source="test",
)
INDEX = NamesIndex.build(
    [
        Named("projects/atlas", "Atlas", types=("syn:Project",)),
        Named("clients/acme", "Acme Corp", types=("syn:Client",)),
        Named("courses/sql", "SQL course", types=("syn:Course",)),
        Named("services/ledger", "Ledger", types=("syn:Service",)),
        Named("projects/old", "Hermes", types=("syn:Project",), archived=True),
        Named("a/twin", "Twin", types=("syn:Project",)),
        Named("b/twin", "Twin", types=("syn:Client",)),
    ]
)
SETTINGS = ResolveSettings()


def answer(written: Written, settings: ResolveSettings = SETTINGS, asked: tuple[Ask, ...] = ()) -> Feedback:
    return feedback(written, index=INDEX, vocabulary=VOCABULARY, settings=settings, asked=asked)


@pytest.mark.parametrize(
    ("tag", "ends"),
    [
        ("atlas", ("n", "belongs_to", "projects/atlas")),
        ("#Atlas", ("n", "belongs_to", "projects/atlas")),
        ("project/atlas", ("n", "belongs_to", "projects/atlas")),
        ("acme-corp", ("n", "for", "clients/acme")),
        ("sql_course", ("courses/sql", "covers", "n")),
    ],
)
def test_a_tag_that_names_an_anchor_ties_to_it(tag: str, ends: tuple[str, str, str]) -> None:
    (relation,) = tag_relations(Written("n", "Note", tags=(tag,)), INDEX, VOCABULARY)
    assert relation.ends == ends
    assert tag in relation.reason


@pytest.mark.parametrize("tag", ["ledger", "hermes", "twin", "atla", "", "#"])
def test_a_tag_that_names_no_anchor_or_an_archived_one_or_several_ties_to_none(tag: str) -> None:
    assert tag_relations(Written("n", "Note", tags=(tag,)), INDEX, VOCABULARY) == ()


def test_an_anchor_is_not_tied_to_itself_nor_twice() -> None:
    assert tag_relations(Written("projects/atlas", "Atlas", tags=("atlas",)), INDEX, VOCABULARY) == ()
    tied = Written("n", "N", tags=("atlas",), relations=(Relation("n", "belongs_to", "projects/atlas"),))
    assert tag_relations(tied, INDEX, VOCABULARY) == ()
    doubled = Written("n", "N", tags=("atlas", "x/atlas"))
    assert len(tag_relations(doubled, INDEX, VOCABULARY)) == 1


def test_an_entity_without_relations_is_warned_about_and_helped() -> None:
    question = Ask("similar", (Candidate("services/ledgers", "Ledgers", (), 0.8, "word"),))
    written = Written(
        "n", "Note", tags=("atlas",), description="Acme Corp wants the ledger of Hermes and Twin."
    )
    found = answer(written, asked=(question,))
    assert found.degree == 0
    assert found.orphan_warning is not None
    assert [relation.ends for relation in found.suggested_relations] == [
        ("n", "belongs_to", "projects/atlas"),
        ("n", "related_to", "services/ledgers"),
        ("n", "for", "clients/acme"),
        ("n", "related_to", "services/ledger"),
    ]
    assert found.relations_from_tags == ()


def test_a_connected_entity_is_left_in_peace() -> None:
    written = Written("n", "N", description="x", tags=("atlas",), relations=(Relation("n", "uses", "m"),))
    assert answer(written) == Feedback(1)


def test_tag_linking_auto_adds_what_the_tags_say_and_counts_it() -> None:
    found = answer(Written("n", "N", description="x", tags=("atlas",)), replace(SETTINGS, tag_linking="auto"))
    assert (found.degree, found.orphan_warning) == (1, None)
    assert [relation.ends for relation in found.relations_from_tags] == [
        ("n", "belongs_to", "projects/atlas")
    ]


def test_tag_linking_off_does_not_look_at_tags() -> None:
    found = answer(Written("n", "N", tags=("atlas",)), replace(SETTINGS, tag_linking="off"))
    assert found.suggested_relations == ()


@pytest.mark.parametrize(
    ("types", "tags", "refused"),
    [
        (("Service",), (), True),
        (("syn:Client",), (), True),
        (("Service",), ("atlas",), False),
        (("syn:Project",), (), False),
        (("syn:Person",), (), False),
        ((), (), True),
    ],
)
def test_required_relations_are_judged_after_tags_and_spare_anchors_and_people(
    types: tuple[str, ...], tags: tuple[str, ...], refused: bool
) -> None:
    settings = ResolveSettings(require_relations=True, tag_linking="auto")
    assert (answer(Written("n", "N", types, tags=tags), settings).refusal is not None) is refused
    assert answer(Written("n", "N", types, tags=tags)).refusal is None


def test_a_relation_with_itself_is_no_relation_and_one_stated_twice_counts_once() -> None:
    twice = (Relation("n", "uses", "m", "a"), Relation("n", "uses", "m", "b"), Relation("n", "knows", "n"))
    assert Written("n", "N", relations=twice).degree == 1


@pytest.mark.parametrize(
    ("count", "description", "hint"), [(3, None, True), (3, "  ", True), (3, "x", False), (2, None, False)]
)
def test_a_stub_that_much_points_at_asks_for_a_description(
    count: int, description: str | None, hint: bool
) -> None:
    relations = tuple(Relation(f"s/{n}", "uses", "stub") for n in range(count))
    written = Written("stub", "Stub", description=description, relations=relations)
    assert (enrich_hint(written, SETTINGS) is not None) is hint


def test_a_long_description_is_read_no_further_than_its_bound() -> None:
    written = Written("n", "N", description="word " * 10_000 + "Atlas")
    assert named_in_description(written, INDEX, VOCABULARY) == ()


@pytest.mark.parametrize(
    ("before", "after", "material"),
    [
        (None, "A service that charges cards.", False),
        ("A service that charges cards.", None, False),
        ("A service that charges cards.", "a service, that charges cards", False),
        ("A service that charges cards.", "The service that charges cards.", False),
        ("A service that charges cards.", "A queue of mail to be sent.", True),
        ("Runs on 3 nodes in Madrid.", "Runs on 30 nodes in Madrid.", True),
        ("Cobra tarjetas.", "Cobra  TARJETAS", False),
    ],
)
def test_only_a_description_that_says_something_else_changes_materially(
    before: str | None, after: str | None, material: bool
) -> None:
    assert changed_materially(before, after) is material


def test_relations_are_reviewed_when_the_description_under_them_changed() -> None:
    relations = [Relation("n", "uses", "m")]
    (found,) = review_relations(relations, before="A payments service.", after="A garden with two ponds.")
    assert found.ends == ("n", "uses", "m")
    assert review_relations(relations, before="Same.", after="same") == ()
