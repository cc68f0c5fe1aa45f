"""What a memory says of the arguments it takes, in the words of the command line."""

from __future__ import annotations

import re
from typing import Final

_ARGUMENTS: Final = re.compile(r"\b(?P<name>object_is|force_new|as_of|all(?==true))\b(?:=(?P<value>\w+))?")


def in_options(text: str) -> str:
    """A message with arguments as the options they are here: `object_is=id` is `--object-is id`."""
    return _ARGUMENTS.sub(_option, text)


def _option(found: re.Match[str]) -> str:
    option = f"--{found['name'].replace('_', '-')}"
    return option if found["value"] in (None, "true") else f"{option} {found['value']}"
