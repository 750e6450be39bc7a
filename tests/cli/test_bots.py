"""Computer players of a host: their tickets, and that none of them outlives its host."""

import os
import stat
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from p2pokey.cli import bots
from p2pokey.cli.bots import Bots, bot_folder, new_ticket, read_ticket
from p2pokey.cli.exits import CommandError
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.native.journal import release_lock, take_lock
from p2pokey.table.roster import Roster, RosterSeat, verify_runner

RUNNER = Ed25519Signer(bytes([7]) * 32)
LINK = "p2pokey://okey.example/K7Q2M#AAECAwQFBgcICQoLDA0ODw"


def make_ticket():
    return new_ticket(RUNNER, LINK, "masa")


def read_from(data):
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    try:
        return read_ticket(reading), os.read(reading, 100)
    finally:
        os.close(reading)


def test_a_ticket_arrives_and_takes_no_byte_more():
    ticket = make_ticket()
    got, rest = read_from(ticket.encode() + b"rest")

    assert got == ticket
    assert rest == b"rest"
    assert (got.invite.room, got.password) == ("K7Q2M", "masa")
    key = got.signer.public_key
    verify_runner(key, RUNNER.public_key, got.signature, Ed25519Verifier())


def test_every_bot_has_a_key_of_its_own():
    assert make_ticket().secret != make_ticket().secret


def test_secrets_are_not_shown():
    shown = repr(make_ticket())
    assert "secret" not in shown
    assert "masa" not in shown
    assert "AAECAw" not in shown


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b"[]\n", b"\xff\n", b"1" * 9000, make_ticket().encode()[:-20]]
)
def test_what_is_no_ticket_is_refused_in_one_sentence(data):
    with pytest.raises(CommandError, match="ticket on standard input"):
        read_from(data)


class Started:
    """In place of `subprocess.Popen`: a program that waits for the end of its standard input."""

    script = "import sys; sys.stdin.buffer.read()"

    def __init__(self, monkeypatch):
        self.calls = []
        self.processes = []
        self._popen = subprocess.Popen
        monkeypatch.setattr(bots.subprocess, "Popen", self)

    def __call__(self, arguments, **options):
        self.calls.append(arguments[3:])
        process = self._popen([sys.executable, "-c", self.script], **options)
        self.processes.append(process)
        return process


@contextmanager
def stopped(state):
    """Bots of a host who is interrupted at the end of the block."""
    with suppress(KeyboardInterrupt), Bots(state=state) as running:
        yield running
        raise KeyboardInterrupt


@pytest.fixture
def started(monkeypatch):
    return Started(monkeypatch)


def test_nothing_secret_is_among_the_arguments(started, tmp_path):
    ticket = make_ticket()
    with stopped(tmp_path) as running:
        running.join("Zeki", ticket, ("--patience", "5"))
    [arguments] = started.calls
    line = " ".join(arguments)

    assert arguments[:3] == ["join", "-", "--bot"]
    assert "--exit-with-stdin" in arguments
    for secret in (ticket.link, "AAECAw", "masa", ticket.secret.hex()):
        assert secret not in line


def test_bots_end_with_their_host_whatever_ends_it(started, tmp_path):
    with stopped(tmp_path) as running:
        running.join("Zeki", make_ticket())
        running.join("Deniz", make_ticket())

    assert [process.poll() for process in started.processes] == [0, 0]


def test_a_bots_folder_is_private_and_goes_when_its_table_is_over(started, tmp_path):
    started.script = "import sys; sys.stdin.buffer.readline()"
    ticket = make_ticket()
    folder = bot_folder(tmp_path, ticket.signer.public_key)
    with Bots(state=tmp_path) as running:
        running.join("Zeki", ticket)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_the_folder_of_a_bot_that_was_stopped_stays(started, tmp_path):
    started.script = "import sys; sys.stdin.buffer.read(); sys.exit(143)"
    ticket = make_ticket()
    with stopped(tmp_path) as running:
        running.join("Zeki", ticket)
    assert bot_folder(tmp_path, ticket.signer.public_key).exists()


def make_roster(*bot_keys):
    host = RosterSeat(
        public_key=RUNNER.public_key,
        runner=RUNNER.public_key,
        nonce_commit=bytes(32),
        name="Ayşe",
    )
    seats = [host]
    for index, (key, runner) in enumerate(bot_keys):
        seats.append(
            RosterSeat(public_key=key, runner=runner, nonce_commit=bytes(32), name=f"B{index}")
        )
    return Roster(room="K7Q2M", epoch=1, rules=b"{}", seats=tuple(seats))


def test_a_host_who_comes_back_brings_its_own_bots_back(started, tmp_path):
    keys = [bytes([index]) * 32 for index in range(1, 4)]
    for key in keys[:2]:
        (bot_folder(tmp_path, key) / "tables").mkdir(parents=True)
    mine, other = RUNNER.public_key, bytes([9]) * 32
    roster = make_roster((keys[0], mine), (keys[1], other), (keys[2], mine))
    with stopped(tmp_path) as running:
        assert running.come_back(roster, mine) == 1
        running._starting[0].join()

    tables = str(bot_folder(tmp_path, keys[0]) / "tables")
    [arguments] = started.calls
    assert arguments[:4] == ["resume", tables, "-q", "--exit-with-stdin"]


def test_a_bot_comes_back_when_its_process_of_before_has_gone(started, tmp_path, monkeypatch):
    monkeypatch.setattr(bots, "_PAUSE_SECONDS", 0.01)
    key = bytes([1]) * 32
    table = bot_folder(tmp_path, key) / "tables" / "t"
    table.mkdir(parents=True)
    journal = table / "table.journal"
    journal.touch()
    lock = take_lock(journal)
    with stopped(tmp_path) as running:
        running.come_back(make_roster((key, RUNNER.public_key)), RUNNER.public_key)
        running._starting[0].join(0.05)
        assert started.calls == []
        release_lock(journal, lock, remove=False)
        running._starting[0].join()
        assert len(started.calls) == 1
