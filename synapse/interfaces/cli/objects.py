"""The object of a fact as a person types it on the command line."""

from __future__ import annotations

import re
from typing import Final

from synapse.usecases.answers import Json

# A literal as in Turtle (https://www.w3.org/TR/turtle/#literals), in double quotes on one line.
_LITERAL: Final = re.compile(
    r'"(?P<value>.*)"(?:@(?P<lang>[A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^(?P<datatype>\S+))?'
)


def typed_object(text: str) -> Json:
    """The object that was typed: a literal when it is quoted, else whatever the memory makes of it."""
    parts = literal_parts(text)
    return text if parts is None else dict(parts)


def literal_parts(text: str) -> dict[str, str] | None:
    """Value, language and datatype of a quoted literal, as far as it has them; None for any other text."""
    match = _LITERAL.fullmatch(text)
    if match is None:
        return None
    return {name: part for name, part in match.groupdict().items() if part is not None}
