"""How `synapse reason` tells what a rebuild and a comparison found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text


def report(answer: Any) -> RenderableType:
    """The size of the inferred graph, what a rebuild changed, and how it compares."""
    changed = f"(+{answer['added']:,} −{answer['removed']:,})"
    lines = [
        Text(f"{answer['inferred']:,} inferred {changed} in {answer['seconds']:.2f} s, {answer['regime']}")
    ]
    if "verification" in answer:
        lines += _verification(answer["verification"])
    return Group(*lines)


def _verification(found: Any) -> Iterator[Text]:
    if not found["differences"]:
        yield Text(f"owlrl infers the same {found['agreed']:,}, trivial facts left out", style="good")
        return
    yield Text(f"{found['differences']:,} differences to owlrl, {found['agreed']:,} the same", style="error")
    for title, key in (("only owlrl infers", "missing"), ("only synapse infers", "extra")):
        for fact in found[key]:
            value = fact["object"]
            object = value if isinstance(value, str) else repr(value["value"])
            yield Text(f"  {title}  {fact['subject']}  {fact['predicate']}  {object}")
