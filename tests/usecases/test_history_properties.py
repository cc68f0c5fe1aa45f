"""Whatever agents and people do, the memory says what its history says, now and as of any moment."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from living_memory import LivingMemory

from synapse.memory import MemoryOptions
from synapse.usecases.verify import verify

RANDOMS = st.randoms(use_true_random=False)
MODEST = settings(deadline=None, suppress_health_check=list(HealthCheck))


class AnyHistory(RuleBasedStateMachine):
    """Every kind of step in every order; hypothesis shrinks a failure to the steps that matter."""

    data: Path | None = None
    options: MemoryOptions | None = None
    scenario: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.living = LivingMemory(
            random.Random(0), data=self.data, options=self.options, scenario=self.scenario
        )

    def teardown(self) -> None:
        try:
            assert (
                verify(self.living.memory._rooms.committer, self.living.memory._rooms.view).differences == 0
            )
        finally:
            self.living.close()

    @invariant()
    def holds(self) -> None:
        self.living.check()

    @rule(rng=RANDOMS)
    def say(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.say()

    @rule(rng=RANDOMS)
    def retract_whole(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.retract_whole()

    @rule(rng=RANDOMS)
    def retract_single(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.retract_single()

    @rule(rng=RANDOMS)
    def archive_or_revive(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.say_state()

    @rule(rng=RANDOMS)
    def undo(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.undo()

    @rule(rng=RANDOMS)
    def save_note(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.save_note()

    @rule(rng=RANDOMS)
    def delete_or_rename_note(self, rng: random.Random) -> None:
        self.living.rng = rng
        rng.choice((self.living.delete_note, self.living.rename_note))()

    @rule(rng=RANDOMS)
    def be_refused(self, rng: random.Random) -> None:
        self.living.rng = rng
        rng.choice((self.living.say_wrongly, self.living.take_back_wrongly))()

    @rule()
    def take_snapshot(self) -> None:
        self.living.take_snapshot()

    @rule(rng=RANDOMS)
    def look_back(self, rng: random.Random) -> None:
        self.living.rng = rng
        self.living.check_snapshot()


class AnyHistoryOnDisk(AnyHistory):
    """The same over a memory on disk that is closed and opened again now and then."""

    def __init__(self) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="synapse-history-"))
        super().__init__()

    def teardown(self) -> None:
        super().teardown()
        assert self.data is not None
        shutil.rmtree(self.data)

    @rule()
    def reopen(self) -> None:
        self.living.reopen()


class AnyWithdrawnHistory(AnyHistory):
    """The same where nothing follows from what is archived; `core` brings the statuses that archive."""

    options = MemoryOptions(archived_consequences="withdraw")
    scenario = "core"

    def teardown(self) -> None:
        self.living.close()  # owlrl needs seconds for the terms of `core`


AnyHistory.TestCase.settings = settings(MODEST, max_examples=8, stateful_step_count=12)
AnyHistoryOnDisk.TestCase.settings = settings(MODEST, max_examples=2, stateful_step_count=10)
AnyWithdrawnHistory.TestCase.settings = settings(MODEST, max_examples=6, stateful_step_count=12)
TestAnyWithdrawnHistory = AnyWithdrawnHistory.TestCase
TestAnyHistory = AnyHistory.TestCase
TestAnyHistoryOnDisk = AnyHistoryOnDisk.TestCase


@pytest.mark.parametrize(("seed", "consequences"), [(1, "keep"), (2, "keep"), (3, "withdraw")])
def test_a_hundred_and_fifty_random_steps_leave_what_the_history_says(
    seed: int, consequences: Literal["keep", "withdraw"]
) -> None:
    """With the core scenario; `bench/history.py` takes 10,000 steps."""
    options = MemoryOptions(archived_consequences=consequences)
    living = LivingMemory(random.Random(seed), scenario="core", options=options)
    try:
        for number in range(150):
            living.step()
            if number % 25 == 0:
                living.take_snapshot()
        living.check()
        for _ in range(4):
            living.check_snapshot()
    finally:
        living.close()
