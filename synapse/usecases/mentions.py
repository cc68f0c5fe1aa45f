"""The entities that a write mentions: known ones, new ones, and those that must be asked about."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from pyoxigraph import NamedNode

from synapse.errors import InvalidIdentifier
from synapse.knowledge.candidate import Candidate as Near
from synapse.knowledge.normalise import normalise
from synapse.knowledge.resolver import Ask, Connect, Resolver
from synapse.rdf.names import checked_id, shortened
from synapse.usecases.answers import Candidate
from synapse.usecases.finder import Finder
from synapse.usecases.view import View
from synapse.usecases.written import AmbiguousMention, Connected

_NOT_IN_IDS = frozenset('<>"{}|^`\\')


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
    new: dict[NamedNode, str] = field(default_factory=dict)
    _known: dict[str, Resolved | Ask] = field(default_factory=dict)

    def resolve(
        self, mention: str, *, types: Collection[str] = (), force_new: bool = False
    ) -> Resolved | Ask:
        """The entity of a mention: an exact id or IRI, else what the resolver says.

        `types` is what the write says of it. With `force_new` an unknown id is new whatever it
        resembles. Raises `InvalidIdentifier` for text that cannot name anything.
        """
        if mention not in self._known:
            self._known[mention] = self._first(mention, types, force_new)
        return self._known[mention]

    def asked(self) -> list[Ask]:
        """The questions that are open."""
        return [found for found in self._known.values() if isinstance(found, Ask)]

    def _first(self, mention: str, types: Collection[str], force_new: bool) -> Resolved | Ask:
        exact = self.finder.exact(mention)
        if exact is not None:
            self.connected.append(Connected(mention, self.view.node(exact), 1.0, "id"))
            return Resolved(exact)
        if (again := self._named_before(mention)) is not None:
            return Resolved(again, new=True)
        if not force_new:
            match self.resolver.resolve(mention, type=tuple(types) or None):
                case Connect(entity, score, by):
                    node = NamedNode(entity)
                    self.connected.append(Connected(mention, self.view.node(node), round(score, 3), by))
                    return Resolved(node)
                case Ask() as question:
                    options = tuple(map(self._shown, question.did_you_mean))
                    self.ambiguous.append(AmbiguousMention(mention, question.reason, options))
                    return question
        return self._create(mention)

    def _named_before(self, mention: str) -> NamedNode | None:
        """A new entity that the same write already named, in another spelling perhaps."""
        return next((node for node, name in self.new.items() if normalise(name) == normalise(mention)), None)

    def _create(self, mention: str) -> Resolved:
        text = checked_id(mention).strip()
        if found := _NOT_IN_IDS & set(text):
            raise InvalidIdentifier(
                f"{shortened(mention)} holds {' '.join(sorted(found))}, which a new id may not",
                hint="name it as a path of plain words, as projects/apollo",
            )
        node = self.view.names.expand(text) or self.view.names.entity(text.removesuffix(".md"))
        self.new.setdefault(node, text)
        return Resolved(node, new=True)

    def _shown(self, near: Near) -> Candidate:
        node = NamedNode(near.id)
        return Candidate(self.view.node(node), near.label, near.types, near.score)
