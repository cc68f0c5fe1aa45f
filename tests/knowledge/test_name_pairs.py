"""The labelled set: is a connection ever wrong, and how many same pairs are recognised?

`tests/data/name_pairs.tsv` is of our own making: English and Spanish names as people write
them in notes, by class, with what a person says of each pair. `make bench-resolver` and
docs/resolver.md show the figures.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

from synapse.knowledge.names_index import Named, NamesIndex
from synapse.knowledge.normalise import normalise
from synapse.knowledge.resolver import Ask, Connect, Resolution, Resolver

PAIRS = Path(__file__).parents[1] / "data" / "name_pairs.tsv"


@dataclass(frozen=True)
class Pair:
    group: str
    same: bool
    types: tuple[str, ...]
    known: str
    mention: str


def pairs() -> list[Pair]:
    with PAIRS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Pair(
            row["class"],
            row["truth"] == "same",
            tuple(filter(None, [row["type"]])),
            row["known"],
            row["mention"],
        )
        for row in rows
    ]


def alone(pair: Pair) -> Resolution:
    """The pair in a memory that holds nothing else."""
    index = NamesIndex.build([Named("known", pair.known, types=pair.types)])
    return Resolver(index).resolve(pair.mention, type=pair.types)


def table(outcomes: dict[str, Counter[str]]) -> str:
    lines = [f"{'class':36}{'connect':>9}{'ask':>6}{'create':>8}"]
    lines += [
        f"{group:36}{count['Connect']:>9}{count['Ask']:>6}{count['Create']:>8}"
        for group, count in outcomes.items()
    ]
    return "\n".join(lines)


def test_the_set_is_large_and_holds_every_class() -> None:
    found = pairs()
    assert len(found) >= 400
    assert len({(pair.known, pair.mention, pair.types) for pair in found}) == len(found)
    assert {True, False} == {pair.same for pair in found}
    assert {"acronym", "versions", "numbers", "transliteration", "years"} <= {pair.group for pair in found}


def test_no_connection_is_wrong_and_same_pairs_are_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[Pair] = []
    missed: list[Pair] = []
    for pair in pairs():
        outcome = alone(pair)
        outcomes[f"{'same' if pair.same else 'different'} {pair.group}"][type(outcome).__name__] += 1
        if isinstance(outcome, Connect) and not pair.same:
            wrong.append(pair)
        if pair.same and not isinstance(outcome, Connect | Ask):
            missed.append(pair)
    same = sum(pair.same for pair in pairs())
    recall = 1 - len(missed) / same
    with capsys.disabled():
        print(f"\n{table(outcomes)}\nrecall of {same} same pairs: {recall:.3f}")  # noqa: T201
    assert wrong == []
    assert recall >= 0.95, missed
    connected = sum(count["Connect"] for group, count in outcomes.items() if group.startswith("same"))
    assert connected / same >= 0.25, "a resolver that only asks would pass the other two"


def test_no_connection_is_wrong_in_one_memory_of_all_the_names() -> None:
    found = pairs()
    index = NamesIndex.build(Named(pair.known, pair.known, types=pair.types) for pair in found)
    resolver = Resolver(index)
    known = {normalise(pair.known) for pair in found}
    same = {(pair.known, pair.mention) for pair in found if pair.same}
    recognised: list[bool] = []
    for pair in found:
        outcome = resolver.resolve(pair.mention, type=pair.types)
        offered = [candidate.id for candidate in outcome.did_you_mean] if isinstance(outcome, Ask) else []
        if isinstance(outcome, Connect):
            exact = normalise(outcome.entity) == normalise(pair.mention)
            assert exact or (outcome.entity, pair.mention) in same, (pair, outcome)
            offered = [outcome.entity]
        # A mention that is the very name of another entity of the set means that one there.
        if pair.same and normalise(pair.mention) not in known - {normalise(pair.known)}:
            recognised.append(pair.known in offered)
    assert sum(recognised) / len(recognised) >= 0.95
