"""What the commands that run until they are stopped share: opening, waiting, stopping, telling."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import Final

import click

from synapse.errors import MemoryInUse
from synapse.interfaces.cli.change_log import ChangeLog
from synapse.interfaces.cli.hosting import Hosted, Hosting, base_url, hosted
from synapse.interfaces.cli.progress import progress_bar
from synapse.interfaces.cli.session import Session
from synapse.interfaces.daemon import await_owner, unreachable
from synapse.memory import Memory

_WAKE: Final = 0.5
"""Seconds; on Windows a wait without a timeout cannot be interrupted."""


@contextmanager
def run(session: Session, plan: Hosting) -> Iterator[tuple[Memory, Hosted]]:
    """Host the session's memory; after the body, wait until Ctrl-C, SIGTERM or the server's end."""
    with _quiet_stop(), _opened(session) as memory, ExitStack() as stack:
        log = ChangeLog()
        with progress_bar("Reading the notes") as step:
            hosting = hosted(memory, session.settings, plan, progress=step, told=log.tell)
            running = stack.enter_context(hosting)
        if running.first is not None:
            log.begin(running.first)
        yield memory, running
        _wait(running.address.ended)


def _wait(ended: Event) -> None:
    while not ended.wait(_WAKE):
        pass


@contextmanager
def _quiet_stop() -> Iterator[None]:
    """Ctrl-C and SIGTERM end the body, whatever it is doing, without an error."""
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            click.echo("\rStopped.", err=True)
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def _opened(session: Session) -> Iterator[Memory]:
    try:
        memory = session.open_memory()
    except MemoryInUse as held:
        raise _owned(session, held) from None
    try:
        yield memory
    finally:
        memory.close()


def _owned(session: Session, held: MemoryInUse) -> MemoryInUse:
    """The error for a memory that another process owns: where that one serves it."""
    owner = await_owner(session.settings.data)
    if owner is None:
        return unreachable(session.settings.data, held)
    place = session.settings.root or session.settings.data
    return MemoryInUse(
        f"already served at {base_url(owner.host, owner.port)} by process {owner.pid}: {place}",
        hint=f"use it there, or end that process first (kill {owner.pid})",
    )
