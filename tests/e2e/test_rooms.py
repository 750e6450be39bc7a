"""Rooms for real life: passwords, public tables, and computer players in processes of their own.

Real processes, a real server, real WebRTC. Slow by nature: `make e2e`.
"""

import json
import os
import pty
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core import ROOT
from tests.e2e.programs import Place, Program, left_behind, place
from tests.e2e.test_programs import one_sentence, p2pokey

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path) as made:
        yield made


def start(here: Place, command: str, *words: str | Path, name: str, mark: str = "") -> Program:
    """A player who leaves everything below the folder."""
    shared = ["--auto", "--guest", "--json-progress", "--server", here.url, "--name", name]
    return here.start(command, *words, *shared, "--out", here.folder / "out" / name, mark=mark)


def ended_well(*players: Program) -> None:
    codes = [player.end() for player in players]
    assert codes == [0] * len(players), [player.error for player in players]
    assert len({tuple(player.of("HandCounted")[-1]["totals"]) for player in players}) == 1


def journals(here: Place) -> list[Path]:
    return list((here.folder / "home" / "state" / "journals").iterdir())


def test_a_host_plays_with_bots_of_its_own(here: Place):
    here.serve()
    mark = uuid.uuid4().hex
    host = start(here, "host", "--bots", "3", "--hands", "1", name="Ayse", mark=mark)
    names = host.wait_for("Connected")["names"]
    assert names[0] == "Ayse"
    assert sorted(names[1:]) == [f"Ayse's bot {bot}" for bot in ("Bilge", "Usta", "Zeki")]
    # Nobody else on this computer can read what lets them in.
    programs = [line for line in left_behind(mark, within=0) if "--bot " in line]
    link = host.of("Invited")[0]["link"]
    assert len(programs) == 3
    assert not any(link.split("#")[1] in line or "://" in line for line in programs)
    ended_well(host)
    assert left_behind(mark) == []
    assert journals(here) == []
    [file] = (here.folder / "out" / "Ayse").glob("**/hand-*.jsonl")
    assert p2pokey("audit", file, folder=here.folder).returncode == 0


def test_bots_come_back_with_a_host_that_was_killed(here: Place):
    here.serve()
    mark = uuid.uuid4().hex
    host = start(here, "host", "--bots", "3", "--hands", "1", name="Ayse", mark=mark)
    host.wait_for("MoveMade")
    host.send(signal.SIGKILL)
    host.process.wait()
    assert left_behind(mark) == []  # bots end with their host
    again = here.start("resume", "--json-progress", mark=mark)
    again.wait_for("HandCounted", timeout=120)
    assert again.end() == 0, again.error
    assert left_behind(mark) == []
    assert journals(here) == []


def test_a_table_with_a_password(here: Place, monkeypatch: pytest.MonkeyPatch):
    here.serve()
    monkeypatch.setenv("P2POKEY_PASSWORD", "çay bardağı")
    host = start(here, "host", "--rules", "duel", "--hands", "1", "--password", name="Ayse")
    code = host.wait_for("Invited")["code"]
    monkeypatch.delenv("P2POKEY_PASSWORD")
    without = start(here, "join", code, name="Eve")
    assert without.end() == 5
    assert "asks for a password besides the code" in one_sentence(without.error)
    monkeypatch.setenv("P2POKEY_PASSWORD", "kahve")
    wrong = start(here, "join", code, "--password", name="Eve")
    assert wrong.end() == 5
    assert "code or the password does not fit" in one_sentence(wrong.error)
    monkeypatch.setenv("P2POKEY_PASSWORD", "çay bardağı")
    guest = start(here, "join", code, "--password", name="Baran")
    ended_well(host, guest)
    tried = [record for record in host.of("Meeting") if record["phase"] == "wrong-code"]
    assert len(tried) == 1, "who came without a password has guessed at nothing"


def test_a_public_table_is_found_and_joined_without_a_code(here: Place):
    here.serve()
    words = ["--rules", "duel", "--hands", "1", "--public", "Çay ve okey", "--accept-all"]
    host = start(here, "host", *words, name="Ayse")
    host.wait_for("Invited")
    listed = p2pokey("tables", "--json", "--server", here.url, folder=here.folder)
    [table] = json.loads(listed.stdout)["tables"]
    assert (table["title"], table["rules"], table["free"]) == ("Çay ve okey", "duel", 1)
    shown = p2pokey("tables", "--server", here.url, folder=here.folder)
    assert table["room"] in shown.stdout
    assert "does not protect you against the signalling server" in shown.stderr
    guest = start(here, "join", table["room"], "--public", name="Baran")
    ended_well(host, guest)
    assert "Compare the safety words" in host.error
    assert "Compare the safety words" in guest.error
    empty = p2pokey("tables", "--json", "--server", here.url, folder=here.folder)
    assert json.loads(empty.stdout)["tables"] == []


def test_a_friend_with_another_key_is_noted(tmp_path: Path):
    """Baran comes to two tables of Ayse, the second time with another identity."""
    places = [tmp_path / name for name in ("ayse", "baran", "other")]
    for folder in places:
        folder.mkdir()
    with place(places[0]) as host_place, place(places[1]) as known, place(places[2]) as strange:
        host_place.serve()
        noted = []
        for guest_place in (known, known, strange):
            guest_place.url = host_place.url
            words = ["--rules", "duel", "--hands", "1"]
            host = identified(host_place, "host", *words, name="Ayse")
            code = host.wait_for("Invited")["code"]
            guest = identified(guest_place, "join", code, name="Baran")
            ended_well(host, guest)
            noted.append([record["text"] for record in host.of("KeyNoted")])
            assert guest.of("KeyNoted") == []
        assert noted[:2] == [[], []]
        (text,) = noted[2]
        assert text.startswith("Baran comes with another key than before")
        assert "p2pokey contacts accept Baran" in text
        listed = p2pokey("contacts", "list", "--json", folder=host_place.folder)
        (contact,) = json.loads(listed.stdout)["contacts"]
        assert contact["name"] == "Baran"
        assert contact["new_key"] not in (None, contact["key"])


def identified(here: Place, command: str, *words: str, name: str) -> Program:
    """A player with the stored identity of that place."""
    shared = ["--auto", "--json-progress", "--server", here.url, "--name", name]
    return here.start(command, *words, *shared, "--out", here.folder / "out")


class AtTerminal:
    """A host whose standard input is a terminal; reports as lines of JSON all the same."""

    def __init__(self, here: Place, *words: str):
        self._typing, terminal = pty.openpty()
        self._errors = (here.folder / "errors").open("w+b")
        shared = ["--auto", "--guest", "--json-progress", "--server", here.url, "--name", "Ayse"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "p2pokey", "host", *words, *shared],
            cwd=here.folder,
            env={
                **os.environ,
                "P2POKEY_HOME": str(here.folder / "home"),
                "PYTHONPATH": str(ROOT),
            },
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        os.close(terminal)

    def type(self, text: str) -> None:
        os.write(self._typing, text.encode())

    def wait_for(self, event: str, **fields: object) -> dict[str, object]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            record = json.loads(line)
            if record["event"] == event and fields.items() <= record.items():
                return record
        raise AssertionError(self.said())

    def wait_for_question(self, text: str) -> None:
        until = time.monotonic() + 60
        while text not in self.said():
            assert time.monotonic() < until, self.said()
            time.sleep(0.05)

    def said(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()
        os.close(self._typing)


def test_a_host_at_a_terminal_opens_the_window_again_and_lets_guests_in_by_hand(here: Place):
    here.serve()
    words = ["--rules", "duel", "--hands", "1", "--public", "Okey", "--window", "2"]
    host = AtTerminal(here, *words)
    try:
        code = str(host.wait_for("Invited")["code"])
        host.wait_for("Meeting", phase="window-closed")
        late = start(here, "join", code, name="Baran")
        assert late.end() == 5
        assert "lets nobody in any more" in one_sentence(late.error)
        host.wait_for_question("Press Enter to let people in for another 2 s")
        host.type("\n")
        host.wait_for("Meeting", phase="window-open")
        host.wait_for("Meeting", phase="window-closed")
        host.type("\n")
        host.wait_for("Meeting", phase="window-open")
    finally:
        host.close()

    host = AtTerminal(here, *words[:-2])
    try:
        room = str(host.wait_for("Invited")["code"])[:5]
        unwanted = start(here, "join", room, "--public", name="Eve")
        host.wait_for_question("Eve (key ")
        host.type("n\n")
        assert unwanted.end() == 5
        assert "The host has not let you in." in unwanted.error
        guest = start(here, "join", room, "--public", name="Baran")
        host.wait_for_question("Baran (key ")
        host.type("y\n")
        assert host.wait_for("Connected")["names"] == ["Ayse", "Baran"]
        host.wait_for("HandCounted")
        assert (guest.end(), host.process.wait(60)) == (0, 0)
    finally:
        host.close()
