"""`p2pokey resume`: which table it takes, and what it says when there is none."""

import dataclasses
from pathlib import Path

import pytest

from p2pokey.cli import resuming
from p2pokey.cli.exits import CommandError, ExitCode
from p2pokey.cli.resuming import open_table
from p2pokey.errors import ConnectError
from p2pokey.native.identity import Ed25519Signer
from p2pokey.peer.table_journal import TableJournal
from tests.peer.test_resume import PERSON, membership


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where journals are."""
    monkeypatch.setenv("P2POKEY_HOME", str(tmp_path))
    return tmp_path / "state" / "journals"


def make(home: Path, seat: int = 1) -> Path:
    journal = TableJournal.create(home, membership(seat), PERSON)
    journal.close()
    return journal.folder


def refusal(parent: Path) -> CommandError:
    with pytest.raises(CommandError) as caught:
        open_table(parent)
    return caught.value


def test_nothing_to_resume(home: Path, run):
    ran = run("resume")

    assert ran.code == ExitCode.NOTHING_TO_RESUME
    assert "There is no table to come back to." in ran.err


def test_a_folder_that_is_not_there(home: Path, run):
    assert run("resume", home / "nowhere").code == ExitCode.NOTHING_TO_RESUME


def test_the_only_table_is_taken(home: Path):
    folder = make(home)
    for parent in (home, folder):
        table = open_table(parent)
        assert table.membership == membership()
        table.close()


def test_of_several_one_has_to_be_named(home: Path):
    folders = [make(home, seat) for seat in (1, 2)]
    error = refusal(home)

    assert error.code is ExitCode.USAGE
    assert all(str(folder) in error.advice for folder in folders)
    assert "Bora with Ay\u015fe, Can, Derya" in error.advice
    table = open_table(folders[0])
    table.close()


def two_tables(home: Path) -> tuple[Path, Path]:
    """Of the same players: the program was killed on the way from one to the other."""
    old = make(home)
    person = dataclasses.replace(PERSON, before=old.name)
    journal = TableJournal.create(home, membership(2), person)
    journal.close()
    return old, journal.folder


def test_of_two_tables_of_the_same_players_the_newer_one_is_taken(home: Path):
    old, new = two_tables(home)
    for parent, expected in ((home, new), (old, old)):
        table = open_table(parent)
        assert table.folder == expected
        table.close()


def test_if_nobody_is_at_the_newer_one_it_goes_back_to_the_other(
    home: Path, run, monkeypatch: pytest.MonkeyPatch
):
    tried = []

    async def come_back(diary: TableJournal, *_: object, **__: object) -> None:
        tried.append(diary.folder)
        diary.close()
        if diary.person.before:
            raise ConnectError("Nobody of that table can be reached.")

    monkeypatch.setattr(resuming, "_come_back", come_back)
    monkeypatch.setattr(resuming, "_signer", lambda diary: Ed25519Signer(bytes(32)))
    monkeypatch.setattr(resuming, "ready_folder", lambda path: path)
    old, new = two_tables(home)
    ran = run("resume")

    assert ran.code == ExitCode.OK
    assert tried == [new, old]
    assert "back to the one before it" in ran.err


def test_a_table_that_another_program_has_is_left_alone(home: Path, run):
    make(home)
    table = open_table(home)
    ran = run("resume")
    assert ran.code == ExitCode.IN_USE
    assert "Another program is at that table already." in ran.err
    other = make(home, 3)
    free = open_table(home)
    assert free.folder == other
    free.close()
    table.close()


def test_a_table_whose_journal_is_lost(home: Path, run):
    path = make(home) / "table.journal"
    path.write_bytes(path.read_bytes()[:30])
    ran = run("resume")

    assert ran.code == ExitCode.NOTHING_TO_RESUME
    assert "has lost its beginning" in ran.err


def test_another_identity_key_cannot_take_the_seat(home: Path, run, tmp_path: Path):
    person = PERSON.__class__(
        **{name: getattr(PERSON, name) for name in PERSON.__slots__} | {"guest_secret": None}
    )
    TableJournal.create(home, membership(), person).close()
    ran = run("resume")

    assert ran.code == ExitCode.NOTHING_TO_RESUME
    assert "another identity key" in ran.err


def test_a_server_that_is_not_there(home: Path, run, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    person = dataclasses.replace(PERSON, guest_secret=bytes([2]) * 32)  # of seat 1
    TableJournal.create(home, membership(), person).close()
    ran = run("resume")

    assert ran.code == ExitCode.NO_CONNECTION
    assert "cannot be reached" in ran.err
    open_table(home).close()
