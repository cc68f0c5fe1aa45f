"""The map of the house, where import-linter cannot see it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import synapse

PACKAGE = Path(synapse.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_LINES = 400


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_holds_one_noun(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def calls(module: Path) -> Iterator[str]:
    """The names of all methods that a module calls."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def test_only_the_commit_applies_deltas() -> None:
    appliers = {module.name for module in MODULES if "apply" in set(calls(module))}
    assert appliers == {"commit.py"}


def test_only_the_store_writes_to_the_engine() -> None:
    writing = {"update", "bulk_load", "bulk_extend", "extend", "add_graph", "remove_graph", "clear_graph"}
    engine = {
        module.relative_to(PACKAGE).parts[0]
        for module in MODULES
        if "from pyoxigraph import Store" in module.read_text(encoding="utf-8")
        and writing & set(calls(module))
    }
    assert engine == {"store"}


def test_only_the_commit_accepts_entailments() -> None:
    rooms = {module for module in MODULES if "reasoning" not in module.parts}
    derivers = {module.name for module in rooms if "derive" in set(calls(module))}
    assert derivers == {"commit.py"}


def test_one_module_reads_the_environment() -> None:
    readers = {
        str(module.relative_to(PACKAGE))
        for module in MODULES
        if {"environ", "getenv"}
        & {
            node.attr
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
        }
    }
    assert readers == {"interfaces/environment.py"}


def test_the_public_names_are_these() -> None:
    assert synapse.__all__ == ["Memory", "MemoryOptions"]
    assert all(getattr(synapse, name) for name in synapse.__all__)
