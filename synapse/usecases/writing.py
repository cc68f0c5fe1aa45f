"""What agents write into one memory: assertions, retractions, and the undoing of either."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synapse.errors import InvalidInput
from synapse.usecases.assert_facts import Assertions
from synapse.usecases.commit import Outcome
from synapse.usecases.log import Logbook
from synapse.usecases.retract_facts import Retractions
from synapse.usecases.rooms import Rooms
from synapse.usecases.written import FactInput, WriteAnswer


class Writing:
    """The writes of one memory's agents. One caller at a time."""

    def __init__(self, rooms: Rooms, *, heard: Callable[[Outcome], None]) -> None:
        """`heard` is called with the outcome of every write that was not refused."""
        self._rooms = rooms
        self._heard = heard

    def assert_facts(
        self,
        facts: Sequence[FactInput],
        *,
        source: str,
        reason: str,
        agent: str,
        confidence: float | None,
        force_new: bool,
    ) -> WriteAnswer:
        """See `Memory.assert_facts`."""
        assertions = Assertions(self._rooms)
        return self._told(
            *assertions.add(
                facts, agent=agent, source=source, reason=reason, confidence=confidence, force_new=force_new
            )
        )

    def retract(
        self, assertion_id: str | None, facts: Sequence[FactInput], *, reason: str, agent: str
    ) -> WriteAnswer:
        """See `Memory.retract_facts`."""
        if (assertion_id is None) == (not facts):
            raise InvalidInput(
                "give an assertion_id or facts, one of the two",
                hint="take back the assertion in one call, facts of others in another",
            )
        retractions = Retractions(self._rooms)
        if assertion_id is not None:
            return self._told(*retractions.assertion(assertion_id, agent=agent, reason=reason))
        return self._told(*retractions.facts(facts, agent=agent, reason=reason))

    def undo(self, activity: str, *, reason: str, agent: str) -> WriteAnswer:
        """See `Memory.undo`."""
        return self._told(*Logbook(self._rooms).undo(activity, agent=agent, reason=reason))

    def _told(self, answer: WriteAnswer, outcome: Outcome | None) -> WriteAnswer:
        if outcome is not None:
            self._heard(outcome)
        return answer
