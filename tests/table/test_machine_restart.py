"""A table machine that is started again knows what was decided and tells it once more."""

import pytest

from p2pokey.table.carry import VACANT
from p2pokey.table.commands import AnswerAsk, AskRematch, AskSeating, HandAt, Say, WantNext
from p2pokey.table.contents import Answer, Ask, Reply, What, Wish
from p2pokey.table.effects import (
    AskOpened,
    BeginHand,
    ChatShown,
    GiveUpHand,
    MatchEnded,
    RematchBegins,
    RoomLink,
    SeatingAgreed,
)
from p2pokey.table.messages import encode_link
from p2pokey.table.records import HandCounts, HandFailed, decode_outcome, encode_outcome
from p2pokey.tiles import Seat
from tests.table.table_net import Net, finished

PLAY, STOP = WantNext(wish=Wish.PLAY), WantNext(wish=Wish.STOP)


def all_say_yes(net: Net, asker: int = 0) -> None:
    for seat in range(len(net.chairs)):
        for opened in net.chairs[seat].machine.open_asks():
            net.act(seat, AnswerAsk(asker=Seat(asker), seq=opened.seq, yes=True))
    net.run()


def test_a_running_hand_is_taken_up_again():
    net = Net()
    net.all_act(PLAY)
    begun = net.chairs[2].heard(BeginHand)
    net.restart(2)

    assert net.chairs[2].heard(BeginHand) == begun


def test_a_hand_that_has_ended_is_not():
    net = Net()
    net.all_act(PLAY)
    net.play_hand()
    net.restart(2)
    assert net.chairs[2].heard(BeginHand) == []
    assert net.chairs[2].machine.sheet == net.chairs[0].machine.sheet

    net.all_act(PLAY)
    setups = [heard[-1].setup for heard in net.told(BeginHand)]
    assert setups == [setups[0]] * 4


def test_a_hand_that_is_to_be_given_up_still_is():
    net = Net()
    net.all_act(PLAY)
    net.all_act(HandAt(attempt=0, moves=4))
    net.act(0, AskRematch())
    net.run()
    all_say_yes(net)
    net.restart(1)
    assert [type(effect) for effect in net.chairs[1].told][:2] == [BeginHand, GiveUpHand]

    net.act(1, HandFailed(keys=frozenset()))
    net.restart(1)
    assert net.chairs[1].heard(BeginHand) == net.chairs[1].heard(GiveUpHand) == []
    assert net.chairs[1].machine.match.attempts == 1


def test_a_match_that_has_ended_is_told_again():
    net = Net()
    net.act(0, STOP)
    net.run()
    net.restart(3)

    assert [ended.stopped_by for ended in net.chairs[3].heard(MatchEnded)] == [(0,)]


def test_an_open_question_is_shown_again_and_not_asked_again():
    net = Net()
    net.act(0, AskRematch())
    net.run()
    for seat in (0, 1):
        net.restart(seat)
    assert [ask.must_answer for ask in net.chairs[0].heard(AskOpened)] == [False]
    assert [ask.must_answer for ask in net.chairs[1].heard(AskOpened)] == [True]

    all_say_yes(net)
    assert [len(heard) for heard in net.told(RematchBegins)] == [1] * 4


def test_what_was_answered_stays_answered():
    net = Net()
    net.act(0, AskRematch())
    net.run()
    net.act(1, AnswerAsk(asker=Seat(0), seq=0, yes=True))
    net.restart(1)

    assert [ask.must_answer for ask in net.chairs[1].heard(AskOpened)] == [False]
    net.run()
    assert net.chairs[3].machine.counts[1] == 1


def test_new_seats_that_were_agreed_on_are_told_again_and_the_link_can_still_come():
    net = Net()
    net.act(0, AskSeating(order=(1, 0, VACANT, 3)))
    net.run()
    all_say_yes(net)
    agreed = net.chairs[3].heard(SeatingAgreed)
    net.restart(3)
    assert net.chairs[3].heard(SeatingAgreed) == agreed

    link = encode_link(net.match.session, "p2pokey://host/K7Q2M#secret")
    net.chairs[3].machine.receive(link, Seat(1), net.now)
    net.carry_out(3)
    assert len(net.chairs[3].heard(RoomLink)) == 1


def test_what_was_said_while_the_program_was_gone_is_shown():
    net = Net()
    net.cut = {0}
    for number in range(40):
        net.now += 2
        net.act(1, Say(text=f"line {number}"))
        net.run()
    net.cut = set()
    net.restart(0)
    net.catch_up(0)

    assert len(net.chairs[0].heard(ChatShown)) == 40


def test_what_is_said_of_a_failed_hand_is_said_once():
    net = Net()
    net.all_act(PLAY)
    net.all_act(HandFailed(keys=frozenset(), withheld=0b0100, starter=Seat(2)))
    net.restart(0)
    net.all_act(PLAY)
    assert net.chairs[0].machine._nexts.of(1)[Seat(0)].withheld == 0b0100
    net.play_hand(starter=2)
    net.all_act(PLAY)

    said = net.chairs[1].machine._nexts.of(2)
    assert {(next_.withheld, next_.starter) for next_ in said.values()} == {(0, None)}


def test_two_rematches_for_one_attempt_are_one():
    """No honest seat says yes to two, but two liars can."""
    net = Net(2)
    desks = [net.chairs[seat].machine._desk for seat in (0, 1)]
    for desk in desks:
        desk.say(Ask(what=What.REMATCH, attempt=0, step=0), net.now)
    asked = [desk.chains.head(desk.seat)[1] for desk in desks]
    for seat in (0, 1):
        yes = Answer(asker=Seat(1 - seat), seq=0, reply=Reply.YES, asked=asked[1 - seat])
        desks[seat].say(yes, net.now)
        net.carry_out(seat)
    net.run()

    assert [[r.attempt for r in heard] for heard in net.told(RematchBegins)] == [[1], [1]]


@pytest.mark.parametrize("counts", [True, False])
def test_outcomes_have_one_form(counts: bool):
    match = Net().match
    for outcome in (
        HandCounts(hand=finished(match), reason="finish-melds"),
        HandFailed(keys=frozenset({b"k" * 32}), withheld=3, starter=Seat(0), reason="x"),
        HandFailed(keys=frozenset(), culprit=Seat(0) if counts else None),
    ):
        assert decode_outcome(encode_outcome(outcome)) == outcome
