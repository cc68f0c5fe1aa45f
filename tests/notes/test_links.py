from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.links import (
    MAX_TARGET_LENGTH,
    is_external,
    links_in,
    markdown_link,
    only_links,
    wiki_link,
    wiki_problem,
)
from synapse.notes.note import Dialect, Link, LinkForm

NAMES = st.from_regex(r"[a-zñ日][a-zñ日 ()'&-]{0,10}[a-z]", fullmatch=True)


@given(NAMES, NAMES, NAMES)
def test_the_parts_of_a_wikilink_come_apart(path: str, fragment: str, label: str) -> None:
    link = wiki_link(f" {path} #{fragment}|{label}", line=3)
    assert link == Link(path, 3, fragment=fragment, label=label)


def test_an_embed_has_its_label_but_a_size_is_none() -> None:
    assert wiki_link("a|shown", line=1, embed=True) == Link("a", 1, embed=True, label="shown")
    assert wiki_link("a|100x20", line=1, embed=True) == Link("a", 1, embed=True)


@pytest.mark.parametrize("blank", ["\u00a0", "\t", "\u3000", " "])
def test_blanks_around_a_target_are_cut(blank: str) -> None:
    assert wiki_link(f"{blank}a{blank}", line=1) in (Link("a", 1), None if blank == "\t" else Link("a", 1))


def test_a_decomposed_name_becomes_nfc() -> None:
    link = wiki_link("Jose\u0301", line=1)
    assert link is not None
    assert link.target == "Jos\u00e9"


@given(st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{1,20}", fullmatch=True), st.sampled_from([":", "::"]), NAMES)
def test_a_word_before_a_colon_is_a_relation_and_the_whole_text_is_kept(
    word: str, colon: str, name: str
) -> None:
    link = wiki_link(f"{word}{colon}{name}#h", line=1)
    assert link is not None
    if word.casefold() not in {"urn", "mailto", "tel", "doi", "data", "javascript", "tag", "did", "isbn"}:
        assert (link.relation, link.target, link.whole) == (word, name, f"{word}{colon}{name}")


@pytest.mark.parametrize(
    "text", ["Juego: Maratón", "C:x", "https://x", "dendron://v/x", "a b:c", "rel:", "urn:isbn:1", "1a:b"]
)
def test_a_name_with_a_colon_is_no_relation(text: str) -> None:
    link = wiki_link(text, line=1)
    assert link is not None
    assert (link.relation, link.target) == (None, text)


def test_dendron_writes_the_label_first() -> None:
    assert wiki_link("label|a.b", line=1, dialect=Dialect.DENDRON) == Link("a.b", 1, label="label")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\nb", "link-over-lines"),
        ("a\x85b", "link-control-character"),
        ("5.1, 3.5", "link-is-numbers"),
        ("a" * (MAX_TARGET_LENGTH + 1), "link-too-long"),
    ],
)
def test_a_text_that_cannot_be_a_path_is_no_link_and_says_why(text: str, code: str) -> None:
    problem = wiki_problem(text)
    assert problem is not None
    assert problem[0] == code
    assert wiki_link(text, line=1) is None


@given(st.text(max_size=40))
def test_any_text_is_a_link_or_nothing(text: str) -> None:
    link = wiki_link(text, line=1)
    assert link is None or link.target or link.fragment


@given(NAMES, NAMES)
def test_a_markdown_destination_is_split_before_it_is_decoded(path: str, fragment: str) -> None:
    link = markdown_link(f"{path.replace(' ', '%20')}%23x?q=1#{fragment}", label="t", line=1)
    assert link == Link(f"{path}#x", 1, LinkForm.MARKDOWN, fragment=fragment, label="t")


@pytest.mark.parametrize("destination", ["", "?", "a%0Ab", "x" * 3000])
def test_a_destination_that_names_nothing_is_no_link(destination: str) -> None:
    assert markdown_link(destination, label="t", line=1) is None


def test_a_percent_sign_that_encodes_nothing_stays() -> None:
    link = markdown_link("100%ff.md", label="t", line=1)
    assert link is not None
    assert link.target == "100%ff.md"


@pytest.mark.parametrize("target", ["https://x", "mailto:a@b", "zotero://s", "//x.org/a", "urn:isbn:1"])
def test_an_address_is_external_and_kept_whole(target: str) -> None:
    assert is_external(target)
    assert markdown_link(target + "#f?q=%20", label="t", line=1) == Link(
        target + "#f?q=%20", 1, LinkForm.MARKDOWN, label="t"
    )


@pytest.mark.parametrize("target", ["a.md", "dir/a:b", "C:x", "./https:x", "/x"])
def test_a_path_is_not_external(target: str) -> None:
    assert not is_external(target)


def test_the_links_of_a_value_in_their_order() -> None:
    targets = [link.target for link in links_in("x [[a]] ![[b|c]] [[Sq]uare]] [[d", line=1)]
    assert targets == ["a", "b", "Sq]uare"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("[[a]]", True),
        ("[[a]], [[b|x]]", True),
        ("[[a]] and", False),
        ("[t](a.md)", True),
        ("x [t](a.md)", False),
    ],
)
def test_a_value_of_nothing_but_links_has_no_text(text: str, answer: bool) -> None:
    assert only_links(text) is answer
