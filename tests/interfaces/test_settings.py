"""Settings: which folder, which file, which value wins, and what a mistake is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.errors import InvalidInput
from synapse.interfaces.known_roots import KnownRoot, KnownRoots, replace_text
from synapse.interfaces.notes_root import Unnamed
from synapse.interfaces.settings import SECTIONS, Settings, load_settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "my notes"
    folder.mkdir()
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def load(home: Path, folder: Path, notes: Path | None = None, **given_: object) -> Settings:
    env = {"SYNAPSE_HOME": str(home)} | dict(given_.pop("env", {}))  # type: ignore[call-overload]
    return load_settings(notes, env=env, folder=folder, **given_)  # type: ignore[arg-type]


def write(notes: Path, text: str) -> Path:
    file = notes / "synapse.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refusal(home: Path, notes: Path, text: str) -> InvalidInput:
    write(notes, text)
    with pytest.raises(InvalidInput) as caught:
        load(home, notes, notes)
    return caught.value


def test_a_folder_without_a_file_has_the_defaults_of_the_contract(home: Path, notes: Path) -> None:
    settings = load(home, notes, notes)
    assert settings.memory.base_iri == "https://synapse.local/"
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 7337)
    assert (settings.resolve.connect, settings.resolve.margin, settings.resolve.ask) == (0.90, 0.08, 0.60)
    assert (settings.resolve.dedupe, settings.resolve.require_relations) == ("warn", False)


def test_file_then_environment_then_flag_wins(home: Path, notes: Path) -> None:
    write(notes, "[server]\nport = 1001\n")
    env = {"SYNAPSE_PORT": "1002"}
    flags: Mapping[str, object] = {"server.port": 1003}
    assert load(home, notes, notes).server.port == 1001
    assert load(home, notes, notes, env=env).server.port == 1002
    assert load(home, notes, notes, env=env, flags=flags).server.port == 1003
    assert load(home, notes, notes, env=env, flags={"server.port": None}).server.port == 1002


@pytest.mark.parametrize(
    ("text", "line", "said", "remedy"),
    [
        ("[server]\nprot = 1\n", 2, "no key 'prot'", "did you mean port?"),
        ("\n[sever]\nport = 1\n", 2, "no section [sever]", "did you mean [server]?"),
        ("[server]\nhost = 'x'\nport = 70000\n", 3, "from 1 to 65535", None),
        ("[server]\nport = '80'\n", 2, "a number from 1 to 65535", None),
        ("[server]\nport = true\n", 2, "port must be", None),
        ("[memory]\nreasoning = 'owl'\n", 2, '"none", "rdfs", "owl-rl"', None),
        ("[memory]\nbase_iri = 'notes'\n", 2, "absolute IRI", None),
        ("[notes]\nignore = 'drafts'\n", 2, "a list of texts", None),
        ("[notes]\nalias_links = 1\n", 2, "true or false", None),
        ("[resolve]\nask = 1.5\n", 2, "from 0 to 1", None),
        ("[notes]\nport = 1\n", 2, "no key 'port'", "belongs in [server]"),
        ("port = 1\n", 1, "outside its section", "below [server]"),
        ("[notes]\n'port' = 1\n[server]\nport = 2\n", 2, "no key 'port'", "belongs in [server]"),
        ("server = 3\n", 1, "is a section", "[server]"),
        ("[server]\n\nport = \n", 3, "not valid TOML", "quotes"),
    ],
)
def test_a_mistake_in_the_file_names_path_line_and_remedy(
    home: Path, notes: Path, text: str, line: int, said: str, remedy: str | None
) -> None:
    error = refusal(home, notes, text)
    assert error.message.startswith(f"{notes / 'synapse.toml'}:{line}: ")
    assert said in error.message
    assert remedy is None or remedy in (error.hint or "")


def test_a_file_that_is_not_utf8_names_its_line(home: Path, notes: Path) -> None:
    (notes / "synapse.toml").write_bytes(b"[notes]\nignore = ['caf\xe9']\n")
    with pytest.raises(InvalidInput, match=r"synapse\.toml:2: the settings are not UTF-8"):
        load(home, notes, notes)


def test_a_file_with_bom_and_crlf_is_read(home: Path, notes: Path) -> None:
    (notes / "synapse.toml").write_bytes(b"\xef\xbb\xbf[server]\r\nport = 9\r\n")
    assert load(home, notes, notes).server.port == 9


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [("SYNAPSE_PORT", "many", "SYNAPSE_PORT"), ("SYNAPSE_WRITE_BACK", "maybe", "true or false")],
)
def test_a_wrong_environment_variable_is_named(
    home: Path, notes: Path, variable: str, value: str, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said) as caught:
        load(home, notes, notes, env={variable: value})
    assert variable in caught.value.message


@pytest.mark.parametrize(("value", "expected"), [("off", False), ("0", False), ("Yes", True), ("true", True)])
def test_a_switch_in_the_environment_takes_the_usual_words(
    home: Path, notes: Path, value: str, expected: bool
) -> None:
    assert load(home, notes, notes, env={"SYNAPSE_WRITE_BACK": value}).write_back.enabled is expected


def test_the_root_is_the_argument_then_the_environment(home: Path, notes: Path, elsewhere: Path) -> None:
    assert load(home, elsewhere, env={"SYNAPSE_NOTES": str(notes)}).root == notes
    assert load(home, notes, elsewhere, env={"SYNAPSE_NOTES": str(notes)}).root == elsewhere


def test_the_current_folder_counts_when_it_is_in_a_root(home: Path, notes: Path, elsewhere: Path) -> None:
    load(home, elsewhere, elsewhere).remember()
    inner = notes / "people"
    inner.mkdir()
    assert load(home, inner).root == elsewhere
    write(notes, "")
    assert load(home, inner).root == notes
    (notes / "synapse.toml").unlink()
    load(home, notes, notes).remember()
    load(home, elsewhere, elsewhere).remember()
    assert load(home, inner).root == notes


def test_the_nearest_of_two_nested_roots_is_taken(home: Path, notes: Path) -> None:
    inner = notes / "project"
    (inner / "sub").mkdir(parents=True)
    write(notes, "")
    write(inner, "")
    assert load(home, inner / "sub").root == inner


def test_elsewhere_the_root_used_last_is_taken(home: Path, notes: Path, elsewhere: Path) -> None:
    load(home, elsewhere, notes).remember()
    assert load(home, elsewhere).root == notes


def test_a_root_is_taken_by_habit_only_where_nobody_named_one(
    home: Path, notes: Path, elsewhere: Path
) -> None:
    load(home, elsewhere, notes).remember()
    assert load(home, elsewhere).by_habit
    inner = notes / "people"
    inner.mkdir()
    named = [load(home, inner), load(home, elsewhere, notes), load(home, elsewhere, data=notes)]
    named.append(load(home, elsewhere, env={"SYNAPSE_NOTES": str(notes)}))
    assert not any(settings.by_habit for settings in named)


@pytest.mark.parametrize("unnamed", Unnamed)
def test_where_there_are_no_notes_the_root_used_last_is_meant(
    home: Path, notes: Path, elsewhere: Path, unnamed: Unnamed
) -> None:
    load(home, elsewhere, notes).remember()
    for other in ("README.md", "pyproject.toml", ".hidden.md"):  # a program with its README, not notes
        (elsewhere / other).touch()
        if other != "README.md":
            assert load(home, elsewhere, unnamed=unnamed).by_habit
    assert load(home, notes, unnamed=unnamed).root == notes


@pytest.mark.parametrize("left", ["a.md", "B.MD", ".obsidian/app.json", "dendron.yml"])
def test_a_folder_that_holds_notes_is_meant_by_what_reads_notes(
    home: Path, notes: Path, elsewhere: Path, left: str
) -> None:
    load(home, elsewhere, notes).remember()
    (elsewhere / left).parent.mkdir(exist_ok=True)
    (elsewhere / left).touch()
    here = load(home, elsewhere, unnamed=Unnamed.THIS_FOLDER)
    assert (here.root, here.by_place, here.by_habit) == (elsewhere, True, False)
    assert load(home, elsewhere, unnamed=Unnamed.LAST_USED).root == notes
    with pytest.raises(InvalidInput) as caught:
        load(home, elsewhere, unnamed=Unnamed.NOT_AMONG_NOTES)
    assert str(elsewhere) in caught.value.message
    assert "synapse up ." in (caught.value.hint or "")
    assert f"--notes {notes}" in (caught.value.hint or "")
    assert load(home, elsewhere, notes, unnamed=Unnamed.NOT_AMONG_NOTES).root == notes


def test_a_folder_with_notes_needs_no_known_root_and_fits_a_new_data_folder(
    home: Path, elsewhere: Path, tmp_path: Path
) -> None:
    (elsewhere / "a.md").touch()
    for data in (None, tmp_path / "data"):
        assert load(home, elsewhere, data=data, unnamed=Unnamed.THIS_FOLDER).root == elsewhere


@pytest.mark.parametrize("place", ["above a root", "home", "disk"])
def test_a_stray_note_makes_no_notes_folder_of_a_home_a_disk_or_what_lies_above_a_root(
    home: Path, notes: Path, elsewhere: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(home, elsewhere, notes).remember()
    monkeypatch.setenv("HOME", str(elsewhere))
    monkeypatch.setenv("USERPROFILE", str(elsewhere))
    folder = {"above a root": notes.parent, "home": elsewhere, "disk": Path(notes.anchor)}[place]
    if place != "disk":
        (folder / "stray.md").touch()
    assert load(home, folder, unnamed=Unnamed.THIS_FOLDER).root == notes


def test_a_data_folder_alone_finds_the_notes_it_was_made_of(
    home: Path, notes: Path, elsewhere: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    load(home, elsewhere, notes, data=data).remember()
    load(home, elsewhere, elsewhere).remember()
    found = load(home, elsewhere, data=data)
    assert (found.root, found.data) == (notes, data)
    assert load(home, elsewhere, env={"SYNAPSE_DATA": str(data)}).root == notes


def test_with_nothing_known_the_error_says_what_to_type(home: Path, elsewhere: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(home, elsewhere)
    assert "synapse up" in (caught.value.hint or "")


def test_a_data_folder_needs_no_notes(home: Path, elsewhere: Path, tmp_path: Path) -> None:
    settings = load(home, elsewhere, data=tmp_path / "data")
    assert (settings.root, settings.data) == (None, tmp_path / "data")


def test_a_mistyped_folder_is_told_the_nearest(home: Path, notes: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no folder") as caught:
        load(home, notes, notes.with_name("my note"))
    assert str(notes) in (caught.value.hint or "")


def test_a_file_is_no_notes_folder(home: Path, notes: Path) -> None:
    with pytest.raises(InvalidInput, match="is a file"):
        load(home, notes, write(notes, ""))


@pytest.mark.parametrize("name", ["a" * 10_000, "x> } ; DROP ALL #", "a\nb"])
def test_a_name_that_cannot_be_a_folder_is_refused_in_words(home: Path, notes: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(home, notes, notes / name)
    assert len(caught.value.message) < 600


def test_a_known_root_that_is_gone_still_names_its_memory(home: Path, notes: Path, elsewhere: Path) -> None:
    before = load(home, elsewhere, notes)
    before.remember()
    notes.rmdir()
    assert load(home, elsewhere, notes).data == before.data


def test_two_roots_of_one_name_have_two_data_folders(home: Path, tmp_path: Path) -> None:
    roots = [tmp_path / parent / "notes" for parent in ("a", "b")]
    for root in roots:
        root.mkdir(parents=True)
    first, second = (load(home, root, root).data for root in roots)
    assert first != second
    assert first.name.startswith("notes-")
    assert first.parent == home / "memories"


@given(name=st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1))
def test_any_folder_name_makes_a_plain_data_folder(name: str) -> None:
    from synapse.interfaces.settings import default_data

    data = default_data(Path("/home"), Path("/x") / name)
    assert re.fullmatch(r"[\w.-]+-[0-9a-f]{10}", data.name)
    assert data.parent == Path("/home/memories")


def test_roots_are_kept_most_recent_first_without_repeats(tmp_path: Path) -> None:
    known = KnownRoots(tmp_path / "deep" / "roots.json")
    a, b = (KnownRoot(tmp_path / name, tmp_path / f"{name}.data") for name in "ab")
    for root in (a, b, a):
        known.remember(root)
    assert known.all() == (a, b)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"roots": 3}', '{"roots": [{"notes": 1}]}', "\xff"])
def test_a_damaged_list_of_roots_is_an_empty_one(tmp_path: Path, content: str) -> None:
    file = tmp_path / "roots.json"
    file.write_text(content, encoding="latin-1")
    known = KnownRoots(file)
    assert known.all() == ()
    known.remember(KnownRoot(tmp_path, tmp_path))
    assert known.last() == KnownRoot(tmp_path, tmp_path)


def test_a_list_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    blocker = tmp_path / "home"
    blocker.write_text("a file where a folder is wanted")
    KnownRoots(blocker / "roots.json").remember(KnownRoot(tmp_path, tmp_path))
    assert blocker.read_text() == "a file where a folder is wanted"


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "roots.json"
    replace_text(file, "old")
    with pytest.raises(UnicodeEncodeError):
        replace_text(file, "new \ud800")
    assert [entry.name for entry in tmp_path.iterdir()] == ["roots.json"]
    assert file.read_text() == "old"


def test_every_setting_and_variable_is_documented() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for name, section in SECTIONS.items():
        assert f"[{name}]" in text
        for key in fields(section):
            assert f"`{key.name}`" in text, f"[{name}] {key.name} is not in docs/settings.md"
            assert not key.metadata.get("env") or key.metadata["env"] in text
