"""`synapse scenario`: packaged ontologies and data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from rich.console import RenderableType

from synapse.errors import InvalidInput
from synapse.interfaces.cli import render_reports
from synapse.interfaces.cli.lazy_group import LazyCommand, LazyGroup
from synapse.interfaces.cli.options import Invocation, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.gateway import Gateway, LocalGateway
from synapse.interfaces.notes_root import Unnamed
from synapse.usecases.answers import Json

CORE: Final = "core"
_SCENARIOS: Final = "Scenarios"


@click.group(
    cls=LazyGroup,
    lazy={
        "list": LazyCommand(f"{__name__}:list_all", "Every packaged scenario.", _SCENARIOS),
        "show": LazyCommand(f"{__name__}:show", "One scenario: purpose, needs, graphs.", _SCENARIOS),
        "install": LazyCommand(f"{__name__}:install", "Install or update one.", _SCENARIOS),
        "remove": LazyCommand(f"{__name__}:remove", "Remove one and all its facts.", _SCENARIOS),
    },
)
@shared_options
def scenario() -> None:
    """Packaged ontologies and data."""


@click.command("list")
@shared_options
@click.pass_obj
def list_all(invocation: Invocation) -> None:
    """Every packaged scenario, its version, and whether it is installed."""
    _look(invocation, "scenario_list", render_reports.scenario_list)


@click.command()
@click.argument("name")
@shared_options
@click.pass_obj
def show(invocation: Invocation, name: str) -> None:
    """What a scenario is for, what it needs, and which graphs it fills."""
    _look(invocation, "scenario_show", render_reports.scenario, name=_named(name))


@click.command()
@click.argument("name")
@shared_options
@click.pass_obj
def install(invocation: Invocation, name: str) -> None:
    """Install a scenario, or update it; an unchanged one is left as it is.

    NAME is one of synapse scenario list, or a folder with a scenario.toml.
    """
    _change(invocation, "scenario_install", _named(name), create=True)


@click.command()
@click.argument("name")
@shared_options
@click.pass_obj
def remove(invocation: Invocation, name: str) -> None:
    """Remove a scenario, its facts, and everything that rested on them.

    The core stays: it is what every memory speaks.
    """
    if name == CORE:
        raise InvalidInput(
            "core cannot be removed: it is the vocabulary of every memory",
            hint="synapse scenario list shows which others are installed",
        )
    _change(invocation, "scenario_remove", name, create=False)


def _look(
    invocation: Invocation, operation: str, view: Callable[[Any], RenderableType], **arguments: Json
) -> None:
    with _looking(Session.of(invocation, unnamed=Unnamed.LAST_USED)) as gateway:
        answer: Any = gateway.call(operation, arguments)
    deliver(answer, view, as_json=invocation.json)


def _change(invocation: Invocation, operation: str, name: str, *, create: bool) -> None:
    with Session.of(invocation, unnamed=Unnamed.NOT_AMONG_NOTES).gateway(create=create) as gateway:
        answer: Any = gateway.call(operation, {"name": name})
    deliver(answer, render_reports.scenario_change, as_json=invocation.json)


@contextmanager
def _looking(session: Session) -> Iterator[Gateway]:
    """The memory if there is one, else an empty one in RAM: looking at what is packaged makes nothing."""
    if session.settings.data.is_dir():
        with session.gateway(create=True) as gateway:
            yield gateway
        return
    from synapse.memory import Memory  # noqa: PLC0415  (brings numpy and the store along)

    with Memory.open() as memory:
        yield LocalGateway(memory)


def _named(name: str) -> str:
    """A name as it is; a path as the absolute one that a memory takes."""
    is_path = name.startswith(("~", ".")) or any(mark in name for mark in {"/", os.sep})
    return str(Path(name).expanduser().absolute()) if is_path else name
