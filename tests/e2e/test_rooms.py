"""Rooms for real life: passwords, public tables, and computer players in processes of their own.

Real processes, a real server, real WebRTC. Slow by nature: `make e2e`.
"""

import json
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    assert sorted(names[1:]) == [
        f"{bot} (computer, run by Ayse)" for bot in ("Bilge", "Deniz", "Zeki")
    ]
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
    assert len(tried) == 2


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
