"""Whatever is in a folder and happens to it: nothing stops a run, and the memory says what is there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from synapse.interfaces.dirty_paths import DirtyPaths
from synapse.memory import Memory
from synapse.notes import files
from synapse.notes.digest import note_digest, without_section

SAYS = "SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } FILTER(?g != <urn:synapse:meta>) }"

FOLDERS = ("", "p", "p/q", "r", "ñandú")
STEMS = ("a", "A", "b", "c d", "index", "ñ", "v1.2")
ENDINGS = (".md", ".md", ".md", ".MD")
ASSETS = ("img.png", "p/img.png", "a", "p/b.pdf")
IRIS = ("https://example.org/x", "https://synapse.local/a", "https://synapse.local/p/b", "urn:y")
CALLED = ("a", "b", "Bob", "the payments", "c d", "ñ", "p/a")
LINKS = (
    "[[a]]", "[[A]]", "[[b]]", "[[c d]]", "[[p/a]]", "[[q/a]]", "[[p/q/b|shown]]", "[[./b]]", "[[../a]]",
    "[[Ñ]]", "[[v1.2]]", "[[Bob]]", "[[the payments]]", "[[p/]]", "[[/p/a]]", "[[a.md]]", "[[b#h]]",
    "![[img.png]]", "[[img.png]]", "![](p/img.png)", "[t](a.md)", "[t](../a.md)", "[t](/p/a.md)",
    "[t](p/)", "[t](c%20d.md)", "[t](b)", "[t][r]\n\n[r]: q/a.md", "[[depends_on:a]]", "[[part_of:Bob]]",
    "[[uses::p/b]]", "[[p:a]]", "[[https://example.org/x]]", "[t](https://example.org/x)", "[[.]]",
    "[[..]]", "- uses [[b]]", "up:: [[a]]",
)  # fmt: skip
KEYS = ("depends_on", "part_of", "uses", "knows", "built with")


def below(root: Path, kind: Callable[[Path], bool]) -> list[str]:
    """The paths of one kind below a root, in order."""
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if kind(path))


def scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="synapse-folder-"))


def says(memory: Memory) -> set[str]:
    """Everything that a memory holds but its records, one line a quad."""
    return set(memory.sparql(SAYS, format="tsv", limit=None).text.splitlines())


def opened(notes: Path, data: Path | None = None) -> Memory:
    memory = Memory.open(notes=notes, data=data)
    memory.install_scenario("core")
    return memory


def said_by_a_fresh_memory(notes: Path) -> set[str]:
    with opened(notes) as fresh:
        fresh.sync()
        return says(fresh)


@contextmanager
def one_note(data: bytes) -> Iterator[tuple[Memory, Path]]:
    """A memory over a folder with this note and two that link to and from it."""
    root = scratch()
    try:
        (root / "a.md").write_bytes(data)
        (root / "b.md").write_text("---\ndepends_on: '[[a]]'\n---\n[[c]]\n", encoding="utf-8")
        (root / "c.md").write_text("---\npart_of: '[[b]]'\n---\n", encoding="utf-8")
        # Without a scenario: what is written back are the links then, which is enough here.
        with Memory.open(notes=root) as memory:
            yield memory, root / "a.md"
    finally:
        shutil.rmtree(root)


# One note of any content

MARKDOWN = (
    "---\n", "---", "...\n", "key: value\n", "depends_on: '[[b]]'\n", "uri: https://example.org/x\n",
    "a: &a [*a]\n", "tags: [x, y]\n", "x: {y: {z: 1}}\n", "? ", "- ", "\t", " ", "\n", "\r\n", "\r",
    "\u2028", "\ufeff", "```\n", "~~~\n", "$$", "%%\n", "<!--", "-->", "<!-- synapse:begin -->\n",
    "<!-- synapse:end -->\n", "[[b]]", "![[b]]", "[[", "]]", "[x](b.md)", "[x]: b.md\n", "# h\n", "#tag ",
    "k:: v\n", "- [fact] said #t (c)\n", "> ", "|a|b|\n", "é", "e\u0301", "日本", "\U0001f600", "\\", "`",
    "\x0b", "\x0c", "\x85", "\x01",
)  # fmt: skip

TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(MARKDOWN), max_size=25).map("".join),
    st.lists(st.one_of(st.sampled_from(MARKDOWN), st.text(max_size=5)), max_size=15).map("".join),
)
BYTE_PIECES = st.one_of(st.sampled_from(MARKDOWN).map(str.encode), st.binary(max_size=4))
BYTES = st.one_of(
    st.binary(max_size=80),
    st.lists(BYTE_PIECES, max_size=15).map(b"".join),
    TEXTS.map(lambda text: text.encode("utf-16", "surrogatepass")),
)
MODEST = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@MODEST
@given(BYTES)
def test_any_bytes_are_read_or_get_a_diagnostic(data: bytes) -> None:
    with one_note(data) as (memory, file):
        report = memory.sync()
        assert (report.found, report.indexed) == (3, 3)
        told = [found for found in report.diagnostics if found.path == "a.md"]
        assert all(found.line >= 1 and found.message for found in told)
        assert report.failed <= len(told)
        assert memory.write_back().written
        assert note_digest(file.read_bytes()) == note_digest(data)
        memory.sync()
        assert memory.write_back().written == ()


@MODEST
@given(TEXTS)
def test_write_back_changes_nothing_outside_the_section_and_writes_once(text: str) -> None:
    before = text.encode("utf-8", "surrogatepass")
    with one_note(before) as (memory, file):
        memory.sync()
        first = memory.write_back()
        between = file.read_bytes()
        assert memory.sync().indexed == 0
        assert memory.write_back().written == ()
        assert file.read_bytes() == between
        if "a.md" not in first.written:
            assert between == before
            assert any(found.path == "a.md" for found in first.diagnostics) or between == before
        # What stands around the section are the bytes there were, and the blank line before it.
        outside, old = without_section(between), without_section(before)
        assert outside.startswith(old)
        assert outside[len(old) :].strip(b"\r\n") == b""


# A folder that lives


def pieces(pool: tuple[str, ...], most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(pool), max_size=most, unique=True)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A note that may claim an IRI and names others claim too, and links in every form."""
    lines = []
    if draw(st.booleans()):
        lines += [f"uri: {iri}" for iri in draw(pieces(IRIS, 1))]
        lines += [f"title: {name}" for name in draw(pieces(CALLED, 1))]
        lines += [f"aliases: {names}" for names in [draw(pieces(CALLED, 2))] if names]
        links = [link for link in LINKS if link.startswith("[[")]
        lines += [f'{key}: "{draw(st.sampled_from(links))}"' for key in draw(pieces(KEYS, 2))]
        lines += draw(st.sampled_from(([], [], ["okf_version: '0.2'"])))
    head = ["---", *lines, "---"] if lines else []
    return "\n".join([*head, *draw(pieces(LINKS, 4)), ""])


PATHS = st.builds(
    lambda folder, stem, ending: f"{folder}/{stem}{ending}".lstrip("/"),
    st.sampled_from(FOLDERS),
    st.sampled_from(STEMS),
    st.sampled_from(ENDINGS),
)


class LivingFolder(RuleBasedStateMachine):
    """A folder under edits, looked at now in full, now only where a watcher would say."""

    data: Path | None = None

    def __init__(self) -> None:
        super().__init__()
        self.root = scratch()
        self.dirty = DirtyPaths(quiet=0, max_wait=0)
        self.clock = 0
        self.racy_ns = files.RACY_NS
        self.memory = opened(self.root, self.data)

    @initialize(trusting=st.booleans())
    def trust(self, trusting: bool) -> None:
        """With `trusting`, signatures skip unchanged files at once: each write gets a time of its own."""
        files.RACY_NS = -(2**62) if trusting else self.racy_ns  # type: ignore[misc]

    def teardown(self) -> None:
        try:
            self.look_where_told()
            self.equals_a_fresh_memory()
        finally:
            files.RACY_NS = self.racy_ns  # type: ignore[misc]
            self.memory.close()
            shutil.rmtree(self.root)

    # what people and programs do

    @rule(path=PATHS, text=texts())
    def save(self, path: str, text: str) -> None:
        self.put(path, text)

    @precondition(lambda self: self.files())
    @rule(data=st.data(), text=texts())
    def edit(self, data: st.DataObject, text: str) -> None:
        self.put(data.draw(st.sampled_from(self.files())), text)

    @rule(path=st.sampled_from(ASSETS))
    def add_asset(self, path: str) -> None:
        self.put(path, "an image")

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.files()))
        (self.root / path).unlink()
        self.mark(path)

    @precondition(lambda self: self.files())
    @rule(data=st.data(), to=PATHS)
    def rename(self, data: st.DataObject, to: str) -> None:
        path = data.draw(st.sampled_from(self.files()))
        if path != to and self.has_room(to):
            self.folder_of(to)
            (self.root / path).replace(self.root / to)
            self.mark(path, to)

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def rename_in_case_only(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.files()))
        folder, _, name = path.rpartition("/")
        self.rename_to(path, f"{folder}/{name.swapcase()}".lstrip("/"))

    def rename_to(self, path: str, to: str) -> None:
        if path != to and self.has_room(to):
            (self.root / path).replace(self.root / to)
            self.mark(path, to)

    @precondition(lambda self: self.folders())
    @rule(data=st.data(), to=st.sampled_from(("r", "p", "s", "p/t", "P")))
    def move_folder(self, data: st.DataObject, to: str) -> None:
        folder = data.draw(st.sampled_from(self.folders()))
        if (self.root / to).exists() or to.startswith(folder + "/"):
            return
        self.folder_of(to)
        (self.root / folder).rename(self.root / to)
        self.mark(folder + "/", to + "/")

    @precondition(lambda self: self.folders())
    @rule(data=st.data())
    def delete_folder(self, data: st.DataObject) -> None:
        folder = data.draw(st.sampled_from(self.folders()))
        gone = [path for path in self.files() if path.startswith(folder + "/")]
        shutil.rmtree(self.root / folder)
        self.mark(*gone, folder + "/")

    @precondition(lambda self: self.files())
    @rule(data=st.data(), inside=st.sampled_from(("x.md", "a.md")))
    def put_a_folder_in_place_of_a_file(self, data: st.DataObject, inside: str) -> None:
        path = data.draw(st.sampled_from(self.files()))
        (self.root / path).unlink()
        self.mark(path)
        self.put(f"{path}/{inside}", "[[a]] [[b]]")

    @precondition(lambda self: self.files())
    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.files()))
        self.stamp(path)
        self.mark(path)

    # what the memory does

    @rule()
    def look_where_told(self) -> None:
        if self.dirty:
            self.memory.sync(paths=self.dirty.take())

    @rule()
    def look_at_everything(self) -> None:
        self.dirty.take()
        self.memory.sync()

    @rule()
    def write_back(self) -> None:
        """Its echo arrives as any other change does."""
        for path in self.memory.write_back().written:
            self.stamp(path)
            self.mark(path)

    @rule()
    def try_out(self) -> None:
        self.memory.sync(dry_run=True)

    @precondition(lambda self: not self.dirty)
    @rule()
    def equals_a_fresh_memory(self) -> None:
        ours, fresh = says(self.memory), said_by_a_fresh_memory(self.root)
        assert ours - fresh == set(), "facts that nothing states any more"
        assert fresh - ours == set(), "facts that were missed"

    # helpers

    def files(self) -> list[str]:
        return sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()
        )

    def folders(self) -> list[str]:
        return sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_dir()
        )

    def has_room(self, path: str) -> bool:
        """Whether a file can be there: no folder is, and nothing on the way is a file."""
        place = self.root / path
        return not place.is_dir() and all(
            not parent.is_file() for parent in place.parents if parent.is_relative_to(self.root)
        )

    def folder_of(self, path: str) -> None:
        folder = (self.root / path).parent
        if not folder.exists():
            self.folder_of(folder.relative_to(self.root).as_posix())
            folder.mkdir()
            self.mark(folder.relative_to(self.root).as_posix() + "/")

    def put(self, path: str, text: str) -> None:
        if self.has_room(path):
            self.folder_of(path)
            (self.root / path).write_text(text, encoding="utf-8")
            self.stamp(path)
            self.mark(path)

    def stamp(self, path: str) -> None:
        self.clock += 1
        os.utime(self.root / path, ns=(self.clock * 10**9, self.clock * 10**9))

    def mark(self, *paths: str) -> None:
        for path in paths:
            self.dirty.mark(path, now=0)


class RestartedFolder(LivingFolder):
    """The same over a memory on disk, which is closed and opened again now and then."""

    def __init__(self) -> None:
        self.data = scratch()
        super().__init__()

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            assert self.data is not None
            shutil.rmtree(self.data)

    @rule()
    def restart(self) -> None:
        self.memory.close()
        self.memory = Memory.open(notes=self.root, data=self.data)

    @rule()
    def restart_without_the_catalog(self) -> None:
        """A cache that may be thrown away at any time: deleted notes must not live on for it."""
        self.memory.close()
        assert self.data is not None
        for file in self.data.glob("notes.sqlite*"):
            file.unlink()
        self.memory = Memory.open(notes=self.root, data=self.data)
        self.dirty.mark("", now=0)


LivingFolder.TestCase.settings = settings(MODEST, max_examples=15, stateful_step_count=12)
RestartedFolder.TestCase.settings = settings(MODEST, max_examples=4, stateful_step_count=10)
TestALivingFolder = LivingFolder.TestCase
TestARestartedFolder = RestartedFolder.TestCase
