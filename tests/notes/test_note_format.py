"""Every row of `docs/note-format.md` is a test case: the form on the left reads as the right side says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode

from synapse.notes.mapping import map_note
from synapse.notes.note import Dialect, Link, Note, Property, Record, Scalar, ScalarType
from synapse.notes.note_names import names_of
from synapse.notes.parser import parse_note
from synapse.notes.resolution import LinkIndex
from synapse.notes.vault import Vault
from synapse.rdf.lexicon import Lexicon
from synapse.rdf.names import Names
from synapse.rdf.vocab import PREFIXES, SCHEMA_KEYWORDS

PAGE = Path(__file__).parents[2] / "docs/note-format.md"
CELL = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")
VERBS = ("mentions", "embeds")
SIGNS = {"⏎": "\n", "␍": "\r", "→- ": "\t- ", "␣": " ", "⟨BOM⟩": "\ufeff", "⟨NUL⟩": "\x00"}


def tables() -> Iterator[tuple[list[str], list[str]]]:
    """(header, cells) of each row of the page."""
    header: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in CELL.split(line)[1:-1]]
        if header and not line.startswith("|---"):
            yield header, cells
        header = header or cells


def rows() -> Iterator[tuple[str, str, str, str]]:
    """(table, dialect, form, reading) of each row of the tables that have a column `Reads`."""
    for header, cells in tables():
        if header[-1] == "Reads":
            yield header[0], cells[0] if header[0] == "Dialect" else "obsidian", cells[-2], cells[-1]


def rows_of(name: str) -> list[list[str]]:
    """The rows of the tables whose first column has this name."""
    return [cells for header, cells in tables() if header[0] == name]


def codes(cell: str) -> list[str]:
    """The code spans of a table cell, by the rules of CommonMark."""
    texts = (match.group(2) for match in CODE.finditer(cell))
    return [text[1:-1] if text[0] == text[-1] == " " and text.strip() else text for text in texts]


def written(table: str, form: str) -> bytes:
    for sign, meant in SIGNS.items():
        form = form.replace(sign, meant)
    text = f"---\n{form}\n---\n" if table == "Frontmatter" else form
    return b"\xff".join(part.encode() for part in text.split("⟨FF⟩"))


def shown_link(link: Link) -> str:
    return link.target + (f"#{link.fragment}" if link.fragment else "")


def shown_property(item: Property) -> str:
    match item.value:
        case Link() as link:
            return f"{item.key} → {shown_link(link)}"
        case Record(properties):
            return f"{item.key} = {{{'; '.join(shown_property(inner) for inner in properties)}}}"
        case Scalar(text, kind):
            if item.origin == "axiom":
                return f"axiom {item.key} {text}"
            return f"{item.key} = {text}" + ("" if kind is ScalarType.STRING else f" ({kind})")


def shown(note: Note) -> list[str]:
    """All that a note says, in the notation of the page."""
    verbs = (f"{link.relation} →" if link.relation else VERBS[link.embed] for link in note.links)
    return [
        *(shown_property(item) for item in note.properties),
        *(f"{verb} {shown_link(link)}" for verb, link in zip(verbs, note.links, strict=True)),
        *(f"#{tag.name}" for tag in note.tags),
        *(f"heading {item.level} {item.text}" for item in note.headings),
        *(
            f"[{item.category}] {item.text}" + (f" ({item.context})" if item.context else "")
            for item in note.observations
        ),
        *(f"! {found.code}" for found in note.diagnostics),
    ]


@pytest.mark.parametrize(
    ("table", "dialect", "form", "reading"), [pytest.param(*row, id=f"{row[1]} {row[2]}") for row in rows()]
)
def test_a_row_of_the_page_reads_as_it_says(table: str, dialect: str, form: str, reading: str) -> None:
    (text,) = codes(form)
    expected = [] if reading == "nothing" else codes(reading)
    assert expected or reading == "nothing"
    note = parse_note("note.md", written(table, text), dialect=Dialect(dialect))
    assert sorted(shown(note)) == sorted(expected)


KEYS = [(key, states) for english, spanish, states in rows_of("Key") for key in codes(f"{english} {spanish}")]


@pytest.mark.parametrize(("key", "states"), KEYS, ids=[key for key, _ in KEYS])
def test_a_well_known_key_states_the_property_of_the_page(key: str, states: str) -> None:
    """In the frontmatter, as an inline field and in questions."""
    prefix, _, local = codes(states)[0].partition(":")
    meant = NamedNode(PREFIXES[prefix] + local)
    # Of the tags only this spelling is one, as in Obsidian.
    shouted = key if meant == SCHEMA_KEYWORDS else key.upper()
    for text in (f"---\n{key}: x\n---\n", f"---\n{shouted}: x\n---\n", f"{key}:: x\n"):
        assert meant in said(text), text
    assert Lexicon(Names()).asked(key) == meant


def said(text: str) -> set[NamedNode]:
    """The predicates that a note states with the object that the text gives, `x`."""
    names, index = Names(), LinkIndex(Names())
    note = parse_note("n.md", text.encode())
    index.add("n.md")
    mapping = map_note(note, index=index, lexicon=Lexicon(names), dialect=Dialect.OBSIDIAN)
    return {quad.predicate for quad in mapping.lines if quad.object in (Literal("x"), names.key("x"))}


@pytest.mark.parametrize("cells", rows_of("Path"), ids=lambda cells: cells[0])
def test_a_path_has_the_id_and_the_iri_of_the_page(cells: list[str]) -> None:
    path, identifier, end = (codes(cell)[0] for cell in cells)
    names = Names()
    index = LinkIndex(names)
    index.add(path)
    node = index.entity_of(path)
    assert (names.id(node), node.value) == (identifier, names.base_iri + end)


@pytest.mark.parametrize("cells", rows_of("Files"), ids=lambda cells: " ".join(cells[:3]))
def test_a_link_means_what_the_page_says(cells: list[str]) -> None:
    names = Names()
    index = LinkIndex(names)
    for path in codes(cells[0])[0].split():
        index.add(path)
    (source,), (text,) = codes(cells[1]), codes(cells[2])
    (link,) = parse_note(source, text.encode()).links
    found = index.resolve(link, source=source)
    meant = codes(cells[3])[0] if cells[3] != "nothing" else None
    if cells[3].startswith("stub"):
        assert found.entity is not None
        assert (found.path, names.id(found.entity)) == (None, meant)
    elif meant is None:
        assert found.entity is None
    else:
        assert found.path == meant


@pytest.mark.parametrize("cells", rows_of("In the folder"), ids=lambda cells: cells[0])
def test_a_file_is_what_the_page_says(cells: list[str], tmp_path: Path) -> None:
    (path,) = codes(cells[0])
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text("text", encoding="utf-8")
    listing = Vault(tmp_path, templates=["Templates"]).list()
    assert [note.path for note in listing.notes] == ([path] if cells[1] == "a note" else [])
    assert list(listing.assets) == ([path] if cells[1] == "an asset" else [])
    assert [f"! {found.code}" for found in listing.diagnostics] == codes(cells[1])


@pytest.mark.parametrize("cells", rows_of("In the frontmatter of `a.md`"), ids=lambda cells: cells[0])
def test_a_name_that_a_note_gives_itself_means_what_the_page_says(cells: list[str]) -> None:
    (frontmatter,), (text,), (meant, *told) = map(codes, cells)
    names = Names()
    index = LinkIndex(names)
    own = names_of(parse_note("a.md", f"---\n{frontmatter}\n---\n".encode()))
    index.add("a.md", aliases=own.aliases, iri=own.iri, title=own.title)
    note = parse_note("b.md", text.encode())
    index.add("b.md")
    mapping = map_note(note, index=index, lexicon=Lexicon(names), dialect=Dialect.OBSIDIAN)
    found = index.resolve(note.links[0], source="b.md")
    is_stub = cells[2].startswith("stub")
    assert (found.path or names.id(found.entity or names.key("none"))) == meant
    assert (found.path is None) is is_stub
    codes_told = [f"! {found.code}" for found in mapping.diagnostics]
    assert codes_told == (["! link-unresolved"] if is_stub else told)


@pytest.mark.parametrize("cells", rows_of("OKF"), ids=lambda cells: cells[0])
def test_a_concept_states_what_the_page_says(cells: list[str]) -> None:
    stated = {" ".join(pair) for pair in statements(f"---\n{codes(cells[0])[0]}\n---\n", dialect=Dialect.OKF)}
    assert set(codes(cells[1])) <= stated


def statements(text: str, *, dialect: Dialect) -> set[tuple[str, str]]:
    """The predicates and objects that `note.md` states of itself beside `b.md`, in short names."""
    names = Names()
    index = LinkIndex(names, dialect=dialect)
    for path in ("note.md", "b.md"):
        index.add(path)
    note = parse_note("note.md", text.encode(), dialect=dialect)
    mapping = map_note(note, index=index, lexicon=Lexicon(names), dialect=dialect)
    quads = [quad for quad in mapping.lines if quad.subject == mapping.subject]
    return {
        (
            names.show(quad.predicate),
            names.show(quad.object) if isinstance(quad.object, NamedNode) else str(quad.object.value),
        )
        for quad in quads
    }


def test_the_page_has_its_tables() -> None:
    names = [header[0] for header, _ in tables()]
    tested = {"File", "Frontmatter", "Key", "Form", "Dialect", "Path", "Files", "OKF", "In the folder"}
    assert set(names) == {*tested, "In the frontmatter of `a.md`"}
    assert len(names) > 250


def test_every_diagnostic_of_a_row_says_what_to_do() -> None:
    for table, dialect, form, _ in rows():
        note = parse_note("note.md", written(table, codes(form)[0]), dialect=Dialect(dialect))
        for found in note.diagnostics:
            assert found.path == "note.md"
            assert found.line >= 1
            assert len(found.message) > 20, found.code
