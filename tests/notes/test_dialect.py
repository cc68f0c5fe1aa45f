"""Dialects are seen from the files of a root."""

from __future__ import annotations

import pytest

from synapse.notes.dialect import EVIDENCE, declares_okf, detect_dialect
from synapse.notes.note import Dialect

ROOT_INDEX = '---\nokf_version: "0.2"\n---\n# Tables\n'


@pytest.mark.parametrize(("path", "dialect"), EVIDENCE)
def test_what_a_tool_leaves_behind_gives_its_dialect(path: str, dialect: Dialect) -> None:
    assert detect_dialect(["a.md", path]) is dialect


@pytest.mark.parametrize(("path", "dialect"), EVIDENCE)
def test_a_file_below_is_evidence_too(path: str, dialect: Dialect) -> None:
    assert detect_dialect([f"{path}/x"]) is dialect


def test_a_folder_without_evidence_is_read_as_obsidian_reads_it() -> None:
    assert detect_dialect(["a.md", "obsidian/x.md", "notes/dendron.yml"]) is Dialect.OBSIDIAN


def test_a_root_index_that_declares_its_version_makes_a_bundle() -> None:
    assert detect_dialect(["index.md"], index=ROOT_INDEX) is Dialect.OKF
    assert detect_dialect(["docs/index.md"], docs_index=ROOT_INDEX) is Dialect.OKF_MCP


def test_the_tool_in_use_wins_over_the_form_of_the_notes() -> None:
    assert detect_dialect([".obsidian"], index=ROOT_INDEX) is Dialect.OBSIDIAN


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        (ROOT_INDEX, True),
        ("\ufeff" + ROOT_INDEX, True),
        ("---\r\ntitle: x\r\nokf_version: 0.1\r\n---\r\n", True),
        ("---\ntitle: x\n---\nokf_version: 0.2\n", False),
        ("---\ntitle: x\n---\n\n---\nokf_version: 0.2\n---\n", False),
        ("# okf_version: 0.2", False),
        ("", False),
    ],
)
def test_only_frontmatter_declares_a_version(text: str, declared: bool) -> None:
    assert declares_okf(text) is declared
