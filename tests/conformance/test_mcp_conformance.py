"""The conformance suite of the Model Context Protocol against a served memory (docs/mcp.md).

Runs where `SYNAPSE_MCP_CONFORMANCE` names the suite's `dist/index.js` and `node` is 22 or later:
neither is part of this project. Every scenario is expected to pass or to fail; a surprise is a failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import pytest

from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.web.app import create_app
from synapse.memory import Memory

SUITE: Final = os.environ.get("SYNAPSE_MCP_CONFORMANCE", "")
NODE: Final = os.environ.get("SYNAPSE_NODE") or shutil.which("node") or ""

PASSED: Final = {
    "dns-rebinding-protection",
    "ping",
    "prompts-list",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "server-initialize",
    "server-sse-multiple-streams",
    "tools-call-error",
    "tools-call-simple-text",
    "tools-list",
}
FIXTURES: Final = {
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "json-schema-2020-12",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
    "server-sse-polling",
    "tools-call-audio",
    "tools-call-elicitation",
    "tools-call-embedded-resource",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-sampling",
    "tools-call-with-progress",
}
"""Scenarios that ask for a tool, prompt or resource named `test_…`, which no server but a test bed has."""
NOT_OFFERED: Final = {"completion-complete", "logging-set-level", "tools-call-with-logging"}
"""Scenarios of capabilities that this server does not declare."""

_RESULT: Final = re.compile(r"^([✓✗]) ([a-z0-9-]+): ", re.MULTILINE)


@pytest.fixture
def port(answering: Callable[[Any], AbstractContextManager[int]]) -> Iterator[int]:
    """The port of a served memory."""
    with Memory.open() as memory, answering(create_app(LocalGateway(memory), secret="s")) as number:
        yield number


@pytest.mark.skipif(not (SUITE and NODE), reason="SYNAPSE_MCP_CONFORMANCE does not name the suite")
def test_every_scenario_of_the_suite_ends_as_the_docs_say(port: int, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{port}/mcp"
    command = [NODE, SUITE, "server", "--url", url, "--suite", "all", "-o", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300, check=False)
    results = {name: mark for mark, name in _RESULT.findall(done.stdout)}
    assert {name for name, mark in results.items() if mark == "✓"} == PASSED, done.stdout
    assert {name for name, mark in results.items() if mark == "✗"} == FIXTURES | NOT_OFFERED
