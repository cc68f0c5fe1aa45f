"""Inverse predicates that hold nothing of their own: they are read from the table they mirror.

Nearly every inverse is such: `required_by` holds what `depends_on` says the other way round, and
nobody states it. Kept as facts of its own it would double the work of each edit, most of it in the
rows of hubs. Two rules that turn one predicate into the other and back make a mirror as long as no
other rule that can fire speaks of it and no source states one of its facts; when one does, a bulk run makes
a table of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from synapse.reasoning.bulk import Closure
from synapse.reasoning.hydration import Row
from synapse.reasoning.keys import MASK, Keys, swapped
from synapse.reasoning.program import GroundRule
from synapse.reasoning.table import Table

Reversals = dict[tuple[int, int], list[GroundRule]]
"""The rules `?x p ?y → ?y q ?x`, by (p, q)."""

_NO_KEYS: Final = np.empty(0, np.int64)
_NO_LEVELS: Final = np.empty(0, np.int32)


class Mirror(Table):
    """The table of a mirrored predicate, read from its source.

    Literals are no subjects: a fact of the source with a literal is not mirrored, though `size` counts it.
    """

    __slots__ = ("_floor", "source")

    def __init__(self, predicate: int, source: Table, axiom_level: int) -> None:
        super().__init__(predicate, _NO_KEYS, _NO_LEVELS, None, source.occupancy)
        self.source = source
        self._floor = axiom_level
        self.size = source.size
        source.mirror = self

    def level(self, subject: int, object_: int) -> int | None:
        """One above the fact that is mirrored."""
        if subject & 1:
            return None
        level = self.source.level(object_, subject)
        return None if level is None else max(self._floor, level) + 1

    def rows(self) -> Iterator[Row]:
        """All (subject, object, level)."""
        keys, levels = self.arrays()
        return zip((keys >> 32).tolist(), (keys & MASK).tolist(), levels.tolist(), strict=True)

    def arrays(self) -> tuple[Keys, NDArray[np.int32]]:
        """All facts as sorted keys, and their levels in the same order."""
        keys, levels = self.source.arrays()
        seen = keys & 1 == 0
        keys, levels = swapped(keys[seen]), np.maximum(levels[seen], np.int32(self._floor)) + np.int32(1)
        order = np.argsort(keys)
        return keys[order], levels[order]


def mirrored(closure: Closure, kept: Collection[int]) -> tuple[Reversals, dict[int, list[GroundRule]]]:
    """The mirrors among the predicates of a closure, those in `kept` excepted.

    First the rules between each (source, mirror), then for each mirror the other rules that speak of it:
    it ceases to be one when one of them can fire.
    """
    reversals = _reversals(closure.rules)
    mentions = _mentions(closure.rules)
    found: Reversals = {}
    others: dict[int, list[GroundRule]] = {}
    for (source, mirror), rules in reversals.items():
        back = reversals.get((mirror, source))
        if back is None or mirror in kept or source in others or any(mirror == known for known, _ in found):
            continue
        rest = [rule for rule in mentions[mirror] if rule not in rules and rule not in back]
        if _is_derived_only(closure, mirror) and not any(_may_fire(closure, rule, mirror) for rule in rest):
            found[source, mirror] = rules
            others[mirror] = rest
    return found, others


def _reversals(rules: Iterable[GroundRule]) -> Reversals:
    found: Reversals = defaultdict(list)
    for rule in rules:
        if rule.head is None or len(rule.body) != 1 or rule.distinct:
            continue
        (atom,), head = rule.body, rule.head
        turned = (atom.object, atom.subject) == (head.subject, head.object)
        if turned and len(atom.variables) == 2 and atom.predicate != head.predicate:
            found[atom.predicate, head.predicate].append(rule)
    return dict(found)


def _mentions(rules: Iterable[GroundRule]) -> dict[int, list[GroundRule]]:
    mentions: dict[int, list[GroundRule]] = defaultdict(list)
    for rule in rules:
        atoms = rule.body if rule.head is None else (*rule.body, rule.head)
        for predicate in {atom.predicate for atom in atoms}:
            mentions[predicate].append(rule)
    return mentions


def _is_derived_only(closure: Closure, predicate: int) -> bool:
    relation = closure.relations.get(predicate)
    return relation is not None and len(relation.levels) > 0 and bool(relation.levels.min() > 0)


def _may_fire(closure: Closure, rule: GroundRule, mirror: int) -> bool:
    read = {atom.predicate for atom in rule.body} - {mirror}
    return all(
        predicate in closure.relations and len(closure.relations[predicate].pairs) for predicate in read
    )
