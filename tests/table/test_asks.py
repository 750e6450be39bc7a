"""What becomes of a question depends on the chains alone, and is final.

The chains are of any seats, honest or not; only each seat's own order is kept.
"""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.table.asks import MAX_ANSWERS, MAX_ASKS, AskOutcome, Asks
from p2pokey.table.carry import VACANT
from p2pokey.table.contents import Answer, Ask, Content, Next, Reply, What, Wish
from p2pokey.table.nexts import Nexts
from p2pokey.tiles import Seat

SHEET = bytes(32)
ASKED, ELSE = b"\1" * 32, b"\2" * 32
asked = st.sampled_from([ASKED] * 5 + [ELSE])
attempts = st.integers(0, 1)
contents = st.one_of(
    st.builds(Ask, what=st.just(What.REMATCH), attempt=attempts, step=st.just(0)),
    st.builds(
        Ask,
        what=st.just(What.SEATING),
        attempt=attempts,
        step=st.just(0),
        order=st.sampled_from([(1, 0), (0, 255), (0, 1, 2)]),
        sheet=st.just(SHEET),
    ),
    st.builds(
        Answer,
        asker=st.integers(0, 1).map(Seat),
        seq=st.integers(0, 1),
        reply=st.sampled_from([Reply.YES, Reply.YES, Reply.YES, Reply.NO, Reply.LAPSED]),
        asked=asked,
    ),
    st.builds(
        Next,
        attempt=attempts,
        wish=st.sampled_from([Wish.PLAY] * 4 + [Wish.STOP]),
        sheet=st.just(SHEET),
    ),
)
chains = st.tuples(*[st.lists(contents, max_size=5)] * 2)


class Reader:
    """One seat's reading of all chains."""

    def __init__(self, seats: int = 2) -> None:
        self.nexts = Nexts(seats)
        self.asks = Asks(seats=seats, nexts=self.nexts)
        self.counts = [0] * seats
        self.settled: dict[tuple[int, int], bool] = {}

    def read(self, seat: int, content: Content) -> None:
        seq = self.counts[seat]
        self.counts[seat] += 1
        match content:
            case Next():
                self.nexts.put(Seat(seat), content)
            case Ask():
                self.asks.put_ask(Seat(seat), seq, content, ASKED, 0.0)
            case Answer():
                self.asks.put_answer(Seat(seat), content)
        for opened, outcome in self.asks.settle():
            assert opened.id not in self.settled
            self.settled[opened.id] = outcome is AskOutcome.AGREED


@settings(max_examples=400)
@given(chains, st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_outcomes(written, random):
    first, second = Reader(), Reader()
    for seat, chain in enumerate(written):
        for content in chain:
            first.read(seat, content)
    left = [list(chain) for chain in written]
    while any(left):
        seat = random.choice([seat for seat in range(2) if left[seat]])
        second.read(seat, left[seat].pop(0))

    assert first.settled == second.settled


orders = st.sampled_from([(0, 1, 2), (1, 0, 2), (0, 1, VACANT), (1, 0, VACANT), (2, 1, VACANT)])
seatings = st.one_of(
    st.builds(
        Ask,
        what=st.just(What.SEATING),
        attempt=st.sampled_from([0, 0, 0, 1]),
        step=st.just(0),
        order=orders,
        sheet=st.just(SHEET),
    ),
    st.builds(
        Answer,
        asker=st.integers(0, 2).map(Seat),
        seq=st.integers(0, 2),
        reply=st.sampled_from([Reply.YES] * 9 + [Reply.NO]),
        asked=asked,
    ),
)


@settings(max_examples=400)
@given(st.tuples(*[st.lists(seatings, max_size=9)] * 3), st.randoms(use_true_random=False))
def test_two_orders_for_one_attempt_are_agreed_to_only_if_one_is_without_somebody(written, random):
    readers = [Reader(3), Reader(3)]
    for seat, chain in enumerate(written):
        for content in chain:
            readers[0].read(seat, content)
    left = [list(chain) for chain in written]
    while any(left):
        seat = random.choice([seat for seat in range(3) if left[seat]])
        readers[1].read(seat, left[seat].pop(0))
    assert readers[0].settled == readers[1].settled

    agreed = [written[asker][seq] for (asker, seq), yes in readers[0].settled.items() if yes]
    for first, second in itertools.combinations(agreed, 2):
        some, others = ({*ask.order} - {VACANT} for ask in (first, second))
        assert first.attempt != second.attempt or some < others or others < some


def test_only_so_many_answers_mean_anything():
    reader = Reader(2)
    for seq in range(MAX_ANSWERS):
        reader.read(1, Answer(asker=Seat(0), seq=1 + seq, reply=Reply.NO, asked=ASKED))
    reader.read(1, YES)
    reader.read(0, REMATCH)

    assert reader.settled == {}


REMATCH = Ask(what=What.REMATCH, attempt=1, step=0)
YES = Answer(asker=Seat(0), seq=0, reply=Reply.YES, asked=ASKED)
LATER = Next(attempt=2, wish=Wish.PLAY, sheet=SHEET)
SAME = Next(attempt=1, wish=Wish.PLAY, sheet=SHEET)
STOPS = Next(attempt=1, wish=Wish.STOP, sheet=SHEET)


@pytest.mark.parametrize(
    ("chain", "is_agreed"),
    [
        ([YES], True),
        ([SAME, YES], True),
        ([replace(YES, asked=ELSE)], False),
        ([replace(YES, asked=ELSE), YES], False),
        ([YES, LATER], True),
        ([YES, STOPS], True),
        ([LATER, YES], False),
        ([STOPS, YES], True),
        ([LATER], False),
        ([STOPS], None),
        ([STOPS, LATER], False),
        ([SAME], None),
        ([], None),
    ],
)
def test_a_yes_counts_only_where_it_stands_before_a_later_attempt(
    chain: list[Content], is_agreed: bool | None
):
    for asks_first in (True, False):
        reader = Reader(2)
        if asks_first:
            reader.read(0, REMATCH)
        for content in chain:
            reader.read(1, content)
        if not asks_first:
            reader.read(0, REMATCH)
        assert reader.settled.get((0, 0)) is is_agreed


def test_only_so_many_questions_mean_anything():
    reader = Reader(2)
    for _ in range(MAX_ASKS + 5):
        reader.read(0, REMATCH)

    assert len(reader.asks.open()) == MAX_ASKS
    assert not reader.asks.has_room(Seat(0))
    assert reader.asks.has_room(Seat(1))
