"""Tables over sorted arrays hold what a plain dict of facts would, whatever was touched before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from synapse.reasoning.keys import Groups, as_keys
from synapse.reasoning.table import Occupancy, Table

IDS = st.integers(0, 5) | st.integers(0, 60)
PAIRS = st.tuples(IDS, IDS)
HUBS = st.sets(st.integers(0, 60), min_size=17)  # too many for a row that is built to answer one question
FACTS = st.builds(
    lambda facts, hub: facts | {(0, object_): object_ % 4 for object_ in hub},
    st.dictionaries(PAIRS, st.integers(0, 3), max_size=80),
    HUBS,
)
QUESTIONS = ("level", "look up", "objects", "subjects", "edges", "edge subjects", "arrays", "rows", "nothing")
STEPS = st.lists(st.tuples(PAIRS, st.integers(0, 3), st.sampled_from(QUESTIONS)), max_size=40)
Facts = dict[tuple[int, int], int]


@given(st.lists(PAIRS, max_size=80, unique=True), IDS)
def test_a_group_spans_the_keys_of_its_first_id(pairs: list[tuple[int, int]], first: int) -> None:
    groups = Groups(as_keys(pairs))
    low, high = groups.span(first)
    assert groups.seconds[low:high].tolist() == sorted(second for f, second in pairs if f == first)


@given(FACTS, STEPS)
def test_a_table_agrees_with_a_dict_after_any_changes_and_questions(
    facts: Facts, steps: list[tuple[tuple[int, int], int, str]]
) -> None:
    pairs = sorted(facts)
    levels = np.array([facts[pair] for pair in pairs], np.int32)
    edges = {pair for pair in pairs if facts[pair] == 0}
    table = Table(1, as_keys(pairs), levels, as_keys(sorted(edges)), Occupancy())
    for pair, level, question in steps:
        _ask(table, question, pair, facts, edges)
        row = (*pair, facts.get(pair, level))
        if pair in facts:
            table.objects.look_up([row])
            table.drop([row], edge=pair in edges)
            del facts[pair]
            edges.discard(pair)
        else:
            table.add([row], edge=level == 0)
            facts[pair] = level
            edges |= {pair} if level == 0 else set()
    for question in QUESTIONS:
        for pair in [*facts, (0, 0), (61, 61)]:
            _ask(table, question, pair, facts, edges)
    assert table.size == len(facts)


def _ask(
    table: Table, question: str, pair: tuple[int, int], facts: Facts, edges: set[tuple[int, int]]
) -> None:
    subject, object_ = pair
    assert table.edges is not None
    if question == "level":
        assert table.level(subject, object_) == facts.get(pair)
    elif question == "look up":
        rows = [(s, o, 0) for s in range(subject, subject + 5) for o in range(object_, object_ + 5)]
        table.objects.look_up(rows)
        assert all(table.known[s].get(o) == facts.get((s, o)) for s, o, _ in rows)
    elif question == "objects":
        assert table.objects[subject] == {o: level for (s, o), level in facts.items() if s == subject}
    elif question == "subjects":
        assert table.subjects[object_] == {s for s, o in facts if o == object_}
    elif question == "edges":
        assert table.edges.objects[subject] == {o for s, o in edges if s == subject}
    elif question == "edge subjects":
        assert table.edges.subjects[object_] == {s for s, o in edges if o == object_}
    elif question == "arrays":
        keys, levels = table.arrays()
        assert dict(zip(keys.tolist(), levels.tolist(), strict=True)) == {
            s << 32 | o: level for (s, o), level in facts.items()
        }
        assert table.edge_keys().tolist() == sorted(s << 32 | o for s, o in edges)
    elif question == "rows":
        assert sorted(table.rows()) == sorted((s, o, level) for (s, o), level in facts.items())
