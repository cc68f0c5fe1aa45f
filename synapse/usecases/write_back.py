"""What follows from the notes returns to them, in a managed section that a person sees in the editor."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from synapse.notes.editor import Refusal, with_section
from synapse.notes.files import FileBytes, Unreadable, WriteRefused, Written
from synapse.notes.note import Diagnostic, Dialect
from synapse.rdf.names import INFERRED, META, file_graph
from synapse.rdf.vocab import RDF_TYPE, RDFS_LABEL
from synapse.usecases.answers import WriteBackReport
from synapse.usecases.folder import Folder
from synapse.usecases.view import View, nodes

MAX_LINES: Final = 100
"""Lines under one heading of a section; a hub has thousands of links, and a note is for reading."""

MAX_NAMES: Final = 25
"""Entities in one line of a section."""


class WriteBack:
    """Writes the managed sections of one folder's notes."""

    def __init__(self, folder: Folder, *, view: View, settled_only: bool = False) -> None:
        self._folder = folder
        self._view = view
        self._settled_only = settled_only

    def run(self, *, paths: Collection[str] | None = None, dry_run: bool = False) -> WriteBackReport:
        """Bring sections up to date, all of them or those of `paths`; writes a note only if its bytes differ.

        A note that cannot or must not be written (damaged markers, saved by somebody meanwhile) stays
        as it is and is named in the report.
        """
        tally = _Tally()
        catalog = self._folder.catalog
        for path in sorted(catalog.rows() if paths is None else paths):
            row = catalog.row(path)
            if row is not None and not row.failed:
                self._note(path, tally, dry_run=dry_run)
        return tally.report()

    def paths_of(self, quads: Iterable[Quad]) -> set[str]:
        """The notes whose section may differ once these quads came or went."""
        mentioned = {node for quad in quads for node in nodes((quad.subject, quad.object))}
        return {path for node in mentioned if (path := self._folder.path_of(node)) is not None}

    def _note(self, path: str, tally: _Tally, *, dry_run: bool) -> None:
        content = self._folder.vault.read(path)
        if isinstance(content, Unreadable):
            tally.diagnostics.append(content.diagnostic)
        if not isinstance(content, FileBytes):
            return
        new = with_section(content.data, self.lines(path))
        if isinstance(new, Refusal):
            tally.diagnostics.append(Diagnostic(path, new.line, new.code, "warning", new.reason))
        elif new == content.data:
            tally.unchanged += 1
        elif self._settled_only and self._folder.is_settling(content):
            tally.postponed.append(path)
        elif dry_run:
            tally.written.append(path)
            tally.diffs.append(_diff(path, content.data, new))
        else:
            self._write(path, content, new, tally)

    def _write(self, path: str, content: FileBytes, new: bytes, tally: _Tally) -> None:
        result = self._folder.vault.write(path, data=new, expected=content.digest)
        if isinstance(result, Written):
            self._folder.wrote(result.file)
            tally.written.append(path)
        elif isinstance(result, WriteRefused):
            tally.diagnostics.append(result.diagnostic)
        # Saved by somebody meanwhile: theirs wins, and the change brings us back here.

    def lines(self, path: str) -> list[str]:
        """The content of a note's section: who points here, and what follows; empty when there is neither."""
        node = self._folder.index().entity_of(path)
        own = file_graph(path)
        incoming: dict[str, set[str]] = {}
        for quad in self._view.store.quads(object=node):
            if quad.graph_name not in (own, META, INFERRED) and quad.subject != node:
                incoming.setdefault(self._name(quad.subject), set()).add(self._phrase(quad.predicate))
        inferred: dict[str, set[str]] = {}
        for quad in self._view.store.quads(node, graph=INFERRED):
            inferred.setdefault(self._phrase(quad.predicate), set()).add(self._name(quad.object))
        blocks = [
            *_block("Linked from", (f"{name} · {_relations(how)}" for name, how in incoming.items())),
            *_block("Inferred", (f"{how}: {_listed(names)}" for how, names in inferred.items())),
        ]
        return blocks[:-1]

    def _phrase(self, predicate: NamedNode) -> str:
        return "is a" if predicate == RDF_TYPE else self._label(predicate)

    def _name(self, term: object) -> str:
        """A term as a person reads it: a link that works in the editor where it is a note of this folder."""
        if isinstance(term, Literal):
            return _one_line(term.value)
        if not isinstance(term, NamedNode):
            return str(term)
        identifier = self._view.names.id(term)
        label = _one_line(self._label(term))
        path = self._folder.path_of(term)
        if path is None:
            return label if identifier is None else _one_line(identifier)
        return self._link(path, label)

    def _link(self, path: str, label: str) -> str:
        if self._folder.dialect in (Dialect.OKF,):
            target = path.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
            return f"[{label.replace('[', '(').replace(']', ')')}](/{target})"
        name = path.rpartition(".")[0]
        plain = label.replace("|", "/").replace("[[", "(").replace("]]", ")")
        return f"[[{name}]]" if plain in ("", name) else f"[[{name}|{plain}]]"

    def _label(self, node: NamedNode) -> str:
        """The label in English or without a language, as ontologies label in several."""
        labels = [quad.object for quad in self._view.store.quads(node, RDFS_LABEL)]
        texts = sorted(
            (label.language not in (None, "en"), label.value)
            for label in labels
            if isinstance(label, Literal)
        )
        return texts[0][1] if texts else self._view.node(node).rpartition(":")[2]


@dataclass(slots=True)
class _Tally:
    """What one run of write-back did so far."""

    unchanged: int = 0
    written: list[str] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    postponed: list[str] = field(default_factory=list)

    def report(self) -> WriteBackReport:
        return WriteBackReport(
            tuple(self.written),
            self.unchanged,
            tuple(self.diagnostics),
            "".join(self.diffs),
            tuple(self.postponed),
        )


def _block(heading: str, items: Iterable[str]) -> Iterator[str]:
    """A heading and a list in a fixed order; blank lines as CommonMark wants them around a list."""
    lines = sorted((f"- {item}" for item in items), key=_order)
    if not lines:
        return
    yield f"**{heading}**"
    yield ""
    yield from lines[:MAX_LINES]
    if len(lines) > MAX_LINES:
        yield f"- … and {len(lines) - MAX_LINES} more"
    yield ""


def _relations(phrases: Collection[str]) -> str:
    """How one note points here; that it mentions this one goes without saying where it says more."""
    telling = sorted(set(phrases) - {"mentions"}) or sorted(phrases)
    return ", ".join(telling)


def _listed(names: Collection[str]) -> str:
    ordered = sorted(names, key=_order)
    more = [f"… and {len(ordered) - MAX_NAMES} more"] if len(ordered) > MAX_NAMES else []
    return ", ".join([*ordered[:MAX_NAMES], *more])


def _order(text: str) -> tuple[str, str]:
    return text.casefold(), text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _diff(path: str, old: bytes, new: bytes) -> str:
    before = old.decode(errors="replace").splitlines(keepends=True)
    after = new.decode(errors="replace").splitlines(keepends=True)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
