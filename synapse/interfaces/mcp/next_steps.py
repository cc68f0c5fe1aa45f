"""What an agent can do about a call that its connection does not permit: ask the person, with the command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from synapse.interfaces.mcp.access import Level

LONGEST: Final = 200
"""Characters of a word that is repeated in a command."""
FACTS: Final = 5


def asked_of_a_person(tool: str, arguments: Mapping[str, Any], needed: Level) -> str:
    """The next step after a refusal: the command that does it, filled in from the arguments."""
    commands = list(_commands(tool, arguments))
    connect = f"connect you with --access {needed}"
    if not commands:
        return f"Ask the person to {connect}."
    listed = "\n".join(f"  {command}" for command in commands)
    return f"Ask the person to run this in the folder of the notes, or to {connect}:\n{listed}"


def _commands(tool: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    reason = ["--reason", _word(arguments.get("reason"), "WHY")]
    facts = _facts(arguments.get("facts"))
    match tool:
        case "undo_write":
            yield _line(["undo", _word(arguments.get("activity"), "ACTIVITY"), *reason])
        case "retract_facts" if facts:
            yield _line(["retract", *(word for fact in facts for word in ("--fact", *fact)), *reason])
        case "retract_facts":
            yield _line(["retract", _word(arguments.get("assertion_id"), "ID"), *reason])
        case "assert_facts":
            source = ["--source", _word(arguments.get("source"), "WHERE")]
            for fact in facts or [("SUBJECT", "PREDICATE", "OBJECT")]:
                yield _line(["assert", *fact, *source, *reason])


def _facts(given: Any) -> list[tuple[str, str, str]]:
    listed = given[:FACTS] if isinstance(given, list) else []
    return [_fact(fact) for fact in listed if isinstance(fact, Mapping)]


def _fact(fact: Mapping[str, Any]) -> tuple[str, str, str]:
    subject, predicate = _word(fact.get("subject"), "SUBJECT"), _word(fact.get("predicate"), "PREDICATE")
    return subject, predicate, _word(fact.get("object"), "OBJECT")


def _word(value: Any, instead: str) -> str:
    """A given word, or what stands for one that cannot be part of a line."""
    fits = isinstance(value, str) and value.strip() and value.isprintable() and len(value) <= LONGEST
    return str(value) if fits else instead


def _line(words: Sequence[str]) -> str:
    return shlex.join(["synapse", *words])
