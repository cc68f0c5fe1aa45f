"""What a note's managed section says: who points here, and what follows, as a person reads it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from heapq import nsmallest
from typing import Final

from pyoxigraph import Literal, NamedNode

from synapse.notes.note import Dialect
from synapse.notes.section_lines import WORDS
from synapse.rdf.names import INFERRED, META, file_graph
from synapse.rdf.vocab import RDF_TYPE, RDFS_LABEL, SYN_MENTIONS
from synapse.usecases.folder import Folder
from synapse.usecases.view import View

MAX_LINES: Final = 100
"""Lines under one heading of a section; a hub has thousands of links, and a note is for reading."""

MAX_NAMES: Final = 25
"""Entities in one line of a section."""


class SectionText:
    """Writes the sections of one folder's notes, in one language.

    Without `complete` not everything that follows is known, and every list of what follows says so.
    """

    def __init__(self, folder: Folder, *, view: View, language: str = "en", complete: bool = True) -> None:
        self._folder = folder
        self._view = view
        self._language = language
        self._words = WORDS[language]
        self._complete = complete
        # A hub is named in thousands of sections; a text lives for one round of write-back.
        self._names: dict[object, str] = {}
        self._phrases: dict[NamedNode, str] = {}

    def lines(self, path: str) -> list[str]:
        """The content of a note's section: who points here, and what follows; empty when there is neither."""
        node = self._folder.index().entity_of(path)
        incoming = (f"{name} · {self._relations(how)}" for name, how in self._incoming(node, path).items())
        inferred = (f"{how}: {self._listed(names)}" for how, names in self._inferred(node).items())
        blocks = [
            *self._block(self._words.linked_from, incoming),
            *self._block(self._words.inferred, inferred, complete=self._complete),
        ]
        return blocks[:-1]

    def _incoming(self, node: NamedNode, path: str) -> dict[str, set[NamedNode]]:
        """Who says something of this entity elsewhere, and by which relations."""
        hidden = (file_graph(path), META, INFERRED)
        found: dict[str, set[NamedNode]] = {}
        for quad in self._view.store.quads(object=node):
            if quad.graph_name not in hidden and quad.subject != node:
                found.setdefault(self._name(quad.subject), set()).add(quad.predicate)
        return found

    def _inferred(self, node: NamedNode) -> dict[str, set[str]]:
        """What follows of this entity, by relation; a class named as a stated one is says nothing new."""
        types = self._view.store.quads(node, RDF_TYPE)
        known = {self._name(quad.object) for quad in types if quad.graph_name != INFERRED}
        found: dict[str, set[str]] = {}
        for quad in self._view.store.quads(node, graph=INFERRED):
            name = self._name(quad.object)
            if quad.predicate != RDF_TYPE or name not in known:
                found.setdefault(self._phrase(quad.predicate), set()).add(name)
        return found

    def _phrase(self, predicate: NamedNode) -> str:
        if predicate not in self._phrases:
            is_type = predicate == RDF_TYPE
            self._phrases[predicate] = self._words.is_a if is_type else self._label(predicate)
        return self._phrases[predicate]

    def _relations(self, predicates: Collection[NamedNode]) -> str:
        """How one note points here; that it mentions this one goes without saying where it says more."""
        telling = [predicate for predicate in predicates if predicate != SYN_MENTIONS] or predicates
        return ", ".join(sorted(map(self._phrase, telling)))

    def _listed(self, names: Collection[str]) -> str:
        """The first names in order; a note in a cycle of thousands has as many under one relation."""
        first = nsmallest(MAX_NAMES, names, key=_order)
        more = [self._words.more.format(len(names) - MAX_NAMES)] if len(names) > MAX_NAMES else []
        return ", ".join([*first, *more])

    def _block(self, heading: str, items: Iterable[str], *, complete: bool = True) -> Iterator[str]:
        """A heading and a list in a fixed order; blank lines as CommonMark wants them around a list."""
        lines = sorted((f"- {item}" for item in items), key=_order)
        if not lines:
            return
        yield f"**{heading}**"
        yield ""
        yield from lines[:MAX_LINES]
        if len(lines) > MAX_LINES:
            yield f"- {self._words.more.format(len(lines) - MAX_LINES)}"
        if not complete:
            yield f"- {self._words.not_all}"
        yield ""

    def _name(self, term: object) -> str:
        """A term as a person reads it: a link that works in the editor where it is a note of this folder."""
        if term not in self._names:
            self._names[term] = self._named(term)
        return self._names[term]

    def _named(self, term: object) -> str:
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
        """The label in the section's language, else one without a language, as notes have, else any."""
        labels = [quad.object for quad in self._view.store.quads(node, RDFS_LABEL)]
        order = {"en": 2, None: 1, self._language: 0}
        texts = sorted(
            (order.get(label.language, len(order)), label.value)
            for label in labels
            if isinstance(label, Literal)
        )
        return texts[0][1] if texts else self._view.node(node).rpartition(":")[2]


def _order(text: str) -> tuple[str, str]:
    return text.casefold(), text


def _one_line(text: str) -> str:
    """A name as one line that can be no marker of the section."""
    return " ".join(text.split()).replace("<!--", "&lt;!--")
