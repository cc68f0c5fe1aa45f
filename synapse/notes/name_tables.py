"""What files are called: one entry a file, and the tables that links look names up in."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from synapse.notes.link_keys import fold, name_keys, stem


@dataclass(frozen=True, slots=True)
class Entry:
    """One file and all it is called."""

    path: str
    node: NamedNode
    aliases: tuple[str, ...] = ()
    iri: str | None = None
    title: str | None = None
    permalink: str | None = None
    bundle_root: bool = False

    def keys(self) -> frozenset[str]:
        """The keys under which links find this file."""
        return name_keys(
            self.path,
            self.aliases,
            self.iri,
            self.title,
            permalink=self.permalink,
            bundle_root=self.bundle_root,
        )


class NameTable:
    """Folded name -> paths, the shortest first, then in order."""

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[str, list[str]] = {}

    def add(self, name: str, path: str) -> None:
        """Enter a path under a name; entering it again changes nothing."""
        paths = self._paths.setdefault(name, [])
        if path not in paths:
            insort(paths, path, key=_by_length)

    def remove(self, name: str, path: str) -> None:
        """Strike a path from a name; one that is not there changes nothing."""
        paths = self._paths.get(name, [])
        if path in paths:
            paths.remove(path)
        if not paths:
            self._paths.pop(name, None)

    def get(self, name: str) -> Sequence[str]:
        """The paths of a name, best first."""
        return self._paths.get(name, ())


@dataclass(frozen=True, slots=True)
class NameTables:
    """Every kind of name, in the order in which links are resolved by them."""

    exact: NameTable = field(default_factory=NameTable)
    suffix: NameTable = field(default_factory=NameTable)
    alias: NameTable = field(default_factory=NameTable)
    title: NameTable = field(default_factory=NameTable)
    iri: NameTable = field(default_factory=NameTable)

    def rows(self, entry: Entry) -> Iterable[tuple[NameTable, str]]:
        """Where an entry stands, each row once added and once removed."""
        whole = fold(stem(entry.path))
        yield self.exact, whole
        segments = whole.split("/")
        yield from ((self.suffix, "/".join(segments[start:])) for start in range(1, len(segments)))
        yield from ((self.alias, fold(alias)) for alias in entry.aliases)
        yield from ((self.title, fold(name)) for name in (entry.title, entry.permalink) if name)
        if entry.iri is not None:
            yield self.iri, entry.iri


def _by_length(path: str) -> tuple[int, str]:
    return len(path), path
