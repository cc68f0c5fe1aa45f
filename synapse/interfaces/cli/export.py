"""`synapse export`: the notes of a memory in a format that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from synapse.interfaces.cli import render_check
from synapse.interfaces.cli.options import FOLDER, Invocation, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed


@click.command()
@click.option(
    "--okf", type=FOLDER, metavar="DIR", required=True, help="Write an Open Knowledge Format bundle."
)
@click.option("--force", is_flag=True, help="Write into a folder that holds files; same names are replaced.")
@shared_options
@click.pass_obj
def export(invocation: Invocation, okf: Path, force: bool) -> None:
    """Write the notes as a bundle of the Open Knowledge Format v0.2.

    Every note becomes a concept with a type and a title, links become Markdown links from the
    bundle's root, and each folder gets an index. The notes themselves are never touched.
    """
    with Session.of(invocation, unnamed=Unnamed.THIS_FOLDER).gateway(create=True) as gateway:
        gateway.call("scenario_install", {"name": "core"})
        answer: Any = gateway.call("export_okf", {"folder": str(okf.absolute()), "force": force})
    deliver(answer, render_check.exported, as_json=invocation.json)
