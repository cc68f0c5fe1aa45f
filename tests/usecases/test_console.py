"""Free SPARQL: in every format, within bounds, and never a request to elsewhere."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from synapse.errors import InvalidInput, InvalidQuery, SynapseError
from synapse.memory import Memory
from synapse.usecases.console import refuse_remote


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and the paths that were asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(500)
            self.end_headers()

        do_GET = do_POST  # noqa: N815 - as http.server wants it

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test looks at `asked`."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


DISGUISES = [
    "SELECT * { SERVICE <URL> { ?s ?p ?o } }",
    "SELECT * { ?s a ?o.SERVICE <URL> { ?a ?b ?c } }",
    "SELECT * { ?s ?p 1.SERVICE <URL> { ?a ?b ?c } }",
    "SELECT * { # x\rSERVICE <URL> { ?a ?b ?c } }",
    "SELECT * { ?s ?p 'a'.service<URL>{ ?a ?b ?c } }",
    "SELECT * { ?s ?p 'it\\'s'.SeRvIcE SILENT <URL> { ?a ?b ?c } }",
    'SELECT * { ?s ?p """a"b""" } \nSERVICE <URL> { }',
    "SELECT * { \\u0053ERVICE <URL> { ?s ?p ?o } }",
    "SELECT * { ?s ?p '\\u0027.SERVICE <URL> { ?a ?b ?c } #' }",
    "SELECT * { # \\u000aSERVICE <URL> { ?a ?b ?c }\n }",
    "LOAD <URL>",
    "SELECT * { BIND(1<2 AS ?x) SERVICE <URL> { ?a ?b ?c } FILTER(2>1) }",
]


@pytest.mark.parametrize("query", DISGUISES)
def test_no_spelling_of_a_remote_request_sends_one(
    notes: Path, tmp_path: Path, listener: tuple[str, list[str]], query: str
) -> None:
    url, asked = listener
    with Memory.open(notes=notes, data=tmp_path / "data") as memory, pytest.raises(SynapseError):
        memory.sparql(query.replace("URL", url))
    assert asked == []


@pytest.mark.parametrize(
    "query",
    [
        'SELECT * { ?s ?p "SERVICE" }',
        "SELECT ?service { ?service a <urn:SERVICE> } # SERVICE",
        "SELECT * { ?s :service ?o ; ex:LOAD ?x . _:service a :x.service }",
        "SELECT * { ?s ?p 'it\\'s SERVICE' }",
    ],
)
def test_the_words_are_free_where_they_are_no_keywords(query: str) -> None:
    refuse_remote(query)


def test_what_lies_in_the_current_folder_is_not_run(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "json.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')")
    monkeypatch.chdir(notes)
    with Memory.open(notes=notes, data=tmp_path / "data") as memory:
        assert memory.sparql("ASK {}").text == "true\n"
    assert not (tmp_path / "owned").exists()


def test_each_format_serialises_what_it_can(memory: Memory, notes: Path) -> None:
    (notes / "a.md").write_text("---\ntier: 1\ntitle: 'x, \"y\"'\n---\n")
    memory.sync()
    query = "SELECT ?s ?label ?tier { ?s :tier ?tier ; rdfs:label ?label }"
    bindings = json.loads(memory.sparql(query, format="json").text)["results"]["bindings"]
    assert bindings[0]["tier"] == {
        "type": "literal",
        "value": "1",
        "datatype": "http://www.w3.org/2001/XMLSchema#integer",
    }
    assert memory.sparql(query, format="csv").text.splitlines()[1] == 'https://synapse.local/a,"x, ""y""",1'
    assert memory.sparql(query, format="table").text.splitlines()[2].split() == ["a", "x,", '"y"', "1"]
    tsv = memory.sparql(query, format="tsv").text.splitlines()
    assert tsv[0] == "?s\t?label\t?tier"
    assert tsv[1].startswith('<https://synapse.local/a>\t"x, \\"y\\""\t')
    construct = "CONSTRUCT { ?s :tier ?t } WHERE { ?s :tier ?t }"
    assert ":tier 1" in memory.sparql(construct, format="turtle").text
    assert memory.sparql(construct, format="ntriples").rows == 1
    for wrong, format in ((query, "turtle"), (construct, "csv"), (query, "xml")):
        with pytest.raises(InvalidInput):
            memory.sparql(wrong, format=format)  # type: ignore[arg-type]


def test_what_is_no_query_is_refused_with_the_reason(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="does not parse"):
        memory.sparql("SELEC ?x")
