"""The answer to a write, fitted to a budget, and as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from synapse.interfaces.mcp.lines import Answer, fact_line, statement
from synapse.interfaces.mcp.pages import concise, fit, tokens
from synapse.interfaces.questions import QUESTIONS

# What asks for an answer comes before what only confirms: it is the last to be cut.
BY_WEIGHT: Final = (
    "contradictions",
    "ambiguous",
    "possible_duplicate_of",
    "suggested_relations",
    "review_relations",
    "relations_from_tags",
    "enrich_hint",
    "stubs",
    "new",
    "changes",
    "facts",
    "connected",
    "inferred_removed",
    "inferred_added",
    "neighborhood",
)
DEGREES: Final = 40
"""Entities whose degree is shown at most; one write may concern hundreds."""


def bounded(answer: Answer, max_tokens: int) -> Answer:
    """The answer with as much as fits; a notice says what is not shown, for all of it was done."""
    whole = {**{name: [] for name in BY_WEIGHT}, **concise(answer)}  # an older owner knows fewer fields
    shown: Answer = {**whole, **{name: [] for name in BY_WEIGHT}, "notices": list(whole["notices"])}
    left_out = _bound_degrees(shown)
    # No more can be left out than everything, and nothing takes more room to tell.
    everything = [_left_out(name, len(whole[name]), len(whole[name])) for name in BY_WEIGHT if whole[name]]
    left = max_tokens - tokens([shown, _cut_notice(whole, [*left_out, *everything])])
    for name in BY_WEIGHT:
        for item in whole[name]:
            fitting, cuts = fit(item, max_tokens) if isinstance(item, dict) else (item, [])
            left -= tokens([fitting, *cuts])
            if left < 0:
                break
            shown[name].append(fitting)
            shown["notices"] += cuts
        if len(shown[name]) < len(whole[name]):
            left_out.append(_left_out(name, len(shown[name]), len(whole[name])))
    if left_out:
        shown["notices"].append(_cut_notice(whole, left_out))
    return shown


def _cut_notice(whole: Answer, left_out: list[str]) -> Answer:
    done = "all of it was written; " if whole["status"] == "ok" else ""
    message = f"shown {', '.join(left_out)}: {done}get_entity and get_log show the rest"
    return {"code": "cut", "message": message}


def _left_out(name: str, shown: int, whole: int) -> str:
    return f"{shown} of {whole} {name}"


def _bound_degrees(shown: Answer) -> list[str]:
    degrees = shown.get("degree", {})
    if len(degrees) <= DEGREES:
        return []
    # Those connected to least come first: they are what a writer can do something about.
    least = sorted(degrees, key=lambda entity: (degrees[entity], entity))[:DEGREES]
    shown["degree"] = {entity: degrees[entity] for entity in least}
    return [_left_out("degree", DEGREES, len(degrees))]


def assert_lines(answer: Answer) -> Iterator[str]:
    """What an assertion did to the graph, the questions it leaves, and what would help."""
    yield from _outcome(answer, "written as assertion {id}")
    yield from _feedback(answer)


def retract_lines(answer: Answer) -> Iterator[str]:
    """What was taken back, and what no longer follows."""
    yield from _outcome(answer, "retracted by activity {id}")
    yield from _feedback(answer, asked="not found; name the fact by ids")


def undo_lines(answer: Answer) -> Iterator[str]:
    """What an undone write had changed, which is now as it was before."""
    yield from _outcome(answer, "undone by activity {id}")
    yield from _feedback(answer)


def _outcome(answer: Answer, done: str) -> Iterator[str]:
    if answer["status"] == "refused":
        yield "refused: nothing was changed"
    else:
        yield f"{done.format(id=answer['id'])}:"
        for change in answer.get("changes", ()):
            yield f"{'returned' if change['sign'] == '+' else 'gone'}: {statement(change)}"
        if not answer.get("changes"):
            yield from map(statement, answer["facts"])


_ASSERT_AGAIN: Final = "ambiguous, not written; assert again with the id that is meant"


def _feedback(answer: Answer, *, asked: str = _ASSERT_AGAIN) -> Iterator[str]:
    connected = (f"{one['mention']!r} is {one['id']} ({_by(one)})" for one in answer["connected"])
    yield from _block("connected", connected)
    yield from _block(asked, (_question(one) for one in answer["ambiguous"]))
    yield from _block("new", (id for id in answer.get("new", ()) if id not in answer["stubs"]))
    yield from _block("stubs, which nothing describes yet", answer["stubs"])
    yield from _block("follows now", map(statement, answer["inferred_added"]))
    yield from _block("follows no longer", map(statement, answer["inferred_removed"]))
    yield from _block("contradictions", map(_contradiction, answer["contradictions"]))
    yield from _advice(answer)


def _advice(answer: Answer) -> Iterator[str]:
    if "orphan_warning" in answer:
        yield f"orphan: {answer['orphan_warning']}"
    for title, name in (
        ("suggested relations", "suggested_relations"),
        ("relations added from tags", "relations_from_tags"),
        ("relations to review", "review_relations"),
    ):
        yield from _block(title, (f"{statement(one)}: {one['reason']}" for one in answer[name]))
    doubles = (
        f"{one['id']}: {one['name']}{_types([one['type']])}, score {one['score']:g}, {one['reason']}"
        for one in answer["possible_duplicate_of"]
    )
    yield from _block("may be a duplicate of", doubles)
    yield from _block("worth describing", answer["enrich_hint"])
    if "status_note" in answer:
        yield f"status: {answer['status_note']}"
    if answer.get("degree"):
        yield "degree: " + ", ".join(f"{entity} {degree}" for entity, degree in answer["degree"].items())
    near = (f"{node['id']}: {node['label']}{_types(node['types'])}" for node in answer["neighborhood"])
    yield from _block("around", near)


def _by(connected: Answer) -> str:
    return f"by {connected['by']}, score {connected['score']:g}"


def _question(asked: Answer) -> str:
    options = "; ".join(
        f"{one['id']} ({one['label']}{_types(one['types'])}{_score(one)})" for one in asked["did_you_mean"]
    )
    return f"{asked['mention']!r} ({QUESTIONS[asked['reason']]}): {options or 'no candidate'}"


def _score(candidate: Answer) -> str:
    reason = f", {candidate['reason']}" if "reason" in candidate else ""
    return (f", score {candidate['score']:g}" if "score" in candidate else "") + reason


def _types(types: Iterable[str]) -> str:
    named = ", ".join(filter(None, types))
    return f" ({named})" if named else ""


def _contradiction(found: Answer) -> str:
    return f"{found['rule']}: {'; '.join(map(fact_line, found['premises']))}"


def _block(title: str, lines: Iterable[str]) -> Iterator[str]:
    listed = list(lines)
    if listed:
        yield f"{title}:"
        yield from (f"- {line}" for line in listed)


def log_lines(answer: Answer) -> Iterator[str]:
    """The activities, the newest first, each with the facts it brought and took."""
    if not answer["entries"]:
        yield "no such activity is known"
    for entry in answer["entries"]:
        reason = f": {entry['reason']}" if "reason" in entry else ""
        counts = f"+{entry['added']} -{entry['removed']}"
        yield f"{entry['at']} {entry['kind']} by {entry['agent']}, {counts}, {entry['activity']}{reason}"
        for change in entry["changes"]:
            yield f"  {change['sign']} {statement(change)} [{change['graph']}]"
        more = entry["added"] + entry["removed"] - len(entry["changes"])
        if more > 0:
            yield f"  and {more} more"
