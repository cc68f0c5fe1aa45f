"""A Python process of our own that runs one function of this package and nothing else.

Isolated (`-I`): neither the current folder, which may be somebody's vault, nor PYTHONPATH is searched
for modules. So the package is told where it lies itself; it may lie beside a checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

_START: Final = "import sys; sys.path.append(sys.argv[1]); from {module} import {function}; {function}()"


def isolated(module: str, function: str) -> list[str]:
    """The command that runs a function of a module in a process of its own."""
    start = _START.format(module=module, function=function)
    # A Python that is embedded in another program does not know its own path.
    return [sys.executable or "python3", "-I", "-c", start, str(Path(__file__).parents[1])]
