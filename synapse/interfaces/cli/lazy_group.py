"""A click group whose commands are imported when they are called, so that `--help` stays light."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command lives (`module:attribute`), its one line of help, and the heading it stands under."""

    target: str
    summary: str
    heading: str

    def load(self) -> click.Command:
        """Import the command's module."""
        module, attribute = self.target.split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


class LazyGroup(click.Group):
    """Commands by name, in the order they are told; a mistyped one is answered with the nearest."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the help."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, imported now."""
        known = self._lazy.get(cmd_name)
        return known.load() if known else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown name is told the commands that look like it."""
        name = args[0]
        if name not in self._lazy and not name.startswith("-"):
            raise click.UsageError(f"there is no command {name!r}. {self._advice(name, ctx)}", ctx)
        return super().resolve_command(ctx, args)

    def _advice(self, name: str, ctx: click.Context) -> str:
        near = difflib.get_close_matches(name, self._lazy, n=3, cutoff=0.5)
        if near:
            return f"Did you mean {_alternatives(near)}?"
        if "/" in name and "card" in self._lazy:
            return f"To see an entity: {ctx.command_path} card {name}"
        return f"{ctx.command_path} --help lists them."

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One block of names and summaries under each heading; nothing is imported."""
        width = max(map(len, self._lazy))
        blocks: dict[str, list[tuple[str, str]]] = {}
        for name, command in self._lazy.items():
            blocks.setdefault(command.heading, []).append((f"{name:<{width}}", command.summary))
        for heading, rows in blocks.items():
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=20)


def _alternatives(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
