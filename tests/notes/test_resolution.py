"""Which file a link means: the rows of the resolution order, and the keys that say when it may change."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse.errors import InvalidIdentifier
from synapse.notes.note import Dialect, Link, LinkForm, Property, Record
from synapse.notes.note_names import names_of
from synapse.notes.parser import parse_note
from synapse.notes.resolution import How, LinkIndex, Resolution, link_keys, name_keys
from synapse.rdf.names import Names

NAMES = Names()
ASSETS = ("img.png", "a/img.png", "plan.canvas", "views/all.base", "scans/d.pdf")


def index_of(*paths: str, dialect: Dialect = Dialect.OBSIDIAN, alias_links: bool = True) -> LinkIndex:
    index = LinkIndex(NAMES, dialect=dialect, alias_links=alias_links)
    for path in paths:
        index.add(path)
    return index


def wiki(target: str, **others: str) -> Link:
    return Link(target, 1, **others)  # type: ignore[arg-type]


def markdown(target: str) -> Link:
    return Link(target, 1, LinkForm.MARKDOWN)


def relation(whole: str) -> Link:
    name, _, target = whole.partition(":")
    return Link(target, 1, relation=name, whole=whole)


WIKI_ROWS = [
    # (what the row says, files, source, target, path, how)
    ("exact path", ["people/bob.md"], "x.md", "people/bob", "people/bob.md", How.EXACT),
    ("exact path with .md", ["people/bob.md"], "x.md", "people/bob.md", "people/bob.md", How.EXACT),
    (".MD in any case", ["A.MD"], "x.md", "a", "A.MD", How.EXACT),
    ("only one .md is removed", ["x.md.md", "x.md"], "s.md", "x.md", "x.md", How.EXACT),
    ("a name that ends in .md", ["n.md.md"], "s.md", "n.md", "n.md.md", How.EXACT),
    ("dots in a name", ["v1.2 notes.md"], "s.md", "v1.2 notes", "v1.2 notes.md", How.EXACT),
    ("blanks at the ends", ["a b.md"], "s.md", "  a b ", "a b.md", How.EXACT),
    ("no-break space", ["a b.md"], "s.md", "a\u00a0b", "a b.md", How.EXACT),
    ("NFD", ["José.md"], "s.md", unicodedata.normalize("NFD", "José"), "José.md", How.EXACT),
    ("casefold", ["Straße.md"], "s.md", "STRASSE", "Straße.md", How.EXACT),
    ("] in a name", ["Sq]uare.md"], "s.md", "Sq]uare", "Sq]uare.md", How.EXACT),
    ("suffix", ["d/e/a.md"], "s.md", "a", "d/e/a.md", How.SUFFIX),
    ("suffix of two segments", ["d/e/a.md", "d/a.md"], "s.md", "e/a", "d/e/a.md", How.SUFFIX),
    ("whole segments only", ["another-todo.md"], "s.md", "todo", None, How.UNRESOLVED),
    ("same folder first", ["a/todo.md", "long/todo.md"], "long/s.md", "todo", "long/todo.md", How.SUFFIX),
    ("exact before same folder", ["todo.md", "a/todo.md"], "a/s.md", "todo", "todo.md", How.EXACT),
    ("leading / is the root", ["d/a.md", "a.md"], "d/s.md", "/a", "a.md", How.EXACT),
    ("./", ["d/a.md", "a.md"], "d/s.md", "./a", "d/a.md", How.RELATIVE),
    ("../", ["d/a.md", "a.md"], "d/s.md", "../a", "a.md", How.RELATIVE),
    ("./ has no fallback", ["e/a.md"], "d/s.md", "./a", None, How.UNRESOLVED),
    ("../ has no fallback", ["e/a.md"], "d/s.md", "../a", None, How.UNRESOLVED),
    ("backslash is no separator", ["b/c.md"], "s.md", "b\\c", None, How.UNRESOLVED),
    ("an asset by its name", ["a/img.png"], "s.md", "img.png", "a/img.png", How.SUFFIX),
    ("an asset has no .md", ["plan.canvas"], "s.md", "plan", None, How.UNRESOLVED),
    ("a folder with its slash", ["dir/index.md"], "s.md", "dir/", "dir/index.md", How.EXACT),
    ("numbers when a file has them", ["2024.md"], "s.md", "2024", "2024.md", How.EXACT),
    ("a date is a name", [], "s.md", "2024-01-15", None, How.UNRESOLVED),
    ("array text", [], "s.md", "5.1, 3.5", None, How.NOTHING),
    ("nothing", [], "s.md", " ", None, How.NOTHING),
    ("an address", [], "s.md", "https://x.org/a", None, How.EXTERNAL),
    ("an application's address", [], "s.md", "obsidian://open?x", None, How.EXTERNAL),
    ("itself", ["a.md"], "a.md", "a", "a.md", How.SELF),
]


@pytest.mark.parametrize(
    ("row", "files", "source", "target", "path", "how"), WIKI_ROWS, ids=[r[0] for r in WIKI_ROWS]
)
def test_a_wikilink_means(
    row: str, files: list[str], source: str, target: str, path: str | None, how: How
) -> None:
    found = index_of(*files).resolve(wiki(target), source=source)
    assert (found.path, found.how) == (path, how)


MARKDOWN_ROWS = [
    ("beside the source first", ["a.md", "d/a.md"], "d/s.md", "a.md", "d/a.md", How.RELATIVE),
    ("then anywhere", ["e/a.md"], "d/s.md", "a.md", "e/a.md", How.SUFFIX),
    ("without .md", ["d/a.md"], "d/s.md", "a", "d/a.md", How.RELATIVE),
    ("a folder's index", ["d/t/index.md"], "d/s.md", "t/", "d/t/index.md", How.RELATIVE),
    ("a folder's README", ["t/README.md"], "s.md", "t/", "t/README.md", How.RELATIVE),
    ("index before README", ["t/README.md", "t/index.md"], "s.md", "t/", "t/index.md", How.RELATIVE),
    ("a folder without its slash", ["t/README.md"], "s.md", "t", "t/README.md", How.RELATIVE),
    ("a file before a folder", ["t/README.md", "t.md"], "s.md", "t", "t.md", How.RELATIVE),
    ("the folder itself", ["d/index.md"], "d/s.md", ".", "d/index.md", How.RELATIVE),
    ("the folder above", ["index.md"], "d/s.md", "..", "index.md", How.RELATIVE),
    ("from the root", ["tables/x.md"], "d/s.md", "/tables/x.md", "tables/x.md", How.EXACT),
    ("mail", [], "s.md", "mailto:a@b.org", None, How.EXTERNAL),
    ("a scheme nobody knows", [], "s.md", "message:abc", None, How.EXTERNAL),
    ("no scheme but a host", [], "s.md", "//example.org/x", None, How.EXTERNAL),
    (
        "a colon in a file's name",
        ["Juego: Maratón.md"],
        "s.md",
        "Juego: Maratón.md",
        "Juego: Maratón.md",
        How.RELATIVE,
    ),
]


@pytest.mark.parametrize(
    ("row", "files", "source", "target", "path", "how"), MARKDOWN_ROWS, ids=[r[0] for r in MARKDOWN_ROWS]
)
def test_a_markdown_link_means(
    row: str, files: list[str], source: str, target: str, path: str | None, how: How
) -> None:
    found = index_of(*files).resolve(markdown(target), source=source)
    assert (found.path, found.how) == (path, how)


def test_among_several_the_shortest_path_is_taken_and_all_are_named() -> None:
    found = index_of("long/er/todo.md", "b/todo.md", "a/todo.md").resolve(wiki("todo"), source="s.md")
    assert found.path == "a/todo.md"
    assert found.candidates == ("a/todo.md", "b/todo.md", "long/er/todo.md")


def test_a_name_written_in_the_same_case_is_preferred_and_not_in_doubt() -> None:
    index = index_of("Bob.md", "bob.md")
    assert index.resolve(wiki("bob"), source="s.md") == Resolution("bob.md", NAMES.entity("bob"), How.EXACT)
    assert index.resolve(wiki("BOB"), source="s.md").candidates == ("Bob.md", "bob.md")


@pytest.mark.parametrize(
    ("target", "form", "entity"),
    [
        ("New idea", LinkForm.WIKI, "New idea"),
        ("a/b.md", LinkForm.WIKI, "a/b"),
        ("./n", LinkForm.WIKI, "d/n"),
        ("../n", LinkForm.WIKI, "n"),
        ("/n", LinkForm.WIKI, "n"),
        ("n.md", LinkForm.MARKDOWN, "d/n"),
        ("/t/n.md", LinkForm.MARKDOWN, "t/n"),
    ],
)
def test_a_target_that_no_file_has_is_the_entity_of_the_path_it_spells(
    target: str, form: LinkForm, entity: str
) -> None:
    found = index_of().resolve(Link(target, 1, form), source="d/s.md")
    assert (found.path, found.entity, found.how) == (None, NAMES.entity(entity), How.UNRESOLVED)


def test_a_target_that_leads_out_of_the_folder_is_no_entity() -> None:
    found = index_of().resolve(markdown("../../etc/passwd"), source="d/s.md")
    assert (found.entity, found.how) == (None, How.UNRESOLVED)


def test_only_a_heading_is_the_note_itself() -> None:
    assert index_of("s.md").resolve(wiki("", fragment="h"), source="s.md") == Resolution(
        "s.md", None, How.SELF
    )


def test_a_relation_is_a_name_when_a_file_has_that_name() -> None:
    index = index_of("Juego:x.md", "x.md")
    named = index.resolve(relation("Juego:x"), source="s.md")
    assert (named.path, named.relation_is_name) == ("Juego:x.md", True)
    typed = index.resolve(relation("part_of:x"), source="s.md")
    assert (typed.path, typed.relation_is_name) == ("x.md", False)


def test_an_alias_is_followed_only_when_one_note_has_it() -> None:
    index = index_of("s.md")
    index.add("a.md", aliases=["The Boss"])
    assert index.resolve(wiki("the boss"), source="s.md").how is How.ALIAS
    index.add("b.md", aliases=["the boss"])
    doubtful = index.resolve(wiki("the boss"), source="s.md")
    assert (doubtful.path, doubtful.how) == (None, How.UNRESOLVED)
    assert doubtful.candidates == ("a.md", "b.md")


def test_alias_links_can_be_turned_off() -> None:
    index = LinkIndex(NAMES, alias_links=False)
    index.add("a.md", aliases=["boss"])
    assert index.resolve(wiki("boss"), source="s.md").how is How.UNRESOLVED


def test_titles_and_permalinks_name_a_note_only_in_the_dialects_that_link_by_them() -> None:
    for dialect, how in ((Dialect.BASIC_MEMORY, How.TITLE), (Dialect.OBSIDIAN, How.UNRESOLVED)):
        index = LinkIndex(NAMES, dialect=dialect)
        index.add("notes/x1.md", title="Search design", permalink="specs/search")
        assert index.resolve(wiki("Search Design"), source="s.md").how is how
        assert index.resolve(wiki("specs/search"), source="s.md").how is how


def test_a_logseq_page_is_linked_by_its_name_with_slashes() -> None:
    index = LinkIndex(NAMES, dialect=Dialect.LOGSEQ)
    names = names_of(parse_note("pages/a___b.md", b"", dialect=Dialect.LOGSEQ), dialect=Dialect.LOGSEQ)
    index.add("pages/a___b.md", title=names.title)
    assert index.resolve(wiki("A/b"), source="s.md").path == "pages/a___b.md"


def test_a_uri_is_the_entity_of_its_file_and_a_link_may_name_it() -> None:
    index = index_of()
    index.add("people/bob.md", iri="https://bob.example/#me")
    by_path = index.resolve(wiki("bob"), source="s.md")
    by_iri = index.resolve(markdown("https://bob.example/#me"), source="s.md")
    assert by_path.entity == by_iri.entity == index.entity_of("people/bob.md")
    assert by_iri.how is How.IRI
    assert by_path.entity is not None
    assert by_path.entity.value == "https://bob.example/#me"


def test_two_files_with_one_uri_both_keep_the_ids_of_their_paths() -> None:
    index = index_of()
    index.add("a.md", iri="https://x.org/1")
    touched = index.add("b.md", iri="https://x.org/1")
    assert index.entity_of("a.md") == NAMES.entity("a")
    assert index.entity_of("b.md") == NAMES.entity("b")
    assert index.rivals("a.md") == ("b.md",)
    assert "a" in touched, "links to a.md mean another node now"
    index.remove("b.md")
    assert index.entity_of("a.md").value == "https://x.org/1"


def test_a_uri_that_is_the_id_of_another_file_is_not_taken() -> None:
    index = index_of("people/bob.md")
    index.add("x.md", iri="https://synapse.local/people/bob")
    assert index.entity_of("x.md") == NAMES.entity("x")
    assert "x" in index.remove("people/bob.md")
    assert index.entity_of("x.md") == NAMES.entity("people/bob")


def test_a_leading_slash_is_the_root_of_the_nearest_bundle() -> None:
    index = index_of("tables/x.md", "shop/tables/x.md")
    index.add("shop/index.md", bundle_root=True)
    assert index.resolve(markdown("/tables/x.md"), source="shop/d/s.md").path == "shop/tables/x.md"
    assert index.resolve(markdown("/tables/x.md"), source="other/s.md").path == "tables/x.md"
    assert index.resolve(markdown("/n.md"), source="shop/d/s.md").entity == NAMES.entity("shop/n")


def test_a_bundle_that_declares_nothing_is_found_from_the_outermost_folder_that_has_the_path() -> None:
    index = index_of("shop/tables/x.md")
    assert index.resolve(markdown("/tables/x.md"), source="shop/d/s.md").path == "shop/tables/x.md"


def test_a_path_that_cannot_be_an_id_is_refused_and_nothing_is_added() -> None:
    index = index_of()
    with pytest.raises(InvalidIdentifier):
        index.add("a\nb.md")
    assert len(index) == 0


def test_adding_the_same_names_again_touches_nothing() -> None:
    index = index_of()
    assert index.add("a.md", aliases=["b"]) == name_keys("a.md", ["b"])
    assert index.add("a.md", aliases=["b"]) == frozenset()
    assert index.add("a.md", aliases=["c"]) == name_keys("a.md", ["b", "c"])


# -- a note's links can change their meaning only with the keys that they share --------------------

WORDS = ["a", "b", "A", "á", "index", "README", "x.md", "img.png", "Straße"]
folders = st.lists(st.sampled_from(["d", "e", "D"]), max_size=2)
paths = st.builds(
    lambda parts, name, ending: "/".join([*parts, name]) + ending,
    folders,
    st.sampled_from(WORDS),
    st.sampled_from([".md", ".md", ".MD", ".pdf"]),
)
iris = st.sampled_from(
    [None, None, "https://x.org/1", "https://synapse.local/a", "https://synapse.local/d/b"]
)
names_given = st.fixed_dictionaries(
    {
        "aliases": st.lists(st.sampled_from(["a", "B", "TCP/IP", "d/a", "rel:a"]), max_size=2),
        "iri": iris,
        "title": st.sampled_from([None, "A", "b/c"]),
        "permalink": st.sampled_from([None, "d/a"]),
        "bundle_root": st.booleans(),
    }
)
targets = st.one_of(
    st.builds(
        lambda prefix, parts, name, ending: prefix + "/".join([*parts, name]) + ending,
        st.sampled_from(["", "", "./", "../", "/", "d/../"]),
        folders,
        st.sampled_from([*WORDS, ".", "..", ""]),
        st.sampled_from(["", "", ".md", "/", "/.", "/.."]),
    ),
    st.sampled_from(["TCP/IP", "https://x.org/1", "https://synapse.local/a", "b/c", "5.1", ""]),
)
links = st.builds(
    lambda target, form, whole: Link(target, 1, form, relation="rel" if whole else None, whole=whole),
    targets,
    st.sampled_from(LinkForm),
    st.sampled_from([None, None, "rel:a", "rel:d/a"]),
)
dialects = st.sampled_from([Dialect.OBSIDIAN, Dialect.BASIC_MEMORY, Dialect.OKF])
changes = st.lists(st.tuples(paths, st.one_of(st.none(), names_given)), max_size=8)


def changed(index: LinkIndex, path: str, names: dict[str, object] | None) -> frozenset[str]:
    return index.remove(path) if names is None else index.add(path, **names)  # type: ignore[arg-type]


@settings(max_examples=100)
@given(dialects, changes, changes, st.lists(links, min_size=1, max_size=6), paths)
def test_a_resolution_changes_only_if_a_touched_key_is_a_key_of_its_link(
    dialect: Dialect,
    before: list[tuple[str, dict[str, object] | None]],
    after: list[tuple[str, dict[str, object] | None]],
    asked: list[Link],
    source: str,
) -> None:
    index = LinkIndex(NAMES, dialect=dialect)
    for path, names in before:
        changed(index, path, names)
    for path, names in after:
        old = [index.resolve(link, source=source) for link in asked]
        own = index.entity_of(source)
        touched = changed(index, path, names)
        for link, was in zip(asked, old, strict=True):
            now = index.resolve(link, source=source)
            if now != was and index.entity_of(source) == own:
                assert touched & link_keys(link), (path, names, link, was, now)


@settings(max_examples=60)
@given(dialects, changes, st.lists(links, min_size=1, max_size=6), paths)
def test_the_order_in_which_files_came_and_went_does_not_matter(
    dialect: Dialect,
    steps: list[tuple[str, dict[str, object] | None]],
    asked: list[Link],
    source: str,
) -> None:
    index, fresh = LinkIndex(NAMES, dialect=dialect), LinkIndex(NAMES, dialect=dialect)
    for path, names in steps:
        changed(index, path, names)
    final = dict(steps)
    for path, names in sorted(final.items(), key=lambda item: item[0], reverse=True):
        changed(fresh, path, names)
    for link in asked:
        assert index.resolve(link, source=source) == fresh.resolve(link, source=source)


@given(st.lists(links, max_size=6), paths)
def test_every_link_has_an_answer_that_is_consistent(asked: list[Link], source: str) -> None:
    index = index_of(*ASSETS, source)
    for link in asked:
        found = index.resolve(link, source=source)
        if found.how in {How.SELF, How.EXTERNAL, How.NOTHING}:
            assert found.entity is None
        elif found.how is not How.UNRESOLVED:
            assert found.path is not None
            assert found.entity == index.entity_of(found.path)


# -- Obsidian's own reading of a vault ---------------------------------------------------------------

TASKS_DEMO = Path(__file__).parents[2] / "../shared/data/obsidian-tasks-demo"

EDITED_AFTER_THE_ORACLE = {"How To/Find tasks in notes with particular tag.md"}
"""Notes that the oracle has and that have links now which they had not when it was made."""


def links_in(properties: tuple[Property, ...]) -> Iterator[Link]:
    for item in properties:
        if isinstance(item.value, Link):
            yield item.value
        elif isinstance(item.value, Record):
            yield from links_in(item.value.properties)


def test_the_links_of_the_tasks_demo_vault_mean_what_obsidian_says() -> None:
    oracle = TASKS_DEMO / "oracle/metadataCache/resolvedLinks.json"
    if not oracle.exists():
        pytest.skip(f"{oracle} is not here")
    root = TASKS_DEMO / "vault"
    index, notes = index_of(), []
    for file in sorted(file for file in root.rglob("*") if file.is_file()):
        path = file.relative_to(root).as_posix()
        if path.startswith("."):
            continue
        if path.endswith(".md"):
            note = parse_note(path, file.read_bytes())
            notes.append(note)
            index.add(path, aliases=names_of(note).aliases)
        else:
            index.add_asset(path)

    expected = {path: set(links) for path, links in json.loads(oracle.read_text("utf-8")).items()}
    extra = set()
    compared = 0
    for note in notes:
        asked = [*note.links, *links_in(note.properties)]
        found = {index.resolve(link, source=note.path).path for link in asked} - {None}
        assert expected.get(note.path, set()) <= found, note.path
        compared += len(expected.get(note.path, ()))
        if note.path in expected and found - expected[note.path]:
            extra.add(note.path)
    assert compared > 50
    assert extra == EDITED_AFTER_THE_ORACLE
