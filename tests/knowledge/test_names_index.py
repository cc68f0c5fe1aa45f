from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from synapse.knowledge.names_index import CANDIDATES, Named, NamesIndex
from synapse.knowledge.normalise import normalise
from synapse.knowledge.postings import RIVAL, Postings, _counted, _strongest, grams

NAMES = st.text(alphabet="abcdeñкф東京か゛ 12-+", min_size=1, max_size=14).filter(normalise)


def entities(entries: object) -> list[str]:
    return [entry.entity for entry in entries]  # type: ignore[attr-defined]


def test_exact_finds_every_entity_that_a_name_fits() -> None:
    index = NamesIndex()
    index.add("a", "Café")
    index.add("b", "CAFE", kind="alias", type="Place")
    assert sorted(entities(index.exact("cafe"))) == ["a", "b"]
    assert index.exact("ca") == ()


@given(data=st.data(), others=st.lists(NAMES, max_size=8))
def test_a_name_is_found_in_spite_of_one_typo_anywhere(data: st.DataObject, others: list[str]) -> None:
    name = data.draw(st.text(alphabet="abcdefgñкф東京", min_size=3, max_size=14))
    place = data.draw(st.integers(0, len(name) - 1))
    letter = data.draw(st.sampled_from("xzqж"))
    swapped = name[:place] + name[place : place + 2][::-1] + name[place + 2 :]
    wrong = data.draw(
        st.sampled_from(
            [
                name[:place] + name[place + 1 :],
                name[:place] + letter + name[place:],
                name[:place] + letter + name[place + 1 :],
                swapped,
            ]
        )
    )
    index = NamesIndex.build([Named("it", name), *(Named(f"n/{i}", other) for i, other in enumerate(others))])
    assert "it" in entities(index.candidates(wrong))


@given(st.lists(st.tuples(st.sampled_from("abc"), NAMES), max_size=12), st.data())
def test_building_at_once_and_adding_one_by_one_give_the_same(
    names: list[tuple[str, str]], data: st.DataObject
) -> None:
    built = NamesIndex.build(Named(entity, name) for entity, name in names)
    added = NamesIndex()
    for entity, name in names:
        added.add(entity, name)
    for text in [name for _, name in names] + [data.draw(NAMES)]:
        assert set(built.exact(text)) == set(added.exact(text))
        assert set(built.candidates(text)) == set(added.candidates(text))


@given(st.lists(st.tuples(st.sampled_from("abc"), NAMES), max_size=12), st.sets(st.sampled_from("abc")))
def test_what_is_discarded_is_as_if_it_had_never_been(names: list[tuple[str, str]], gone: set[str]) -> None:
    index = NamesIndex.build(Named(entity, name) for entity, name in names)
    for entity in gone:
        index.discard(entity)
    without = NamesIndex.build(Named(entity, name) for entity, name in names if entity not in gone)
    assert len(index) == len(without)
    for _, name in names:
        assert set(index.exact(name)) == set(without.exact(name))
        assert set(index.candidates(name)) == set(without.candidates(name))


def test_one_name_of_an_entity_can_go_while_its_others_stay() -> None:
    index = NamesIndex()
    index.add("k", "Kubernetes")
    index.add("k", "K8s", kind="alias")
    index.discard("k", "K8s")
    index.discard("k", "never known")
    assert entities(index.exact("kubernetes")) == ["k"]
    assert index.exact("K8s") == ()
    assert entities(index.candidates("k8s")) == ["k"], "its short form is still known"


def test_emptied_rows_are_given_back() -> None:
    index = NamesIndex()
    for number in range(300):
        index.add(f"n/{number}", f"name {number}")
    for number in range(299):
        index.discard(f"n/{number}")
    assert entities(index.candidates("name")) == ["n/299"]
    assert len(index._table._rows) < 200


def test_adding_again_replaces_type_and_state() -> None:
    index = NamesIndex()
    index.add("a", "Atlas")
    index.add("a", "Atlas", type="Project", archived=True)
    (entry,) = index.exact("atlas")
    assert (entry.types, entry.archived) == (("Project",), True)
    assert index.entries("a") == (entry,)


def test_the_label_is_shown_before_aliases_and_ids() -> None:
    index = NamesIndex()
    index.add("p/a", "p/a", kind="id")
    index.add("p/a", "Ann", kind="alias")
    index.add("p/a", "Ann Smith", type=("Person", "Agent"))
    assert index.label("p/a") == "Ann Smith"
    assert index.label("unknown") == "unknown"
    assert index.types("p/a") == ("Person", "Agent")


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("Москва", "Moskva"),
        ("Θεσσαλονίκη", "thessaloniki"),
        ("Łódź", "Lodz"),
        ("Domain-Driven Design", "DDD"),
        ("DDD", "domain driven design"),
        ("people/bob", "bbo"),
        ("東京", "東京都"),
    ],
)
def test_a_name_is_found_by_other_forms_of_it(known: str, text: str) -> None:
    index = NamesIndex()
    index.add("it", known)
    assert entities(index.candidates(text)) == ["it"]


def test_candidates_are_bounded_when_one_name_is_everywhere() -> None:
    index = NamesIndex.build(Named(f"n/{number}", "index") for number in range(5000))
    assert len(index.exact("index")) == CANDIDATES
    assert len(index.candidates("indexx")) == CANDIDATES
    assert len(index.candidates("index", limit=7)) == 7


def test_the_best_candidates_are_those_a_full_scan_finds() -> None:
    names = [
        f"{first} {second} service" for first in ("pay", "order", "stock", "user") for second in "abcdefgh"
    ]
    index = NamesIndex.build(Named(name, name) for name in names)
    for name in names:
        wrong = name[1:]
        best = max(names, key=lambda other: OSA.normalized_similarity(wrong, other))
        assert best in entities(index.candidates(wrong, limit=10))


@pytest.mark.parametrize("text", ["", " ", "-", "\ud800", "\x00", "x" * 100_000, "'\"`", "🎉", "ا" * 600])
def test_odd_text_is_a_name_like_any_other(text: str) -> None:
    built = NamesIndex.build([Named("odd", text), Named("plain", "plain")])
    built.add("odd2", text)
    assert sorted(entities(built.exact(text))) == ["odd", "odd2"]
    built.candidates(text)
    built.discard("odd")
    built.discard("odd2")
    assert built.exact(text) == ()


@settings(max_examples=1, deadline=None)
@given(st.none())
def test_readers_need_no_lock_while_one_thread_writes(_: None) -> None:
    index = NamesIndex()
    failures: list[Exception] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                for entry in index.candidates("name 17"):
                    assert entry.name.startswith("name")
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1500):
        index.add(f"n/{number}", f"name {number}")
        if number % 3 == 0:
            index.discard(f"n/{number // 2}")
    done.set()
    reader.join()
    assert failures == []


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=400),
    st.sets(st.integers(0, 30)),
    st.integers(1, 12),
)
def test_the_strongest_rows_are_those_hit_most_and_enough_of_them(
    hits: list[int], hidden: set[int], wanted: int
) -> None:
    most = max(map(hits.count, hits))
    counts = _counted(np.array(hits, dtype=np.intc), rows=40, most=most)
    assert counts.tolist() == [hits.count(row) for row in range(40)]
    sizes = np.array([row not in hidden for row in range(40)], dtype=np.int32)
    rows = _strongest(counts, most=most, wanted=wanted, sizes=sizes if hidden else None).tolist()
    seen = set(hits) - hidden
    least = min((hits.count(row) for row in rows), default=1)
    assert len(rows) >= min(wanted, len(seen))
    assert set(rows) == {row for row in seen if hits.count(row) >= least}
    assert {row for row in seen if hits.count(row) * 2 >= most} <= set(rows)


@pytest.mark.parametrize("alike", [5, 500])
def test_the_nearest_come_in_order_of_their_dice_coefficient(alike: int) -> None:
    postings = Postings(["wholly other", *(f"name {number:03}" for number in range(alike))])
    wanted = set(grams("name 004"))
    names = [set(grams(f"name {number:03}")) for number in range(alike)]
    dice = [2 * len(wanted & name) / (len(wanted) + len(name)) for name in names]
    found = [dice[row - 1] for row in postings.nearest("name 004", limit=5)]
    assert found == sorted(dice, reverse=True)[:5]


@given(
    st.lists(st.text("abc ", min_size=1, max_size=8), min_size=1, max_size=12), st.text("abc ", max_size=8)
)
def test_rivals_are_the_nearest_down_to_a_share_of_the_first(names: list[str], text: str) -> None:
    postings = Postings(names)
    wanted = set(grams(text))
    dice = [2 * len(wanted & set(grams(name))) / (len(wanted) + len(grams(name))) for name in names]
    nearest = postings.nearest(text, limit=100)
    rivals = postings.rivals(text, limit=100)
    assert rivals == nearest[: len(rivals)]
    assert [dice[row] for row in rivals] == sorted((dice[row] for row in rivals), reverse=True)
    assert all(dice[row] >= RIVAL * max(dice) - 1e-9 for row in rivals)
    assert rivals or max(dice) == 0


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=8))
def test_names_cut_at_once_have_the_grams_of_names_cut_one_by_one(names: list[str]) -> None:
    at_once, one_by_one = Postings(names), Postings()
    for name in names:
        one_by_one.add(name)
    for name in names:
        assert at_once.nearest(name, limit=100) == one_by_one.nearest(name, limit=100)


def test_words_in_another_order_are_found_among_many_names_of_the_same_words() -> None:
    words = ("ledger", "invoice", "payment", "refund", "archive", "import", "export", "north", "south", "old")
    names = [" ".join(chosen) for chosen in itertools.combinations(words, 5)]
    index = NamesIndex.build(Named(name, name) for name in names)
    for name in names:
        closest = index.closest(" ".join(reversed(name.split())), considered=60, each=2)
        assert name in entities(closest)


@pytest.mark.parametrize("limit", [1, 3, 200])
def test_a_name_that_shares_little_is_a_candidate_where_none_shares_more(limit: int) -> None:
    index = NamesIndex.build([Named("it", "payments"), Named("other", "zzz")])
    assert entities(index.candidates("pay the long and winding bill", limit=limit)) == ["it"]
