"""The parser beside Obsidian itself: what its metadata cache holds of 88 notes of the Tasks-Demo vault.

The oracle keeps the text that Obsidian read, so notes edited later are compared in the version of then.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from synapse.notes.links import is_external
from synapse.notes.note import Link, Note, Property, Record, Scalar
from synapse.notes.parser import parse_note

ORACLE = Path(__file__).parents[2] / "../shared/data/obsidian-tasks-demo/oracle"
FILES: list[Path | None] = [*sorted(ORACLE.glob("*.json"))] or [None]

# Where synapse reads otherwise, on purpose; `docs/note-format.md` says why.
NAMELESS_LINKS = {"Test Data/link_in_task_wikilink.md"}
"""Obsidian lists `[[|]]`, `[[|alias]]` and `[[|#alias]]` as links to notes of these names."""
TAGS_IN_ONE_STRING = {"Test Data/yaml_tags_with_two_values_on_one_line.md"}
"""Obsidian reads no tag in `tags: a, b`; synapse reads both and says so."""

Oracle = Mapping[str, Any]


@pytest.fixture(params=FILES, ids=lambda file: file.stem if file else "absent")
def oracle(request: pytest.FixtureRequest) -> Oracle:
    if request.param is None:
        pytest.skip(f"{ORACLE} is not there")
    read: Oracle = json.loads(request.param.read_text(encoding="utf-8"))
    return read


@pytest.fixture
def note(oracle: Oracle) -> Note:
    return parse_note(oracle["filePath"], oracle["fileContents"].encode())


def body_links(note: Note) -> Iterator[Link]:
    inline = (item.value for item in note.properties if item.origin != "frontmatter")
    for link in (*note.links, *(value for value in inline if isinstance(value, Link))):
        if not is_external(link.target):
            yield link


def frontmatter(note: Note) -> tuple[Property, ...]:
    return tuple(item for item in note.properties if item.origin == "frontmatter")


def linked(properties: tuple[Property, ...], key: str = "") -> Iterator[tuple[str, str]]:
    for item in properties:
        name = key or item.key
        if isinstance(item.value, Link):
            yield name, shown(item.value)
        elif isinstance(item.value, Record):
            yield from linked(item.value.properties, name)


def shown(link: Link) -> str:
    return (link.whole or link.target) + (f"#{link.fragment}" if link.fragment else "")


def line(entry: Oracle) -> int:
    return int(entry["position"]["start"]["line"]) + 1


def last_line_of_frontmatter(cache: Oracle) -> int:
    return int(cache["frontmatterPosition"]["end"]["line"]) + 1 if "frontmatterPosition" in cache else 0


@pytest.mark.parametrize(("kind", "embed"), [("links", False), ("embeds", True)])
def test_links_and_embeds_are_those_of_obsidian_line_by_line(
    oracle: Oracle, note: Note, kind: str, embed: bool
) -> None:
    expected = Counter((line(entry), entry["link"]) for entry in oracle["cachedMetadata"].get(kind, ()))
    found = Counter((link.line, shown(link)) for link in body_links(note) if link.embed is embed)
    if note.path in NAMELESS_LINKS:
        expected = Counter(
            {entry: count for entry, count in expected.items() if not entry[1].startswith("|")}
        )
    assert found == expected


def test_links_in_the_frontmatter_are_those_of_obsidian(oracle: Oracle, note: Note) -> None:
    entries = oracle["cachedMetadata"].get("frontmatterLinks", ())
    expected = Counter((entry["key"].split(".")[0], entry["link"]) for entry in entries)
    assert Counter(linked(frontmatter(note))) == expected


def test_tags_in_the_text_are_those_of_obsidian_line_by_line(oracle: Oracle, note: Note) -> None:
    cache = oracle["cachedMetadata"]
    expected = Counter((line(entry), entry["tag"]) for entry in cache.get("tags", ()))
    end = last_line_of_frontmatter(cache)
    assert Counter((tag.line, f"#{tag.name}") for tag in note.tags if tag.line > end) == expected


def test_tags_in_the_frontmatter_are_those_of_obsidian(oracle: Oracle, note: Note) -> None:
    end = last_line_of_frontmatter(oracle["cachedMetadata"])
    found = [f"#{tag.name}" for tag in note.tags if tag.line <= end]
    expected = list(oracle["parseFrontMatterTags"] or [])
    if note.path in TAGS_IN_ONE_STRING:
        assert (expected, len(found)) == ([], 2)
    else:
        assert found == expected


def test_headings_are_those_of_obsidian(oracle: Oracle, note: Note) -> None:
    entries = oracle["cachedMetadata"].get("headings", ())
    # synapse keeps the words of a link in a heading, Obsidian its syntax.
    expected = [
        (line(item), item["level"], item["heading"].replace("[[", "").replace("]]", "")) for item in entries
    ]
    assert [(item.line, item.level, item.text) for item in note.headings] == expected


def test_frontmatter_values_are_those_of_obsidian(oracle: Oracle, note: Note) -> None:
    cached = oracle["cachedMetadata"].get("frontmatter") or {}
    expected = {key: value for key, value in cached.items() if key != "tags"}
    found = {item.key for item in frontmatter(note)}
    assert found == {key for key, value in expected.items() if not is_empty(value)}
    for key, value in expected.items():
        own = tuple(item for item in frontmatter(note) if item.key == key)
        assert sorted(texts(own)) == sorted(text for text in cached_texts(value) if not text.startswith("[["))


def is_empty(value: Any) -> bool:
    return all(map(is_empty, value)) if isinstance(value, list) else value in (None, "", {})


def texts(properties: tuple[Property, ...]) -> Iterator[str]:
    for item in properties:
        if isinstance(item.value, Scalar):
            yield item.value.text
        elif isinstance(item.value, Record):
            yield from texts(item.value.properties)


def cached_texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from cached_texts(inner)
    elif isinstance(value, bool):
        yield str(value).lower()
    elif not is_empty(value):
        yield str(value)
