"""Lines on screens of any width: ids and `path:line` stay whole, nothing is lost, pipes get what they got."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console, RenderableType
from rich.text import Text

from synapse.interfaces.cli import render_entity, render_neighborhood, render_proof
from synapse.interfaces.cli.layout import Branches, Flow, Rows, whole
from synapse.interfaces.cli.output import THEME, plain
from synapse.usecases.answers import (
    Affected,
    Fact,
    Impact,
    LiteralValue,
    Neighbor,
    Neighborhood,
    Proof,
    Source,
    Statement,
    to_json,
)

IDS = st.text("abcñ東/-_ ", min_size=1, max_size=70).map(lambda text: " ".join(text.split()) or "a")
WIDTHS = st.integers(40, 160)


def on_terminal(view: RenderableType, width: int) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=width, theme=THEME, force_terminal=True, highlight=False).print(
        view, crop=False
    )
    return [Text.from_ansi(line).plain.rstrip() for line in stream.getvalue().splitlines()]


def stated(subject: str, predicate: str, value: Any, line: int) -> Fact:
    path = f"{subject}.md"
    return Fact(
        subject, predicate, value, sources=(Source("file", f"urn:synapse:file:{path}", path=path, line=line),)
    )


def chain(*ids: str) -> Any:
    path = tuple(stated(one, "syn:uses", other, 7) for one, other in pairwise(ids))
    return to_json(Impact(ids[-1], (Affected(ids[0], ids[0], len(path), path),)))


@given(ids=st.lists(IDS, min_size=2, max_size=5), width=WIDTHS)
@settings(max_examples=60)
def test_every_id_and_place_of_an_impact_stands_whole_on_one_line(ids: list[str], width: int) -> None:
    lines = on_terminal(render_entity.impact(chain(*ids)), width)
    for one in ids[:-1]:
        assert any(f"{one}.md:7" in line for line in lines)
        assert any(one in line for line in lines)
    longest = max(len(line.encode()) for one in ids for line in (f"{one}.md:7", one))
    for line in lines:
        assert Text(line).cell_len <= max(width, longest + 10)


@given(rows=st.lists(st.tuples(IDS, IDS, st.text("ab ", max_size=90)), max_size=6), width=WIDTHS)
@settings(max_examples=60)
def test_rows_lose_nothing_at_any_width(rows: list[tuple[str, str, str]], width: int) -> None:
    table = Rows()
    for first, second, prose in rows:
        table.add_row(whole(Text(first)), whole(Text(second)), Text(prose))
    shown = "".join(on_terminal(table, width)).replace(" ", "")
    assert shown == "".join("".join(row) for row in rows).replace(" ", "")


def test_rows_are_aligned_where_they_fit_and_a_list_where_they_do_not() -> None:
    table = Rows()
    for name, value in (("status", "live"), ("owned_by", "teams/payments")):
        table.add_row(whole(Text(name)), whole(Text(value)), whole(Text(f"services/{value}.md:12")))
    assert on_terminal(table, 80) == [
        "  status    live            services/live.md:12",
        "  owned_by  teams/payments  services/teams/payments.md:12",
    ]
    assert on_terminal(table, 40) == [
        "  status",
        "    live  services/live.md:12",
        "  owned_by",
        "    teams/payments",
        "      services/teams/payments.md:12",
    ]


def test_one_long_row_does_not_disturb_the_others() -> None:
    table = Rows()
    for name in ("a" * 10, "b" * 10, "c" * 10, "d" * 50):
        table.add_row(whole(Text("mentions")), whole(Text(name)), whole(Text("services/payments.md:21")))
    shown = on_terminal(table, 70)
    assert len({line.index("services/") for line in shown[:3]}) == 1
    assert shown[3].endswith("d" * 50)
    assert shown[4].strip() == "services/payments.md:21"


def test_a_flow_breaks_prose_between_words_and_hangs_what_follows() -> None:
    flow = Flow([whole(Text("people/ana garcía")), Text("one two three four"), whole(Text("a b.md:1"))])
    assert on_terminal(flow, 27) == ["people/ana garcía  one two", "    three four  a b.md:1"]


@given(depths=st.lists(st.integers(1, 4), max_size=12), width=WIDTHS)
@settings(max_examples=60)
def test_a_tree_has_a_guide_for_every_step(depths: list[int], width: int) -> None:
    tree = [0]
    for depth in depths:
        tree.append(min(depth, tree[-1] + 1))
    steps = [(depth, Flow([whole(Text(f"step {at}."))])) for at, depth in enumerate(tree)]
    lines = on_terminal(Branches(steps), width)
    for at, (depth, line) in enumerate(zip(tree, lines, strict=True)):
        assert line.endswith(f"step {at}.")
        assert line.index("step") == 4 * depth
        if depth:
            follows = next((other for other in tree[at + 1 :] if other <= depth), None)
            assert line[4 * depth - 4] == ("├" if follows == depth else "└")


def test_a_deep_proof_on_a_narrow_screen_keeps_its_places_whole() -> None:
    place = Source("file", "urn:synapse:file:x", path="clients/librería-ñandú/orders.md", line=9)
    leaf = Proof(Statement("services/checkout", "syn:calls", "services/payments"), "stated", sources=(place,))
    proof = leaf
    for _ in range(5):
        proof = Proof(
            Statement("services/checkout", "syn:depends_on", "services/ledger"), "prp-trp", (proof, leaf)
        )
    answer: Any = to_json(proof)
    lines = on_terminal(render_proof.proof_tree(answer), 60)
    assert sum("clients/librería-ñandú/orders.md:9" in line for line in lines) == 6
    assert all(not line.endswith(("services/", "clients/")) for line in lines)


def neighborhood(number: int) -> Any:
    nodes = [Neighbor("hub", "Hub", (), 0)]
    nodes += [Neighbor(f"n/{at}", f"Node {at}", (":Thing", "owl:Thing"), 1) for at in range(number)]
    edges = [stated("hub", ":knows", f"n/{at}", at) for at in range(number)]
    edges += [stated(f"n/{at}", ":near", f"n/{at + 1}", 1) for at in range(number - 1)]
    edges += [stated("n/0", ":owns", "hub", 3)]
    return to_json(Neighborhood("hub", tuple(nodes), tuple(edges)))


def test_a_large_neighborhood_is_grouped_and_says_how_to_see_the_rest() -> None:
    answer = neighborhood(50)
    lines = on_terminal(render_neighborhood.neighborhood(answer), 80)
    assert len(lines) < 45
    assert "30 more: --limit 51" in "\n".join(lines)
    assert [line.split() for line in lines if "knows" in line] == [["knows", "50"]]
    assert "45 more: --limit 51" in "\n".join(lines)
    assert any(line.split() == ["←", "n/0", "line", "3"] for line in lines)
    assert any("near 49" in line for line in lines)


def test_with_a_limit_and_in_a_pipe_a_neighborhood_is_whole() -> None:
    answer = neighborhood(50)
    limited = "\n".join(on_terminal(render_neighborhood.neighborhood(answer, limit=51), 80))
    piped = plain(render_neighborhood.neighborhood(answer))
    for at in range(50):
        assert f"n/{at} " in limited and f"Node {at}" in piped
    assert "more: --limit" not in limited + piped
    assert len(piped.splitlines()) == 1 + 1 + 50 + 1 + 1 + 100


def test_a_literal_is_wrapped_and_an_address_in_it_kept() -> None:
    prose = LiteralValue(
        "See https://example.org/a/long/address?with=query for what was said on the day. " * 2
    )
    view = render_entity.impact(
        to_json(Impact("a", (Affected("b", "B", 1, (stated("b", ":says", prose, 2),)),)))
    )  # type: ignore[arg-type]
    assert "https://example.org/a/long/address?with=query" in "\n".join(on_terminal(view, 70))


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_card_on_a_usual_screen_breaks_no_place(width: int) -> None:
    facts = [stated("projects/conciliación", ":mentions", f"people/{'x' * at}", at) for at in range(1, 60, 7)]
    view = render_entity.impact(
        to_json(Impact("a", (Affected("b", "B", 1, tuple(facts)),)))  # type: ignore[arg-type]
    )
    shown = on_terminal(view, width)
    assert sum("projects/conciliación.md:" in line for line in shown) == len(facts)
    assert all(Text(line).cell_len <= width for line in shown)


@pytest.mark.parametrize("width", range(50, 100))
def test_no_line_of_a_tree_is_wider_than_the_screen_where_words_can_be_broken(width: int) -> None:
    said = '“calls: "[[services/payments]]"” and “writes to: "[[services/ledger]]"”'
    step = Flow([whole(Text("services/checkout")), whole(Text("a.md:9")), Text(said)], hang=0)
    tree = Branches([(0, step), (1, step), (2, step), (3, step), (2, step), (1, step)], indent=2)
    lines = on_terminal(tree, width)
    assert max(Text(line).cell_len for line in lines) <= width
    assert not any(line.lstrip("│ ") in ("”", '"”') for line in lines)


@pytest.mark.parametrize("name", ["uses", "observation", "observations", "observed by", "has observation"])
def test_a_place_that_went_below_prose_stands_a_step_into_it_whatever_the_predicate(name: str) -> None:
    room = 80 - len(f"  {name}  ")
    prose = "words" + " x" * (room - 5)  # two lines, the second with no room for a place
    table = Rows()
    for text, place in ((prose, "diario/2026-03-01-reunión.md:21"), *[("short", "a.md:1")] * 4):
        table.add_row(whole(Text(name)), Text(text), whole(Text(place)))
    *lines, _, _, _, _ = on_terminal(table, 80)
    assert lines[-1].index("diario") == lines[0].index("words") + 2
