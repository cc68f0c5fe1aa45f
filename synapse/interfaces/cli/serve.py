"""`synapse serve`: an MCP server over stdio or HTTP that follows its notes and leaves them as they are."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from synapse.interfaces.cli.options import Invocation, folder_argument, shared_options
from synapse.interfaces.cli.session import Session
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.notes_root import Unnamed

if TYPE_CHECKING:
    from synapse.memory import Memory


@click.command()
@shared_options
@folder_argument
@click.option("--stdio", "transport", flag_value="stdio", help="Speak MCP on stdin and stdout.")
@click.option("--http", "transport", flag_value="http", help="Streamable HTTP at /mcp, SSE at /sse.")
@click.option("--sse", "transport", flag_value="sse", help="The same server, for clients that know SSE.")
@click.option("--host", help="Where to listen; loopback only.")
@click.option("--port", type=int, help="The port; 0 picks a free one.")
@click.option("--agent", metavar="NAME", help="Who writes over stdio; the name of the client if left out.")
@click.option(
    "--access",
    type=click.Choice([level.value for level in Level]),
    default=Level.READ_WRITE.value,
    show_default=True,
    help="What the connection may do.",
)
@click.pass_obj
def serve(
    invocation: Invocation,
    transport: str | None,
    host: str | None,
    port: int | None,
    agent: str | None,
    access: str,
) -> None:
    """Serve agents over MCP, over stdio or HTTP.

    The notes are read at the start and watched; nothing is written into them. `synapse up`
    does the same over HTTP and writes back.
    """
    if transport is None:
        raise click.UsageError("say how to serve: --stdio, --http or --sse")
    if transport == "stdio" and (host is not None or port is not None):
        raise click.UsageError("--host and --port belong to --http and --sse")
    if transport != "stdio" and agent is not None:
        raise click.UsageError("--agent names the one client of --stdio; over HTTP each client says its name")
    flags = {"server.host": host, "server.port": port}
    # A client starts a server of stdio wherever it stands itself, which says nothing of the notes.
    unnamed = Unnamed.LAST_USED if transport == "stdio" else Unnamed.THIS_FOLDER
    session = Session.of(invocation, unnamed=unnamed, flags=flags)
    if transport == "stdio":
        _stdio(session, Level(access), agent)
    else:
        _http(session, Level(access))


def _stdio(session: Session, access: Level, agent: str | None) -> None:
    from synapse.interfaces.mcp.stdio import run_stdio  # noqa: PLC0415  (loads MCP)

    stack = ExitStack()
    run_stdio(
        lambda: _open(session, access, stack),
        session.settings.data,
        access=access,
        agent=agent,
        sparql=session.settings.server.sparql,
        closing=stack.close,
    )


def _open(session: Session, access: Level, stack: ExitStack) -> Memory:
    """The memory on the first call, after the handshake; this process is then its owner for others too."""
    from synapse.interfaces.cli.hosting import Hosting, hosted  # noqa: PLC0415  (loads the memory)

    settings = session.settings
    memory = session.open_memory()
    try:
        stack.enter_context(hosted(memory, settings, Hosting(settings.server.host, port=0, access=access)))
    except BaseException:
        memory.close()
        raise
    return memory


def _http(session: Session, access: Level) -> None:
    from synapse.interfaces.cli.announcement import announce  # noqa: PLC0415  (load the memory)
    from synapse.interfaces.cli.hosting import Hosting  # noqa: PLC0415
    from synapse.interfaces.cli.running import run  # noqa: PLC0415

    server = session.settings.server
    with run(session, Hosting(server.host, server.port, access=access)) as (_, running):
        announce(session, running, None, watch=True)
