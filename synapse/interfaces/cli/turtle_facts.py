"""The triples of a Turtle file as facts to assert (https://www.w3.org/TR/turtle/).

Relative IRIs are ids, and the prefixes of the memory are declared, as in its SPARQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from synapse.errors import InvalidInput
from synapse.rdf.names import Names, shortened
from synapse.usecases.answers import Json

# Strings, IRIs and comments are stepped over, so that what is left to find is a blank node of the syntax.
_BLANK: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\s]*>|\#[^\n]*"
    r"|(?P<blank>_:|\[|\((?!\s*\)))",
    re.DOTALL,
)
_LINE: Final = re.compile(r"at line (\d+)")
_UNSAID: Final = frozenset(
    {
        "http://www.w3.org/2001/XMLSchema#string",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString",
    }
)
"""The datatypes that a literal has without saying so."""


def facts_of_file(file: Path, *, names: Names) -> list[Json]:
    """Each triple as a fact, in order.

    Raises `InvalidInput` with file and line for text that is no Turtle, and for blank nodes, which
    a memory does not store.
    """
    text = _read(file)
    prologue = names.prologue().replace("\n", " ")
    try:
        # On the same line as the file's first, so that line numbers stay true.
        quads = list(parse(f"{prologue} {text}", RdfFormat.TURTLE))
    except SyntaxError as error:
        line = _LINE.search(str(error))
        place = f"{_name(file)}:{line.group(1)}" if line else _name(file)
        raise InvalidInput(f"{place}: not valid Turtle: {_plainly(error)}") from None
    if not quads:
        raise InvalidInput(f"{_name(file)} holds no triples")
    return list(_facts(quads, file, text, names))


def _facts(quads: list[Quad], file: Path, text: str, names: Names) -> Iterator[Json]:
    for quad in quads:
        if not isinstance(quad.subject, NamedNode) or not isinstance(quad.object, (NamedNode, Literal)):
            raise InvalidInput(
                f"{_name(file)}:{_line_of_blank(text)}: blank nodes are not stored",
                hint="give the node a name, as <people/bob#address>",
            )
        fact: dict[str, Json] = {"subject": names.show(quad.subject), "predicate": names.show(quad.predicate)}
        yield {**fact, **_object(quad.object, names)}


def _object(object: NamedNode | Literal, names: Names) -> dict[str, Json]:
    if isinstance(object, NamedNode):
        return {
            "object": names.show(object),
            "object_is": "iri" if names.id(object) is None else "id",
        }
    found: dict[str, Json] = {"object": object.value, "object_is": "literal"}
    if object.language is not None:
        found["lang"] = object.language
    elif object.datatype.value not in _UNSAID:
        found["datatype"] = object.datatype.value
    return found


def _line_of_blank(text: str) -> int:
    starts = (match.start() for match in _BLANK.finditer(text) if match.group("blank"))
    return text.count("\n", 0, next(starts, 0)) + 1


def _plainly(error: SyntaxError) -> str:
    """What the parser says, without the place, which stands before it already."""
    return re.sub(r"^.*?(?:line \d+)?(?: and | between )?columns? [\d and]+: ", "", error.msg or "")


def _name(file: Path) -> str:
    """The file as a message names it; a terminal must not obey what stands in a name."""
    return str(file) if str(file).isprintable() else shortened(str(file))


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInput(f"{_name(file)}: the facts cannot be read ({reason})") from None
