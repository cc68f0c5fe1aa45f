"""Reports on the memory itself: a synchronisation, its status, its scenarios."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli.layout import Flow, whole
from synapse.interfaces.cli.render_terms import (
    JsonMap,
    clean,
    count,
    grid,
    harmless,
    heading,
    notices,
    stacked,
    term,
)
from synapse.usecases.turns import in_turns

_WORST_FIRST: Final = ("error", "warning", "info")
_SEVERITY: Final = {"error": "error", "warning": "warning", "info": "source"}


ALIKE: Final = 3
"""Diagnostics of one code in one note that are shown each on its line."""


def sync_report(answer: JsonMap, *, dry_run: bool = False) -> RenderableType:
    """What a synchronisation found, one line a diagnostic, then what the memory holds now."""
    summary = sync_summary(answer, dry_run=dry_run)
    return stacked(diagnostics(answer["diagnostics"]), summary, *notices(answer))


def diagnostics(found: Sequence[JsonMap], *, most: int | None = None) -> RenderableType | None:
    """One line a diagnostic, `path:line: severity: message [code]`, as compilers write them.

    Of many of one code in one note the first are shown, and how many others there are. Of more than
    `most`, the worst are shown, those of different notes before a second one of the same.
    """
    if not found:
        return None
    if most is None or len(found) <= most:
        return Group(*(line for item, others in brief(found) for line in lines_of(item, others)))
    mixed = in_turns(found, lambda item: (item["path"], item["severity"]))
    chosen = sorted(mixed, key=lambda item: _WORST_FIRST.index(item["severity"]))[:most]
    rest = f"and {len(found) - most:,} more; synapse check shows those of every note"
    return Group(*map(_diagnostic, chosen), Text(rest, style="source"))


def brief(found: Sequence[JsonMap]) -> Iterator[tuple[JsonMap, int]]:
    """The diagnostics that are shown, each with how many others of its code and note it stands for."""
    total, seen = Counter(map(_kind, found)), Counter[tuple[str, str]]()
    for item in found:
        kind = _kind(item)
        seen[kind] += 1
        # A line that counts one other would be no shorter than that other itself.
        shown = ALIKE if total[kind] > ALIKE + 1 else total[kind]
        if seen[kind] <= shown:
            yield item, total[kind] - shown if seen[kind] == shown else 0


def lines_of(item: JsonMap, others: int) -> Iterator[Flow]:
    """The line of a diagnostic, and one for the others that it stands for."""
    yield _diagnostic(item)
    if others:
        yield Flow(
            [
                whole(Text(f"{clean(item['path'])}:")),
                Text(f"{item['severity']}:", style=_SEVERITY[item["severity"]]),
                Text(f"and {others:,} more of [{item['code']}] in this note; --json has them all"),
            ],
            gap=1,
        )


def _kind(item: JsonMap) -> tuple[str, str]:
    return item["path"], item["code"]


def _diagnostic(item: JsonMap) -> Flow:
    has_lines = item.get("kind") not in ("assertion", "observation")
    at = f"{item['path']}:{item['line']}" if has_lines else item["path"]
    place = whole(Text(f"{clean(at)}:"))
    severity = Text(f"{item['severity']}:", style=_SEVERITY[item["severity"]])
    code = whole(Text(f"[{item['code']}]", style="source"))
    return Flow([place, severity, Text(clean(item["message"])), code], gap=1)


def sync_summary(answer: JsonMap, *, dry_run: bool = False) -> Text:
    """Two lines: the notes, then the facts, those that scenarios brought told apart."""
    lead = "a dry run, nothing was changed: " if dry_run else ""
    parts = [f"{answer[name]:,} {name}" for name in ("indexed", "unchanged", "removed")]
    line = Text(f"{lead}{count(answer['found'], 'note')}: {', '.join(parts)}")
    failed = answer["failed"]
    line.append(f", {failed:,} failed", style="error" if failed else "default")
    changes = f"+{answer['inferred_added']:,} −{answer['inferred_removed']:,}"
    line.append(f"\n{stated_facts(answer)}, {answer['inferred']:,} inferred ({changes})")
    return line.append(f" in {answer['seconds']:.2f} s", style="source")


def stated_facts(answer: JsonMap) -> str:
    """The stated facts: of the notes and of whoever writes beside them, then of the scenarios."""
    from_scenarios = answer.get("from_scenarios", 0)
    own = count(answer["triples"] - from_scenarios, "fact")
    return f"{own} of your own, {from_scenarios:,} from scenarios" if from_scenarios else own


def write_back_report(answer: JsonMap, *, dry_run: bool = False) -> RenderableType:
    """The notes whose managed section was, or would be, written; the diff on a dry run."""
    written = answer["written"]
    verb = "would be written" if dry_run else "written"
    line = Text(f"{count(len(written), 'managed section')} {verb}, {answer['unchanged']:,} unchanged")
    diff = Text("\n").join([_diff_line(text) for text in answer["diff"].splitlines()])
    return stacked(diff if diff else None, diagnostics(answer.get("diagnostics", ())), line)


def _diff_line(text: str) -> Text:
    style = "good" if text.startswith("+") else "error" if text.startswith("-") else "source"
    return Text(harmless(text.expandtabs()), style=style)


def status(answer: JsonMap) -> RenderableType:
    """Counts, freshness and liveness."""
    table = grid()
    for name, value in _status_rows(answer):
        table.add_row(Text(name, style="predicate"), value)
    return stacked(table, *notices(answer))


def _status_rows(answer: JsonMap) -> list[tuple[str, Text]]:
    owner: Any = answer.get("owner")
    running = owner and owner["pid"] != os.getpid()
    held = (
        f"process {owner['pid']} since {clean(owner['since'])}" if running else "none; synapse up starts one"
    )
    brought = answer.get("from_scenarios", 0)
    return [
        ("notes", whole(Text(f"{answer['notes']:,}  {clean(answer.get('notes_root') or '')}"))),
        ("entities", Text(f"{answer['entities']:,}")),
        ("facts", Text(f"{answer['triples'] - brought:,} of your own, {brought:,} from scenarios")),
        ("inferred", Text(f"{answer['inferred']:,}", style="inferred")),
        ("last sync", Text(clean(answer.get("last_sync") or "never"))),
        ("pending", _pending(answer["pending"])),
        ("watcher", Text(answer["watcher"], style="error" if answer["watcher"] == "dead" else "default")),
        ("owner", Text(held)),
        ("dialect", Text(answer["dialect"])),
        ("scenarios", Text(", ".join(clean(name) for name in answer["scenarios"]) or "none")),
        ("data", whole(Text(clean(answer.get("data_dir") or "")))),
    ]


def _pending(number: int) -> Text:
    if number == 0:
        return Text("nothing", style="good")
    return Text(f"{count(number, 'note')} changed since the last sync", style="warning")


def scenario_list(answer: Sequence[JsonMap]) -> RenderableType:
    """Every packaged scenario, its version, and whether it is installed."""
    table = grid()
    for info in answer:
        table.add_row(term(info["name"]), _installed(info), Text(clean(info["title"])))
    return table


def _installed(info: JsonMap) -> Text:
    if not info.get("installed"):
        return Text("not installed", style="source")
    if info["installed"] != info["version"]:
        return Text(f"installed {info['installed']}, {info['version']} is here", style="warning")
    return Text(f"installed {info['installed']}", style="good")


def scenario(info: JsonMap) -> RenderableType:
    """One scenario: what it is for, what it needs, which graphs it fills."""
    title = term(info["name"]).append(f" {info['version']}  ", style="source").append_text(_installed(info))
    table = grid()
    rows: list[tuple[str, Any]] = [("needs", info["requires"]), ("graphs", info["graphs"])]
    for name, values in rows:
        for position, value in enumerate(values):
            table.add_row(Text(name if position == 0 else "", style="predicate"), Text(clean(value)))
    described = Group(heading(clean(info["title"])), Text(clean(info["description"])))
    return stacked(title, described, table if table.rows else None)


def scenario_change(answer: JsonMap) -> RenderableType:
    """What installing or removing a scenario did."""
    inferred = f"inferred +{answer['inferred_added']:,} −{answer['inferred_removed']:,}"
    name = term(answer["name"]).append(f" {answer['version']}", style="source")
    facts = f" {answer['action']}: facts +{answer['added']:,} −{answer['removed']:,}, {inferred}"
    return name.append(facts, style="default")
