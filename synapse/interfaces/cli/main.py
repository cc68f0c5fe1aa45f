"""`synapse`: the table of commands, and what every error becomes on the way out.

Exit codes: 0 done; 1 done, but something was found wrong; 2 the call was wrong; 3 the memory is
in use and could not be reached; 4 internal error. Only light modules are imported here.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, Final

import click

from synapse.errors import InvalidInput, MemoryInUse, NotesUnavailable, QueryTimeout, StoreError, SynapseError
from synapse.interfaces.cli.lazy_group import LazyCommand, LazyGroup
from synapse.interfaces.cli.options import Invocation, shared_options
from synapse.interfaces.cli.welcome import welcome
from synapse.interfaces.cli.words import in_options
from synapse.interfaces.environment import process_environment

EXIT_CODES: Final[tuple[tuple[type[SynapseError], int], ...]] = (
    (InvalidInput, 2),
    (NotesUnavailable, 2),
    (MemoryInUse, 3),
    (QueryTimeout, 1),
    (StoreError, 4),
)
NOT_RESOLVED: Final = frozenset({"unknown-entity", "ambiguous-entity"})
INTERRUPTED: Final = 130
"""The shell's code for a command ended by Ctrl-C (128 + SIGINT)."""

_HERE: Final = "synapse.interfaces.cli"
_RUN, _ASK, _WRITE, _MORE = "Run", "Ask", "Write", "Set up"

COMMANDS: Final = {
    "up": LazyCommand(f"{_HERE}.up:up", "Index, watch and serve a folder: the main job.", _RUN),
    "index": LazyCommand(f"{_HERE}.index:index", "Read what changed in the notes, once.", _RUN),
    "serve": LazyCommand(f"{_HERE}.serve:serve", "Serve agents over MCP: stdio or HTTP.", _RUN),
    "status": LazyCommand(f"{_HERE}.status:status", "Counts, freshness, who owns the memory.", _RUN),
    "check": LazyCommand(f"{_HERE}.check:check", "What is wrong with the notes, line by line.", _RUN),
    "card": LazyCommand(f"{_HERE}.entity:card", "Everything known of one entity.", _ASK),
    "neighborhood": LazyCommand(f"{_HERE}.entity:neighborhood", "What is around an entity.", _ASK),
    "impact": LazyCommand(f"{_HERE}.entity:impact", "What depends on an entity, and why.", _ASK),
    "why": LazyCommand(f"{_HERE}.explain:why", "The proof of a fact, down to file and line.", _ASK),
    "provenance": LazyCommand(f"{_HERE}.explain:provenance", "Where facts come from.", _ASK),
    "sparql": LazyCommand(f"{_HERE}.sparql:sparql", "Ask the dataset in SPARQL.", _ASK),
    "log": LazyCommand(f"{_HERE}.log:log", "What changed, when, by whom and why.", _ASK),
    "assert": LazyCommand(f"{_HERE}.assert_:assert_", "Write a fact, with source and reason.", _WRITE),
    "retract": LazyCommand(f"{_HERE}.retract:retract", "Take back what was asserted.", _WRITE),
    "undo": LazyCommand(f"{_HERE}.retract:undo", "Make undone what a write changed.", _WRITE),
    "export": LazyCommand(f"{_HERE}.export:export", "Write the notes out in another format.", _MORE),
    "reason": LazyCommand(f"{_HERE}.reason:reason", "Rebuild or verify what is inferred.", _MORE),
    "scenario": LazyCommand(f"{_HERE}.scenario:scenario", "Packaged ontologies and data.", _MORE),
    "connect": LazyCommand(f"{_HERE}.connect:connect", "Let an MCP client use this memory.", _MORE),
}


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="synapse COMMAND --help tells more. Options may stand before or after the command.",
)
@shared_options
@click.option("--version", is_flag=True, help="Print the version.")
@click.pass_context
def cli(ctx: click.Context, version: bool) -> None:
    """Memory you can prove: a folder of Markdown notes as a knowledge graph with reasoning."""
    if version:
        import importlib.metadata  # noqa: PLC0415  (costs as much as everything else here)

        click.echo(f"synapse {importlib.metadata.version('synapse-memory')}")
    elif ctx.invoked_subcommand is None:
        welcome()


def run() -> None:
    """The console entry point."""
    code = main()
    gc.freeze()  # or Python, as it ends, looks for cycles in what a large folder left: half a second
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; every error becomes a message on stderr."""
    _use_utf8()
    invocation = Invocation()
    try:
        code = cli.main(args=arguments, prog_name="synapse", standalone_mode=False, obj=invocation)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except Exception as error:  # noqa: BLE001  (the last stop of every error)
        return _failed(error, invocation)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as ended:
        # click ends the process itself after shell completion, else only when a pipe was closed.
        return int(ended.code or 0) if "_SYNAPSE_COMPLETE" in process_environment() else _closed_pipe()


def _failed(error: Exception, invocation: Invocation) -> int:
    if isinstance(error, BrokenPipeError):
        return _closed_pipe()
    if isinstance(error, click.exceptions.Abort):
        return INTERRUPTED
    if invocation.debug and not isinstance(error, click.ClickException):
        traceback.print_exception(error)
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, SynapseError):
        return _told(error, invocation)
    click.echo(f"{_mark()} internal error: {type(error).__name__}: {error}", err=True)
    if not invocation.debug:
        click.echo("  run it again with --debug to see where", err=True)
    return 4


def _told(error: SynapseError, invocation: Invocation) -> int:
    """The error in words for people, and with `--json` as the one JSON value on stdout."""
    candidates: Sequence[Any] = getattr(error, "did_you_mean", ())
    click.echo(f"{_mark()} {in_options(error.message)}", err=True)
    if candidates:
        click.echo("  did you mean" if error.code == "unknown-entity" else "  say which one", err=True)
    for candidate in candidates:
        label = f"  ({candidate.label})" if candidate.label != candidate.id else ""
        click.echo(f"    {candidate.id}{label}", err=True)
    if error.hint and not candidates:
        click.echo(f"  {in_options(error.hint)}", err=True)
    if invocation.json:
        click.echo(json.dumps({"error": _as_json(error, candidates)}, indent=2, ensure_ascii=False))
    return _exit_code(error)


def _as_json(error: SynapseError, candidates: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.hint:
        found["hint"] = error.hint
    if candidates:
        found["did_you_mean"] = [{"id": one.id, "label": one.label} for one in candidates]
    return found


def _exit_code(error: SynapseError) -> int:
    if error.code in NOT_RESOLVED:
        return 1
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 4)


def _mark() -> str:
    return click.style("synapse:", fg="red", bold=True)


def _closed_pipe() -> int:
    """The reader of a pipe went away: nothing more to say, not even when Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _use_utf8() -> None:
    """Write UTF-8 whatever the locale says; what UTF-8 cannot hold is escaped, never an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
