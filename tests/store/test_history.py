"""The history: durable, in order, and the truth about since when a fact is known."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from synapse.errors import StoreError
from synapse.rdf.delta import Delta
from synapse.store import blocks
from synapse.store import history as history_module
from synapse.store.history import Entry, History

pytestmark = pytest.mark.usefixtures("kept")


@pytest.fixture(scope="module", params=["rows", "blocks", "rows and blocks"])
def kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """How changes are kept: a row a statement, in blocks of two lines, or one way and the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history_module, "LARGE", {"rows": 100, "blocks": 0}.get(request.param, 2))
        patch.setattr(blocks, "LINES", 2)
        yield


A, B = NamedNode("urn:synapse:file:a.md"), NamedNode("urn:synapse:file:b.md")
S, P = NamedNode("urn:s"), NamedNode("urn:p")


def quad(graph: NamedNode, value: str = "x") -> Quad:
    return Quad(S, P, Literal(value), graph)


def entry(number: int) -> Entry:
    return Entry(
        0, f"urn:synapse:activity:{number}", "sync", "ana", f"2026-01-{number:02d}T00:00:00Z", "because"
    )


def append(history: History, number: int, **change: list[Quad]) -> None:
    history.append(entry(number), change=Delta.of(**change), meta=Delta())


def test_what_was_appended_is_read_back() -> None:
    history = History()
    change = Delta.of(added=[quad(A, 'line\n"quoted" ñ')], removed=[quad(B)])
    meta = Delta.of(added=[quad(NamedNode("urn:synapse:meta"))])
    history.append(entry(1), change=change, meta=meta)
    assert history.changes(entry(1).iri) == (change, meta)
    assert [found.iri for found in history.entries()] == [entry(1).iri]


def test_a_fact_is_known_since_its_first_source_while_any_states_it() -> None:
    history = History()
    append(history, 1, added=[quad(A)])
    append(history, 2, added=[quad(B)])
    append(history, 3, removed=[quad(A)])
    learned = history.learned(quad(B).triple)
    assert learned is not None
    assert learned.since == "2026-01-01T00:00:00Z"
    assert learned.activities == {B.value: entry(2).iri}


def test_every_activity_that_took_a_fact_out_of_a_source_is_known_in_order() -> None:
    history = History()
    append(history, 1, added=[quad(A), quad(B), quad(A, "y")])
    append(history, 2, removed=[quad(B), quad(A, "y")])
    append(history, 3, added=[quad(B)], removed=[quad(A)])
    append(history, 4, removed=[quad(B)])
    assert history.removals(quad(A).triple) == [entry(number).iri for number in (2, 3, 4)]
    assert history.removals(quad(A, "z").triple) == []


def test_a_fact_that_was_forgotten_is_learned_anew() -> None:
    history = History()
    append(history, 1, added=[quad(A)])
    append(history, 2, removed=[quad(A)])
    assert history.learned(quad(A).triple) is None
    append(history, 3, added=[quad(A)])
    learned = history.learned(quad(A).triple)
    assert learned is not None
    assert learned.since == "2026-01-03T00:00:00Z"


def test_a_fact_that_moves_to_another_file_in_one_change_stays_known() -> None:
    history = History()
    append(history, 1, added=[quad(A)])
    append(history, 2, added=[quad(B)], removed=[quad(A)])
    learned = history.learned(quad(B).triple)
    assert learned is not None
    assert learned.since == "2026-01-01T00:00:00Z"


def test_a_withdrawn_activity_leaves_nothing() -> None:
    history = History()
    append(history, 1, added=[quad(A)])
    history.withdraw(entry(1).iri)
    assert list(history.entries()) == []
    assert history.learned(quad(A).triple) is None


def test_an_activity_is_appended_once() -> None:
    history = History()
    append(history, 1, added=[quad(A)])
    with pytest.raises(StoreError):
        append(history, 1, added=[quad(B, "y")])
    assert history.learned(quad(B, "y").triple) is None


def test_an_appended_activity_survives_a_killed_process(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from pyoxigraph import Literal, NamedNode, Quad\n"
        "from synapse.rdf.delta import Delta\n"
        "from synapse.store.history import Entry, History\n"
        "history = History(Path(sys.argv[1]))\n"
        "quad = Quad(NamedNode('urn:s'), NamedNode('urn:p'), Literal('x'), NamedNode('urn:g'))\n"
        "history.append(Entry(0, 'urn:a', 'sync', 'ana', 't'), change=Delta.of(added=[quad]), meta=Delta())\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "history.sqlite"
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode != 0
    history = History(path)
    assert [found.iri for found in history.entries()] == ["urn:a"]
    history.close()


STEPS = st.lists(st.tuples(st.sampled_from([A, B]), st.booleans()), max_size=12)


@given(STEPS)
def test_since_is_the_start_of_the_unbroken_time_in_which_some_source_states_the_fact(
    steps: list[tuple[NamedNode, bool]],
) -> None:
    history, stating, since = History(), set[NamedNode](), None
    for number, (graph, adds) in enumerate(steps, start=1):
        if adds == (graph in stating):
            continue
        append(history, number, **{"added" if adds else "removed": [quad(graph)]})
        since = since if stating else entry(number).at
        stating ^= {graph}
    learned = history.learned(quad(A).triple)
    assert (learned.since if learned else None) == (since if stating else None)
    history.close()


CHANGES = st.lists(st.sets(st.tuples(st.integers(0, 7), st.sampled_from([A, B]))), max_size=6)


@given(CHANGES)
def test_every_fact_of_every_change_is_found_and_no_other(changes: list[set[tuple[int, NamedNode]]]) -> None:
    """Each change makes the sources say these facts and no more."""
    history, said = History(), set[Quad]()
    known: dict[Triple, str] = {}
    for number, facts in enumerate(changes, start=1):
        wanted = {quad(graph, f"{fact}") for fact, graph in facts}
        change = Delta.between(said, wanted)
        history.append(entry(number), change=change, meta=Delta())
        assert history.changes(entry(number).iri) == (change, Delta())
        said = wanted
        triples = {stated.triple for stated in said}
        known = {triple: known.get(triple, entry(number).at) for triple in triples}
    for number in range(8):
        triple = quad(A, f"{number}").triple
        learned = history.learned(triple)
        assert (learned.since if learned else None) == known.get(triple)
        graphs = {stated.graph_name.value for stated in said if stated.triple == triple}  # type: ignore[union-attr]
        assert set(learned.activities if learned else ()) == graphs
    history.close()


TEXTS = st.text(st.characters(exclude_categories=("Cs",)))


@given(TEXTS, st.sampled_from(["", "en", "es-mx"]))
def test_a_fact_is_found_and_read_back_whatever_its_text_holds(text: str, language: str) -> None:
    """Its key is made of the engine's own lines when it is written, and of its terms when it is asked for."""
    history = History()
    literal = Literal(text, language=language) if language else Literal(text)
    change = Delta.of(added=[Quad(S, P, literal, A)])
    history.append(entry(1), change=change, meta=Delta())
    assert history.learned(Triple(S, P, literal)) is not None
    assert history.changes(entry(1).iri) == (change, Delta())
    history.close()


def test_a_history_of_another_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "history.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE activity(seq INTEGER PRIMARY KEY)")
    with pytest.raises(StoreError, match="format 0, and this synapse reads format 3"):
        History(file)
    with closing(sqlite3.connect(file)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master")]
    assert tables == ["activity"]


def test_a_history_written_before_there_were_blocks_is_read_and_gets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "history.sqlite"
    monkeypatch.setattr(history_module, "LARGE", 2)
    history = History(file)
    append(history, 1, added=[quad(A)])
    history.close()
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT COUNT(*) FROM block").fetchone() == (0,)
        database.execute("DROP TABLE block")
        database.execute("PRAGMA user_version = 2")
    history = History(file)
    append(history, 2, added=[quad(B), quad(B, "y")])
    learned = history.learned(quad(A).triple)
    assert learned is not None
    assert (learned.since, set(learned.activities)) == (entry(1).at, {A.value, B.value})
    history.close()
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (3,)
        assert database.execute("SELECT COUNT(*) FROM block").fetchone() == (1,)
