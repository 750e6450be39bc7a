"""Questions to all: what is agreed on follows from the chains, and all seats come to the same."""

import pytest

from p2pokey.errors import DecodeError
from p2pokey.table.asking import ASK_SECONDS, STUCK_SECONDS
from p2pokey.table.asks import AskOutcome, Asks
from p2pokey.table.carry import VACANT, carry_bytes
from p2pokey.table.commands import (
    AnswerAsk,
    AskRematch,
    AskSeating,
    Command,
    HandAt,
    LinkIs,
    Refusal,
    ShareLink,
    Synced,
    WantNext,
)
from p2pokey.table.contents import (
    Answer,
    Ask,
    Kind,
    Reply,
    What,
    Wish,
    decode_content,
    encode_content,
)
from p2pokey.table.effects import (
    AskAnswered,
    AskClosed,
    AskOpened,
    BeginHand,
    GiveUpHand,
    MatchEnded,
    Refused,
    RematchBegins,
    RoomLink,
    ScoresDiffer,
    SeatingAgreed,
    Send,
)
from p2pokey.table.messages import NO_PREVIOUS, encode_link, seal_message
from p2pokey.table.nexts import Nexts
from p2pokey.table.presence import Presence
from p2pokey.table.records import HandCounts, HandFailed
from p2pokey.tiles import Seat
from tests.table.table_net import Net, finished

PLAY, STOP = WantNext(wish=Wish.PLAY), WantNext(wish=Wish.STOP)
NEW_ORDER = (1, 0, 2, 3)


def answer(net: Net, seat: int, *, yes: bool, asker: int = 0, newest: bool = False) -> None:
    opened = net.chairs[seat].machine.open_asks()
    seqs = [question.seq for question in opened if question.asker == asker]
    net.act(seat, AnswerAsk(asker=Seat(asker), seq=seqs[-1 if newest else 0], yes=yes))
    net.run()


def outcomes(net: Net) -> list[list[AskOutcome]]:
    return [[closed.outcome for closed in heard] for heard in net.told(AskClosed)]


def refusals(net: Net, seat: int) -> list[Refusal]:
    return [refused.why for refused in net.chairs[seat].heard(Refused)]


def ask(net: Net, seat: int, command: AskRematch | AskSeating) -> None:
    net.act(seat, command)
    net.run()


def set_gone(net: Net, gone: int) -> None:
    net.cut.add(gone)
    for seat in range(len(net.chairs)):
        net.act(seat, LinkIs(seat=Seat(gone), state=Presence.AWAY))
    net.run()


# Rematch -----------------------------------------------------------------------------------------


def test_a_rematch_needs_everybody():
    net = Net()
    net.all_act(PLAY)
    net.play_hand((0, -20, -2, -2))
    ask(net, 0, AskRematch())
    for seat in (1, 2):
        answer(net, seat, yes=True)
    assert outcomes(net) == [[]] * 4

    answer(net, 3, yes=True)
    assert outcomes(net) == [[AskOutcome.AGREED]] * 4
    assert [len(heard) for heard in net.told(AskAnswered)] == [3] * 4
    assert [heard[0].attempt for heard in net.told(RematchBegins)] == [2] * 4
    assert net.told(RematchBegins)[1][0].history[0].totals == (20, 0, 18, 18)
    assert net.told(GiveUpHand) == [[]] * 4

    net.all_act(PLAY)
    setups = [heard[-1].setup for heard in net.told(BeginHand)]
    assert {(s.hand, s.match_hand, s.totals, s.starter) for s in setups} == {
        (2, 0, (20, 20, 20, 20), None)
    }
    assert net.told(BeginHand)[0][-1].used_keys == frozenset({b"d" * 32})


def begin_anew_without(net: Net) -> list[bytes]:
    """All agree on a rematch within a hand; what seat 1 lacks of the answers to its question."""
    net.all_act(PLAY)
    ask(net, 0, AskRematch())
    answer(net, 1, yes=True)
    answer(net, 2, yes=True)
    net.act(3, AnswerAsk(asker=Seat(0), seq=1, yes=True))
    late = list(net.wires[3, 0])
    net.wires[3, 0].clear()
    net.run()
    net.all_act(HandFailed(keys=frozenset()))
    return late


@pytest.mark.parametrize("goes_on", [PLAY, AskSeating(order=(1, 0, 2, 3))])
def test_scores_are_not_compared_with_those_of_a_rematch_that_is_not_known_yet(goes_on: Command):
    """One seat lacks an answer; the hand has failed for all, and the others begin anew."""
    net = Net()
    late = begin_anew_without(net)
    assert [len(heard) for heard in net.told(RematchBegins)] == [0, 1, 1, 1]
    net.act(1, goes_on)
    net.run()
    assert net.told(ScoresDiffer) == [[]] * 4

    for data in late:
        net.chairs[0].machine.receive(data, Seat(3), net.now)
    net.carry_out(0)
    net.run()
    assert [len(heard) for heard in net.told(RematchBegins)] == [1] * 4
    assert net.told(ScoresDiffer) == [[]] * 4


def test_an_order_with_the_score_before_a_rematch_is_no_lie():
    """Its asker had not heard of the rematch yet."""
    net = Net()
    late = begin_anew_without(net)
    net.act(0, AskSeating(order=(0, 1, 2, VACANT)))
    assert refusals(net, 0) == [Refusal.ASK_OPEN]
    order, desk = (0, 1, 2, VACANT), net.chairs[0].machine._desk
    before = net.chairs[0].machine.sheet.digest()
    desk.say(Ask(what=What.SEATING, attempt=1, step=0, order=order, sheet=before), net.now)
    net.carry_out(0)
    net.run()
    assert net.told(ScoresDiffer) == [[]] * 4
    for data in late:
        net.chairs[0].machine.receive(data, Seat(3), net.now)
    net.carry_out(0)
    net.run()

    assert net.told(ScoresDiffer) == net.told(SeatingAgreed) == [[]] * 4


def test_scores_are_not_compared_by_a_seat_that_does_not_know_what_it_has_signed():
    """Its yes to the rematch went with the end of its journal."""
    net = Net()
    net.all_act(PLAY)
    ask(net, 1, AskRematch())
    before = len(net.chairs[0].disk)
    for seat in (0, 2, 3):
        answer(net, seat, yes=True, asker=1)
    net.all_act(HandFailed(keys=frozenset()))
    assert [len(heard) for heard in net.told(RematchBegins)] == [1] * 4
    del net.chairs[0].disk[before:]
    net.restart(0, is_tail_lost=True)
    net.act(0, HandFailed(keys=frozenset()))
    for seat in (1, 2, 3):
        net.act(seat, PLAY)
    net.run()
    assert net.told(ScoresDiffer) == [[]] * 4

    net.catch_up(0)
    net.act(0, Synced())
    net.act(0, PLAY)
    net.run()
    assert net.told(ScoresDiffer) == [[]] * 4
    assert net.chairs[0].machine.match.attempts == 1
    assert all(chair.heard(BeginHand) for chair in net.chairs)


def test_who_is_out_waits_for_the_rematch_before_it_compares_scores():
    net = Net()
    late = begin_anew_without(net)
    net.act(1, AskSeating(order=(1, 2, VACANT, VACANT)))
    net.run()
    answer(net, 2, yes=True, asker=1)
    assert net.told(ScoresDiffer) == [[]] * 4
    assert [len(heard) for heard in net.told(SeatingAgreed)][1:] == [1] * 3
    assert net.told(SeatingAgreed)[0] == net.told(ScoresDiffer)[0] == []

    for data in late:
        net.chairs[0].machine.receive(data, Seat(3), net.now)
    net.carry_out(0)
    assert [agreed.seat for agreed in net.told(SeatingAgreed)[0]] == [None]
    assert net.told(ScoresDiffer) == [[]] * 4


def test_one_no_settles_it():
    net = Net()
    ask(net, 0, AskRematch())
    answer(net, 2, yes=False)

    assert outcomes(net) == [[AskOutcome.REFUSED]] * 4
    assert {closed.against for heard in net.told(AskClosed) for closed in heard} == {(2,)}
    answer_again = AnswerAsk(asker=Seat(0), seq=0, yes=True)
    net.act(1, answer_again)
    assert refusals(net, 1) == [Refusal.NO_SUCH_ASK]


def test_the_first_answer_counts():
    net = Net()
    ask(net, 0, AskRematch())
    answer(net, 1, yes=True)
    net.act(1, AnswerAsk(asker=Seat(0), seq=0, yes=False))
    net.run()

    assert refusals(net, 1) == [Refusal.NO_SUCH_ASK]
    assert outcomes(net) == [[]] * 4


def test_a_rematch_in_the_middle_of_a_hand_gives_it_up():
    net = Net()
    net.all_act(PLAY)
    net.all_act(HandAt(attempt=0, moves=4))
    ask(net, 0, AskRematch())
    for seat in (1, 2, 3):
        answer(net, seat, yes=True)

    assert [len(heard) for heard in net.told(GiveUpHand)] == [1] * 4
    assert not net.chairs[0].machine.may_move()
    net.all_act(HandFailed(keys=frozenset({b"k" * 32}), starter=Seat(2)))
    net.all_act(PLAY)
    begun = net.told(BeginHand)[3][-1]
    assert (begun.setup.hand, begun.setup.starter) == (1, None)
    assert begun.used_keys == frozenset({b"k" * 32})


def test_a_move_cancels_a_pending_request():
    net = Net()
    net.all_act(PLAY)
    net.all_act(HandAt(attempt=0, moves=4))
    ask(net, 0, AskRematch())
    answer(net, 1, yes=True)
    net.all_act(HandAt(attempt=0, moves=5))

    assert outcomes(net) == [[AskOutcome.CANCELLED]] * 4
    assert net.told(AskClosed)[0][0].against == (2,)
    assert net.told(RematchBegins) == [[]] * 4


def test_a_rematch_waits_for_a_hand_that_is_being_counted():
    """Some have all scores before they hear of the last yes, some hear of it first."""
    net = Net()
    net.all_act(PLAY)
    done = HandCounts(hand=finished(net.chairs[0].machine.match))
    net.all_act(HandAt(attempt=0, moves=40, is_played=True))
    ask(net, 3, AskRematch())
    for seat in (0, 1, 2):
        seq = net.chairs[seat].machine.open_asks()[0].seq
        net.act(seat, AnswerAsk(asker=Seat(3), seq=seq, yes=True))
    for seat in (0, 1, 3):
        net.act(seat, done)
    net.run()
    assert outcomes(net) == [[AskOutcome.AGREED]] * 4
    assert net.told(GiveUpHand) == [[]] * 4
    assert [len(heard) for heard in net.told(RematchBegins)] == [1, 1, 0, 1]

    net.restart(2)
    net.act(2, done)
    heard = [heard[0] for heard in net.told(RematchBegins)]
    assert [begun.attempt for begun in heard] == [1] * 4
    assert [begun.history[0].totals for begun in heard] == [(20, 18, 18, 18)] * 4
    net.all_act(PLAY)
    assert net.told(ScoresDiffer) == [[]] * 4
    assert {heard[-1].setup.hand for heard in net.told(BeginHand)} == {1}


def test_a_new_step_without_a_move_cancels_nothing():
    net = Net()
    net.all_act(PLAY)
    net.all_act(HandAt(attempt=0, moves=4))
    ask(net, 0, AskRematch())
    net.all_act(HandAt(attempt=0, moves=4))

    assert outcomes(net) == [[]] * 4


def test_a_seat_that_is_behind_answers_when_it_has_got_there():
    net = Net()
    net.all_act(PLAY)
    for seat in (0, 1, 2):
        net.act(seat, HandAt(attempt=0, moves=4))
    ask(net, 0, AskRematch())
    assert [len(heard) for heard in net.told(AskOpened)] == [1, 1, 1, 0]

    net.act(3, HandAt(attempt=0, moves=4))
    assert [len(heard) for heard in net.told(AskOpened)] == [1] * 4


def test_a_new_attempt_cancels_a_request():
    net = Net()
    for seat in (1, 2, 3):
        net.act(seat, PLAY)
    net.run()
    ask(net, 1, AskRematch())
    answer(net, 2, yes=True, asker=1)
    net.act(0, PLAY)
    net.run()

    # Seat 1 wanted the hand, so its program has begun it and said no for it.
    assert outcomes(net) == [[AskOutcome.CANCELLED]] * 4
    assert [len(heard) for heard in net.told(BeginHand)] == [1] * 4


def test_who_has_said_yes_begins_no_hand_before_it_is_settled():
    net = Net()
    for seat in (0, 1, 2):
        net.act(seat, PLAY)
    net.run()
    net.cut = {3}
    ask(net, 1, AskRematch())
    answer(net, 0, yes=True, asker=1)
    answer(net, 2, yes=True, asker=1)
    net.cut = set()
    net.act(3, PLAY)
    net.run()
    # Seat 4 does not know the question and has begun; the others wait for its answer.
    assert [len(heard) for heard in net.told(BeginHand)] == [0, 0, 0, 1]

    net.catch_up(3)
    assert outcomes(net) == [[AskOutcome.CANCELLED]] * 4
    assert [len(heard) for heard in net.told(BeginHand)] == [1] * 4


def test_next_waits_while_the_own_question_is_open():
    net = Net()
    ask(net, 0, AskRematch())
    sent = [effect for effect in net.act(0, PLAY) if isinstance(effect, Send)]
    assert sent == []

    answer(net, 1, yes=False)
    assert Seat(0) in net.chairs[2].machine.said


def test_after_a_minute_the_program_says_no():
    net = Net()
    ask(net, 0, AskRematch())
    assert [chair.machine.next_timer() for chair in net.chairs] == [None] + [net.now + 60] * 3

    net.wait(ASK_SECONDS - 1)
    assert outcomes(net) == [[]] * 4
    net.wait(1)
    assert outcomes(net) == [[AskOutcome.CANCELLED]] * 4
    assert [chair.machine.next_timer() for chair in net.chairs] == [None] * 4


def test_somebody_who_goes_cancels_it():
    net = Net()
    ask(net, 0, AskRematch())
    set_gone(net, 2)

    assert outcomes(net)[0] == outcomes(net)[1] == outcomes(net)[3] == [AskOutcome.CANCELLED]


def test_nothing_is_asked_while_somebody_is_gone_or_another_question_is_open():
    net = Net()
    ask(net, 0, AskRematch())
    ask(net, 1, AskRematch())
    assert refusals(net, 1) == [Refusal.ASK_OPEN]

    answer(net, 1, yes=False)
    set_gone(net, 2)
    ask(net, 1, AskRematch())
    assert refusals(net, 1) == [Refusal.ASK_OPEN, Refusal.SOMEBODY_GONE]


def stop_after_a_hand(net: Net, *seats: int) -> None:
    net.all_act(PLAY)
    net.play_hand()
    for seat in seats:
        net.act(seat, STOP)
    net.run()


@pytest.mark.parametrize("asker", [0, 2])
def test_a_rematch_follows_a_match_that_some_have_stopped(asker: int):
    """Whoever wanted so many hands and no more may still want another match."""
    net = Net()
    stop_after_a_hand(net, 0, 2)
    ask(net, asker, AskRematch())
    for seat in {0, 1, 2, 3} - {asker}:
        answer(net, seat, yes=True, asker=asker)
    assert outcomes(net) == [[AskOutcome.AGREED]] * 4
    assert [[begun.attempt for begun in heard] for heard in net.told(RematchBegins)] == [[2]] * 4

    net.all_act(PLAY)
    assert [heard[-1].setup.hand for heard in net.told(BeginHand)] == [2] * 4
    net.play_hand()
    assert {chair.machine.match.totals for chair in net.chairs} == {(20, 18, 18, 18)}


def test_a_stop_holds_for_its_own_match_and_ends_each_only_once():
    net = Net()
    stop_after_a_hand(net, 2)
    ask(net, 0, AskRematch())
    for seat in (1, 2, 3):
        answer(net, seat, yes=True)
    stop_after_a_hand(net, 1)

    ended = [[event.stopped_by for event in heard] for heard in net.told(MatchEnded)]
    assert ended == [[(2,), (1,)]] * 4
    net.all_act(PLAY)
    assert [len(heard) for heard in net.told(BeginHand)] == [2] * 4


def test_a_seat_that_stops_and_goes_says_no_to_a_rematch_by_the_programs_of_the_others():
    net = Net()
    stop_after_a_hand(net, 2)
    ask(net, 0, AskRematch())
    set_gone(net, 2)
    for seat in (0, 1, 3):
        net.chairs[seat].machine.timer(net.now)
        net.carry_out(seat)
    net.run()
    assert [heard for seat, heard in enumerate(outcomes(net)) if seat != 2] == [
        [AskOutcome.CANCELLED]
    ] * 3
    ask(net, 1, AskRematch())
    assert refusals(net, 1) == [Refusal.SOMEBODY_GONE]


def test_other_seats_follow_a_match_that_some_have_stopped():
    net = Net()
    stop_after_a_hand(net, 0, 2)
    agree_on(net, NEW_ORDER)
    assert [[agreed.order for agreed in heard] for heard in net.told(SeatingAgreed)] == [
        [NEW_ORDER]
    ] * 4


def test_a_program_that_comes_back_after_a_stop_says_yes_to_a_rematch():
    net = Net()
    stop_after_a_hand(net, 2)
    ask(net, 0, AskRematch())
    net.restart(2)
    for seat in (1, 2, 3):
        answer(net, seat, yes=True)
    net.restart(2)
    assert outcomes(net)[0] == [AskOutcome.AGREED]
    net.all_act(PLAY)
    assert [chair.heard(BeginHand)[-1].setup.hand for chair in net.chairs] == [2] * 4


def test_two_questions_at_once_are_both_settled_alike():
    """Each asker is bound to its own question, so none of the two is agreed to."""
    net = Net()
    net.act(0, AskRematch())
    net.act(1, AskRematch())
    net.run()

    closed = [{(c.asker, c.outcome) for c in heard} for heard in net.told(AskClosed)]
    assert closed == [{(0, AskOutcome.CANCELLED), (1, AskOutcome.CANCELLED)}] * 4


# Other seats -------------------------------------------------------------------------------------


def agree_on(net: Net, order: tuple[int, ...], asker: int = 0, *, newest: bool = False) -> None:
    ask(net, asker, AskSeating(order=order))
    for seat in order:
        if seat not in (asker, VACANT):
            answer(net, seat, yes=True, asker=asker, newest=newest)


def test_other_seats_are_agreed_on_and_the_match_goes_over():
    net = Net()
    net.all_act(PLAY)
    net.play_hand((0, -2, -4, -8), starter=1)
    match = net.chairs[0].machine.match
    agree_on(net, NEW_ORDER)

    agreed = [heard[0] for heard in net.told(SeatingAgreed)]
    assert {a.order for a in agreed} == {NEW_ORDER}
    assert {a.carry for a in agreed} == {carry_bytes(match, NEW_ORDER)}
    assert [a.seat for a in agreed] == [1, 0, 2, 3]
    net.all_act(PLAY)
    assert [refusals(net, seat) for seat in range(4)] == [[Refusal.TABLE_OVER]] * 4
    assert [len(heard) for heard in net.told(BeginHand)] == [1] * 4


def test_who_is_out_is_not_asked_but_told():
    net = Net()
    net.all_act(PLAY)
    net.play_hand()
    agree_on(net, (0, 1, VACANT, 3))

    assert [heard[0].seat for heard in net.told(SeatingAgreed)] == [0, 1, None, 3]
    assert [heard[0].must_answer for heard in net.told(AskOpened)] == [False, True, False, True]


def test_somebody_who_is_gone_can_be_put_out():
    net = Net()
    net.all_act(PLAY)
    net.play_hand()
    set_gone(net, 3)
    agree_on(net, (0, 1, 2, VACANT))

    assert [len(heard) for heard in net.told(SeatingAgreed)] == [1, 1, 1, 0]
    net.cut = set()
    net.catch_up(3)
    assert net.told(SeatingAgreed)[3][0].seat is None


def test_seats_do_not_change_during_a_hand():
    net = Net()
    net.all_act(PLAY)
    ask(net, 0, AskSeating(order=NEW_ORDER))

    assert refusals(net, 0) == [Refusal.IN_HAND]


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ((0, 1), Refusal.BAD_ORDER),
        ((VACANT, 0, 1, 2), Refusal.BAD_ORDER),
        ((0, 0, 1, 2), Refusal.BAD_ORDER),
        ((1, 2, 3, VACANT), Refusal.NOT_STAYING),
    ],
)
def test_an_order_must_fit(order: tuple[int, ...], why: Refusal):
    net = Net()
    ask(net, 0, AskSeating(order=order))

    assert refusals(net, 0) == [why]


def test_an_order_for_another_number_of_seats_means_nothing():
    net = Net()
    desk = net.chairs[0].machine._desk
    desk.say(Ask(what=What.SEATING, attempt=0, step=0, order=(0, 1), sheet=bytes(32)), net.now)
    net.carry_out(0)
    net.run()

    assert [chair.machine.open_asks() for chair in net.chairs] == [[]] * 4


def test_who_is_put_out_in_its_last_hand_ends_it_before_it_compares_scores():
    net = Net()
    net.all_act(PLAY)
    done = HandCounts(hand=finished(net.chairs[0].machine.match))
    for seat in (0, 1, 2):  # the last RESULT is still on its way to the fourth seat
        net.act(seat, done)
    agree_on(net, (0, 1, 2, VACANT))
    late = net.chairs[3]
    assert [len(heard) for heard in net.told(SeatingAgreed)] == [1, 1, 1, 0]
    assert late.heard(GiveUpHand) == late.heard(ScoresDiffer) == []
    assert late.machine.may_move()

    net.restart(3)
    assert late.heard(SeatingAgreed) == []
    net.act(3, done)
    assert [agreed.seat for agreed in late.heard(SeatingAgreed)] == [None]
    assert late.heard(GiveUpHand) == late.heard(ScoresDiffer) == []


@pytest.mark.parametrize("attempt", [0, 7])
def test_two_liars_cannot_end_a_hand_of_the_others(attempt: int):
    net = Net()
    net.all_act(PLAY)
    sheet, order = net.chairs[0].machine.sheet.digest(), (2, 3, VACANT, VACANT)
    desks = [net.chairs[seat].machine._desk for seat in (2, 3)]
    said = Ask(what=What.SEATING, attempt=attempt, step=0, order=order, sheet=sheet)
    desks[0].say(said, net.now)
    _, asked = desks[0].chains.head(Seat(2))
    desks[1].say(Answer(asker=Seat(2), seq=1, reply=Reply.YES, asked=asked), net.now)
    for seat in (2, 3):
        net.carry_out(seat)
    net.run()
    assert [heard[0].outcome for heard in net.told(AskClosed)[:2]] == [AskOutcome.AGREED] * 2
    assert net.told(GiveUpHand)[:2] == net.told(SeatingAgreed)[:2] == [[]] * 2
    assert all(net.chairs[seat].machine.may_move() for seat in (0, 1))

    net.play_hand((0, -2, -4, -8))
    assert [net.chairs[seat].machine.sheet.totals for seat in (0, 1)] == [(20, 18, 16, 12)] * 2


def test_who_has_said_yes_to_a_rematch_ends_that_hand_before_its_seat_changes():
    net = Net()
    net.all_act(PLAY)
    ask(net, 0, AskRematch())
    for seat in (1, 2, 3):
        answer(net, seat, yes=True)
    for seat in (0, 1, 2):
        net.act(seat, HandFailed(keys=frozenset()))
    agree_on(net, (1, 0, 2, VACANT))
    assert [len(heard) for heard in net.told(SeatingAgreed)] == [1, 1, 1, 0]

    net.act(3, HandFailed(keys=frozenset()))
    assert net.told(SeatingAgreed)[3][0].seat is None


def test_two_liars_cannot_have_two_orders_agreed_on():
    """Each of the others says yes to one of them, before it knows the other."""
    net, sheet = Net(), Net().chairs[0].machine.sheet.digest()
    orders = {2: (2, 3, 0, VACANT), 3: (3, 2, VACANT, 1)}
    liars = {seat: net.chairs[seat].machine._desk for seat in (2, 3)}
    for seat, order in orders.items():
        said = Ask(what=What.SEATING, attempt=0, step=0, order=order, sheet=sheet)
        liars[seat].say(said, net.now)
        net.carry_out(seat)
        net.deliver(seat, seat - 2)
        net.act(seat - 2, AnswerAsk(asker=Seat(seat), seq=0, yes=True))
    asked = {seat: liar.chains.head(Seat(seat))[1] for seat, liar in liars.items()}
    for seat in (2, 3):
        yes = Answer(asker=Seat(5 - seat), seq=0, reply=Reply.YES, asked=asked[5 - seat])
        liars[seat].say(yes, net.now)
        net.carry_out(seat)
    net.run()
    net.wait(ASK_SECONDS)

    assert net.told(SeatingAgreed) == [[]] * 4


def test_who_asks_different_seats_different_things_gets_nothing():
    """Each of the others says yes to what it was asked; nothing else of the liar's is seen."""
    net, orders = Net(), {1: (1, 0, 2, 3), 2: (0, 2, 1, 3), 3: (0, 2, 1, 3)}
    sheet = net.chairs[0].machine.sheet.digest()
    for seat, order in orders.items():
        said = Ask(what=What.SEATING, attempt=0, step=0, order=order, sheet=sheet)
        message = seal_message(
            net.chairs[0].machine._desk._signer,
            session=net.match.session,
            seat=Seat(0),
            seq=0,
            previous=NO_PREVIOUS,
            content=said,
        )
        net.chairs[seat].machine.receive(message.encoded, Seat(0), net.now)
        net.act(seat, AnswerAsk(asker=Seat(0), seq=0, yes=True))
    net.run()

    assert net.told(SeatingAgreed)[1:] == [[]] * 3
    outcomes = [[closed.outcome for closed in heard] for heard in net.told(AskClosed)[1:]]
    assert outcomes == [[AskOutcome.CANCELLED]] * 3


def test_after_a_no_other_seats_can_be_asked_for_again():
    net = Net()
    ask(net, 0, AskSeating(order=NEW_ORDER))
    answer(net, 1, yes=True)
    answer(net, 2, yes=False)
    agree_on(net, (0, 1, 3, 2))

    assert [heard[0].order for heard in net.told(SeatingAgreed)] == [(0, 1, 3, 2)] * 4


def test_a_seat_that_does_not_answer_for_other_seats_can_be_put_out():
    """Also those who have said yes to the one order may then agree on the other, without it."""
    net, smaller = Net(), (0, 1, 2, VACANT)
    ask(net, 0, AskSeating(order=NEW_ORDER))
    net.cut = {3}
    answer(net, 1, yes=True)
    answer(net, 2, yes=True)
    net.now += ASK_SECONDS + STUCK_SECONDS
    ask(net, 0, AskSeating(order=(0, 1, 3, 2)))
    assert refusals(net, 0) == [Refusal.ASK_OPEN]
    ask(net, 0, AskSeating(order=smaller))
    answer(net, 1, yes=True, newest=True)

    # Now the answer comes after all, at first to one alone: it waits for what it has agreed to since.
    late = net.chairs[3].machine._desk
    (first,) = [opened for opened in net.chairs[1].machine.open_asks() if opened.seq == 0]
    late.say(Answer(asker=Seat(0), seq=0, reply=Reply.YES, asked=first.digest), net.now)
    (said,) = (effect.data for effect in net.carry_out(3) if isinstance(effect, Send))
    net.chairs[1].machine.receive(said, Seat(3), net.now)
    net.carry_out(1)
    assert net.told(AskClosed)[1][0].outcome is AskOutcome.AGREED
    assert net.told(SeatingAgreed)[1] == []
    answer(net, 2, yes=True, newest=True)
    assert [heard[0].order for heard in net.told(SeatingAgreed)[:3]] == [smaller] * 3

    net.cut = set()
    net.catch_up(3)
    assert [len(heard) for heard in net.told(SeatingAgreed)[:3]] == [1] * 3


@pytest.mark.parametrize("bound", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("question", [AskRematch(), AskSeating(order=NEW_ORDER)])
def test_who_always_asks_something_can_be_put_out(
    question: AskRematch | AskSeating, bound: tuple[int, ...]
):
    net = Net()
    ask(net, 3, question)
    for seat in bound:
        answer(net, seat, yes=True, asker=3)
    agree_on(net, (0, 1, 2, VACANT), newest=True)

    assert [heard[0].seat for heard in net.told(SeatingAgreed)] == [0, 1, 2, None]


def test_two_pairs_that_put_each_other_out_part():
    net = Net()
    net.act(0, AskSeating(order=(0, 1, VACANT, VACANT)))
    net.act(2, AskSeating(order=(2, 3, VACANT, VACANT)))
    net.deliver(0, 1)
    net.deliver(2, 3)
    net.act(1, AnswerAsk(asker=Seat(0), seq=0, yes=True))
    net.act(3, AnswerAsk(asker=Seat(2), seq=0, yes=True))
    for source in (2, 3):  # what puts them out is at the first seat before the yes it waits for
        while net.wires[source, 0]:
            net.deliver(source, 0)
    assert net.told(SeatingAgreed)[0] == []
    net.run()

    assert [heard[0].seat for heard in net.told(SeatingAgreed)] == [0, 1, 0, 1]


def test_who_goes_over_to_other_seats_says_no_to_all_else():
    net = Net()
    agree_on(net, (0, 1, 2, VACANT))
    net.chairs[3].machine._desk.say(Ask(what=What.REMATCH, attempt=0, step=0), net.now)
    net.carry_out(3)
    net.run()

    assert {heard[-1].outcome for heard in net.told(AskClosed)} == {AskOutcome.CANCELLED}


def test_other_seats_with_another_score_are_refused_and_named():
    net = Net()
    net.all_act(PLAY)
    match = net.chairs[0].machine.match
    net.act(0, HandCounts(hand=finished(match, (0, 0, -2, -2))))
    for seat in (1, 2, 3):
        net.act(seat, HandCounts(hand=finished(match, (0, -2, -2, -2))))
    ask(net, 0, AskSeating(order=NEW_ORDER))

    assert outcomes(net) == [[AskOutcome.CANCELLED]] * 4
    assert [[d.seat for d in heard] for heard in net.told(ScoresDiffer)][1:] == [[0]] * 3


def test_a_question_that_nobody_can_settle_does_not_hold_the_table_up():
    """All but one have said yes to a rematch, and that one is lost: the others change seats."""
    net = Net()
    net.all_act(PLAY)
    net.play_hand()
    match = net.chairs[0].machine.match
    net.cut = {3}
    ask(net, 0, AskRematch())
    answer(net, 1, yes=True)
    answer(net, 2, yes=True)
    set_gone(net, 3)
    assert outcomes(net)[0] == []

    order = (0, 1, 2, VACANT)
    agree_on(net, order, newest=True)
    agreed = [heard[0] for heard in net.told(SeatingAgreed)[:3]]
    assert {a.carry for a in agreed} == {carry_bytes(match, order)}


def test_whose_yes_hangs_on_a_question_that_there_is_not_is_waited_for_by_name():
    """It has answered, and yet nothing can be settled: the others say for whom they wait."""
    net = Net()
    liar = net.chairs[3].machine._desk
    nowhere = Answer(asker=Seat(1), seq=77, reply=Reply.YES, asked=bytes(32))
    liar.say(nowhere, net.now)
    net.carry_out(3)
    ask(net, 0, AskSeating(order=NEW_ORDER))
    for seat in (1, 2, 3):
        answer(net, seat, yes=True)

    assert net.told(SeatingAgreed)[0] == []
    for seat in (0, 1, 2):
        assert net.chairs[seat].machine.awaited == {3}


def test_who_waits_for_an_answer_is_not_waited_for_but_whoever_owes_it():
    """Its NEXT is missing because the question is open, and its own word has been given."""
    net = Net()
    net.act(3, PLAY)
    net.run()
    ask(net, 0, AskSeating(order=NEW_ORDER))
    answer(net, 1, yes=True)
    awaited = [chair.machine.awaited for chair in net.chairs]
    assert awaited == [{2, 3}, {2, 3}, {3}, {2}]

    answer(net, 2, yes=True)
    awaited = [chair.machine.awaited for chair in net.chairs]
    assert awaited == [{3}, {3}, {3}, set()]

    answer(net, 3, yes=False)
    awaited = [chair.machine.awaited for chair in net.chairs]
    assert awaited == [{1, 2}, {0, 2}, {0, 1}, {0, 1, 2}]


def test_a_seat_that_never_answers_can_be_put_out():
    net = Net()
    net.cut = {3}
    ask(net, 0, AskRematch())
    answer(net, 1, yes=True)
    answer(net, 2, yes=True)
    ask(net, 0, AskSeating(order=(0, 1, 2, VACANT)))
    assert refusals(net, 0) == [Refusal.ASK_OPEN]

    net.now += ASK_SECONDS + STUCK_SECONDS
    agree_on(net, (0, 1, 2, VACANT), newest=True)
    assert [len(heard) for heard in net.told(SeatingAgreed)] == [1, 1, 1, 0]


@pytest.mark.parametrize(("seats", "is_gone"), [(2, True), (2, False), (4, False)])
def test_nobody_changes_seats_alone(seats: int, is_gone: bool):
    net = Net(seats)
    if is_gone:
        set_gone(net, 1)
    ask(net, 0, AskSeating(order=(0, *[VACANT] * (seats - 1))))

    assert refusals(net, 0) == [Refusal.ALONE]
    assert net.told(AskOpened) == net.told(SeatingAgreed) == [[]] * seats


@pytest.mark.parametrize("order", [(0, VACANT, VACANT, VACANT), (3, VACANT, VACANT, VACANT)])
def test_an_order_in_which_nobody_else_stays_has_no_form(order: tuple[int, ...]):
    with pytest.raises(DecodeError):
        decode_content(Kind.ASK, encode_content(seating(order)))


@pytest.mark.parametrize(("order", "step"), [((0, *[VACANT] * 3), 0), (NEW_ORDER, 5)])
def test_seats_for_the_asker_alone_or_in_a_hand_mean_nothing(order: tuple[int, ...], step: int):
    asks = Asks(seats=4, nexts=Nexts(4))
    asks.put_ask(Seat(0), 0, seating(order, step=step), bytes(32), 0.0)

    assert asks.open() == []


def seating(order: tuple[int, ...], *, step: int = 0) -> Ask:
    return Ask(what=What.SEATING, attempt=0, step=step, order=order, sheet=bytes(32))


# The way into the new room -----------------------------------------------------------------------


def test_the_first_new_seat_tells_the_others_its_link():
    net = Net()
    agree_on(net, (1, 0, VACANT, 3))
    effects = net.act(1, ShareLink(link="p2pokey://host/K7Q2M#secret"))
    net.run()

    assert sorted(effect.to for effect in effects if isinstance(effect, Send)) == [0, 3]
    links = [[told.link for told in heard] for heard in net.told(RoomLink)]
    assert links == [["p2pokey://host/K7Q2M#secret"], [], [], ["p2pokey://host/K7Q2M#secret"]]
    assert not any(b"secret" in record.payload for record in net.chairs[1].disk)


@pytest.mark.parametrize("before", [Presence.AWAY, Presence.UNSTABLE])
def test_who_comes_back_is_told_the_newest_link_again(before: Presence):
    net = Net()
    agree_on(net, (1, 0, VACANT, 3))
    for secret in ("one", "two"):
        net.act(1, ShareLink(link=f"p2pokey://host/K7Q2M#{secret}"))
    net.run()
    net.restart(0)
    assert net.chairs[0].heard(RoomLink) == []
    for seat in (0, 2):
        net.act(1, LinkIs(seat=Seat(seat), state=before))
        net.act(1, LinkIs(seat=Seat(seat), state=Presence.HERE))
    net.run()

    assert [told.link[-3:] for told in net.chairs[0].heard(RoomLink)] == ["two"]
    assert net.chairs[2].heard(RoomLink) == []


def test_nobody_else_does():
    net = Net()
    agree_on(net, NEW_ORDER)
    net.act(0, ShareLink(link="p2pokey://evil/K7Q2M#secret"))
    assert refusals(net, 0) == [Refusal.NOT_FIRST]

    data = encode_link(net.match.session, "p2pokey://evil/K7Q2M#secret")
    net.chairs[2].machine.receive(data, Seat(0), net.now)
    net.carry_out(2)
    assert net.told(RoomLink)[2] == []


def test_a_link_may_come_before_the_last_answer():
    net = Net()
    net.act(1, AskSeating(order=NEW_ORDER))
    net.run()
    for seat in (0, 2, 3):
        seq = net.chairs[seat].machine.open_asks()[0].seq
        net.act(seat, AnswerAsk(asker=Seat(1), seq=seq, yes=True))
    for source in (0, 2, 3):
        while net.wires[source, 1]:
            net.deliver(source, 1)
    net.act(1, ShareLink(link="p2pokey://host/K7Q2M#secret"))
    while net.wires[1, 0]:
        net.deliver(1, 0)
    assert net.told(RoomLink)[0] == []

    net.run()
    assert [len(heard) for heard in net.told(RoomLink)] == [1, 0, 1, 1]


def test_an_answer_is_what_was_signed():
    net = Net()
    ask(net, 0, AskRematch())
    answer(net, 2, yes=False)

    told = net.told(AskAnswered)[3]
    assert [(a.asker, a.by, a.reply) for a in told] == [(0, 2, Reply.NO)]


def test_who_has_begun_anew_holds_no_other_score_against_an_order_of_before():
    """The last yes to a rematch is late, so its asker asks for other seats, too."""
    net = Net()
    ask(net, 1, AskRematch())
    for seat in (0, 2, 3):
        net.act(seat, AnswerAsk(asker=Seat(1), seq=0, yes=True))
    net.now += ASK_SECONDS + STUCK_SECONDS
    net.act(1, AskSeating(order=(0, 1, 2, VACANT)))
    net.run()

    assert outcomes(net) == [[AskOutcome.AGREED, AskOutcome.CANCELLED]] * 4
    assert [len(heard) for heard in net.told(RematchBegins)] == [1] * 4
    assert net.told(ScoresDiffer) == [[]] * 4
