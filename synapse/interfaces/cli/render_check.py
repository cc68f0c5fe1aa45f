"""The report of a check, one line a finding as compilers write them, and what each rests on below it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli import render_proof, render_reports
from synapse.interfaces.cli.layout import Flow, whole
from synapse.interfaces.cli.render_terms import JsonMap, clean, count, notices, stacked


def report(answer: JsonMap) -> RenderableType:
    """Every finding, then how many errors and warnings there are in how many notes."""
    found = answer["diagnostics"]
    shown = (line for item, others in render_reports.brief(found) for line in _finding(item, others))
    lines = Group(*shown) if found else None
    return stacked(lines, _summary(answer), *notices(answer))


def _finding(item: JsonMap, others: int) -> Iterator[RenderableType]:
    line, *rest = render_reports.lines_of(item, others)
    yield line
    yield from _rests_on(item)
    yield from rest


def _rests_on(item: JsonMap) -> Iterator[RenderableType]:
    if item["proofs"]:  # the message names the stated facts; how the others follow is told by their proofs
        derived = (proof for proof in item["proofs"] if proof["rule"] != "stated")
        yield from (render_proof.proof_tree(proof, indent=2) for proof in derived)
        return
    for place in item["related"]:
        at = f"{place['path']}:{place['line']}" if place.get("line") else place["path"]
        related = [
            whole(Text(f"{clean(at)}:", style="source")),
            Text(clean(place["message"]), style="source"),
        ]
        yield Flow(related, indent=2, gap=1)


def _summary(answer: JsonMap) -> Text:
    errors, warnings = answer["errors"], answer["warnings"]
    notes = count(answer["notes"], "note")
    if not errors and not warnings:
        return Text(f"nothing wrong in {notes}", style="good")
    line = Text(count(errors, "error"), style="error" if errors else "default")
    line.append(f", {count(warnings, 'warning')}", style="warning" if warnings else "default")
    return line.append(f" in {notes}", style="default")


def exported(answer: JsonMap) -> RenderableType:
    """What an export wrote, and which notes have another path over there."""
    renamed = [Text(f"{clean(old)} is {clean(new)} there") for old, new in sorted(answer["renamed"].items())]
    files = count(answer["assets"], "other file")
    line = Text(
        f"{count(answer['notes'], 'note')}, {count(answer['indexes'], 'index', 'indexes')} and {files}"
    )
    return stacked(
        render_reports.diagnostics(answer["diagnostics"]),
        Group(*renamed) if renamed else None,
        line.append(f" written to {clean(answer['folder'])}"),
        *notices(answer),
    )
