"""Data for the reasoning benchmark: a university in the manner of LUBM, and a vault of notes.

Both are made afresh from a seed; only their shape follows LUBM (Guo, Pan and Heflin, 2005) and
what people's notes look like. Statements are (subject, predicate, object) in short names;
`rdfs:` and `owl:` are the usual namespaces, all other names become IRIs of `NAMESPACE`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Triple

from synapse.rdf.vocab import PREFIXES, RDF_TYPE

NAMESPACE = "https://bench.example/"
Statement = tuple[str, str, str]


@dataclass(frozen=True)
class Data:
    """An ontology, and instance data in units that an edit replaces (a note, a department)."""

    name: str
    ontology: list[Triple]
    units: list[list[Triple]]

    @property
    def triples(self) -> list[Triple]:
        return list(dict.fromkeys([*self.ontology, *(triple for unit in self.units for triple in unit)]))


VAULT_ONTOLOGY = """
depends_on a owl:TransitiveProperty . depends_on owl:inverseOf required_by
related_to a owl:SymmetricProperty . part_of owl:inverseOf has_part . cites owl:inverseOf cited_by
cites rdfs:subPropertyOf references . mentions rdfs:subPropertyOf references
references rdfs:domain Document . references rdfs:range Resource . written_by rdfs:domain Document
written_by rdfs:range Person . Person rdfs:subClassOf Agent . Agent rdfs:subClassOf Resource
Document rdfs:subClassOf Resource . Kind rdfs:subClassOf Document
"""

UNIVERSITY_ONTOLOGY = """
Professor rdfs:subClassOf Faculty . Lecturer rdfs:subClassOf Faculty
Faculty rdfs:subClassOf Employee . FullProfessor rdfs:subClassOf Professor
AssistantProfessor rdfs:subClassOf Professor . Employee rdfs:subClassOf Person
Student rdfs:subClassOf Person . Graduate rdfs:subClassOf Student
Undergraduate rdfs:subClassOf Student . Article rdfs:subClassOf Publication
Book rdfs:subClassOf Publication . Course rdfs:subClassOf Work
GraduateCourse rdfs:subClassOf Course . University rdfs:subClassOf Organization
Department rdfs:subClassOf Organization . Group rdfs:subClassOf Organization
works_for rdfs:subPropertyOf member_of . heads rdfs:subPropertyOf works_for
member_of owl:inverseOf member . degree_from owl:inverseOf has_alumnus
doctorate_from rdfs:subPropertyOf degree_from . within a owl:TransitiveProperty
within owl:inverseOf contains . within rdfs:domain Organization . member rdfs:domain Organization
member rdfs:range Person . degree_from rdfs:range University . advisor rdfs:domain Person
advisor rdfs:range Professor . teaches rdfs:domain Faculty . teaches rdfs:range Course
takes rdfs:domain Student . author rdfs:domain Publication . author rdfs:range Person
"""


def vault(notes: int, seed: int = 2) -> Data:
    """`notes` notes of about 12 triples: a type of 81, layered dependencies, citations, mentions."""
    choose = random.Random(seed)
    kinds, ontology = ["Kind"], list(_statements(VAULT_ONTOLOGY))
    for _ in range(4):
        deeper = [f"{kind}_{n}" for kind in kinds for n in range(3)]
        ontology += [(kind, "rdfs:subClassOf", kind.rpartition("_")[0]) for kind in deeper]
        kinds = deeper
    units = [list(_note(number, notes, kinds, choose)) for number in range(notes)]
    return _data(f"vault-{notes}", ontology, units)


def _note(number: int, notes: int, kinds: list[str], choose: random.Random) -> Iterator[Statement]:
    name, layer_size = f"note/{number}", max(1, notes // 11)
    layer = min(number // layer_size, 10)
    yield name, "a", choose.choice(kinds)
    yield name, "title", f'"Note {number}"'
    for _ in range(1 + (choose.random() < 0.3) if layer else 0):
        yield name, "depends_on", f"note/{choose.randrange((layer - 1) * layer_size, layer * layer_size)}"
    yield name, "written_by", f"person/{choose.randrange(200)}"
    for relation in (
        "part_of",
        "related_to",
        "related_to",
        "cites",
        "cites",
        "cites",
        "mentions",
        "mentions",
    ):
        yield name, relation, f"note/{choose.randrange(notes)}"


def university(triples: int, seed: int = 1) -> Data:
    """Departments of about 4,000 triples each, until there are `triples`."""
    choose = random.Random(seed)
    units: list[list[Statement]] = []
    size = 0
    while size < triples:
        units.append(list(_department(len(units), choose)))
        size += len(units[-1])
    return _data(f"university-{triples}", list(_statements(UNIVERSITY_ONTOLOGY)), units)


def _department(number: int, choose: random.Random) -> Iterator[Statement]:
    campus, here = f"u{number // 20}", f"u{number // 20}/d{number}"
    yield from ((campus, "a", "University"), (here, "a", "Department"), (here, "within", campus))
    for n in range(15):
        yield from ((f"{here}/g{n}", "a", "Group"), (f"{here}/g{n}", "within", here))
    for n in range(35):
        yield from _teacher(f"{here}/f{n}", n, here, choose)
    for n in range(450):
        yield from _student(f"{here}/s{n}", here, choose)


def _teacher(name: str, number: int, here: str, choose: random.Random) -> Iterator[Statement]:
    yield name, "a", choose.choice(("FullProfessor", "AssistantProfessor", "Lecturer"))
    yield name, "heads" if number == 0 else "works_for", here
    yield name, "doctorate_from", f"u{choose.randrange(1000)}"
    yield name, "name", f'"{name}"'
    for n in range(2):
        yield from (
            (f"{name}/c{n}", "a", choose.choice(("Course", "GraduateCourse"))),
            (name, "teaches", f"{name}/c{n}"),
        )
    for n in range(choose.randint(4, 14)):
        yield f"{name}/p{n}", "a", choose.choice(("Article", "Book", "Publication"))
        yield f"{name}/p{n}", "author", name


def _student(name: str, here: str, choose: random.Random) -> Iterator[Statement]:
    yield from (
        (name, "a", choose.choice(("Graduate", "Undergraduate"))),
        (name, "member_of", here),
        (name, "name", f'"{name}"'),
    )
    for _ in range(3):
        yield name, "takes", f"{here}/f{choose.randrange(35)}/c{choose.randrange(2)}"
    if choose.random() < 0.3:
        yield name, "advisor", f"{here}/f{choose.randrange(35)}"


def _statements(text: str) -> Iterator[Statement]:
    for part in text.replace("\n", " . ").split(" . "):
        if part.strip():
            subject, predicate, object_ = part.split()
            yield subject, predicate, object_


def _data(name: str, ontology: list[Statement], units: list[list[Statement]]) -> Data:
    terms: dict[str, NamedNode | Literal] = {}
    return Data(name, list(_triples(ontology, terms)), [list(_triples(unit, terms)) for unit in units])


def _triples(statements: Iterable[Statement], terms: dict[str, NamedNode | Literal]) -> Iterator[Triple]:
    for statement in statements:
        for token in statement:
            if token not in terms:
                terms[token] = _term(token)
        yield Triple(*(terms[token] for token in statement))  # type: ignore[arg-type]


def _term(token: str) -> NamedNode | Literal:
    if token == "a":
        return RDF_TYPE
    if token.startswith('"'):
        return Literal(token.strip('"'))
    prefix, colon, local = token.partition(":")
    return NamedNode(PREFIXES[prefix] + local if colon else NAMESPACE + token)
