"""What is never a note, and what a person excludes."""

from __future__ import annotations

import pytest

from synapse.notes.exclusions import Exclusions, awaited_name, is_conflict_copy


@pytest.mark.parametrize(
    "path",
    [
        *(".obsidian/a.md", ".trash/b.md", "x/.git/c.md", ".stversions/d.md", "node_modules/p/README.md"),
        *(".hidden.md", ".#lock.md", "~$word.md", "bob.md~", "bob.md.tmp", ".bob.md.swp", "x/4913"),
    ],
)
def test_hidden_and_temporary_files_are_left_out(path: str) -> None:
    assert Exclusions.of([]).covers(path)


@pytest.mark.parametrize(
    "path", ["4913/bob.md", "drafts~/bob.md", "a.tmp/bob.md", "v1.2 notes.md", "~bob.md"]
)
def test_names_that_only_look_alike_are_kept(path: str) -> None:
    assert not Exclusions.of([]).covers(path)


@pytest.mark.parametrize(
    ("pattern", "covered", "kept"),
    [
        ("Templates/", "a/Templates/x.md", "Templates.md"),
        ("*.excalidraw.md", "a/b.excalidraw.md", "a/b.md"),
        ("archive/2019", "archive/2019/x.md", "old/archive/2019/x.md"),
        ("/inbox", "inbox/x.md", "a/inbox/x.md"),
        ("daily/*.md", "daily/2024-01-01.md", "a/daily/x.md"),
        ("Jose\u0301/", "José/x.md", "Jose/x.md"),
    ],
    ids=["folder", "ending", "path", "anchored", "wildcard path", "decomposed"],
)
def test_a_pattern_leaves_out_what_it_names(pattern: str, covered: str, kept: str) -> None:
    exclusions = Exclusions.of([pattern])
    assert exclusions.covers(covered)
    assert not exclusions.covers(kept)


@pytest.mark.parametrize(
    "name",
    [
        "bob.sync-conflict-20240101-120000-ABCDEFG.md",
        "bob (conflicted copy 2024-01-01 120000).md",
        "bob (Ana's conflicted copy 2024-01-01).md",
        "bob (Copia en conflicto de Ana 2024-01-01).md",
    ],
)
def test_conflict_copies_are_recognised(name: str) -> None:
    assert is_conflict_copy(name)


@pytest.mark.parametrize("name", ["conflicted copy.md", "bob (copy).md", "sync-conflict.md"])
def test_ordinary_names_are_no_conflict_copies(name: str) -> None:
    assert not is_conflict_copy(name)


def test_a_cloud_placeholder_names_the_file_it_stands_for() -> None:
    assert awaited_name(".bob.md.icloud") == "bob.md"
    assert awaited_name("bob.md") is None
