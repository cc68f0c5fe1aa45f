"""Settings: the only reader of `synapse.toml`, of the environment and of the known notes roots.

Later wins: defaults, `synapse.toml` in the notes root, environment, flags.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal

from platformdirs import user_data_path

from synapse.errors import InvalidInput
from synapse.interfaces.environment import process_environment
from synapse.interfaces.known_roots import KnownRoot, KnownRoots
from synapse.interfaces.settings_file import FILE_NAME, Limits, about, checked, from_text, read_sections
from synapse.knowledge import resolve_settings
from synapse.rdf.names import DEFAULT_BASE_IRI, shortened
from synapse.usecases.charter import read_charter

Regime = Literal["none", "rdfs", "owl-rl"]
DialectChoice = Literal["auto", "obsidian", "okf", "okf-mcp", "dendron", "logseq", "foam", "basic-memory"]

_SCORE: Final = Limits(low=0.0, high=1.0, expects="a number from 0 to 1")
_PORT: Final = Limits(low=0, high=65535, expects="a number from 1 to 65535 (0 picks a free one)")
_IRI: Final = Limits(
    pattern=r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*[/#:]", expects="an absolute IRI that ends in / or #"
)
_COMPARED: Final = Limits(low=1, high=200, expects="a whole number from 1 to 200")
_FEW: Final = Limits(low=1, high=1000, expects="a whole number from 1 to 1000")


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What a memory is made of; `base_iri` is fixed when it is made."""

    base_iri: str = field(default=DEFAULT_BASE_IRI, metadata=about(env="SYNAPSE_BASE_IRI", limits=_IRI))
    dialect: DialectChoice = field(default="auto", metadata=about(env="SYNAPSE_DIALECT"))
    reasoning: Regime = field(default="owl-rl", metadata=about(env="SYNAPSE_REASONING"))
    archived_consequences: Literal["keep", "withdraw"] = "keep"


@dataclass(frozen=True, slots=True)
class NotesSettings:
    """Which files are notes, and how their links are meant."""

    suffixes: tuple[str, ...] = (".md",)
    ignore: tuple[str, ...] = ()
    templates: tuple[str, ...] = ("Templates", "templates")
    alias_links: bool = True


@dataclass(frozen=True, slots=True)
class WriteBackSettings:
    """Whether inferred facts return to the notes' managed section."""

    enabled: bool = field(default=True, metadata=about(env="SYNAPSE_WRITE_BACK"))
    language: Literal["en", "es"] = "en"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the HTTP server listens, and whether agents of level full may query with SPARQL."""

    host: str = field(default="127.0.0.1", metadata=about(env="SYNAPSE_HOST"))
    port: int = field(default=7337, metadata=about(env="SYNAPSE_PORT", limits=_PORT))
    sparql: bool = field(default=False, metadata=about(env="SYNAPSE_SPARQL"))


@dataclass(frozen=True, slots=True)
class ResolveSettings(resolve_settings.ResolveSettings):
    """When a mention connects to an entity, when it is asked about, when it becomes a stub.

    Exactly what the resolver takes; here its numbers get the limits that a file is checked against.
    """

    connect: float = field(default=0.90, metadata=about(limits=_SCORE))
    margin: float = field(default=0.08, metadata=about(limits=_SCORE))
    ask: float = field(default=0.60, metadata=about(limits=_SCORE))
    compared: int = field(default=30, metadata=about(limits=_COMPARED))
    suggestions: int = field(default=5, metadata=about(limits=_FEW))
    enrich_degree: int = field(default=3, metadata=about(limits=_FEW))


SECTIONS: Final[Mapping[str, type]] = {
    "memory": MemorySettings,
    "notes": NotesSettings,
    "write_back": WriteBackSettings,
    "server": ServerSettings,
    "resolve": ResolveSettings,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything one run needs to know. `root` is the notes folder, None when there is none.

    `by_habit`: nobody named the root and the current folder is in none, so it is the one used last.
    """

    root: Path | None
    data: Path
    known: KnownRoots
    by_habit: bool = False
    memory: MemorySettings = MemorySettings()
    notes: NotesSettings = NotesSettings()
    write_back: WriteBackSettings = WriteBackSettings()
    server: ServerSettings = ServerSettings()
    resolve: ResolveSettings = ResolveSettings()

    def remember(self) -> None:
        """Make this root the one used last."""
        if self.root is not None:
            self.known.remember(KnownRoot(self.root, self.data))


def load_settings(
    notes: Path | None = None,
    *,
    data: Path | None = None,
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings of one run; raises `InvalidInput` that names the place of what is wrong.

    `flags` maps `section.key` to a value and wins over everything; `folder` is the current folder.
    """
    environment = process_environment() if env is None else env
    home = user_home(environment)
    known = KnownRoots(home / "roots.json")
    named = _absolute(data) or _absolute(environment.get("SYNAPSE_DATA"))
    given = _absolute(notes) or _absolute(environment.get("SYNAPSE_NOTES"))
    around = None if given else _around(folder or Path.cwd(), known)
    root = _existing(given, known) if given else _found(around, known, data=named)
    if root is None and named is None:
        raise InvalidInput(
            "no notes folder was given, and none is known yet",
            hint="name one, as in: synapse up my-notes",
        )
    sections = _sections(root, environment, flags or {})
    by_habit = not given and named is None and around is None
    return Settings(
        root=root, data=named or default_data(home, root), known=known, by_habit=by_habit, **sections
    )


def user_home(env: Mapping[str, str]) -> Path:
    """Where synapse keeps what belongs to this person: `SYNAPSE_HOME`, or the platform's data folder."""
    return _absolute(env.get("SYNAPSE_HOME")) or user_data_path("synapse", appauthor=False)


def default_data(home: Path, root: Path | None) -> Path:
    """The data folder of a notes root: its name for people, a digest of its path for uniqueness."""
    if root is None:
        raise InvalidInput("a memory without notes needs a folder", hint="give --data FOLDER")
    name = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", root.name)).strip("-.") or "notes"
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:10]
    return home / "memories" / f"{name[:60]}-{digest}"


def _absolute(path: Path | str | None) -> Path | None:
    if not path or not str(path):
        return None
    try:
        return Path(path).expanduser().resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{shortened(str(path))} cannot be a folder ({error})") from None


def _existing(root: Path, known: KnownRoots) -> Path:
    """A folder that is there, or was: a known root may be unplugged, and its memory still answers."""
    try:
        found, is_folder = root.exists(), root.is_dir()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(f"{shortened(str(root), 200)} cannot be opened: {reason}") from None
    if is_folder or (not found and known.holds(root)):
        return root
    if found:
        raise InvalidInput(f"{root} is a file, not a folder of notes", hint=f"name its folder: {root.parent}")
    near = difflib.get_close_matches(root.name, _names_in(root.parent), n=1)
    hint = f"did you mean {root.parent / near[0]}?" if near else "check the path, or make the folder first"
    raise InvalidInput(f"there is no folder {root}", hint=hint)


def _names_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _found(around: Path | None, known: KnownRoots, *, data: Path | None) -> Path | None:
    """The root nobody named: that of the data folder, else around the current one, else the last used."""
    if data is not None:
        charter = read_charter(data)
        made_of = Path(charter.notes) if charter and charter.notes else None
        owner = known.of_data(data)
        return owner.notes if owner else made_of or around
    last = known.last()
    return around or (last.notes if last else None)


def _around(folder: Path, known: KnownRoots) -> Path | None:
    roots = {root.notes for root in known.all()}
    chain = (folder.resolve(), *folder.resolve().parents)
    return next((place for place in chain if place in roots or (place / FILE_NAME).is_file()), None)


def _sections(root: Path | None, env: Mapping[str, str], flags: Mapping[str, object]) -> dict[str, Any]:
    file = root / FILE_NAME if root else None
    written = read_sections(file, SECTIONS) if file and file.is_file() else {}
    values = {name: dict(written.get(name, {})) for name in SECTIONS}
    for name, key in _keys():
        variable = key.metadata.get("env")
        if variable and env.get(variable):
            value = from_text(SECTIONS[name], key, env[variable])
            values[name][key.name] = checked(name, key, value, place=variable, owner=SECTIONS[name])
        flag = flags.get(f"{name}.{key.name}")
        if flag is not None:
            values[name][key.name] = checked(name, key, flag, place="the command line", owner=SECTIONS[name])
    return {name: _section(name, chosen, file) for name, chosen in values.items()}


def _section(name: str, chosen: dict[str, Any], file: Path | None) -> Any:
    """A section of values that are right one by one; that they fit each other is checked here."""
    try:
        return SECTIONS[name](**chosen)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error.message}", hint=error.hint) from None


def _keys() -> Iterator[tuple[str, Field[Any]]]:
    return ((name, key) for name, section in SECTIONS.items() for key in fields(section))
