"""A notes root on which faults are made on purpose."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def notes() -> Iterator[Path]:
    """An empty notes root that everybody can reach, unlike pytest's own folders."""
    top = Path(tempfile.mkdtemp(prefix="synapse-faults-"))
    top.chmod(0o755)
    root = top / "notes"
    root.mkdir()
    yield root
    for folder in (top, *top.rglob("*")):
        if folder.is_dir():
            folder.chmod(0o755)
    shutil.rmtree(top)
