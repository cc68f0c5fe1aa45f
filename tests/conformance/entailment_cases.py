"""W3C entailment cases as values, and the question each of them asks."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pyoxigraph as ox

from synapse.reasoning.reasoner import Reasoner, Regime

DEFAULT = Path(__file__).parents[2] / "../shared/data/conformance"
ROOT = Path(os.environ.get("SYNAPSE_CONFORMANCE") or DEFAULT).resolve()
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
IMPORTS = "http://www.w3.org/2002/07/owl#imports"
OWL = "http://www.w3.org/2002/07/owl#"


@dataclass(frozen=True)
class Case:
    """Premises, and a graph (None: a contradiction) that they must, or must not, entail."""

    suite: str
    name: str
    premise: Path
    conclusion: Path | None
    positive: bool
    regime: Regime

    def holds(self) -> bool:
        """Whether synapse answers as the W3C expects."""
        premises = list(self._with_imports(_read(self.premise)))
        reasoner = Reasoner(regime=self.regime)
        reasoner.load(premises)
        entailed = bool(reasoner.inconsistencies())
        if self.conclusion is not None:
            known = [*premises, *reasoner.inferred()]
            entailed = entailed or _matches(known, list(_unrefuted(reasoner, list(_read(self.conclusion)))))
        return entailed == self.positive

    def _with_imports(self, triples: Iterable[ox.Triple]) -> Iterator[ox.Triple]:
        for triple in triples:
            yield triple
            if triple.predicate.value == IMPORTS:
                copy = ROOT / self.suite / "imports" / (Path(triple.object.value).name + ".rdf")
                yield from _read(copy) if copy.exists() else ()


def _read(path: Path) -> Iterator[ox.Triple]:
    base = f"http://example.org/{path.name}"
    for quad in ox.parse(path=path, base_iri=base):
        yield quad.triple


def _unrefuted(reasoner: Reasoner, conclusion: list[ox.Triple]) -> Iterator[ox.Triple]:
    """The conclusion without the negative facts whose opposite would be a contradiction.

    OWL 2 RL has no rules that conclude differences or complements, but a contradiction shows
    them: `a differentFrom b` holds when adding `a sameAs b` makes the premises inconsistent.
    """
    complements = {t.subject: t.object for t in conclusion if t.predicate.value == OWL + "complementOf"}
    shown = set()
    for triple in conclusion:
        if _contradicts(reasoner, _opposite(triple, complements)):
            shown |= {triple, *(t for t in conclusion if t.subject == triple.object in complements)}
    return (triple for triple in conclusion if triple not in shown)


def _opposite(triple: ox.Triple, complements: dict) -> ox.Triple | None:
    if triple.predicate.value == OWL + "differentFrom":
        return ox.Triple(triple.subject, ox.NamedNode(OWL + "sameAs"), triple.object)
    if triple.object in complements:
        return ox.Triple(triple.subject, triple.predicate, complements[triple.object])
    return None


def _contradicts(reasoner: Reasoner, triple: ox.Triple | None) -> bool:
    return triple is not None and bool(reasoner.derive(added=[triple]).inconsistencies_added)


def _matches(known: list[ox.Triple], conclusion: list[ox.Triple]) -> bool:
    """Simple entailment: the conclusion's blank nodes are variables."""
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in known)
    pattern = " . ".join(" ".join(_variable(term) for term in triple) for triple in conclusion)
    return bool(store.query(f"ASK {{ {pattern} }}"))


def _variable(term: object) -> str:
    if isinstance(term, ox.BlankNode):
        return "?b" + re.sub(r"\W", "", term.value)
    return str(term)


def owl2_rl() -> Iterator[Case]:
    """The OWL 2 test cases in the RL profile that ask for entailment."""
    suite = "owl2-rl"
    with (ROOT / suite / "census.tsv").open(encoding="utf-8") as census:
        for row in csv.DictReader(census, delimiter="\t"):
            if row["rl_corpus"] in ("graded-positive", "graded-negative"):
                folder = ROOT / suite / "cases" / row["case"]
                (conclusion,) = folder.glob("*conclusion.rdf")
                positive = row["rl_corpus"] == "graded-positive"
                yield Case(suite, row["case"], folder / "premise.rdf", conclusion, positive, Regime.OWL_RL)


def rdf11_mt() -> Iterator[Case]:
    """The RDF 1.1 Semantics cases, by their manifest."""
    suite = "rdf11-mt"
    manifest = ox.Store()
    manifest.load(path=ROOT / suite / "manifest.ttl", base_iri=(ROOT / suite / "manifest.ttl").as_uri())
    query = f"""PREFIX mf: <{MF}> SELECT * {{
        ?case a ?kind ; mf:name ?name ; mf:action ?premise ; mf:result ?conclusion ;
            mf:entailmentRegime ?regime }}"""
    for row in manifest.query(query):
        regime = Regime.NONE if row["regime"].value == "simple" else Regime.RDFS
        positive = row["kind"].value.endswith("PositiveEntailmentTest")
        conclusion = None if row["conclusion"].value == "false" else _path(row["conclusion"].value)
        yield Case(suite, row["name"].value, _path(row["premise"].value), conclusion, positive, regime)


def _path(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))
