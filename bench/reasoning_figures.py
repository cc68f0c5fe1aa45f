"""What the reasoning benchmark has to reach, what it measured, and the rows of its table."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Gate:
    """What a figure has to reach; `least` is a lower bound, `most` an upper one."""

    data: str
    what: str
    unit: str
    most: float = float("inf")
    least: float = 0.0

    def missed(self, figure: float) -> str | None:
        """How a figure misses the gate, None when it does not."""
        if self.least <= figure <= self.most:
            return None
        bound = f"over {self.most:g}" if figure > self.most else f"under {self.least:g}"
        return f"{self.data}, {self.what}: {figure:.3g} {self.unit}, {bound}"


GATES: Final = (
    Gate("vault-10000", "materialise: times reasonable", "times", least=10),
    Gate("university-100000", "materialise: times owlrl", "times", least=300),
    Gate("vault-10000", "replace a unit: derive", "ms", most=2),
    Gate("vault-10000", "replace a unit: derive and write", "ms", most=10),
    Gate("vault-10000", "a run of reasonable by a replacement", "times", least=1000),
    Gate("vault-10000", "explain", "ms", most=1),
    Gate("cycle", "deletion by insertion", "times", most=10),
    Gate("university-1000000", "open a snapshot", "s", most=2),
    Gate("university-1000000", "memory after opening", "MB", most=450),
)
FIGURES: Final[dict[tuple[str, str], float]] = {}
"""What was measured, by data and name, in the unit of its gate."""


def missed_gates() -> list[str]:
    """The gates of what was measured that were missed."""
    measured = [(gate, FIGURES[gate.data, gate.what]) for gate in GATES if (gate.data, gate.what) in FIGURES]
    return [text for gate, figure in measured if (text := gate.missed(figure))]


def unmeasured_gates() -> list[str]:
    """The gates that this run says nothing about: smaller sizes, engines that are absent."""
    return [f"{gate.data}, {gate.what}" for gate in GATES if (gate.data, gate.what) not in FIGURES]


def spread(name: str, what: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * len(ordered))]
    median = FIGURES[name, what] = statistics.median(ordered) * 1e3
    return row(name, what, f"{median:.3f} ms", f"p95 {p95 * 1e3:.3f} ms")


def row(name: str, what: str, figure: str, note: str) -> str:
    return f"| {name} | {what} | {figure} | {note} |"
