"""A person's own query runs in a process of its own, on a checkpoint: it can be killed and harms nothing.

pyoxigraph has neither timeout nor cancellation, and a query that sorts or aggregates blocks
until it is done. The child reads one JSON request from stdin and writes one JSON answer to stdout.
"""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from pyoxigraph import (
    BlankNode,
    Literal,
    NamedNode,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    Triple,
    serialize,
)

from synapse.errors import InvalidQuery, QueryTimeout, StoreError
from synapse.isolated import isolated
from synapse.store.syntax import explained

MAX_BYTES: Final = 2 * 1024**3
"""Address space of the child; a query that wants more is refused instead of taking the machine down."""

STACK_OVERFLOWS: Final = frozenset((-signal.SIGSEGV, -getattr(signal, "SIGBUS", signal.SIGSEGV), 0xC00000FD))
"""How a child ends whose stack overflowed: on Linux, on macOS, on Windows. Out of memory is an abort."""

Cell = dict[str, str] | None
"""A term: `{"type": "iri" | "bnode" | "literal" | "triple", "value": …, "datatype"?: …, "lang"?: …}`."""


@dataclass(frozen=True, slots=True)
class Request:
    """A read-only query on a checkpoint, or on a file of N-Quads; `limit` caps rows or triples.

    Without a limit all of them are taken.
    """

    path: str
    query: str
    base_iri: str
    prefixes: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The solutions of a SELECT query, columns in the order of the query."""

    variables: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """The triples of a CONSTRUCT or DESCRIBE query, as N-Triples."""

    ntriples: str
    count: int
    truncated: bool = False


Results = Table | Graph | bool


def run_isolated(request: Request, *, timeout: float) -> Results:
    """The results of a query, computed by a child process that is killed after `timeout` seconds.

    Raises `QueryTimeout`, `InvalidQuery`, also for one that overflowed the child's stack, or
    `StoreError` when the child ran out of memory.
    """
    try:
        child = subprocess.run(
            isolated(__name__, main.__name__),
            input=json.dumps(asdict(request)).encode(),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise QueryTimeout(
            f"the query ran longer than {timeout:g} s", hint="narrow it, or allow more time with --timeout"
        ) from None
    if child.returncode in STACK_OVERFLOWS:
        raise too_deep()
    if child.returncode != 0:
        reason = child.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise StoreError(f"the query could not be answered: {reason or f'exit code {child.returncode}'}")
    return _results(json.loads(child.stdout))


def run(store: Store, request: Request) -> Results:
    """The results of a query in this process; raises `InvalidQuery` when it does not parse."""

    def asked(query: str) -> object:
        return store.query(
            query,
            base_iri=request.base_iri,
            prefixes=dict(request.prefixes),
            use_default_graph_as_union=True,
        )

    try:
        results = asked(request.query)
    except (SyntaxError, ValueError) as error:
        raise explained(request.query, error, asked, prefixes=request.prefixes) from None
    if isinstance(results, QueryBoolean):
        return bool(results)
    if isinstance(results, QueryTriples):
        return _graph(results, request.limit)
    if isinstance(results, QuerySolutions):
        return _table(results, request)
    raise StoreError(f"unexpected results of type {type(results).__name__}")


def too_deep() -> InvalidQuery:
    """The error for a query that the engine's recursion cannot follow."""
    return InvalidQuery(
        "the query is nested too deep or is too long a chain for the engine",
        hint="write shorter chains; a list of many values fits in VALUES or IN",
    )


def _table(solutions: QuerySolutions, request: Request) -> Table:
    variables = [variable.value for variable in solutions.variables]
    # `SELECT *` gives the variables in no particular order; people expect that of their query.
    variables.sort(key=lambda name: _first_use(request.query, name))
    rows: list[tuple[Cell, ...]] = []
    for solution in solutions:
        if request.limit is not None and len(rows) == request.limit:
            return Table(tuple(variables), tuple(rows), truncated=True)
        rows.append(tuple(_cell(solution[name]) for name in variables))
    return Table(tuple(variables), tuple(rows))


def _first_use(query: str, name: str) -> int:
    return min((query.find(mark + name) for mark in "?$" if mark + name in query), default=len(query))


def _graph(triples: Iterator[Triple], limit: int | None) -> Graph:
    kept: list[Triple] = []
    for triple in triples:
        if limit is not None and len(kept) == limit:
            return Graph(_ntriples(kept), len(kept), truncated=True)
        kept.append(triple)
    return Graph(_ntriples(kept), len(kept))


def _ntriples(triples: list[Triple]) -> str:
    data = serialize(triples, format=RdfFormat.N_TRIPLES)
    return (data or b"").decode()


def _cell(term: object) -> Cell:
    match term:
        case NamedNode():
            return {"type": "iri", "value": term.value}
        case BlankNode():
            return {"type": "bnode", "value": term.value}
        case Literal() if term.language is not None:
            return {"type": "literal", "value": term.value, "lang": term.language}
        case Literal():
            return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
        case Triple():
            return {"type": "triple", "value": str(term)}
    return None


def _answer(results: Results) -> dict[str, Any]:
    if isinstance(results, bool):
        return {"kind": "boolean", "value": results}
    return {"kind": type(results).__name__.lower()} | asdict(results)


def _results(answer: dict[str, Any]) -> Results:
    match answer.pop("kind"):
        case "boolean":
            return bool(answer["value"])
        case "graph":
            return Graph(**answer)
        case "table":
            rows = tuple(tuple(row) for row in answer["rows"])
            return Table(tuple(answer["variables"]), rows, answer["truncated"])
        case _:
            raise InvalidQuery(answer["message"], hint=answer["hint"])


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415 - POSIX only
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))


def _leave_the_network() -> None:
    """On Linux, where the kernel allows it (to root): no network, should the scan for SERVICE miss one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).unshare(0x40000000)  # CLONE_NEWNET, see unshare(2); a refusal is no harm


def _opened(path: Path) -> Store:
    if path.is_dir():
        return Store.read_only(str(path))
    store = Store()
    store.bulk_load(path=path, format=RdfFormat.N_QUADS)
    return store


def main() -> None:
    """One request on stdin, one answer on stdout."""
    _limit_memory()
    _leave_the_network()
    request = Request(**json.load(sys.stdin))
    try:
        answer = _answer(run(_opened(Path(request.path)), request))
    except InvalidQuery as error:
        answer = {"kind": "invalid", "message": error.message, "hint": error.hint}
    json.dump(answer, sys.stdout)
