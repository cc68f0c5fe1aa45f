from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.errors import InvalidIdentifier, InvalidInput
from synapse.knowledge import postings
from synapse.knowledge.likeness import is_slip, likeness
from synapse.knowledge.names_index import Kind, Named, NamesIndex
from synapse.knowledge.normalise import normalise, numbers
from synapse.knowledge.resolve_settings import ResolveSettings
from synapse.knowledge.resolver import Ask, Connect, Create, Resolution, Resolver


def resolver(*names: str | Named, settings: ResolveSettings | None = None) -> Resolver:
    """A resolver over names; a plain text is the label of an entity with that text as its id."""
    index = NamesIndex.build(name if isinstance(name, Named) else Named(name, name) for name in names)
    return Resolver(index, settings)


def ids(resolution: Resolution) -> list[str]:
    assert isinstance(resolution, Ask)
    return [candidate.id for candidate in resolution.did_you_mean]


TOOLS = (
    "kubernetes",
    Named("kubernetes", "Kubernetes"),
    Named("kubernetes", "K8s", kind="alias"),
    "sprint review 2024",
    "staging",
)


@pytest.mark.parametrize(
    ("known", "mention", "outcome"),
    [
        (TOOLS, "Kubernets", "connect kubernetes similar"),
        (TOOLS, "kubernetes", "connect kubernetes label"),
        (TOOLS, "K8s", "connect kubernetes alias"),
        (TOOLS, "k8S", "connect kubernetes alias"),
        (("Kubernetes",), "K8s", "ask similar acronym"),
        (TOOLS, "sprint review 2025", "ask similar number"),
        (TOOLS, "staging2", "ask similar number"),
        (("C++", "C#"), "C", "create"),
        (("C", "C#"), "C++", "create"),
        (("C", "C++"), "C#", "create"),
        (("C++ course",), "C# course", "ask similar symbol"),
        (("か",), "が", "create"),
        (("ひらかな",), "ひらがな", "ask similar word"),
        (
            ("Payments Gateway Service",),
            "Gateway Payments Service",
            "connect Payments Gateway Service similar",
        ),
        (("Payments Gateway Service",), "Payments Gateway", "ask similar words"),
        (("search index",), "index search", "ask similar order"),
        (("Domain-Driven Design",), "DDD", "ask similar acronym"),
        (("DDD",), "Domain-Driven Design", "ask similar acronym"),
        (("Москва",), "Moskva", "ask similar romanised"),
        (("Ledger",), "Vacation calendar", "create"),
        ((), "anything", "create"),
    ],
)
def test_the_outcomes_that_the_contract_asks(
    known: Iterable[str | Named], mention: str, outcome: str
) -> None:
    found = resolver(*known).resolve(mention)
    match found:
        case Connect(entity, _, by):
            assert f"connect {entity} {by}" == outcome
        case Ask(reason, candidates):
            assert f"ask {reason} {candidates[0].reason}" == outcome
        case Create():
            assert outcome == "create"


def test_the_id_itself_wins_over_any_label() -> None:
    known = (Named("people/ana", "people/ana", kind="id"), Named("x", "people/ana"))
    assert resolver(*known).resolve("people/ana") == Connect("people/ana", 1.0, "id")


def test_a_label_of_several_entities_is_listed_not_guessed() -> None:
    found = resolver(Named("p/1", "Ana"), Named("p/2", "ana", kind="alias"), Named("p/3", "Ána")).resolve(
        "ANA"
    )
    assert isinstance(found, Ask)
    assert found.reason == "ambiguous"
    assert ids(found) == ["p/1", "p/2", "p/3"]


def test_the_very_spelling_decides_between_names_that_differ_in_case_or_accent() -> None:
    known = resolver(Named("country", "US"), Named("pronoun", "us"), Named("si", "si"), Named("yes", "sí"))
    assert known.resolve("US") == Connect("country", 1.0, "label")
    assert known.resolve("si\u0301") == Connect("yes", 1.0, "label")


def test_an_exact_match_of_another_type_is_a_label_conflict() -> None:
    known = resolver(Named("atlas", "Atlas", types=("Project",)))
    found = known.resolve("atlas", type="Service")
    assert isinstance(found, Ask)
    assert (found.reason, ids(found), found.did_you_mean[0].types) == (
        "label_conflict",
        ["atlas"],
        ("Project",),
    )
    assert known.resolve("atlas", type="syn:Project") == Connect("atlas", 1.0, "label")
    assert known.resolve("atlas") == Connect("atlas", 1.0, "label")


def test_the_type_chooses_between_entities_of_one_name() -> None:
    known = resolver(
        Named("p", "Atlas", types=("Project",)), Named("s", "Atlas", types=("Service", "Component"))
    )
    assert known.resolve("Atlas", type=("Component",)) == Connect("s", 1.0, "label")
    assert isinstance(known.resolve("Atlas"), Ask)


def test_a_stub_without_a_type_fits_every_type() -> None:
    assert resolver("Atlas").resolve("atlas", type="Project") == Connect("Atlas", 1.0, "label")


@pytest.mark.parametrize("mention", ["Kubernetes", "Kubernets"])
def test_an_archived_entity_is_offered_never_linked(mention: str) -> None:
    found = resolver(Named("old", "Kubernetes", archived=True)).resolve(mention)
    assert isinstance(found, Ask)
    assert (found.reason, ids(found), found.did_you_mean[0].reason) == (
        "revive_candidate",
        ["old"],
        "archived",
    )


def test_an_archived_entity_gives_way_to_a_live_one_of_its_name() -> None:
    known = resolver(Named("old", "Atlas", archived=True), Named("new", "Atlas"))
    assert known.resolve("atlas") == Connect("new", 1.0, "label")


def test_an_archived_entity_that_is_only_similar_stays_hidden() -> None:
    assert resolver(Named("old", "Atlas Project", archived=True)).resolve("Atlas") == Create()


def test_two_names_within_the_margin_are_asked_about() -> None:
    known = ("authentication service", "autthentication service")
    found = resolver(*known).resolve("authhentication service")
    assert isinstance(found, Ask)
    assert found.reason in {"ambiguous", "similar"}
    assert set(ids(found)) == set(known)


@pytest.mark.parametrize("swapped", ["Martin Thomas", "Christiana Rossi"])
def test_names_of_people_connect_only_when_they_are_the_same(swapped: str) -> None:
    known = resolver(
        Named("t", "Thomas Martin", types=("syn:Person",)),
        Named("c", "Christina Rossi", types=("syn:Person",)),
    )
    assert isinstance(known.resolve(swapped), Ask)
    assert known.resolve("thomas martin") == Connect("t", 1.0, "label")


def test_a_first_name_asks_about_its_bearer_however_long_the_rest() -> None:
    known = resolver(Named("a", "Ana García López de Haro", types=("Person",)))
    assert ids(known.resolve("Ana")) == ["a"]


def test_a_similar_name_of_another_type_is_asked_about() -> None:
    found = resolver(Named("k", "Kubernetes", types=("Tool",))).resolve("Kubernets", type="Course")
    assert ids(found) == ["k"]


@pytest.mark.parametrize("mention", ["", "  ", "-", "__"])
def test_a_mention_with_nothing_in_it_is_refused(mention: str) -> None:
    with pytest.raises(InvalidIdentifier):
        resolver("a").resolve(mention)


def test_candidates_show_label_types_and_at_most_five() -> None:
    known = [Named(f"k/{n}", f"Kubernetes cluster {n}", types=("Service",)) for n in range(9)]
    found = resolver(*known).resolve("Kubernetes cluster")
    assert isinstance(found, Ask)
    assert len(found.did_you_mean) <= 5
    assert found.did_you_mean[0].types == ("Service",)
    assert found.did_you_mean[0].label.startswith("Kubernetes cluster")


class TestPossibleDuplicates:
    KNOWN = (
        Named("k", "Kubernetes", types=("Tool",)),
        Named("s24", "sprint review 2024", types=("Meeting",)),
        Named("d", "Daniela Pérez Ortega", types=("Person",)),
        Named("old", "Hermes Gateway", types=("Service",), archived=True),
    )

    @pytest.mark.parametrize(
        ("name", "type", "found"),
        [
            ("kubernetes", "Tool", [("k", "similar")]),
            ("Kubernets", None, [("k", "similar")]),
            ("k8s", "Tool", [("k", "acronym")]),
            ("Daniel Pérez Ortega", "Person", [("d", "word")]),
            ("kubernetes", "Course", []),
            ("sprint review 2025", "Meeting", []),
            ("Hermes Gateway", "Service", [("old", "archived")]),
            ("Vacation calendar", None, []),
        ],
    )
    def test_warn_of_what_is_likely_the_same(
        self, name: str, type: str | None, found: list[tuple[str, str]]
    ) -> None:
        candidates = resolver(*self.KNOWN).possible_duplicates(name, type=type)
        assert [(candidate.id, candidate.reason) for candidate in candidates] == found

    def test_never_name_the_entity_itself(self) -> None:
        assert resolver(*self.KNOWN).possible_duplicates("Kubernetes", entity="k") == ()


@given(st.text(max_size=25), st.text(max_size=25))
def test_likeness_is_symmetric_and_between_0_and_1(left: str, right: str) -> None:
    mine, theirs = normalise(left), normalise(right)
    assert likeness(mine, theirs) == likeness(theirs, mine)
    assert 0 <= likeness(mine, theirs).score <= 1


WORDS = st.sampled_from(["sprint", "review", "kubernetes", "v", "etapa", "plan", "第", "回", "c"])
NUMBERS = st.sampled_from(["1", "2", "10", "2024", "2025", "1.2", "12", "二", "十二", "٣"])
NUMBERED = st.lists(st.one_of(WORDS, NUMBERS), min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from(["", " ", "-"]).map(lambda glue: glue.join(parts))
)


@given(st.sampled_from(["label", "alias"]), NUMBERED, NUMBERED)
def test_no_connection_crosses_a_difference_in_numbers(kind: Kind, known: str, mention: str) -> None:
    found = resolver(Named("it", known, kind=kind)).resolve(mention)
    if numbers(normalise(known)) != numbers(normalise(mention)):
        assert not isinstance(found, Connect)


@given(
    st.lists(st.text(min_size=1, max_size=12), max_size=12),
    st.text(min_size=1, max_size=12).filter(normalise),
)
def test_an_exact_name_is_never_created_again(others: list[str], name: str) -> None:
    found = resolver(Named("it", name), *(Named(f"n/{i}", other) for i, other in enumerate(others))).resolve(
        name
    )
    assert found == Connect("it", 1.0, "label") or "it" in ids(found)


def test_work_is_bounded_whatever_the_size_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    read: list[int] = []
    count = postings._counted

    def counted(left: str, right: str, *, proper: bool = False) -> object:
        compared.append(right)
        return likeness(left, right, proper=proper)

    def measured(hits: object, **how: object) -> object:
        read.append(len(hits))  # type: ignore[arg-type]
        return count(hits, **how)  # type: ignore[arg-type]

    monkeypatch.setattr("synapse.knowledge.resolver.likeness", counted)
    monkeypatch.setattr(postings, "_counted", measured)
    monkeypatch.setattr(postings, "CEILING", 5000)
    names = [
        Named(f"n/{n}", f"{word} meeting notes {n}") for n in range(4000) for word in ("weekly", "monthly")
    ]
    resolver(*names).resolve("weekly meeting note")
    assert len(compared) <= 60
    assert 0 < sum(read) <= 5000


@pytest.mark.parametrize(
    ("left", "right", "slip"),
    [
        ("kubernetes", "kubernets", True),
        ("almacenamiento", "almacneamiento", True),
        ("kubernetes", "kuberrnetes", True),
        ("kubernetes", "kubernetess", False),
        ("almacenamiento", "lmacenamiento", False),
        ("complement", "compliment", False),
        ("maximiliano", "maximiliana", False),
        ("ledger", "leger", False),
        ("kubernetes12", "kubernetes21", False),
        ("東京都立中央図書館分館", "東京都立中央図書館館", False),
        ("администрация", "админстрация", True),
    ],
)
def test_only_a_letter_lost_doubled_or_swapped_inside_a_long_word_is_a_slip(
    left: str, right: str, slip: bool
) -> None:
    assert is_slip(left, right) is slip
    assert is_slip(right, left) is slip


@pytest.mark.parametrize(
    "wrong",
    [
        {"connect": 0.5, "ask": 0.6},
        {"ask": 0.0},
        {"connect": 1.1},
        {"margin": -1.0},
        {"compared": 0},
        {"suggestions": 0},
    ],
)
def test_settings_that_contradict_each_other_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput):
        ResolveSettings(**wrong)  # type: ignore[arg-type]


def test_thresholds_come_from_the_settings() -> None:
    strict = ResolveSettings(connect=1.0, ask=0.95)
    assert isinstance(resolver("Kubernetes", settings=strict).resolve("Kubernets"), Create)
