"""The environment variables of this process; nothing else in the house reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping


def process_environment() -> Mapping[str, str]:
    """The environment as it is now."""
    return os.environ
