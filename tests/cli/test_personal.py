"""`p2pokey id`, `contacts` and `stats` as a person meets them."""

import io
import json
from pathlib import Path

import pytest

from p2pokey.cli.exits import ExitCode
from p2pokey.cli.friends import greet
from p2pokey.native.profile import find_dirs
from tests.cli.test_resuming import make


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("P2POKEY_HOME", str(tmp_path))
    monkeypatch.delenv("P2POKEY_PASSPHRASE", raising=False)
    return tmp_path


def key_of(run) -> str:
    return json.loads(run("id", "show", "--json").out)["key"]


def test_the_first_look_makes_a_key_that_stays(run):
    assert key_of(run) == key_of(run)
    assert f"key   {key_of(run)}" in run("id", "show").out


def test_a_kept_name(run):
    assert run("id", "name", "Ayşe").code == ExitCode.OK

    assert json.loads(run("id", "show", "--json").out)["name"] == "Ayşe"


@pytest.mark.parametrize("name", ["", "a" * 33, "a\u202eb", " a"])
def test_a_name_that_cannot_be_shown(run, name: str):
    ran = run("id", "name", name)

    assert ran.code == ExitCode.USAGE
    assert "cannot be shown" in ran.err


def test_a_new_key_puts_the_old_one_aside(run, home: Path):
    old = key_of(run)
    ran = run("id", "new", "--yes")

    assert ran.code == ExitCode.OK
    assert key_of(run) != old
    assert (home / "data" / f"identity-{old[:16]}.key").exists()
    assert f"identity-{old[:16]}.key" in ran.err


def test_a_key_goes_to_another_computer(run, home: Path, monkeypatch: pytest.MonkeyPatch):
    old, file = key_of(run), home / "me.p12"
    monkeypatch.setenv("P2POKEY_PASSPHRASE", "long enough")
    assert run("id", "export", file).code == ExitCode.OK
    assert file.stat().st_mode & 0o077 == 0

    monkeypatch.setenv("P2POKEY_HOME", str(home / "other"))
    monkeypatch.setenv("P2POKEY_PASSPHRASE", "long enougH")
    ran = run("id", "import", file)
    assert ran.code == ExitCode.UNREADABLE
    assert "does not open" in ran.err
    monkeypatch.setenv("P2POKEY_PASSPHRASE", "long enough")
    assert run("id", "import", file).code == ExitCode.OK
    assert key_of(run) == old
    assert "already" in run("id", "import", file).err


def test_a_short_passphrase_is_refused(run, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("P2POKEY_PASSPHRASE", "short")
    ran = run("id", "export", home / "me.p12")

    assert ran.code == ExitCode.USAGE
    assert not (home / "me.p12").exists()


def test_without_a_terminal_nothing_is_asked(run, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("long enough\nlong enough\n"))
    ran = run("id", "export", home / "me.p12")
    assert ran.code == ExitCode.USAGE
    assert ran.err.splitlines() == [
        "error: There is no terminal to ask for the passphrase.",
        "Put it into the environment as P2POKEY_PASSPHRASE, or add --no-passphrase.",
    ]
    monkeypatch.setenv("P2POKEY_PASSPHRASE", "long enough")
    assert run("id", "export", home / "me.p12").code == ExitCode.OK
    monkeypatch.delenv("P2POKEY_PASSPHRASE")
    ran = run("id", "import", home / "me.p12")
    assert ran.code == ExitCode.USAGE
    assert "P2POKEY_PASSPHRASE" in ran.err
    old = key_of(run)
    ran = run("id", "new")
    assert ran.code == ExitCode.USAGE
    assert "--yes" in ran.err
    assert key_of(run) == old


def test_a_file_is_never_replaced(run, home: Path):
    (home / "me.p12").write_text("mine")
    ran = run("id", "export", "--no-passphrase", home / "me.p12")

    assert ran.code == ExitCode.USAGE
    assert (home / "me.p12").read_text() == "mine"


def test_a_key_is_not_changed_at_a_table(run, home: Path):
    old = key_of(run)
    run("id", "export", "--no-passphrase", home / "me.p12")
    make(home / "state" / "journals")
    for command in (("new", "--yes"), ("import", home / "me.p12", "--yes")):
        ran = run("id", *command)
        assert ran.code == ExitCode.IN_USE
        assert "p2pokey resume" in ran.err
    assert key_of(run) == old


@pytest.mark.parametrize(
    "text", ["", "rubbish", "p2pokey-identity 0 zz\n", "p2pokey-identity 0 00"]
)
def test_a_damaged_key_is_told_and_left(run, home: Path, text: str):
    (home / "data").mkdir()
    (home / "data" / "identity.key").write_text(text)
    for command in (("show",), ("new", "--yes"), ("export", home / "x.p12")):
        ran = run("id", *command)
        assert ran.code == ExitCode.ERROR
        assert "move it away" in ran.err
    assert (home / "data" / "identity.key").read_text() == text


def test_friends_are_greeted_and_remembered(run):
    dirs, first, second = find_dirs().contacts, bytes([1] * 32), bytes([2] * 32)
    assert greet(dirs, [("Bora", first)]) == []
    assert greet(dirs, [("Bora", first)]) == []
    warning = greet(dirs, [("Bora", second)])
    assert len(warning) == 1
    assert "another key" in warning[0]
    assert "p2pokey contacts accept Bora" in warning[0]
    assert "you know as Bora" in greet(dirs, [("Can", first)])[0]

    rows = json.loads(run("contacts", "list", "--json").out)["contacts"]
    assert [(row["name"], row["key"], row["new_key"]) for row in rows] == [
        ("Bora", first.hex(), second.hex())
    ]
    assert run("contacts", "accept", "Bora").code == ExitCode.OK
    assert greet(dirs, [("Bora", second)]) == []
    assert run("contacts", "forget", "Bora").code == ExitCode.OK
    assert run("contacts", "forget", "Bora").code == ExitCode.USAGE
    assert run("contacts", "accept", "Bora").code == ExitCode.USAGE


def test_a_damaged_list_keeps_nobody_from_playing(run, home: Path):
    (home / "data").mkdir()
    (home / "data" / "contacts.json").write_text("{")

    assert "move it away" in greet(find_dirs().contacts, [("Bora", bytes(32))])[0]
    assert run("contacts", "list").code == ExitCode.ERROR


def test_hands_are_added_up(run, home: Path, transcript: bytes):
    roster = json.loads(transcript.splitlines()[0])["roster"]
    hands = home / "data" / "hands"
    hands.mkdir(parents=True)
    for name in ("a", "again"):
        (hands / f"{name}.jsonl").write_bytes(transcript)
    (hands / "cut.jsonl").write_bytes(transcript[:-700])
    (hands / "edited.jsonl").write_bytes(transcript.replace(b'"seq":0', b'"seq":1', 1))
    (hands / "else.jsonl").write_text("no transcript")
    greet(find_dirs().contacts, [("Bora", bytes.fromhex(roster[1]))])

    sums = json.loads(run("stats", "--json", "--key", roster[0]).out)
    assert sums["rules"]["classic"]["hands"] == 1
    assert sums["skipped"] == {"no score": 2, "unreadable": 1, "twice": 1, "again": 0}
    assert len(sums["players"]) == 3
    assert {player["name"] for player in sums["players"]} == {"Bora", None}
    won = [
        json.loads(run("stats", "--json", "--key", key).out)["rules"]["classic"]["hands_won"]
        for key in roster
    ]
    assert 1 <= sum(won) <= 4
    shown = run("stats", hands, "--key", roster[0]).out
    assert "classic" in shown
    assert "with Bora" in shown


def test_hands_of_others_are_left_out(run, home: Path, transcript: bytes):
    (home / "hand.jsonl").write_bytes(transcript)
    shown = run("stats", home).out

    assert "No hand of yours yet." in shown
    assert "left out, of other players: 1" in shown


@pytest.mark.parametrize("key", ["", "zz", "00" * 31])
def test_a_key_that_is_none(run, key: str):
    assert run("stats", "--key", key).code == ExitCode.USAGE
