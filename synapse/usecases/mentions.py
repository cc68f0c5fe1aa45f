"""The entities that a write mentions: known ones, new ones, and those that must be asked about."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.knowledge.candidate import Candidate as Near
from synapse.knowledge.normalise import normalise
from synapse.knowledge.resolver import Ask, Connect, Create, Resolver
from synapse.rdf.names import checked_id, shortened
from synapse.usecases.answers import Candidate
from synapse.usecases.doubts import in_words
from synapse.usecases.finder import Finder, unwrapped
from synapse.usecases.view import View
from synapse.usecases.written import AmbiguousMention, Connected

_NOT_IN_IDS: Final = frozenset('<>"{}|^`\\')
_HIDDEN: Final = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that show nothing or turn the text around: two ids that differ in them look the same.

Joiners (U+200C, U+200D) are not among them: Persian, Hindi and emoji need them.
"""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The entity that a mention means; `new` when nothing is known of it yet."""

    node: NamedNode
    new: bool = False


@dataclass(slots=True)
class Mentions:
    """Resolves the mentions of one write, each text once, and keeps what the answer must tell."""

    view: View
    finder: Finder
    resolver: Resolver
    connected: list[Connected] = field(default_factory=list)
    ambiguous: list[AmbiguousMention] = field(default_factory=list)
    new: dict[NamedNode, None] = field(default_factory=dict)
    _named: dict[str, NamedNode] = field(default_factory=dict)
    _known: dict[str, Resolved | Ask] = field(default_factory=dict)

    def resolve(
        self, mention: str, *, types: Collection[str] = (), force_new: bool = False
    ) -> Resolved | Ask:
        """The entity of a mention: an exact id or IRI, else what the resolver says.

        `types` is what the write says of it. With `force_new` a name is new whatever it resembles; the
        very name of one known entity means that one all the same. Raises `InvalidIdentifier` for text
        that cannot name anything.
        """
        if mention not in self._known:
            self._known[mention] = self._find(mention, types, force_new) or self._create(mention)
        return self._known[mention]

    def known(self, text: str, *, force_new: bool = False) -> Resolved | Ask | None:
        """As `resolve`, for a text that may be no name at all: None when nothing is called so or alike."""
        if text in self._known:
            return self._known[text]
        try:
            found = self._find(text, (), force_new)
        except InvalidIdentifier:
            return None
        if found is not None:
            self._known[text] = found
        return found

    def asked(self) -> list[Ask]:
        """The questions that are open."""
        return [found for found in self._known.values() if isinstance(found, Ask)]

    def _find(self, mention: str, types: Collection[str], force_new: bool) -> Resolved | Ask | None:
        exact = self.finder.exact(mention)
        if exact is not None:
            return self._connect(mention, exact, 1.0, self.finder.names_by(mention, exact))
        if (again := self._named.get(normalise(mention))) is not None:
            # The same write named it already, in another spelling perhaps.
            return Resolved(again, new=True)
        match self.resolver.resolve(unwrapped(mention), type=tuple(types) or None):
            case Connect(entity, score, by) if by != "similar" or not force_new:
                return self._connect(mention, NamedNode(entity), round(score, 3), by)
            case Create():
                return None
            case Ask("ambiguous") if (called := self.finder.called(mention)) is not None:
                return self._connect(mention, called, 1.0, self.finder.names_by(mention, called))
            case Ask() as question if not force_new:
                options = tuple(map(self._shown, question.did_you_mean))
                self.ambiguous.append(AmbiguousMention(mention, question.reason, options))
                return question
        return self._create(mention)

    def _connect(self, mention: str, node: NamedNode, score: float, by: str) -> Resolved:
        self.connected.append(Connected(mention, self.view.node(node), score, by))
        return Resolved(node)

    def _create(self, mention: str) -> Resolved:
        node = self._new_node(unwrapped(checked_id(mention)))
        self.new.setdefault(node, None)
        self._named.setdefault(normalise(mention), node)
        return Resolved(node, new=True)

    def _new_node(self, text: str) -> NamedNode:
        """The node of a new id, or of an IRI; raises `InvalidIdentifier` for an id that no note can have."""
        if found := _NOT_IN_IDS & set(text):
            raise _wrong(text, f"holds {' '.join(sorted(found))}, which a new id may not")
        if hidden := sorted(set(_HIDDEN.findall(text))):
            codes = ", ".join(f"U+{ord(character):04X}" for character in hidden)
            raise _wrong(text, f"holds characters that nobody sees ({codes})")
        names = self.view.names
        node = names.expand(text) or names.entity(text.removesuffix(".md"))
        if node.value.startswith(names.base_iri) and not node.value.startswith(names.vocabulary):
            identifier = names.id(node)
            # An encoded step reads like a step upwards, or becomes one in a careless reader.
            steps = {unquote(step) for step in (identifier or "").split("/")}
            if not steps.isdisjoint({"", ".", ".."}):
                raise _wrong(text, "is not how an id is written")
        return node

    def _shown(self, near: Near) -> Candidate:
        node = NamedNode(near.id)
        return Candidate(self.view.node(node), near.label, near.types, near.score, in_words(near.reason))


def _wrong(text: str, what: str) -> InvalidIdentifier:
    return InvalidIdentifier(
        f"{shortened(text)} {what}", hint="name it as a path of plain words, as projects/apollo"
    )
