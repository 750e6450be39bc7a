"""A demo's folder, and whether its audit is about its own hand."""

from pathlib import Path

import pytest

from p2pokey.cli.auditing import audit_file
from p2pokey.cli.course import Course
from p2pokey.cli.demo import Demo
from p2pokey.cli.exits import CommandError
from p2pokey.cli.folders import remove_transcripts, sole_use
from p2pokey.cli.output import Output
from p2pokey.crypto.group import Group
from p2pokey.net.words import words_at
from p2pokey.table.roster import safety_numbers
from tests.sim.cheap_group import CheapBackend


def test_a_folder_takes_one_demo_at_a_time(run, tmp_path: Path):
    kept = tmp_path / "hand-001-seat-1.jsonl"
    kept.touch()
    with sole_use(tmp_path):
        ran = run("demo", "--out", tmp_path)
    with sole_use(tmp_path):
        pass

    assert ran.code == 2
    assert "Another demo is using the folder" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert kept.exists()


def test_only_earlier_transcripts_are_removed(tmp_path: Path):
    for name in ("hand-001-seat-1.jsonl", "hand-002-seat-4.jsonl", "trace.jsonl"):
        (tmp_path / name).touch()

    with pytest.raises(CommandError):
        remove_transcripts(tmp_path, are_a_demos=False)
    assert remove_transcripts(tmp_path, are_a_demos=True) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["trace.jsonl"]


@pytest.mark.parametrize("change", ["nothing", "session", "score"])
def test_the_audited_hand_is_the_one_that_was_reported(
    tmp_path: Path, transcript: bytes, change: str, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "hand-001-seat-1.jsonl"
    path.write_bytes(transcript)
    group = Group(CheapBackend())
    report = audit_file(path, group=group).report
    assert report.setup is not None
    assert report.points is not None
    assert report.totals is not None
    session = bytes(32) if change == "session" else report.setup.session
    course = Course(len(report.points))
    for seat in range(course.players):
        words = words_at(safety_numbers(session))
        name = str(seat)
        connected = {"event": "Connected", "at": 0.0, "seat": seat, "names": []}
        course.take(name, {**connected, "safety_words": words})
        points = [point + (change == "score") for point in report.points]
        counted = {"event": "HandCounted", "hand": report.setup.hand, "transcript": str(path)}
        course.take(name, {**counted, "points": points, "totals": list(report.totals)})
    demo = Demo(
        output=Output(),
        rules="classic",
        options=(),
        hands=1,
        out=tmp_path,
        seed=None,
        backend="auto",
        course=course,
    )

    assert demo.judge(group) == (0 if change == "nothing" else 3)
    assert ("another session or score" in capsys.readouterr().out) is (change != "nothing")


def test_a_trace_that_cannot_be_written_is_refused_before_anything_starts(run, tmp_path: Path):
    ran = run("demo", "--out", tmp_path / "out", "--trace", tmp_path / "no" / "x")

    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert not list((tmp_path / "out").glob("*.jsonl"))
