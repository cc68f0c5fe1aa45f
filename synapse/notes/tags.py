"""Tags: `#project/alpha` in the text, and the words of the frontmatter key `tags`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# A tag ends at blanks, general punctuation (U+2000-206F, where ZWJ and variation selectors of emoji
# are spared), supplemental punctuation, and ASCII punctuation other than - _ /.
_NAME = r"[^\s\x00-\x2c.:-@\[-^`{-\x7f\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f]"
# `a#b`, `/#x` in an address, `&#35;` and `\#` begin no tag. The `#` stands first for the scan's speed.
_TAG = re.compile(rf"#(?<![^\s(\[{{\"'“‘«¿¡*_~,;>|]#)({_NAME}+)")


def tags_in(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[str, int]]:
    """The tags of a text without code, each with its offset."""
    for match in _TAG.finditer(text, start, len(text) if end is None else end):
        name = tag_of(match.group(1))
        if name is not None:
            yield name, match.start()


def tag_of(text: str) -> str | None:
    """The name of a tag, NFC and without its `#`; None where nothing but digits is left (`#1984`)."""
    name = text.strip().removeprefix("#").strip("/").strip()
    if not name or name.isdecimal():
        return None
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def tags_of_text(text: str) -> list[str]:
    """The tags of one string of several, as older notes hold them: `a, b` or `#a #b`."""
    parts = text.split(",")
    if len(parts) == 1 and text.count("#") > 1:
        parts = text.split()
    return [part.strip() for part in parts if part.strip()]
