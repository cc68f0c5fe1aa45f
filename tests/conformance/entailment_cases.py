"""W3C entailment cases as values, and the question each of them asks."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pyoxigraph as ox

from synapse.reasoning import Regime
from synapse.usecases.reason_files import reason_files

DEFAULT = Path(__file__).parents[2] / "../shared/data/conformance"
ROOT = Path(os.environ.get("SYNAPSE_CONFORMANCE") or DEFAULT).resolve()
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
IMPORTS = "http://www.w3.org/2002/07/owl#imports"


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
        """Whether `synapse reason --file` answers as the W3C expects."""
        files = [self.premise, *self._imports()]
        found = reason_files(files, regime=self.regime)
        entailed = bool(found.contradictions)
        if self.conclusion is not None:
            printed = "\n".join(found.inferred).encode()
            closure = [quad.triple for quad in ox.parse(printed, ox.RdfFormat.N_TRIPLES)]
            asserted = [triple for path in files for triple in _read(path)]
            entailed = entailed or _matches([*asserted, *closure], list(_read(self.conclusion)))
        return entailed == self.positive

    def _imports(self) -> Iterator[Path]:
        for triple in _read(self.premise):
            if triple.predicate.value == IMPORTS:
                copy = ROOT / self.suite / "imports" / (Path(triple.object.value).name + ".rdf")
                if copy.exists():
                    yield copy


def _read(path: Path) -> Iterator[ox.Triple]:
    for quad in ox.parse(path=path, base_iri=path.as_uri()):
        yield quad.triple


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
