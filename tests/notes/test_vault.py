"""Listing, reading and writing real files, with the faults that real folders have."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.errors import NotesUnavailable
from synapse.notes import vault as vault_module
from synapse.notes.atomic_write import replace_content
from synapse.notes.files import (
    ChangedMeanwhile,
    FileBytes,
    Signature,
    Unreadable,
    Vanished,
    WriteRefused,
    Written,
    digest_of,
)
from synapse.notes.true_names import locate
from synapse.notes.vault import Vault

DECOMPOSED = unicodedata.normalize("NFD", "José Ñandú.md")
COMPOSED = unicodedata.normalize("NFC", DECOMPOSED)


def put(root: Path, path: str, data: bytes = b"text\n") -> Path:
    """A file below `root`, its folders made as needed."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def paths(root: Path, **options: object) -> list[str]:
    return [note.path for note in Vault(root, **options).list().notes]  # type: ignore[arg-type]


def codes(root: Path) -> dict[str, str]:
    return {found.path: found.code for found in Vault(root).list().diagnostics}


def read(vault: Vault, path: str) -> FileBytes:
    content = vault.read(path)
    assert isinstance(content, FileBytes), content
    return content


def leftovers(root: Path) -> list[str]:
    return [file.name for file in root.rglob("*.tmp")]


# Listing


def test_notes_and_assets_are_listed_by_path_in_order(tmp_path: Path) -> None:
    for path in ("b.md", "a/c.MD", "a.b.md", "pic.png", "x.canvas", "n.markdown", ".obsidian/app.json"):
        put(tmp_path, path)
    listing = Vault(tmp_path).list()
    assert [note.path for note in listing.notes] == ["a.b.md", "a/c.MD", "b.md"]
    assert listing.assets == ("n.markdown", "pic.png", "x.canvas")
    assert listing.diagnostics == ()


def test_other_suffixes_and_patterns_are_settings(tmp_path: Path) -> None:
    for path in ("a.md", "b.markdown", "Templates/t.md"):
        put(tmp_path, path)
    assert paths(tmp_path, suffixes=(".md", ".markdown"), ignore=["Templates/"]) == ["a.md", "b.markdown"]


def test_a_folder_named_like_a_note_is_walked(tmp_path: Path) -> None:
    put(tmp_path, "folder.md/inner.md")
    assert paths(tmp_path) == ["folder.md/inner.md"]


def test_names_that_differ_in_case_are_two_notes(tmp_path: Path) -> None:
    put(tmp_path, "Bob.md")
    put(tmp_path, "bob.md")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system folds case")
    assert paths(tmp_path) == ["Bob.md", "bob.md"]


def test_a_decomposed_name_is_composed_outside_and_kept_on_disk(tmp_path: Path) -> None:
    put(tmp_path, DECOMPOSED, b"hola\n")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    assert (note.path, note.raw) == (COMPOSED, DECOMPOSED)
    content = read(vault, COMPOSED)
    assert content.data == b"hola\n"
    assert isinstance(vault.write(COMPOSED, data=b"bye", expected=content.digest), Written)
    assert [file.name for file in tmp_path.iterdir()] == [DECOMPOSED]


def test_two_spellings_of_one_name_give_one_note_and_a_diagnostic(tmp_path: Path) -> None:
    put(tmp_path, DECOMPOSED, b"decomposed")
    put(tmp_path, COMPOSED, b"composed")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system folds Unicode spellings")
    assert [note.raw for note in Vault(tmp_path).list().notes] == [COMPOSED]
    assert codes(tmp_path) == {COMPOSED: "same-name"}
    assert read(Vault(tmp_path), COMPOSED).data == b"composed"


def test_two_spellings_of_one_folder_are_one_folder(tmp_path: Path) -> None:
    decomposed, composed = "Jose\u0301", "José"
    put(tmp_path, f"{decomposed}/a.md", b"a")
    put(tmp_path, f"{composed}/b.md", b"b")
    assert paths(tmp_path) == [f"{composed}/a.md", f"{composed}/b.md"]
    vault = Vault(tmp_path)
    assert (read(vault, f"{composed}/a.md").data, read(vault, f"{composed}/b.md").data) == (b"a", b"b")


def test_conflict_copies_are_reported_and_not_indexed(tmp_path: Path) -> None:
    copy = "bob.sync-conflict-20240101-120000-ABCDEFG.md"
    put(tmp_path, "bob.md")
    put(tmp_path, copy)
    assert paths(tmp_path) == ["bob.md"]
    assert codes(tmp_path) == {copy: "conflict-copy"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_names_that_cannot_be_ids_are_reported(tmp_path: Path) -> None:
    put(tmp_path, "two\nlines.md")
    (tmp_path / os.fsdecode(b"latin-\xf1.md")).write_bytes(b"")
    vault = Vault(tmp_path)
    assert vault.list().notes == ()
    assert set(codes(tmp_path)) == {"two\nlines.md", "latin-\\udcf1.md"}
    assert vault.stat("two\nlines.md") is None


def test_symbolic_links_are_never_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    put(outside, "secret.md", b"secret")
    put(root, "a/real.md")
    (root / "second.md").symlink_to("a/real.md")
    (root / "loop").symlink_to(root)
    (root / "escape.md").symlink_to(outside / "secret.md")
    (root / "door").symlink_to(outside)
    vault = Vault(root)
    assert [note.path for note in vault.list().notes] == ["a/real.md"]
    assert codes(root) == {
        "second.md": "symlink-inside",
        "escape.md": "symlink-outside",
        "door": "symlink-outside",
    }
    for path in ("escape.md", "door/secret.md", "../outside/secret.md", "second.md"):
        assert vault.read(path) == Vanished(path)
        refused = vault.write(path, data=b"x", expected=digest_of(b"secret"))
        assert refused == ChangedMeanwhile(path)
    assert (outside / "secret.md").read_bytes() == b"secret"


def test_a_note_not_yet_downloaded_is_not_deleted(tmp_path: Path) -> None:
    put(tmp_path, "a/.bob.md.icloud")
    listing = Vault(tmp_path).list()
    assert listing.notes == ()
    assert listing.may_exist("a/bob.md")
    assert not listing.may_exist("a/eve.md")


def test_a_pipe_is_reported_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert codes(tmp_path) == {"pipe.md": "not-a-file"}
    assert Vault(tmp_path).read("pipe.md") == Vanished("pipe.md")


def test_a_folder_that_cannot_be_listed_keeps_its_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "locked/bob.md")
    put(tmp_path, "open/ana.md")
    deny_listing(tmp_path / "locked", monkeypatch)
    listing = Vault(tmp_path).list()
    assert [note.path for note in listing.notes] == ["open/ana.md"]
    assert listing.unlisted == ("locked",)
    assert listing.may_exist("locked/bob.md")
    assert not listing.may_exist("locked too/bob.md")


def deny_listing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the permission to list `folder`, from root too, who is never denied it by a mode."""
    if os.geteuid() != 0:
        folder.chmod(0)
        return
    real = os.scandir

    def scandir(place: Path) -> Iterator[os.DirEntry[str]]:
        if place == folder:
            raise PermissionError(13, "Permission denied", str(place))
        return real(place)

    monkeypatch.setattr(os, "scandir", scandir)


@pytest.mark.parametrize("kind", ["missing", "file"])
def test_without_a_root_every_call_raises_and_nothing_counts_as_deleted(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "notes"
    if kind == "file":
        root.write_bytes(b"")
    vault = Vault(root)
    for call in (vault.list, lambda: vault.stat("a.md"), lambda: vault.read("a.md")):
        with pytest.raises(NotesUnavailable):
            call()
    with pytest.raises(NotesUnavailable):
        vault.write("a.md", data=b"", expected=b"")


def test_a_root_that_cannot_be_listed_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.md")
    deny_listing(tmp_path, monkeypatch)
    with pytest.raises(NotesUnavailable):
        Vault(tmp_path).list()
    tmp_path.chmod(0o755)


def test_a_root_that_goes_during_the_walk_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "notes"
    put(root, "a/b.md")
    real = os.scandir

    def scandir(place: Path) -> Iterator[os.DirEntry[str]]:
        if place == root / "a":
            shutil.rmtree(root)
        return real(place)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(NotesUnavailable):
        Vault(root).list()


def test_a_folder_replaced_by_a_file_has_no_notes(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    put(tmp_path, "a/b.md")
    shutil.rmtree(tmp_path / "a")
    put(tmp_path, "a")
    assert vault.list().notes == ()
    assert vault.read("a/b.md") == Vanished("a/b.md")


# Reading


def test_a_reading_has_the_signature_of_the_listing(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"one")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    by_listing = vault.read(note)
    assert isinstance(by_listing, FileBytes)
    assert (by_listing.file, by_listing.data) == (note, b"one")
    assert read(vault, "a.md").file == note == vault.stat("a.md")


def test_a_file_that_vanishes_between_list_and_read_is_a_value(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    file.unlink()
    assert vault.read(note) == vault.read("a.md") == Vanished("a.md")
    assert vault.stat("a.md") is None


def test_a_note_that_became_a_folder_or_a_link_is_not_read(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    file.unlink()
    file.mkdir()
    assert isinstance(vault.read(note), Unreadable)
    assert vault.read("a.md") == Vanished("a.md")
    file.rmdir()
    file.symlink_to(put(tmp_path, "elsewhere.txt"))
    assert isinstance(vault.read(note), Unreadable)


def test_an_unreadable_note_is_not_a_deleted_one(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md")
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("root reads everything")
    content = Vault(tmp_path).read("a.md")
    assert isinstance(content, Unreadable)
    assert content.diagnostic.code == "unreadable"


def test_a_giant_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    put(tmp_path, "a.md", b"x" * 11)
    content = Vault(tmp_path, max_bytes=10).read("a.md")
    assert isinstance(content, Unreadable)
    assert content.diagnostic.code == "too-large"


def test_a_file_that_grows_during_the_reading_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(tmp_path, "a.md", b"half")
    real, calls = os.read, 0

    def grow_once(handle: int, size: int) -> bytes:
        nonlocal calls
        calls += 1
        data = real(handle, size)
        if calls == 1:
            file.write_bytes(b"half and half")
        return data

    monkeypatch.setattr(os, "read", grow_once)
    assert read(Vault(tmp_path), "a.md").data == b"half and half"
    assert calls == 2


def test_a_file_that_never_holds_still_is_unreadable_not_torn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(tmp_path, "a.md", b"0")
    real = os.read

    def grow(handle: int, size: int) -> bytes:
        data = real(handle, size)
        with file.open("ab") as stream:
            stream.write(b"0")
        return data

    monkeypatch.setattr(os, "read", grow)
    content = Vault(tmp_path).read("a.md")
    assert isinstance(content, Unreadable)
    assert content.diagnostic.code == "busy"


def test_an_empty_note_that_held_something_is_looked_at_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put(tmp_path, "a.md", b"")
    monkeypatch.setattr(time, "sleep", lambda _: file.write_bytes(b"saved"))
    content = Vault(tmp_path).read("a.md", expect_content=True)
    assert isinstance(content, FileBytes)
    assert content.data == b"saved"


def test_a_fresh_file_is_racy_and_an_old_one_is_not(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md")
    assert read(Vault(tmp_path), "a.md").racy
    signature = Signature.of(file.lstat())
    assert not signature.racy(at_ns=time.time_ns() + 3_000_000_000)
    old = Signature(size=1, mtime_ns=0, ctime_ns=time.time_ns(), inode=1)
    assert old.racy(at_ns=time.time_ns()), "a restored mtime does not make a new file an old one"


@given(st.lists(st.text(max_size=6), min_size=1, max_size=4).map("/".join))
def test_any_text_asked_for_is_an_answer_inside_the_root(
    tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "empty-vault"
    root.mkdir(exist_ok=True)
    assert Vault(root).stat(path) is None
    assert Vault(root).stat(path + ".md") is None


def test_where_names_fold_the_true_name_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hard links are what a folding file system shows: one file under two names."""
    put(tmp_path, "bob.md")
    (tmp_path / "BOB.MD").hardlink_to(tmp_path / "bob.md")
    found = locate(tmp_path.resolve(), "bob.md")
    assert found is not None
    assert found[0] == "bob.md"
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([folder / "BOB.MD"]))
    assert locate(tmp_path.resolve(), "bob.md") is None


# Writing


def test_a_write_returns_what_the_next_listing_shows(tmp_path: Path) -> None:
    put(tmp_path, "a/b.md", b"old")
    vault = Vault(tmp_path)
    result = vault.write("a/b.md", data=b"new", expected=read(vault, "a/b.md").digest)
    assert isinstance(result, Written)
    assert result.digest == digest_of(b"new") == read(vault, "a/b.md").digest
    assert vault.list().notes == (result.file,)
    assert leftovers(tmp_path) == []


def test_mode_and_owner_stay(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", b"old")
    if os.geteuid() == 0:
        os.chown(file, 12345, 54321)
    file.chmod(0o640)
    before = file.stat()
    assert isinstance(Vault(tmp_path).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    after = file.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_mtime_ns >= before.st_mtime_ns


@pytest.mark.parametrize("save", ["truncate and write", "rename", "delete"])
def test_a_person_saving_while_we_write_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: str
) -> None:
    """The save falls at the last moment: after our new content is on disk, before its rename."""
    file = put(tmp_path, "a.md", b"read by us")
    real = replace_content

    def person(target: Path, data: bytes, *, unchanged: Callable[[], bool]) -> os.stat_result | None:
        def saved_just_before() -> bool:
            if save == "truncate and write":
                file.write_bytes(b"theirs")
            elif save == "rename":
                put(tmp_path, "a.md.new", b"theirs").replace(file)
            else:
                file.unlink()
            return unchanged()

        return real(target, data, unchanged=saved_just_before)

    monkeypatch.setattr(vault_module, "replace_content", person)
    result = Vault(tmp_path).write("a.md", data=b"ours", expected=digest_of(b"read by us"))
    assert result == ChangedMeanwhile("a.md")
    assert not file.exists() if save == "delete" else file.read_bytes() == b"theirs"
    assert leftovers(tmp_path) == []


def test_a_note_changed_since_it_was_read_is_not_overwritten(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", b"theirs")
    result = Vault(tmp_path).write("a.md", data=b"ours", expected=digest_of(b"ours before"))
    assert result == ChangedMeanwhile("a.md")
    assert file.read_bytes() == b"theirs"


def test_a_read_only_note_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", b"old")
    file.chmod(0o444)
    result = Vault(tmp_path).write("a.md", data=b"new", expected=digest_of(b"old"))
    assert isinstance(result, WriteRefused)
    assert result.diagnostic.code == "read-only"
    assert file.read_bytes() == b"old"


def run_and_write(
    root: Path, *, before: str = "", unchanged: str = "True"
) -> subprocess.CompletedProcess[str]:
    """Another process that writes 1 MB to `a.md`; `before` and `unchanged` are code it runs."""
    code = f"""
import os, signal
from pathlib import Path
from synapse.notes.atomic_write import replace_content
{before}
try:
    replace_content(Path("a.md"), b"x" * 1_000_000, unchanged=lambda: {unchanged})
except OSError as error:
    print(error.strerror)
"""
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)


def test_a_kill_before_the_rename_leaves_the_note_and_the_next_write_tidies_up(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", b"old")
    killed = run_and_write(tmp_path, unchanged="os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.returncode == -signal.SIGKILL
    assert file.read_bytes() == b"old"
    assert len(leftovers(tmp_path)) == 1
    assert (paths(tmp_path), Vault(tmp_path).list().assets) == (["a.md"], ())
    assert isinstance(Vault(tmp_path).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    assert leftovers(tmp_path) == []


def test_a_disk_that_is_full_leaves_the_note_as_it_was(tmp_path: Path) -> None:
    file = put(tmp_path, "a.md", b"old")
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    assert run_and_write(tmp_path, before=limited).stdout.strip() == "File too large"
    assert file.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_a_failed_write_is_a_value_that_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(tmp_path, "a.md", b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = Vault(tmp_path).write("a.md", data=b"new", expected=digest_of(b"old"))
    assert isinstance(result, WriteRefused)
    assert "No space left on device" in result.diagnostic.message
    assert file.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_a_link_planted_under_our_temporary_name_is_not_written_through(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(root, "a.md", b"old")
    victim = put(tmp_path, "victim", b"precious")
    run_and_write(root, unchanged="os.kill(os.getpid(), signal.SIGKILL)")
    (temporary,) = root.glob(".synapse-*.tmp")
    temporary.unlink()
    temporary.symlink_to(victim)
    assert isinstance(Vault(root).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    assert victim.read_bytes() == b"precious"


def test_readers_never_see_half_a_write(tmp_path: Path) -> None:
    versions = [bytes([65 + number]) * 50_000 for number in range(20)]
    put(tmp_path, "a.md", versions[0])
    vault, seen, done = Vault(tmp_path), set[bytes](), threading.Event()

    def keep_reading() -> None:
        while not done.is_set():
            content = vault.read("a.md")
            if isinstance(content, FileBytes):
                seen.add(content.data)

    reader = threading.Thread(target=keep_reading)
    reader.start()
    for old, new in pairwise(versions):
        assert isinstance(vault.write("a.md", data=new, expected=digest_of(old)), Written)
    done.set()
    reader.join()
    assert seen <= set(versions)
