"""`synapse connect`: the configuration that lets an MCP client use this memory."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Group
from rich.text import Text

from synapse.interfaces.cli import clients
from synapse.interfaces.cli.options import Invocation, shared_options
from synapse.interfaces.cli.output import show, show_json
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed


@click.command()
@click.argument("client", metavar="CLIENT")
@click.option("--write", is_flag=True, help="Put it into the client's file; other entries stay.")
@click.option("--name", default="synapse", show_default=True, help="The name of the entry.")
@click.option(
    "--access",
    type=click.Choice(["read", "read_write", "full"]),
    default="read_write",
    show_default=True,
    help="What the agent may do.",
)
@shared_options
@click.pass_obj
def connect(invocation: Invocation, client: str, write: bool, name: str, access: str) -> None:
    """Print, or write, the configuration that lets CLIENT use this memory.

    CLIENT is claude-desktop, claude-code, cursor or vscode. The entry starts
    `synapse serve --stdio` with absolute paths; claude-code and vscode keep it in the
    current folder, the others in your home.
    """
    kind = clients.client(client)
    session = Session.of(invocation, unnamed=Unnamed.NOT_AMONG_NOTES if write else Unnamed.LAST_USED)
    entry = clients.entry(kind, session.settings, access=access)
    answer: dict[str, Any] = {"client": kind.name, "file": str(kind.file), "written": False}
    answer["config"] = {kind.key: {name: entry}}
    if write:
        answer.update(_write(kind, name, entry))
    if invocation.json:
        show_json(answer)
    elif write:
        show(_written(kind, name, answer))
    else:
        _print(kind, answer)


def _write(kind: clients.Client, name: str, entry: dict[str, Any]) -> dict[str, Any]:
    merge = clients.merged(kind, name, entry)
    backup = clients.write(kind, merge) if merge.action != "unchanged" else None
    saved = {"backup": str(backup)} if backup else {}
    return {"written": merge.action != "unchanged", "action": merge.action, **saved}


def _written(kind: clients.Client, name: str, answer: dict[str, Any]) -> Group:
    lines = [Text(f"{kind.title}: entry {name!r} {answer['action']} in {answer['file']}", style="good")]
    if answer.get("backup"):
        lines.append(Text(f"What stood there before is in {answer['backup']}", style="source"))
    lines.append(Text(kind.after.format(title=kind.title)))
    return Group(*lines)


def _print(kind: clients.Client, answer: dict[str, Any]) -> None:
    """The entry alone on stdout, ready to be copied or piped; where it goes on stderr."""
    click.echo(json.dumps(answer["config"], indent=2, ensure_ascii=False))
    click.echo(f"\nAdd this to {kind.file}, or let synapse do it with --write.", err=True)
