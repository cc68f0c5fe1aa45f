from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse.errors import InvalidScenario
from synapse.knowledge.vocabulary import Anchor, Known, Unknown, Vocabulary

PROFILE = """
name = "test"
version = "1.0.0"
[types.Project]
use = { en = "Work with an aim.", es = "Trabajo con un objetivo." }
default = "active"
archived = ["done"]
[types.Project.statuses]
active = ["in progress", "en curso"]
done = ["hecho"]
[types.Decision]
default = "accepted"
[types.Decision.statuses]
accepted = ["en vigor"]
[types.Place]
[anchors.Project]
relation = "belongs_to"
may_stand_alone = true
[anchors.Course]
relation = "covers"
inverted = true
"""
VOCABULARY = Vocabulary.parse(PROFILE, source="test/profile.toml")


@pytest.mark.parametrize(
    ("type", "text", "status"),
    [
        ("Project", "active", Known("active")),
        ("syn:Project", "En-Curso", Known("active")),
        ("urn:synapse:ns#Project", "in_progress", Known("active")),
        ("project", " HECHO ", Known("done", archived=True)),
        ("Project", "half baked ", Unknown("active", "half baked")),
        ("Decision", "hecho", Unknown("accepted", "hecho")),
        ("Place", "sunny", Known("sunny")),
        ("Spaceship", " lost ", Known("lost")),
        (("Place", "Decision", "Project"), "hecho", Known("done", archived=True)),
        (("Place", "Decision", "Project"), "sunny", Unknown("accepted", "sunny")),
    ],
)
def test_a_word_becomes_the_status_it_means(
    type: str | tuple[str, ...], text: str, status: Known | Unknown
) -> None:
    assert VOCABULARY.normalise_status(type, text) == status


@given(st.text())
def test_no_word_is_lost(text: str) -> None:
    found = VOCABULARY.normalise_status("Project", text)
    assert isinstance(found, Known) or found.note == text.strip()


def test_a_status_is_stable_once_normalised() -> None:
    for kind in VOCABULARY.types.values():
        for status in kind.statuses:
            assert kind.status(status) == Known(status, status in kind.archived)


def test_an_anchor_is_found_by_any_of_the_types() -> None:
    assert VOCABULARY.anchor(("Thing", "syn:project")) == Anchor(
        "Project", "belongs_to", may_stand_alone=True
    )
    assert VOCABULARY.anchor(["Course"]) == Anchor("Course", "covers", inverted=True)
    assert VOCABULARY.anchor(["Place"]) is None


def test_a_later_profile_says_the_last_word() -> None:
    other = Vocabulary.parse("[types.Project.statuses]\nactive = ['vivo']\n[types.Paper]", source="b")
    merged = Vocabulary.merged([VOCABULARY, other])
    assert merged.normalise_status("Project", "vivo") == Known("active")
    assert merged.normalise_status("Project", "en curso") == Unknown("active", "en curso")
    assert {"paper", "decision"} <= merged.types.keys()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[types", "not valid TOML"),
        ("types = 1", "types"),
        ("types.Project = 1", "types"),
        ("[types.Project]\nstatus = 'x'", "'status'"),
        ("[types.Project]\ndefault = 1", "types.Project.default"),
        ("[types.Project]\ndefault = 'gone'", "'gone'"),
        ("[types.Project]\narchived = ['gone']", "'gone'"),
        ("[types.Project]\narchived = 'done'", "types.Project.archived"),
        ("[types.Project.statuses]\nactive = 'x'", "types.Project.statuses.active"),
        ("[types.Project.statuses]\nactive = ['-']", "types.Project.statuses.active"),
        ("[types.Project.statuses]\na = ['x']\nb = ['X']", "both 'a' and 'b'"),
        ("[anchors.Project]", "relation"),
        ("[anchors.Project]\nrelation = 'x'\ninverted = 'no'", "anchors.Project.inverted"),
    ],
)
def test_a_wrong_profile_is_refused_by_file_and_key(text: str, named: str) -> None:
    with pytest.raises(InvalidScenario) as error:
        Vocabulary.parse(text, source="mine/profile.toml")
    assert error.value.message.startswith("mine/profile.toml")
    assert named in error.value.message


def test_every_packaged_profile_can_be_read() -> None:
    profiles = sorted((Path(__file__).parents[2] / "scenarios").glob("*/profile.toml"))
    if not profiles:
        pytest.skip("no scenario has a profile")
    for path in profiles:
        vocabulary = Vocabulary.parse(path.read_text(encoding="utf-8"), source=str(path))
        assert vocabulary.types, path


def test_the_core_profile_ties_entities_as_the_contract_says() -> None:
    path = Path(__file__).parents[2] / "scenarios" / "core" / "profile.toml"
    if not path.exists():
        pytest.skip("the core scenario has no profile")
    core = Vocabulary.parse(path.read_text(encoding="utf-8"), source=str(path))
    ties = {anchor.type: (anchor.relation, anchor.inverted) for anchor in core.anchors.values()}
    assert ties == {
        "Project": ("belongs_to", False),
        "Client": ("for", False),
        "Domain": ("in_domain", False),
        "Course": ("covers", True),
    }


def test_the_digest_tells_apart_what_archives_other_entities_and_nothing_else() -> None:
    text = '[types.Tool]\narchived = ["gone"]\n[types.Tool.statuses]\nlive = ["up"]\ngone = ["off", "down"]\n'
    same = '[types.Tool]\nuse = {en = "x"}\narchived = ["gone"]\n' + text.split("\n", 2)[2]
    other = text.replace('["gone"]', '["live", "gone"]')
    word = text.replace('"down"', '"dead"')
    digests = [Vocabulary.parse(one, source="t").digest() for one in (text, same, other, word)]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
