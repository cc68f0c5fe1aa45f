"""One command's way to its memory: settings, the owner if there is one, else a memory opened here."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from synapse.errors import InvalidInput
from synapse.interfaces.cli.options import Invocation
from synapse.interfaces.daemon import open_gateway
from synapse.interfaces.gateway import Gateway
from synapse.interfaces.notes_root import Unnamed
from synapse.interfaces.settings import Settings, load_settings
from synapse.interfaces.staleness import stale_notices
from synapse.rdf.names import Names
from synapse.usecases.answers import Json
from synapse.usecases.charter import read_charter

if TYPE_CHECKING:
    from synapse.memory import Memory


@dataclass(frozen=True, slots=True)
class Session:
    """The settings of one command line, and how its answers are printed."""

    settings: Settings
    json: bool = False
    debug: bool = False

    @staticmethod
    def of(invocation: Invocation, *, unnamed: Unnamed, flags: Mapping[str, object] | None = None) -> Session:
        """The session that the shared options ask for; raises `InvalidInput` for wrong settings.

        Each command says what it takes when nobody named a notes folder, see `Unnamed`.
        """
        logging.basicConfig(
            level=logging.DEBUG if invocation.debug else logging.WARNING, format="%(name)s: %(message)s"
        )
        settings = load_settings(invocation.notes, data=invocation.data, flags=flags, unnamed=unnamed)
        _tell_root(settings)
        return Session(settings, invocation.json, invocation.debug)

    def ask(self, operation: str, **arguments: Json) -> Any:
        """The answer of a memory that exists already, with a notice when the notes changed since.

        Raises what `Gateway.call` raises.
        """
        with self.gateway(create=False) as gateway:
            answer: Any = gateway.call(operation, arguments)
            if arguments.get("as_of") is not None:
                return answer  # what was known then does not depend on what changed since
            status: Any = gateway.call("status", {})
        stale = stale_notices(status, remark="synapse index reads what changed")
        return {**answer, "notices": [*answer["notices"], *stale]}

    @contextmanager
    def gateway(
        self, *, create: bool, opened: Callable[[Memory], None] = lambda _: None
    ) -> Iterator[Gateway]:
        """The memory through its owner, or opened here; `opened` hears of the second.

        `create` allows a memory that was never indexed.
        """

        def open_here() -> Memory:
            memory = self.open_memory() if create else self._open_existing()
            opened(memory)
            return memory

        with open_gateway(open_here, self.settings.data) as gateway:
            self.settings.remember()
            yield gateway

    def names(self) -> Names:
        """The names of this memory: its base IRI is the one it was made with."""
        charter = read_charter(self.settings.data)
        return Names(charter.base_iri if charter else self.settings.memory.base_iri)

    def open_memory(self) -> Memory:
        """Open the memory in this process; raises `MemoryInUse` when another one holds it."""
        # The memory brings numpy and the store along: a forwarded command does without both.
        from synapse.memory import Memory, MemoryOptions  # noqa: PLC0415

        chosen = self.settings
        options = MemoryOptions(
            base_iri=chosen.memory.base_iri,
            regime=chosen.memory.reasoning,
            dialect=None if chosen.memory.dialect == "auto" else chosen.memory.dialect,
            suffixes=chosen.notes.suffixes,
            ignore=chosen.notes.ignore,
            template_folders=chosen.notes.templates,
            alias_links=chosen.notes.alias_links,
            language=chosen.write_back.language,
            archived_consequences=chosen.memory.archived_consequences,
            resolve=chosen.resolve,
        )
        try:
            return Memory.open(notes=chosen.root, data=chosen.data, options=options)
        except OSError as error:
            reason = error.strerror or str(error)
            raise InvalidInput(
                f"the data folder {chosen.data} cannot be used: {reason}", hint="name another with --data"
            ) from error

    def _open_existing(self) -> Memory:
        if not self.settings.data.is_dir():
            place = self.settings.root or self.settings.data
            raise InvalidInput(f"nothing was indexed yet for {place}", hint=f"start with: synapse up {place}")
        return self.open_memory()


def _tell_root(settings: Settings) -> None:
    """On stderr, which notes folder is meant where nobody named one that is known."""
    if settings.by_habit:
        click.echo(
            f"note: this folder is in no known notes folder; used is {settings.root}, as last time "
            "(another: --notes DIR)",
            err=True,
        )
    elif settings.by_place:
        click.echo(f"note: {settings.root} is new to synapse; from now on it is a notes folder", err=True)
