from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.knowledge.normalise import (
    MAX_NAME,
    acronyms,
    normalise,
    normalise_text,
    numbers,
    tokens,
    type_key,
)


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(alphabet="aéñйёώ か゛ﬁß-_İﾊﾞ\u0301\u0345\u00ad\u3099¨", max_size=30))
def test_normalising_twice_changes_nothing_where_marks_and_separators_meet(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=40))
def test_case_never_matters(text: str) -> None:
    assert normalise(text.casefold()) == normalise(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Gestión", "GESTION"),
        ("Straße", "strasse"),
        ("Ёлка", "елка"),
        ("Αθήνα", "ΑΘΗΝΑ"),
        ("İstanbul", "istanbul"),
        ("ﬁle", "file"),
        ("Ｐａｙ", "pay"),
        ("a-b_c", "a b c"),
        ("a \u2013  b", "a b"),
        ("co\u00adoperate", "cooperate"),
        ("e\u0301", "é"),
    ],
)
def test_spellings_of_the_same_characters_are_one_name(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [("か", "が"), ("は", "ぱ"), ("C", "C++"), ("C++", "C#"), ("a/b", "ab"), ("1.2", "12"), ("कि", "क")],
)
def test_marks_of_other_scripts_and_the_symbols_of_names_stay(left: str, right: str) -> None:
    assert normalise(left) != normalise(right)


def test_a_voicing_mark_that_stands_alone_equals_the_letter_that_carries_it() -> None:
    assert normalise("か\u3099") == normalise("が")


def test_a_name_is_cut_and_a_text_is_not() -> None:
    assert len(normalise("x" * 2 * MAX_NAME)) == MAX_NAME
    assert len(normalise_text("x" * 2 * MAX_NAME)) == 2 * MAX_NAME


def test_words_and_symbols_are_tokens_and_quiet_punctuation_is_none() -> None:
    assert tokens("c++ (course), node.js. मानव か\u3099") == (
        "c", "+", "+", "course", "node", ".", "js", "मानव", "か\u3099",
    )  # fmt: skip


def test_numbers_are_read_in_every_script() -> None:
    assert numbers("v1.20 ٣ 第十二回") == ("1", "20", "٣", "十二")


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("domain driven design", {"ddd"}),
        ("department of defense", {"dod", "dd"}),
        ("kubernetes", {"k8s"}),
        ("api", set()),
        ("", set()),
        ("++", set()),
    ],
)
def test_a_name_has_the_short_forms_people_use(name: str, short: set[str]) -> None:
    assert acronyms(name) == short


def test_a_type_is_one_as_key_curie_and_iri() -> None:
    assert {
        type_key(text) for text in ("BlogPost", "syn:blog-post", "urn:synapse:ns#BlogPost", "blog post")
    } == {"blogpost"}
