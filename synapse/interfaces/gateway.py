"""How every front end asks a memory: the name of an operation, its arguments, one JSON answer.

The memory may live in this process (`LocalGateway`) or in the process that owns it
(`RemoteGateway`); whoever asks cannot tell, and gets the same answers and the same errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from threading import Event
from typing import TYPE_CHECKING, Any, Final, Protocol

from synapse.errors import InvalidInput, MemoryInUse, SynapseError
from synapse.interfaces import arguments as takes
from synapse.interfaces.arguments import Check
from synapse.rdf.names import shortened
from synapse.usecases.answers import Candidate, Json, Unresolved, to_json
from synapse.usecases.changed import Changed, Listener

if TYPE_CHECKING:
    from synapse.memory import Memory

RPC_PATH: Final = "/rpc"
CHANGES_PATH: Final = "/changes"
CHANGES_WAIT: Final = 20.0
"""Seconds that an owner waits for a change before it says that there was none."""
CONNECT_TIMEOUT: Final = 5.0
"""Seconds; an owner that is alive answers on loopback within milliseconds."""


class Gateway(Protocol):
    """A memory that answers operations, in this process or in its owner's."""

    def call(self, operation: str, arguments: Mapping[str, Json]) -> Json:
        """The answer in the JSON of the contract (section 9).

        Raises `InvalidInput` for an unknown operation or argument, `NotResolved` for a
        mention that names no single entity, and whatever else the memory raises.
        """
        ...


class ChangingGateway(Gateway, Protocol):
    """A gateway that also tells when the memory changes, whoever changed it."""

    def follow(self, listener: Listener, ended: Event) -> None:
        """Call `listener` after every change until `ended` is set; blocks, so it wants a thread of its own.

        The first call, of nothing, says that no later change is missed. Raises `MemoryInUse` when the
        owner of the memory is lost.
        """
        ...


class NotResolved(SynapseError):
    """A mention that names no entity, or several; `did_you_mean` holds the nearest ones.

    `code` is `unknown-entity` or `ambiguous-entity`.
    """

    def __init__(
        self, message: str, *, code: str, did_you_mean: tuple[Candidate, ...] = (), hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.did_you_mean = did_you_mean

    @staticmethod
    def of(answer: Unresolved) -> NotResolved:
        """The exception that says what an `Unresolved` answer says."""
        ids = ", ".join(candidate.id for candidate in answer.did_you_mean)
        if answer.reason == "ambiguous":
            message = f"{shortened(answer.mention)} is the name of several entities"
            hint = f"say which one by its id: {ids}"
        else:
            message = f"nothing is known of {shortened(answer.mention)}"
            if answer.then is not None:
                message = f"nothing was known then of {shortened(answer.mention)}; {answer.then}"
                return NotResolved(message, code="unknown-entity", hint="ask of a later time, or of now")
            if answer.instead is not None:
                message = f"nothing is called {shortened(answer.mention)}; {answer.instead}"
            hint = f"did you mean {ids}" if ids else "give the id, the label or an alias of an entity"
        return NotResolved(
            message, code=f"{answer.reason}-entity", did_you_mean=answer.did_you_mean, hint=hint
        )


class OwnerGone(MemoryInUse):
    """The owner could not be connected to or took nothing from us, so asking again is safe."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a memory can be asked: the method of `Memory` that answers, and what it takes."""

    method: str
    required: Mapping[str, Check]
    optional: Mapping[str, Check]

    def answer(self, memory: Memory, name: str, arguments: Mapping[str, Json]) -> Any:
        """What the memory answers; raises `InvalidInput` for arguments it does not take."""
        return getattr(memory, self.method)(**self.check(name, arguments))

    def check(self, name: str, arguments: Mapping[str, Json]) -> dict[str, Any]:
        """The values of the arguments; null is as good as absent. Raises `InvalidInput`."""
        known = {**self.required, **self.optional}
        given = {key: value for key, value in arguments.items() if value is not None}
        unknown = [key for key in given if key not in known]
        missing = [key for key in self.required if key not in given]
        if unknown or missing:
            problem = f"does not take {shortened(unknown[0])}" if unknown else f"needs {missing[0]}"
            raise InvalidInput(f"{name} {problem}", hint=f"it takes {', '.join(known) or 'no arguments'}")
        return {key: known[key](key, value) for key, value in given.items()}


def _operation(method: str, required: Mapping[str, Check] | None = None, **optional: Check) -> Operation:
    return Operation(method, required or {}, optional)


_ENTITY = {"id": takes.text}
_FACT = {"subject": takes.text, "predicate": takes.text, "object": takes.term}
_SCENARIO = {"name": takes.text}
_REACH = {"predicates": takes.texts, "limit": takes.count}
_WHY = {"reason": takes.text}

# A new journey of Memory becomes askable from every front end by one entry here.
OPERATIONS: Final[Mapping[str, Operation]] = {
    "card": _operation("card", _ENTITY, limit=takes.count, as_of=takes.moment),
    "neighborhood": _operation(
        "neighborhood", _ENTITY, depth=takes.count, direction=takes.direction, **_REACH
    ),
    "impact": _operation("impact", _ENTITY, depth=takes.count, **_REACH),
    "why": _operation("why", _FACT, limit=takes.count, as_of=takes.moment),
    "provenance": _operation(
        "provenance",
        {"subject": takes.text},
        predicate=takes.text,
        object=takes.term,
        limit=takes.count,
        as_of=takes.moment,
    ),
    "sparql": _operation(
        "sparql",
        {"query": takes.text},
        format=takes.text,
        timeout=takes.seconds,
        limit=takes.count,
        as_of=takes.moment,
    ),
    "note": _operation("note", {"path": takes.text}),
    "status": _operation("status", wait=takes.flag),
    "index": _operation("sync", paths=takes.texts, dry_run=takes.flag),
    "check": _operation("check", okf=takes.flag, strict=takes.flag),
    "export_okf": _operation("export_okf", {"folder": takes.text}, force=takes.flag),
    "write_back": _operation("write_back", dry_run=takes.flag, settled_only=takes.flag),
    "reason": _operation("reason", verify=takes.flag),
    "assert": _operation(
        "assert_facts",
        {"facts": takes.facts, "source": takes.text, **_WHY},
        agent=takes.agent,
        confidence=takes.fraction,
        force_new=takes.flag,
    ),
    "retract": _operation(
        "retract_facts", _WHY, assertion_id=takes.text, facts=takes.facts, agent=takes.agent
    ),
    "log": _operation(
        "log",
        agent=takes.agent,
        entity=takes.text,
        since=takes.moment,
        until=takes.moment,
        all=takes.flag,
        limit=takes.count,
    ),
    "undo": _operation("undo", {"activity": takes.text, **_WHY}, agent=takes.agent),
    "scenario_list": _operation("scenarios"),
    "scenario_show": _operation("scenario", _SCENARIO),
    "scenario_install": _operation("install_scenario", _SCENARIO),
    "scenario_remove": _operation("remove_scenario", _SCENARIO),
}


class LocalGateway:
    """The memory of this process."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def call(self, operation: str, arguments: Mapping[str, Json]) -> Json:
        """See `Gateway.call`."""
        known = OPERATIONS.get(operation)
        if known is None:
            raise InvalidInput(
                f"{shortened(operation)} is no operation of a memory",
                hint=f"operations are {', '.join(OPERATIONS)}",
            )
        answer = known.answer(self._memory, operation, arguments)
        if isinstance(answer, Unresolved):
            raise NotResolved.of(answer)
        return to_json(answer)

    def follow(self, listener: Listener, ended: Event) -> None:
        """See `ChangingGateway.follow`."""
        unsubscribe = self._memory.on_change(listener)
        try:
            listener(Changed())
            ended.wait()
        finally:
            unsubscribe()


class RemoteGateway:
    """The memory of another process on this machine, asked over loopback HTTP."""

    def __init__(self, *, host: str, port: int, secret: str, pid: int) -> None:
        self.host = host
        self.port = port
        self.pid = pid
        self._secret = secret

    def call(self, operation: str, arguments: Mapping[str, Json]) -> Json:
        """See `Gateway.call`; raises `OwnerGone` or, when it broke off midway, `MemoryInUse`."""
        body = json.dumps({"operation": operation, "arguments": dict(arguments)}).encode()
        headers = {"Content-Type": "application/json", **self._authorization}
        # An operation may index for minutes; a dead owner closes the socket at once.
        reply = self._exchange("POST", RPC_PATH, body, headers, timeout=None)
        if "error" in reply:
            raise error_from_json(reply["error"])
        return reply.get("answer")

    def changes(self, since: int | None) -> tuple[int, Changed]:
        """What changed after a position, and the position now; waits for a change for a while.

        None asks for the position alone. Raises what `call` raises.
        """
        path = CHANGES_PATH if since is None else f"{CHANGES_PATH}?since={since}"
        reply: Any = self._exchange("GET", path, None, self._authorization, timeout=2 * CHANGES_WAIT)
        if "error" in reply:
            raise error_from_json(reply["error"])
        entities, notes = frozenset(reply["entities"]), frozenset(reply["notes"])
        return reply["position"], Changed(entities, notes, reply["everything"])

    def follow(self, listener: Listener, ended: Event) -> None:
        """See `ChangingGateway.follow`; the owner is asked again and again."""
        position: int | None = None
        while not ended.is_set():
            known, (position, changed) = position, self.changes(position)
            if known is None or changed:
                listener(changed)

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._secret}"}

    def health(self) -> dict[str, Json]:
        """What the owner says of itself; raises `MemoryInUse` when it does not answer in time."""
        return self._exchange("GET", "/health", None, {}, timeout=CONNECT_TIMEOUT)

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], *, timeout: float | None
    ) -> dict[str, Json]:
        # http.client asks no proxy of the environment, and loads four times faster than httpx.
        connection = HTTPConnection(self.host, self.port, timeout=CONNECT_TIMEOUT)
        try:
            connection.connect()
        except OSError as failure:
            raise self._unreachable(OwnerGone, failure) from failure
        try:
            connection.sock.settimeout(timeout)
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            reply = json.loads(response.read())
        except (OSError, HTTPException, ValueError) as failure:
            raise self._unreachable(MemoryInUse, failure) from failure
        finally:
            connection.close()
        if response.status == HTTPStatus.UNAUTHORIZED:
            raise self._unreachable(OwnerGone, PermissionError("the secret of its owner file is another"))
        if not isinstance(reply, dict):
            raise self._unreachable(MemoryInUse, TypeError("the reply is no JSON object"))
        return reply

    def _unreachable(self, kind: type[MemoryInUse], failure: Exception) -> MemoryInUse:
        return kind(
            f"process {self.pid} owns the memory but does not answer at {self.host}:{self.port} ({failure})",
            hint=f"wait until it is done, or end process {self.pid} and try again",
        )


def error_to_json(error: SynapseError) -> dict[str, Json]:
    """The JSON of an exception: code, message, and what helps to do better."""
    found: dict[str, Json] = {"code": error.code, "message": error.message}
    if error.hint is not None:
        found["hint"] = error.hint
    if isinstance(error, NotResolved):
        found["did_you_mean"] = to_json(error.did_you_mean)
    return found


def error_from_json(value: Json) -> SynapseError:
    """The exception that `error_to_json` wrote; an unknown code becomes a plain `SynapseError`."""
    parts: dict[str, Any] = dict(value) if isinstance(value, dict) else {"message": str(value)}
    code, message, hint = parts.get("code", "error"), str(parts.get("message", "")), parts.get("hint")
    if code in ("unknown-entity", "ambiguous-entity"):
        nearest = tuple(_candidate(item) for item in parts.get("did_you_mean", ()))
        return NotResolved(message, code=code, did_you_mean=nearest, hint=hint)
    kind = next((known for known in _tree(SynapseError) if known.code == code), SynapseError)
    return kind(message, hint=hint)


def _candidate(item: dict[str, Any]) -> Candidate:
    return Candidate(item["id"], item["label"], tuple(item.get("types", ())), item.get("score"))


def _tree(root: type[SynapseError]) -> Iterator[type[SynapseError]]:
    yield root
    for child in root.__subclasses__():
        if child is not NotResolved:
            yield from _tree(child)
