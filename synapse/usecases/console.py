"""Free SPARQL, the administrator's: read-only, bounded in time and rows, no requests to elsewhere."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final, Literal

from pyoxigraph import Literal as RdfLiteral
from pyoxigraph import NamedNode, RdfFormat, parse, serialize

from synapse.errors import InvalidInput, InvalidQuery
from synapse.rdf.names import Names
from synapse.store.embedded import EmbeddedStore
from synapse.store.sandbox import Cell, Graph, Results, Table
from synapse.store.syntax import OPAQUE
from synapse.usecases.answers import Notice, SparqlResult

Format = Literal["table", "json", "csv", "tsv", "turtle", "ntriples", "nquads"]
FORMATS: Final = ("table", "json", "csv", "tsv", "turtle", "ntriples", "nquads")
TIMEOUT: Final = 10.0
MAX_ROWS: Final = 1_000

# A variable or a prefixed name cannot be a keyword either.
_NAMES: Final = r"[?$]\w+|(?<![\w.-])[\w.-]*:[\w:%-]+(?:\.+[\w:%-]+)*"
_NO_KEYWORD: Final = re.compile(f"{OPAQUE}|{_NAMES}", re.DOTALL)
_REMOTE: Final = re.compile(r"(?<!\w)(SERVICE|LOAD)(?!\w)", re.IGNORECASE)
MAX_DEPTH: Final = 100
"""Levels of brackets. With 8 MiB of stack, as on Linux, the parser overflows at 950 functions within each
other, with 512 KiB at 54: there only the query's own process ends, which is answered too (`sandbox`)."""

_BRACKET: Final = re.compile(r"<<|>>|[][(){}]")
_OPENING: Final = frozenset(("(", "[", "{", "<<"))
_CODE_POINT: Final = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")


class Console:
    """The SPARQL console of one memory."""

    def __init__(self, store: EmbeddedStore, *, names: Names) -> None:
        self._store = store
        self._names = names

    def run(
        self, query: str, *, format: Format = "table", timeout: float = TIMEOUT, limit: int | None = MAX_ROWS
    ) -> SparqlResult:
        """The results of a read-only query, as text in the format asked for.

        `timeout` is in seconds; `limit` caps rows or triples. Ids and CURIEs work without a
        prologue. Raises `InvalidQuery`, `QueryTimeout`, or `InvalidInput` for a format that the
        kind of query does not have.
        """
        if format not in FORMATS:
            raise InvalidInput(f"there is no format {format[:40]!r}", hint=f"one of {', '.join(FORMATS)}")
        refuse_remote(query)
        refuse_deep(query)
        started = time.perf_counter()
        prefixes = {"": self._names.vocabulary, **self._names.prefixes}
        results = self._store.run(
            query, base_iri=self._names.base_iri, prefixes=prefixes, timeout=timeout, limit=limit
        )
        text = self._text(results, format)
        rows, truncated = _size(results)
        notices = (
            (Notice("rows-cut", f"shown the first {rows}; raise --limit to see more"),) if truncated else ()
        )
        return SparqlResult(format, text, rows, truncated, round(time.perf_counter() - started, 3), notices)

    def _text(self, results: Results, format: Format) -> str:
        if isinstance(results, bool):
            return _boolean(results, format)
        if isinstance(results, Graph):
            return self._graph(results, format)
        writers: dict[str, Callable[[Table], str]] = {
            "table": self._aligned,
            "json": _sparql_json,
            "csv": _csv,
            "tsv": _tsv,
        }
        if format not in writers:
            raise InvalidInput(f"a SELECT query has no {format} form", hint="one of table, json, csv, tsv")
        return writers[format](results)

    def _graph(self, graph: Graph, format: Format) -> str:
        if format in ("ntriples", "nquads"):
            return graph.ntriples
        if format not in ("turtle", "table"):
            raise InvalidInput(
                f"a CONSTRUCT or DESCRIBE query has no {format} form", hint="one of turtle, ntriples, nquads"
            )
        triples = (quad.triple for quad in parse(graph.ntriples.encode(), RdfFormat.N_TRIPLES))
        prefixes = {"": self._names.vocabulary, **self._names.prefixes}
        data = serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes, base_iri=self._names.base_iri)
        return (data or b"").decode()

    def _aligned(self, table: Table) -> str:
        rows = [[self._shown(cell) for cell in row] for row in table.rows]
        widths = [max(map(len, column)) for column in zip(table.variables, *rows, strict=True)]
        lines = [_row(table.variables, widths), "  ".join("─" * width for width in widths)]
        return "".join(f"{line.rstrip()}\n" for line in (*lines, *(_row(row, widths) for row in rows)))

    def _shown(self, cell: Cell) -> str:
        if cell is None:
            return ""
        if cell["type"] == "iri":
            return self._names.show(NamedNode(cell["value"]))
        return " ".join(cell["value"].split())


def refuse_remote(query: str) -> None:
    """Raises `InvalidQuery` when a query would make the engine send requests (SERVICE, LOAD)."""
    # Code point escapes may spell a keyword, or end a string (section 19.2): both readings must pass.
    for reading in (query, _CODE_POINT.sub(_character, query)):
        if found := _REMOTE.search(_NO_KEYWORD.sub(" ", reading)):
            raise InvalidQuery(
                f"{found.group().upper()} is not allowed: a query must not send requests to other machines"
            )


def refuse_deep(query: str) -> None:
    """Raises `InvalidQuery` when brackets nest so deep that the engine's parser would overflow its stack."""
    depth = deepest = 0
    for mark in _BRACKET.findall(_NO_KEYWORD.sub(" ", query)):
        depth += 1 if mark in _OPENING else -1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise InvalidQuery(
            f"the query nests {deepest:,} levels of brackets; {MAX_DEPTH} are allowed",
            hint="a list of many values fits in VALUES or IN",
        )


def _character(escape: re.Match[str]) -> str:
    number = int(escape[1] or escape[2], 16)
    return chr(number) if number <= sys.maxunicode else " "


def _size(results: Results) -> tuple[int, bool]:
    if isinstance(results, bool):
        return 1, False
    if isinstance(results, Graph):
        return results.count, results.truncated
    return len(results.rows), results.truncated


def _boolean(value: bool, format: Format) -> str:
    if format == "json":
        return json.dumps({"head": {}, "boolean": value}) + "\n"
    return f"{str(value).lower()}\n"


def _row(cells: tuple[str, ...] | list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))


def _sparql_json(table: Table) -> str:
    """SPARQL 1.1 Query Results JSON Format."""
    bindings = [
        {name: _json_term(cell) for name, cell in zip(table.variables, row, strict=True) if cell}
        for row in table.rows
    ]
    document = {"head": {"vars": list(table.variables)}, "results": {"bindings": bindings}}
    return json.dumps(document, ensure_ascii=False) + "\n"


def _json_term(cell: dict[str, str]) -> dict[str, str]:
    term = {"type": "uri" if cell["type"] == "iri" else cell["type"], "value": cell["value"]}
    if "lang" in cell:
        term["xml:lang"] = cell["lang"]
    elif cell.get("datatype", _STRING) != _STRING:
        term["datatype"] = cell["datatype"]
    return term


_STRING: Final = "http://www.w3.org/2001/XMLSchema#string"


def _csv(table: Table) -> str:
    """SPARQL 1.1 Query Results CSV Format."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(table.variables)
    writer.writerows([cell["value"] if cell else "" for cell in row] for row in table.rows)
    return text.getvalue()


def _tsv(table: Table) -> str:
    """SPARQL 1.1 Query Results TSV Format: terms as in Turtle."""
    lines = ["\t".join(f"?{name}" for name in table.variables)]
    lines += ["\t".join(_turtle_terms(row)) for row in table.rows]
    return "".join(f"{line}\n" for line in lines)


def _turtle_terms(row: tuple[Cell, ...]) -> Iterator[str]:
    for cell in row:
        if cell is None:
            yield ""
        elif cell["type"] == "iri":
            yield f"<{cell['value']}>"
        elif cell["type"] == "literal" and "lang" in cell:
            yield str(RdfLiteral(cell["value"], language=cell["lang"]))
        elif cell["type"] == "literal":
            yield str(RdfLiteral(cell["value"], datatype=NamedNode(cell["datatype"]))).replace("\t", "\\t")
        else:
            yield f"_:{cell['value']}" if cell["type"] == "bnode" else cell["value"]
