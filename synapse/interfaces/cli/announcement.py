"""The first screen of a running memory: what it holds, where it is, and one question it answers."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from synapse.interfaces.cli import render_proof, render_reports
from synapse.interfaces.cli.example import Example
from synapse.interfaces.cli.hosting import Hosted
from synapse.interfaces.cli.layout import Flow, whole
from synapse.interfaces.cli.output import show, show_json
from synapse.interfaces.cli.render_terms import clean, count, grid, heading, stacked
from synapse.interfaces.cli.session import Session
from synapse.usecases.answers import to_json

ROUTES: Final = (("MCP", "/mcp"), ("MCP over SSE", "/sse"), ("Health", "/health"))

DIAGNOSTICS: Final = 8
"""Lines of diagnostics on the screen, so that the addresses stay in sight."""


def announce(session: Session, running: Hosted, found: Example | None, *, watch: bool) -> None:
    """Print the screen, or with `--json` the same as one JSON value, and hand it over at once."""
    links = {name: running.address.url + path for name, path in ROUTES}
    if session.json:
        show_json(_as_json(running, found))
    else:
        show(screen(session.settings.root, links, running, found, watch=watch))
    sys.stdout.flush()


def _as_json(running: Hosted, found: Example | None) -> Any:
    answer: dict[str, Any] = {"url": running.address.url}
    answer |= {path.strip("/"): running.address.url + path for _, path in ROUTES}
    if running.first is not None:
        answer["index"] = to_json(running.first.sync)
        answer["write_back"] = to_json(running.first.write_back)
    if found is not None:
        answer["example"] = {"why": list(found.words), **found.answer}
    return answer


def screen(
    root: Path | None,
    links: Mapping[str, str],
    running: Hosted,
    found: Example | None,
    *,
    watch: bool,
) -> RenderableType:
    """The screen of a memory of `root`, served at `links`."""
    stop = "Watching for changes. Ctrl-C stops." if watch else "Ctrl-C stops."
    return stacked(*_ingested(root, running), _table(links), _example(found), Text(stop, style="source"))


def _ingested(root: Path | None, running: Hosted) -> list[RenderableType | None]:
    title = Text("synapse  ", style="heading").append(clean(str(root or "")), style="default")
    if running.first is None:
        return [title]
    report: Any = to_json(running.first.sync)
    lines: list[RenderableType] = [title, render_reports.sync_summary(report)]
    back = running.first.write_back
    if back is not None and back.written:
        lines.append(Text(f"inferred facts put into {count(len(back.written), 'note')}", style="source"))
    found: Any = to_json(running.first.diagnostics)
    return [render_reports.diagnostics(found, most=DIAGNOSTICS), Group(*lines)]


def _table(links: Mapping[str, str]) -> RenderableType:
    table = grid()
    for name, link in links.items():
        table.add_row(Text(name, style="predicate"), Text(link, style="id"))
    return table


def _example(found: Example | None) -> RenderableType | None:
    if found is None:
        return None
    # The terminal wraps it, so that it can be copied in one piece.
    command = Flow([whole(Text(f"synapse why {shlex.join(found.words)}", style="heading"))], indent=2)
    answer = render_proof.proof_tree(found.answer["proofs"][0], indent=2)
    return Group(heading("A question it can prove"), command, answer)
