"""The options every command takes, before or after its name: `--notes --data --json --debug`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

FOLDER: Final = click.Path(path_type=Path)


@dataclass(slots=True)
class Invocation:
    """What the shared options said; filled while click reads the command line."""

    notes: Path | None = None
    data: Path | None = None
    json: bool = False
    debug: bool = False


def _note(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep a given value in the invocation; one that was not given leaves what stood before."""
    if value is not None and value is not False:
        setattr(ctx.ensure_object(Invocation), str(param.name), value)


_KEPT: Final[Any] = {"callback": _note, "expose_value": False}
_SHARED: Final = (
    click.option("--notes", type=FOLDER, metavar="DIR", help="The notes folder.", **_KEPT),
    click.option("--data", type=FOLDER, metavar="DIR", help="Where the memory is kept.", **_KEPT),
    click.option("--json", is_flag=True, help="Print the answer as JSON.", **_KEPT),
    click.option("--debug", is_flag=True, help="Show tracebacks and debug logs.", **_KEPT),
)


def shared_options(command: Decorated) -> Decorated:
    """Add the shared options; their values go to the `Invocation`, not to the function."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


def folder_argument(command: Decorated) -> Decorated:
    """Add the optional `FOLDER` argument, which is another way to write `--notes`."""

    def take(ctx: click.Context, param: click.Parameter, value: Path | None) -> None:
        invocation = ctx.ensure_object(Invocation)
        if value is None:
            return
        if invocation.notes is not None and invocation.notes.absolute() != value.absolute():
            raise click.UsageError(f"two notes folders were given: {value} and {invocation.notes}", ctx)
        invocation.notes = value

    argument = click.argument("folder", required=False, type=FOLDER, expose_value=False, callback=take)
    return argument(command)


as_of_option: Final = click.option(
    "--as-of",
    metavar="TIME",
    help="Answer from what was known then: a day, or a moment in UTC (2026-03-01T09:30:00Z).",
)
"""For the commands that can look back."""

reason_option: Final = click.option("--reason", required=True, metavar="TEXT", help="Why; kept for good.")
agent_option: Final = click.option("--agent", metavar="NAME", help="Who writes; your login name if left out.")
