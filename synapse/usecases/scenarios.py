"""The scenarios of a memory: install, skip when unchanged, remove with everything they brought."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.errors import InvalidScenario
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.knowledge.vocabulary import Vocabulary
from synapse.rdf.names import META, Names, shortened
from synapse.rdf.vocab import DCTERMS_SOURCE, SYN_DIGEST, SYN_SCENARIO, SYN_VERSION
from synapse.store.base import Store, text_of
from synapse.usecases.answers import ScenarioChange, ScenarioInfo
from synapse.usecases.commit import Committer, Outcome
from synapse.usecases.differences import Replacement
from synapse.usecases.scenario_package import (
    Scenario,
    find_scenario,
    packaged_scenarios,
    read_quads,
    read_scenario,
)

CORE: Final = "core"


class Scenarios:
    """The scenarios of one memory."""

    def __init__(self, store: Store, *, committer: Committer, names: Names) -> None:
        self._store = store
        self._committer = committer
        self._names = names

    def installed(self) -> dict[str, str]:
        """Name and version of what is installed, in the order of installation."""
        found: dict[str, str] = {}
        for graph, name in self._graphs():
            found.setdefault(name, text_of(self._store, graph, SYN_VERSION, graph=META) or "")
        return found

    def count_facts(self) -> int:
        """How many facts the installed scenarios state."""
        return sum(self._store.count(graph) for graph, _ in self._graphs())

    def find(self, name: str) -> Scenario:
        """The scenario of this name: one that was installed from a folder, else as `find_scenario`."""
        for graph, owner in self._graphs():
            folder = text_of(self._store, graph, DCTERMS_SOURCE, graph=META) if owner == name else None
            if folder is not None:
                return read_scenario(Path(folder))
        return find_scenario(name)

    def known(self) -> Iterator[Scenario]:
        """Every packaged scenario, and those installed from folders that are still there."""
        packaged = list(packaged_scenarios())
        yield from packaged
        for name in self.installed().keys() - {scenario.name for scenario in packaged}:
            with suppress(InvalidScenario):
                yield self.find(name)

    def vocabularies(self) -> Iterator[Vocabulary]:
        """The profiles of what is installed; that of a scenario whose package is gone is left out."""
        for name in self.installed():
            with suppress(InvalidScenario):
                profile = self.find(name).profile
                if profile is not None:
                    yield Vocabulary.parse(profile.read_text(encoding="utf-8"), source=str(profile))

    def show(self, scenario: Scenario) -> ScenarioInfo:
        """What a scenario is, and which version of it is installed."""
        graphs = tuple(sorted(graph.value for graph, name in self._graphs() if name == scenario.name))
        return ScenarioInfo(
            scenario.name,
            scenario.version,
            scenario.title,
            scenario.description,
            scenario.digest,
            self.installed().get(scenario.name),
            graphs,
            scenario.requires,
        )

    def install(self, name: str, *, agent: str) -> tuple[ScenarioChange, Outcome]:
        """Install a scenario and what it requires as one commit; an unchanged one writes nothing."""
        scenario = self.find(name)
        replacements: dict[NamedNode, Replacement] = {}
        for needed in self._with_requirements(scenario):
            replacements |= self._replacements(needed)
        before = self.installed().get(scenario.name)
        activity = Activity("scenario", agent=agent, reason=f"install {scenario.name} {scenario.version}")
        outcome = self._committer.commit(replacements, activity=activity)
        return _change(scenario.name, scenario.version, before, outcome), outcome

    def remove(self, name: str, *, agent: str) -> tuple[ScenarioChange, Outcome]:
        """Remove a scenario with every fact it brought; refused while another one requires it."""
        installed = self.installed()
        if name not in installed:
            known = ", ".join(installed) or "none"
            raise InvalidScenario(f"scenario {shortened(name)} is not installed", hint=f"installed: {known}")
        for other in installed:
            if other != name and name in self._requirements_of(other):
                raise InvalidScenario(f"{other} requires {name}", hint=f"remove {other} first")
        drop = {graph: Replacement() for graph, owner in self._graphs() if owner == name}
        activity = Activity("scenario", agent=agent, reason=f"remove {name}")
        outcome = self._committer.commit(drop, activity=activity)
        change = ScenarioChange(
            name,
            installed[name],
            "removed",
            len(outcome.stated.added),
            len(outcome.stated.removed),
            len(outcome.inferred.added),
            len(outcome.inferred.removed),
        )
        return change, outcome

    def _graphs(self) -> list[tuple[NamedNode, str]]:
        """Every graph of a scenario with the scenario's name, core first."""
        pairs = [
            (quad.subject, quad.object.value)
            for quad in self._store.quads(predicate=SYN_SCENARIO, graph=META)
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal)
        ]
        return sorted(pairs, key=lambda pair: (pair[1] != CORE, pair[1], pair[0].value))

    def _with_requirements(self, scenario: Scenario) -> list[Scenario]:
        ordered: dict[str, Scenario] = {}

        def visit(current: Scenario, trail: tuple[str, ...]) -> None:
            if current.name in trail:
                raise InvalidScenario(f"scenarios require each other: {' → '.join((*trail, current.name))}")
            for name in current.requires:
                visit(self.find(name), (*trail, current.name))
            ordered.setdefault(current.name, current)

        visit(scenario, ())
        return list(ordered.values())

    def _requirements_of(self, name: str) -> tuple[str, ...]:
        try:
            return self.find(name).requires
        except InvalidScenario:
            return ()  # its package is gone; nothing can be said to need what it needed

    def _replacements(self, scenario: Scenario) -> dict[NamedNode, Replacement]:
        """The new content of the scenario's graphs; those that its manifest dropped are emptied."""
        replacements = {graph: Replacement() for graph, owner in self._graphs() if owner == scenario.name}
        for file in scenario.files:
            source = None if scenario.packaged else str(scenario.folder)
            record = GraphRecord(
                file.graph, file.digest, file.name, scenario.version, scenario.name, source=source
            )
            if text_of(self._store, file.graph, SYN_DIGEST, graph=META) == file.digest:
                quads = frozenset(self._store.quads(graph=file.graph))
            else:
                quads = frozenset(read_quads(file, self._names))
            replacements[file.graph] = Replacement(quads, record)
        return replacements


def _change(name: str, version: str, before: str | None, outcome: Outcome) -> ScenarioChange:
    touched = outcome.stated or before != version
    action = "unchanged" if not touched else "installed" if before is None else "updated"
    return ScenarioChange(
        name,
        version,
        action,  # type: ignore[arg-type]
        len(outcome.stated.added),
        len(outcome.stated.removed),
        len(outcome.inferred.added),
        len(outcome.inferred.removed),
    )
