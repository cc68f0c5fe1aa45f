"""The rooms of one memory, wired together once: what every journey is made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from synapse.errors import InvalidInput
from synapse.knowledge.resolve_settings import ResolveSettings
from synapse.knowledge.resolver import Resolver
from synapse.knowledge.vocabulary import Vocabulary
from synapse.notes.catalog import Catalog
from synapse.notes.dialect import dialect_of
from synapse.notes.note import Dialect
from synapse.notes.vault import Vault
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import DEFAULT_BASE_IRI, Names
from synapse.reasoning import Limits, Reasoner, Regime
from synapse.store.embedded import EmbeddedStore
from synapse.store.history import ActivityLog, History
from synapse.usecases.archiving import Archive, WithdrawingArchive
from synapse.usecases.charter import make_charter
from synapse.usecases.commit import Committer, Outcome
from synapse.usecases.finder import Finder
from synapse.usecases.folder import Folder
from synapse.usecases.naming import Naming
from synapse.usecases.places import Places
from synapse.usecases.scenarios import Scenarios
from synapse.usecases.status import EntityCount
from synapse.usecases.terms import read_lexicon
from synapse.usecases.used_properties import UsedProperties
from synapse.usecases.view import View
from synapse.usecases.withheld import Withheld

MAX_INFERRED: Final = 2_000_000
"""Inferred facts of one memory; a folder of notes has some tens a note. Beyond, as in a cycle of thousands of
notes, the facts are incomplete, and `status`, every synchronisation and `check` say so."""


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """What a memory is made of; `base_iri` holds for good once the memory exists.

    `dialect` None is detected from the folder; `regime` is the entailment regime; `language` is that
    of the sections written into notes; `archived_consequences` says whether what mentions an archived
    entity still entails anything.
    """

    base_iri: str = DEFAULT_BASE_IRI
    regime: str = "owl-rl"
    dialect: str | None = None
    suffixes: Sequence[str] = (".md",)
    ignore: Sequence[str] = ()
    template_folders: Sequence[str] = ("Templates", "templates")
    alias_links: bool = True
    language: str = "en"
    archived_consequences: Literal["keep", "withdraw"] = "keep"
    resolve: ResolveSettings = field(default_factory=ResolveSettings)


class Rooms:
    """The parts of one memory. They live as long as it does; what they remember follows every change."""

    def __init__(
        self,
        *,
        store: EmbeddedStore,
        history: ActivityLog,
        catalog: Catalog,
        names: Names,
        notes: Path | None,
        options: MemoryOptions,
        snapshot: Path | None = None,
    ) -> None:
        self.store, self.history, self.catalog, self.names = store, history, catalog, names
        self.folder = None if notes is None else _folder(notes, catalog, names, options)
        self.places = Places(self.folder, lexicon=self.lexicon)
        self.view = View(store, names=names, history=history, places=self.places)
        self.archive, withheld = _archive(self.view, self.vocabulary, options)
        self.committer = Committer(
            store,
            history=history,
            reasoner=Reasoner(regime=Regime(options.regime), limits=Limits(max_inferred=MAX_INFERRED)),
            snapshot=snapshot,
            withheld=withheld,
        )
        self.used_properties = UsedProperties(store)
        self.naming = Naming(self.view, archive=self.archive)
        self.entities = EntityCount(store)
        self.finder = Finder(self.view, naming=self.naming, lexicon=self.lexicon)
        self.scenarios = Scenarios(store, committer=self.committer, names=names)
        self.resolve = options.resolve
        self.language = options.language
        self._from_scenarios: int | None = None
        self._lexicon: Lexicon | None = None
        self._vocabulary: Vocabulary | None = None

    def lexicon(self) -> Lexicon:
        """The terms that the installed scenarios name."""
        if self._lexicon is None:
            self._lexicon = read_lexicon(self.store, self.names)
        return self._lexicon

    def vocabulary(self) -> Vocabulary:
        """The types, statuses and anchors that the profiles of installed scenarios define."""
        if self._vocabulary is None:
            self._vocabulary = Vocabulary.merged(self.scenarios.vocabularies())
        return self._vocabulary

    def resolver(self) -> Resolver:
        """The resolver over every name known now."""
        return Resolver(self.naming.index(), self.resolve)

    def accept(self, outcome: Outcome) -> None:
        """Let everything that remembers answers hear of a change."""
        self.places.forget()
        self.naming.accept(outcome.stated, outcome.inferred)
        self.entities.accept(outcome.stated)
        self.used_properties.accept(outcome.stated)

    def from_scenarios(self) -> int:
        """How many of the stated facts the installed scenarios brought."""
        if self._from_scenarios is None:
            self._from_scenarios = self.scenarios.count_facts()
        return self._from_scenarios

    def forget_terms(self) -> None:
        """Read the lexicon anew: an ontology came or went."""
        self._lexicon = self._vocabulary = self._from_scenarios = None
        self.places.forget()
        self.naming.forget()
        self.used_properties.forget()

    def close(self) -> None:
        """Bring everything to the disk and let other processes open the memory."""
        self.committer.save_snapshot()
        self.store.close()
        self.history.close()
        self.catalog.close()


def open_rooms(*, notes: Path | None, data: Path | None, options: MemoryOptions) -> Rooms:
    """The rooms of the memory kept in `data`, made there when it is new; `data` None keeps it in RAM.

    Raises `MemoryInUse`, `InvalidInput` when the options do not fit the memory, or `StoreError`.
    """
    if data is not None:
        if notes is not None and data.resolve() == notes.resolve():
            raise InvalidInput(
                f"{data} holds the notes; the memory would lie among them",
                hint="choose another --data folder",
            )
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with ExitStack() as opened:
        store = EmbeddedStore(data and data / "store")
        opened.callback(store.close)
        base_iri = options.base_iri
        if data is not None:
            base_iri = make_charter(data, base_iri=base_iri, notes=notes).base_iri
        history = History(data and data / "history.sqlite")
        opened.callback(history.close)
        catalog = Catalog(data and data / "notes.sqlite")
        opened.callback(catalog.close)
        rooms = Rooms(
            store=store,
            history=history,
            catalog=catalog,
            names=Names(base_iri),
            notes=notes,
            options=options,
            snapshot=data and data / "reasoner.npz",
        )
        opened.pop_all()
    return rooms


def _archive(
    view: View, vocabulary: Callable[[], Vocabulary], options: MemoryOptions
) -> tuple[Archive, Withheld | None]:
    if options.archived_consequences == "keep":
        return Archive(view, vocabulary=vocabulary), None
    archive = WithdrawingArchive(view, vocabulary=vocabulary)
    return archive, archive


def _folder(notes: Path, catalog: Catalog, names: Names, options: MemoryOptions) -> Folder:
    return Folder(
        Vault(notes, suffixes=options.suffixes, ignore=options.ignore),
        catalog=catalog,
        names=names,
        dialect=Dialect(options.dialect) if options.dialect else dialect_of(notes),
        templates=options.template_folders,
        alias_links=options.alias_links,
    )
