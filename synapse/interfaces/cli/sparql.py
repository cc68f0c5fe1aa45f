"""`synapse sparql`: a query from the command line, a file or a pipe; the results in any format."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table
from rich.text import Text

from synapse.errors import InvalidInput
from synapse.interfaces.cli.options import Invocation, shared_options
from synapse.interfaces.cli.output import show
from synapse.interfaces.cli.render_terms import clean, count, notices
from synapse.interfaces.cli.session import Session

FORMATS: Final = ("table", "json", "csv", "tsv", "turtle", "ntriples", "nquads")


@click.command()
@click.argument("query", required=False)
@click.option("-f", "--file", type=click.Path(path_type=Path), help="Read the query from a file; - is stdin.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="How to print the results (table).")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds a query may run.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many rows.")
@click.option("--update", is_flag=True, help="The query is a SPARQL Update: it may change the dataset.")
@shared_options
@click.pass_obj
def sparql(
    invocation: Invocation,
    query: str | None,
    file: Path | None,
    format_: str | None,
    timeout: float | None,
    limit: int | None,
    update: bool,
) -> None:
    """Ask the dataset in SPARQL 1.1.

    Ids and CURIEs need no prologue: SELECT ?x { ?x syn:depends_on <services/payments> }
    """
    text = _query(query, file)
    chosen = format_ or ("json" if invocation.json else "table")
    answer: Any = Session.of(invocation).ask(
        "sparql",
        query=text,
        format="json" if chosen == "table" else chosen,
        timeout=timeout,
        limit=limit,
        update=update,
    )
    _print(answer, chosen)


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


def _print(answer: Any, chosen: str) -> None:
    """Results to stdout; what was cut, and other notices, to stderr."""
    text = answer["text"]
    if chosen == "table" and answer["format"] == "json":
        show(_view(json.loads(text)))
    elif text:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    for notice in notices(answer):
        show(notice, stream=sys.stderr)


def _view(results: Any) -> Table | Text:
    """SPARQL 1.1 Query Results JSON (https://www.w3.org/TR/sparql11-results-json/) as a table."""
    if "boolean" in results:
        return Text("yes" if results["boolean"] else "no")
    rows = results["results"]["bindings"]
    if not rows:
        return Text("no solutions", style="source")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), caption_justify="left")
    for name in results["head"]["vars"]:
        table.add_column(f"?{name}", overflow="fold", header_style="heading")
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in results["head"]["vars"]))
    table.caption = Text(count(len(rows), "solution"), style="source") if sys.stdout.isatty() else None
    return table


def _cell(binding: Any) -> Text:
    if binding is None:
        return Text("")
    style = "literal" if binding["type"] in ("literal", "typed-literal") else "id"
    text = Text(clean(str(binding.get("value", ""))), style=style)
    if binding.get("xml:lang"):
        text.append(f" @{binding['xml:lang']}", style="source")
    return text
