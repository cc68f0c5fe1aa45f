"""A process that keeps notes in its memory until somebody ends it; `test_crashes` runs it.

It prints a line each time a synchronisation was acknowledged. Arguments: notes, data, seed.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from synapse.memory import Memory


def change(notes: Path, number: int, rng: random.Random) -> None:
    """Some notes come, change and go; the one called `number` stays."""
    for _ in range(rng.randrange(1, 40)):
        file = notes / f"n-{rng.randrange(60)}.md"
        if file.exists() and rng.random() < 0.3:
            file.unlink()
        else:
            links = " ".join(f"[[n-{rng.randrange(60)}]]" for _ in range(4))
            file.write_text(f"---\ndepends_on: '[[n-{rng.randrange(60)}]]'\n---\n{links}\n")
    (notes / f"kept-{number}.md").write_text(f"---\nuses: '[[n-{number}]]'\n---\n")


def main() -> None:
    notes, data, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    with Memory.open(notes=notes, data=data) as memory:
        memory.install_scenario("core")
        for number in range(seed * 1000, seed * 1000 + 1000):
            change(notes, number, rng)
            memory.sync()
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
