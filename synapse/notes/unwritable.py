"""Characters that no RDF literal should hold: it could not leave the memory as RDF/XML or SPARQL XML results.

https://www.w3.org/TR/xml/#charsets
"""

from __future__ import annotations

import re
from typing import Final

REPLACEMENT: Final = "\ufffd"

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def first_unwritable(text: str) -> int | None:
    """The offset of the first such character."""
    match = _UNWRITABLE.search(text)
    return match.start() if match else None


def replaced(text: str) -> str:
    """`text` with each such character replaced; its length stays."""
    return _UNWRITABLE.sub(REPLACEMENT, text)
