"""What a folder of notes holds: real files, with the oddities and faults that real folders have."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from note_files import write

from synapse.errors import NotesUnavailable
from synapse.notes.files import ChangedMeanwhile, FileBytes, Unreadable, Vanished, Written, digest_of
from synapse.notes.vault import Vault

DECOMPOSED = unicodedata.normalize("NFD", "José Ñandú.md")
COMPOSED = unicodedata.normalize("NFC", DECOMPOSED)


def paths(root: Path, **options: object) -> list[str]:
    return [note.path for note in Vault(root, **options).list().notes]  # type: ignore[arg-type]


def codes(root: Path) -> dict[str, str]:
    return {found.path: found.code for found in Vault(root).list().diagnostics}


def content(vault: Vault, path: str) -> FileBytes:
    found = vault.read(path)
    assert isinstance(found, FileBytes), found
    return found


def test_notes_and_assets_are_listed_by_path_in_order(tmp_path: Path) -> None:
    for path in ("b.md", "a/c.MD", "a.b.md", "pic.png", "x.canvas", "n.markdown", ".obsidian/app.json"):
        write(tmp_path, path)
    listing = Vault(tmp_path).list()
    assert [note.path for note in listing.notes] == ["a.b.md", "a/c.MD", "b.md"]
    assert listing.assets == ("n.markdown", "pic.png", "x.canvas")
    assert listing.diagnostics == ()


def test_other_suffixes_and_patterns_are_settings(tmp_path: Path) -> None:
    for path in ("a.md", "b.markdown", "Templates/t.md"):
        write(tmp_path, path)
    assert paths(tmp_path, suffixes=(".md", ".markdown"), ignore=["Templates/"]) == ["a.md", "b.markdown"]


def test_a_folder_named_like_a_note_is_walked(tmp_path: Path) -> None:
    write(tmp_path, "folder.md/inner.md")
    assert paths(tmp_path) == ["folder.md/inner.md"]


def test_names_that_differ_in_case_are_two_notes(tmp_path: Path) -> None:
    write(tmp_path, "Bob.md")
    write(tmp_path, "bob.md")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system folds case")
    assert paths(tmp_path) == ["Bob.md", "bob.md"]


def test_a_decomposed_name_is_composed_outside_and_kept_on_disk(tmp_path: Path) -> None:
    write(tmp_path, DECOMPOSED, b"hola\n")
    vault = Vault(tmp_path)
    (note,) = vault.list().notes
    assert (note.path, note.raw) == (COMPOSED, DECOMPOSED)
    before = content(vault, COMPOSED)
    assert before.data == b"hola\n"
    assert isinstance(vault.write(COMPOSED, data=b"bye", expected=before.digest), Written)
    assert [file.name for file in tmp_path.iterdir()] == [DECOMPOSED]


def test_two_spellings_of_one_name_give_one_note_and_a_diagnostic(tmp_path: Path) -> None:
    write(tmp_path, DECOMPOSED, b"decomposed")
    write(tmp_path, COMPOSED, b"composed")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system folds Unicode spellings")
    assert [note.raw for note in Vault(tmp_path).list().notes] == [COMPOSED]
    assert codes(tmp_path) == {COMPOSED: "same-name"}
    assert content(Vault(tmp_path), COMPOSED).data == b"composed"


def test_two_spellings_of_one_folder_are_one_folder(tmp_path: Path) -> None:
    decomposed, composed = "Jose\u0301", "José"
    write(tmp_path, f"{decomposed}/a.md", b"a")
    write(tmp_path, f"{composed}/b.md", b"b")
    assert paths(tmp_path) == [f"{composed}/a.md", f"{composed}/b.md"]
    vault = Vault(tmp_path)
    assert (content(vault, f"{composed}/a.md").data, content(vault, f"{composed}/b.md").data) == (b"a", b"b")


def test_conflict_copies_are_reported_and_not_indexed(tmp_path: Path) -> None:
    copy = "bob.sync-conflict-20240101-120000-ABCDEFG.md"
    write(tmp_path, "bob.md")
    write(tmp_path, copy)
    assert paths(tmp_path) == ["bob.md"]
    assert codes(tmp_path) == {copy: "conflict-copy"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_names_that_cannot_be_ids_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "two\nlines.md")
    (tmp_path / os.fsdecode(b"latin-\xf1.md")).write_bytes(b"")
    vault = Vault(tmp_path)
    assert vault.list().notes == ()
    assert set(codes(tmp_path)) == {"two\nlines.md", "latin-\\udcf1.md"}
    assert vault.stat("two\nlines.md") is None


def test_symbolic_links_are_never_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(outside, "secret.md", b"secret")
    write(root, "a/real.md")
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
    write(tmp_path, "a/.bob.md.icloud")
    listing = Vault(tmp_path).list()
    assert listing.notes == ()
    assert listing.may_exist("a/bob.md")
    assert not listing.may_exist("a/eve.md")
    assert Vault(tmp_path).read("a/bob.md") == Unreadable("a/bob.md", listing.diagnostics[0])
    assert Vault(tmp_path).stat("a/eve.md") is None
    assert Vault(tmp_path).stat("a/" + "n" * 250 + ".md") is None


def test_a_pipe_is_reported_and_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert codes(tmp_path) == {"pipe.md": "not-a-file"}
    assert Vault(tmp_path).read("pipe.md") == Vanished("pipe.md")


def test_a_folder_that_cannot_be_listed_keeps_its_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "locked/bob.md")
    write(tmp_path, "open/ana.md")
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
    write(tmp_path, "a.md")
    deny_listing(tmp_path, monkeypatch)
    with pytest.raises(NotesUnavailable):
        Vault(tmp_path).list()
    tmp_path.chmod(0o755)


def test_a_root_that_goes_during_the_walk_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "notes"
    write(root, "a/b.md")
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
    write(tmp_path, "a/b.md")
    shutil.rmtree(tmp_path / "a")
    write(tmp_path, "a")
    assert vault.list().notes == ()
    assert vault.read("a/b.md") == Vanished("a/b.md")


def test_a_listing_during_edits_holds_only_what_was_there(tmp_path: Path) -> None:
    for number in range(50):
        write(tmp_path, f"stays/{number}.md")
    done = threading.Event()

    def edit() -> None:
        for number in range(50):
            file = write(tmp_path, f"moves/a{number}.md")
            file.rename(file.with_name(f"b{number}.md"))
            write(tmp_path, f"stays/{number}.md", b"edited")
            shutil.rmtree(tmp_path / "moves")
        done.set()

    editor = threading.Thread(target=edit)
    editor.start()
    listings = [Vault(tmp_path).list()]
    while not done.is_set():
        listings.append(Vault(tmp_path).list())
    editor.join()
    for listing in listings:
        stayed = [note.path for note in listing.notes if note.path.startswith("stays/")]
        assert len(stayed) == 50
        assert listing.unlisted == ()


def test_real_vaults_are_listed_whole_and_read_as_they_are() -> None:
    data = Path(__file__).parents[2] / "../shared/data"
    if not data.exists():
        pytest.skip(f"no vaults in {data}")
    for root in (data / "kepano-vault", data / "obsidian-tasks-demo", data / "okf-bundles"):
        vault = Vault(root)
        expected = {
            file.relative_to(root).as_posix(): file.read_bytes()
            for file in root.rglob("*.md")
            if not any(part.startswith(".") for part in file.relative_to(root).parts)
        }
        assert {note.path: content(vault, note.path).data for note in vault.list().notes} == expected
