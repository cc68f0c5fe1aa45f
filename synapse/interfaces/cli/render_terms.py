"""Terms, facts, sources and notices as styled text; nothing a note says reaches the terminal raw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli.layout import Flow, Rows, whole
from synapse.interfaces.cli.words import in_options
from synapse.rdf.names import spoken

LONGEST: Final = 240
"""Characters of a literal in a view; `--json` has all of it."""

# C0, C1 and the bidirectional overrides could move the cursor or hide text; CSV ends its lines with CRLF.
_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")

JsonMap = Mapping[str, Any]


def clean(text: str) -> str:
    """`text` on one line, without characters that a terminal would obey."""
    return harmless(" ".join(text.split()))


def harmless(text: str) -> str:
    """`text` with its lines, without other characters that a terminal would obey."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def term(value: Any) -> Text:
    """An id, a CURIE, an IRI or a literal."""
    if not isinstance(value, Mapping):
        return whole(Text(clean(str(value)), style="id"))
    content = clean(str(value["value"]))
    shown = content if len(content) <= LONGEST else content[: LONGEST - 1] + "…"
    text = Text(shown, style="literal")
    if value.get("lang"):
        text.append(f" @{clean(value['lang'])}", style="source")
    return text


def predicate(name: str) -> Text:
    """A predicate as a person types it: `syn:depends_on` and `:tier` lose their prefix."""
    return whole(Text(clean(spoken(name)), style="predicate"))


def triple(statement: JsonMap) -> list[Text]:
    """Subject, predicate and object, each a piece of a line."""
    return [term(statement["subject"]), predicate(statement["predicate"]), term(statement["object"])]


def place(source: JsonMap) -> Text:
    """Where a source can be looked up: `path:line`, an agent, or the name of its graph."""
    if source.get("path"):
        line = f":{source['line']}" if source.get("line") else ""
        return whole(Text(clean(source["path"]) + line, style="source"))
    if source["kind"] == "inferred":
        return whole(Text("inferred", style="inferred"))
    if source.get("agent"):
        return whole(Text(f"by {clean(source['agent'])}", style="source"))
    return whole(Text(clean(source["graph"]).removeprefix("urn:synapse:"), style="source"))


def places(fact: JsonMap, *, most: int = 2, beside_subject: bool = False) -> Text:
    """The first sources of a fact, the number of the others, and `inferred` if no source states it.

    `beside_subject`: the subject stands in the same row, so its own note needs no second mention.
    """
    sources = [] if fact.get("inferred") else fact.get("sources", ())
    own = fact["subject"] if beside_subject else None
    shown = [_line(source) if _is_note_of(source, own) else place(source) for source in sources[:most]]
    if fact.get("inferred"):
        shown.append(Text("inferred", style="inferred"))
    text = whole(Text(", ")).join(shown)
    if len(sources) > most:
        text.append(f" and {len(sources) - most} more", style="source")
    return text


def _is_note_of(source: JsonMap, subject: str | None) -> bool:
    return bool(source.get("line")) and source.get("path") == f"{subject}.md"


def _line(source: JsonMap) -> Text:
    return Text(f"line {source['line']}", style="source")


def facts(rows: Sequence[JsonMap], *, other: str, arrow: str = "") -> Rows:
    """Facts of one entity, grouped by predicate: `other` is the end that is shown."""
    table = grid()
    last = None
    for fact in rows:
        name = fact["predicate"]
        first = Text() if name == last else whole(Text(arrow)).append_text(predicate(name))
        table.add_row(first, _end(fact, other), places(fact, beside_subject=other == "subject"))
        last = name
    return table


def _end(fact: JsonMap, other: str) -> Text:
    """The end of a fact that is shown; of an observation what it says, for its id says nothing."""
    said = fact.get("object_text") if other == "object" else None
    return term(fact[other]) if said is None else Text(clean(said), style="literal")


def grid() -> Rows:
    """A table without lines, indented, that breaks no id and loses no text."""
    return Rows()


def heading(text: str) -> Text:
    """A line that names what follows."""
    return Text(text, style="heading")


def labels(types: Iterable[str]) -> Text:
    """The types of an entity."""
    return Text(", ").join([predicate(name) for name in types])


def notices(answer: JsonMap) -> list[RenderableType]:
    """What the reader should know of the answer, one line each."""
    found = answer.get("notices", ())
    said = (clean(in_options(notice["message"])) for notice in found)
    return [Flow([Text(f"note: {message}", style="notice")], hang=6) for message in said]


def stacked(*blocks: RenderableType | None) -> Group:
    """Blocks one below the other, a blank line between them; None is left out."""
    kept = [block for block in blocks if block is not None]
    spaced: list[RenderableType] = []
    for block in kept:
        spaced.extend([block] if not spaced else ["", block])
    return Group(*spaced)


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 note`, `2 notes`, `1,204 facts`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
