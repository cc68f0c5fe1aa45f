"""The report of a check as SARIF 2.1.0, for GitHub code scanning and editors.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from synapse.interfaces.cli.render_terms import JsonMap
from synapse.usecases.check_rules import rule_text

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
Object = dict[str, Any]


def sarif(answer: JsonMap, *, folder: str = ".") -> Object:
    """The SARIF log of a check; `folder` is where the notes lie below the root of the repository."""
    found = answer["diagnostics"]
    rules = {item["code"]: item for item in reversed(found)}
    numbers = {code: number for number, code in enumerate(sorted(rules))}
    driver = {
        "name": "synapse",
        "semanticVersion": importlib.metadata.version("synapse-memory"),
        "rules": [_rule(rules[code]) for code in numbers],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, numbers, folder) for item in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(item: JsonMap) -> Object:
    return {
        "id": item["code"],
        "shortDescription": {"text": rule_text(item["code"])},
        "defaultConfiguration": {"level": _LEVELS[item["severity"]]},
    }


def _result(item: JsonMap, numbers: Mapping[str, int], folder: str) -> Object:
    result: Object = {
        "ruleId": item["code"],
        "ruleIndex": numbers[item["code"]],
        "level": _LEVELS[item["severity"]],
        "message": {"text": item["message"]},
        "locations": [_place(item, folder)],
    }
    # A fact of an ontology or an agent is in no file of the repository: the message tells of it.
    related = [place for place in item["related"] if place["kind"] == "file" and place.get("path")]
    if related:
        result["relatedLocations"] = [
            _location(place["path"], place.get("line") or 1, folder)
            | {"id": number, "message": {"text": place["message"]}}
            for number, place in enumerate(related, start=1)
        ]
    return result


def _place(item: JsonMap, folder: str) -> Object:
    """Where a finding is: in a file, or by the name of a source that is none (section 3.33)."""
    if item.get("kind", "file") == "file":
        return _location(item["path"], item["line"], folder)
    return {"logicalLocations": [{"fullyQualifiedName": item["path"]}]}


def _location(path: str, line: int, folder: str) -> Object:
    # A URI reference (RFC 3986): blanks and `#` in a name are encoded, `/` parts folders.
    where = path if folder == "." else f"{folder}/{path}"
    return {
        "physicalLocation": {"artifactLocation": {"uri": quote(where)}, "region": {"startLine": line}},
    }
