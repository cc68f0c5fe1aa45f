"""Vaults made to look like people's: frontmatter, about 200 words, six links, ten types, a few chains."""

from __future__ import annotations

import random
from pathlib import Path

TYPES = (
    "Service",
    "Component",
    "Database",
    "Person",
    "Team",
    "Project",
    "Decision",
    "Incident",
    "Lesson",
    "Concept",
)
FOLDERS = tuple(f"{kind.lower()}s" for kind in TYPES)
RELATIONS = ("depends_on", "uses", "part_of", "works_on", "affects", "related_to")
AREA = 40
STATUSES = ("active", "draft", "done", "vigente", "pausado")
WORDS = (
    "the queue holds every message until the worker has read it and the ledger says so "
    "cuando el servicio falla el equipo mira primero la base de datos y después la red "
    "we decided to keep the schema small because migrations hurt more than joins do "
    "la decisión se tomó en la reunión del martes con las notas de Ana y de Bob"
).split()


def note(number: int, total: int, rng: random.Random) -> tuple[str, str]:
    """The path and the text of one note; links go to notes near it, as in a real vault."""
    kind = number % len(TYPES)
    near = [min(total - 1, max(0, number + rng.randrange(-40, 40))) for _ in range(6)]
    lines = [
        "---",
        f"type: {TYPES[kind]}",
        f"title: {TYPES[kind]} {number}",
        f"status: {rng.choice(STATUSES)}",
        f"tier: {rng.randrange(1, 4)}",
        f"created: 20{rng.randrange(18, 26)}-0{rng.randrange(1, 10)}-1{rng.randrange(10)}",
        f"tags: [area-{rng.randrange(30)}, {rng.choice(WORDS)}]",
        f'{relation(number)}: "[[{name(dependency(number, total, rng), total)}]]"',
        f'part_of: "[[{name(number // 10, total)}]]"',
        "---",
        f"# {TYPES[kind]} {number}",
        "",
    ]
    links = [f"[[{name(other, total)}]]" for other in near[1:4]]
    links.append(f"[[{name(near[4], total)}|the other one]]")
    links.append(f"[[depends_on:{name(dependency(number, total, rng), total)}]]")
    for link in links:
        lines += [f"{' '.join(rng.choices(WORDS, k=38))} {link} #area-{rng.randrange(30)}.", ""]
    lines += ["## Notes", "", *(f"- {' '.join(rng.choices(WORDS, k=8))}" for _ in range(3)), ""]
    return f"{FOLDERS[kind]}/{TYPES[kind].lower()}-{number}.md", "\n".join(lines)


def relation(number: int) -> str:
    """The relation of a note's own key."""
    return RELATIONS[number % len(RELATIONS)]


def dependency(number: int, total: int, rng: random.Random) -> int:
    """What a note depends on: one after it in its own area of forty, as systems depend within a domain.

    The last note of an area depends on nothing: it links to itself, and such edges are dropped.
    """
    end = min(total, (number // AREA + 1) * AREA)
    return rng.randrange(number + 1, end) if number + 1 < end else number


def name(number: int, total: int) -> str:
    """The id of a note by its number."""
    number %= total
    kind = number % len(TYPES)
    return f"{FOLDERS[kind]}/{TYPES[kind].lower()}-{number}"


def make_vault(root: Path, total: int, *, seed: int = 7) -> Path:
    """Write a vault of `total` notes; the same seed gives the same bytes."""
    rng = random.Random(seed)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for number in range(total):
        path, text = note(number, total, rng)
        (root / path).write_text(text, encoding="utf-8")
    return root
