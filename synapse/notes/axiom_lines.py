"""The axioms of an okf-mcp note of `type: ontology`, one a line: `subclass_of: Dog -> Animal`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from synapse.notes.markdown import Body
from synapse.notes.note import Property, Scalar

# A line of two sides is meant as an axiom whatever its name, so that a misspelt one is reported.
_AXIOM = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?"
    r"(?:([a-z_]+)[ \t]*:[ \t]*(\S[^\n]*?->[^\n]*\S)|(transitive|symmetric)[ \t]*:[ \t]*(\S+))[ \t]*$",
    re.MULTILINE,
)


def is_ontology(properties: Sequence[Property]) -> bool:
    """Whether the frontmatter says `type: ontology`."""
    return any(
        item.key == "type" and isinstance(item.value, Scalar) and item.value.text.casefold() == "ontology"
        for item in properties
    )


def axioms_in(body: Body) -> Iterator[Property]:
    """One property an axiom: the key is its name, the value its text as written (`a -> b`)."""
    for match in _AXIOM.finditer(body.plain):
        name, text = (1, 2) if match.group(1) else (3, 4)
        value = Scalar(body.text[match.start(text) : match.end(text)])
        yield Property(match.group(name), value, body.lines.line(match.start(name)), "axiom")
