from __future__ import annotations

import pytest

from synapse.notes.metadata import MAX_CHARACTERS, MAX_DEPTH, MAX_NODES
from synapse.notes.note import Note, Record, Scalar
from synapse.notes.parser import parse_note


def read(content: str) -> Note:
    return parse_note("a.md", f"---\n{content}\n---\n".encode())


def codes(note: Note) -> list[str]:
    return [found.code for found in note.diagnostics]


def test_each_value_has_the_line_where_it_stands() -> None:
    note = read("# comment\na: 1\nb:\n  - x\n\n  - y\nc:\n  d: |\n    long\n    text\n  e: z")
    lines = {(item.key, item.index): item.line for item in note.properties}
    assert lines == {("a", None): 3, ("b", 0): 5, ("b", 1): 7, ("c", None): 8}
    (record,) = (item.value for item in note.properties if isinstance(item.value, Record))
    assert [item.line for item in record.properties] == [9, 12]


def test_a_line_separator_inside_a_value_does_not_shift_the_lines_of_the_body() -> None:
    note = parse_note("a.md", "---\na: x\u2028y\n---\n[[b]]".encode())
    assert note.links[0].line == 4


def test_the_index_counts_through_nested_lists() -> None:
    note = read("k: [a, [b, [c]], d]")
    assert [(item.value, item.index) for item in note.properties] == [
        (Scalar("a"), 0),
        (Scalar("b"), 1),
        (Scalar("c"), 2),
        (Scalar("d"), 3),
    ]


def test_a_block_scalar_keeps_its_line_ends() -> None:
    assert read("k: |\n  a\n  b").properties[0].value == Scalar("a\nb\n")


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("k: @x", "quotes"),
        ("k: a: b", "colon"),
        ("\tk: x", "spaces"),
        ("k: {{title}} x", "template"),
        ("k: [[a]], [[b]]", "one link a line"),
        ("k: [[a]] x", "link in quotes"),
        ("k: 'x", "quote is closed"),
    ],
)
def test_a_yaml_error_says_how_to_mend_its_line(line: str, fix: str) -> None:
    (found,) = read(f"a: 1\n{line}").diagnostics
    assert (found.code, found.severity) == ("frontmatter-yaml", "error")
    assert found.line in (3, 4)
    assert fix in found.message


def test_a_broken_key_does_not_cost_the_other_keys() -> None:
    note = read("k: {{title}}\nj: {{date}}\nl: x")
    assert [item.key for item in note.properties] == ["l"]
    assert codes(note) == ["frontmatter-key"]


def test_an_alias_bomb_is_cut_with_a_diagnostic() -> None:
    rows = ["a0: &a0 {x: 1}"]
    rows += [f"a{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(9))}}}" for i in range(1, 8)]
    note = read("\n".join(rows))
    assert "frontmatter-too-deep" in codes(note)
    assert str(note).count("Scalar(") <= MAX_NODES


def test_a_cycle_ends_and_the_rest_is_read() -> None:
    note = read("a: &a {b: *a, c: 1}\nd: 2")
    assert [item.key for item in note.properties] == ["a", "d"]
    assert codes(note) == ["frontmatter-too-deep"]


def test_depth_is_capped() -> None:
    deep = MAX_DEPTH + 5
    assert codes(read("k: " + "{a: " * deep + "1" + "}" * deep)) == ["frontmatter-too-deep"]


def test_size_is_capped() -> None:
    note = read("k: " + "x" * MAX_CHARACTERS)
    assert codes(note) == ["frontmatter-too-large"]
    assert note.properties == ()


def test_a_lone_surrogate_and_a_control_character_are_replaced_and_reported() -> None:
    note = read('a: "\\ud83d"\nb: "x\\ay"')
    assert "frontmatter-yaml" in codes(note) or "unwritable-character" in codes(note)
    note = read('b: "x\\ay"')
    assert note.properties[0].value == Scalar("x\ufffdy")
    assert codes(note) == ["unwritable-character"]


def test_merged_keys_give_way_to_own_ones_and_to_earlier_merges() -> None:
    note = read("a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 0}")
    record = note.properties[-1].value
    assert isinstance(record, Record)
    assert {item.key: item.value.text for item in record.properties if isinstance(item.value, Scalar)} == {
        "x": "0",
        "y": "1",
        "z": "2",
    }


def test_keys_are_nfc() -> None:
    assert read("an\u0303o: 1").properties[0].key == "a\u00f1o"
