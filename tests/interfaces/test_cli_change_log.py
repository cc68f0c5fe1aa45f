"""The log of a memory that follows its notes: what is newly wrong, once."""

from __future__ import annotations

import pytest

from synapse.interfaces.cli.change_log import ChangeLog
from synapse.interfaces.cli.hosting import Ingest
from synapse.notes.note import Diagnostic
from synapse.usecases.answers import SyncReport, WriteBackReport

OLD = Diagnostic("old.md", 3, "link-unresolved", "warning", "no file is named 'a' yet")
NEW = Diagnostic("notas/ñandú.md", 7, "link-unresolved", "warning", "no file is named 'b' yet")


def done(*found: Diagnostic, indexed: int = 1) -> Ingest:
    return Ingest(SyncReport(2, indexed, 1, 0, 0, found, 10, 2, 0, 0, 0.01))


def told(log: ChangeLog, capsys: pytest.CaptureFixture[str], round: Ingest) -> list[str]:
    log.tell(round)
    return capsys.readouterr().err.splitlines()


def test_a_new_diagnostic_is_a_line_with_its_place_and_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = ChangeLog()
    log.begin(done(OLD))
    lines = told(log, capsys, done(OLD, NEW))
    assert len(lines) == 2 and "1 indexed" in lines[0]
    assert lines[1] == "notas/ñandú.md:7: warning: no file is named 'b' yet [link-unresolved]"
    moved = Diagnostic(NEW.path, 9, NEW.code, NEW.severity, f"{NEW.message}; did you mean bb?")
    assert len(told(log, capsys, done(OLD, moved))) == 1


def test_what_was_mended_and_comes_back_is_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    log = ChangeLog()
    log.begin(done(NEW))
    assert len(told(log, capsys, done())) == 1
    assert len(told(log, capsys, done(NEW))) == 2


def test_a_round_without_changes_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    log = ChangeLog()
    log.begin(done(OLD))
    assert told(log, capsys, done(OLD, indexed=0)) == []


def test_a_round_before_the_first_report_repeats_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    log = ChangeLog()
    assert len(told(log, capsys, done(OLD))) == 1
    log.begin(done(OLD))
    assert len(told(log, capsys, done(OLD, NEW))) == 2


def test_notes_that_change_because_an_agent_wrote_are_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    log = ChangeLog()
    log.begin(done(OLD))
    round = Ingest(done(OLD, indexed=0).sync, WriteBackReport(("a.md", "b.md"), 3))
    (line,) = told(log, capsys, round)
    assert line.endswith("  2 notes written back")


def test_a_section_that_stays_as_it_is_is_told_like_any_other_diagnostic(
    capsys: pytest.CaptureFixture[str],
) -> None:
    edited = Diagnostic("b.md", 6, "section-edited", "warning", "somebody wrote into the managed section")
    damaged = Diagnostic("c.md", 2, "section-damaged", "error", "no end")
    again = Diagnostic("c.md", 2, "section-damaged", "warning", "no end; mend them")
    log = ChangeLog()
    log.begin(done())
    round = Ingest(done(damaged, indexed=0).sync, WriteBackReport((), 3, (edited, again)))
    assert told(log, capsys, round) == [
        "c.md:2: error: no end [section-damaged]",
        "b.md:6: warning: somebody wrote into the managed section [section-edited]",
    ]
    assert told(log, capsys, round) == []
