"""`synapse up`: index, reason, watch and serve one folder of notes until Ctrl-C."""

from __future__ import annotations

import click

from synapse.errors import InvalidInput
from synapse.interfaces.cli.announcement import announce
from synapse.interfaces.cli.example import example
from synapse.interfaces.cli.hosting import Hosting
from synapse.interfaces.cli.options import Invocation, folder_argument, shared_options
from synapse.interfaces.cli.running import run
from synapse.interfaces.cli.session import Session
from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.notes_root import Unnamed


@click.command()
@shared_options
@folder_argument
@click.option("--host", help="Where to listen; loopback only.")
@click.option("--port", type=int, help="The port; 0 picks a free one.")
@click.option("--no-write-back", is_flag=True, help="Leave the notes as they are.")
@click.option("--no-watch", is_flag=True, help="Index once, then only serve.")
@click.pass_obj
def up(
    invocation: Invocation, host: str | None, port: int | None, no_write_back: bool, no_watch: bool
) -> None:
    """Index, reason, watch and serve a folder of notes: the main job in one command.

    Agents connect over MCP at http://127.0.0.1:7337/mcp. Ctrl-C stops.
    """
    session = Session.of(
        invocation, unnamed=Unnamed.THIS_FOLDER, flags={"server.host": host, "server.port": port}
    )
    settings = session.settings
    if settings.root is None:
        raise InvalidInput("there are no notes to watch", hint="name the folder: synapse up my-notes")
    plan = Hosting(
        settings.server.host,
        settings.server.port,
        write_back=settings.write_back.enabled and not no_write_back,
        watch=not no_watch,
    )
    with run(session, plan) as (memory, running):
        announce(session, running, example(LocalGateway(memory)), watch=plan.watch)
