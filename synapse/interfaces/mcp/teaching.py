"""What a model is told: how to use the memory, and how to repair a call that went wrong."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from synapse.errors import InvalidInput, SynapseError
from synapse.interfaces.gateway import NotResolved
from synapse.rdf.names import shortened

FALLBACK_ID: Final = "people/bob"

GUIDE: Final = """\
synapse is a memory you can prove: Markdown notes as a graph of facts. Each fact has a source \
(path:line of a note, or a scenario) or is inferred by rules, with a proof.

When to use which tool
- get_entity: what is known of one thing. Start here; a label or an alias works as well as an id.
- get_neighborhood: what surrounds it, up to a few steps away.
- get_impact: what depends on it. Ask before saying that a change is safe.
- get_provenance: where a fact comes from, or why it was inferred. Ask before relying on an \
inferred fact, and cite the path:line it gives.

How to read answers
- An id is the path of a note without .md. Facts marked inferred are stated nowhere: rules derived them.
- Answers are concise; response_format="detailed" adds every source and the SPARQL query behind the answer.
- A notice says what was cut (repeat the call with its cursor) or that notes changed since they were read.
- "Nothing is known" means the notes do not say so. Say that; do not fill the gap from elsewhere."""


def instructions(examples: Sequence[str]) -> str:
    """What a client gives its model when it connects; `examples` are ids of this memory."""
    if not examples:
        return GUIDE
    calls = ", ".join(f'get_entity(id="{identifier}")' for identifier in examples)
    return f"{GUIDE}\n\nFor example, in this memory: {calls}."


def example_call(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as it is written in teaching text: `get_entity(id="people/bob")`."""
    shown = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({shown})"


def explain_failure(error: SynapseError, *, tool: str, example: Mapping[str, Any], known_id: str) -> str:
    """What was wrong, the nearest valid values and, if the call was wrong, one that would work."""
    lines = [f"{tool}: {error.message}."]
    if isinstance(error, NotResolved) and error.did_you_mean:
        lines.append("Nearest:")
        for candidate in error.did_you_mean[:5]:
            types = f" ({', '.join(candidate.types)})" if candidate.types else ""
            lines.append(f"- {candidate.id}: {candidate.label}{types}")
        known_id = error.did_you_mean[0].id
    elif error.hint:
        lines.append(f"{error.hint[:1].upper()}{error.hint[1:]}.")
    if isinstance(error, (InvalidInput, NotResolved)):
        lines.append(f"Example: {example_call(tool, {**example, **_first_id(example, known_id)})}")
    return "\n".join(lines)


def _first_id(example: Mapping[str, Any], known_id: str) -> dict[str, Any]:
    return {name: known_id for name in ("id", "subject") if name in example}


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


def wrong_value(name: str, value: Any, *, schema: Mapping[str, Any]) -> str:
    """A sentence that says what one argument takes and what it was given."""
    shown = shortened(value) if isinstance(value, str) else shortened(json.dumps(value, default=str))[1:-1]
    return f"{name} takes {takes(schema['properties'][name])}, not {shown}"


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
        "array": "a list of texts",
        "object": 'a literal as {"value": …}',
    }.get(schema.get("type", "object"), "another value")
    return words + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    longest = schema.get("maxLength")
    if longest is not None:
        return f" of at most {longest} characters"
    return f" of {low} or more" if low is not None else ""
