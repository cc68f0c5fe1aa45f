"""The command line writes: what was done, what it connected to, what to ask; and the way back."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from interface_helpers import CommandLine
from note_files import write_notes

from synapse.errors import InvalidInput
from synapse.interfaces.cli import render_written
from synapse.interfaces.cli.output import plain
from synapse.interfaces.cli.turtle_facts import facts_of_file
from synapse.interfaces.environment import login_name
from synapse.interfaces.settings import ResolveSettings, load_settings
from synapse.knowledge import resolve_settings
from synapse.rdf.names import Names

NOTES = {
    "services/payments.md": "---\ntype: Service\ndepends_on: '[[services/ledger]]'\n---\n",
    "services/ledger.md": "---\ntype: Service\n---\n# Ledger\n",
    "tools/kubernetes.md": "---\ntype: Tool\naliases: [K8s]\n---\n# Kubernetes\n",
    "people/begoña.md": "---\ntype: Person\n---\n# Begoña Ruiz\n",
}
WHY = ("--source", "stand-up", "--reason", "Bob said so")
# A command line cannot hold NUL bytes, so none is tried here.
HOSTILE = ["x> } ; DROP ALL #\n\u202e", "\x1b[2J'; DELETE WHERE { ?s ?p ?o }" * 300]


@pytest.fixture
def cli(own_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("LOGNAME", "ana")
    notes = write_notes(own_home / "notas", NOTES)
    made = CommandLine(notes, capsys, always=("--notes", str(notes)))
    made("index")
    return made


def test_an_assertion_tells_what_was_written_connected_and_followed_in_that_order(cli: CommandLine) -> None:
    out = cli("assert", "services/ledger", "runs_on", "K8s", *WHY)
    order = [
        "1 fact written",
        "services/ledger  runs_on  tools/kubernetes",
        "Connected",
        "K8s is tools/kubernetes",
        "What follows",
        "+ services/payments  depends_on  tools/kubernetes",
    ]
    places = [out.index(text) for text in order]
    assert places == sorted(places)
    assert max(map(len, out.splitlines())) <= 80
    (source,) = [
        source
        for fact in cli.json("card", "services/ledger")["out"]
        if fact["predicate"] == "syn:runs_on"
        for source in fact["sources"]
    ]
    assert (source["agent"], source["reason"]) == ("ana", "Bob said so")


def test_the_writer_is_the_person_logged_in_or_whom_the_flag_names(cli: CommandLine) -> None:
    assert login_name() == "ana"
    cli("assert", "services/ledger", "tier", "1", *WHY, "--agent", "Zoë")
    assert cli.json("log", "--limit", "1")["entries"][0]["agent"] == "Zoë"
    assert cli.json("log", "--agent", "ana")["entries"] == []
    cli("assert", "services/ledger", "tier", "2", *WHY, "--agent", " ", code=2)
    assert "agent must be a name" in cli.err


@pytest.mark.parametrize(
    ("typed", "object"),
    [
        (["7", "--datatype", "xsd:integer"], {"value": "7", "datatype": "xsd:integer"}),
        (["hola", "--lang", "es"], {"value": "hola", "lang": "es"}),
        (['"hola"@es'], {"value": "hola", "lang": "es"}),
        (['"7"^^xsd:integer'], {"value": "7", "datatype": "xsd:integer"}),
        (['"tools/kubernetes"'], {"value": "tools/kubernetes"}),
        (["tools/kubernetes"], "tools/kubernetes"),
        (["tools/kubernetes", "--object-is", "literal"], {"value": "tools/kubernetes"}),
        (["https://example.org/x", "--object-is", "iri"], "https://example.org/x"),
    ],
)
def test_an_object_is_what_was_typed(cli: CommandLine, typed: list[str], object: Any) -> None:
    answer = cli.json("assert", "services/ledger", "note", *typed, *WHY)
    assert [fact["object"] for fact in answer["facts"]] == [object]


def test_a_name_that_may_be_somebody_is_asked_about_and_nothing_is_written(cli: CommandLine) -> None:
    before = cli.quads()
    out = cli("assert", "Begonia Ruiz", "knows", "services/ledger", *WHY, code=1)
    assert "nothing was written" in out
    assert re.search(r"people/begoña +Begoña Ruiz", out)
    assert cli.quads() == before
    cli("assert", "Begonia Ruiz", "tier", "1", *WHY, "--force-new")
    assert cli.json("card", "Begonia Ruiz")["id"] == "Begonia Ruiz"


WRONG: list[tuple[list[str], str]] = [
    (["a", "p", *WHY], "give SUBJECT PREDICATE OBJECT"),
    ([*WHY], "give SUBJECT PREDICATE OBJECT"),
    (["a", "p", "b", "--reason", "r"], "say with --source"),
    (["a", "p", "b", "--source", "s"], "Missing option '--reason'"),
    (["a", "p", "b", "--source", "s", "--reason", " "], "reason is empty"),
    (["a", "p", "b", *WHY, "--confidence", "2"], "from 0 to 1"),
    (["a", "p", "b", *WHY, "--datatype", "xsd:integer"], "fact 1: 'b' is not a xsd:integer"),
    (["a", "p", "b", *WHY, "--lang", "no language"], "fact 1: 'b' is no literal"),
    (["a", "p", "b", *WHY, "--object-is", "thing"], "'thing' is not one of"),
    (["a", "p", "b", "--file", "f.ttl", "--reason", "r"], "come from the file"),
    (["--file", "f.ttl", "--lang", "es", "--reason", "r"], "come from the file"),
    (["--file", "absent.ttl", "--reason", "r"], "absent.ttl: the facts cannot be read"),
]


def test_a_wrong_call_says_what_is_wrong_and_writes_nothing(cli: CommandLine) -> None:
    before = cli.quads()
    for arguments, said in WRONG:
        cli("assert", *arguments, code=2)
        assert said in cli.err
    assert cli.quads() == before


def test_a_turtle_file_is_asserted_as_one(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "apollo.ttl").write_text(
        '<projects/apollo> a :Project ; rdfs:label "Apolo"@es ; :budget 12 ;\n'
        "  syn:depends_on <services/ledger>, <tools/kubernetes> ; :cafés <people/bego%C3%B1a> .\n",
        encoding="utf-8",
    )
    answer = cli.json("assert", "--file", "apollo.ttl", "--reason", "the plan")
    assert len(answer["facts"]) == 6
    sources = {source["graph"] for fact in answer["facts"] for source in fact["sources"]}
    assert sources == {f"urn:synapse:assertion:{answer['id']}"}
    graph = f"<urn:synapse:assertion:{answer['id']}>"
    assert "apollo.ttl" in cli("sparql", f"SELECT ?x {{ GRAPH ?g {{ {graph} dcterms:source ?x }} }}")


def turtle(tmp_path: Path, text: str) -> Path:
    (tmp_path / "f.ttl").write_text(text, encoding="utf-8")
    return tmp_path / "f.ttl"


def test_each_triple_is_a_fact_with_its_terms(tmp_path: Path) -> None:
    file = turtle(
        tmp_path,
        "<a/b> :p <a/c>, <https://x.org/y>, syn:Term, 'text', 'texto'@es, 1.5, true .\n"
        "<https://synapse.local/a/d> <https://x.org/p> () .",
    )
    facts: list[Any] = facts_of_file(file, names=Names())
    assert [(one["object"], one["object_is"]) for one in facts] == [
        ("a/c", "id"),
        ("https://x.org/y", "iri"),
        ("syn:Term", "iri"),
        ("text", "literal"),
        ("texto", "literal"),
        ("1.5", "literal"),
        ("true", "literal"),
        ("rdf:nil", "iri"),
    ]
    assert {one["subject"] for one in facts} == {"a/b", "a/d"}
    assert facts[4]["lang"] == "es"
    assert facts[5]["datatype"].endswith("#decimal")
    assert "datatype" not in facts[3]


def test_relative_iris_are_ids_of_the_memory_whatever_its_base(tmp_path: Path) -> None:
    file = turtle(tmp_path, "<a/b> :p <https://synapse.local/a/c> .")
    (fact,) = facts_of_file(file, names=Names("https://notes.example/"))
    assert (fact["subject"], fact["predicate"], fact["object"]) == ("a/b", ":p", "https://synapse.local/a/c")  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("_:a :p 1 .", 1),
        ("\n<a> :p\n  [ :q 1 ] .", 3),
        ('<a> :p "_: [ (" ;\n # [ _:x\n :q """\n[\n""" ;\n :r ( 1 2 ) .', 6),
        ('<a> :p \'[\', "[\\"[" ; :q ( ) ;\n :r [] .', 2),
    ],
)
def test_a_blank_node_is_refused_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(InvalidInput, match=rf"f\.ttl:{line}: blank nodes are not stored"):
        facts_of_file(turtle(tmp_path, text), names=Names())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<a> :p 'x' .\n\n<b> :p .", r"f\.ttl:3: not valid Turtle: "),
        ("<a> nope:p 'x' .", r"f\.ttl:1: not valid Turtle: "),
        ("", "holds no triples"),
        ("# nothing\n", "holds no triples"),
    ],
)
def test_a_file_that_is_no_turtle_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refusal:
        facts_of_file(turtle(tmp_path, text), names=Names())
    assert len(refusal.value.message) < 600


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f.ttl").write_bytes(b"<a> :p 'caf\xe9' .")
    with pytest.raises(InvalidInput, match="it is not UTF-8"):
        facts_of_file(tmp_path / "f.ttl", names=Names())


def test_one_bad_triple_of_a_file_leaves_nothing_behind(cli: CommandLine, tmp_path: Path) -> None:
    before = cli.quads()
    turtle(tmp_path, '<a/b> :p 1 .\n<a/c> :since "soon"^^xsd:date .')
    cli("assert", "--file", "f.ttl", "--reason", "r", code=2)
    assert "fact 2: 'soon' is not a xsd:date" in cli.err
    assert cli.quads() == before


def test_a_retracted_fact_and_a_retracted_assertion_are_gone_from_all_but_the_log(cli: CommandLine) -> None:
    before = {line for line in cli.quads() if "urn:synapse:meta" not in line}
    written = cli.json("assert", "services/ledger", "runs_on", "K8s", *WHY)
    out = cli("retract", "--fact", "services/ledger", "runs_on", "K8s", "--reason", "bare metal")
    assert "1 fact retracted" in out
    again = cli.json("assert", "services/ledger", "runs_on", "K8s", *WHY)
    cli("retract", again["id"], "--reason", "it was right before")
    assert {line for line in cli.quads() if "urn:synapse:meta" not in line} == before
    log = cli.json("log", "--entity", "services/ledger")["entries"]
    assert [entry["kind"] for entry in log] == ["retract", "assert", "retract", "assert", "sync"]
    assert written["id"] in {entry["activity"] for entry in log}


NOT_ASSERTED = [
    (
        ("services/payments", "depends_on", "services/ledger"),
        "stated by services/payments.md:3: edit it there",
    ),
    (("services/ledger", "required_by", "services/payments"), "was inferred from"),
    (("services/ledger", "runs_on", "K8s"), "is not known"),
]


def test_what_was_not_asserted_is_not_retracted(cli: CommandLine) -> None:
    before = cli.quads()
    for fact, said in NOT_ASSERTED:
        out = cli("retract", "--fact", *fact, "--reason", "r", code=1)
        assert out.startswith("nothing was retracted\n")
        assert said in out
    assert cli.quads() == before


def test_a_retraction_needs_an_id_or_facts(cli: CommandLine) -> None:
    for arguments in ([], ["x", "--fact", "a", "p", "b"]):
        cli("retract", *arguments, "--reason", "r", code=2)
        assert "give the ID of an assertion, or --fact S P O" in cli.err
    cli("retract", "unknown", "--reason", "r", code=1)


def test_an_undone_write_returns_what_it_took(cli: CommandLine) -> None:
    written = cli.json("assert", "services/ledger", "runs_on", "K8s", *WHY)
    taken = cli.json("retract", written["id"], "--reason", "a mistake")
    out = cli("undo", taken["id"], "--reason", "no mistake after all")
    assert "1 fact undone" in out
    assert re.search(r"^  \+ .*$", out, re.MULTILINE)
    assert cli.json("why", "services/ledger", "runs_on", "K8s")["known"]
    cli("undo", "unknown", "--reason", "r", code=2)
    sync = next(entry for entry in cli.json("log")["entries"] if entry["kind"] == "sync")
    assert "nothing was undone" in cli("undo", sync["activity"], "--reason", "r", code=1)


def test_the_past_answers_card_why_and_sparql(cli: CommandLine) -> None:
    written = cli.json("assert", "services/ledger", "runs_on", "K8s", *WHY)
    moment = cli.json("log", "--limit", "1")["entries"][0]["at"]
    cli("retract", written["id"], "--reason", "no longer")
    fact = ("services/ledger", "runs_on", "tools/kubernetes")
    query = "ASK { <services/ledger> syn:runs_on <tools/kubernetes> }"
    assert "runs_on" not in cli("card", "services/ledger")
    assert "runs_on" in cli("card", "services/ledger", "--as-of", moment)
    cli("why", *fact, code=1)
    assert "by ana" in cli("why", *fact, "--as-of", moment)
    assert "false" in cli("sparql", query)
    assert "true" in cli("sparql", query, "--as-of", moment)
    cli("card", "services/ledger", "--as-of", "1999-12-31", code=1)
    for command in (("card", "a"), ("why", *fact), ("sparql", query)):
        cli(*command, "--as-of", "yesterday", code=2)
        assert "--as-of must be a day" in cli.err


def test_the_log_shows_time_agent_kind_counts_id_and_reason_then_the_facts(cli: CommandLine) -> None:
    written = cli.json("assert", "services/ledger", "runs_on", "K8s", *WHY)
    head, reason, change, *_ = cli("log").splitlines()
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\dT[\d:]{{8}}Z  ana  assert  \+1 −0  {written['id']}", head)
    assert len(head) <= 80
    assert reason == "  Bob said so"
    assert change == "  + services/ledger  runs_on  tools/kubernetes"
    assert "services/payments.md" in cli("log", "--entity", "services/payments")
    assert "note: shown 1;" in cli("log", "--limit", "1")
    assert "nothing changed that fits" in cli("log", "--agent", "nobody")
    assert "nothing changed that fits" in cli("log", "--until", "1999-12-31")
    assert cli("log", "--since", "1999-12-31") == cli("log")
    cli("log", "--since", "soon", code=2)
    cli("log", "--entity", "services/ledgr", code=1)
    assert "services/ledger" in cli.err


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda text: repr(text[:20]))
def test_hostile_text_is_answered_in_words_by_every_command(cli: CommandLine, hostile: str) -> None:
    before = {line for line in cli.quads() if "urn:synapse:meta" not in line}
    commands = [
        ("assert", hostile, "p", "services/ledger", *WHY),
        ("assert", "services/ledger", hostile, "services/ledger", *WHY),
        ("assert", "services/ledger", "p", hostile, "--object-is", "iri", *WHY),
        ("assert", "services/ledger", "p", "x", "--datatype", hostile, *WHY),
        ("assert", "services/ledger", "p", "x", "--source", hostile, "--reason", "r"),
        ("assert", "--file", hostile, "--reason", "r"),
        ("retract", hostile, "--reason", "r"),
        ("retract", "--fact", hostile, hostile, hostile, "--reason", "r"),
        ("undo", hostile, "--reason", "r"),
        ("log", "--entity", hostile),
        ("log", "--agent", hostile),
        ("log", "--since", hostile),
        ("card", "services/ledger", "--as-of", hostile),
    ]
    for command in commands:
        out = cli(*command, code=None)
        assert "Traceback" not in cli.err + out
        assert "internal error" not in cli.err
        assert not {"\x1b", "\u202e"} & set(cli.err + out)
    assert before <= cli.quads()


EMPTY: dict[str, Any] = {
    name: []
    for name in (
        "facts",
        "inferred_added",
        "inferred_removed",
        "connected",
        "ambiguous",
        "stubs",
        "suggested_relations",
        "relations_from_tags",
        "possible_duplicate_of",
        "enrich_hint",
        "contradictions",
        "review_relations",
        "neighborhood",
        "notices",
    )
}


def test_warnings_come_last_and_say_what_collides() -> None:
    fact = {"subject": "a", "predicate": "rdf:type", "object": "syn:Person", "sources": []}
    relation = {"subject": "a", "predicate": "syn:for", "object": "b", "reason": "the tag b"}
    double = {"id": "c", "type": "syn:Person", "name": "C", "score": 0.93, "reason": "similar"}
    answer = {
        **EMPTY,
        "status": "ok",
        "id": "01",
        "facts": [fact],
        "stubs": ["people/new"],
        "contradictions": [{"rule": "cax-dw", "premises": [fact]}],
        "possible_duplicate_of": [double],
        "orphan_warning": "a has no relation to anything",
        "suggested_relations": [relation],
        "enrich_hint": ["a has 3 relations and no description"],
    }
    lines = plain(render_written.asserted(answer)).splitlines()
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings == [
        "1 fact written  01",
        "New, not described yet",
        "Contradictions",
        "May be a duplicate of",
        "warning: a has no relation to anything",
        "Relations that would connect it",
        "Worth describing",
    ]
    assert "  c  C  Person  93%  similar" in lines
    assert "  a  for  b  the tag b" in lines


def test_the_settings_of_the_resolver_are_its_own(tmp_path: Path) -> None:
    mine, theirs = fields(ResolveSettings), fields(resolve_settings.ResolveSettings)
    assert [(one.name, one.default) for one in mine] == [(one.name, one.default) for one in theirs]
    (tmp_path / "synapse.toml").write_text("[resolve]\nask = 0.95\n")
    with pytest.raises(
        InvalidInput, match=r"synapse\.toml: \[resolve\] ask = 0\.95 and connect = 0\.9 do not"
    ):
        load_settings(tmp_path, env={"SYNAPSE_HOME": str(tmp_path)})


def test_a_memory_resolves_as_its_settings_say(cli: CommandLine) -> None:
    (cli.notes / "synapse.toml").write_text("[resolve]\nrequire_relations = true\n")
    out = cli("assert", "concepts/lonely", "note", "x", *WHY, code=1)
    assert "requires one (require_relations)" in out


def test_provenance_and_why_quote_the_line_of_the_note(cli: CommandLine) -> None:
    asked = ("services/payments", "depends_on", "services/ledger")
    line = "depends_on: '[[services/ledger]]'"
    (source,) = cli.json("provenance", *asked)["facts"][0]["sources"]
    assert (source["path"], source["line"], source["text"]) == ("services/payments.md", 3, line)
    assert f"services/payments.md:3 · “{line}”" in cli("provenance", *asked)
    assert cli.json("why", *asked)["proofs"][0]["sources"][0]["text"] == line
    assert f"services/payments.md:3  “{line}”" in cli("why", *asked)
    (cli.notes / "services/payments.md").write_text("something else\n")
    (source,) = cli.json("provenance", *asked)["facts"][0]["sources"]
    assert "text" not in source
    assert source["text_missing"] == "the file has changed since it was read"
    assert "(the file has changed since it was read)" in cli("why", *asked)


def test_provenance_answers_as_of_a_moment(cli: CommandLine) -> None:
    cli("assert", "services/ledger", "tier", "1", *WHY)
    then = cli.json("log", "--limit", "1")["entries"][0]["at"]
    cli("retract", "--fact", "services/ledger", "tier", "1", "--reason", "wrong")
    cli("provenance", "services/ledger", "tier", code=1)
    assert "from stand-up" in cli("provenance", "services/ledger", "tier", "--as-of", then)
    cli("provenance", "services/ledger", "--as-of", "soon", code=2)


def test_consequences_of_what_is_archived_are_kept_or_withdrawn_by_setting(cli: CommandLine) -> None:
    cli("assert", "services/ledger", "depends_on", "tools/kubernetes", *WHY)
    cli("assert", "services/ledger", "archived", "true", "--datatype", "xsd:boolean", *WHY)
    asked = ("why", "services/payments", "depends_on", "tools/kubernetes")
    cli(*asked)
    (cli.notes / "synapse.toml").write_text('[memory]\narchived_consequences = "withdraw"\n')
    cli(*asked, code=1)
    (cli.notes / "synapse.toml").write_text('[memory]\narchived_consequences = "keep"\n')
    cli(*asked)


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "table"])
def test_nothing_that_a_terminal_obeys_reaches_one(
    cli: CommandLine, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    out = cli("sparql", r'SELECT ("\u001b[31m\u009b2J\u0007red" AS ?x) {}', "--format", form)
    assert "red" in out
    assert not {"\x1b", "\x9b", "\x07"} & set(out)


def test_check_shows_what_an_assertion_says_without_a_line_and_sarif_without_a_file(cli: CommandLine) -> None:
    answer = cli.json("assert", "services/ledger", "dpends_on", "K8s", *WHY)
    assert "did you mean depends_on?" in answer["notices"][0]["message"]
    said = cli("check")
    assert f"assertion:{answer['id']}: warning: the key 'dpends_on'" in said
    (result,) = json.loads(cli("check", "--format", "sarif"))["runs"][0]["results"]
    where = {"logicalLocations": [{"fullyQualifiedName": f"assertion:{answer['id']}"}]}
    assert result["locations"] == [where]


def test_taking_back_twice_is_exit_code_1_with_who_did_it_first(cli: CommandLine) -> None:
    undone = cli.json("assert", "services/ledger", "runs_on", "K8s", *WHY)["id"]
    by = cli.json("undo", undone, "--reason", "no")["id"]
    out = cli("undo", undone, "--reason", "no", code=1)
    assert "nothing was undone" in out
    assert f"already taken back by undo {by} of " in out and "by ana: no" in out
    out = cli("retract", undone, "--reason", "no", code=1)
    assert f"already taken back by undo {by} of " in out
    assert "id" not in cli.json("undo", undone, "--reason", "no", code=1)
    assert [entry["activity"] for entry in cli.json("log", "--agent", "ana")["entries"]] == [by, undone]


def test_the_command_line_speaks_of_its_options_not_of_arguments(cli: CommandLine) -> None:
    out = cli("assert", "services/ledger", "maintained_with", "Search Team", *WHY)
    assert "--object-is id" in out and "object_is" not in out
    out = cli("assert", "services/ledger", "depends_on", "kubernotas", *WHY, code=1)
    assert "see ambiguous" not in out and "assert again with the ids you mean" in out
    cli("impact", "services/ledger", "-p", "zzzqqq", code=2)
    assert "the card of an entity shows its properties" in cli.err


def test_a_new_subject_is_marked_as_new(cli: CommandLine) -> None:
    out = cli("assert", "nueva cosa", "runs_on", "K8s", *WHY)
    assert "New\n  nueva cosa\n" in out
    assert "New" not in cli("assert", "nueva cosa", "runs_on", "K8s", *WHY)


def test_the_log_counts_saves_that_changed_nothing_and_shows_them_with_all(cli: CommandLine) -> None:
    (cli.notes / "tools/kubernetes.md").write_text(NOTES["tools/kubernetes.md"] + "\nMore text.\n", "utf-8")
    cli("index")
    out = cli("log")
    assert "1 synchronisation that changed no fact left out; with --all they are shown" in out
    assert "sync  +0" not in out
    assert "sync  +0" in cli("log", "--all")
