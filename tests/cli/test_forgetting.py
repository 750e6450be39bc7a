"""`p2pokey resume --forget`: a table that nobody comes back to leaves its transcripts and no more."""

import dataclasses
from pathlib import Path

import pytest

from p2pokey.cli import resuming
from p2pokey.cli.exits import ExitCode
from p2pokey.cli.resuming import open_table
from p2pokey.errors import ConnectError
from p2pokey.native.identity import Ed25519Signer
from p2pokey.native.journal import Record, RecordKind
from p2pokey.peer.saving import begin_journal
from p2pokey.peer.table_journal import TableJournal
from p2pokey.tiles import Seat
from p2pokey.transcript.file import decode_line
from p2pokey.transcript.setup import decode_header
from tests.peer.test_resume import PERSON, membership


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where journals are."""
    monkeypatch.setenv("P2POKEY_HOME", str(tmp_path))
    return tmp_path / "state" / "journals"


def make(home: Path, seat: int = 1) -> Path:
    person = dataclasses.replace(PERSON, out=home.parent / f"out-{seat}")
    journal = TableJournal.create(home, membership(seat), person)
    journal.close()
    return journal.folder


def test_a_hand_that_did_not_end_becomes_a_transcript(home: Path, run, cheap, transcript: bytes):
    folder, (header, *lines) = make(home), transcript.splitlines()
    envelopes = [decode_line(line).encoded for line in lines[:60]]
    journal = begin_journal(
        folder, setup=decode_header(header), seat=Seat(1), seed=bytes(32), used_keys=frozenset()
    )
    journal.append(Record(kind=RecordKind.ENVELOPE, payload=data) for data in envelopes)
    journal.close()
    ran = run("resume", "--forget")

    assert ran.code == ExitCode.OK, ran.err
    assert list(home.iterdir()) == []
    (file,) = (home.parent / "out-1").glob("*.jsonl")
    assert file.read_bytes() == b"\n".join([header, *lines[:60]]) + b"\n"
    assert str(file) in ran.err
    assert run("audit", file).code == ExitCode.UNREADABLE  # not whole, and nobody is accused


def test_a_transcript_that_there_is_stays_as_it_is(home: Path, run, transcript: bytes):
    folder, header = make(home), transcript.splitlines()[0]
    setup = decode_header(header)
    journal = begin_journal(
        folder, setup=setup, seat=Seat(1), seed=bytes(32), used_keys=frozenset()
    )
    envelope = decode_line(transcript.splitlines()[1]).encoded
    journal.append([Record(kind=RecordKind.ENVELOPE, payload=envelope)])
    journal.close()
    kept = home.parent / "out-1" / f"hand-{setup.hand + 1:03}-seat-2.jsonl"
    kept.parent.mkdir()
    kept.write_bytes(b"whole")
    assert run("resume", "--forget").code == ExitCode.OK
    assert kept.read_bytes() == b"whole"


def test_of_several_one_has_to_be_named(home: Path, run):
    one, other = make(home, 1), make(home, 2)
    ran = run("resume", "--forget")
    assert ran.code == ExitCode.USAGE
    assert f"p2pokey resume --forget {one}" in ran.err

    assert run("resume", "--forget", one).code == ExitCode.OK
    assert list(home.iterdir()) == [other]


def test_a_program_at_the_table_keeps_it(home: Path, run):
    folder = make(home)
    table = open_table(home)
    for words in ([], [folder]):
        assert run("resume", "--forget", *words).code == ExitCode.IN_USE
    table.close()
    assert folder.is_dir()


def test_a_journal_that_is_lost_goes_only_by_name(home: Path, run):
    folder = make(home)
    path = folder / "table.journal"
    path.write_bytes(path.read_bytes()[:30])
    ran = run("resume", "--forget")
    assert ran.code == ExitCode.NOTHING_TO_RESUME
    assert str(folder) in ran.err
    assert run("resume", "--forget", folder).code == ExitCode.OK
    assert not folder.exists()
    assert run("resume", "--forget").code == ExitCode.NOTHING_TO_RESUME


def test_a_folder_that_is_no_table_stays(home: Path, run, tmp_path: Path):
    other = tmp_path / "holiday"
    other.mkdir()
    (other / "photo").write_bytes(b"x")
    assert run("resume", "--forget", other).code == ExitCode.NOTHING_TO_RESUME
    assert (other / "photo").exists()


def test_resume_says_how_to_give_a_dead_table_up(home: Path, run, monkeypatch: pytest.MonkeyPatch):
    async def come_back(diary: TableJournal, *_: object, **__: object) -> None:
        diary.close()
        raise ConnectError("Nobody of that table can be reached")

    monkeypatch.setattr(resuming, "_come_back", come_back)
    monkeypatch.setattr(resuming, "_signer", lambda diary: Ed25519Signer(bytes(32)))
    folder = make(home)
    ran = run("resume")

    assert ran.code == ExitCode.NO_CONNECTION
    assert "Nobody of that table can be reached." in ran.err
    assert f"p2pokey resume --forget {folder}" in ran.err
    assert folder.is_dir()
