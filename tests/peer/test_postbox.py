"""What is due now, what is kept for the next attempt, and how much."""

import pytest

from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.net.link import LinkState
from p2pokey.net.mesh import LinkChanged, MessageReceived
from p2pokey.peer.postbox import MAX_EARLY, MAX_PENDING, MAX_PENDING_BYTES, Postbox
from p2pokey.table.next_hand import Next, Wish, seal_next
from p2pokey.tiles import Seat

SIGNERS = [Ed25519Signer(bytes([seat + 1]) * 32) for seat in range(4)]
SESSION = b"s" * 32


def envelope(hand: int, *, session: bytes = SESSION, tail: bytes = b"") -> bytes:
    """Bytes that begin like an envelope: only that is looked at here."""
    return b"\0" + session + hand.to_bytes(4, "little") + bytes(200) + tail


def wish(seat: int, hand: int, said: Wish = Wish.PLAY, *, session: bytes = SESSION) -> bytes:
    return seal_next(SIGNERS[seat], Next(session=session, hand=hand, seat=Seat(seat), wish=said))


@pytest.fixture
def box() -> Postbox:
    roster = tuple(signer.public_key for signer in SIGNERS)
    return Postbox(session=SESSION, roster=roster, verifier=Ed25519Verifier())


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
    for _ in range(10):
        put(box, 1, large)

    assert len(box.take()) == MAX_PENDING_BYTES // len(large)
    assert box.dropped == {1: 6}


def test_a_new_hand_forgets_the_rest_of_the_old_one(box: Postbox):
    put(box, 1, envelope(0))
    box.begin(1)

    assert datas(box) == []


def test_wishes_are_kept_for_this_hand_and_the_next(box: Postbox):
    put(box, 1, wish(1, 0))
    put(box, 2, wish(2, 1, Wish.STOP))
    put(box, 3, wish(3, 2))

    assert box.wishes(0) == {1: Wish.PLAY}
    assert box.wishes(1) == {2: Wish.STOP}
    assert box.wishes(2) == {}
    box.begin(1)
    assert box.wishes(0) == {}
    assert box.wishes(1) == {2: Wish.STOP}


def test_the_first_wish_counts(box: Postbox):
    put(box, 1, wish(1, 0, Wish.STOP))
    put(box, 1, wish(1, 0, Wish.PLAY))

    assert box.wishes(0) == {1: Wish.STOP}


def test_a_wish_may_come_by_way_of_another_seat(box: Postbox):
    put(box, 1, wish(2, 0))

    assert box.wishes(0) == {2: Wish.PLAY}
    assert box.wish_bytes(0) == [wish(2, 0)]


def test_a_wish_of_another_session_is_dropped(box: Postbox):
    put(box, 1, wish(1, 0, session=b"x" * 32))

    assert box.wishes(0) == {}
    assert box.pending == 0


def test_a_forged_wish_goes_to_the_machine(box: Postbox):
    data = wish(1, 0)
    put(box, 1, data[:-1] + bytes([data[-1] ^ 1]))

    assert box.wishes(0) == {}
    assert box.pending == 1


def test_the_newest_state_of_a_link_counts(box: Postbox):
    for state in (LinkState.UNSTABLE, LinkState.AWAY):
        box.put(LinkChanged(seat=Seat(2), state=state))
    assert box.gone == (2,)
    box.put(LinkChanged(seat=Seat(2), state=LinkState.HERE))

    assert box.gone == ()
