"""`synapse retract` and `undo`: taking back what was asserted, and what one write changed."""

from __future__ import annotations

import click

from synapse.interfaces.cli import render_written
from synapse.interfaces.cli.assert_ import fact_of
from synapse.interfaces.cli.options import Invocation, agent_option, reason_option, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.environment import login_name
from synapse.interfaces.notes_root import Unnamed


@click.command()
@click.argument("id", required=False)
@click.option(
    "--fact", "facts", nargs=3, multiple=True, metavar="S P O", help="Retract this fact; repeatable."
)
@reason_option
@agent_option
@shared_options
@click.pass_context
def retract(
    ctx: click.Context,
    id: str | None,
    facts: tuple[tuple[str, str, str], ...],
    reason: str,
    agent: str | None,
) -> None:
    """Take back the assertion ID, or single facts that were asserted.

    What a note says is never touched: the answer names the line to edit. Exit code 1 when nothing
    was retracted.
    """
    if (id is None) == (not facts):
        raise click.UsageError("give the ID of an assertion, or --fact S P O")
    invocation: Invocation = ctx.obj
    answer = Session.of(invocation, unnamed=Unnamed.NOT_AMONG_NOTES).ask(
        "retract",
        assertion_id=id,
        facts=[fact_of(*fact) for fact in facts],
        reason=reason,
        agent=agent or login_name(),
    )
    deliver(answer, render_written.retracted, as_json=invocation.json)
    if answer["status"] == "refused":
        ctx.exit(1)


@click.command()
@click.argument("activity")
@reason_option
@agent_option
@shared_options
@click.pass_context
def undo(ctx: click.Context, activity: str, reason: str, agent: str | None) -> None:
    """Make undone what the write ACTIVITY changed; synapse log shows the ids.

    Exit code 1 when it is not an agent's own write.
    """
    invocation: Invocation = ctx.obj
    answer = Session.of(invocation, unnamed=Unnamed.NOT_AMONG_NOTES).ask(
        "undo", activity=activity, reason=reason, agent=agent or login_name()
    )
    deliver(answer, render_written.undone, as_json=invocation.json)
    if answer["status"] == "refused":
        ctx.exit(1)
