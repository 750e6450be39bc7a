"""The programs as people run them: separate processes, a real server, real WebRTC.

Slow by nature: `make e2e`.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from p2pokey.cli.tracing import NewHand, hands_in, read_trace
from p2pokey.net.words import WORDS
from tests.core import ROOT
from tests.e2e.programs import Place, Program, in_seat_order, left_behind, place

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(420)]

NOTICED_S = 40
"""A vanished peer is noticed after 15 s; then the others say goodbye."""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path) as made:
        yield made


def p2pokey(
    *arguments: str | Path, folder: Path, timeout: float = 400
) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    return subprocess.run(
        [sys.executable, "-m", "p2pokey", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "P2POKEY_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def one_sentence(error: str) -> str:
    """What standard error says besides the log: one error line, perhaps with advice after it."""
    lines = error.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("error: ")]
    assert len(starts) == 1, error
    assert len(lines) - starts[0] <= 2, error
    assert "Traceback" not in error
    return lines[starts[0]].removeprefix("error: ")


# The demo ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("demo")
    arguments = ("demo", "--hands", "2", "--seed", "7", "--trace", "trace.jsonl")
    return folder, p2pokey(*arguments, folder=folder)


def transcripts(folder: Path, hand: int) -> list[Path]:
    return [folder / "p2pokey-demo" / f"hand-00{hand}-seat-{seat}.jsonl" for seat in (1, 2, 3, 4)]


def test_the_demo_plays_and_audits(demo):
    folder, ran = demo

    assert ran.returncode == 0, ran.stdout + ran.stderr
    phases = (
        "connected",
        "keys exchanged",
        "shuffled and verified",
        "dealt",
        "finished",
        "disclosed",
        "replayed",
        "counted",
    )
    places = [ran.stdout.index(phase) for phase in phases]
    assert places == sorted(places)
    assert "s after the mesh was up" in ran.stdout
    assert "sound" in ran.stdout
    assert len(list((folder / "p2pokey-demo").glob("*.jsonl"))) == 8


def test_all_four_write_the_same_bytes(demo):
    folder, _ = demo
    for hand in (1, 2):
        assert len({path.read_bytes() for path in transcripts(folder, hand)}) == 1


def test_the_demo_says_what_a_new_hand_consists_of(demo):
    folder, ran = demo
    records = read_trace(folder / "trace.jsonl")

    assert hands_in(records) == [0, 1]
    assert {record["seat"] for record in records} == {0, 1, 2, 3}
    assert max(r["at"] for r in records if r["what"] == "connected") == 0
    assert ran.stdout.count("What the new hand consists of") == 2
    for hand in (0, 1):
        new = NewHand(records, hand)
        steps = new.path()
        # Every seat builds its shuffle on the one before, so the path passes them in order; who
        # is late with checks may be its end before the last shuffle.
        proving = [step.seat for step in steps if step.parts.get("prove", 0) > 0]
        assert proving == sorted(proving)
        assert proving[0] == 0
        assert sum(step.seconds for step in steps) == pytest.approx(new.end - new.start)


@pytest.mark.parametrize(
    ("key", "arguments", "hands"),
    [
        ("duel", ["--hands", "2", "--option", "hands=3"], 2),
        ("101-progressive", ["--option", "partners=true"], 1),
        ("51-feeding", [], 1),
    ],
)
def test_other_games_are_played_and_audited(
    key: str, arguments: list[str], hands: int, tmp_path: Path
):
    ran = p2pokey("demo", "--rules", key, *arguments, folder=tmp_path)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"hand {hands} of session" in ran.stdout
    assert f", {key}: " in ran.stdout
    for hand in range(1, hands + 1):
        files = sorted((tmp_path / "p2pokey-demo").glob(f"hand-00{hand}-*.jsonl"))
        assert len(files) == (2 if key == "duel" else 4)
        assert len({path.read_bytes() for path in files}) == 1


@pytest.mark.parametrize("backend", ["libsodium", "python"])
@pytest.mark.parametrize("hand", [1, 2])
def test_both_backends_find_the_files_sound(demo, backend: str, hand: int):
    folder, _ = demo
    ran = p2pokey("audit", "--backend", backend, transcripts(folder, hand)[0], folder=folder)

    assert ran.returncode == 0, ran.stdout


def test_every_message_can_be_rebuilt(demo):
    folder, _ = demo
    ran = p2pokey("audit", "--json", "--recompute", *transcripts(folder, 2), folder=folder)
    report = json.loads(ran.stdout)

    assert ran.returncode == 0
    assert report["differences"] == []
    assert all(item["recomputed"] > item["proofs"] // 2 for item in report["files"])


def test_a_changed_file_is_found_out(demo, tmp_path: Path):
    folder, _ = demo
    lines = transcripts(folder, 1)[0].read_bytes().split(b"\n")
    for number, line in enumerate(lines):
        if b'"kind":"move"' in line and b"discard" in line:
            place = line.index(b'"body":"') + 300
            letter = b"A" if line[place : place + 1] != b"A" else b"B"
            lines[number] = line[:place] + letter + line[place + 1 :]
            break
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\n".join(lines))
    ran = p2pokey("audit", bad, folder=folder)

    assert ran.returncode == 3
    assert f"line {number + 1}" in ran.stdout


def test_the_seed_fixes_no_keys(demo):
    folder, _ = demo
    sessions = {
        json.loads(path.read_text().splitlines()[0])["session"] for path in transcripts(folder, 1)
    }
    again = folder / "again"
    again.mkdir()
    ran = p2pokey("demo", "--seed", "7", "-q", folder=again)
    header, commit = transcripts(again, 1)[0].read_text().splitlines()[:2]

    assert ran.returncode == 0, ran.stderr
    assert json.loads(header)["session"] not in sessions
    assert commit != transcripts(folder, 1)[0].read_text().splitlines()[1]


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_stopped_demo_leaves_no_program_behind(here: Place, how: signal.Signals, code: int):
    mark = uuid.uuid4().hex
    program = here.start("demo", mark=mark)
    while "shuffled" not in program.line():
        pass
    program.send(how)

    assert program.end(timeout=30) == code
    assert left_behind(mark) == []


def test_a_demo_whose_player_dies_ends_and_says_so(here: Place):
    mark = uuid.uuid4().hex
    program = here.start("demo", mark=mark)
    while "keys exchanged" not in program.line():
        pass
    victim = _find(mark, "join", "Deniz")
    os.kill(victim, signal.SIGKILL)

    assert program.end(timeout=90) != 0
    assert "Deniz" in one_sentence(program.error)
    assert left_behind(mark) == []


def _find(mark: str, *words: str) -> int:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0")
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in environment and all(word.encode() in command for word in words):
            return int(entry.name)
    raise AssertionError("no such program")


# A table -----------------------------------------------------------------------------------------


def test_a_table_does_not_need_the_server_once_it_stands(here: Place):
    server = here.serve()
    players = in_seat_order(here.table())
    server.send(signal.SIGKILL)
    codes = [player.end() for player in players]

    assert codes == [0, 0, 0, 0], [player.error for player in players]
    files = [Path(player.of("HandCounted")[0]["transcript"]) for player in players]
    assert len({path.read_bytes() for path in files}) == 1


def test_a_player_that_is_killed_before_the_deal_and_does_not_come_back_ends_the_table(here: Place):
    here.serve()
    players = here.table("--patience", "3", "--if-missing", "void")
    victim = players[2]
    victim.wait_for("Connected")
    victim.send(signal.SIGKILL)
    others = [player for player in players if player is not victim]
    codes = [player.end(timeout=NOTICED_S + 40) for player in others]

    assert codes == [6, 6, 6], [player.error for player in others]
    for player in others:
        assert "(Ceren)" in one_sentence(player.error)


def counted_without(players: list[Program], gone: Program) -> None:
    """All others finish the hand, and their files are the same and sound."""
    others = [player for player in players if player is not gone]
    codes = [player.end(timeout=NOTICED_S + 120) for player in others]
    assert codes == [0, 0, 0], [player.error for player in others]
    assert all(player.of("SeatPlayedFor") for player in others)
    files = [Path(player.of("HandCounted")[0]["transcript"]) for player in others]
    assert len({path.read_bytes() for path in files}) == 1
    assert p2pokey("audit", files[0], folder=files[0].parent).returncode == 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_player_that_leaves_says_goodbye(here: Place, how: signal.Signals):
    here.serve()
    players = here.table("--patience", "2", "--if-missing", "void")
    leaver = players[1]
    leaver.wait_for("MoveMade")
    leaver.send(how)

    assert leaver.end(timeout=10) == {signal.SIGINT: 130, signal.SIGTERM: 143}[how]
    counted_without(players, leaver)
    assert any(record["state"] == "left" for record in players[0].of("LinkSeen")), (
        "its goodbye has arrived"
    )


_GARBAGE = """
import asyncio, sys
from p2pokey.native.entropy import OsEntropy
from p2pokey.native.identity import Ed25519Signer
from p2pokey.net.meeting import join_table

async def main(code, server, garbage):
    mesh = await join_table(
        signer=Ed25519Signer(OsEntropy().random_bytes(32)), name="Loki", invite=code, server=server
    )
    async with mesh:
        await asyncio.sleep(1)
        mesh.broadcast(bytes.fromhex(garbage))
        await mesh.flush()
        await asyncio.sleep(15)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "garbage", ["ff" * 500, "00" + "11" * 300, "80" * 104], ids=["noise", "envelope", "next"]
)
def test_a_player_that_sends_garbage_is_named(here: Place, garbage: str):
    here.serve()
    host, code = here.host()
    players = [host, here.join(code), here.join(code, name="Ceren")]
    here.script(_GARBAGE, code, here.url, garbage)
    for player in players:
        code = player.end(timeout=90)
        text = one_sentence(player.error)
        # Whoever is last to have all links may first see the others go.
        assert (code == 6 and "(Loki)" in text) or (code == 5 and "left before" in text)
    assert "(Loki)" in one_sentence(host.error)


# Not getting to a table --------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["host", "join"])
def test_no_server(here: Place, command: str):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        here.url = f"ws://127.0.0.1:{unused.getsockname()[1]}"
    words = ["host"] if command == "host" else ["join", "K7Q2M-lale-deniz-kartal"]
    ran = p2pokey(*words, "--auto", "--guest", "--server", here.url, folder=here.folder, timeout=30)

    assert ran.returncode == 5
    assert "server" in one_sentence(ran.stderr).lower()


def test_a_server_of_another_kind(here: Place):
    class NoSockets(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), NoSockets) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        address = f"ws://127.0.0.1:{web.server_port}"
        ran = p2pokey(
            "host", "--auto", "--guest", "--server", address, folder=here.folder, timeout=40
        )
        web.shutdown()

    assert ran.returncode == 5
    one_sentence(ran.stderr)


def test_no_such_room(here: Place):
    here.serve()
    guest = here.join("00000-lale-deniz-kartal")

    assert guest.end(timeout=30) == 5
    assert "code" in one_sentence(guest.error)


def test_wrong_words(here: Place):
    here.serve()
    host, code = here.host()
    room, first, *rest = code.split("-")
    other = next(word for word in WORDS if word != first)
    guest = here.join("-".join([room, other, *rest]))

    assert guest.end(timeout=40) == 5
    assert "check every word" in one_sentence(guest.error)
    assert host.process.poll() is None


def test_a_table_that_is_full(here: Place):
    here.serve()
    host, code = here.host()
    players = [host, *(here.join(code, name=name) for name in ("Baran", "Ceren", "Deniz"))]
    host.wait_for("Connected")
    late = here.join(code, name="Emre")

    assert late.end(timeout=40) == 5
    one_sentence(late.error)
    assert [player.end() for player in players] == [0, 0, 0, 0]


def test_a_window_that_has_closed(here: Place):
    here.serve()
    host, code = here.host("--window", "3")
    assert host.end(timeout=40) == 5
    one_sentence(host.error)
    guest = here.join(code)

    assert guest.end(timeout=40) == 5
    one_sentence(guest.error)


def test_a_server_that_goes_away_before_the_table_stands(here: Place):
    server = here.serve()
    host, code = here.host()
    guest = here.join(code)
    host.wait_for("Meeting", when=lambda record: record["done"] == 2)
    server.send(signal.SIGKILL)

    assert host.end(timeout=90) == 5
    assert guest.end(timeout=90) == 5
    assert "server" in one_sentence(host.error).lower()
    assert "server" in one_sentence(guest.error).lower()


def test_a_friend_who_leaves_before_the_table_stands_can_be_replaced(here: Place):
    here.serve()
    host, code = here.host()
    lost = here.join(code, name="Gone")
    host.wait_for("Meeting", when=lambda record: record["name"] == "Gone")
    lost.send(signal.SIGINT)
    assert lost.end(timeout=20) == 130
    players = [host, *(here.join(code, name=name) for name in ("Baran", "Ceren", "Deniz"))]

    assert [player.end() for player in players] == [0, 0, 0, 0], [p.error for p in players]
    assert "Gone" not in host.of("Connected")[0]["names"]


def test_a_friend_who_vanishes_before_the_table_stands_is_named(here: Place):
    """The server keeps the place, because the friend may come back."""
    here.serve()
    host, code = here.host()
    lost = here.join(code, name="Gone")
    host.wait_for("Meeting", when=lambda record: record["name"] == "Gone")
    lost.send(signal.SIGKILL)
    lost.end()
    guests = [here.join(code, name=name) for name in ("Baran", "Ceren")]

    assert host.end(timeout=120) == 5
    assert "Gone" in one_sentence(host.error)
    assert [guest.end(timeout=60) for guest in guests] == [5, 5]
    for guest in guests:
        one_sentence(guest.error)
