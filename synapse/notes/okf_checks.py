"""Where notes depart from the Open Knowledge Format v0.2: its rules of conformance and its conventions.

Section numbers are those of the specification's SPEC.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Final

from synapse.notes.keys import key_of
from synapse.notes.note import (
    Diagnostic,
    Heading,
    Note,
    Property,
    Record,
    Scalar,
    ScalarType,
    Severity,
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `check --okf` looks for: a stable id, the section that asks for it, what it asks."""

    id: str
    severity: Severity
    section: str
    asks: str


CHECKS: Final[tuple[Check, ...]] = (
    Check(
        "okf-frontmatter", "error", "11.1", "a concept starts with a YAML frontmatter block that can be read"
    ),
    Check("okf-type", "error", "11.2", "a concept's frontmatter has a `type` that is not empty"),
    Check("okf-index", "error", "8", "an index has no frontmatter; a bundle's root may give `okf_version`"),
    Check("okf-log", "error", "9", "a log groups its entries under `## YYYY-MM-DD` headings"),
    Check("okf-index-sections", "warning", "8", "an index lists its entries under headings"),
    Check("okf-log-order", "warning", "9", "a log has its newest day first"),
    Check("okf-version", "warning", "12", "`okf_version` is one of the versions known here: 0.1, 0.2"),
    Check("okf-title", "info", "4.1", "a concept has a `title`"),
    Check("okf-description", "info", "4.1", "a concept has a `description`"),
    Check("okf-source-resource", "warning", "5.1", "every entry of `sources` has a `resource`"),
    Check("okf-source-id", "warning", "5.1", "no two entries of `sources` have one `id`"),
    Check("okf-generated", "warning", "5.2", "`generated` is a map with `by`"),
    Check("okf-verified", "warning", "5.2", "every event of `verified` is a map with `by` and `at`"),
    Check("okf-status", "warning", "5.4", "`status` is draft, stable or deprecated"),
    Check("okf-instant", "warning", "5", "an instant is an ISO 8601 datetime with its offset"),
    Check("okf-runtime", "warning", "10.2", "an Attested Computation names its `runtime`"),
    Check("okf-timestamp", "warning", "13.1", "`generated.at` has taken the place of `timestamp`"),
    Check("okf-citations", "warning", "13.1", "`sources` has taken the place of a `# Citations` list"),
)
"""Errors are the rules of conformance (section 11); a bundle that breaks only the others is conformant."""

_BY_ID = {check.id: check for check in CHECKS}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INSTANT = re.compile(r".*(?:[Zz]|[+-][0-9]{2}:[0-9]{2})")
_INSTANT_KEYS = frozenset({"at", "last_modified", "from", "to"})
_STATUSES = frozenset({"draft", "stable", "deprecated"})
_VERSIONS = frozenset({"0.1", "0.2"})


def okf_diagnostics(notes: Iterable[Note]) -> tuple[Diagnostic, ...]:
    """Everything in which the notes of a folder depart from OKF v0.2, by path and line.

    The paths are relative to the bundle's root, or to a folder that holds several bundles, each
    with a root `index.md` that gives `okf_version`.
    """
    ordered = sorted(notes, key=lambda note: note.path)
    roots = {_folder(note.path) for note in ordered if _is_declared_root(note)}
    found = (diagnostic for note in ordered for diagnostic in _of_note(note, roots))
    return tuple(sorted(found, key=lambda diagnostic: (diagnostic.path, diagnostic.line, diagnostic.code)))


def _of_note(note: Note, roots: set[str]) -> Iterator[Diagnostic]:
    name = note.path.rpartition("/")[2]
    if name == "index.md":
        yield from _of_index(note, roots)
    elif name == "log.md":
        yield from _of_log(note)
    else:
        yield from _of_concept(note)


def _found(note: Note, line: int, check: str, detail: str) -> Diagnostic:
    rule = _BY_ID[check]
    message = f"{detail}; {rule.asks} (OKF section {rule.section})"
    return Diagnostic(note.path, line, check, rule.severity, message)


# -- reserved files ---------------------------------------------------------------------------


def _of_index(note: Note, roots: set[str]) -> Iterator[Diagnostic]:
    own = _frontmatter(note)
    above = {root for root in roots if root != _folder(note.path) and _is_below(note.path, root)}
    allowed = {"okf_version"} if not above else set()
    extra = [item for item in own if item.key not in allowed]
    if extra:
        yield _found(note, extra[0].line, "okf-index", f"this index has the key `{extra[0].key}`")
    elif not own and _unreadable_frontmatter(note):
        yield _found(note, 1, "okf-index", "this index has frontmatter that cannot be read")
    for item in own:
        if item.key == "okf_version" and _text(item) not in _VERSIONS:
            yield _found(
                note, item.line, "okf-version", f"{_text(item)!r} is not known here and is read as 0.2"
            )
    first_heading = min((heading.line for heading in note.headings), default=None)
    early = [link for link in note.links if first_heading is None or link.line < first_heading]
    if early:
        yield _found(note, early[0].line, "okf-index-sections", "this entry stands under no heading")


def _of_log(note: Note) -> Iterator[Diagnostic]:
    if _unreadable_frontmatter(note):
        yield _found(note, 1, "okf-log", "this log has frontmatter that cannot be read")
    days = [heading for heading in note.headings if heading.level == 2]
    if not days:
        yield _found(note, 1, "okf-log", "this log has no day")
    dated: list[tuple[date, Heading]] = []
    for heading in days:
        day = _day(heading.text)
        if day is None:
            yield _found(note, heading.line, "okf-log", f"the heading {heading.text!r} is no day")
        else:
            dated.append((day, heading))
    for (newer, _), (older, heading) in pairwise(dated):
        if older > newer:
            yield _found(note, heading.line, "okf-log-order", f"{older} stands below {newer}")


# -- concepts ---------------------------------------------------------------------------------


def _of_concept(note: Note) -> Iterator[Diagnostic]:
    own = _frontmatter(note)
    if _unreadable_frontmatter(note):
        problem = next(item for item in note.diagnostics if _breaks_frontmatter(item))
        yield _found(
            note, problem.line, "okf-frontmatter", f"the frontmatter cannot be read: {problem.message}"
        )
        return
    if not own:
        yield _found(note, 1, "okf-frontmatter", "there is no frontmatter, or it holds nothing")
        return
    types = [item for item in own if item.key == "type"]
    if not any(_text(item) for item in types):
        line, other = _instead(own, "type")
        yield _found(
            note, types[0].line if types else line, "okf-type", f"the `type` is missing or empty{other}"
        )
    yield from _of_recommended(note, own)
    yield from _of_sources(note, own)
    yield from _of_trust(note, own)
    yield from _of_lifecycle(note, own)
    yield from _of_instants(note, own)
    yield from _of_earlier_version(note, own)


def _of_recommended(note: Note, own: list[Property]) -> Iterator[Diagnostic]:
    keys = {item.key for item in own if _text(item)}
    for key in ("title", "description"):
        if key not in keys:
            line, other = _instead(own, key)
            yield _found(note, line, f"okf-{key}", f"there is no `{key}`{other}")
    types = [item for item in own if item.key == "type" and _text(item) == "Attested Computation"]
    if types and "runtime" not in keys:
        yield _found(note, types[0].line, "okf-runtime", "this computation has no `runtime`")


def _instead(own: list[Property], key: str) -> tuple[int, str]:
    """The line of the key that says the same for synapse alone, and that OKF does not know it."""
    item = next((item for item in own if item.key != key and key_of(item) == key and _text(item)), None)
    return (1, "") if item is None else (item.line, f"; OKF does not know `{item.key}`, call it `{key}`")


def _of_sources(note: Note, own: list[Property]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for item in (item for item in own if item.key == "sources"):
        parts = _parts(item)
        if not parts.get("resource"):
            yield _found(note, item.line, "okf-source-resource", "this source has no `resource`")
        identifier = parts.get("id", "")
        if identifier and identifier in seen:
            yield _found(note, item.line, "okf-source-id", f"the id {identifier!r} is used twice")
        seen.add(identifier)


def _of_trust(note: Note, own: list[Property]) -> Iterator[Diagnostic]:
    for item in own:
        parts = _parts(item)
        if item.key == "generated" and not parts.get("by"):
            yield _found(note, item.line, "okf-generated", "nobody is named as its maker")
        if item.key == "verified" and not (parts.get("by") and parts.get("at")):
            yield _found(note, item.line, "okf-verified", "this event does not say who or when")


def _of_lifecycle(note: Note, own: list[Property]) -> Iterator[Diagnostic]:
    for item in own:
        if item.key == "status" and _text(item) not in _STATUSES:
            yield _found(note, item.line, "okf-status", f"the status is {_text(item)!r}")


def _of_instants(note: Note, own: list[Property]) -> Iterator[Diagnostic]:
    for item in own:
        if item.key == "stale_after":
            yield from _of_instant(note, item)
        elif item.key in {"generated", "verified", "sources", "usage_window"}:
            for part in _nested(item):
                if part.key in _INSTANT_KEYS:
                    yield from _of_instant(note, part)


def _of_instant(note: Note, item: Property) -> Iterator[Diagnostic]:
    value = item.value
    known = isinstance(value, Scalar) and value.type in {ScalarType.DATE_TIME, ScalarType.STRING}
    text = _text(item)
    if not (known and _INSTANT.fullmatch(text) and _is_datetime(text)):
        yield _found(note, item.line, "okf-instant", f"`{item.key}` is {text!r}")


def _of_earlier_version(note: Note, own: list[Property]) -> Iterator[Diagnostic]:
    for item in own:
        if item.key == "timestamp":
            yield _found(note, item.line, "okf-timestamp", "`timestamp` is of version 0.1")
    for heading in note.headings:
        if heading.level == 1 and heading.text.strip() == "Citations":
            yield _found(note, heading.line, "okf-citations", "this list is of version 0.1")


# -- reading values ---------------------------------------------------------------------------


def _frontmatter(note: Note) -> list[Property]:
    return [item for item in note.properties if item.origin == "frontmatter"]


def _text(item: Property) -> str:
    if isinstance(item.value, Scalar):
        return item.value.text.strip()
    return "" if isinstance(item.value, Record) else item.value.target.strip()


def _parts(item: Property) -> dict[str, str]:
    """The keys of a map with their text; a nested map counts as text that is there."""
    if not isinstance(item.value, Record):
        return {}
    return {
        part.key: _text(part) or ("…" if isinstance(part.value, Record) else "")
        for part in item.value.properties
    }


def _nested(item: Property) -> Iterator[Property]:
    if isinstance(item.value, Record):
        for part in item.value.properties:
            yield part
            yield from _nested(part)


def _unreadable_frontmatter(note: Note) -> bool:
    return not _frontmatter(note) and any(_breaks_frontmatter(item) for item in note.diagnostics)


def _breaks_frontmatter(item: Diagnostic) -> bool:
    return item.severity == "error" and item.code.startswith(("frontmatter", "yaml", "not-utf-8", "nul-byte"))


def _is_declared_root(note: Note) -> bool:
    is_index = note.path.rpartition("/")[2] == "index.md"
    return is_index and any(item.key == "okf_version" for item in note.properties)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _is_below(path: str, root: str) -> bool:
    return root == "" or path.startswith(root + "/")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()) if _DAY.fullmatch(text.strip()) else None
    except ValueError:
        return None


def _is_datetime(text: str) -> bool:
    try:
        return "T" in text.upper() and datetime.fromisoformat(text) is not None
    except ValueError:
        return False
