"""Reasoning over files: complete by default, trimmed on request, each contradiction once."""

from __future__ import annotations

from pathlib import Path

from pyoxigraph import RdfFormat, parse

from synapse.reasoning import Regime
from synapse.usecases.reason_files import reason_files

PREFIXES = """
@prefix : <urn:t:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def _file(folder: Path, text: str, name: str = "data.ttl") -> Path:
    path = folder / name
    path.write_text(PREFIXES + text, encoding="utf-8")
    return path


def test_reflexive_facts_are_printed_last_and_left_out_when_trimmed(tmp_path: Path) -> None:
    path = _file(tmp_path, ":A rdfs:subClassOf :B . :x a :A .")
    complete = reason_files([path], regime=Regime.OWL_RL)
    trimmed = reason_files([path], regime=Regime.OWL_RL, trimmed=True)
    same = "<urn:t:x> <http://www.w3.org/2002/07/owl#sameAs> <urn:t:x> ."
    typed = "<urn:t:x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:t:B> ."
    assert complete.inferred.index(typed) < complete.inferred.index(same)
    assert trimmed.inferred == (typed,)


def test_nothing_is_printed_twice_or_although_it_is_asserted(tmp_path: Path) -> None:
    path = _file(tmp_path, ":A a owl:Class ; rdfs:subClassOf :A , owl:Thing . :x a :A ; owl:sameAs :x .")
    printed = reason_files([path], regime=Regime.OWL_RL).inferred
    asserted = {f"{quad.triple} ." for quad in parse(path=path)}
    assert len(set(printed)) == len(printed) and not asserted & set(printed)


def test_what_is_printed_is_n_triples(tmp_path: Path) -> None:
    path = _file(
        tmp_path, ':x :says "a \\"quote\\"\\n", "hola"@es . _:b :knows :x . :knows owl:inverseOf :known .'
    )
    for regime in (Regime.OWL_RL, Regime.RDFS):
        printed = reason_files([path], regime=regime).inferred
        assert len(list(parse("\n".join(printed).encode(), RdfFormat.N_TRIPLES))) == len(printed) > 0


def test_the_blank_nodes_of_the_first_file_keep_their_names(tmp_path: Path) -> None:
    path = _file(tmp_path, "_:b :knows :x . :knows owl:inverseOf :known .")
    printed = reason_files([path], regime=Regime.OWL_RL, trimmed=True).inferred
    assert "<urn:t:x> <urn:t:known> _:b ." in printed


def test_one_contradiction_is_told_once(tmp_path: Path) -> None:
    path = _file(tmp_path, ":A owl:complementOf :B . :x a :A , :B .")
    (found,) = reason_files([path], regime=Regime.OWL_RL).contradictions
    assert found.rule == "cls-com"


def test_a_contradiction_that_only_the_complete_rules_find_is_told(tmp_path: Path) -> None:
    path = _file(tmp_path, ":p a owl:ReflexiveProperty , owl:IrreflexiveProperty .")
    (found,) = reason_files([path], regime=Regime.OWL_RL).contradictions
    assert found.rule == "prp-rfp"
