"""A long life of one memory on disk: random asserts, retractions, undoings, edits of notes and restarts.

`python bench/history.py [--steps 10000] [--seed 1]`; exits 1 when the dataset is not the fold of the history,
when a past moment is not what it was, or when owlrl infers something else. Minutes for 10,000 steps.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "usecases"))

from living_memory import LivingMemory

CHECKS = 10
REOPENINGS = 4
CARE = 0.01


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="synapse-history-") as folder:
        living = LivingMemory(random.Random(options.seed), data=Path(folder), scenario="core", care=CARE)
        try:
            live(living, options.steps)
            report = living.memory.reason(verify=True)
            log = Counter(entry.kind for entry in living.memory._rooms.history.entries())
        finally:
            living.close()
    differences = report.verification.differences if report.verification else 0
    changed = report.added + report.removed
    print(f"{options.steps} steps in {time.perf_counter() - started:.0f} s: {dict(log)}")
    print(f"inferred {report.inferred}; a rebuild changed {changed}; owlrl differs in {differences}")
    return 1 if differences or changed else 0


def live(living: LivingMemory, steps: int) -> None:
    """The steps, with a full check, a snapshot and a look back ten times on the way."""
    for number in range(1, steps + 1):
        living.step()
        if number % max(1, steps // CHECKS) == 0:
            living.check()
            living.take_snapshot()
            living.check_snapshot()
            print(f"{number} steps: the dataset is the fold of the history", file=sys.stderr)
        if number % max(1, steps // REOPENINGS) == 0:
            living.reopen()


if __name__ == "__main__":
    sys.exit(main())
