"""Literals in the one form that the store keeps, so that what was written equals what is stored.

The store rewrites literals of numeric, boolean and date types to a canonical lexical form
(`01` is stored as `1`, `1.50` as `1.5`, `1e3` as `1000`). Quads compared with stored quads must
have it too, else the same note differs from itself for ever.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pyoxigraph import Literal, NamedNode, Quad, Store

from synapse.rdf.vocab import XSD_BOOLEAN, XSD_DATE, XSD_INTEGER, XSD_STRING

_ANY = NamedNode("urn:synapse:any")
_ALREADY_CANONICAL = {
    XSD_INTEGER: re.compile(r"0|-?[1-9][0-9]{0,17}"),
    XSD_BOOLEAN: re.compile(r"true|false"),
    XSD_DATE: re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
}


def plain(text: str) -> Literal:
    """The string literal of any text; a lone surrogate, which RDF cannot hold, becomes U+FFFD."""
    try:
        return Literal(text)
    except ValueError:
        return Literal(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def typed(text: str, datatype: NamedNode) -> Literal:
    """The canonical literal of a lexical form; an ill-typed one is kept as it is (RDF 1.1, section 5)."""
    if datatype == XSD_STRING:
        return plain(text)
    known = _ALREADY_CANONICAL.get(datatype)
    if known is not None and known.fullmatch(text):
        return Literal(text, datatype=datatype)
    return canonical(Literal(plain(text).value, datatype=datatype))


def canonical(literal: Literal) -> Literal:
    """The form that the store keeps of a literal: equal values of one type are one term."""
    if literal.language is not None or literal.datatype == XSD_STRING:
        return literal
    return _as_stored(literal)


@lru_cache(maxsize=16_384)
def _as_stored(literal: Literal) -> Literal:
    # The store itself is the only complete authority on its own rewriting; a scratch one in
    # memory costs about 15 µs and, unlike a shared one, no lock.
    scratch = Store()
    scratch.add(Quad(_ANY, _ANY, literal))
    stored = next(iter(scratch)).object
    assert isinstance(stored, Literal)
    return stored
