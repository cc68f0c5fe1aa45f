"""`synapse card`, `neighborhood` and `impact`: what is known of one entity and around it."""

from __future__ import annotations

from functools import partial
from typing import Final

import click

from synapse.interfaces.cli import render_entity, render_neighborhood
from synapse.interfaces.cli.options import Invocation, as_of_option, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed

_PREDICATE: Final = click.option(
    "--predicate",
    "-p",
    multiple=True,
    metavar="KEY",
    help="Follow only this property; repeatable.",
)
_LIMIT: Final = click.option("--limit", type=click.IntRange(min=1), help="At most so many.")


@click.command()
@click.argument("id")
@_LIMIT
@as_of_option
@shared_options
@click.pass_obj
def card(invocation: Invocation, id: str, limit: int | None, as_of: str | None) -> None:
    """Everything known of one entity, on one page.

    ID is the path of a note without .md, a label, an alias, a CURIE or an IRI.
    """
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask("card", id=id, limit=limit, as_of=as_of)
    deliver(answer, render_entity.card, as_json=invocation.json)


@click.command()
@click.argument("id")
@click.option("--depth", type=click.IntRange(min=1), default=1, show_default=True, help="Steps away.")
@_PREDICATE
@click.option("--direction", type=click.Choice(["out", "in", "both"]), default="both", show_default=True)
@_LIMIT
@shared_options
@click.pass_obj
def neighborhood(
    invocation: Invocation, id: str, depth: int, predicate: tuple[str, ...], direction: str, limit: int | None
) -> None:
    """The entities around an entity, and the facts that connect them."""
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask(
        "neighborhood", id=id, depth=depth, predicates=list(predicate), direction=direction, limit=limit
    )
    deliver(answer, partial(render_neighborhood.neighborhood, limit=limit), as_json=invocation.json)


@click.command()
@click.argument("id")
@click.option("--depth", type=click.IntRange(min=1), help="At most so many steps; unlimited by default.")
@_PREDICATE
@_LIMIT
@shared_options
@click.pass_obj
def impact(
    invocation: Invocation, id: str, depth: int | None, predicate: tuple[str, ...], limit: int | None
) -> None:
    """Everything that depends on an entity, each with the path that shows why."""
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask(
        "impact", id=id, depth=depth, predicates=list(predicate), limit=limit
    )
    deliver(answer, render_entity.impact, as_json=invocation.json)
