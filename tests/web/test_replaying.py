"""Saved hands to step through: what each step shows, what is checked, what stays hidden."""

import json
from functools import cache
from typing import Any

import pytest

from p2pokey.audit.auditor import audit_transcript
from p2pokey.audit.report import Status
from p2pokey.hand.effects import MoveApplied
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.rules.published import RULE_SETS
from p2pokey.tiles import Seat, format_tile
from p2pokey.web.replaying import Replay, read_replay
from tests.hand.test_games import hand_of
from tests.hand.test_whole_hand import CHEAP
from tests.sim.table import SimTable
from tests.web.players import tiles_in
from tests.web.schema import check_end, check_game

KEYS = ["classic", "101-rising", "101-standard", "51-feeding", "duel"]


@cache
def _table(key: str) -> SimTable:
    return hand_of(key, 1)


def _transcript(key: str) -> bytes:
    finished = _table(key).peers[0].finished
    assert finished is not None
    return finished.transcript


def _read(data: bytes) -> Replay:
    return read_replay(data, group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer())


@cache
def _sound(key: str) -> Replay:
    return _read(_transcript(key))


@pytest.mark.parametrize("key", KEYS)
def test_every_step_is_the_state_that_was_played(key: str) -> None:
    assert key in RULE_SETS
    table, replay = _table(key), _sound(key)
    moves = [e for e in table.peers[0].effects if isinstance(e, MoveApplied)]
    assert replay.last_step == len(moves)
    assert [m.made[0][0] for m in replay.moments[1:]] == [e.move for e in moves]
    assert replay.moments[-1].state == table.peers[0].machine.view().state
    for step in range(len(replay.moments)):
        shown = replay.json(file="hand", step=step, seat=None)
        game = shown["game"]
        assert all(tile is not None for rack in game["racks"] for tile in rack)
        assert [len(rack) for rack in game["racks"]] == game["counts"]
        check_game({k: v for k, v in game.items() if k != "racks"}, len(game["counts"]))
        assert shown["checks"]["failed"] == []
        assert (shown["move"] is None) == (step == 0)
    check_end(shown["end"], len(shown["people"]))


@pytest.mark.parametrize("key", KEYS)
def test_a_seats_view_hides_what_the_seat_did_not_know(key: str) -> None:
    replay = _sound(key)
    for step in range(0, len(replay.moments), 3):
        moment = replay.moments[step]
        for seat in range(moment.state.seats):
            shown = replay.json(file="hand", step=step, seat=Seat(seat))
            if shown["end"] is not None:
                continue  # a hand that is over has been disclosed
            own = moment.state.racks[seat]
            hidden = {
                format_tile(moment.faces[slot])
                for slot, face in enumerate(moment.state.faces)
                if face is None and slot not in own
            }
            assert not hidden & tiles_in(shown)
            assert None not in shown["game"]["racks"][seat]


def test_proofs_are_counted_as_the_replay_goes_on() -> None:
    replay = _sound("classic")
    counts = [moment.proofs for moment in replay.moments]
    assert counts == sorted(counts)
    assert counts[0] >= 4 * 3
    assert counts[-1] <= replay.report.proofs
    assert replay.report.status is Status.SOUND


@pytest.mark.parametrize("key", KEYS)
def test_watching_changes_nothing_in_the_report(key: str) -> None:
    data = _transcript(key)
    plain = audit_transcript(data, group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer())
    assert _sound(key).report == plain


def _changed(data: bytes, kind: str, nth: int) -> bytes:
    """The file with another signature at one line of that kind."""
    lines = data.split(b"\n")
    places = [
        at
        for at, line in enumerate(lines)
        if line and at and kind in json.loads(line)["summary"]["kind"]
    ]
    record: dict[str, Any] = json.loads(lines[places[nth]])
    record["sig"] = ("B" if record["sig"][0] == "A" else "A") + record["sig"][1:]
    lines[places[nth]] = json.dumps(record, separators=(",", ":")).encode()
    return b"\n".join(lines)


def test_a_finding_stands_at_its_step() -> None:
    data = _changed(_transcript("classic"), "move", 5)
    replay = _read(data)
    assert replay.report.status is Status.VIOLATION
    first = next(
        step
        for step in range(len(replay.moments))
        if replay.json(file="hand", step=step, seat=None)["checks"]["failed"]
    )
    assert 3 <= first <= replay.last_step
    (finding, *_) = replay.json(file="hand", step=first, seat=None)["checks"]["failed"]
    assert finding["cause"] == "BadSignature"


@pytest.mark.parametrize("data", [b"", b"{}\n", b"\xff" * 100])
def test_a_file_that_is_none_shows_no_step(data: bytes) -> None:
    replay = _read(data)
    shown = replay.json(file="hand", step=3, seat=None)
    assert (shown["steps"], shown["game"]) == (0, None)
    assert shown["checks"]["status"] == "unreadable"


@pytest.mark.parametrize("part", [0.2, 0.5, 0.8])
def test_a_cut_file_is_shown_as_far_as_it_goes(part: float) -> None:
    data = _transcript("classic")
    replay = _read(data[: int(len(data) * part)])
    assert replay.report.status is Status.INCOMPLETE
    for step in range(len(replay.moments)):
        shown = replay.json(file="hand", step=step, seat=None)
        assert shown["checks"]["status"] == "incomplete"
    if replay.moments:
        # No seed is disclosed in it, so no concealed tile can be shown.
        assert None in replay.json(file="hand", step=0, seat=None)["game"]["racks"][0]
