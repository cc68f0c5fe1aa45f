"""`synapse why` and `provenance`: the proof of a fact, and where facts come from."""

from __future__ import annotations

from functools import partial

import click

from synapse.interfaces.cli import render_proof
from synapse.interfaces.cli.objects import typed_object
from synapse.interfaces.cli.options import Invocation, as_of_option, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed


@click.command()
@click.argument("subject")
@click.argument("predicate")
@click.argument("object")
@click.option("--limit", type=click.IntRange(min=1), default=1, show_default=True, help="Proofs at most.")
@as_of_option
@shared_options
@click.pass_context
def why(ctx: click.Context, subject: str, predicate: str, object: str, limit: int, as_of: str | None) -> None:
    """The proof of a fact: rules and premises, down to file and line.

    Exit code 1 when the fact is not known.
    """
    invocation: Invocation = ctx.obj
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask(
        "why",
        subject=subject,
        predicate=predicate,
        object=typed_object(object),
        limit=limit,
        as_of=as_of,
    )
    view = partial(render_proof.why, asked=f"{subject}  {predicate}  {object}")
    deliver(answer, view, as_json=invocation.json)
    if not answer["known"]:
        ctx.exit(1)


@click.command()
@click.argument("subject")
@click.argument("predicate", required=False)
@click.argument("object", required=False)
@click.option("--limit", type=click.IntRange(min=1), help="At most so many facts.")
@as_of_option
@shared_options
@click.pass_context
def provenance(
    ctx: click.Context,
    subject: str,
    predicate: str | None,
    object: str | None,
    limit: int | None,
    as_of: str | None,
) -> None:
    """Where the facts about SUBJECT come from: file and line, agent and reason, or the proof.

    Exit code 1 when there is no such fact.
    """
    invocation: Invocation = ctx.obj
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask(
        "provenance",
        subject=subject,
        predicate=predicate,
        object=None if object is None else typed_object(object),
        limit=limit,
        as_of=as_of,
    )
    deliver(answer, render_proof.provenance, as_json=invocation.json)
    if not answer["facts"]:
        ctx.exit(1)
