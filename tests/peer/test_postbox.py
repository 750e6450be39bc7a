"""What is due now, what is kept for the next attempt, and how much."""

import pytest

from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MessageReceived
from p2pokey.peer.postbox import MAX_EARLY, MAX_PENDING, MAX_PENDING_BYTES, Postbox
from p2pokey.tiles import Seat

SESSION = b"s" * 32


def envelope(hand: int, *, session: bytes = SESSION, tail: bytes = b"") -> bytes:
    """Bytes that begin like an envelope: only that is looked at here."""
    return b"\0" + session + hand.to_bytes(4, "little") + bytes(200) + tail


@pytest.fixture
def box() -> Postbox:
    return Postbox(session=SESSION, seats=4)


def put(box: Postbox, seat: int, data: bytes) -> None:
    box.put(MessageReceived(seat=Seat(seat), data=data))


def datas(box: Postbox) -> list[bytes]:
    return [message.data for message in box.take()]


def test_messages_of_this_hand_come_in_order_and_once(box: Postbox):
    sent = [envelope(0, tail=bytes([number])) for number in range(5)]
    for data in sent:
        put(box, 1, data)

    assert datas(box) == sent
    assert datas(box) == []


def test_a_message_of_the_next_hand_waits_for_it(box: Postbox):
    put(box, 1, envelope(1))
    assert datas(box) == []
    box.begin(1)

    assert datas(box) == [envelope(1)]


def test_messages_of_other_hands_and_sessions_are_dropped(box: Postbox):
    box.begin(3)
    for data in (envelope(2), envelope(5)):
        put(box, 1, data)
    box.begin(4)
    box.begin(5)

    assert datas(box) == []


def test_what_is_no_envelope_goes_to_the_machine(box: Postbox):
    for data in (b"", b"\0", b"\x01" * 300, envelope(0, session=b"x" * 32)):
        put(box, 1, data)

    assert box.pending == 4
    assert box.strangers == {1}
    box.begin(1)
    assert box.strangers == set()


def test_a_seat_far_ahead_takes_no_memory(box: Postbox):
    for number in range(1000):
        put(box, 1, envelope(1, tail=number.to_bytes(2, "little")))
    put(box, 2, envelope(1))
    box.begin(1)

    assert len(box.take()) == MAX_EARLY + 1


def test_a_seat_that_sends_too_much_loses_only_its_own(box: Postbox):
    for number in range(1000):
        put(box, 1, envelope(0, tail=number.to_bytes(2, "little")))
    put(box, 2, envelope(0))

    assert [message.seat for message in box.take()] == [1] * MAX_PENDING + [2]
    assert box.dropped == {1: 1000 - MAX_PENDING}
    put(box, 1, envelope(0))
    assert datas(box) == [envelope(0)]


def test_large_messages_are_bounded_by_their_bytes(box: Postbox):
    large = envelope(0, tail=bytes(1_000_000))
    for number in range(10):
        put(box, 1, large[:-1] + bytes([number]))

    assert len(box.take()) == MAX_PENDING_BYTES // len(large)
    assert box.dropped == {1: 6}


def test_a_new_hand_forgets_the_rest_of_the_old_one(box: Postbox):
    put(box, 1, envelope(0))
    box.begin(1)

    assert datas(box) == []


def test_messages_of_the_table_go_to_the_table(box: Postbox):
    taken: list[MessageReceived] = []
    box.on_table = taken.append
    put(box, 1, b"\x82 of a chain")
    put(box, 2, b"\x83 a link")

    assert [message.seat for message in taken] == [1, 2]
    assert box.pending == 0


def test_what_the_table_refuses_goes_to_the_machine(box: Postbox):
    message = MessageReceived(seat=Seat(1), data=b"\x82 garbage")
    box.put_strange(message)

    assert box.strangers == {1}
    assert datas(box) == [message.data]


def test_the_newest_state_of_a_link_counts(box: Postbox):
    for state in (LinkState.UNSTABLE, LinkState.AWAY):
        box.put(LinkChanged(seat=Seat(2), state=state))
    assert box.gone == (2,)
    box.put(LinkChanged(seat=Seat(2), state=LinkState.HERE))

    assert box.gone == ()


def test_what_is_taken_comes_from_all_seats_in_turn(box: Postbox):
    flood = [envelope(0, tail=number.to_bytes(2, "big")) for number in range(100)]
    for data in flood:
        put(box, 3, data)
    honest = [envelope(0, tail=bytes([number])) for number in range(4)]
    for data in honest:
        put(box, 1, data)
    taken = [message.data for message in box.take(10)]

    assert taken == [*flood[:6], *honest]
    assert box.pending == 94
    assert [message.data for message in box.take(10)] == flood[6:16]
    assert datas(box) == flood[16:]
    assert box.pending == 0


def test_what_stays_counts_for_its_seat(box: Postbox):
    for number in range(MAX_PENDING):
        put(box, 2, envelope(0, tail=number.to_bytes(2, "big")))
    put(box, 2, envelope(0, tail=b"too many"))
    assert box.dropped[Seat(2)] == 1
    box.take(1)
    put(box, 2, envelope(0, tail=b"another"))

    assert box.dropped[Seat(2)] == 1
    assert len(datas(box)) == MAX_PENDING


def test_repetitions_are_dropped(box: Postbox):
    known = {envelope(0, tail=b"accepted")}
    box.begin(0, known.__contains__)
    for _ in range(2 * MAX_PENDING):
        put(box, 1, envelope(0, tail=b"accepted"))
        put(box, 1, envelope(0, tail=b"waiting"))
        put(box, 1, envelope(1, tail=b"early"))
        put(box, 1, b"strange")

    assert datas(box) == [envelope(0, tail=b"waiting"), b"strange"]
    assert not box.dropped
    box.begin(1)
    assert datas(box) == [envelope(1, tail=b"early")]


def test_a_message_does_not_wait_behind_another_seats_copy(box: Postbox):
    for number in range(100):
        put(box, 3, envelope(0, tail=bytes([number])))
    put(box, 3, envelope(0, tail=b"the move"))
    put(box, 1, envelope(0, tail=b"the move"))

    assert envelope(0, tail=b"the move") in [message.data for message in box.take(4)]


def test_all_messages_of_an_attempt_that_is_expected_wait_for_it(box: Postbox):
    """Others may have begun it before this program was started again."""
    sent = [envelope(3, tail=bytes([number])) for number in range(3 * MAX_EARLY)]
    put(box, 2, b"\0")
    box.expect(3)
    for data in sent:
        put(box, 1, data)
    assert box.strangers == {2}, "whoever sent what is no message is still known"
    box.begin(3)

    assert datas(box) == sent


def test_what_is_expected_never_goes_back(box: Postbox):
    box.begin(3)
    put(box, 1, envelope(3))
    box.expect(2)

    assert datas(box) == [envelope(3)]
