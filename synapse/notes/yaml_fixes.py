"""What to do about a line of frontmatter that is no YAML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FIXES: Final[Sequence[tuple[re.Pattern[str], str]]] = (
    (re.compile(r"^\s*\t|^[^:]*:\s*\t"), "indent with spaces instead of the tab"),
    (re.compile(r"\{\{|<%"), "put the template expression in quotes"),
    (re.compile(r"\]\]\s*,\s*\[\["), 'write one link a line as `- "[[a]]"`'),
    (re.compile(r"\[\["), 'put the link in quotes: "[[a]]"'),
    (
        re.compile(r"(:|-)\s+[@`%*&!]"),
        "put the value in quotes, it begins with a sign that YAML keeps for itself",
    ),
    (re.compile(r":\s.*:(\s|$)"), "put the value in quotes, it holds a colon and a blank"),
    (re.compile(r"[\"']"), "check that every quote is closed"),
)


def fix_of(source: str) -> str:
    """What to do about the line where YAML gave up."""
    for pattern, fix in _FIXES:
        if pattern.search(source):
            return fix
    return "put the value in quotes, or check the indentation"
