"""`synapse assert`: facts from the command line or a Turtle file, connected to what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from synapse.interfaces.cli import render_written
from synapse.interfaces.cli.objects import literal_parts
from synapse.interfaces.cli.options import Invocation, agent_option, reason_option, shared_options
from synapse.interfaces.cli.output import deliver
from synapse.interfaces.cli.session import Session
from synapse.interfaces.environment import login_name
from synapse.interfaces.notes_root import Unnamed
from synapse.usecases.answers import Json

_OF_A_VALUE: Final = ("datatype", "lang", "object_is")


@click.command("assert")
@click.argument("fact", nargs=-1, metavar="SUBJECT PREDICATE OBJECT")
@click.option("--file", type=click.Path(path_type=Path), help="Each triple of a Turtle file is a fact.")
@click.option("--datatype", metavar="TYPE", help="Of the value, as xsd:integer or xsd:date.")
@click.option("--lang", metavar="TAG", help="Language of the value, as en or es-MX.")
@click.option("--object-is", type=click.Choice(["id", "literal", "iri"]), help="How to read OBJECT.")
@click.option("--source", metavar="TEXT", help="Where it comes from; with --file, the file if left out.")
@reason_option
@click.option("--confidence", type=float, metavar="0-1", help="How sure it is.")
@click.option("--force-new", is_flag=True, help="Names that resemble known ones are new all the same.")
@agent_option
@shared_options
@click.pass_context
def assert_(
    ctx: click.Context, /, fact: tuple[str, ...], file: Path | None, source: str | None, **given: Any
) -> None:
    """Write a fact, with where it comes from and why, and tell what it connected to.

    OBJECT is an entity or a text; in double quotes it is a literal as in Turtle: '"hola"@es'.
    Exit code 1 when nothing was written, or when a name must be told more exactly.
    """
    invocation: Invocation = ctx.obj
    session = Session.of(invocation, unnamed=Unnamed.NOT_AMONG_NOTES)
    value = {name: given[name] for name in _OF_A_VALUE if given[name] is not None}
    answer = session.ask(
        "assert",
        facts=_typed(fact, value) if file is None else _of_file(session, file, (*fact, *value)),
        source=source or _source(file),
        reason=given["reason"],
        confidence=given["confidence"],
        force_new=given["force_new"],
        agent=given["agent"] or login_name(),
    )
    deliver(answer, render_written.asserted, as_json=invocation.json)
    if answer["status"] == "refused" or answer["ambiguous"]:
        ctx.exit(1)


def _source(file: Path | None) -> str:
    if file is None:
        raise click.UsageError("say with --source where the fact comes from")
    return file.name


def _typed(fact: tuple[str, ...], value: Mapping[str, str]) -> list[Json]:
    if len(fact) != 3:
        raise click.UsageError("give SUBJECT PREDICATE OBJECT, or --file FILE")
    return [{**fact_of(*fact), **value}]


def _of_file(session: Session, file: Path, typed: Sequence[str]) -> list[Json]:
    if typed:
        raise click.UsageError("with --file the facts, datatypes and languages come from the file")
    # The parser of RDF is not loaded for a fact that was typed.
    from synapse.interfaces.cli.turtle_facts import facts_of_file  # noqa: PLC0415

    return facts_of_file(file, names=session.names())


def fact_of(subject: str, predicate: str, object: str) -> dict[str, Any]:
    """A typed fact as the memory takes it; a quoted object is a literal."""
    parts = literal_parts(object)
    if parts is None:
        return {"subject": subject, "predicate": predicate, "object": object}
    text = parts.pop("value")
    return {"subject": subject, "predicate": predicate, "object": text, "object_is": "literal", **parts}
