"""What a model is told: how to use the memory, and how to repair a call that went wrong."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from synapse.errors import SynapseError
from synapse.interfaces.gateway import NotResolved
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.examples import example_call
from synapse.rdf.names import shortened

AMBIGUOUS: Final = "ambiguous-entity"
CANDIDATES: Final = 10
"""Entities listed of a name that means several, or of those named much like an unknown one."""

GUIDE: Final = """\
synapse is a memory you can prove: Markdown notes as a graph of facts. Each fact has a source \
(path:line of a note, an agent with its reason, or a scenario) or is inferred by rules, with a proof.

When to use which tool
- get_entity: what is known of one thing. Start here; a label or an alias works as well as an id.
- get_neighborhood: what surrounds it, up to a few steps away.
- get_impact: what depends on it. Ask before saying that a change is safe.
- get_provenance: where a fact comes from, or why it was inferred. Ask before relying on an \
inferred fact, and cite the path:line it gives.
- get_log: what changed, when, by whom and why. get_entity with as_of: what was known then.

How to read answers
- An id is the path of a note without .md. Facts marked inferred are stated nowhere: rules derived them.
- Answers are concise; response_format="detailed" adds every source and the SPARQL query behind the answer.
- A notice says what was cut (repeat the call with its cursor) or that notes changed since they were read.
- "Nothing is known" means the notes do not say so. Say that; do not fill the gap from elsewhere."""


WRITING: Final = """\


How to remember
- assert_facts: what should outlast this conversation: a decision, a dependency, who owns what. Facts that \
belong together go into one call, with source (where you have it from) and reason (why it is worth keeping).
- Look first (get_entity), and use the id you find. An object with datatype or lang is a value.
- ambiguous in the answer: those facts were not written. Assert them again with the id from did_you_mean \
that is meant; only if none is, with force_new=true.
- orphan_warning, suggested_relations: assert the relation that is true, so that the entity can be found.
- What a note says is not yours to change here: tell the person which path:line to edit."""

CORRECTING: Final = """
- retract_facts takes back what was asserted, by assertion id or fact by fact; undo_write a whole write. \
Ids are in get_log and get_provenance. What a note states, or what follows, is refused with what to edit."""


def guide(access: Level) -> str:
    """How to use the memory, as far as a connection of this level may."""
    writing = WRITING if access.permits(Level.READ_WRITE) else ""
    return GUIDE + writing + (CORRECTING if access.permits(Level.FULL) else "")


def instructions(access: Level, examples: Sequence[str]) -> str:
    """What a client gives its model when it connects; `examples` are ids of this memory."""
    if not examples:
        return guide(access)
    calls = ", ".join(example_call("get_entity", {"id": identifier}) for identifier in examples)
    return f"{guide(access)}\n\nFor example, in this memory: {calls}."


def explain_failure(error: SynapseError, *, tool: str, example: str | None) -> str:
    """What was wrong, the nearest valid values, and a call that would work where there is one."""
    lines = [f"{tool}: {error.message}."]
    if isinstance(error, NotResolved) and error.did_you_mean:
        lines.append("Nearest:" if error.code == "unknown-entity" else "It may be:")
        for candidate in error.did_you_mean[:CANDIDATES]:
            types = f" ({', '.join(candidate.types)})" if candidate.types else ""
            lines.append(f"- {candidate.id}: {candidate.label}{types}")
        if error.code == AMBIGUOUS:
            lines.append("Ask again with the id that is meant.")
    elif error.hint:
        ending = "" if error.hint.endswith("?") else "."
        lines.append(f"{error.hint[:1].upper()}{error.hint[1:]}{ending}")
    if example is not None:
        lines.append(f"Example: {example}")
    return "\n".join(lines)


def wrong_arguments(given: Mapping[str, Any], *, schema: Mapping[str, Any]) -> list[str]:
    """One sentence for each argument that is missing or that the tool does not take."""
    known: Mapping[str, Any] = schema["properties"]
    problems = [f"{name} is missing" for name in schema.get("required", ()) if name not in given]
    for name in given:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1)
            problems.append(
                f"there is no argument {shortened(name)}"
                + (f" (did you mean {nearest[0]}?)" if nearest else "")
            )
    return problems


def wrong_values(problems: Iterable[Mapping[str, Any]], *, schema: Mapping[str, Any]) -> list[str]:
    """One sentence for each value that does not fit, from what pydantic found (its `errors()`)."""
    return list(dict.fromkeys(_wrong_value(problem, schema) for problem in problems))


def _wrong_value(problem: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    *above, last = problem["loc"]
    missing = problem["type"] == "missing"
    place, part = _part(above if missing or problem["type"] == "extra_forbidden" else problem["loc"], schema)
    if missing:
        return f"{place} needs {last}"
    if problem["type"] == "extra_forbidden":
        return f"{place} has no {shortened(str(last))}; it takes {', '.join(part.get('properties', ()))}"
    value = problem["input"]
    shown = (
        shortened(value)
        if isinstance(value, str)
        else shortened(json.dumps(value, default=str, ensure_ascii=False))[1:-1]
    )
    return f"{place} takes {takes(part)}, not {shown}"


def _part(path: Iterable[str | int], schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The name and the schema of a part of the arguments: `fact 2: object`, counted as the memory counts."""
    name = ""
    for step in path:
        choices = [schema, *schema.get("anyOf", ())]
        if isinstance(step, int):
            inner = next((choice["items"] for choice in choices if "items" in choice), None)
            longer = f"{name.removesuffix('s')} {step + 1}"
        else:
            owners = (choice.get("properties", {}) for choice in choices)
            inner = next((known[step] for known in owners if step in known), None)
            longer = f"{name}: {step}" if name else step
        if inner is None:
            break  # pydantic names the members of a union too, which nobody wrote
        name, schema = longer, inner
    return name, schema


def takes(schema: Mapping[str, Any]) -> str:
    """What a value of this schema is, in words."""
    if "anyOf" in schema:
        choices = [takes(choice) for choice in schema["anyOf"] if choice.get("type") != "null"]
        return " or ".join(choices)
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    words = {
        "string": "a text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "array": f"a list of {_plural(schema.get('items', {}))}",
        "object": _object(schema),
    }.get(schema.get("type", "object"), "another value")
    return words + _bounds(schema)


def _plural(items: Mapping[str, Any]) -> str:
    return "facts" if "properties" in items else "texts"


def _object(schema: Mapping[str, Any]) -> str:
    if "properties" not in schema:
        return 'a literal as {"value": …}'
    return "{" + ", ".join(f'"{name}": …' for name in schema.get("required", ())) + "}"


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    longest = schema.get("maxLength")
    if longest is not None:
        return f" of at most {longest} characters"
    return f" of {low} or more" if low is not None else ""
