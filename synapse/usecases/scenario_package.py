"""A scenario as it is packaged: a folder with a `scenario.toml` and the files that it names.

Each of its Turtle files becomes one named graph `urn:synapse:ontology:<scenario>/<file>`.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, parse

from synapse.errors import InvalidScenario
from synapse.knowledge.nearest import NearestNames
from synapse.rdf.names import GENID, MAX_ID_LENGTH, Names, ontology_graph, shortened

MANIFEST: Final = "scenario.toml"
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
    folder: Path

    @property
    def packaged(self) -> bool:
        """Whether it ships with synapse."""
        return self.folder.parent == packaged_folder() / "scenarios"


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
    known = [scenario.name for scenario in packaged_scenarios()]
    near = NearestNames(known).nearest(name)
    raise InvalidScenario(
        f"there is no scenario {shortened(name)}",
        hint=f"did you mean {' or '.join(near)}?"
        if near
        else f"packaged are {', '.join(known)}; or give the path of a folder with a {MANIFEST}",
    )


def read_scenario(folder: Path) -> Scenario:
    """The scenario in a folder; raises `InvalidScenario` with the name of the file that is wrong."""
    manifest = folder / MANIFEST
    data = _manifest(manifest)
    try:
        fields = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise InvalidScenario(f"{manifest} is not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidScenario(f"{manifest}: {error}") from error
    name = _field(manifest, fields, "name", str)
    if not _NAME.fullmatch(name):
        raise InvalidScenario(f"{manifest}: {shortened(name)} is no name", hint="letters, digits, - and _")
    files = tuple(_files(manifest, name, fields))
    shapes = tuple(_existing(manifest, entry) for entry in _texts(manifest, fields, "shapes"))
    for path in shapes:
        _check_turtle(path)
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
        folder,
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


def _files(manifest: Path, name: str, fields: Mapping[str, Any]) -> Iterator[ScenarioFile]:
    entries = [*_texts(manifest, fields, "ontologies"), *_texts(manifest, fields, "data")]
    for entry in entries:
        path = _existing(manifest, entry)
        yield ScenarioFile(entry, path, ontology_graph(f"{name}/{path.stem}"), _digest(path.read_bytes()))


def _check_turtle(path: Path) -> None:
    """Raises `InvalidScenario` with the file and line when a file is no Turtle."""
    try:
        with path.open("rb") as stream:
            for _ in parse(stream, RdfFormat.TURTLE, base_iri="urn:synapse:shapes"):
                pass
    except OSError as error:
        raise InvalidScenario(f"{path} cannot be read: {error.strerror or error}") from error
    except (SyntaxError, ValueError) as error:
        raise InvalidScenario(f"{path}: {error}") from error


def _existing(manifest: Path, entry: Any) -> Path:
    """The file of a manifest's entry: beside the manifest, else among the packaged ontologies."""
    for folder in (manifest.parent, packaged_folder() / "ontologies"):
        path = (folder / str(entry)).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            return path
    raise InvalidScenario(f"{manifest}: the file {shortened(str(entry))} does not exist")


def _manifest(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        hint = "give the folder that holds it; synapse scenario list shows the packaged ones"
        raise InvalidScenario(f"{path.parent} is no scenario: it has no {MANIFEST}", hint=hint) from error
    except OSError as error:
        raise InvalidScenario(f"{path} cannot be read: {error.strerror or error}") from error


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
