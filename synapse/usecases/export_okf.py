"""The notes of a memory as a bundle of the Open Knowledge Format v0.2; the notes themselves stay."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.errors import InvalidInput
from synapse.notes.bundle_links import destination_of, encoded
from synapse.notes.files import FileBytes
from synapse.notes.link_keys import stem
from synapse.notes.note import Diagnostic, Dialect, Link, Note
from synapse.notes.okf import OKF_DIALECTS, RESERVED_FILES
from synapse.notes.okf_checks import okf_diagnostics
from synapse.notes.okf_writer import concept_of, index_of, log_of, root_frontmatter, type_of
from synapse.notes.resolution import How
from synapse.notes.true_names import locate
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import Names
from synapse.rdf.vocab import RDFS_LABEL, SCHEMA_DESCRIPTION
from synapse.usecases.answers import ExportReport
from synapse.usecases.folder import UNREADABLE, Folder

_LEFT: Final = frozenset({How.EXTERNAL, How.IRI, How.NOTHING})
"""How links are resolved that mean the same in the bundle as they stand."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index says of one concept."""

    path: str
    title: str
    type: str
    description: str = ""


@dataclass(slots=True)
class _Bundle:
    """What will be written: texts by path, and the assets that the concepts link to."""

    paths: Mapping[str, str]
    texts: dict[str, str] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    assets: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)


class OkfExport:
    """Writes one folder's notes as a bundle; the caller synchronises them before."""

    def __init__(self, folder: Folder, *, names: Names, lexicon: Lexicon) -> None:
        self._folder = folder
        self._names = names
        self._lexicon = lexicon

    def run(self, target: Path, *, force: bool = False) -> ExportReport:
        """Write the bundle to `target`, an absolute path; with `force` also into a folder that holds files.

        Raises `InvalidInput` when the target may not or cannot be written; no note is ever touched.
        """
        _check_target(target, notes=self._folder.vault.root, force=force)
        notes = self._notes()
        bundle = _Bundle(_new_paths(notes, dialect=self._folder.dialect))
        entities = {self._folder.index().entity_of(asset): asset for asset in self._folder.catalog.assets}
        for note in notes.values():
            self._add(note, bundle, entities)
        indexes = {path: text for path, text in _indexes(bundle).items() if path not in bundle.texts}
        bundle.diagnostics += _written(target, {**bundle.texts, **indexes})
        assets = sum(self._copy(asset, target, bundle) for asset in sorted(bundle.assets))
        renamed = {old: new for old, new in bundle.paths.items() if old != new}
        return ExportReport(
            str(target), len(bundle.texts), len(indexes), assets, renamed, tuple(bundle.diagnostics)
        )

    def _notes(self) -> dict[str, Note]:
        found = ((path, self._folder.note(path)) for path in sorted(self._folder.catalog.rows()))
        return {path: note for path, note in found if note is not None}

    def _add(self, note: Note, bundle: _Bundle, assets: Mapping[NamedNode, str]) -> None:
        content = self._folder.vault.read(note.path)
        if not isinstance(content, FileBytes) or any(item.code in UNREADABLE for item in note.diagnostics):
            bundle.diagnostics.append(
                _told(note.path, "export-unreadable", "the note cannot be read; left out")
            )
            return
        mapping = self._folder.map(note, self._lexicon)
        bundle.assets |= {
            assets[quad.object]
            for quad in mapping.lines
            if isinstance(quad.object, NamedNode) and quad.object in assets
        }
        new = bundle.paths[note.path]
        texts = {
            quad.predicate: quad.object.value
            for quad in reversed(tuple(mapping.lines))  # of several, the first
            if quad.subject == mapping.subject and isinstance(quad.object, Literal)
        }
        if new.rpartition("/")[2] in RESERVED_FILES:
            bundle.texts[new] = self._navigation(note, content.data, bundle)
            return
        entry = Entry(new, texts.get(RDFS_LABEL, ""), type_of(note), texts.get(SCHEMA_DESCRIPTION, ""))
        bundle.entries.append(entry)
        bundle.texts[new] = self._concept(note, content.data, entry, bundle)

    def _concept(self, note: Note, data: bytes, entry: Entry, bundle: _Bundle) -> str:
        concept = concept_of(
            note,
            data,
            title=entry.title,
            destination=lambda link: self._destination(link, note.path, bundle.paths),
            dialect=self._folder.dialect,
        )
        if concept.demoted:
            message = "its frontmatter cannot be read; in the bundle it stands as a code block"
            bundle.diagnostics.append(_told(note.path, "export-frontmatter", message))
        return concept.text

    def _navigation(self, note: Note, data: bytes, bundle: _Bundle) -> str:
        dialect, new = self._folder.dialect, bundle.paths[note.path]

        def destination(link: Link) -> str | None:
            return self._destination(link, note.path, bundle.paths)

        if new.endswith("log.md"):
            return log_of(data, destination=destination, dialect=dialect)
        return index_of(data, destination=destination, dialect=dialect, is_root=new == "index.md")

    def _destination(self, link: Link, source: str, paths: Mapping[str, str]) -> str | None:
        """Where a link leads in the bundle: its file, or the one that it waits for; None leaves it."""
        found = self._folder.index().resolve(link, source=source)
        if found.how in _LEFT:
            return None
        if found.how is How.SELF and not link.target:
            return f"#{encoded(link.fragment)}" if link.fragment else None
        path = found.path
        if path is None:
            identifier = self._names.id(found.entity) if found.entity else None
            if identifier is None:
                return None
            return destination_of(_awaited(identifier), link.fragment)
        return destination_of(paths.get(path, path), link.fragment)

    def _copy(self, asset: str, target: Path, bundle: _Bundle) -> bool:
        found = locate(self._folder.vault.root, asset)
        if found is None:
            bundle.diagnostics.append(_told(asset, "export-unreadable", "the file is gone; left out"))
            return False
        place = _place(target, asset)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._folder.vault.root / found[0], place, follow_symlinks=False)
        except OSError as error:
            raise _unwritable(place, error) from error
        return True


def _check_target(target: Path, *, notes: Path, force: bool) -> None:
    real = target.resolve()
    if real.is_relative_to(notes) or notes.is_relative_to(real):
        raise InvalidInput(
            f"{target} lies in the notes folder or around it", hint="a bundle goes to a folder of its own"
        )
    if target.exists() and not target.is_dir():
        raise InvalidInput(f"{target} is a file", hint="name a folder")
    if target.is_dir() and any(target.iterdir()) and not force:
        raise InvalidInput(
            f"{target} is not empty; nothing was written",
            hint="name another folder, or --force to replace files of the same names in it",
        )


# -- paths ------------------------------------------------------------------------------------


def _new_paths(notes: Mapping[str, Note], *, dialect: Dialect) -> dict[str, str]:
    """The path of each note in the bundle: its own, unless there it names an index, a log or another."""
    paths: dict[str, str] = {}
    taken: set[str] = set()
    for path, note in notes.items():
        paths[path] = _free(_concept_path(path, note, dialect), taken)
        taken.add(paths[path])
    return paths


def _concept_path(path: str, note: Note, dialect: Dialect) -> str:
    base = stem(path)
    name = path.rpartition("/")[2]
    if name in RESERVED_FILES and _is_navigation(note, dialect):
        return path
    return f"{base}-note.md" if f"{base}.md".rpartition("/")[2].casefold() in RESERVED_FILES else f"{base}.md"


def _is_navigation(note: Note, dialect: Dialect) -> bool:
    """Whether an index or log says nothing that its place in a bundle would silence."""
    if any(found.severity == "error" for found in okf_diagnostics([note])):
        return False
    says = [item for item in note.properties if item.key != "okf_version"]
    is_log = note.path.rpartition("/")[2] == "log.md"  # only a log has headings that are all days
    return is_log or dialect in OKF_DIALECTS or not (says or note.tags or note.observations)


def _free(path: str, taken: set[str]) -> str:
    candidate, number = path, 2
    while candidate in taken:
        candidate, number = f"{stem(path)}-{number}.md", number + 1
    return candidate


def _awaited(identifier: str) -> str:
    """The file that a stub waits for: a note, unless its name ends as that of an asset does."""
    suffix = identifier.rpartition("/")[2].rpartition(".")[2]
    is_asset = suffix != identifier.rpartition("/")[2] and suffix.isascii() and suffix.isalpha()
    return identifier if is_asset and len(suffix) <= 5 else f"{identifier}.md"


# -- indexes ----------------------------------------------------------------------------------


def _indexes(bundle: _Bundle) -> dict[str, str]:
    """An index for every folder that has concepts below it: progressive disclosure (section 8)."""
    by_folder: dict[str, list[Entry]] = defaultdict(list)
    below: dict[str, set[str]] = defaultdict(set)
    for entry in bundle.entries:
        folder = entry.path.rpartition("/")[0]
        by_folder[folder].append(entry)
        while folder:
            parent, _, name = folder.rpartition("/")
            below[parent].add(name)
            folder = parent
    folders = {"", *by_folder, *below}
    return {
        f"{folder}/index.md" if folder else "index.md": _index(folder, by_folder[folder], below[folder])
        for folder in sorted(folders)
    }


def _index(folder: str, entries: list[Entry], subfolders: set[str]) -> str:
    by_type: dict[str, list[str]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: (entry.title.casefold(), entry.path)):
        name = entry.path.rpartition("/")[2]
        by_type[entry.type].append(_listed(entry.title or stem(name), name, entry.description))
    by_type = defaultdict(list, sorted(by_type.items()))
    if subfolders:
        by_type["Subdirectories"] = [_listed(name, f"{name}/index.md", "") for name in sorted(subfolders)]
    sections = [f"# {heading}\n\n" + "\n".join(lines) for heading, lines in by_type.items()]
    return ("" if folder else root_frontmatter()) + "\n\n".join(sections) + "\n"


def _listed(title: str, path: str, description: str) -> str:
    shown = " ".join(title.split()).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    told = f" - {' '.join(description.split())}" if description.strip() else ""
    return f"* [{shown}]({encoded(path)}){told}"


# -- writing ----------------------------------------------------------------------------------


def _written(target: Path, texts: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Write every text; yields what was already there and is no part of this bundle."""
    before = _files(target)
    for path, text in texts.items():
        place = _place(target, path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        except OSError as error:
            raise _unwritable(place, error) from error
    for path in sorted(before - texts.keys()):
        if path.lower().endswith(".md"):
            yield _told(path, "export-leftover", "this file was there before and is no part of the bundle")


def _files(folder: Path) -> set[str]:
    return {
        (Path(parent) / name).relative_to(folder).as_posix()
        for parent, _, names in os.walk(folder)
        for name in names
    }


def _place(target: Path, path: str) -> Path:
    """Where a file goes; refused where a symbolic link would lead the writing elsewhere."""
    place = target / path
    if place.is_symlink() or not place.parent.resolve().is_relative_to(target.resolve()):
        raise InvalidInput(f"{place} is a symbolic link; it was left alone", hint="remove it, then try again")
    return place


def _unwritable(place: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"{place} cannot be written: {error.strerror}", hint="name another folder")


def _told(path: str, code: str, message: str) -> Diagnostic:
    return Diagnostic(path, 1, code, "warning", message)
