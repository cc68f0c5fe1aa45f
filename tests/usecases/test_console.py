"""Free SPARQL: in every format, within bounds, and never a request to elsewhere."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store

from synapse.errors import InvalidInput, InvalidQuery, QueryTimeout, SynapseError
from synapse.memory import Memory
from synapse.store.syntax import explained
from synapse.usecases.console import refuse_deep, refuse_remote


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


NESTED = {
    "groups": ("SELECT * ", "{ ", "", "} ", ""),
    "parentheses": ("ASK { FILTER(", "(", "1", ")", ") }"),
    "blank nodes": ("ASK { ", "[ :p ", "1", " ]", " }"),
    "paths": ("ASK { ?s ", "(", ":p", ")+", " ?o }"),
    "lists": ("ASK { ?s ?p ", "( ", "1", " )", " }"),
    "exists": ("ASK { ", "FILTER EXISTS { ", "", "} ", "}"),
    "functions": ("ASK { FILTER(", "STR(", "1", ")", ") }"),
    "quoted triples": ("ASK { ", "<< ", "?a ?b ?c", " >> ?b ?c", " }"),
}


@pytest.fixture(params=["on disk", "in memory"])
def any_memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(data=tmp_path / "data" if request.param == "on disk" else None) as memory:
        yield memory


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("depth", [101, 20_000])
def test_what_nests_too_deep_is_refused_before_it_is_parsed(kind: str, depth: int) -> None:
    before, opening, core, closing, after = NESTED[kind]
    with pytest.raises(InvalidQuery, match="levels of brackets"):
        refuse_deep(before + opening * depth + core + closing * depth + after)


def test_brackets_in_strings_and_comments_nest_nothing() -> None:
    refuse_deep("ASK { ?s ?p '" + "{" * 500 + "' } # " + "(" * 500)


@pytest.mark.parametrize(
    "query",
    [
        "ASK { FILTER(" + "!" * 20_000 + "true) }",
        "ASK { FILTER(" + "||".join(["true"] * 20_000) + ") }",
        "ASK { ?s " + "|".join([":p"] * 20_000) + " ?o }",
        "ASK { " + " UNION ".join(["{}"] * 20_000) + " }",
        "ASK { ?s " + "(" * 20_000 + ":p" + ")" * 20_000 + " ?o }",
    ],
    ids=["not", "or", "path", "union", "nested"],
)
def test_a_query_that_would_overflow_the_stack_is_a_wrong_query(any_memory: Memory, query: str) -> None:
    with pytest.raises(InvalidQuery, match=r"too deep|levels of brackets"):
        any_memory.sparql(query, timeout=60)


def test_a_store_in_memory_keeps_to_the_time_a_query_may_take() -> None:
    hard = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    with Memory.open() as memory:
        memory.install_scenario("core")
        with pytest.raises(QueryTimeout):
            memory.sparql(hard, timeout=0.5)
        assert memory.sparql("ASK { syn:depends_on a ?type }").text == "true\n"


MISTAKES = [
    ("SELEC ?x", 1, 1, "SELECT"),
    ("SELECT ?x { ?x :depends_on }", 1, 28, "a ?variable"),
    ("SELECT ?x WHERE {\n  ?x a :T .\n  FILTER(?x > )\n}", 3, 15, "a value"),
    ("SELECT ?x WHERE ?x a ?y", 1, 17, "{"),
    ("SELECT ?x { ?x a <urn:a>", 1, 25, "}"),
    ("SELECT ?x { ?x a ?y }}", 1, 22, "the end of the query"),
    ("SELECT ?año { ?año :título 'ñ' ?z }", 1, 32, "}"),
    ("SELECT ?x { OPTIONL { ?x a ?y } }", 1, 13, "a pattern"),
    ("", 1, 1, "SELECT"),
]


@pytest.mark.parametrize(("query", "line", "column", "expected"), MISTAKES)
def test_a_mistake_is_shown_where_it_is_with_what_could_stand_there(
    memory: Memory, query: str, line: int, column: int, expected: str
) -> None:
    with pytest.raises(InvalidQuery) as raised:
        memory.sparql(query)
    sentence, shown, caret = raised.value.message.split("\n")
    assert f"line {line}, column {column}" in sentence
    assert shown == f"    {query.splitlines()[line - 1] if query else ''}"
    assert caret.index("^") == 4 + column - 1
    assert expected in (raised.value.hint or "")


@pytest.mark.parametrize(
    "query",
    ["SELECT * { ?x foo:bar ?y }", "PREFIX a: <urn:a> SELECT ?quién { ?quién a:b 'it:s' ; foo:bar 1 } # b:c"],
)
def test_a_prefix_that_is_not_declared_is_named(memory: Memory, query: str) -> None:
    with pytest.raises(InvalidQuery, match="the prefix foo: is not declared") as raised:
        memory.sparql(query)
    shown, caret = raised.value.message.split("\n")[1:]
    assert shown[caret.index("^") :].startswith("foo:bar")
    assert "PREFIX foo:" in (raised.value.hint or "")


@pytest.mark.parametrize(
    "query", ["INSERT DATA { :a :b :c }", "PREFIX a: <urn:a>\ndelete where { ?a ?b ?c }"]
)
def test_an_update_is_refused_as_such(memory: Memory, query: str) -> None:
    with pytest.raises(InvalidQuery, match="a query only reads"):
        memory.sparql(query)


@given(query=st.text(st.sampled_from("SELECT ASK{}()?x:<>'\"\n\t.;,東é\x1b"), max_size=60))
@settings(max_examples=150)
def test_every_mistake_is_told_in_few_plain_lines(query: str) -> None:
    store = Store()
    try:
        store.query(query)
    except SyntaxError as error:
        told = explained(query, error, store.query)
        lines = f"{told.message}\n{told.hint or ''}".split("\n")
        assert len(lines) <= 4
        assert all(line.isprintable() and len(line) <= 120 for line in lines)
        assert "\\u{" not in told.message + (told.hint or "")
