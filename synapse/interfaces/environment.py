"""The environment of this process, and who runs it; nothing else in the house reads them."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping


def process_environment() -> Mapping[str, str]:
    """The environment as it is now."""
    return os.environ


def login_name() -> str:
    """The name of the person at this machine, as the system knows it; `person` where it knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        # A container may run under a number that no user of it has.
        return "person"
