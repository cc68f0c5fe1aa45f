"""Provenance goes down to the line: what it says now, or in words why that is not shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse.memory import Memory
from synapse.usecases.answers import Explanation, Proof, Provenance, Source
from synapse.usecases.line_texts import CHANGED, GONE, LONGEST
from synapse.usecases.written import FactInput

NOTE = "---\ntype: Service\ndepends_on: '[[b]]'\n---\n\n# A\n\nText with [[c]] in it.\n"


@pytest.fixture
def linked(memory: Memory, notes: Path) -> Memory:
    (notes / "a.md").write_text(NOTE)
    (notes / "b.md").write_text("---\ndepends_on: '[[c]]'\n---\n")
    memory.sync()
    return memory


def sources(memory: Memory, *pattern: str, as_of: str | None = None) -> list[Source]:
    answer = memory.provenance(*pattern, as_of=as_of)
    assert isinstance(answer, Provenance)
    return [source for fact in answer.facts for source in fact.sources]


def leaves(memory: Memory, *fact: str) -> list[Source]:
    answer = memory.why(*fact)
    assert isinstance(answer, Explanation)
    return [source for proof in answer.proofs for leaf in stated(proof) for source in leaf.sources]


def stated(proof: Proof) -> Iterator[Proof]:
    if not proof.premises:
        yield proof
    for premise in proof.premises:
        yield from stated(premise)


def test_provenance_shows_path_line_and_its_current_text(linked: Memory) -> None:
    (source,) = sources(linked, "a", "depends_on", "b")
    assert (source.path, source.line, source.text) == ("a.md", 3, "depends_on: '[[b]]'")


def test_the_leaves_of_a_proof_show_theirs_down_to_the_ontology(linked: Memory) -> None:
    found = {(source.path, source.text) for source in leaves(linked, "a", "depends_on", "c")}
    assert {("a.md", "depends_on: '[[b]]'"), ("b.md", "depends_on: '[[c]]'")} < found
    (axiom,) = [text for path, text in found if path and path.endswith(".ttl")]
    assert axiom
    assert "TransitiveProperty" in axiom


def test_what_follows_from_a_section_is_not_taken_for_a_line(linked: Memory, notes: Path) -> None:
    """Write-back moves the lines below a section; nothing was read anew, and yet the line is right."""
    (notes / "a.md").write_text(NOTE)
    linked.write_back()
    text = (notes / "a.md").read_text()
    section = text[text.index("<!--") :]
    (notes / "a.md").write_text(f"# A\n\n{section}\nuses:: [[c]]\n")
    linked.sync()
    assert [source.text for source in sources(linked, "a", "uses", "c")] == ["uses:: [[c]]"]
    linked.assert_facts([FactInput("z", "depends_on", "a", object_is="id")], source="s", reason="r")
    linked.write_back()
    (source,) = sources(linked, "a", "uses", "c")
    assert source.line == (notes / "a.md").read_text().splitlines().index("uses:: [[c]]") + 1
    assert source.text == "uses:: [[c]]"


def test_a_note_that_changed_since_is_not_quoted(linked: Memory, notes: Path) -> None:
    (notes / "a.md").write_text(NOTE.replace("[[b]]", "[[d]]"))
    (source,) = sources(linked, "a", "depends_on", "b")
    assert (source.text, source.text_missing) == (None, CHANGED)


def test_a_note_that_is_gone_is_said_to_be(linked: Memory, notes: Path) -> None:
    (notes / "a.md").unlink()
    (source,) = sources(linked, "a", "depends_on", "b")
    assert (source.path, source.text, source.text_missing) == ("a.md", None, GONE)
    notes.rename(notes.with_name("unplugged"))
    assert sources(linked, "a", "depends_on", "b")[0].text_missing == GONE


def test_a_long_line_is_cut(memory: Memory, notes: Path) -> None:
    (notes / "a.md").write_text("word " * 200 + "[[b]]\n")
    memory.sync()
    (source,) = sources(memory, "a", "syn:links_to", "b") or sources(memory, "a", "mentions", "b")
    assert source.text is not None
    assert len(source.text) == LONGEST
    assert source.text.endswith("…")


@pytest.mark.parametrize("data", [NOTE.replace("\n", "\r\n"), "\ufeff" + NOTE, NOTE.replace("\n", "\r")])
def test_lines_are_counted_as_the_parser_does(memory: Memory, notes: Path, data: str) -> None:
    (notes / "a.md").write_bytes(data.encode())
    memory.sync()
    (source,) = sources(memory, "a", "depends_on", "b")
    assert (source.line, source.text) == (3, "depends_on: '[[b]]'")


def test_what_an_agent_said_has_no_line_and_no_word_about_it(memory: Memory) -> None:
    memory.assert_facts([FactInput("x", "uses", "y", object_is="id")], source="s", reason="r")
    (source,) = sources(memory, "x", "uses", "y")
    assert (source.path, source.text, source.text_missing) == (None, None, None)


def test_provenance_as_of_a_moment_knows_what_was_known_then(linked: Memory, notes: Path) -> None:
    then = linked.log(limit=1).entries[0].at  # type: ignore[union-attr]
    (notes / "a.md").unlink()
    linked.sync()
    assert sources(linked, "b", "depends_on", "c")
    assert "a.md" not in {source.path for source in sources(linked, "b", "depends_on")}
    (source,) = sources(linked, "a", "depends_on", "b", as_of=then)
    assert (source.path, source.learned_at, source.text, source.text_missing) == ("a.md", then, None, None)
