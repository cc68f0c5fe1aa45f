"""Faults made on purpose over real folders: what they need in common."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synapse.memory import Memory

DEADLINE = 30.0
"""Seconds until a test gives up; generous, for what is waited for takes milliseconds."""

NOBODY = 65534
SAYS = "SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } FILTER(?g != <urn:synapse:meta>) }"


def says(memory: Memory) -> set[str]:
    """Everything that a memory holds but its records, one line a quad."""
    return set(memory.sparql(SAYS, format="tsv", limit=None).text.splitlines())


def said_by_a_fresh_memory(notes: Path) -> set[str]:
    with Memory.open(notes=notes) as fresh:
        fresh.install_scenario("core")
        fresh.sync()
        return says(fresh)


def knows(memory: Memory, subject: str, predicate: str, object: str) -> bool:
    """Whether a fact is stated or follows."""
    answer = memory.why(subject, predicate, object)
    return bool(getattr(answer, "known", False))


def until(condition: Callable[[], object]) -> None:
    """Waits until `condition` holds; fails the test at the deadline."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "nothing came before the deadline"
        time.sleep(0.01)


@contextmanager
def as_nobody() -> Iterator[None]:
    """While it lasts, permissions count: root is let in everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def give_to_nobody(folder: Path) -> None:
    """Everything in a folder belongs to whom `as_nobody` makes us."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            with suppress(FileNotFoundError):  # an open store deletes files of its own meanwhile
                os.chown(path, NOBODY, NOBODY)
