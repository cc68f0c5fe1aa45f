"""What each code of a finding means: one sentence, for reports of code scanning and for `docs/check.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from synapse.notes.okf_checks import CHECKS

_FILES: Final = {
    "busy": "The note kept changing while it was read.",
    "conflict-copy": "A synchronisation tool made this file because two devices changed one note.",
    "folder-unreadable": "A folder cannot be listed; what was known of its notes stays.",
    "not-a-file": "A device, pipe or socket has the name of a note.",
    "not-downloaded": "The cloud has not delivered this note.",
    "not-utf-8": "The note is not UTF-8 and was not read.",
    "nul-byte": "The note holds a NUL byte and was not read.",
    "read-only": "The note is marked read-only, so no section is written into it.",
    "same-name": "Two files have one name in different Unicode spellings.",
    "section-damaged": "The markers of the managed section are not one pair.",
    "section-edited": "Somebody wrote into the managed section, which is left as it is.",
    "section-hidden": "A managed section would not be read as one in this note.",
    "symlink-inside": "A symbolic link is a second name of a note.",
    "symlink-outside": "A symbolic link leaves the notes folder and is not followed.",
    "template": "The note lies in a folder of templates.",
    "too-large": "The note is too large to be read.",
    "unreadable": "The note cannot be read.",
    "unusable-name": "The name of the note cannot be an id.",
    "unwritable-character": "A control character was replaced by U+FFFD.",
    "write-failed": "The section of a note cannot be written.",
}
_FRONTMATTER: Final = {
    "frontmatter-comment-value": "What follows `#` is a comment in YAML, so the key has no value.",
    "frontmatter-duplicate-key": "A key stands twice in one frontmatter.",
    "frontmatter-key": "A key of the frontmatter is no word.",
    "frontmatter-no-mapping": "The block between the rules holds no pairs of key and value.",
    "frontmatter-not-a-tag": "A tag needs a character that is no digit.",
    "frontmatter-second": "A second frontmatter block is read as text.",
    "frontmatter-tags": "`tags` is no list of words.",
    "frontmatter-tags-in-one-string": "One string holds several tags.",
    "frontmatter-tags-key": "Only `tags` and `etiquetas` hold tags.",
    "frontmatter-too-deep": "The frontmatter is nested too deeply or holds too many values.",
    "frontmatter-too-large": "The frontmatter is too large to be read.",
    "frontmatter-two-keys": "Two keys mean one thing and differ.",
    "frontmatter-unquoted-link": "An unquoted link is a list in YAML.",
    "frontmatter-yaml": "The frontmatter is not valid YAML.",
    "frontmatter-yaml-tag": "A YAML tag means nothing here.",
    "iri-invalid": "An address cannot be an IRI.",
    "name-invalid": "A word cannot name a property, a type or an actor.",
    "value-not-a-date": "A value looks like a date and is none.",
}
_BODY: Final = {
    "axiom-unknown": "A line of an ontology note is no known axiom.",
    "code-unclosed": "A code block is never closed, so nothing after it is read.",
    "comment-unclosed": "A comment is never closed, so nothing after it is read.",
    "logseq-block-reference": "A block reference names no page.",
}
_LINKS: Final = {
    "link-ambiguous": "A link may mean several notes.",
    "link-backslash": "A backslash does not separate folders in a link.",
    "link-by-alias": "A link was read as the alias of a note.",
    "link-control-character": "A link holds a control character.",
    "link-is-numbers": "Numbers in double brackets were read as text.",
    "link-not-a-path": "A link cannot name a note.",
    "link-outside": "A link leads out of the notes folder.",
    "link-over-lines": "A link stands on more than one line.",
    "link-too-long": "The target of a link is too long.",
    "link-unresolved": "A link means no file yet.",
    "relation-unquoted": "A relation of several words is read as words before a link.",
}
_IDENTITY: Final = {
    "id-duplicate": "Two files have one id.",
    "name-shared": "Several notes have one name, so a question by that name is ambiguous.",
    "note-gone": "An agent asserted something of a note that is gone.",
    "uri-duplicate": "Two notes claim one `uri:`.",
    "uri-invalid": "The `uri:` of a note cannot be used.",
}
_MEANING: Final = {
    "key-unknown": "A key looks like a slip of a known one.",
    "shapes-invalid": "A scenario ships shapes that cannot be used.",
    "status-unknown": "A status is not in the vocabulary of the note's type.",
    "type-unknown": "A type looks like a slip of a known one.",
}

RULES: Final[Mapping[str, Mapping[str, str]]] = {
    "Files": _FILES,
    "Frontmatter": _FRONTMATTER,
    "Body": _BODY,
    "Links": _LINKS,
    "Identity": _IDENTITY,
    "Meaning": _MEANING,
    "Open Knowledge Format": {
        check.id: f"{check.asks[0].upper()}{check.asks[1:]} (section {check.section})." for check in CHECKS
    },
}
"""Code to sentence, under the headings of the documentation."""

_FAMILIES: Final = {
    "contradiction-": "Facts cannot all hold, by the rule {name} of OWL 2 RL.",
    "shape-": "A note departs from the SHACL shape {name}.",
}


def rule_text(code: str) -> str:
    """The sentence of a code, those of contradictions and shapes included; else the code itself."""
    known = next((rules[code] for rules in RULES.values() if code in rules), None)
    if known is not None:
        return known
    prefix = next((prefix for prefix in _FAMILIES if code.startswith(prefix)), None)
    return _FAMILIES[prefix].format(name=code.removeprefix(prefix)) if prefix else code
