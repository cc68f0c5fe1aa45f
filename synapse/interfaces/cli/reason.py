"""`synapse reason`: rebuild what is inferred, compare it with another reasoner, or reason over files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from synapse.interfaces.cli import render_reason
from synapse.interfaces.cli.options import FOLDER, Invocation, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed

if TYPE_CHECKING:
    from synapse.usecases.reason_files import FileReasoning


@click.command()
@click.option("--verify", is_flag=True, help="Compare with owlrl, an independent reasoner.")
@click.option("--file", "files", type=FOLDER, multiple=True, metavar="F", help="Reason over RDF files alone.")
@click.option("--format", metavar="FORMAT", help="Of the files: ttl, nt, nq, trig, rdf, jsonld.")
@click.option(
    "--regime", type=click.Choice(["rdfs", "owl-rl"]), default="owl-rl", show_default=True, help="Of --file."
)
@click.option("--trimmed", is_flag=True, help="With --file: without what holds of everything.")
@shared_options
@click.pass_context
def reason(
    ctx: click.Context, verify: bool, files: tuple[Path, ...], format: str | None, regime: str, trimmed: bool
) -> None:
    """Rebuild the inferred facts from nothing; with --verify compare them.

    With --file no memory is needed: what follows from the files goes to stdout as N-Triples,
    contradictions go to stderr with exit code 1. All that the W3C's rules entail is printed,
    even that everything is the same as itself; --trimmed prints what a memory would infer.
    """
    invocation: Invocation = ctx.obj
    if files:
        ctx.exit(_over_files(files, format, regime, trimmed=trimmed))
    if format is not None or trimmed:
        raise click.UsageError(f"--{'trimmed' if trimmed else 'format'} goes with --file", ctx)
    answer: Any = Session.of(invocation, unnamed=Unnamed.NOT_AMONG_NOTES).ask("reason", verify=verify)
    deliver(answer, render_reason.report, as_json=invocation.json)
    if answer.get("verification", {}).get("differences"):
        ctx.exit(1)


def _over_files(files: tuple[Path, ...], format: str | None, regime: str, *, trimmed: bool) -> int:
    # The reasoner brings numpy along; a rebuild that is forwarded does without.
    from synapse.reasoning import Regime  # noqa: PLC0415
    from synapse.usecases.reason_files import reason_files  # noqa: PLC0415

    found = reason_files(files, format=format, regime=Regime(regime), trimmed=trimmed)
    for line in found.inferred:
        click.echo(line)
    _tell(found)
    return 1 if found.contradictions else 0


def _tell(found: FileReasoning) -> None:
    """What a person should know beside the triples, on stderr."""
    for warning in found.warnings:
        click.echo(f"warning: {warning.message}", err=True)
    for contradiction in found.contradictions:
        click.echo(f"contradiction by {contradiction.rule}", err=True)
        for premise in contradiction.premises:
            click.echo(f"  {premise} .", err=True)
