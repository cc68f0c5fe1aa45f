"""Every row of `docs/note-format.md` is a test case: what stands on the left reads as what stands on the right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse.notes.note import Dialect, Link, Note, Property, Record, Scalar, ScalarType
from synapse.notes.parser import parse_note

PAGE = Path(__file__).parents[2] / "docs/note-format.md"
CELL = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)")
SIGNS = {"⏎": "\n", "␍": "\r", "→- ": "\t- ", "␣": " ", "⟨BOM⟩": "\ufeff", "⟨NUL⟩": "\x00"}


def rows() -> Iterator[tuple[str, str, str, str]]:
    """(table, dialect, form, reading) of each row of the tables that have a column `Reads`."""
    header: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in CELL.split(line)[1:-1]]
        if not header:
            header = cells
        elif header[-1] == "Reads" and not line.startswith("|---"):
            dialect = cells[0] if header[0] == "Dialect" else "obsidian"
            yield header[0], dialect, cells[-2], cells[-1]


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
    links = (
        f"{link.relation} →" if link.relation else ("mentions", "embeds")[link.embed] for link in note.links
    )
    return [
        *(shown_property(item) for item in note.properties),
        *(f"{verb} {shown_link(link)}" for verb, link in zip(links, note.links, strict=True)),
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


def test_the_page_has_its_tables() -> None:
    tables = [row[0] for row in rows()]
    assert {"File", "Frontmatter", "Form", "Dialect"} == set(tables)
    assert len(tables) > 200


def test_every_diagnostic_of_a_row_says_what_to_do() -> None:
    for table, dialect, form, _ in rows():
        note = parse_note("note.md", written(table, codes(form)[0]), dialect=Dialect(dialect))
        for found in note.diagnostics:
            assert found.path == "note.md"
            assert found.line >= 1
            assert len(found.message) > 20, found.code
