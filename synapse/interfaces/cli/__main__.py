"""`python -m synapse.interfaces.cli`: the command without its script, as MCP clients start it."""

from __future__ import annotations

from synapse.interfaces.cli.main import run

if __name__ == "__main__":
    run()
