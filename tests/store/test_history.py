"""The history: durable, in order, and the truth about since when a fact is known."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Triple

from synapse.errors import StoreError
from synapse.rdf.delta import Delta
from synapse.store.history import Entry, History

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
    with pytest.raises(StoreError, match="format 0, and this synapse reads format 2"):
        History(file)
    with closing(sqlite3.connect(file)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master")]
    assert tables == ["activity"]
