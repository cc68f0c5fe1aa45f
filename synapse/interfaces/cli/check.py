"""`synapse check`: what is wrong with the notes, for people, for programs and for code scanning."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from synapse.interfaces.cli import render_check
from synapse.interfaces.cli.options import Invocation, folder_argument, shared_options
from synapse.interfaces.cli.output import show, show_json
from synapse.interfaces.cli.progress import progress_bar
from synapse.interfaces.cli.sarif import sarif
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed

if TYPE_CHECKING:
    from synapse.memory import Memory

FORMATS: Final = ("text", "json", "sarif")


@click.command()
@shared_options
@folder_argument
@click.option("--okf", is_flag=True, help="Also the rules of the Open Knowledge Format v0.2.")
@click.option("--strict", is_flag=True, help="Let warnings count as errors for the exit code.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the report (text).")
@click.pass_context
def check(ctx: click.Context, okf: bool, strict: bool, form: str | None) -> None:
    """Find what is wrong with the notes, each with its line.

    Syntax, broken and ambiguous links, duplicate identities, doubtful words, the SHACL shapes of
    the installed scenarios, contradictions with their proofs. The notes are indexed first and never
    changed. Exit code 1 when there are errors.
    """
    invocation: Invocation = ctx.obj
    session = Session.of(invocation, unnamed=Unnamed.THIS_FOLDER)
    answer = _checked(session, okf=okf, strict=strict)
    match form or ("json" if invocation.json else "text"):
        case "json":
            show_json(answer)
        case "sarif":
            log = sarif(answer, folder=_from_here(session.settings.root))
            sys.stdout.write(json.dumps(log, indent=2, ensure_ascii=False) + "\n")
        case _:
            show(render_check.report(answer))
    if not answer["ok"]:
        ctx.exit(1)


def _checked(session: Session, *, okf: bool, strict: bool) -> Any:
    here: list[Memory] = []
    with session.gateway(create=True, opened=here.append) as gateway:
        gateway.call("scenario_install", {"name": "core"})
        if here:
            with progress_bar("Reading the notes") as step:
                here[0].sync(progress=step)
        return gateway.call("check", {"okf": okf, "strict": strict})


def _from_here(root: Path | None) -> str:
    """The notes root relative to the current folder, where code scanning looks for the files."""
    here = Path.cwd()
    return root.relative_to(here).as_posix() if root is not None and root.is_relative_to(here) else "."
