"""What is told on stderr of a memory that follows its notes: each round, and what is newly wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import click

from synapse.interfaces.cli import render_reports
from synapse.interfaces.cli.hosting import Ingest
from synapse.interfaces.cli.output import show
from synapse.interfaces.cli.render_terms import count
from synapse.notes.note import Diagnostic
from synapse.usecases.answers import to_json

MOST: Final = 20
"""Lines of diagnostics that one round brings at most."""

Problem = tuple[str, str, str]
"""The path, the code and the message of a diagnostic: its line moves while somebody types above it."""


class ChangeLog:
    """Tells of each round that changed something; remembers which diagnostics were told already."""

    def __init__(self) -> None:
        self._known: frozenset[Problem] | None = None

    def begin(self, first: Ingest) -> None:
        """Take what the first round found as told; whoever starts the memory shows it."""
        if self._known is None:
            self._known = frozenset(map(_problem, first.diagnostics))

    def tell(self, done: Ingest) -> None:
        """One line on stderr for a round that changed something, and one for each new diagnostic."""
        found = done.diagnostics
        known, self._known = self._known, frozenset(map(_problem, found))
        if done.sync.indexed or done.sync.removed:
            click.echo(_summary(done), err=True)
        elif done.write_back and done.write_back.written:
            click.echo(_written_back(len(done.write_back.written)), err=True)
        if known is not None:
            _show(item for item in found if _problem(item) not in known)


def _problem(item: Diagnostic) -> Problem:
    # What a broken link may have meant is told only of the notes that were looked at.
    return item.path, item.code, item.message.partition("; did you mean ")[0]


def _show(new: Iterable[Diagnostic]) -> None:
    listed: Any = to_json(list(new))
    view = render_reports.diagnostics(listed, most=MOST)
    if view is not None:
        show(view, stream=sys.stderr)


def _written_back(number: int) -> str:
    """The line of a round in which no note was saved: an agent wrote, or a note came to rest."""
    return f"{_now()}  {count(number, 'note')} written back"


def _now() -> str:
    return datetime.now().astimezone().strftime("%H:%M:%S")


def _summary(done: Ingest) -> str:
    sync, back = done.sync, done.write_back
    parts = [f"{sync.indexed} indexed", f"{sync.removed} removed"]
    parts += [f"inferred +{sync.inferred_added} −{sync.inferred_removed}"]
    parts += [f"{len(back.written)} written back"] if back and back.written else []
    return f"{_now()}  {', '.join(parts)}  {sync.seconds:.2f} s"
