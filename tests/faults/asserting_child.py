"""Opens a memory and asserts without end, printing the id of each assertion once it is acknowledged.

`asserting_child.py DATA SEED [DIE_AFTER WHERE]`: with `WHERE` the process kills itself in its n-th
commit, `recorded` when the history has the activity and the dataset does not, `applied` when both have it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from synapse.memory import Memory
from synapse.rdf.delta import Change
from synapse.store.base import no_more, nothing
from synapse.store.embedded import EmbeddedStore
from synapse.usecases.written import FactInput

CHAIN = 12
"""Entities of one chain of dependencies: what follows grows with it, and an assertion ends one link."""


class DyingStore(EmbeddedStore):
    """A store whose process is killed in the middle of a commit."""

    left = -1
    where = "recorded"

    def apply(
        self,
        change: Change,
        *,
        rest: Callable[[], tuple[Change, ...]] = no_more,
        record: Callable[[], None] = nothing,
    ) -> None:
        def record_and_die() -> None:
            record()
            if DyingStore.left == 0 and self.where == "recorded":
                os.kill(os.getpid(), signal.SIGKILL)

        DyingStore.left -= 1
        super().apply(change, rest=rest, record=record_and_die)
        if DyingStore.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def facts(seed: int, number: int) -> list[FactInput]:
    """The link of a chain, a text and a number: three facts that stand or fall together."""
    chain, place = divmod(number, CHAIN)
    node = f"run-{seed}/chain-{chain}/{place}"
    return [
        FactInput(node, "depends_on", f"run-{seed}/chain-{chain}/{place + 1}", object_is="id"),
        FactInput(node, "note", f"number {number} \t ñ\n" * 20, object_is="literal"),
        FactInput(node, "tier", str(number), "xsd:integer"),
    ]


def tell(line: str) -> None:
    """One line for the parent, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(data: Path, seed: int) -> None:
    with Memory.open(data=data) as memory:
        memory.install_scenario("core")
        tell("ready")
        if len(sys.argv) > 3:
            memory._rooms.store.__class__ = DyingStore
            DyingStore.left, DyingStore.where = int(sys.argv[3]), sys.argv[4]
        number = 0
        while True:
            answer = memory.assert_facts(
                facts(seed, number), source="a test", reason=f"number {number}", force_new=True
            )
            tell(f"{number} {answer.id}")
            number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
