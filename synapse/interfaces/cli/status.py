"""`synapse status`: counts, freshness, and who owns the memory."""

from __future__ import annotations

from typing import Any

import click

from synapse.interfaces.cli import render_reports
from synapse.interfaces.cli.options import Invocation, folder_argument, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed


@click.command()
@shared_options
@folder_argument
@click.option("--wait", is_flag=True, help="Wait until pending work is done.")
@click.pass_obj
def status(invocation: Invocation, wait: bool) -> None:
    """Counts, freshness, watcher, dialect, owner and scenarios of a memory."""
    with Session.of(invocation, unnamed=Unnamed.LAST_USED).gateway(create=True) as gateway:
        answer: Any = gateway.call("status", {"wait": wait})
    deliver(answer, render_reports.status, as_json=invocation.json)
