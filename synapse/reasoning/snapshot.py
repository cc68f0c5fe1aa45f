"""A reasoner's state on disk: reopening a memory of a million facts encodes nothing again.

One uncompressed npz file: the facts as the sorted arrays they are in memory, and the terms as
one UTF-8 text with the length of each. A snapshot belongs to a generation of the store and
to one set of rules; any other is ignored, and the caller loads from the store instead.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import BaseDirection, BlankNode, Literal, NamedNode

from synapse.reasoning.bulk import Relation
from synapse.reasoning.table import Table
from synapse.reasoning.terms import Term, Terms

_FORMAT: Final = 1
_IRI, _BLANK, _STRING, _TYPED, _TAGGED = range(5)
_DIRECTIONS: Final = {"": None, "ltr": BaseDirection.LTR, "rtl": BaseDirection.RTL}


def save(path: Path, *, stamp: str, terms: Terms, tables: Mapping[int, Table], cap: str | None) -> None:
    """Writes a snapshot in one step: readers see the old file or the new one, never a part.

    `stamp` names what the snapshot belongs to; `load` returns nothing for another stamp.
    """
    arrays = [(predicate, *table.arrays(), table.edge_keys()) for predicate, table in tables.items()]
    content: dict[str, Any] = {
        "format": np.int64(_FORMAT),
        "stamp": np.array(stamp),
        "cap": np.array(cap or ""),
        "predicates": np.array([predicate for predicate, *_ in arrays], np.int64),
        **_joined("keys", [keys for _, keys, _, _ in arrays], np.int64),
        **_joined("levels", [levels for _, _, levels, _ in arrays], np.int32),
        **_joined("edges", [edges for *_, edges in arrays], np.int64),
        **_encoded(terms),
    }
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            np.savez(file, **content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def load(path: Path, *, stamp: str) -> tuple[Terms, dict[int, Relation], str | None] | None:
    """Terms, relations and the cap that was reached.

    None when the file is absent, damaged or of another stamp.
    """
    damage = suppress(OSError, ValueError, KeyError, IndexError, EOFError, zipfile.BadZipFile)
    with damage, path.open("rb") as file, np.load(file, allow_pickle=False) as content:
        if content["format"] == _FORMAT and str(content["stamp"]) == stamp:
            return _decoded(content), _relations(content), str(content["cap"]) or None
    return None


def _joined(name: str, parts: list[NDArray[Any]], dtype: type) -> dict[str, NDArray[Any]]:
    lengths = np.array([len(part) for part in parts], np.int64)
    return {name: np.concatenate((np.empty(0, dtype), *parts)), f"{name}_lengths": lengths}


def _split(content: Mapping[str, NDArray[Any]], name: str) -> list[NDArray[Any]]:
    lengths = content[f"{name}_lengths"]
    return np.split(content[name], np.cumsum(lengths)[:-1])[: len(lengths)]


def _relations(content: Mapping[str, NDArray[Any]]) -> dict[int, Relation]:
    columns = (_split(content, name) for name in ("keys", "levels", "edges"))
    return {
        predicate: Relation(keys, levels, edges)
        for predicate, keys, levels, edges in zip(content["predicates"].tolist(), *columns, strict=True)
    }


def _encoded(terms: Iterable[Term]) -> dict[str, NDArray[Any]]:
    """Kind, text and qualifier (datatype or language) of each term; lengths count characters."""
    rows = [_row(term) for term in terms]
    texts = [part for _, text, qualifier in rows for part in (text, qualifier)]
    return {
        "kinds": np.array([kind for kind, _, _ in rows], np.int8),
        "texts": np.frombuffer("".join(texts).encode(), np.uint8),
        "text_lengths": np.array([len(text) for text in texts], np.int64),
    }


def _row(term: Term) -> tuple[int, str, str]:
    if isinstance(term, NamedNode):
        return _IRI, term.value, ""
    if isinstance(term, BlankNode):
        return _BLANK, term.value, ""
    if term.language:
        return _TAGGED, term.value, f"{term.language} {_direction(term)}"
    if term == Literal(term.value):
        return _STRING, term.value, ""
    return _TYPED, term.value, term.datatype.value


def _direction(term: Literal) -> str:
    return next(name for name, direction in _DIRECTIONS.items() if direction == term.direction)


def _decoded(content: Mapping[str, NDArray[Any]]) -> Terms:
    text = content["texts"].tobytes().decode()
    ends = np.cumsum(content["text_lengths"]).tolist()
    return Terms(_terms(content["kinds"].tolist(), text, ends))


def _terms(kinds: list[int], text: str, ends: list[int]) -> Iterator[Term]:
    start = 0
    for kind, middle, end in zip(kinds, ends[::2], ends[1::2], strict=True):
        if kind == _IRI:
            yield NamedNode(text[start:middle])
        else:
            yield _other_term(kind, text[start:middle], text[middle:end])
        start = end


def _other_term(kind: int, value: str, qualifier: str) -> Term:
    if kind == _BLANK:
        return BlankNode(value)
    if kind == _STRING:
        return Literal(value)
    if kind == _TYPED:
        return Literal(value, datatype=NamedNode(qualifier))
    language, _, direction = qualifier.partition(" ")
    return Literal(value, language=language, direction=_DIRECTIONS[direction])
