"""Which notes root a run is about: the one that was named, else the one around the current folder.

Where the current folder lies in no known root, the one used last is taken. But who stands among notes
that synapse does not know yet means those: they are read, and nothing is written elsewhere.
"""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from synapse.errors import InvalidInput
from synapse.interfaces.known_roots import KnownRoots
from synapse.interfaces.settings_file import FILE_NAME
from synapse.notes.dialect import EVIDENCE
from synapse.rdf.names import shortened
from synapse.usecases.charter import read_charter


class Unnamed(Enum):
    """What a command takes when nobody named a root and the current folder is in none that is known."""

    LAST_USED = auto()
    """The root used last: for what only asks, and for a server of stdio, whose client stands anywhere."""
    THIS_FOLDER = auto()
    """The current folder if it holds notes, else the root used last: for what reads a folder of notes."""
    NOT_AMONG_NOTES = auto()
    """The root used last, but nothing where the current folder holds notes: for what writes."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The notes root of a run, None when there is none; at most one of the two is true.

    `by_habit`: it is the one used last. `by_place`: it is the current folder, which was not known yet.
    """

    root: Path | None
    by_habit: bool = False
    by_place: bool = False


def choose_root(
    given: Path | None, known: KnownRoots, *, data: Path | None, folder: Path, unnamed: Unnamed
) -> Chosen:
    """The root of a run; `given` and `data` are what the person named, `folder` is the current one.

    Raises `InvalidInput` when there is none to take, with the option that names one.
    """
    if given:
        return Chosen(_existing(given, known))
    around = _around(folder, known)
    if data is not None:
        return _of_data(data, known, around=around, folder=folder, unnamed=unnamed)
    if around is not None:
        return Chosen(around)
    is_among_notes = unnamed is not Unnamed.LAST_USED and _holds_notes(folder, known)
    if is_among_notes and unnamed is Unnamed.THIS_FOLDER:
        return Chosen(folder.resolve(), by_place=True)
    last = known.last()
    if last is None:
        raise InvalidInput(
            "no notes folder was given, and none is known yet",
            hint="name one, as in: synapse up my-notes",
        )
    if is_among_notes:
        raise _among_other_notes(folder, last.notes)
    return Chosen(last.notes, by_habit=True)


def _of_data(data: Path, known: KnownRoots, *, around: Path | None, folder: Path, unnamed: Unnamed) -> Chosen:
    """The root of the memory that was named: the one it was made of, if it was made already."""
    charter = read_charter(data)
    made_of = Path(charter.notes) if charter and charter.notes else None
    owner = known.of_data(data)
    root = owner.notes if owner else made_of or around
    if root is None and unnamed is Unnamed.THIS_FOLDER and _holds_notes(folder, known):
        return Chosen(folder.resolve(), by_place=True)
    return Chosen(root)


def _among_other_notes(folder: Path, last: Path) -> InvalidInput:
    return InvalidInput(
        f"{shortened(str(folder), 200)} holds notes that synapse does not know yet",
        hint=f"begin with them: synapse up .  Or say which notes are meant: --notes {last} was used last",
    )


def _around(folder: Path, known: KnownRoots) -> Path | None:
    """The nearest root from a folder upwards."""
    roots = {root.notes for root in known.all()}
    chain = (folder.resolve(), *folder.resolve().parents)
    return next((place for place in chain if place in roots or (place / FILE_NAME).is_file()), None)


def _holds_notes(folder: Path, known: KnownRoots) -> bool:
    """Whether a folder that was not named may be taken for one of notes.

    Never a home or a whole disk, where a stray note does not mean everything below, and never a
    folder above a known root, whose notes would then be in two memories.
    """
    place = folder.resolve()
    above = any(place in root.notes.parents for root in known.all())
    return not above and place not in (_home(), Path(place.anchor)) and _has_notes(place)


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):  # a container may run under a number that no user of it has
        return None


def _has_notes(folder: Path) -> bool:
    """Whether most files in the folder itself are notes, or what the tool leaves there that made it.

    A README among the files of a program is no note.
    """
    try:
        with os.scandir(folder) as entries:
            files = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_file()]
        notes = sum(name.casefold().endswith(".md") for name in files)
        return 2 * notes > len(files) or any((folder / name).exists() for name, _ in EVIDENCE)
    except OSError:
        return False


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
