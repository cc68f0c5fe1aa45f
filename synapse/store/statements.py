"""Changes as the history keeps them: compressed N-Quads, and for each fact a key to find it by.

A first index brings hundreds of thousands of facts, so lines are written by the engine, in parts.
https://www.w3.org/TR/n-quads/
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from pyoxigraph import Quad, RdfFormat, Triple, parse

from synapse.rdf.delta import Delta
from synapse.rdf.nquads import fact_and_graph, lines_of

LINES: Final = 20_000
"""Lines held as text at once."""

_KEY_BYTES: Final = 16
"""Two facts out of 10^15 share a key with a chance of 10^-9."""


@dataclass(slots=True)
class Encoded:
    """A change: compressed, and one row a statement of key, graph (a place in `graphs`) and sign."""

    text: bytes = b""
    rows: list[tuple[bytes, int, int]] = field(default_factory=list)
    graphs: dict[str, int] = field(default_factory=dict)


def encode(delta: Delta) -> Encoded:
    """The change as text and as rows, which tell what was added (1) and removed (-1)."""
    encoded, packer = Encoded(), _Packer()
    for sign, quads in ((1, delta.added), (-1, delta.removed)):
        for lines in _lines(quads):
            packer.write(lines)
            for line in lines:
                fact, graph = fact_and_graph(line)
                place = encoded.graphs.setdefault(graph.decode(), len(encoded.graphs))
                encoded.rows.append((_key(fact), place, sign))
        packer.end_part()
    encoded.text = packer.end()
    return encoded


def pack(delta: Delta) -> bytes:
    """The change as text alone."""
    packer = _Packer()
    for quads in (delta.added, delta.removed):
        for lines in _lines(quads):
            packer.write(lines)
        packer.end_part()
    return packer.end()


def unpack(text: bytes) -> Delta:
    """The change of which this is the text."""
    added, removed, _ = zlib.decompress(text).split(b"\0")
    return Delta(frozenset(parse(added, RdfFormat.N_QUADS)), frozenset(parse(removed, RdfFormat.N_QUADS)))


def key_of(triple: Triple) -> bytes:
    """The key of a fact."""
    return _key(fact_of(triple))


def fact_of(triple: Triple) -> bytes:
    """A fact as lines have it."""
    return str(triple).encode()


def _key(fact: bytes) -> bytes:
    return hashlib.blake2b(fact, digest_size=_KEY_BYTES).digest()


def _lines(quads: Iterable[Quad]) -> Iterator[list[bytes]]:
    """One line a statement, in parts; sorted, for lines that begin alike compress well."""
    rest = iter(quads)
    while part := list(islice(rest, LINES)):
        yield sorted(lines_of(part))


class _Packer:
    """Compresses lines as they come; N-Quads escapes NUL, which therefore can end a part."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj(1)
        self._text = bytearray()

    def write(self, lines: list[bytes]) -> None:
        self._text += self._compressor.compress(b"".join(line + b"\n" for line in lines))

    def end_part(self) -> None:
        self._text += self._compressor.compress(b"\0")

    def end(self) -> bytes:
        return bytes(self._text + self._compressor.flush())
