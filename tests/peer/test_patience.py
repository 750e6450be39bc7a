"""Waits of a hand with a clock that is moved by hand."""

import math
from dataclasses import replace

import pytest

from p2pokey.hand.effects import Phase, Waiting
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged
from p2pokey.peer.patience import (
    Ask,
    Call,
    GiveUp,
    Leave,
    Notice,
    Patience,
    Pause,
    StandIn,
)
from p2pokey.peer.waits import IfMissing, WaitLimits
from p2pokey.peer.worker import Turn
from p2pokey.rules.rulesets import TableOptions, ruleset_for, table_options
from p2pokey.table.turn_clock import TurnClock
from p2pokey.tiles import Seat

NAMES = ("Ayse", "Baran", "Ceren", "Deniz")
LIMITS = WaitLimits(round_s=30, move_grace_s=10, absent_s=600, notice_s=4)


class Scene:
    """A patience of seat 0, what its hand waits for, and the time."""

    def __init__(
        self,
        *,
        if_missing: IfMissing = IfMissing.WAIT,
        options: TableOptions | None = None,
        rules: str = "classic",
        is_person: bool = False,
        bound_s: float | None = None,
    ) -> None:
        options = options or table_options(4, timer_s=30, grace_s=60)
        self.now = 100.0
        self.is_person = is_person
        self.links: dict[Seat, LinkChanged] = {}
        self.patience = Patience(
            seat=Seat(0),
            names=NAMES,
            options=options,
            limits=replace(LIMITS, bound_s=bound_s),
            if_missing=if_missing,
            links=self.links,
            turns=TurnClock(rules=ruleset_for(rules), options=options, people=(True,) * 4),
        )
        self.said: list[tuple[float, object]] = []

    def look(
        self,
        *seats: int,
        phase: Phase = Phase.PLAY,
        mover: int | None = None,
        step: int = 7,
        number: int = 3,
        busy: bool = False,
        proving: bool = False,
        paused: tuple[int, ...] = (),
        bound: bool = False,
    ) -> bool:
        """The hand waits for these seats now."""
        turn = Turn(
            effects=(),
            commands=(),
            is_busy=busy or proving,
            is_proving=proving,
            waiting=Waiting(
                phase=phase, seats=tuple(map(Seat, seats)), paused=tuple(map(Seat, paused))
            ),
            mover=None if mover is None else Seat(mover),
            number=number,
            next_timer=None,
            phase=phase,
            step=step,
            is_bound=bound,
        )
        self.turn = turn
        return self.patience.look(turn, self.now)

    def wait(self, seconds: float) -> list[object]:
        """Lets time pass as a runner does, looking at each alarm; what was due except questions."""
        until, said = self.now + seconds, []
        while True:
            alarm = self.patience.alarm(self.now, is_person=self.is_person)
            if alarm is None or alarm > until:
                break
            self.now = alarm
            self.patience.wake(self.now)
            due = self.patience.due(self.now, is_person=self.is_person)
            for item in due:
                if not isinstance(item, Ask):
                    said.append(item)
                    self.said.append((self.now - 100.0, item))
            if any(isinstance(item, GiveUp | Leave | StandIn) for item in due):
                return said
            self.patience.look(self.turn, self.now)
        self.now = until
        self.patience.wake(self.now)
        return said

    def sleep(self, seconds: float) -> None:
        """The program is not run for a while."""
        self.patience.alarm(self.now, is_person=self.is_person)
        self.now += seconds
        self.patience.wake(self.now)

    def lose(self, seat: int, state: LinkState = LinkState.AWAY) -> None:
        """The link of a seat gets worse or better."""
        self.links[Seat(seat)] = LinkChanged(seat=Seat(seat), state=state)

    def times(self, kind: type) -> list[float]:
        """When something of that kind was due."""
        return [at for at, item in self.said if isinstance(item, kind)]


# Moves -------------------------------------------------------------------------------------------


def test_a_mover_has_the_turn_and_a_little_more():
    scene = Scene()
    scene.look(2, mover=2)
    scene.wait(39.9)
    assert scene.times(Call) == []
    assert scene.wait(0.2) == [Call(seats=(Seat(2),))]


def test_a_turn_is_timed_as_a_whole():
    scene = Scene()
    scene.look(2, mover=2, step=7)
    scene.wait(25)
    scene.look(2, mover=2, step=8)
    scene.wait(14.9)
    assert scene.times(Call) == []
    scene.wait(0.2)
    assert len(scene.times(Call)) == 1


def test_the_next_turn_starts_anew():
    scene = Scene()
    scene.look(2, mover=2, step=7, number=3)
    scene.wait(25)
    scene.look(3, mover=3, step=8, number=4)
    scene.wait(39.9)
    assert scene.times(Call) == []


@pytest.mark.parametrize("seats", [(1,), (0, 1)])
def test_a_token_that_is_awaited_costs_the_mover_nothing(seats: tuple[int, ...]):
    scene = Scene()
    scene.look(2, mover=2, step=7)
    scene.wait(20)
    scene.look(*seats, mover=2, step=7)
    scene.wait(25)
    scene.look(2, mover=2, step=8)
    scene.wait(19.9)
    assert scene.times(Call) == []
    scene.wait(0.2)
    assert scene.times(Call) == pytest.approx([65], abs=0.2)


def test_own_work_costs_the_mover_nothing():
    scene = Scene()
    scene.look(2, mover=2)
    scene.wait(10)
    scene.look(2, mover=2, proving=True)
    scene.now += 2.5
    scene.look(2, mover=2)
    scene.wait(29.9)
    assert scene.times(Call) == []


@pytest.mark.parametrize("state", [LinkState.UNSTABLE, LinkState.AWAY, LinkState.LEFT])
def test_a_broken_link_stops_the_clock_for_the_grace_of_the_table(state: LinkState):
    scene = Scene()
    scene.look(2, mover=2)
    scene.wait(10)
    scene.lose(2, state)
    scene.look(2, mover=2)
    scene.wait(60 + 20 + 10 - 0.1)
    assert scene.times(Call) == []
    scene.wait(0.2)
    assert scene.times(Call) == pytest.approx([100], abs=0.2)


def test_the_grace_is_one_for_the_whole_hand():
    scene = Scene()
    for number in range(3):
        scene.lose(2)
        scene.look(2, mover=2, number=number, step=2 * number)
        scene.wait(25)
        scene.look(3, mover=3, number=number, step=2 * number + 1)
        scene.wait(1)
    scene.look(2, mover=2, number=9, step=9)
    scene.wait(39.9)
    assert scene.times(Call) == []
    scene.wait(0.2)
    assert len(scene.times(Call)) == 1


def test_an_accepted_opening_brings_a_person_more_time():
    scene = Scene(rules="101-standard")
    scene.look(2, mover=2, step=7)
    scene.wait(20)
    scene.patience.opened(Seat(2))
    scene.look(2, mover=2, step=8)
    scene.wait(20)
    usual = scene.times(Call)
    scene.wait(15)
    assert (len(usual), len(scene.times(Call))) == (0, 1)


def test_without_a_timer_a_player_may_think():
    scene = Scene(options=table_options(4, timer_s=0))
    scene.look(2, mover=2)
    scene.wait(3000)
    assert scene.times(Call) == []


# The own player ----------------------------------------------------------------------------------


def test_the_own_program_moves_before_the_time_is_up():
    scene = Scene(is_person=True)
    scene.look(0, mover=0)
    assert scene.wait(26.9) == []
    assert scene.wait(0.2) == [StandIn()]


def test_a_computer_player_needs_nobody_to_stand_in():
    scene = Scene()
    scene.look(0, mover=0)
    assert scene.wait(1000) == []
    assert scene.patience.alarm(scene.now, is_person=False) is None


def test_without_a_timer_nobody_moves_for_a_person():
    scene = Scene(is_person=True, options=table_options(4, timer_s=0))
    scene.look(0, mover=0)
    assert scene.wait(10_000) == []


# Everything else ---------------------------------------------------------------------------------


def test_a_wait_is_told_once():
    scene = Scene()
    scene.look(1, 3, phase=Phase.KEYS)
    scene.wait(20)
    assert [item for _, item in scene.said] == [
        Notice(
            text="waiting for the keys of seat 2 (Baran) and seat 4 (Deniz)",
            what="keys",
            seats=(1, 3),
        )
    ]


def test_a_lost_seat_is_named_with_the_time_it_has():
    scene = Scene()
    scene.lose(1)
    scene.look(1, phase=Phase.KEYS)
    scene.wait(5)
    (notice,) = [item for _, item in scene.said]
    assert notice == Notice(
        text="seat 2 (Baran) has lost the connection; the table waits 90 seconds",
        what="link",
        seats=(1,),
    )


def test_a_paused_hand_is_not_told_of_again_and_again():
    scene = Scene()
    scene.look(1, phase=Phase.KEYS)
    for _ in range(20):  # each call keeps the machine busy for a moment
        scene.wait(31)
        scene.look(1, phase=Phase.KEYS, proving=True)
        scene.look(1, phase=Phase.KEYS)
    assert len(scene.times(Notice)) == 1
    assert len(scene.times(Pause)) == 1
    scene.lose(1)
    scene.look(1, phase=Phase.KEYS)
    scene.wait(100)
    scene.lose(1, LinkState.HERE)
    scene.look(1, phase=Phase.KEYS)
    scene.wait(100)
    scene.look(1, phase=Phase.KEYS, step=8)
    scene.wait(5)
    texts = [item.text for _, item in scene.said if isinstance(item, Notice)]
    usual = "waiting for the keys of seat 2 (Baran)"
    away = "seat 2 (Baran) has lost the connection; the table waits 90 seconds"
    assert texts == [usual, away, usual, usual]


def test_what_comes_twice_makes_no_wait_younger():
    scene = Scene()
    for _ in range(29):
        scene.look(1, phase=Phase.KEYS)
        scene.wait(1)
    assert scene.times(Call) == []
    scene.look(1, phase=Phase.KEYS)
    scene.wait(1.5)
    assert scene.times(Call) == pytest.approx([30])


def test_work_on_votes_makes_no_wait_younger():
    """A silent seat may sign as many as it likes."""
    scene = Scene()
    for _ in range(29):
        scene.look(1, phase=Phase.KEYS)
        scene.look(1, phase=Phase.KEYS, busy=True)
        scene.wait(1)
    assert scene.times(Call) == []
    scene.look(1, phase=Phase.KEYS, busy=True)
    scene.wait(1.5)
    assert scene.times(Call) == pytest.approx([30])


def test_own_proofs_make_a_wait_younger():
    scene = Scene()
    scene.look(1, phase=Phase.KEYS)
    scene.wait(20)
    scene.look(1, phase=Phase.KEYS, proving=True)
    scene.look(1, phase=Phase.KEYS)
    scene.wait(29.9)
    assert scene.times(Call) == []


def test_a_call_that_does_not_help_pauses_the_hand_for_good():
    scene = Scene()
    scene.look(1, phase=Phase.KEYS)
    scene.wait(10_000)
    pauses = [item for _, item in scene.said if isinstance(item, Pause)]
    assert pauses == [Pause(seats=(Seat(1),), seconds=pytest.approx(60))]
    assert scene.patience.paused == (Seat(1),)
    assert len(scene.times(Call)) > 10, "a call that came at a bad moment is repeated"
    assert scene.times(GiveUp) == []


def test_a_table_that_does_not_want_to_wait_gives_up():
    scene = Scene(if_missing=IfMissing.VOID)
    scene.lose(1, LinkState.LEFT)
    scene.look(1, phase=Phase.KEYS)
    scene.wait(10_000)
    assert scene.times(Call) == pytest.approx([90])
    assert scene.times(GiveUp) == pytest.approx([180])
    assert scene.said[-1][1] == GiveUp(
        reason="seat 2 (Baran) has left the table; a hand needs all its players"
    )


def test_a_hand_that_cannot_be_voided_is_waited_for_unless_there_is_a_limit():
    scene = Scene(if_missing=IfMissing.VOID)
    scene.look(1, phase=Phase.DISCLOSE, bound=True)
    scene.wait(10_000)
    assert scene.times(GiveUp) == scene.times(Leave) == []

    scene = Scene(if_missing=IfMissing.VOID, bound_s=600)
    scene.look(1, phase=Phase.DISCLOSE, bound=True)
    scene.wait(10_000)
    assert scene.times(Pause) == pytest.approx([60])
    assert scene.times(Leave) == pytest.approx([660], abs=5)
    assert isinstance(scene.said[-1][1], Leave)
    assert "seat 2 (Baran) did not come back" in scene.said[-1][1].reason


def test_a_hand_that_goes_on_in_time_is_not_left():
    scene = Scene(if_missing=IfMissing.VOID, bound_s=600)
    scene.look(1, phase=Phase.DISCLOSE, bound=True)
    scene.wait(600)
    assert scene.look(2, phase=Phase.RESULT, bound=True, step=8)
    scene.wait(700)
    assert scene.times(Leave) == []
    scene.sleep(3600)
    scene.wait(500)
    assert scene.times(Leave) == [], "what was slept through counts for nobody"


def test_a_pause_is_over_when_the_seat_has_answered():
    scene = Scene()
    scene.look(1, phase=Phase.KEYS)
    scene.patience.pause((Seat(1),), scene.now)
    assert not scene.look(1, phase=Phase.KEYS)
    assert scene.look(3, phase=Phase.KEYS, step=8)
    assert scene.patience.paused == ()


def test_each_seat_is_called_before_anything_is_given_up():
    scene = Scene(if_missing=IfMissing.VOID)
    scene.look(1, phase=Phase.KEYS)
    scene.wait(31)
    scene.look(3, phase=Phase.KEYS)
    scene.wait(31)
    assert [item for _, item in scene.said if isinstance(item, Call)] == [
        Call(seats=(Seat(1),)),
        Call(seats=(Seat(3),)),
    ]
    assert scene.times(GiveUp) == []


# A program that sleeps ---------------------------------------------------------------------------


@pytest.mark.parametrize("mover", [None, 2])
def test_who_has_slept_blames_nobody(mover: int | None):
    scene = Scene()
    phase = Phase.KEYS if mover is None else Phase.PLAY
    scene.look(2, phase=phase, mover=mover)
    scene.wait(8)
    scene.sleep(3600)
    scene.look(2, phase=phase, mover=mover)
    scene.wait(15)
    assert scene.times(Call) == []
    scene.wait(30)
    assert len(scene.times(Call)) == 1


def test_a_patience_that_waits_for_nothing_has_no_alarm():
    scene = Scene()
    scene.look(0, phase=Phase.AUDIT)
    assert scene.patience.alarm(scene.now, is_person=False) is None
    assert scene.patience.due(scene.now + 1e6, is_person=False) == []
    assert scene.patience._expected == math.inf
