"""Reading and writing real files, with the faults injected that tear, lose or overwrite notes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from note_files import write

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


def read(vault: Vault, path: str) -> FileBytes:
    content = vault.read(path)
    assert isinstance(content, FileBytes), content
    return content


def leftovers(root: Path) -> list[str]:
    return [file.name for file in root.rglob("*.tmp")]


def test_a_reading_has_the_signature_of_the_listing(tmp_path: Path) -> None:
    write(tmp_path, "a.md", b"one")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    by_listing = vault.read(note)
    assert isinstance(by_listing, FileBytes)
    assert (by_listing.file, by_listing.data) == (note, b"one")
    assert read(vault, "a.md").file == note == vault.stat("a.md")


def test_a_file_that_vanishes_between_list_and_read_is_a_value(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    file.unlink()
    assert vault.read(note) == vault.read("a.md") == Vanished("a.md")
    assert vault.stat("a.md") is None


def test_a_note_that_became_a_folder_or_a_link_is_not_read(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    file.unlink()
    file.mkdir()
    assert isinstance(vault.read(note), Unreadable)
    assert vault.read("a.md") == Vanished("a.md")
    file.rmdir()
    file.symlink_to(write(tmp_path, "elsewhere.txt"))
    assert isinstance(vault.read(note), Unreadable)


def test_an_unreadable_note_is_not_a_deleted_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deny_reading(write(tmp_path, "a.md", b"kept"), monkeypatch)
    vault = Vault(tmp_path)
    denied = vault.read("a.md")
    assert isinstance(denied, Unreadable)
    assert (denied.diagnostic.code, denied.diagnostic.severity) == ("unreadable", "error")
    assert [note.path for note in vault.list().notes] == ["a.md"]
    assert vault.write("a.md", data=b"new", expected=digest_of(b"kept")) == ChangedMeanwhile("a.md")


def deny_reading(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the permission to read `file`, from root too, who is never denied it by a mode."""
    file.chmod(0o200)
    if os.geteuid() != 0:
        return
    real = os.open

    def denied(place: Path, flags: int, mode: int = 0o777) -> int:
        if place == file and not flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(13, "Permission denied", str(place))
        return real(place, flags, mode)

    monkeypatch.setattr(os, "open", denied)


def test_a_giant_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md", b"x" * 11)
    content = Vault(tmp_path, max_bytes=10).read("a.md")
    assert isinstance(content, Unreadable)
    assert content.diagnostic.code == "too-large"


def test_a_file_that_grows_during_the_reading_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, "a.md", b"half")
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
    file = write(tmp_path, "a.md", b"0")
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
    file = write(tmp_path, "a.md", b"")
    monkeypatch.setattr(time, "sleep", lambda _: file.write_bytes(b"saved"))
    content = Vault(tmp_path).read("a.md", expect_content=True)
    assert isinstance(content, FileBytes)
    assert content.data == b"saved"


def test_a_fresh_file_is_racy_and_an_old_one_is_not(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md")
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
    write(tmp_path, "bob.md")
    (tmp_path / "BOB.MD").hardlink_to(tmp_path / "bob.md")
    found = locate(tmp_path.resolve(), "bob.md")
    assert found is not None
    assert found[0] == "bob.md"
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([folder / "BOB.MD"]))
    assert locate(tmp_path.resolve(), "bob.md") is None


# Writing


def test_a_write_returns_what_the_next_listing_shows(tmp_path: Path) -> None:
    write(tmp_path, "a/b.md", b"old")
    vault = Vault(tmp_path)
    result = vault.write("a/b.md", data=b"new", expected=read(vault, "a/b.md").digest)
    assert isinstance(result, Written)
    assert result.digest == digest_of(b"new") == read(vault, "a/b.md").digest
    assert vault.list().notes == (result.file,)
    assert leftovers(tmp_path) == []


def test_mode_and_owner_stay(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md", b"old")
    if os.geteuid() == 0:
        os.chown(file, 12345, 54321)
    file.chmod(0o640)
    before = file.stat()
    assert isinstance(Vault(tmp_path).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    after = file.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_mtime_ns >= before.st_mtime_ns


def test_another_hard_link_of_a_note_keeps_what_it_held(tmp_path: Path) -> None:
    """As a backup made of hard links has to; docs/note-format.md says so."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_bytes(b"old\n")
    os.link(tmp_path / "notes/a.md", tmp_path / "backup.md")
    vault = Vault(tmp_path / "notes")
    before = vault.read("a.md")
    assert isinstance(before, FileBytes)
    assert isinstance(vault.write("a.md", data=b"new\n", expected=before.digest), Written)
    assert (tmp_path / "notes/a.md").read_bytes() == b"new\n"
    assert (tmp_path / "backup.md").read_bytes() == b"old\n"


@pytest.mark.parametrize("save", ["truncate and write", "rename", "delete"])
def test_a_person_saving_while_we_write_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: str
) -> None:
    """The save falls at the last moment: after our new content is on disk, before its rename."""
    file = write(tmp_path, "a.md", b"read by us")
    real = replace_content

    def person(target: Path, data: bytes, *, unchanged: Callable[[], bool]) -> os.stat_result | None:
        def saved_just_before() -> bool:
            if save == "truncate and write":
                file.write_bytes(b"theirs")
            elif save == "rename":
                write(tmp_path, "a.md.new", b"theirs").replace(file)
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
    file = write(tmp_path, "a.md", b"theirs")
    result = Vault(tmp_path).write("a.md", data=b"ours", expected=digest_of(b"ours before"))
    assert result == ChangedMeanwhile("a.md")
    assert file.read_bytes() == b"theirs"


def test_a_read_only_note_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md", b"old")
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
    file = write(tmp_path, "a.md", b"old")
    killed = run_and_write(tmp_path, unchanged="os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.returncode == -signal.SIGKILL
    assert file.read_bytes() == b"old"
    assert len(leftovers(tmp_path)) == 1
    listing = Vault(tmp_path).list()
    assert ([note.path for note in listing.notes], listing.assets) == (["a.md"], ())
    assert isinstance(Vault(tmp_path).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    assert leftovers(tmp_path) == []


def test_a_disk_that_is_full_leaves_the_note_as_it_was(tmp_path: Path) -> None:
    file = write(tmp_path, "a.md", b"old")
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    assert run_and_write(tmp_path, before=limited).stdout.strip() == "File too large"
    assert file.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_a_failed_write_is_a_value_that_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, "a.md", b"old")

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
    write(root, "a.md", b"old")
    victim = write(tmp_path, "victim", b"precious")
    run_and_write(root, unchanged="os.kill(os.getpid(), signal.SIGKILL)")
    (temporary,) = root.glob(".synapse-*.tmp")
    temporary.unlink()
    temporary.symlink_to(victim)
    assert isinstance(Vault(root).write("a.md", data=b"new", expected=digest_of(b"old")), Written)
    assert victim.read_bytes() == b"precious"


def test_readers_never_see_half_a_write(tmp_path: Path) -> None:
    versions = [bytes([65 + number]) * 50_000 for number in range(20)]
    write(tmp_path, "a.md", versions[0])
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
