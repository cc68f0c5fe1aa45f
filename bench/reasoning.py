"""Reasoning, side by side in one run: owlrl, reasonable (Rust), a SPARQL INSERT loop, and synapse.

    make bench-reasoning                                  the sizes of docs/benchmarks.md
    python bench/reasoning.py --notes 1000 --university 10000 --rounds 3

Every figure is the median of `--rounds` runs, or of as many as fit into `--patience` seconds per
engine (the note tells). Engines reason over the same triples, already loaded in their own form, each
in a process of its own; parsing and writing are not counted. One that is still at its first run after
`--limit` seconds is stopped, and the row gives bounds. Before a figure is shown, the inferred sets are
compared. Edits are measured in turns between these runs, and taken back. The run ends with the gates that
were missed, and exits 1 when there are any.
`reasonable` is no dependency of synapse: `pip install reasonable==0.4.4`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from reasoning_data import Data, university, vault
from reasoning_edits import Edits, cycles
from reasoning_engines import Facts, Runner, installed, timed
from reasoning_figures import FIGURES, missed_gates, row, spread, unmeasured_gates

from synapse.reasoning import Reasoner


def materialisation(
    data: Data, engines: list[str], options: argparse.Namespace, edits: Edits
) -> Iterator[str]:
    runners = {engine: Runner(engine, data) for engine in engines}
    seconds: dict[str, list[float]] = {engine: [] for engine in engines}
    stopped: set[str] = set()
    for _ in range(options.rounds):  # round by round, so that a busy moment touches all engines
        for engine in engines:
            if not seconds[engine] or sum(seconds[engine]) * 2 < options.patience:
                spent = None if engine in stopped else runners[engine].run(options.limit)
                seconds[engine] += [] if spent is None else [spent]
                stopped |= {engine} if spent is None else set()
        edits.turn()
    for runner in runners.values():
        runner.stop()
    facts = {engine: runner.facts or set() for engine, runner in runners.items()}
    for engine in engines:
        yield engine_row(data, engine, seconds, options.limit, facts)


def engine_row(
    data: Data, engine: str, seconds: dict[str, list[float]], limit: float, facts: dict[str, Facts]
) -> str:
    """The median of an engine's runs and how many times ours it is; bounds of both when it was stopped."""
    ours = statistics.median(seconds["synapse"])
    median = statistics.median(seconds[engine] or [limit])
    times = FIGURES[data.name, f"materialise: times {engine}"] = median / ours
    if not seconds[engine]:
        figure, note = f"over {median:.0f} s", f"more than {times:.0f}x, stopped unfinished"
    else:
        same = "same" if facts[engine] == facts["synapse"] else difference(facts[engine], facts["synapse"])
        figure, note = f"{median:.3f} s", f"{times:.0f}x, {same}, {len(seconds[engine])} runs"
    if engine == "reasonable":
        FIGURES[data.name, "reasonable, s"] = median
    return row(data.name, f"materialise: {engine}", figure, note)


def difference(theirs: Facts, ours: Facts) -> str:
    return f"{len(theirs - ours)} more and {len(ours - theirs)} fewer facts"


def proofs(edits: Edits) -> Iterator[str]:
    reasoner = edits.reasoner
    sample = random.Random(7).sample(list(reasoner.inferred()), 500)
    yield spread(edits.name, "explain", [timed(lambda t=triple: reasoner.explain(t))[0] for triple in sample])


def restart(edits: Edits, rounds: int) -> Iterator[str]:
    """Opening a snapshot, each time in a process that does nothing else."""
    name, reasoner, counts = edits.name, edits.reasoner, edits.reasoner.counts
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.npz"
        saving, _ = timed(lambda: reasoner.snapshot(path, 1))
        opened = [opened_alone(path) for _ in range(rounds)]
    opening = FIGURES[name, "open a snapshot"] = statistics.median(seconds for seconds, _ in opened)
    peak = FIGURES[name, "memory after opening"] = statistics.median(peak for _, peak in opened)
    yield row(name, "open a snapshot", f"{opening:.3f} s", f"saved in {saving:.3f} s")
    facts = f"{counts.asserted} + {counts.inferred} facts, peak"
    yield row(name, "memory after opening", f"{peak:.0f} MB", facts)


def opened_alone(path: Path) -> tuple[float, float]:
    """Seconds and megabytes that another process takes to open a snapshot."""
    command = [sys.executable, __file__, "--open", str(path)]
    seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(peak)


def open_here(path: Path) -> None:
    """What that process does."""
    seconds, reasoner = timed(lambda: Reasoner.from_snapshot(path, 1))
    assert reasoner is not None
    print(f"{seconds:.3f} {_peak_kilobytes() / 1024:.0f}")


def _peak_kilobytes() -> int:
    status = Path("/proc/self/status")
    if status.exists():  # what getrusage tells a child begins with the size of its parent
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> int:
    options = arguments()
    if options.open:
        open_here(options.open)
        return 0
    print(f"{machine()}\n")
    print(row("data", "what", "median", "note"), row("---", "---", "---", "---"), sep="\n")
    for data in (*map(vault, options.notes), *map(university, options.university)):
        edits = Edits(data, options.rounds)
        runs = materialisation(data, engines(data, options), options, edits)
        after = (edits.rows(), proofs(edits), restart(edits, options.rounds))
        for line in chain(runs, *after):
            print(line, flush=True)
    print(*cycles(options.rounds), sep="\n", flush=True)
    print(f"\nLoad at the end: {os.getloadavg()[0]:.1f}.")
    missed = missed_gates()
    for text in unmeasured_gates():
        print(f"not measured: {text}")
    for text in missed:
        print(f"missed: {text}")
    return 1 if missed else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--university", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=60, help="seconds per engine and data set")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a run is stopped")
    parser.add_argument("--owlrl-at-most", type=int, default=110_000, help="triples; it needs minutes")
    parser.add_argument("--ours-only", action="store_true", help="skip the other engines")
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def machine() -> str:
    """Where and with what the figures were taken."""
    packages = ("numpy", "pyoxigraph", "owlrl", "reasonable")
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    return (
        f"{time.strftime('%Y-%m-%d %H:%M')}, {os.cpu_count()} cores {platform.machine()},"
        f" Python {platform.python_version()}, {versions}, load {os.getloadavg()[0]:.1f}"
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def engines(data: Data, options: argparse.Namespace) -> list[str]:
    """The engines that are installed and that this size does not keep busy for hours."""
    if options.ours_only:
        return ["synapse"]
    return [name for name in installed() if name != "owlrl" or len(data.triples) <= options.owlrl_at_most]


if __name__ == "__main__":
    sys.exit(main())
