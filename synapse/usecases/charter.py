"""What holds for a memory from the day it is made: its base IRI and the folder it belongs to."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from synapse.errors import InvalidInput, StoreError
from synapse.rdf.names import DEFAULT_BASE_IRI, iri

FILE: Final = "memory.json"
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Charter:
    """The file `memory.json` in the data folder."""

    base_iri: str
    notes: str | None = None
    format: int = FORMAT


def read_charter(data: Path) -> Charter | None:
    """The charter of the memory in `data`, None when there is no memory yet; raises `StoreError`."""
    path = data / FILE
    try:
        charter = Charter(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(f"{path} cannot be read: {error}", hint="restore it from a backup") from error
    if charter.format > FORMAT:
        raise StoreError(
            f"the memory in {data} has format {charter.format}, this synapse knows {FORMAT}",
            hint="upgrade synapse",
        )
    return charter


def make_charter(data: Path, *, base_iri: str, notes: Path | None) -> Charter:
    """The charter of the memory in `data`, written when it is new.

    Raises `InvalidInput` when the memory exists with another base IRI than the one asked for.
    """
    known = read_charter(data)
    if known is None:
        iri(base_iri)
        known = Charter(base_iri, None if notes is None else str(notes))
        _write(data / FILE, known)
    elif base_iri not in (known.base_iri, DEFAULT_BASE_IRI):
        raise InvalidInput(
            f"this memory was made with the base IRI {known.base_iri}, not {base_iri}",
            hint="the base IRI is fixed; index into another --data folder to use a new one",
        )
    return known


def _write(path: Path, charter: Charter) -> None:
    draft = path.with_name(f".{path.name}.tmp")
    with draft.open("w", encoding="utf-8") as stream:
        json.dump(asdict(charter), stream, indent=2)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
