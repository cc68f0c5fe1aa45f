"""`synapse sparql`: a query from the command line, a file or a pipe; the results in any format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from synapse.errors import InvalidInput
from synapse.interfaces.cli.options import Invocation, as_of_option, shared_options
from synapse.interfaces.cli.output import show
from synapse.interfaces.cli.render_terms import harmless, notices
from synapse.interfaces.cli.session import Session
from synapse.interfaces.notes_root import Unnamed

FORMATS: Final = ("table", "json", "csv", "tsv", "turtle", "ntriples", "nquads")


@click.command()
@click.argument("query", required=False)
@click.option("-f", "--file", type=click.Path(path_type=Path), help="Read the query from a file; - is stdin.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print the results (table).")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds a query may run.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many rows.")
@as_of_option
@shared_options
@click.pass_obj
def sparql(
    invocation: Invocation,
    query: str | None,
    file: Path | None,
    form: str | None,
    timeout: float | None,
    limit: int | None,
    as_of: str | None,
) -> None:
    """Ask the dataset in SPARQL 1.1.

    Ids and CURIEs need no prologue: SELECT ?x { ?x syn:depends_on <services/payments> }
    """
    text = _query(query, file)
    chosen = form or ("json" if invocation.json else "table")
    answer = Session.of(invocation, unnamed=Unnamed.LAST_USED).ask(
        "sparql", query=text, format=chosen, timeout=timeout, limit=limit, as_of=as_of
    )
    sys.stdout.write(_shown(answer["text"], chosen))
    for notice in notices(answer):
        show(notice, stream=sys.stderr)


def _shown(text: str, form: str) -> str:
    """A table is for eyes; the other forms are data, and reach a pipe or a file byte for byte."""
    return harmless(text) if form == "table" or sys.stdout.isatty() else text


def _query(query: str | None, file: Path | None) -> str:
    if query is not None and file is not None:
        raise click.UsageError("give the query or --file, not both")
    if query is not None:
        return query
    if file is not None and str(file) != "-":
        return _from_file(file)
    if file is None and sys.stdin.isatty():
        raise click.UsageError("there is no query; give one, or --file FILE, or pipe one in")
    return sys.stdin.read()


def _from_file(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInput(f"{file}: the query cannot be read ({reason})") from None
