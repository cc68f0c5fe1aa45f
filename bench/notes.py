"""How fast notes become known: cold index, a look at an unchanged folder, one saved note; whole processes.

`make bench-notes` measures vaults of 1k and 10k notes and, on the same 1k vault, basic-memory in an
environment of its own (`BASIC_MEMORY`, made with `make bench/.env/basic-memory`), its semantic search off and
without a network. Each figure is the median of `--runs` runs; the two programs take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vaults import make_vault

from synapse.memory import Memory
from synapse.usecases.answers import Explanation

SYNAPSE = Path(sys.executable).with_name("synapse")
BASIC_MEMORY = Path(__file__).parent / ".env/basic-memory/bin/basic-memory"
EDITS = 30


@dataclass(frozen=True, slots=True)
class Cost:
    """What one whole process took: seconds on the clock, seconds of processor time, peak memory in MB."""

    wall: float
    cpu: float
    peak: float


def measured(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end, alone in a process; its output is dropped unless it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command],
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure on its own."""
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in Cost.__slots__))


def synapse_runs(vault: Path, scratch: Path) -> tuple[Cost, Cost]:
    """One cold index and one look at the unchanged vault."""
    data = scratch / "synapse-data"
    shutil.rmtree(data, ignore_errors=True)
    command = [SYNAPSE, "index", vault, "--data", data, "--json"]
    cold = measured(command)
    time.sleep(2)  # until no note was saved so shortly before that its look cannot be trusted
    measured(command)
    return cold, measured(command)


def basic_memory_runs(vault: Path, scratch: Path) -> tuple[Cost, Cost]:
    """The same with basic-memory, over a copy: it writes into notes."""
    home, copy = scratch / "basic-home", scratch / "basic-vault"
    for folder in (home, copy):
        shutil.rmtree(folder, ignore_errors=True)
    home.mkdir()
    shutil.copytree(vault, copy)
    environment = {
        "HOME": str(home),
        "BASIC_MEMORY_CONFIG_DIR": str(home / "config"),
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        "BASIC_MEMORY_AUTO_UPDATE": "false",
        "BASIC_MEMORY_NO_PROMOS": "1",
    }
    alone = ["unshare", "-n"] if os.geteuid() == 0 else []
    add = [*alone, BASIC_MEMORY, "project", "add", "bench", copy, "--local"]
    again = [*alone, BASIC_MEMORY, "reindex", "--search", "--project", "bench"]
    return measured(add, environment), measured(again, environment)


def edit_to_answer(vault: Path, total: int) -> float:
    """The median of seconds from a saved note to the answer that a running memory gives from it."""
    with Memory.open(notes=vault) as memory:
        memory.install_scenario("core")
        memory.sync()
        return statistics.median(_edit(memory, vault, number) for number in range(7, total, total // EDITS))


def _edit(memory: Memory, vault: Path, number: int) -> float:
    file = next(vault.rglob(f"*-{number}.md"))
    text = file.read_text(encoding="utf-8").replace("---\n", f"---\naffects: '[[edited/{number}]]'\n", 1)
    relative = file.relative_to(vault).as_posix()
    started = time.perf_counter()
    file.write_text(text, encoding="utf-8")
    memory.sync(paths=[relative])
    answer = memory.why(relative.removesuffix(".md"), "affects", f"edited/{number}")
    taken = time.perf_counter() - started
    assert isinstance(answer, Explanation)
    assert answer.known
    return taken


def row(name: str, cost: Cost) -> str:
    """One line of the table."""
    return f"| {name} | {cost.wall:.2f} s | {cost.cpu:.2f} s | {cost.peak:.0f} MB |"


def compare(vault: Path, scratch: Path, runs: int, *, with_basic_memory: bool) -> dict[str, Cost]:
    """The medians of both programs over one vault, taking turns."""
    programs: dict[str, Callable[[Path, Path], tuple[Cost, Cost]]] = {"synapse": synapse_runs}
    if with_basic_memory:
        programs["basic-memory"] = basic_memory_runs
    taken: dict[str, list[Cost]] = {}
    for _ in range(runs):
        for name, program in programs.items():
            for what, cost in zip(("cold", "no change"), program(vault, scratch), strict=True):
                taken.setdefault(f"{name}, {what}", []).append(cost)
    return {name: median(costs) for name, costs in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only-synapse", action="store_true")
    chosen = parser.parse_args()
    rival = BASIC_MEMORY.exists() and not chosen.only_synapse
    figures: dict[str, Cost | float] = {}
    with tempfile.TemporaryDirectory(prefix="synapse-bench-") as folder:
        scratch = Path(folder)
        for total in (1_000, 10_000):
            vault = make_vault(scratch / str(total), total)
            costs = compare(vault, scratch, chosen.runs, with_basic_memory=rival and total == 1_000)
            figures |= {f"{name}, {total:,} notes": cost for name, cost in costs.items()}
        figures["a saved note to its answer, 10,000 notes"] = edit_to_answer(vault, total)
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    if chosen.json:
        print(json.dumps({name: repr(cost) for name, cost in figures.items()}, indent=2))
        return
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, load at the end {load}\n")
    print("| what | clock | processor | peak memory |\n|---|---|---|---|")
    for name, cost in figures.items():
        print(row(name, cost) if isinstance(cost, Cost) else f"| {name} | {cost * 1000:.0f} ms | | |")


if __name__ == "__main__":
    main()
