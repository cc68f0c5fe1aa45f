from __future__ import annotations

from synapse.notes.note import Dialect, Link, Note, Scalar
from synapse.notes.parser import parse_note


def read(text: str) -> Note:
    return parse_note("a.md", text.encode(), dialect=Dialect.LOGSEQ)


def test_page_properties_stand_in_the_first_block_only() -> None:
    note = read("title:: Plan\nowner:: [[bob]]\n\n- text\n  status:: done\n")
    assert [(item.key, item.value, item.line) for item in note.properties] == [
        ("title", Scalar("Plan"), 1),
        ("owner", Link("bob", 2), 2),
    ]


def test_a_first_bullet_of_nothing_but_properties_speaks_of_the_page() -> None:
    assert [item.key for item in read("- type:: book\n  year:: 1605\n- text").properties] == ["type", "year"]


def test_a_link_in_a_block_property_is_a_mention() -> None:
    note = read("- text\n  owner:: [[bob]]\n")
    assert (note.properties, [link.target for link in note.links]) == ((), ["bob"])


def test_aliases_are_split_and_numbered() -> None:
    found = read("alias:: A, [[B, C]]").properties
    assert [(item.key, item.value, item.index) for item in found] == [
        ("aliases", Scalar("A"), 0),
        ("aliases", Scalar("B, C"), 1),
    ]


def test_in_other_dialects_the_same_text_is_a_dataview_field() -> None:
    note = parse_note("a.md", b"- text\n  status:: done\n")
    assert [item.key for item in note.properties] == ["status"]
