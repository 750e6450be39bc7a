"""Who lacks something gets it from whoever has it, and nobody is flooded."""

import hashlib

import pytest

from p2pokey.native.identity import Ed25519Verifier
from p2pokey.net.mesh import MessageReceived
from p2pokey.peer.passing import PORTION_BYTES, Archive, Passing
from p2pokey.peer.postbox import Postbox
from p2pokey.peer.table import first_match
from p2pokey.table.commands import Say
from p2pokey.table.effects import Send
from p2pokey.table.have import Have, decode_have, encode_have, is_have
from p2pokey.table.machine import TableMachine
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope, seal_envelope
from p2pokey.transcript.messages import Drop
from tests.hand.test_whole_hand import finished
from tests.peer.memory import Hub

SESSION = b"\x42" * 32


class Desk:
    """One seat's passing, and what it sends to whom."""

    def __init__(self) -> None:
        self.hub = Hub()
        self.sent: list[tuple[int, bytes]] = []
        self.hub.wire = self.note
        self.box = Postbox(session=SESSION, seats=4)
        self.now = 100.0
        self.machine, self.other = (self.table(seat) for seat in (0, 3))
        self.answered = 0
        self.passing = Passing(
            links=self.hub.links[0],
            postbox=self.box,
            machine=self.machine,
            seats=4,
            clock=lambda: self.now,
            on_all_answered=self.count,
        )
        self.archive = self.passing.begin(0)

    def table(self, seat: int) -> TableMachine:
        return TableMachine(
            match=first_match(self.hub.links[seat]),
            seat=Seat(seat),
            signer=self.hub.signers[seat],
            verifier=Ed25519Verifier(),
            now=0.0,
        )

    def count(self) -> None:
        self.answered += 1

    def note(self, source: Seat, target: Seat, data: bytes) -> list[bytes]:
        self.sent.append((target, data))
        return []

    def hear(
        self,
        seat: int,
        counts: tuple[int, ...],
        *,
        asks: bool = True,
        hand: int = 0,
        table: tuple[int, ...] = (0,) * 4,
    ) -> None:
        have = Have(session=SESSION, hand=hand, asks=asks, counts=counts, table=table)
        self.box.put(MessageReceived(seat=Seat(seat), data=encode_have(have)))

    def take(self) -> list[tuple[int, bytes]]:
        sent, self.sent = self.sent, []
        return sent


@pytest.fixture
def desk() -> Desk:
    made = Desk()
    for data in finished(0).peers[0].disk:
        made.archive.add(data)
    return made


def test_a_question_is_answered_with_what_is_missing_and_then_the_own_counts(desk: Desk):
    counts = desk.archive.counts
    desk.hear(2, (counts[0], counts[1] - 2, counts[2], counts[3]))
    desk.passing.answer()
    sent = desk.take()

    assert [target for target, _ in sent] == [2, 2, 2]
    assert [data for _, data in sent[:2]] == desk.archive.after((999, counts[1] - 2, 999, 999))
    assert decode_have(sent[2][1]) == Have(
        session=SESSION, hand=0, asks=False, counts=counts, table=(0,) * 4
    )


def test_an_answer_is_not_answered(desk: Desk):
    desk.hear(1, desk.archive.counts, asks=False)
    desk.passing.answer()

    assert desk.take() == []
    assert desk.passing.synced == {1}


def test_what_an_answer_lacks_is_sent(desk: Desk):
    counts = desk.archive.counts
    desk.hear(1, (counts[0] - 1, *counts[1:]), asks=False)
    desk.passing.answer()

    assert len(desk.take()) == 1


def test_messages_of_the_table_are_passed_on(desk: Desk):
    desk.other.act(Say(text="hello"), 0.0)
    (said,) = [effect.data for effect in desk.other.poll() if isinstance(effect, Send)]
    desk.machine.receive(said, Seat(3), 0.0)
    desk.hear(1, desk.archive.counts)
    desk.passing.answer()
    sent = desk.take()

    assert sent[0] == (1, said)
    assert decode_have(sent[1][1]).table == (0, 0, 0, 1)


def test_a_seat_that_lacks_something_is_not_level(desk: Desk):
    counts = desk.archive.counts
    assert not desk.passing.is_level(Seat(1), 0)
    for having, is_level in (((0, *counts[1:]), False), (counts, True)):
        desk.hear(1, having, asks=False)
        desk.passing.answer()
        assert desk.passing.is_level(Seat(1), 0) is is_level
    desk.machine.act(Say(text="one more"), 0.0)
    assert not desk.passing.is_level(Seat(1), 0)


def test_only_a_question_says_how_far_its_sender_is(desk: Desk):
    """An answer repeats the attempt of the question that it is to."""
    for asks in (False, True):
        desk.now += 1
        desk.hear(1, (0,) * 4, asks=asks, hand=1)
        desk.passing.answer()
        assert desk.passing.is_level(Seat(1), 0) is asks


def test_it_is_told_once_that_all_have_answered(desk: Desk):
    for seat in (1, 2, 2, 3, 1):
        assert desk.answered == 0
        desk.hear(seat, desk.archive.counts, asks=False)
        desk.passing.answer()
        if seat == 3:
            break
    desk.hear(1, desk.archive.counts, asks=False)
    desk.passing.answer()
    assert desk.answered == 1


def test_the_hand_before_is_still_known_and_older_ones_are_not(desk: Desk):
    desk.passing.begin(1)
    desk.hear(1, (0, 0, 0, 0))
    desk.passing.answer()
    assert len(desk.take()) == sum(desk.archive.counts) + 1
    desk.passing.begin(2)
    desk.now += 1
    desk.hear(1, (0, 0, 0, 0))
    desk.passing.answer()
    ((_, only),) = desk.take()
    assert decode_have(only).counts == (0, 0, 0, 0)


def test_who_asks_too_often_waits(desk: Desk):
    first, *rest = desk.archive.counts
    for _ in range(100):
        desk.hear(1, (first - 1, *rest))
        desk.passing.answer()
    answers = [data for _, data in desk.take() if is_have(data)]
    assert len(answers) == 1
    desk.now += 1
    desk.passing.answer()
    assert [data for _, data in desk.take() if is_have(data)]


def test_much_is_sent_in_portions_and_not_twice(desk: Desk):
    """Four full chains are more than a link keeps; here nothing arrives before the third question."""
    text, counts = "\U0001f600" * 500, desk.archive.counts
    lines = [said(desk.other, text, 2.0 * number) for number in range(1500)]
    for data in lines:
        desk.machine.receive(data, Seat(3), 0.0)
    table, got, largest = [0] * 4, 0, 0
    for question in range(60):
        desk.now += 0.5
        desk.hear(1, counts, table=tuple(table))
        desk.passing.answer()
        sent = [data for _, data in desk.take()]
        largest = max(largest, sum(map(len, sent)))
        assert not (0 < question < 3 and sent)
        got += sum(data in lines for data in sent if not is_have(data))
        if question >= 2:
            table[3] = got
        if sent and is_have(sent[-1]):
            break
    assert (got, table[3]) == (1500, 1500)
    assert 256 * 1024 < largest <= PORTION_BYTES


def test_a_portion_is_sent_again_when_it_was_lost(desk: Desk):
    for number in range(400):
        data = said(desk.other, "\U0001f600" * 500, 2.0 * number)
        desk.machine.receive(data, Seat(3), 0.0)
    sizes = []
    for wait, is_lost in ((0.0, False), (1.0, False), (10.0, False), (1.0, True)):
        desk.now += wait
        if is_lost:
            desk.passing.lost(Seat(1))
        desk.hear(1, desk.archive.counts)
        desk.passing.answer()
        sizes.append(len(desk.take()))

    assert sizes[1] == 0
    assert sizes[0] == sizes[2] == sizes[3] > 100


def test_a_long_hand_is_sent_in_portions_and_asking_again_brings_no_more(desk: Desk):
    """A seat that lies can sign votes without end, and ask for all of them again and again."""
    whole = inflate(desk, votes=4000)
    assert sum(map(len, whole)) > 3 * PORTION_BYTES
    have, sizes, got = [0] * 4, [], list[bytes]()
    for question in range(80):
        desk.now += 0.5
        desk.hear(1, tuple(have))
        desk.passing.answer()
        sent = [data for _, data in desk.take()]
        sizes.append(sum(map(len, sent)))
        if 0 < question < 5:
            assert sent == []
            continue
        got += [data for data in sent if not is_have(data)]
        if question >= 5:
            for data in got:
                have[decode_envelope(data).seat] += 1
            whole = [data for data in whole if data not in set(got)]
            got = []
        if sent and is_have(sent[-1]):
            break
    assert whole == []
    assert PORTION_BYTES // 2 < max(sizes) <= PORTION_BYTES
    assert tuple(have) == desk.archive.counts


def test_of_a_long_hand_the_earlier_steps_come_first(desk: Desk):
    inflate(desk, votes=4000)
    steps = [decode_envelope(data).step for data in desk.archive.after((0,) * 4)]
    assert steps == sorted(steps)


def test_what_is_shown_to_a_seat_goes_in_portions_too(desk: Desk):
    whole = inflate(desk, votes=4000)
    desk.passing.show(Seat(1))
    portions = []
    while sent := desk.take():
        portions.append([data for _, data in sent])
        desk.now += 1.0
        desk.passing.answer()
    everything = [data for portion in portions for data in portion if not is_have(data)]

    assert len(portions) > 3
    assert all(sum(map(len, portion)) <= PORTION_BYTES + 100 for portion in portions)
    assert sorted(everything) == sorted(whole)
    assert is_have(portions[-1][-1])
    assert not any(is_have(data) for portion in portions[:-1] for data in portion)


def inflate(desk: Desk, *, votes: int) -> list[bytes]:
    """Everything of the hand, with so many votes more of one seat."""
    newest = decode_envelope(desk.archive.after((0, 0, 999, 0))[0])
    envelopes = map(decode_envelope, desk.archive.after((0,) * 4))
    last = max((e for e in envelopes if e.seat == 3), key=lambda e: e.seq)
    prev = hashlib.sha512(last.body).digest()
    for number in range(votes):
        sealed = seal_envelope(
            desk.hub.signers[3],
            session=newest.session,
            hand=0,
            seat=Seat(3),
            seq=last.seq + 1 + number,
            prev=prev,
            step=last.step,
            state=last.state,
            message=Drop(absent=1, step=0, head_seq=0, head=bytes(64), state=bytes(64)),
        )
        prev = hashlib.sha512(sealed.body).digest()
        desk.archive.add(sealed.encoded)
    return desk.archive.after((0,) * 4)


def test_who_is_back_is_asked_until_it_has_answered(desk: Desk):
    desk.passing.ask(Seat(1))
    for _ in range(4):
        desk.now += 1.0
        desk.passing.answer()
    assert [target for target, _ in desk.take()] == [1, 1, 1]

    desk.hear(1, desk.archive.counts, asks=False)
    desk.passing.answer()
    desk.now += 10.0
    desk.passing.answer()
    assert desk.take() == []


def said(machine: TableMachine, text: str, now: float) -> bytes:
    machine.act(Say(text=text), now)
    (data,) = [effect.data for effect in machine.poll() if isinstance(effect, Send)]
    return data


def test_everybody_is_asked_but_not_all_the_time(desk: Desk):
    for _ in range(10):
        desk.passing.ask_all(2.0)
    assert [target for target, _ in desk.take()] == [1, 2, 3]
    desk.now += 2
    desk.passing.ask_all(2.0)
    assert len(desk.take()) == 3


def test_an_archive_keeps_each_chain_in_order_and_once():
    archive = Archive(4)
    disk = finished(0).peers[0].disk
    for data in (*disk, *disk, b"noise"):
        archive.add(data)

    assert sum(archive.counts) == len(disk)
    assert sorted(archive.after((0, 0, 0, 0))) == sorted(disk)
    assert archive.after(archive.counts) == []
