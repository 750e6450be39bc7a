"""From hand to hand: all seats begin the same hand, or none does."""

import pytest

from p2pokey.errors import LocalProtocolError
from p2pokey.table.commands import HandAt, LinkIs, Refusal, WantNext
from p2pokey.table.contents import Next, Wish
from p2pokey.table.effects import (
    BeginHand,
    MatchEnded,
    Persist,
    Refused,
    ScoresDiffer,
    SeatPresence,
    SeatReady,
    Send,
)
from p2pokey.table.presence import Presence
from p2pokey.table.records import HandCounts, HandFailed
from p2pokey.tiles import Seat
from tests.table.table_net import Net, finished, match_for

PLAY, STOP = WantNext(wish=Wish.PLAY), WantNext(wish=Wish.STOP)


def setups(net: Net) -> list:
    """The newest setup at each seat."""
    return [begun[-1].setup if begun else None for begun in net.told(BeginHand)]


def test_a_hand_begins_when_all_seats_want_it():
    net = Net()
    for seat in (2, 0, 3):
        net.act(seat, PLAY)
        net.run()
    assert setups(net) == [None] * 4

    net.act(1, PLAY)
    net.run()
    assert setups(net) == [net.match.next_setup()] * 4
    assert [len(ready) for ready in net.told(SeatReady)] == [4] * 4


def test_a_wish_is_on_disk_before_it_is_sent():
    effects = Net().act(0, PLAY)

    kinds = [type(effect) for effect in effects]
    assert kinds.index(Persist) < kinds.index(Send)


def test_hand_follows_hand_with_the_scores_of_the_one_before():
    net = Net()
    net.all_act(PLAY)
    net.play_hand((0, -2, -2, -2), starter=1)
    net.all_act(PLAY)

    setup = setups(net)[0]
    assert setups(net) == [setup] * 4
    assert (setup.hand, setup.totals, setup.starter) == (1, (20, 18, 18, 18), 2)
    assert [len(chair.machine.sheet.rows) for chair in net.chairs] == [1] * 4


def test_a_wish_during_a_hand_waits_for_its_end():
    net = Net()
    net.all_act(PLAY)
    net.all_act(PLAY)
    assert [len(begun) for begun in net.told(BeginHand)] == [1] * 4

    net.play_hand()
    assert [begun[-1].setup.hand for begun in net.told(BeginHand)] == [1] * 4


def test_only_the_first_wish_for_an_attempt_counts():
    net = Net()
    net.act(0, PLAY)
    net.act(0, STOP)
    for seat in (1, 2, 3):
        net.act(seat, PLAY)
    net.run()

    assert None not in setups(net)
    assert net.told(MatchEnded) == [[]] * 4


def test_one_that_stops_ends_the_match_for_all():
    net = Net()
    net.all_act(PLAY)
    net.play_hand()
    net.act(2, STOP)
    net.run()

    ended = net.told(MatchEnded)
    assert [[e.stopped_by for e in heard] for heard in ended] == [[(2,)]] * 4
    assert {e.sheet.totals for heard in ended for e in heard} == {(20, 18, 18, 18)}
    net.all_act(PLAY)
    assert [len(begun) for begun in net.told(BeginHand)] == [1] * 4


def test_the_rules_end_a_match():
    net = Net()
    net.all_act(PLAY)
    net.play_hand((0, -20, -2, -2))

    assert [[(e.winners, e.stopped_by) for e in heard] for heard in net.told(MatchEnded)] == [
        [((0,), ())]
    ] * 4
    assert net.act(1, PLAY)[-1] == Refused(why=Refusal.MATCH_OVER)


# A hand that failed ------------------------------------------------------------------------------


def fail(net: Net, claims: list[tuple[int, int | None]]) -> None:
    """The running hand fails; each seat saw something else of it."""
    for seat, (withheld, starter) in enumerate(claims):
        began = None if starter is None else Seat(starter)
        net.act(seat, HandFailed(keys=frozenset({b"k" * 32}), withheld=withheld, starter=began))
    net.all_act(PLAY)


@pytest.mark.parametrize(
    ("claims", "excluded", "starter"),
    [
        ([(0, None)] * 4, 0, None),
        ([(0b0100, None), (0b0100, None), (0, None), (0, None)], 0b0100, None),
        ([(0b0100, None), (0, None), (0b0100, None), (0, None)], 0, None),
        ([(0b0100, None), (0b1000, None), (0b0001, None), (0b0010, None)], 0, None),
        ([(0, 2), (0, 2), (0, None), (0, 1)], 0, 2),
        ([(0, 2), (0, 1), (0, 0), (0, None)], 0, None),
        ([(0b1111, 3), (0b1111, 3), (0b1111, 3), (0, None)], 0, 3),
    ],
    ids=["nothing", "two others", "not itself", "one each", "two name it", "no two", "not all"],
)
def test_what_two_seats_say_of_a_failed_hand_counts(
    claims: list[tuple[int, int | None]], excluded: int, starter: int | None
):
    net = Net()
    net.all_act(PLAY)
    fail(net, claims)

    setup = setups(net)[0]
    assert setups(net) == [setup] * 4
    assert (setup.hand, setup.match_hand) == (1, 0)
    assert (setup.excluded, setup.starter) == (excluded, starter)
    begun = net.told(BeginHand)[0][-1]
    assert begun.used_keys == frozenset({b"k" * 32})


def test_with_two_seats_nobody_is_believed():
    net = Net(2)
    net.all_act(PLAY)
    fail(net, [(0b10, 1), (0b10, 1)])

    assert [(s.excluded, s.starter) for s in setups(net)] == [(0, 0)] * 2


def test_G3_claims_after_a_hand_that_counts_mean_nothing():
    """Two liars must not choose the starter of a hand that is not dealt again."""
    net = Net()
    net.all_act(PLAY)
    net.play_hand(starter=0)
    for seat, chair in enumerate(net.chairs):
        chair.machine._course._failed = HandFailed(
            keys=frozenset(), withheld=0b1000, starter=Seat(3)
        )
        net.act(seat, PLAY)
    net.run()

    assert [(s.excluded, s.starter) for s in setups(net)] == [(0, 1)] * 4


# Disagreement ------------------------------------------------------------------------------------


def test_a_seat_that_keeps_another_score_stops_the_table_and_is_named():
    net = Net()
    net.all_act(PLAY)
    match = net.chairs[0].machine.match
    for seat in range(4):
        points = (0, -2, -2, -2) if seat != 3 else (-2, -2, -2, 0)
        net.act(seat, HandCounts(hand=finished(match, points)))
    net.all_act(PLAY)

    assert [[d.seat for d in heard] for heard in net.told(ScoresDiffer)][:3] == [[3]] * 3
    assert [[d.seat for d in heard] for heard in net.told(ScoresDiffer)][3] == [0, 1, 2]
    assert [len(begun) for begun in net.told(BeginHand)] == [1] * 4


def test_a_wish_that_comes_before_the_own_hand_is_over_is_kept():
    net = Net()
    net.all_act(PLAY)
    done = finished(net.chairs[0].machine.match)
    for seat in (0, 1, 2):
        net.act(seat, HandCounts(hand=done))
        net.act(seat, PLAY)
    net.run()
    assert [len(begun) for begun in net.told(BeginHand)] == [1] * 4
    assert net.told(ScoresDiffer) == [[]] * 4

    net.act(3, HandCounts(hand=done))
    net.act(3, PLAY)
    net.run()
    assert [s.hand for s in setups(net)] == [1] * 4


def test_a_hand_that_was_not_begun_cannot_end():
    net = Net()
    with pytest.raises(LocalProtocolError):
        net.act(0, HandFailed(keys=frozenset()))
    with pytest.raises(LocalProtocolError):
        net.act(0, HandCounts(hand=finished(net.match)))


def test_a_lost_wish_is_passed_on_by_anybody():
    net = Net()
    net.cut = {3}
    net.act(0, PLAY)
    net.act(1, PLAY)
    net.act(3, PLAY)
    net.cut = set()
    net.act(2, PLAY)
    net.run()
    assert setups(net) == [None] * 4

    net.catch_up(3)
    assert None not in setups(net)


# Presence ----------------------------------------------------------------------------------------


def test_presence_is_told_once_for_each_change():
    net = Net()
    for state in (Presence.AWAY, Presence.AWAY, Presence.HERE):
        net.now += 1
        net.act(0, LinkIs(seat=Seat(2), state=state))

    told = net.told(SeatPresence)[0]
    assert [(t.seat, t.state, t.since) for t in told] == [
        (2, Presence.AWAY, 101.0),
        (2, Presence.HERE, 103.0),
    ]
    assert net.chairs[0].machine.presence(Seat(2)) == (Presence.HERE, 103.0)


@pytest.mark.parametrize("state", list(Presence))
def test_a_duel_moves_only_while_both_are_there(state: Presence):
    net = Net(2)
    net.all_act(PLAY)
    net.act(0, LinkIs(seat=Seat(1), state=state))

    is_there = state in (Presence.HERE, Presence.UNSTABLE)
    assert net.chairs[0].machine.may_move() is is_there


def test_more_than_two_play_on_without_one():
    net = Net()
    net.all_act(PLAY)
    net.act(0, LinkIs(seat=Seat(1), state=Presence.LEFT))

    assert net.chairs[0].machine.may_move()


def test_progress_of_another_attempt_is_ignored():
    net = Net()
    net.all_act(PLAY)
    net.act(0, HandAt(attempt=7, moves=9))
    assert net.chairs[0].machine._course.moves == 0

    net.act(0, HandAt(attempt=0, moves=9))
    assert net.chairs[0].machine._course.moves == 9


def test_a_next_says_what_the_seat_holds():
    net = Net(match=match_for(4, "101-standard"))
    net.act(0, PLAY)

    said = net.chairs[0].machine.said[Seat(0)]
    sheet = net.chairs[0].machine.sheet.digest()
    assert said == Next(attempt=0, wish=Wish.PLAY, sheet=sheet)
