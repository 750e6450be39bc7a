"""A player's program is killed at any point of a hand, started again, and nothing is lost.

Real processes, a real server, real WebRTC. Slow by nature: `make e2e`.
"""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.programs import Place, Program, place
from tests.e2e.test_programs import one_sentence, p2pokey

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

LONGEST_S = 30.0
"""Nothing hangs; what it takes is printed, and is 5 s at most on a computer with nothing else to do."""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path) as made:
        yield made


def kill(program: Program) -> None:
    program.send(signal.SIGKILL)
    program.process.wait()


def resume(here: Place, seat: int) -> tuple[Program, float]:
    """Starts `p2pokey resume` for a seat; the program, and seconds until it is in the game."""
    (folder,) = (here.folder / "home" / "state" / "journals").glob(f"*-seat-{seat + 1}")
    began = time.monotonic()
    program = here.start("resume", folder, "--json-progress")
    missing = {other for other in range(4) if other != seat}
    is_back = False
    while missing or not is_back:
        record = program.wait_for_any("LinkSeen", "HandResumed", "StagePassed", "MatchEnded")
        if record["event"] == "LinkSeen" and record["state"] == "here":
            missing.discard(record["seat"])
        is_back = is_back or record["event"] in ("HandResumed", "StagePassed", "MatchEnded")
    return program, time.monotonic() - began


def check_end(here: Place, players: list[Program]) -> None:
    """All come to the same audited score, and nothing is left of the table but its transcripts."""
    codes = [player.end() for player in players]
    assert codes == [0, 0, 0, 0], [player.error for player in players]
    counted = [player.of("HandCounted")[-1] for player in players]
    files = [Path(record["transcript"]) for record in counted]
    assert len({path.read_bytes() for path in files}) == 1
    assert len({tuple(record["totals"]) for record in counted}) == 1
    ran = p2pokey("audit", *files, folder=here.folder)
    assert ran.returncode == 0, ran.stdout
    assert list((here.folder / "home" / "state" / "journals").iterdir()) == []


def seats(players: list[Program]) -> dict[int, Program]:
    return {player.wait_for("Connected")["seat"]: player for player in players}


POINTS = {
    "connected": ("Connected", {}),
    "keys": ("StagePassed", {"stage": "keys"}),
    "shuffled": ("StagePassed", {"stage": "shuffled"}),
    "dealt": ("StagePassed", {"stage": "dealt"}),
    "a move": ("MoveMade", {}),
    "finished": ("StagePassed", {"stage": "finished"}),
    "disclosed": ("StagePassed", {"stage": "disclosed"}),
    "replayed": ("StagePassed", {"stage": "replayed"}),
}


def test_one_after_the_other_is_killed_in_each_phase_and_resumed(here: Place, record_property):
    here.serve()
    players = seats(here.table())
    for number, (point, (event, fields)) in enumerate(POINTS.items()):
        seat = number % 4
        if event != "Connected":
            wanted = fields.items()
            players[seat].wait_for(event, when=lambda record, w=wanted: w <= record.items())
        kill(players[seat])
        players[seat], took = resume(here, seat)
        load = os.getloadavg()[0]
        record_property(point, took)
        print(f"{point}: seat {seat + 1} back after {took:.2f} s (load {load:.1f})")
        assert took < LONGEST_S

    check_end(here, [players[number] for number in range(4)])


def test_a_player_who_stopped_comes_back(here: Place):
    here.serve()
    players = seats(here.table())
    players[2].wait_for("MoveMade")
    players[2].send(signal.SIGINT)
    assert players[2].end() == 130
    players[2], _ = resume(here, 2)

    check_end(here, [players[number] for number in range(4)])


def test_host_and_guest_come_back_after_the_server_was_started_again(here: Place):
    server = here.serve()
    port = here.url.rsplit(":", 1)[1]
    # Five hands: nobody is at the end of the match before both have all their links again.
    host, code = here.host("--hands", "5")
    guests = [here.join(code, name=name) for name in ("Baran", "Ceren", "Deniz")]
    players = seats([host, *guests])
    players[0].wait_for("MoveMade")
    kill(server)
    server = here.start("signal", "--port", port, "--json-progress")
    server.wait_for("Listening")
    time.sleep(2)
    for seat in (0, 3):
        kill(players[seat])
        players[seat], _ = resume(here, seat)

    check_end(here, [players[number] for number in range(4)])


def test_all_four_are_killed_at_once(here: Place):
    here.serve()
    players = seats(here.table())
    players[1].wait_for("MoveMade")
    for player in players.values():
        kill(player)
    journals = here.folder / "home" / "state" / "journals"
    again = []
    for seat in (2, 0, 3, 1):
        (folder,) = journals.glob(f"*-seat-{seat + 1}")
        again.append(here.start("resume", folder, "--json-progress"))

    check_end(here, again)


def test_a_player_who_was_played_for_comes_back(here: Place):
    here.serve()
    players = seats(here.table("--patience", "3", "--if-missing", "void"))
    players[2].wait_for("MoveMade")
    kill(players[2])
    players[0].wait_for("SeatPlayedFor")
    players[2], _ = resume(here, 2)
    back = players[0].wait_for_any("SeatBack", "MatchEnded", "HandFailed")

    assert back["event"] != "HandFailed"
    check_end(here, [players[number] for number in range(4)])


def test_what_resume_says_when_it_cannot(here: Place):
    here.serve()
    journals = here.folder / "home" / "state" / "journals"
    nothing = p2pokey("resume", folder=here.folder)
    assert nothing.returncode == 7
    assert one_sentence(nothing.stderr) == "There is no table to come back to."
    players = seats(here.table())
    (folder,) = journals.glob("*-seat-3")
    used = p2pokey("resume", folder, folder=here.folder)
    assert used.returncode == 8
    assert one_sentence(used.stderr) == "Another program is at that table already."
    kill(players[2])
    kill(players[3])
    several = p2pokey("resume", folder=here.folder)
    assert several.returncode == 2
    assert "There are 2 tables to come back to" in several.stderr
    assert str(folder) in several.stderr
