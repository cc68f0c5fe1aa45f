"""`synapse log`: what changed, when, by whom and why."""

from __future__ import annotations

import click

from synapse.interfaces.cli import render_written
from synapse.interfaces.cli.options import Invocation, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed


@click.command()
@click.option("--agent", metavar="NAME", help="Only what this agent did.")
@click.option("--entity", metavar="ID", help="Only changes that concern this entity.")
@click.option("--since", metavar="TIME", help="From this day or UTC moment on.")
@click.option("--until", metavar="TIME", help="Up to this day, included, or UTC moment.")
@click.option("--all", "everything", is_flag=True, help="Also saves of notes that changed no fact.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many activities.")
@shared_options
@click.pass_obj
def log(
    invocation: Invocation,
    agent: str | None,
    entity: str | None,
    since: str | None,
    until: str | None,
    everything: bool,
    limit: int | None,
) -> None:
    """What changed in the memory, the newest first: time, agent, kind, id, facts.

    Times are UTC. An id is what `synapse undo` takes and, of an assertion, `synapse retract`.
    """
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask(
        "log", agent=agent, entity=entity, since=since, until=until, all=everything or None, limit=limit
    )
    deliver(answer, render_written.log, as_json=invocation.json)
