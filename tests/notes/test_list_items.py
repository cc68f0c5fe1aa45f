from __future__ import annotations

import pytest

from synapse.notes.note import Link, NoteObservation, Property
from synapse.notes.parser import parse_note


def test_a_relation_takes_its_link_out_of_the_mentions() -> None:
    note = parse_note("a.md", b"- part_of [[x|X]] (since May)\n- see also [[y]]\n")
    assert note.properties == (Property("part_of", Link("x", 1, label="X"), 1, "relation"),)
    assert note.links == (Link("y", 2, phrase="see also"),)


@pytest.mark.parametrize(
    "text",
    [
        "- a b [[x]]",
        "- [[x]]",
        "- rel ![[x]]",
        "- rel [x](x.md)",
        "- #tag [[x]]",
        "- 12 [[x]]",
        "- rel: [[x]]",
        "- [ ] rel [[x]]",
    ],
)
def test_other_items_with_a_link_are_sentences(text: str) -> None:
    note = parse_note("a.md", text.encode())
    assert note.properties == ()
    assert [link.target for link in note.links] in (["x"], ["x.md"])


def test_a_typed_link_in_an_item_keeps_its_own_relation() -> None:
    note = parse_note("a.md", b"- uses [[part_of:x]]")
    assert (note.properties, note.links[0].relation) == ((), "part_of")


def test_an_observation_has_category_text_tags_context_and_line() -> None:
    note = parse_note("a.md", "\n1. [Decisión  final] Usamos #db/pg (ver acta)\n".encode())
    assert note.observations == (
        NoteObservation("Decisión  final", "Usamos #db/pg", 2, tags=("db/pg",), context="ver acta"),
    )


def test_only_the_last_parenthesis_is_the_context() -> None:
    (found,) = parse_note("a.md", b"- [fact] f(x) is (very) fast (2024)").observations
    assert (found.text, found.context) == ("f(x) is (very) fast", "2024")


def test_an_observation_that_is_all_parenthesis_is_text() -> None:
    (found,) = parse_note("a.md", b"- [fact] (2024)").observations
    assert (found.text, found.context) == ("(2024)", None)


def test_items_at_every_depth_are_read() -> None:
    note = parse_note("a.md", b"- a\n  - [fact] one\n    - uses [[x]]\n")
    assert (note.observations[0].line, note.properties[0].line) == (2, 3)


@pytest.mark.parametrize(
    "text",
    [
        "- [a] x",
        "- [ab](c) x",
        "- [ab]x",
        "- [ab]",
        "- [[ab]] x",
        "[ab] x",
        "- `[ab]` x",
        "- [ab] x\n\n[ab]: u",
    ],
)
def test_what_is_no_observation(text: str) -> None:
    assert parse_note("a.md", text.encode()).observations == ()
