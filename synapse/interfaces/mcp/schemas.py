"""JSON Schema (2020-12) of the answers: exactly what `answers.to_json` writes of each."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

JsonSchema = dict[str, Any]

_PLAIN: dict[Any, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}


def schema_of(answer: type) -> JsonSchema:
    """The schema of a frozen answer; `cursor` is where the next page of a cut answer begins."""
    definitions: dict[str, JsonSchema] = {}
    root = _object(answer, definitions)
    root["properties"]["cursor"] = {"type": "string", "description": "pass it back for the next page"}
    definitions.pop(answer.__name__, None)
    return {**root, "$defs": definitions} if definitions else root


def _object(answer: type, definitions: dict[str, JsonSchema]) -> JsonSchema:
    hints = get_type_hints(answer)
    shape: JsonSchema = {"type": "object", "description": _sentence(answer), "properties": {}, "required": []}
    for field in fields(answer):
        name, hint = field.name.rstrip("_"), hints[field.name]
        shape["properties"][name] = _schema(hint, definitions)
        # to_json leaves out what is None, and only that.
        if type(None) not in get_args(hint):
            shape["required"].append(name)
    return shape


def _schema(hint: Any, definitions: dict[str, JsonSchema]) -> JsonSchema:
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    if is_dataclass(hint):
        return _reference(hint, definitions)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin is tuple:
        return {"type": "array", "items": _schema(parts[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(parts[1], definitions)}
    if origin in (Union, types.UnionType):
        choices = [_schema(part, definitions) for part in parts if part is not type(None)]
        return choices[0] if len(choices) == 1 else {"anyOf": choices}
    raise TypeError(f"{hint} is no part of an answer")


def _reference(answer: Any, definitions: dict[str, JsonSchema]) -> JsonSchema:
    name = answer.__name__
    if name not in definitions:
        definitions[name] = {}  # a proof holds proofs: named before it is described
        definitions[name] = _object(answer, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _sentence(answer: type) -> str:
    return (answer.__doc__ or answer.__name__).strip().split("\n", maxsplit=1)[0]
