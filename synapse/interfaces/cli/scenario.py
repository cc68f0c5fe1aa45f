"""`synapse scenario`: packaged ontologies and data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click
from rich.console import RenderableType

from synapse.interfaces.cli import render_reports
from synapse.interfaces.cli.lazy_group import LazyCommand, LazyGroup
from synapse.interfaces.cli.options import Invocation, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session

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
    _answer(invocation, render_reports.scenario_list, "scenario_list")


@click.command()
@click.argument("name")
@shared_options
@click.pass_obj
def show(invocation: Invocation, name: str) -> None:
    """What a scenario is for, what it needs, and which graphs it fills."""
    _answer(invocation, render_reports.scenario, "scenario_show", name=name)


@click.command()
@click.argument("name")
@shared_options
@click.pass_obj
def install(invocation: Invocation, name: str) -> None:
    """Install a scenario, or update it; an unchanged one is left as it is."""
    _answer(invocation, render_reports.scenario_change, "scenario_install", name=name)


@click.command()
@click.argument("name")
@shared_options
@click.pass_obj
def remove(invocation: Invocation, name: str) -> None:
    """Remove a scenario, its facts, and everything that rested on them."""
    _answer(invocation, render_reports.scenario_change, "scenario_remove", name=name)


def _answer(
    invocation: Invocation, view: Callable[[Any], RenderableType], operation: str, **arguments: str
) -> None:
    with Session.of(invocation).gateway(create=True) as gateway:
        answer = gateway.call(operation, arguments)
    deliver(answer, view, as_json=invocation.json)
