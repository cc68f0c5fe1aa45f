"""The first screen: what synapse is, and the one command to start with."""

from __future__ import annotations

from typing import Final

import click

_NEXT: Final = (
    ("synapse card people/bob", "everything known of one entity"),
    ("synapse why A depends_on B", "the proof of a fact, down to file and line"),
    ("synapse connect claude-code", "let an agent use this memory"),
)


def welcome() -> None:
    """Print the first screen."""
    name = click.style("synapse", fg="cyan", bold=True)
    click.echo(f"\n  {name}  memory you can prove\n")
    click.echo("  Your Markdown notes as a knowledge graph: reasoned over, watched, served to agents.\n")
    click.echo(f"  Start with   {click.style('synapse up my-notes', bold=True)}\n")
    width = max(len(command) for command, _ in _NEXT)
    for command, purpose in _NEXT:
        click.echo(f"  {command:<{width}}   {click.style(purpose, dim=True)}")
    click.echo(f"\n  {click.style('synapse --help', dim=True)} lists every command.\n")
