"""`kill -9` at any moment: what was acknowledged is there with all that follows, and nothing is torn."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from asserting_child import facts
from pyoxigraph import Quad

from synapse.memory import Memory
from synapse.rdf.names import INFERRED, META, assertion_graph
from synapse.reasoning import Reasoner
from synapse.usecases.explain import Explanations
from synapse.usecases.retract_facts import _object

CHILD = Path(__file__).with_name("asserting_child.py")


def run_and_kill(data: Path, seed: int, *, seconds: float) -> dict[int, str]:
    """The assertions that a child acknowledged until it was killed, by their number."""
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(data), str(seed)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "ready\n"
    time.sleep(seconds)
    child.kill()
    return acknowledged(child.communicate()[0])


def run_until_it_dies(data: Path, seed: int, *, commit: int, where: str) -> dict[int, str]:
    """The same of a child that is killed at this point of its n-th commit."""
    command = [sys.executable, str(CHILD), str(data), str(seed), str(commit), where]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == -9
    return acknowledged(done.stdout.removeprefix("ready\n"))


def acknowledged(output: str) -> dict[int, str]:
    # A line that was cut short was never read by anybody: it acknowledges nothing.
    lines = [line.split() for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return {int(number): identifier for number, identifier in lines}


def assert_whole(data: Path, seed: int, known: dict[int, str]) -> None:
    """All that was acknowledged is there, every assertion has all its facts, and all follows that should."""
    with Memory.open(data=data) as memory:
        quads = set(memory._rooms.store.quads())
        for number, identifier in known.items():
            assert triples_of(memory, identifier, quads) == wanted(memory, seed, number)
        sources = {quad for quad in quads if quad.graph_name not in (INFERRED, META)}
        for graph in {quad.graph_name for quad in sources if ":assertion:" in str(quad.graph_name)}:
            assert len([quad for quad in sources if quad.graph_name == graph]) == 3, "torn"
        fresh = Reasoner()
        fresh.load({quad.triple for quad in sources})
        inferred = {quad.triple for quad in quads if quad.graph_name == INFERRED}
        assert inferred == set(fresh.inferred()) == set(memory._rooms.committer.reasoner().inferred())
        assert held_by_history(memory) == {quad for quad in quads if quad.graph_name != INFERRED}


def triples_of(memory: Memory, identifier: str, quads: set[Quad]) -> set[object]:
    graph = assertion_graph(identifier)
    return {quad.triple for quad in quads if quad.graph_name == graph}


def wanted(memory: Memory, seed: int, number: int) -> set[object]:
    find = Explanations(memory._rooms).find
    return {find(fact.subject, fact.predicate, _object(fact)) for fact in facts(seed, number)}


def held_by_history(memory: Memory) -> set[Quad]:
    held: set[Quad] = set()
    for entry in memory._rooms.history.entries():
        for change in memory._rooms.history.changes(entry.iri):
            held = (held - change.removed) | change.added
    return held


@pytest.mark.parametrize(("commit", "where"), [(1, "recorded"), (5, "recorded"), (5, "applied")])
def test_a_commit_cut_in_two_is_completed_at_the_next_start(tmp_path: Path, commit: int, where: str) -> None:
    known = run_until_it_dies(tmp_path / "data", 1, commit=commit, where=where)
    assert len(known) == commit - 1
    assert_whole(tmp_path / "data", 1, known)
    with Memory.open(data=tmp_path / "data") as memory:
        graphs = {str(graph) for graph in memory._rooms.store.graph_names()}
        # The one that was cut was safe in the history, so it is there too.
        assert len([graph for graph in graphs if ":assertion:" in graph]) == commit


def test_killed_again_and_again_a_memory_keeps_all_that_was_acknowledged(tmp_path: Path) -> None:
    rng = random.Random(7)
    data = tmp_path / "data"
    for seed in range(3):
        known = run_and_kill(data, seed, seconds=rng.uniform(0.0, 0.6))
        assert_whole(data, seed, known)
