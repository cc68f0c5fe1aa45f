"""What goes to stdout and stderr: JSON, designed views on a terminal, plain lines in a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, Final, TextIO

from rich.console import Console, RenderableType
from rich.theme import Theme

from synapse.usecases.answers import Json

PLAIN_WIDTH: Final = 4_000
"""Columns of a pipe: wide enough that no path or id is ever broken."""

THEME: Final = Theme(
    {
        "id": "bold cyan",
        "predicate": "blue",
        "literal": "default",
        "inferred": "magenta",
        "source": "dim",
        "heading": "bold",
        "good": "green",
        "warning": "yellow",
        "error": "bold red",
        "notice": "yellow",
    },
)


def show(view: RenderableType, *, stream: TextIO | None = None) -> None:
    """Print a view: with colours on a terminal, else as plain lines without trailing blanks."""
    target = stream or sys.stdout
    if target.isatty():
        # Not cropped: an id that is longer than the screen is wrapped by the terminal, which keeps it whole.
        Console(file=target, theme=THEME, highlight=False).print(view, crop=False)
    else:
        target.write(plain(view))


def plain(view: RenderableType, *, width: int = PLAIN_WIDTH) -> str:
    """The view as text: no ANSI, no wrapping, no trailing blanks."""
    console = Console(width=width, theme=THEME, highlight=False, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(view, crop=False)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def show_json(answer: Json) -> None:
    """Print the answer as one JSON value, indented, in UTF-8."""
    sys.stdout.write(json.dumps(answer, indent=2, ensure_ascii=False) + "\n")


def deliver(answer: Any, view: Callable[[Any], RenderableType], *, as_json: bool) -> None:
    """Print an answer of the memory: exactly its JSON, or the view made of it."""
    if as_json:
        show_json(answer)
    else:
        show(view(answer))
