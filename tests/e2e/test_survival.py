"""Tables that lose a player, their server or a minute of sleep, with real programs and real links.

Slow by nature: `make e2e`. Tables that have nothing to do with each other run at the same time.
"""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.programs import Place, Program, place
from tests.e2e.test_programs import p2pokey
from tests.e2e.test_resume import check_end, kill, seats

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    with place(tmp_path) as made:
        yield made


def scores(players: list[Program]) -> list[dict]:
    """The last hand of each, which all must have come to."""
    codes = [player.end() for player in players]
    assert codes == [0] * len(players), [player.error for player in players]
    counted = [player.of("HandCounted")[-1] for player in players]
    assert len({tuple(record["totals"]) for record in counted}) == 1
    return counted


def audit(here: Place, path: str) -> "subprocess.CompletedProcess[str]":
    return p2pokey("audit", path, folder=here.folder)


def test_a_player_who_is_gone_for_good(tmp_path: Path):
    """With recovery the others play to the end; without, the hand is paused and then void."""
    (tmp_path / "on").mkdir()
    (tmp_path / "off").mkdir()
    with place(tmp_path / "on") as on, place(tmp_path / "off") as off:
        on.serve()
        off.url = on.url
        wishes = ("--patience", "3", "--if-missing", "void")
        with_recovery = seats(on.table(*wishes))
        with_recovery[2].wait_for("MoveMade")
        kill(with_recovery[2])
        host, code = off.host("--no-recovery", *wishes)
        guests = [off.join(code, *wishes, name=name) for name in ("Baran", "Ceren", "Deniz")]
        without = seats([host, *guests])
        without[2].wait_for("MoveMade")
        kill(without[2])

        rest = [with_recovery[seat] for seat in (0, 1, 3)]
        for player in rest:
            assert player.wait_for("SeatPlayedFor", timeout=120)["seat"] == 2
        counted = scores(rest)
        found = audit(on, counted[0]["transcript"])
        assert found.returncode == 0, found.stdout
        assert "seat 3" in found.stdout

        rest = [without[seat] for seat in (0, 1, 3)]
        for player in rest:
            paused = player.wait_for_any("HandPausedFor", "HandFailed", timeout=120)
            if paused["event"] == "HandPausedFor":
                assert paused["seats"] == [2]
                failed = player.wait_for("HandFailed", timeout=120)
            else:
                failed = paused
            assert "seat 3 (" in failed["reason"]
            assert failed["culprit"] is None
            assert failed["dealt_again"]
        assert {player.end() for player in rest} == {6}
        assert all(player.of("HandCounted") == [] for player in rest)
        assert any(player.of("HandPausedFor") for player in rest)


def test_nobody_notices_a_server_that_is_started_again(here: Place):
    server = here.serve()
    port = here.url.rsplit(":", 1)[1]
    players = seats(here.table())
    players[1].wait_for("MoveMade")
    kill(server)
    players[2].wait_for("MoveMade")
    here.start("signal", "--port", port, "--json-progress").wait_for("Listening")

    check_end(here, [players[number] for number in range(4)])
    for player in players.values():
        states = [record["state"] for record in player.of("LinkSeen")]
        assert "away" not in states
        assert "unstable" not in states


def test_a_laptop_that_sleeps_for_a_minute(here: Place):
    here.serve()
    players = seats(here.table())
    players[3].wait_for("MoveMade")
    players[3].send(signal.SIGSTOP)
    time.sleep(60)
    players[3].send(signal.SIGCONT)

    check_end(here, [players[number] for number in range(4)])
    for number in range(4):
        assert players[number].of("SeatPlayedFor") == []
        assert players[number].of("HandFailed") == []


def test_players_talk_and_change_seats(here: Place):
    """What is typed reaches all; after the hand all agree on other seats and play on there."""
    here.serve()
    host, code = here.host("--hands", "5", "--console")
    guests = [here.join(code, "--console", name=name) for name in ("Baran", "Ceren", "Deniz")]
    players = seats([host, *guests])
    old = {seat: player.of("Connected")[-1] for seat, player in players.items()}
    players[2].wait_for("MoveMade")
    players[2].type("merhaba")
    players[1].type("/2")
    players[1].type("/seats 2 1 3 4")
    for player in players.values():
        line = player.wait_for("ChatLine", timeout=120)
        assert (line["seat"], line["text"]) == (2, "merhaba")
        if not player.of("ChatPhrase"):
            assert player.wait_for("ChatPhrase", timeout=60)["code"] == 2
    for seat in (0, 2, 3):
        players[seat].wait_for("Question", timeout=120)
        players[seat].type("/yes")
    again = {seat: player.wait_for("Connected", timeout=120) for seat, player in players.items()}

    assert {seat: record["seat"] for seat, record in again.items()} == {0: 1, 1: 0, 2: 2, 3: 3}
    words = {tuple(record["safety_words"]) for record in again.values()}
    assert len(words) == 1
    assert words != {tuple(old[0]["safety_words"])}
    totals = {tuple(player.of("HandCounted")[-1]["totals"]) for player in players.values()}
    assert len(totals) == 1
    (before,) = totals
    for player in players.values():
        player.wait_for("HandBegan", timeout=60)
        player.type("/leave")
    ended = [player.wait_for("MatchEnded", timeout=200) for player in players.values()]
    assert {record["hands"] for record in ended} == {2}
    second = [player.of("HandCounted")[-1] for player in players.values()]
    expected = [before[1], before[0], before[2], before[3]]
    for record in second:
        start = [
            total - change for total, change in zip(record["totals"], record["points"], strict=True)
        ]
        assert start == expected
    codes = [player.end() for player in players.values()]
    assert codes == [0] * 4, [player.error for player in players.values()]


def test_who_is_killed_while_seats_change_gets_to_the_new_table(here: Place):
    """The new host when its room is open, then another player as it learns of the agreement."""
    here.serve()
    host, code = here.host("--hands", "5", "--console")
    guests = [here.join(code, "--console", name=name) for name in ("Baran", "Ceren", "Deniz")]
    players = seats([host, *guests])
    players[2].wait_for("MoveMade")
    players[1].type("/seats 2 1 3 4")
    for seat in (0, 2, 3):
        players[seat].wait_for("Question", timeout=120)
        players[seat].type("/yes")
    players[1].wait_for("Meeting", when=lambda record: record["phase"] == "code-shown", timeout=60)
    kill(players[1])
    players[3].wait_for("SeatsAgreed", timeout=60)
    kill(players[3])
    before = players[0].of("HandCounted")[-1]["totals"]
    journals = here.folder / "home" / "state" / "journals"
    for seat in (1, 3):
        (folder,) = journals.glob(f"*-seat-{seat + 1}")
        players[seat] = here.start("resume", folder, "--json-progress", "--console")
        resumed = players[seat].wait_for("Resumed", timeout=60)
        assert resumed["totals"] == before
    again = {seat: player.wait_for("Connected", timeout=200) for seat, player in players.items()}

    assert {seat: record["seat"] for seat, record in again.items()} == {0: 1, 1: 0, 2: 2, 3: 3}
    assert len({tuple(record["safety_words"]) for record in again.values()}) == 1
    for player in players.values():
        player.wait_for("HandBegan", timeout=60)
        player.type("/leave")
    ended = [player.wait_for("MatchEnded", timeout=200) for player in players.values()]
    assert {record["hands"] for record in ended} == {2}
    assert len({tuple(record["totals"]) for record in ended}) == 1
    codes = [player.end() for player in players.values()]
    assert codes == [0] * 4, [player.error for player in players.values()]
    assert list(journals.iterdir()) == []
