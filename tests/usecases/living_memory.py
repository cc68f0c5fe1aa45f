"""A memory that agents and people change at random, and what must hold of it after every step.

The choices come from a `random.Random`, so that hypothesis can drive and shrink them, and a seed
can repeat a long run (`bench/history.py`).
"""

from __future__ import annotations

import hashlib
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Triple

from synapse.errors import InvalidInput
from synapse.memory import Memory, MemoryOptions
from synapse.rdf.names import INFERRED, META, assertion_graph
from synapse.reasoning import Reasoner
from synapse.usecases.answers import Card, Fact
from synapse.usecases.commit import NOT_SOURCES
from synapse.usecases.naming import Naming
from synapse.usecases.written import FactInput, WriteAnswer

ENTITIES = ("a", "b", "c", "p/d", "p/ñandú", "people/bob", "https://example.org/x")
LINKS = ("depends_on", "part_of", "uses", "kin", "near", "knows")
TYPES = ("Service", "Person", "Tool", "Robot")
TEXTS = ("one", "two\nlines", 'a "quoted" \\ word', "日本 \U0001f600", "tab \t and\r\nlines", "\u202ekcab")
STATUSES = ("retired", "active", "whatever")
AXIOMS = (
    ("kin", "type", "owl:TransitiveProperty"),
    ("near", "type", "owl:SymmetricProperty"),
    ("uses", "rdfs:subPropertyOf", ":near"),
    ("kin", "rdfs:range", ":Robot"),
    ("Robot", "rdfs:subClassOf", ":Machine"),
)
"""Facts about the memory's own terms, which change what follows from all others."""
GROUNDS = {"source": "a test", "reason": "a test, too"}
REFUSED = (
    FactInput("a", "tier", "one", "xsd:integer"),
    FactInput("a\nb", "uses", "c"),
    FactInput("x> } ; DROP ALL #", "uses", "c"),
    FactInput("a", "", "c"),
    FactInput("a", "note", "x", None, "no language"),
    FactInput("a", "note", "half a pair: \ud800"),
    FactInput("a", "note", "nul \0", object_is="literal"),
    FactInput("a", "owl:Nothing", "b"),
    FactInput("urn:synapse:meta", "uses", "c"),
    FactInput("syn:depends_on", "type", "owl:SymmetricProperty"),
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a memory held and answered right after the activity at `at`."""

    at: str
    quads: frozenset[Quad]
    cards: dict[str, Card]


class LivingMemory:
    """The memory, its notes, and the steps that change them."""

    def __init__(
        self,
        rng: random.Random,
        *,
        data: Path | None = None,
        scenario: str | None = None,
        care: float = 1.0,
        options: MemoryOptions | None = None,
    ) -> None:
        """`care` is the share of refusals after which everything is compared with what was before."""
        self.rng = rng
        self.care = care
        self.hurried = False
        self.said: list[str] = []
        self.data = data
        self.root = Path(tempfile.mkdtemp(prefix="synapse-living-"))
        self.options = options or MemoryOptions()
        self.memory = Memory.open(notes=self.root, data=data, options=self.options)
        if scenario:
            self.memory.install_scenario(scenario)
        self.snapshots: list[Snapshot] = []
        self.steps: tuple[Callable[[], object], ...] = (
            self.say, self.say, self.say, self.retract_whole, self.retract_single, self.undo,
            self.save_note, self.delete_note, self.rename_note, self.say_wrongly, self.take_back_wrongly,
            self.say_state,
        )  # fmt: skip

    def close(self) -> None:
        self.memory.close()
        shutil.rmtree(self.root)

    def step(self) -> None:
        """One change at random."""
        self.hurried = self.rng.random() >= self.care
        self.rng.choice(self.steps)()

    # what agents do

    def say(self) -> WriteAnswer:
        facts = [self.fact() for _ in range(self.rng.randint(1, 3))]
        agent, sure = self.rng.choice(("ana", "claude")), self.rng.choice((None, 0.0000001, 0.5, 1.0))
        answer = self.memory.assert_facts(facts, agent=agent, confidence=sure, **GROUNDS)
        if answer.id is not None:
            self.said.append(answer.id)
        return answer

    def say_state(self) -> WriteAnswer:
        """Archive or revive something, or make a class of tools."""
        node = self.rng.choice(ENTITIES)
        state = self.rng.choice((
            FactInput(node, "syn:status", self.rng.choice(STATUSES), object_is="literal"),
            FactInput(node, "syn:archived", self.rng.choice(("true", "false")), "xsd:boolean"),
            FactInput(":Robot", "rdfs:subClassOf", "syn:Tool", object_is="iri"),
        ))  # fmt: skip
        answer = self.memory.assert_facts([state], agent="ana", **GROUNDS)
        if answer.id is not None:
            self.said.append(answer.id)
        return answer

    def fact(self) -> FactInput:
        subject, kind = self.rng.choice(ENTITIES), self.rng.random()
        if kind < 0.5:
            return FactInput(subject, self.rng.choice(LINKS), self.rng.choice(ENTITIES), object_is="id")
        if kind < 0.65:
            return FactInput(subject, "type", self.rng.choice(TYPES))
        if kind < 0.75:
            return FactInput(subject, "tier", str(self.rng.randint(1, 3)), "xsd:integer")
        if kind < 0.85:
            lang = self.rng.choice((None, "es"))
            return FactInput(subject, "note", self.rng.choice(TEXTS), None, lang, "literal")
        key, predicate, object = self.rng.choice(AXIOMS)
        return FactInput(f":{key}", predicate, object, object_is="iri")

    def retract_whole(self) -> None:
        if not self.said:
            return
        id = self.rng.choice(self.said[-20:])
        is_there = any(self.memory._rooms.store.quads(graph=assertion_graph(id)))
        answer = self.memory.retract_facts(assertion_id=id, agent="ana", reason="whole")
        assert answer.status == ("ok" if is_there else "refused")

    def retract_single(self) -> None:
        """Any fact that is known, stated by whom ever; files and inferences refuse."""
        rooms = self.memory._rooms
        node = rooms.finder.exact(self.rng.choice(ENTITIES))
        quads = [quad for quad in rooms.store.quads(node) if quad.graph_name != META] if node else []
        if not quads:
            return
        quad = self.rng.choice(sorted(quads, key=str))
        before = self.digest()
        answer = self.memory.retract_facts(facts=[self.input_of(quad)], agent="claude", reason="single")
        assert answer.status == "ok" or self.digest() == before

    def undo(self) -> None:
        entry = self.rng.choice(list(self.memory._rooms.history.entries())[-8:])
        before = self.digest()
        answer = self.memory.undo(entry.iri.rpartition(":")[2], reason="undone", agent="ana")
        assert answer.status == "ok" or self.digest() == before

    def say_wrongly(self) -> None:
        """One bad fact among good ones leaves everything as it was."""
        facts = [self.fact(), self.rng.choice(REFUSED), self.fact()]
        before = self.digest()
        try:
            self.memory.assert_facts(facts, **GROUNDS)
        except InvalidInput:
            assert self.digest() == before
        else:
            raise AssertionError(f"{facts[1]} was accepted")

    def take_back_wrongly(self) -> None:
        before = self.digest()
        unknown = self.memory.retract_facts(assertion_id="01nothing", reason="no such")
        strange = self.memory.retract_facts(facts=[FactInput("no such thing", "uses", "a")], reason="no such")
        assert {unknown.status, strange.status} == {"refused"}
        assert self.digest() == before

    # what people do

    def save_note(self) -> None:
        path = self.root / self.rng.choice(("a.md", "b.md", "p/d.md", "people/bob.md"))
        path.parent.mkdir(exist_ok=True)
        links = self.rng.sample(("[[a]]", "[[b]]", "[[p/d]]", "[[bob]]"), self.rng.randint(0, 3))
        keys = [f"{key}: '{self.rng.choice(links)}'" for key in ("depends_on", "kin", "uses") if links]
        state = self.rng.choice(("", "", "status: retired", "status: active", "archived: true"))
        lines = [
            "---",
            f"type: {self.rng.choice(TYPES)}",
            state,
            *keys,
            "---",
            *links,
            str(self.rng.random()),
        ]
        path.write_text("\n".join(lines), encoding="utf-8")
        self.memory.sync()

    def delete_note(self) -> None:
        if paths := self.notes():
            self.rng.choice(paths).unlink()
            self.memory.sync()

    def rename_note(self) -> None:
        if paths := self.notes():
            self.rng.choice(paths).replace(self.root / self.rng.choice(("a.md", "c.md", "b.md")))
            self.memory.sync()

    # what must hold

    def check(self) -> None:
        """The dataset is the fold of the history, and what is inferred follows from it, no more, no less."""
        rooms = self.memory._rooms
        held: set[Quad] = set()
        for entry in rooms.history.entries():
            for change in rooms.history.changes(entry.iri):
                assert change.removed <= held, "what was not there was removed"
                assert not change.added & held, "what was there was added again"
                held = (held - change.removed) | change.added
        assert {quad for quad in self.dataset() if not self.is_inferred(quad)} == held
        assert self.inferred() == fresh_inferences(self.telling())
        assert set(rooms.committer.reasoner().inferred()) == self.inferred()
        assert self.names() == names_in(Naming(rooms.view, archive=rooms.archive))

    def take_snapshot(self) -> None:
        entry = next(self.memory._rooms.history.entries(newest_first=True), None)
        if entry is not None:
            self.snapshots.append(Snapshot(entry.at, self.dataset(), self.cards()))

    def check_snapshot(self) -> None:
        """A memory as of a moment equals the one that there was at that moment."""
        if not self.snapshots:
            return
        then = self.rng.choice(self.snapshots)
        past = self.memory._past.at(then.at)
        assert frozenset(past.store.quads()) == then.quads
        assert self.cards(as_of=then.at) == then.cards

    def cards(self, as_of: str | None = None) -> dict[str, Card]:
        """The cards of all entities, without the lines of notes: those are those of the file now."""
        found = {id: self.memory.card(id, as_of=as_of) for id in ENTITIES}
        return {id: without_places(card) for id, card in found.items() if isinstance(card, Card)}

    def digest(self) -> str:
        """Everything there is: the dataset, the history, what the reasoner entails, the names.

        Empty when this time is not one to be careful in.
        """
        if self.hurried:
            return ""
        rooms = self.memory._rooms
        parts = sorted(map(str, rooms.store.quads()))
        parts += [entry.iri for entry in rooms.history.entries()]
        parts += sorted(map(str, rooms.committer.reasoner().inferred()))
        parts += sorted(self.names())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    # helpers

    def reopen(self) -> None:
        """Close the memory on disk and open it again."""
        self.memory.close()
        self.memory = Memory.open(notes=self.root, data=self.data, options=self.options)

    def dataset(self) -> frozenset[Quad]:
        return frozenset(self.memory._rooms.store.quads())

    def sources(self) -> set[Quad]:
        return {quad for quad in self.dataset() if quad.graph_name not in NOT_SOURCES}

    def telling(self) -> set[Triple]:
        """What is stated and may have consequences."""
        stated = {quad.triple for quad in self.sources()}
        if self.options.archived_consequences == "keep":
            return stated
        archive = self.memory._rooms.archive
        ends = {end for triple in stated for end in (triple.subject, triple.object)}
        gone = {end for end in ends if isinstance(end, NamedNode) and archive.reason(end) is not None}
        return {triple for triple in stated if gone.isdisjoint((triple.subject, triple.object))}

    def inferred(self) -> set[Triple]:
        return {quad.triple for quad in self.dataset() if self.is_inferred(quad)}

    @staticmethod
    def is_inferred(quad: Quad) -> bool:
        return quad.graph_name == INFERRED

    def input_of(self, quad: Quad) -> FactInput:
        view = self.memory._rooms.view
        fact = view.statement(quad.triple)
        if isinstance(fact.object, str):
            return FactInput(fact.subject, fact.predicate, fact.object)
        value = fact.object
        return FactInput(
            fact.subject, fact.predicate, value.value, value.datatype, value.lang, object_is="literal"
        )

    def notes(self) -> list[Path]:
        return sorted(self.root.rglob("*.md"))

    def names(self) -> set[str]:
        return names_in(self.memory._rooms.naming)


def fresh_inferences(asserted: set[Triple]) -> set[Triple]:
    """What a reasoner that has seen no change before infers."""
    reasoner = Reasoner()
    reasoner.load(asserted)
    return set(reasoner.inferred())


def names_in(naming: Naming) -> set[str]:
    """Every name in an index, with its types and state."""
    index = naming.index()
    entries = (entry for entity in index._entities for entry in index.entries(entity))
    return {f"{e.entity} {e.name!r} {e.kind} {sorted(e.types)} {e.archived}" for e in entries}


def without_places(card: Card) -> Card:
    return replace(card, out=tuple(map(placeless, card.out)), in_=tuple(map(placeless, card.in_)))


def placeless(fact: Fact) -> Fact:
    return replace(fact, sources=tuple(replace(found, path=None, line=None) for found in fact.sources))
