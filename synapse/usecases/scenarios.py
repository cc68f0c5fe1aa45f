"""Packaged ontologies and data: read a scenario, install it, skip it when unchanged, remove it.

A scenario is a folder with a `scenario.toml`; each of its Turtle files becomes one named
graph `urn:synapse:ontology:<scenario>/<file>`, with its version and digest on record.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, parse

from synapse.errors import InvalidScenario
from synapse.knowledge.provenance import Activity, GraphRecord
from synapse.knowledge.vocabulary import Vocabulary
from synapse.rdf.names import GENID, MAX_ID_LENGTH, META, Names, ontology_graph, shortened
from synapse.rdf.vocab import SYN_DIGEST, SYN_SCENARIO, SYN_VERSION
from synapse.store.base import Store, text_of
from synapse.usecases.answers import ScenarioChange, ScenarioInfo
from synapse.usecases.commit import Committer, Outcome, Replacement

MANIFEST: Final = "scenario.toml"
CORE: Final = "core"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """One Turtle file of a scenario: its graph, and the digest of its bytes."""

    name: str
    path: Path
    graph: NamedNode
    digest: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario as its manifest describes it; `digest` covers the manifest and every file."""

    name: str
    version: str
    title: str
    description: str
    requires: tuple[str, ...]
    files: tuple[ScenarioFile, ...]
    shapes: tuple[Path, ...]
    profile: Path | None
    digest: str


def packaged_folder() -> Path:
    """The folder that holds `scenarios/` and `ontologies/`: inside the wheel, or the checkout's root."""
    package = Path(__file__).resolve().parents[1]
    return package / "data" if (package / "data" / "scenarios").is_dir() else package.parent


def packaged_scenarios() -> Iterator[Scenario]:
    """Every scenario that ships with synapse, by name."""
    for manifest in sorted((packaged_folder() / "scenarios").glob(f"*/{MANIFEST}")):
        yield read_scenario(manifest.parent)


@lru_cache(maxsize=1)
def packaged_files() -> dict[NamedNode, ScenarioFile]:
    """The packaged Turtle files by graph."""
    return {file.graph: file for scenario in packaged_scenarios() for file in scenario.files}


def find_scenario(name: str) -> Scenario:
    """The packaged scenario of this name, or the one in this folder; raises `InvalidScenario`."""
    packaged = packaged_folder() / "scenarios"
    if _NAME.fullmatch(name) and (packaged / name / MANIFEST).is_file():
        return read_scenario(packaged / name)
    if len(name) <= MAX_ID_LENGTH and name.isprintable() and Path(name).is_absolute() and Path(name).is_dir():
        return read_scenario(Path(name))
    known = ", ".join(scenario.name for scenario in packaged_scenarios())
    raise InvalidScenario(
        f"there is no scenario {shortened(name)}",
        hint=f"packaged scenarios: {known}; or give the absolute path of a folder with a {MANIFEST}",
    )


def read_scenario(folder: Path) -> Scenario:
    """The scenario in a folder; raises `InvalidScenario` with the name of the file that is wrong."""
    manifest = folder / MANIFEST
    try:
        data = manifest.read_bytes()
        fields = tomllib.loads(data.decode())
    except (OSError, ValueError) as error:
        raise InvalidScenario(f"{manifest}: {error}") from error
    name = _field(manifest, fields, "name", str)
    files = tuple(_files(manifest, name, fields))
    shapes = tuple(_existing(manifest, entry) for entry in _texts(manifest, fields, "shapes"))
    profile = _existing(manifest, fields["profile"]) if "profile" in fields else None
    extra = [path.read_bytes() for path in (*shapes, *([profile] if profile else []))]
    return Scenario(
        name,
        _field(manifest, fields, "version", str),
        _in_english(fields.get("title"), name),
        _in_english(fields.get("description"), ""),
        _texts(manifest, fields, "requires"),
        files,
        shapes,
        profile,
        _digest(data, *(file.digest.encode() for file in files), *extra),
    )


def read_quads(file: ScenarioFile, names: Names) -> Iterator[Quad]:
    """The quads of one file in its graph; blank nodes get IRIs in the order they appear.

    Relative IRIs are entities of this memory. Raises `InvalidScenario` with the file and line.
    """
    try:
        with file.path.open("rb") as stream:
            yield from _skolemised(parse(stream, RdfFormat.TURTLE, base_iri=names.base_iri), file.graph)
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidScenario(f"{file.path}: {error}") from error


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

    def vocabularies(self) -> Iterator[Vocabulary]:
        """The profiles of what is installed; that of a scenario whose package is gone is left out."""
        for name in self.installed():
            with suppress(InvalidScenario):
                profile = find_scenario(name).profile
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
        scenario = find_scenario(name)
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
                visit(find_scenario(name), (*trail, current.name))
            ordered.setdefault(current.name, current)

        visit(scenario, ())
        return list(ordered.values())

    def _requirements_of(self, name: str) -> tuple[str, ...]:
        try:
            return find_scenario(name).requires
        except InvalidScenario:
            return ()  # its package is gone; nothing can be said to need what it needed

    def _replacements(self, scenario: Scenario) -> dict[NamedNode, Replacement]:
        """The new content of the scenario's graphs; those that its manifest dropped are emptied."""
        replacements = {graph: Replacement() for graph, owner in self._graphs() if owner == scenario.name}
        for file in scenario.files:
            record = GraphRecord(file.graph, file.digest, file.name, scenario.version, scenario.name)
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


def _files(manifest: Path, name: str, fields: Mapping[str, Any]) -> Iterator[ScenarioFile]:
    entries = [*_texts(manifest, fields, "ontologies"), *_texts(manifest, fields, "data")]
    for entry in entries:
        path = _existing(manifest, entry)
        yield ScenarioFile(entry, path, ontology_graph(f"{name}/{path.stem}"), _digest(path.read_bytes()))


def _existing(manifest: Path, entry: Any) -> Path:
    """The file of a manifest's entry: beside the manifest, else among the packaged ontologies."""
    for folder in (manifest.parent, packaged_folder() / "ontologies"):
        path = (folder / str(entry)).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            return path
    raise InvalidScenario(f"{manifest}: the file {shortened(str(entry))} does not exist")


def _field(manifest: Path, fields: Mapping[str, Any], key: str, kind: type[str]) -> str:
    value = fields.get(key)
    if not isinstance(value, kind) or not value:
        raise InvalidScenario(f"{manifest}: {key} is missing or not a text", hint=f'write {key} = "…"')
    return value


def _texts(manifest: Path, fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = fields.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidScenario(f"{manifest}: {key} is not a list of texts", hint=f'write {key} = ["…"]')
    return tuple(value)


def _in_english(value: Any, default: str) -> str:
    if isinstance(value, Mapping):
        value = value.get("en") or next(iter(value.values()), default)
    return value if isinstance(value, str) else default


def _skolemised(quads: Iterable[Quad], graph: NamedNode) -> Iterator[Quad]:
    nodes: dict[BlankNode, NamedNode] = {}

    def ground(term: Any) -> Any:
        if isinstance(term, BlankNode):
            return nodes.setdefault(term, NamedNode(f"{graph.value}{GENID}{len(nodes)}"))
        return term

    for quad in quads:
        yield Quad(ground(quad.subject), quad.predicate, ground(quad.object), graph)


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
