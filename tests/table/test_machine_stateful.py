"""Hypothesis drives whole tables: what arrives when, who crashes where, who wants what.

Whatever happens, all honest seats decide alike: the same hands with the same setups, the same
rematches, the same new seats; nothing is signed twice, and nobody is blamed. Once everything has
arrived nobody waits for anything any more.
"""

from collections import defaultdict

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from p2pokey.table.asking import ASK_SECONDS
from p2pokey.table.asks import AskOutcome
from p2pokey.table.carry import VACANT
from p2pokey.table.commands import (
    AnswerAsk,
    AskRematch,
    AskSeating,
    Command,
    HandAt,
    LinkIs,
    Say,
    WantNext,
)
from p2pokey.table.contents import Wish
from p2pokey.table.effects import (
    AskClosed,
    BadLink,
    BeginHand,
    Effect,
    GiveUpHand,
    MatchEnded,
    ScoresDiffer,
    SeatingAgreed,
    Send,
    TableFault,
)
from p2pokey.table.messages import decode_message
from p2pokey.table.presence import Presence
from p2pokey.table.records import HandCounts, HandFailed, RecordKind
from p2pokey.tiles import Seat
from tests.table.table_net import Net, finished

SEATS = st.integers(0, 3)
ORDERS = st.sampled_from([(1, 0, 2, 3), (3, 2, 1, 0), (0, 1, 2, VACANT), (2, VACANT, 0, 3)])
PRESENCES = st.sampled_from([*[Presence.HERE] * 8, *Presence])


class WatchedNet(Net):
    """A table whose every effect is held against what other seats were told."""

    def __init__(self, seats: int) -> None:
        self.signed: dict[tuple[int, int], bytes] = {}
        self.setups: dict[int, object] = {}
        self.agreed: dict[tuple[int, int], bool] = {}
        self.seating: set[tuple[tuple[int, ...], bytes]] = set()
        self.running: dict[int, int] = {}
        """Attempt that each seat's shell is playing."""
        self.giving_up: set[int] = set()
        self.crash_at: int | None = None
        super().__init__(seats)

    def carry_out(self, seat: int, limit: int | None = None) -> list[Effect]:
        limit = self.crash_at if limit is None else limit
        effects = super().carry_out(seat, limit)
        for effect in effects[:limit]:
            self.watch(seat, effect)
        if limit is not None and limit < len(effects):
            self.crash_at = None
            self.running.pop(seat, None)
            self.giving_up.discard(seat)
            self.restart(seat)
        return effects

    def watch(self, seat: int, effect: Effect) -> None:
        assert not isinstance(effect, TableFault | BadLink | ScoresDiffer), effect
        match effect:
            case Send(data=data):
                message = decode_message(data)
                assert self.signed.setdefault((message.seat, message.seq), data) == data
                assert data in {record.payload for record in self.chairs[seat].disk}
            case BeginHand(setup=setup):
                assert self.setups.setdefault(setup.hand, setup) == setup
                self.running[seat] = setup.hand
            case GiveUpHand():
                self.giving_up.add(seat)
            case AskClosed(asker=asker, seq=seq, outcome=outcome):
                is_agreed = outcome is AskOutcome.AGREED
                assert self.agreed.setdefault((asker, seq), is_agreed) is is_agreed
            case SeatingAgreed(order=order, carry=carry, seat=place):
                if place is not None:
                    self.seating.add((order, carry))
                assert len(self.seating) <= 1


class TablesOverANetwork(RuleBasedStateMachine):
    """Two or four honest seats, with bad luck."""

    @initialize(seats=st.sampled_from([2, 4]))
    def sit_down(self, seats: int) -> None:
        self.net = WatchedNet(seats)
        self.outcomes: dict[int, object] = {}
        """What becomes of each attempt: a finished hand, or None for a failed one."""
        self.moves: dict[int, int] = defaultdict(int)

    @property
    def seats(self) -> int:
        return len(self.net.chairs)

    def act(self, seat: int, command: Command) -> None:
        self.net.act(seat % self.seats, command)

    # What players do -----------------------------------------------------------------------------

    @rule(seat=SEATS)
    def want_a_hand(self, seat: int) -> None:
        self.act(seat, WantNext(wish=Wish.PLAY))

    @rule()
    def all_want_a_hand(self) -> None:
        for seat in range(self.seats):
            self.act(seat, WantNext(wish=Wish.PLAY))

    @rule(seat=SEATS, chance=st.integers(0, 9))
    def want_no_more(self, seat: int, chance: int) -> None:
        if chance == 0:
            self.act(seat, WantNext(wish=Wish.STOP))

    @rule(seat=SEATS)
    def ask_for_a_rematch(self, seat: int) -> None:
        self.act(seat, AskRematch())

    @rule(seat=SEATS, some=st.sets(SEATS))
    def some_agree_to_a_rematch(self, seat: int, some: set[int]) -> None:
        """The answers are still under way."""
        self.net.run()
        self.act(seat, AskRematch())
        self.net.run()
        for other in sorted(some):
            self.answer(other, yes=True)

    @precondition(lambda self: self.seats == 4)
    @rule(seat=SEATS, order=ORDERS)
    def ask_for_seats(self, seat: int, order: tuple[int, ...]) -> None:
        self.act(seat, AskSeating(order=order))

    @rule()
    def all_say_yes(self) -> None:
        for seat in range(self.seats):
            self.answer(seat, yes=True)

    @rule(seat=SEATS, yes=st.sampled_from([True, True, True, False]))
    def answer(self, seat: int, yes: bool) -> None:
        for opened in self.net.chairs[seat % self.seats].machine.open_asks():
            self.act(seat, AnswerAsk(asker=opened.asker, seq=opened.seq, yes=yes))

    @rule(seat=SEATS)
    def say(self, seat: int) -> None:
        self.act(seat, Say(text="hm"))

    # Hands ---------------------------------------------------------------------------------------

    @rule(seat=SEATS, is_new=st.booleans())
    def move(self, seat: int, is_new: bool) -> None:
        attempt = self.net.running.get(seat % self.seats)
        if attempt is not None:
            self.moves[attempt] += is_new
            is_played = self.outcomes.get(attempt) is not None
            moves = self.moves[attempt]
            self.act(seat, HandAt(attempt=attempt, moves=moves, is_played=is_played))

    @rule(starter=SEATS)
    def a_hand_counts(self, starter: int) -> None:
        """Everybody hears of the score at once, except for who is not that far."""
        self.net.run()
        self.decide_a_hand(0, counts=True, starter=starter)
        for seat in list(self.net.running):
            self.learn_how_it_ended(seat, 0, starter)

    @rule(seat=SEATS, counts=st.booleans(), starter=SEATS)
    def decide_a_hand(self, seat: int, counts: bool, starter: int) -> None:
        """A hand counts only if all seats sign its score; it may fail at any time."""
        attempt = self.net.running.get(seat % self.seats)
        if attempt is None or attempt in self.outcomes:
            return
        if not counts:
            self.outcomes[attempt] = None
        elif list(self.net.running.values()) == [attempt] * self.seats and not self.net.giving_up:
            match = self.net.chairs[seat % self.seats].machine.match
            self.outcomes[attempt] = finished(match, starter=starter % self.seats)
            self.moves[attempt] += 1
            for player in list(self.net.running):
                self.move(player, is_new=False)

    @rule(seat=SEATS, withheld=st.integers(0, 15), starter=st.none() | SEATS)
    def learn_how_it_ended(self, seat: int, withheld: int, starter: int | None) -> None:
        seat %= self.seats
        attempt = self.net.running.get(seat)
        is_over = attempt in self.outcomes or seat in self.net.giving_up
        if attempt is None or not is_over:
            return
        done = self.outcomes.setdefault(attempt, None)
        if done is not None:
            command: Command = HandCounts(hand=done)
        else:
            began = None if starter is None else Seat(starter % self.seats)
            command = HandFailed(keys=frozenset(), withheld=withheld, starter=began)
        self.end(seat, command)

    def end(self, seat: int, command: Command) -> None:
        """A crash before the outcome is on disk begins the same hand again."""
        self.net.running.pop(seat)
        self.net.giving_up.discard(seat)
        self.act(seat, command)

    # The network ---------------------------------------------------------------------------------

    @rule(source=SEATS, receiver=SEATS, place=st.integers(0, 4), is_lost=st.integers(0, 3))
    def deliver(self, source: int, receiver: int, place: int, is_lost: int) -> None:
        wire = self.net.wires.get((source % self.seats, receiver % self.seats))
        if wire:
            wire.rotate(-(place % len(wire)))
            if is_lost == 0:
                wire.popleft()
            else:
                self.net.deliver(source % self.seats, receiver % self.seats)

    @rule()
    def deliver_all(self) -> None:
        self.net.run()

    @rule(source=SEATS, receiver=SEATS)
    def repeat(self, source: int, receiver: int) -> None:
        wire = self.net.wires.get((source % self.seats, receiver % self.seats))
        if wire:
            wire.append(wire[0])

    @rule(source=SEATS, receiver=SEATS)
    def pass_on(self, source: int, receiver: int) -> None:
        source, receiver = source % self.seats, receiver % self.seats
        if source != receiver:
            machine = self.net.chairs[receiver].machine
            for data in self.net.chairs[source].machine.after(machine.counts):
                self.net.wires[source, receiver].append(data)

    @rule(seat=SEATS, other=SEATS, state=PRESENCES)
    def see(self, seat: int, other: int, state: Presence) -> None:
        self.act(seat, LinkIs(seat=Seat(other % self.seats), state=state))

    @rule(seconds=st.sampled_from([1.0, 1.0, 20.0, ASK_SECONDS, 2 * ASK_SECONDS]))
    def wait(self, seconds: float) -> None:
        self.net.now += seconds
        for seat, chair in enumerate(self.net.chairs):
            chair.machine.timer(self.net.now)
            self.net.carry_out(seat)

    @rule(after=st.integers(0, 4))
    def crash_soon(self, after: int) -> None:
        """The next seat with more effects than that is killed between two of them."""
        self.net.crash_at = after

    @rule(seat=SEATS)
    def crash(self, seat: int) -> None:
        seat %= self.seats
        self.net.running.pop(seat, None)
        self.net.giving_up.discard(seat)
        self.net.restart(seat)

    # The end -------------------------------------------------------------------------------------

    def teardown(self) -> None:
        """Everything arrives, everybody is there: all seats come to the same."""
        if not hasattr(self, "net"):
            return
        self.net.crash_at = None
        self.everything_arrives()
        for _ in range(3):
            for seat, attempt in list(self.net.running.items()):
                if seat in self.net.running:
                    self.outcomes.setdefault(attempt, None)
                    self.learn_how_it_ended(seat, 1, None)
            self.wait(2 * ASK_SECONDS)
            self.everything_arrives()
        machines = [chair.machine for chair in self.net.chairs]
        assert [machine.open_asks() for machine in machines] == [[]] * self.seats
        assert len({machine.counts for machine in machines}) == 1
        if self.net.seating:
            return
        assert len({machine.match.attempts for machine in machines}) == 1
        assert len({machine.sheet.digest() for machine in machines}) == 1
        assert len({machine.match.totals for machine in machines}) == 1
        histories = {tuple(sheet.digest() for sheet in machine.history) for machine in machines}
        assert len(histories) == 1
        self.a_further_hand_begins()

    def everything_arrives(self) -> None:
        for seat in range(self.seats):
            for other in range(self.seats):
                self.act(seat, LinkIs(seat=Seat(other), state=Presence.HERE))
        self.net.run()
        for seat in range(self.seats):
            self.net.catch_up(seat)

    def a_further_hand_begins(self) -> None:
        """Unless somebody wants no more, or the match is over."""
        if self.net.running:
            assert len(self.net.running) == self.seats
            return
        for seat in range(self.seats):
            self.act(seat, WantNext(wish=Wish.PLAY))
        self.net.run()
        has_ended = [bool(chair.heard(MatchEnded)) for chair in self.net.chairs]
        machine = self.net.chairs[0].machine
        if len(self.net.running) != self.seats:
            first = machine.sheet.first_attempt
            assert machine.match.is_over or machine._nexts.stopped(machine.match.attempts, first)
            assert any(has_ended)


TablesOverANetwork.TestCase.settings = settings(
    max_examples=40, stateful_step_count=60, deadline=None
)
TestTablesOverANetwork = TablesOverANetwork.TestCase


def test_the_watch_sees_what_it_should() -> None:
    """The rules above would find two different hands, or a message that is not on disk."""
    net = WatchedNet(2)
    net.act(0, WantNext(wish=Wish.PLAY))
    net.act(1, WantNext(wish=Wish.PLAY))
    net.run()
    assert sorted(net.running) == [0, 1]
    assert len(net.signed) == 2
    assert {record.kind for record in net.chairs[0].disk} == {RecordKind.TALK}
