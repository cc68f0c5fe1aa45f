"""`synapse index`: one synchronisation of the memory with its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from synapse.interfaces.cli import render_reports
from synapse.interfaces.cli.options import Invocation, folder_argument, shared_options
from synapse.interfaces.cli.output import show, show_json
from synapse.interfaces.cli.progress import progress_bar
from synapse.interfaces.cli.render_terms import stacked
from synapse.interfaces.cli.session import Session
from synapse.interfaces.gateway import Gateway
from synapse.interfaces.notes_root import Unnamed
from synapse.usecases.answers import to_json

if TYPE_CHECKING:
    from synapse.memory import Memory


@click.command()
@shared_options
@folder_argument
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
@click.option("--write-back", is_flag=True, help="Put inferred facts into the notes' managed section.")
@click.pass_context
def index(ctx: click.Context, dry_run: bool, write_back: bool) -> None:
    """Read what changed in the notes, once.

    Exit code 1 when a file could not be read; the report names path and line.
    """
    invocation: Invocation = ctx.obj
    here: list[Memory] = []
    with Session.of(invocation, unnamed=Unnamed.THIS_FOLDER).gateway(
        create=True, opened=here.append
    ) as gateway:
        if not dry_run:
            gateway.call("scenario_install", {"name": "core"})
        answer = _sync(gateway, here, dry_run=dry_run)
        back: Any = gateway.call("write_back", {"dry_run": dry_run}) if write_back else None
    if invocation.json:
        added = {} if back is None else {"written_back": len(back["written"]), "write_back": back}
        show_json({**answer, **added})
    else:
        _print(answer, back, dry_run=dry_run)
    if answer["failed"] or _has_errors(back):
        ctx.exit(1)


def _sync(gateway: Gateway, here: list[Memory], *, dry_run: bool) -> Any:
    """The report; a memory that was opened here can show how far it is, one asked elsewhere cannot."""
    if not here:
        return gateway.call("index", {"dry_run": dry_run})
    with progress_bar("Reading the notes") as step:
        return to_json(here[0].sync(dry_run=dry_run, progress=step))


def _has_errors(back: Any) -> bool:
    return back is not None and any(item["severity"] == "error" for item in back["diagnostics"])


def _print(answer: Any, back: Any, *, dry_run: bool) -> None:
    written = None if back is None else render_reports.write_back_report(back, dry_run=dry_run)
    report = render_reports.sync_report(answer, dry_run=dry_run)
    show(stacked(report, written))
