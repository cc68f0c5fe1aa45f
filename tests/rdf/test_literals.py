"""Canonical literals: exactly what the store gives back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from synapse.rdf.literals import canonical, plain, typed
from synapse.rdf.vocab import XSD

lexical = st.one_of(
    st.integers().map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9).map(
        str
    ),
    st.floats(allow_nan=True).map(repr),
    st.dates().map(str),
    st.datetimes().map(lambda instant: instant.isoformat()),
    st.from_regex(r"[+-]?0{0,2}[0-9]{1,20}(\.[0-9]{0,4})?(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["true", "false", "1", "0", "True", "INF", "-INF", "NaN", "", "2024-02-30", "24:00:00"]),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=10),
)
datatypes = st.sampled_from(
    ["string", "boolean", "integer", "decimal", "double", "date", "dateTime", "time", "duration", "long"]
)


def stored(literal: Literal) -> object:
    store = Store()
    store.add(Quad(NamedNode("urn:s"), NamedNode("urn:p"), literal, NamedNode("urn:g")))
    return next(iter(store)).object


@given(lexical, datatypes)
def test_a_typed_literal_is_what_the_store_keeps(text: str, name: str) -> None:
    literal = typed(text, NamedNode(XSD + name))
    assert stored(literal) == literal
    assert stored(Literal(text, datatype=NamedNode(XSD + name))) == literal


@given(st.text(max_size=20), st.sampled_from(["en", "es-MX", "EN-gb"]))
def test_text_with_a_language_stays_as_it_is(text: str, language: str) -> None:
    literal = Literal(plain(text).value, language=language)
    assert canonical(literal) == literal == stored(literal)


@pytest.mark.parametrize(
    ("text", "name", "kept"),
    [
        ("01", "integer", "1"),
        ("1.50", "decimal", "1.5"),
        ("1.10", "decimal", "1.1"),
        ("1e3", "double", "1000"),
        ("2024-01-15T10:30:00+00:00", "dateTime", "2024-01-15T10:30:00Z"),
        ("2024-02-30", "date", "2024-02-30"),
    ],
)
def test_lexical_forms_that_are_rewritten(text: str, name: str, kept: str) -> None:
    assert typed(text, NamedNode(XSD + name)).value == kept


@given(st.text(st.characters(), max_size=20))
def test_any_text_has_a_literal(text: str) -> None:
    assert stored(plain(text)) == plain(text)


def test_a_lone_surrogate_is_replaced_and_nothing_else() -> None:
    assert plain("a\ud83db").value == "a\ufffdb"
    assert plain("\ud83d\ude00").value == "😀"
