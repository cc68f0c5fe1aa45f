"""The notes as an OKF bundle: conformant, nothing lost, the same edges, the source untouched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from note_files import write
from pyoxigraph import Literal, NamedNode

from synapse.errors import InvalidInput
from synapse.memory import Memory
from synapse.notes.bundle_links import with_bundle_links
from synapse.notes.note import Dialect, Link
from synapse.rdf.names import file_graph
from synapse.rdf.vocab import RDFS_LABEL
from synapse.usecases.answers import ExportReport

ROOT = Path(__file__).resolve().parents[2]
Edge = tuple[str, str, str]


def export(notes: Path, target: Path, *, force: bool = False) -> tuple[ExportReport, Memory]:
    memory = Memory.open(notes=notes)
    memory.install_scenario("core")
    return memory.export_okf(str(target), force=force), memory


def indexed(notes: Path) -> Memory:
    memory = Memory.open(notes=notes)
    memory.install_scenario("core")
    memory.sync()
    return memory


def edges(memory: Memory, renamed: dict[str, str] | None = None) -> set[Edge]:
    """What notes state of each other, as path, predicate, path."""
    folder, store = memory._rooms.folder, memory._rooms.store
    assert folder is not None
    paths = {
        folder.index().entity_of(path): (renamed or {}).get(path, path) for path in folder.catalog.rows()
    }
    return {
        (paths[quad.subject], quad.predicate.value, paths[quad.object])
        for path in folder.catalog.rows()
        for quad in store.quads(graph=file_graph(path))
        if isinstance(quad.subject, NamedNode)
        and isinstance(quad.object, NamedNode)
        and {quad.subject, quad.object} <= paths.keys()
    }


def labels(memory: Memory, renamed: dict[str, str] | None = None) -> dict[str, set[str]]:
    folder, store = memory._rooms.folder, memory._rooms.store
    assert folder is not None
    return {
        (renamed or {}).get(path, path): {
            quad.object.value
            for quad in store.quads(folder.index().entity_of(path), RDFS_LABEL, graph=file_graph(path))
            if isinstance(quad.object, Literal)
        }
        for path in folder.catalog.rows()
    }


def assert_same_knowledge(notes: Path, target: Path) -> ExportReport:
    """The bundle conforms, and says of the same notes what the notes say."""
    report, source = export(notes, target)
    bundle = indexed(target)
    checked = bundle.check(okf=True)
    assert [item for item in checked.diagnostics if item.severity == "error"] == []
    renamed = dict(report.renamed)
    generated = {path for path in labels(bundle) if path not in labels(source, renamed)}
    assert all(path.rpartition("/")[2] == "index.md" for path in generated)
    assert {edge for edge in edges(bundle) if edge[0] not in generated} == edges(source, renamed)
    concepts = labels(bundle).keys() - generated - {"log.md"}  # a log is no concept in a bundle
    assert {path: labels(bundle)[path] for path in concepts} == {
        path: labels(source, renamed)[path] for path in concepts
    }
    source.close()
    bundle.close()
    return report


def test_every_real_vault_becomes_a_conformant_bundle_with_the_same_edges(
    real_vault: Path, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in real_vault.rglob("*") if path.is_file()}
    report = assert_same_knowledge(real_vault, tmp_path / "bundle")
    assert report.notes > 0
    assert {path: path.read_bytes() for path in before} == before


def test_the_example_notes_become_a_conformant_bundle_with_the_same_edges(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "notes-example", tmp_path / "notes")
    report = assert_same_knowledge(tmp_path / "notes", tmp_path / "bundle")
    assert report.renamed == {"index.md": "index-note.md"}


LINKS = {
    "a wikilink": ("See [[people/bob]].", "See [people/bob](/people/bob.md)."),
    "a label": ("[[people/bob|Bob]]", "[Bob](/people/bob.md)"),
    "a short name": ("[[bob]]", "[bob](/people/bob.md)"),
    "an alias": ("[[Bobby]]", "[Bobby](/people/bob.md)"),
    "a heading": ("[[bob#How he works]]", "[bob](/people/bob.md#How%20he%20works)"),
    "this note's heading": ("[[#Work]]", "[Work](#Work)"),
    "a table": ("| a |\n|---|\n| [[bob\\|B]] |", "| a |\n|---|\n| [B](/people/bob.md) |"),
    "brackets in a label": ("[[bob|B [x] y]]", "[B \\[x\\] y](/people/bob.md)"),
    "an embed": ("![[bob]]", "![bob](/people/bob.md)"),
    "an image": ("![[pic one.png|100]]", "![pic one.png](/img/pic%20one.png)"),
    "a typed link": ("[[uses:bob]]", "[uses:: [bob](/people/bob.md)]"),
    "a relation": ("- uses [[bob]] (daily)", "- [uses:: [bob](/people/bob.md)] (daily)"),
    "a relation of words": ('- "works with" [[bob|B]]', "- [works with:: [B](/people/bob.md)]"),
    "an inline field": ("uses:: [[bob]], [[ñandú]]", "uses:: [bob](/people/bob.md), [ñandú](/ñandú.md)"),
    "a Markdown link": ("[B](./people/../people/bob.md)", "[B](/people/bob.md)"),
    "a title": ('[B](people/bob.md "t (x)")', '[B](/people/bob.md "t (x)")'),
    "angle brackets": ("[B](<people/bob.md>)", "[B](/people/bob.md)"),
    "a reference": ("[B][r]\n\n[r]: people/bob.md", "[B](/people/bob.md)\n\n[r]: people/bob.md"),
    "a linked image": ("[![x](img/pic%20one.png)](bob)", "[![x](/img/pic%20one.png)](/people/bob.md)"),
    "a note not written yet": ("[[ideas/new one]]", "[ideas/new one](/ideas/new%20one.md)"),
    "an address": ("<https://e.org> [e](https://e.org/x)", "<https://e.org> [e](https://e.org/x)"),
    "code": ("`[[bob]]`\n\n```\n[[bob]]\n```", "`[[bob]]`\n\n```\n[[bob]]\n```"),
    "a comment": ("%%\n[[bob]]\n%%", "%%\n[[bob]]\n%%"),
}


@pytest.mark.parametrize("form", LINKS)
def test_a_link_becomes_a_markdown_link_from_the_root(form: str, notes: Path, tmp_path: Path) -> None:
    before, after = LINKS[form]
    write(notes, "people/bob.md", "---\naliases: [Bobby]\n---\n")
    write(notes, "ñandú.md", "x\n")
    write(notes, "img/pic one.png", "png")
    write(notes, "a.md", before + "\n")
    assert_same_knowledge(notes, tmp_path / "bundle")
    text = (tmp_path / "bundle" / "a.md").read_text(encoding="utf-8")
    assert text == f"---\ntype: Note\ntitle: a\n---\n{after}\n"


FRONTMATTER = {
    "keys stay as they are": ("b: 0x1F # why\ntype: T\ntitle: t\n", "b: 0x1F # why\ntype: T\ntitle: t\n"),
    "a link": (
        'type: T\ntitle: t\nuses: "[[bob]]"\n',
        'type: T\ntitle: t\nuses: "[bob](/people/bob.md)"\n',
    ),
    "a list": (
        'type: T\ntitle: t\nuses:\n  - "[[bob|B]]"\n  - plain\n',
        'type: T\ntitle: t\nuses:\n  - "[B](/people/bob.md)"\n  - plain\n',
    ),
    "an unquoted link": (
        "type: T\ntitle: t\nuses: [[bob]]\n",
        'type: T\ntitle: t\nuses: "[bob](/people/bob.md)"\n',
    ),
    "several links": (
        'type: T\ntitle: t\nuses: "[[bob]], [[a]]"\n',
        'type: T\ntitle: t\nuses: ["[bob](/people/bob.md)", "[a](/a.md)"]\n',
    ),
    "a link in a text": (
        "type: T\ntitle: t\nx: near [[bob]]\n",
        "type: T\ntitle: t\nx: near [[bob]]\n",
    ),
    "no type": ("title: t\n", "type: Note\ntitle: t\n"),
    "an empty type": ("type:\ntitle: t\n", 'type: "Note"\ntitle: t\n'),
    "a list of no types": ("type: []\ntitle: t\n", 'type: "Note"\ntitle: t\n'),
    "a type that is a link": ('type: "[[kinds/Person]]"\ntitle: t\n', 'type: "Person"\ntitle: t\n'),
    "another spelling of type": ("Type: Person\ntitle: t\n", "type: Person\nType: Person\ntitle: t\n"),
    "a type that is a map": (
        "type: {a: 1}\ntitle: t\n",
        "type: Note\ntype_as_written: {a: 1}\ntitle: t\n",
    ),
    "a title with a colon": ("type: T\n", "title: 'a: b'\ntype: T\n"),
    "JSON": ('{"x": 1}\n', '{"type": "Note", "title": "a: b", "x": 1}\n'),
    "an empty block": ("", "type: Note\ntitle: 'a: b'\n"),
}


@pytest.mark.parametrize("form", FRONTMATTER)
def test_frontmatter_gets_what_a_concept_needs_and_keeps_the_rest(
    form: str, notes: Path, tmp_path: Path
) -> None:
    before, after = FRONTMATTER[form]
    write(notes, "people/bob.md", "Bob\n")
    write(notes, "a.md", f"---\n{before}---\n# a: b\n[[bob]]\n")
    export(notes, tmp_path / "bundle")[1].close()
    text = (tmp_path / "bundle" / "a.md").read_text(encoding="utf-8")
    assert text == f"---\n{after}---\n# a: b\n[bob](/people/bob.md)\n"
    with indexed(tmp_path / "bundle") as bundle:
        assert bundle.check(okf=True).errors == 0


def test_frontmatter_that_cannot_be_read_is_kept_as_code(notes: Path, tmp_path: Path) -> None:
    write(notes, "a.md", "---\nkey: @at\n```\n---\nSee [[b]].\n")
    report, memory = export(notes, tmp_path / "bundle")
    memory.close()
    assert [(item.path, item.code) for item in report.diagnostics] == [("a.md", "export-frontmatter")]
    text = (tmp_path / "bundle" / "a.md").read_text()
    assert text == ("---\ntype: Note\ntitle: a\n---\n````yaml\nkey: @at\n```\n````\n\nSee [b](/b.md).\n")


def test_a_bundle_has_an_index_for_every_folder(notes: Path, tmp_path: Path) -> None:
    write(notes, "people/bob.md", "---\ntype: Person\ntitle: Bob [x]\ndescription: Builds\n---\n")
    write(notes, "people/ireland/cork.md", "Cork\n")
    export(notes, tmp_path / "bundle")[1].close()
    root = (tmp_path / "bundle" / "index.md").read_text()
    assert root == '---\nokf_version: "0.2"\n---\n# Subdirectories\n\n* [people](people/index.md)\n'
    assert (tmp_path / "bundle" / "people" / "index.md").read_text() == (
        "# Person\n\n* [Bob \\[x\\]](bob.md) - Builds\n\n# Subdirectories\n\n* [ireland](ireland/index.md)\n"
    )


def test_an_index_that_only_leads_the_way_stays_and_one_that_says_more_becomes_a_concept(
    notes: Path, tmp_path: Path
) -> None:
    write(notes, "index.md", "# All\n\n* [[a/index|A]]\n* [[a/x]]\n")
    write(notes, "a/index.md", "---\ntype: Area\n---\nAbout A, see [[x]].\n")
    write(notes, "a/x.md", "See [[a/index]]\n")
    write(notes, "b/Index.md", "B\n")
    report = assert_same_knowledge(notes, tmp_path / "bundle")
    assert report.renamed == {"a/index.md": "a/index-note.md", "b/Index.md": "b/Index-note.md"}
    root = (tmp_path / "bundle" / "index.md").read_text()
    assert root == '---\nokf_version: "0.2"\n---\n# All\n\n* [A](/a/index-note.md)\n* [a/x](/a/x.md)\n'


def test_a_log_stays_a_log_with_all_it_says(notes: Path, tmp_path: Path) -> None:
    write(notes, "a.md", "A\n")
    write(notes, "log.md", "---\ntitle: History\n---\n# Log\n\n## 2026-01-02\n* Made [[a]].\n")
    write(notes, "sub/log.md", "# Captain's log\n\nStardate.\n")
    report = assert_same_knowledge(notes, tmp_path / "bundle")
    assert report.renamed == {"sub/log.md": "sub/log-note.md"}
    assert (tmp_path / "bundle" / "log.md").read_text() == (
        "---\ntitle: History\n---\n# Log\n\n## 2026-01-02\n* Made [a](/a.md).\n"
    )


def test_managed_sections_marks_and_line_ends_do_not_reach_the_bundle(notes: Path, tmp_path: Path) -> None:
    section = "<!-- synapse:begin -->\r\n**Linked from**\r\n<!-- synapse:end -->\r\n"
    write(notes, "a.md", f"\ufeff---\r\ntype: T\r\n---\r\n# A\r\n\r\n{section}")
    export(notes, tmp_path / "bundle")[1].close()
    assert (tmp_path / "bundle" / "a.md").read_bytes() == b"---\ntitle: A\ntype: T\n---\n# A\n"


def test_a_note_that_is_no_text_is_named_and_left_out(notes: Path, tmp_path: Path) -> None:
    write(notes, "a.md", "A\n")
    (notes / "bad.md").write_bytes(b"\xff\xfe\x00")
    report, memory = export(notes, tmp_path / "bundle")
    memory.close()
    assert [(item.path, item.code) for item in report.diagnostics] == [("bad.md", "export-unreadable")]
    assert not (tmp_path / "bundle" / "bad.md").exists()


def test_two_files_of_one_id_both_reach_the_bundle(notes: Path, tmp_path: Path) -> None:
    write(notes, "a.md", "one\n")
    write(notes, "a.MD", "two\n")
    write(notes, "c.markdown", "never listed\n")
    report, memory = export(notes, tmp_path / "bundle")
    memory.close()
    texts = {(tmp_path / "bundle" / name).read_text().splitlines()[-1] for name in ("a.md", "a-2.md")}
    assert texts == {"one", "two"}
    assert report.notes == 2


def test_a_target_that_holds_files_is_refused_and_with_force_they_are_named(
    notes: Path, tmp_path: Path
) -> None:
    write(notes, "a.md", "A\n")
    old = write(tmp_path, "bundle/old.md", "old\n")
    with pytest.raises(InvalidInput, match="not empty"):
        export(notes, tmp_path / "bundle")
    assert sorted(path.name for path in old.parent.iterdir()) == ["old.md"]
    report, memory = export(notes, tmp_path / "bundle", force=True)
    memory.close()
    assert [(item.path, item.code) for item in report.diagnostics] == [("old.md", "export-leftover")]
    assert old.read_text() == "old\n"


@pytest.mark.parametrize("target", [".", "sub", ".."])
def test_a_target_in_or_around_the_notes_is_refused(target: str, notes: Path) -> None:
    write(notes, "a.md", "A\n")
    with pytest.raises(InvalidInput, match="notes folder"):
        export(notes, notes / target, force=True)


def test_a_symbolic_link_in_the_target_is_never_written_through(notes: Path, tmp_path: Path) -> None:
    write(notes, "a.md", "A\n")
    outside = write(tmp_path, "precious.md", "mine\n")
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "a.md").symlink_to(outside)
    with pytest.raises(InvalidInput, match="symbolic link"):
        export(notes, tmp_path / "bundle", force=True)
    assert outside.read_text() == "mine\n"


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet='[]|#!()<>ab `$\n-:"\\%', max_size=60))
def test_any_text_is_rewritten_without_an_error_and_without_links_it_stays(text: str) -> None:
    def destination(link: Link) -> str | None:
        return "/x.md"

    rewritten = with_bundle_links(text, destination=destination, dialect=Dialect.OBSIDIAN)
    assert with_bundle_links(text, destination=lambda _: None, dialect=Dialect.OBSIDIAN) == text
    if "[" not in text:
        assert rewritten == text
