"""When a batch of dirty paths is complete, and what is in it."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from synapse.interfaces.dirty_paths import MAX_PATHS, DirtyPaths


def dirty(*paths: str) -> DirtyPaths:
    marks = DirtyPaths(quiet=0.05, max_wait=0.5)
    for path in paths:
        marks.mark(path, now=100.0)
    return marks


def test_nothing_is_never_due() -> None:
    assert dirty().due() == math.inf
    assert len(dirty()) == 0


def test_a_batch_waits_for_quiet_but_no_longer_than_the_cap() -> None:
    marks = dirty("a.md")
    assert marks.due() == 100.05
    marks.mark("b.md", now=100.3)
    assert marks.due() == 100.35
    marks.mark("b.md", now=100.49)
    assert marks.due() == 100.5


def test_taking_empties_the_set_and_its_clock() -> None:
    marks = dirty("b.md", "a.md", "b.md")
    assert marks.take() == ("a.md", "b.md")
    assert (len(marks), marks.due()) == (0, math.inf)


def test_a_folder_stands_for_all_below_it() -> None:
    marks = dirty("a/b.md", "a/c/", "a/c/d.md", "a/c/e/f.md", "a/cd.md")
    assert marks.take() == ("a/b.md", "a/c/", "a/cd.md")


def test_everything_swallows_every_path() -> None:
    marks = dirty("a.md", "", "b.md")
    assert len(marks) == 1
    assert marks.take() is None


def test_too_many_paths_become_everything() -> None:
    assert dirty(*(f"{number}.md" for number in range(MAX_PATHS))).take() is not None
    assert dirty(*(f"{number}.md" for number in range(MAX_PATHS + 1))).take() is None


@given(st.lists(st.text(alphabet="ab/", min_size=1, max_size=6), max_size=8))
def test_every_marked_path_is_in_the_batch_or_below_a_folder_of_it(paths: list[str]) -> None:
    taken = dirty(*paths).take()
    assert taken is not None
    for path in paths:
        assert path in taken or any(path.startswith(folder) for folder in taken if folder.endswith("/"))
