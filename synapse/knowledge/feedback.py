"""What a write should tell its author about the graph (contract section 5).

Pure functions from facts about the entity that was written; they read the index of names and
no store. Relations name their predicate by key, as a profile and a note do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from synapse.knowledge.names_index import Entry, NamesIndex
from synapse.knowledge.normalise import FUNCTION_WORDS, normalise_text, numbers, tokens
from synapse.knowledge.resolve_settings import ResolveSettings
from synapse.knowledge.resolver import Ask
from synapse.knowledge.vocabulary import Vocabulary

RELATED: Final = "related_to"
SUGGESTIONS: Final = 8
MATERIAL: Final = 0.7
"""A description that keeps a smaller share of its words than this says something else."""
_SCANNED_WORDS: Final = 400
_PHRASE_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two entities, and why it is proposed or shown."""

    subject: str
    predicate: str
    object: str
    reason: str = ""

    @property
    def ends(self) -> tuple[str, str, str]:
        """The relation without its reason."""
        return self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class Written:
    """What is known of an entity once the write is resolved; `relations` are those it has then."""

    entity: str
    label: str
    types: tuple[str, ...] = ()
    description: str | None = None
    tags: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()

    @property
    def degree(self) -> int:
        """How many relations touch the entity; one with itself ties it to nothing."""
        return len({relation.ends for relation in self.relations if relation.subject != relation.object})


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the write says of one entity; `refusal` is set when `require_relations` forbids it."""

    degree: int
    orphan_warning: str | None = None
    suggested_relations: tuple[Relation, ...] = ()
    relations_from_tags: tuple[Relation, ...] = ()
    enrich_hint: str | None = None
    refusal: str | None = None


def feedback(
    written: Written,
    *,
    index: NamesIndex,
    vocabulary: Vocabulary,
    settings: ResolveSettings,
    asked: Iterable[Ask] = (),
) -> Feedback:
    """The answer for one entity; `asked` are the questions left open by the relations it wanted.

    With `tag_linking = auto` the relations from tags are to be written too, and count.
    """
    from_tags = tag_relations(written, index, vocabulary) if settings.tag_linking != "off" else ()
    added = from_tags if settings.tag_linking == "auto" else ()
    degree = written.degree + len(added)
    if degree:
        return Feedback(
            degree, relations_from_tags=added, enrich_hint=enrich_hint(written, settings, degree=degree)
        )
    suggested = (
        *from_tags,
        *_from_questions(written, asked),
        *named_in_description(written, index, vocabulary),
    )
    return Feedback(
        0,
        orphan_warning=f"{written.entity} has no relation to anything: it will be found by its name only",
        suggested_relations=_distinct(suggested)[:SUGGESTIONS],
        refusal=_refusal(written, vocabulary, settings),
    )


def tag_relations(written: Written, index: NamesIndex, vocabulary: Vocabulary) -> tuple[Relation, ...]:
    """What ties the entity to the anchors that its tags name: `#atlas` to the project Atlas.

    A nested tag names its last part too (`project/atlas`). A tag that several anchors fit ties to none.
    """
    known = {relation.ends for relation in written.relations}
    found = (_tag_relation(written, tag, index, vocabulary) for tag in written.tags)
    return _distinct(relation for relation in found if relation and relation.ends not in known)


def _tag_relation(written: Written, tag: str, index: NamesIndex, vocabulary: Vocabulary) -> Relation | None:
    name = tag.removeprefix("#")
    for text in dict.fromkeys((name, name.rpartition("/")[2])):
        entries = [entry for entry in _live(index.exact(text)) if vocabulary.anchor(entry.types)]
        if len({entry.entity for entry in entries}) == 1 and entries[0].entity != written.entity:
            return _tie(written, entries[0], vocabulary, reason=f"the tag {tag}")
    return None


def named_in_description(written: Written, index: NamesIndex, vocabulary: Vocabulary) -> tuple[Relation, ...]:
    """What ties the entity to those that its description calls by name, if one only fits."""
    words = tokens(normalise_text(written.description or ""))[:_SCANNED_WORDS]
    found: dict[str, Relation] = {}
    for start in range(len(words)):
        for length in range(_PHRASE_WORDS, 0, -1):
            entry = _called(words[start : start + length], index)
            if entry and entry.entity != written.entity:
                found.setdefault(entry.entity, _tie(written, entry, vocabulary, reason=f"names {entry.name}"))
                break
    return tuple(found.values())


def enrich_hint(written: Written, settings: ResolveSettings, *, degree: int | None = None) -> str | None:
    """A hint for a stub that much points at: describing it is worth the effort."""
    count = written.degree if degree is None else degree
    if (written.description or "").strip() or count < settings.enrich_degree:
        return None
    return f"{written.entity} has {count} relations and no description: say what it is"


def changed_materially(before: str | None, after: str | None) -> bool:
    """Whether a description says something else now: other numbers, or three words in ten replaced.

    A first description, or the loss of one, changes nothing that was said before.
    """
    old, new = normalise_text(before or ""), normalise_text(after or "")
    if not old or not new or old == new:
        return False
    mine, theirs = Counter(tokens(old)), Counter(tokens(new))
    kept = 2 * (mine & theirs).total() / (mine.total() + theirs.total())
    return kept < MATERIAL or Counter(numbers(old)) != Counter(numbers(new))


def review_relations(
    relations: Iterable[Relation], *, before: str | None, after: str | None
) -> tuple[Relation, ...]:
    """The relations to look at again, because the description under them changed materially."""
    if not changed_materially(before, after):
        return ()
    reason = "the description changed: is this still true?"
    return tuple(Relation(*relation.ends, reason) for relation in relations)


def _refusal(written: Written, vocabulary: Vocabulary, settings: ResolveSettings) -> str | None:
    """Why an entity without relations may not be written, or None: anchors and people may stand alone."""
    anchor = vocabulary.anchor(written.types)
    free = (anchor and anchor.may_stand_alone) or settings.bears_name(written.types)
    if not settings.require_relations or free:
        return None
    return f"{written.entity} would have no relation, and this memory requires one (require_relations)"


def _from_questions(written: Written, asked: Iterable[Ask]) -> list[Relation]:
    return [
        Relation(
            written.entity, RELATED, ask.did_you_mean[0].id, f"may be meant: {ask.did_you_mean[0].label}"
        )
        for ask in asked
        if ask.did_you_mean
    ]


def _called(words: tuple[str, ...], index: NamesIndex) -> Entry | None:
    """The one entity that these words name; a function word or a few letters name nothing."""
    name = " ".join(words)
    if len(name) < 4 or words[0] in FUNCTION_WORDS or words[-1] in FUNCTION_WORDS:
        return None
    entries = [entry for entry in _live(index.exact(name)) if entry.kind != "id"]
    return entries[0] if len({entry.entity for entry in entries}) == 1 else None


def _tie(written: Written, entry: Entry, vocabulary: Vocabulary, *, reason: str) -> Relation:
    anchor = vocabulary.anchor(entry.types)
    if anchor is None:
        return Relation(written.entity, RELATED, entry.entity, reason)
    if anchor.inverted:
        return Relation(entry.entity, anchor.relation, written.entity, reason)
    return Relation(written.entity, anchor.relation, entry.entity, reason)


def _live(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if not entry.archived]


def _distinct(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The first of several that would make the same two entities known to each other."""
    return tuple({frozenset((one.subject, one.object)): one for one in reversed(list(relations))}.values())[
        ::-1
    ]
