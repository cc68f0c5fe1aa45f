"""The reasoner inside a memory: edited at random it agrees with owlrl, and every inferred fact is proven."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from living_memory import LivingMemory, fresh_inferences
from pyoxigraph import NamedNode, Triple

from synapse.memory import Memory
from synapse.rdf.names import INFERRED
from synapse.reasoning import Proof
from synapse.reasoning.proofs import STATED
from synapse.usecases.commit import NOT_SOURCES


@pytest.mark.parametrize("seed", range(2))
def test_a_memory_edited_at_random_agrees_with_owlrl(seed: int) -> None:
    living = LivingMemory(random.Random(seed), scenario="core")
    files = (living.save_note, living.save_note, living.delete_note, living.rename_note, living.say)
    try:
        for _ in range(2):
            for _ in range(5):
                living.rng.choice(files)()
                asserted = {quad.triple for quad in living.sources()}
                assert living.inferred() == fresh_inferences(asserted)
            report = living.memory.reason(verify=True)
            assert report.verification is not None
            assert (report.verification.missing, report.verification.extra) == ((), ())
            assert (report.added, report.removed) == (0, 0), "nothing was missing from the incremental state"
    finally:
        living.close()


def test_every_inferred_fact_of_the_real_vaults_has_a_proof_from_stated_facts(real_vault: Path) -> None:
    with Memory.open(notes=real_vault) as memory:
        for name in ("core", "research-assistant", "kthulu-go"):
            memory.install_scenario(name)
        memory.sync()
        store, reasoner = memory._rooms.store, memory._rooms.committer.reasoner()
        stated = {quad.triple for quad in store.quads() if quad.graph_name not in NOT_SOURCES}
        inferred = {quad.triple for quad in store.quads(graph=INFERRED)}
        assert inferred and inferred == set(reasoner.inferred())
        sound: set[Triple] = set()
        for fact in inferred:
            (proof,) = reasoner.explain(fact)
            assert proof.conclusion == fact
            assert_sound(proof, stated, sound)


def assert_sound(proof: Proof, stated: set[Triple], sound: set[Triple]) -> None:
    """Leaves are stated, and no fact stands above itself; a fact in `sound` was shown to be so before."""
    open_facts: set[Triple] = set()
    pending: list[tuple[Proof, bool]] = [(proof, False)]
    while pending:
        step, done = pending.pop()
        fact = step.conclusion
        if done:
            open_facts.remove(fact)
            sound.add(fact)
        elif step.rule == STATED:
            assert fact in stated and not step.premises
        elif fact not in sound:
            assert fact not in open_facts, f"{fact} rests on itself"
            assert step.premises or step.rule == "cls-oo"
            open_facts.add(fact)
            pending.append((step, True))
            pending += [(premise, False) for premise in step.premises]


def test_the_check_of_proofs_notices_a_circle_and_an_unstated_leaf() -> None:
    first, second = (Triple(*[NamedNode(f"urn:t:{c}") for c in text]) for text in ("abc", "def"))
    circle = Proof(first, "eq-sym", (Proof(second, "eq-sym", (Proof(first, STATED),)),))
    with pytest.raises(AssertionError):
        assert_sound(circle, set(), set())
    again = Proof(first, "eq-sym", (Proof(second, STATED),))
    deep = Proof(first, "eq-sym", (Proof(second, "eq-sym", (again,)),))
    with pytest.raises(AssertionError, match="rests on itself"):
        assert_sound(deep, {second}, set())
