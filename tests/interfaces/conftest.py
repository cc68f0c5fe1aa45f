"""Fixtures that several front ends' tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person whose home, settings and current folder lie in the test's; the folder."""
    monkeypatch.setenv("SYNAPSE_HOME", str(tmp_path / "home"))
    for name in ("SYNAPSE_NOTES", "SYNAPSE_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path
