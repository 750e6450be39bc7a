"""Hands that are paused, voided and dealt again, and players who let their time pass."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from p2pokey.audit.report import Status
from p2pokey.errors import ConnectError, LocalProtocolError
from p2pokey.net.link import LinkState
from p2pokey.peer.events import (
    HandBegan,
    HandCounted,
    HandFailed,
    HandGoesOn,
    HandPausedFor,
    MatchEnded,
    MovedForIdle,
    MoveMade,
    PeerEvent,
    StillWaiting,
)
from p2pokey.peer.saving import transcript_name
from p2pokey.peer.table import Table
from p2pokey.peer.waits import IfMissing
from p2pokey.rules.moves import Move
from p2pokey.rules.view import View
from p2pokey.tiles import Seat
from p2pokey.transcript.messages import Kind
from tests.peer.memory import Hub
from tests.peer.test_table import SHORT, Recorder, audit, cut_after, kind_of, play_all

WAITING = replace(SHORT, next_hand_s=20, absent_s=0.5, round_s=1.0)


def when(
    recorder: Recorder, seat: int, kind: type, do: Callable[[], None]
) -> Callable[[Seat, PeerEvent], None]:
    """Records, and does something at the first event of that kind at that seat."""
    done = False

    def hear(who: Seat, event: PeerEvent) -> None:
        nonlocal done
        recorder(who, event)
        if who == seat and isinstance(event, kind) and not done:
            done = True
            asyncio.get_running_loop().call_soon(do)

    return hear


def mend(hub: Hub) -> None:
    """Seat 2 is there again, for good."""
    hub.wire = lambda source, target, data: [data]
    hub.links[2].come_back()


def tables_of(
    hub: Hub, folder: Path, hear: Callable[[Seat, PeerEvent], None], mode: IfMissing
) -> list[Table]:
    return [
        hub.table(
            seat,
            folder,
            hands=1 if seat == 0 else None,
            limits=WAITING,
            on_event=hear,
            if_missing=mode,
        )
        for seat in range(4)
    ]


def test_a_void_hand_is_dealt_again_with_the_same_starter(tmp_path: Path):
    hub, recorder = Hub(recovery=False), Recorder()
    hear = when(recorder, 0, HandFailed, lambda: mend(hub))
    tables = tables_of(hub, tmp_path, hear, IfMissing.VOID)
    cut_after(hub, 2, Kind.MOVE, LinkState.AWAY)
    ended = asyncio.run(play_all(tables))

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    assert len({(result.hands, result.totals) for result in ended}) == 1
    for seat in range(4):
        (failed,) = recorder.of(HandFailed, seat)
        assert failed.culprit is None
        assert failed.dealt_again
        assert [(e.hand, e.match_hand) for e in recorder.of(HandBegan, seat)] == [(0, 0), (1, 0)]
    files = [[tmp_path / "out" / transcript_name(hand, Seat(0))] for hand in (0, 1)]
    first, second = (audit(path) for (path,) in files)
    assert first.status is Status.INCOMPLETE
    assert second.status is Status.SOUND
    assert second.setup is not None
    starter = next(e.seat for e in recorder.of(MoveMade, 0) if e.hand == 0)
    assert second.setup.starter == starter


def test_a_paused_hand_goes_on_when_the_seat_is_back(tmp_path: Path):
    hub, recorder = Hub(recovery=False), Recorder()
    hear = when(recorder, 0, HandPausedFor, lambda: mend(hub))
    tables = tables_of(hub, tmp_path, hear, IfMissing.WAIT)
    cut_after(hub, 2, Kind.MOVE, LinkState.AWAY)
    ended = asyncio.run(play_all(tables))

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    for seat in (0, 1, 3):
        assert recorder.of(HandFailed, seat) == []
        assert len(recorder.of(HandCounted, seat)) == 1
    pauses = recorder.of(HandPausedFor, 0)
    assert [pause.seats for pause in pauses] == [(Seat(2),)]
    assert len(recorder.of(HandGoesOn, 0)) == 1


def test_a_player_voids_a_paused_hand(tmp_path: Path):
    hub, recorder = Hub(recovery=False), Recorder()
    tables: list[Table] = []

    def void() -> None:
        tables[0].void()
        mend(hub)

    tables += tables_of(hub, tmp_path, when(recorder, 0, HandPausedFor, void), IfMissing.WAIT)
    cut_after(hub, 2, Kind.MOVE, LinkState.AWAY)
    ended = asyncio.run(play_all(tables))

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    reasons = [recorder.of(HandFailed, seat)[0].reason for seat in (0, 1, 3)]
    assert reasons[0] == "seat 3 (Ceren) has lost the connection; a hand needs all its players"
    assert recorder.of(HandFailed, 0)[0].dealt_again


def test_a_hand_that_goes_on_cannot_be_voided(tmp_path: Path):
    refused: list[str] = []
    tables: list[Table] = []

    def hear(who: Seat, event: PeerEvent) -> None:
        if who == 0 and isinstance(event, MoveMade):
            with pytest.raises(LocalProtocolError) as caught:
                tables[0].void()
            refused.append(str(caught.value))

    tables += tables_of(Hub(), tmp_path, hear, IfMissing.WAIT)
    with pytest.raises(LocalProtocolError, match="no hand"):
        tables[0].void()
    asyncio.run(play_all(tables))

    assert set(refused) == {"the hand is not paused"}


def cut_off_at_its_results(hub: Hub) -> None:
    """Seat 3 loses its links with the first RESULT that it is sent."""

    def wire(source: Seat, target: Seat, data: bytes) -> list[bytes]:
        if target == 2 and kind_of(data) is Kind.RESULT:
            hub.links[2].is_cut = True
            return []
        return [data]

    hub.wire = wire


@pytest.mark.parametrize("recovery", [True, False])
def test_a_hand_that_others_may_have_counted_is_not_given_up(tmp_path: Path, recovery: bool):
    """Not even with `--if-missing void`; what this seat lacks comes when it is back."""
    hub, recorder = Hub(recovery=recovery), Recorder()

    cut_off_at_its_results(hub)
    hear = when(recorder, 2, HandPausedFor, lambda: mend(hub))
    limits = replace(WAITING, audit_s=4.0, linger_s=30, absent_s=30)
    tables = [
        hub.table(seat, tmp_path, hands=1, limits=limits, on_event=hear, if_missing=IfMissing.VOID)
        for seat in range(4)
    ]
    ended = asyncio.run(play_all(tables))

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    assert recorder.of(HandPausedFor, 2)
    for seat in range(4):
        assert recorder.of(HandFailed, seat) == []
        assert len(recorder.of(HandCounted, seat)) == 1


def test_a_program_that_is_left_alone_with_such_a_hand_ends_and_can_come_back(tmp_path: Path):
    hub, recorder = Hub(), Recorder()

    cut_off_at_its_results(hub)
    limits = replace(WAITING, audit_s=4.0, bound_s=1.0)
    tables = [
        hub.table(
            seat, tmp_path, hands=1, limits=limits, on_event=recorder, if_missing=IfMissing.VOID
        )
        for seat in range(4)
    ]
    ended = asyncio.run(play_all(tables))

    assert isinstance(ended[2], ConnectError), ended
    assert "did not come back" in str(ended[2])
    assert "p2pokey resume" in str(ended[2])
    assert recorder.of(HandPausedFor, 2)
    assert list((tmp_path / "journals-2").glob("*.journal")), "the hand can be taken up again"


class Dreamer:
    """A person who never moves."""

    async def choose(self, view: View) -> Move:
        del view
        await asyncio.Event().wait()
        raise AssertionError


def test_the_program_of_a_player_who_dreams_moves_in_time(tmp_path: Path):
    hub, recorder = Hub(timer_s=2), Recorder()
    tables = [
        hub.table(
            seat,
            tmp_path,
            hands=1 if seat == 0 else None,
            on_event=recorder,
            person=Dreamer() if seat == 1 else None,
        )
        for seat in range(4)
    ]
    ended = asyncio.run(play_all(tables))

    assert all(isinstance(result, MatchEnded) for result in ended), ended
    turns = recorder.of(MovedForIdle, 1)
    assert turns
    moves = [event for event in recorder.of(MoveMade, 1) if event.seat == 1]
    assert len(moves) > len(turns), "a turn is finished by whoever has begun to stand in"


def test_who_wants_to_leave_waits_for_nobody(tmp_path: Path):
    hub, recorder = Hub(), Recorder()
    tables: list[Table] = []

    def hear(who: Seat, event: PeerEvent) -> None:
        recorder(who, event)
        if isinstance(event, StillWaiting):
            tables[who].leave()

    tables += tables_of(hub, tmp_path, hear, IfMissing.WAIT)
    hub.links[3].vanish(LinkState.LEFT)
    ended = asyncio.run(play_all(tables[:3]))

    assert [str(result) for result in ended] == ["seat 4 (Deniz) has left the table"] * 3
    assert recorder.of(HandBegan, 0) == []
