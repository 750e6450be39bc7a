"""The first two frames of a link: only the right seat of the same roster gets through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import LinkError, LinkNotAuthentic
from p2pokey.net.authentication import Authentication
from p2pokey.net.frames import Frame, FrameType, decode_frame, encode_frame
from p2pokey.tiles import Seat
from tests.net.support import TOOLKITS, make_roster

ROSTER = make_roster()
PRINTS = {1: bytes([1]) * 32, 2: bytes([2]) * 32, 3: bytes([3]) * 32}


def make_end(own=1, other=2, *, roster=ROSTER, toolkit=None, own_print=None, other_print=None):
    return Authentication(
        toolkit or TOOLKITS[own],
        roster,
        own_seat=Seat(own),
        other_seat=Seat(other),
        own_fingerprint=own_print or PRINTS[own],
        other_fingerprint=other_print or PRINTS[other],
        run=bytes([own]) * 16,
    )


def run(left, right):
    """Both ends send, then each answers and checks."""
    first, second = left.start(), right.start()
    proof, counterproof = left.receive(second), right.receive(first)
    left.receive(counterproof)
    right.receive(proof)


def test_the_right_seats_get_through():
    left, right = make_end(1, 2), make_end(2, 1)
    assert not left.is_done
    run(left, right)

    assert left.is_done
    assert right.is_done
    assert left.other_run == bytes([2]) * 16
    assert right.other_run == bytes([1]) * 16


CHANGES = {
    "another roster": ({"roster": make_roster(epoch=2)}, "list of players"),
    "another seat": ({"own": 3, "other": 1}, "other seats"),
    "another peer meant": ({"other": 3, "other_print": PRINTS[1]}, "other seats"),
    "own fingerprint": ({"own_print": bytes(32)}, "in between"),
    "other fingerprint": ({"other_print": bytes(32)}, "in between"),
    "key of another seat": ({"toolkit": TOOLKITS[3]}, "cannot sign"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_difference_ends_the_link(name):
    """Told by the unchanged end alone, whatever the other one would find out."""
    changes, reason = CHANGES[name]
    left, right = make_end(1, 2), make_end(**{"own": 2, "other": 1, **changes})
    left.receive(right.start())
    proof = right.receive(left.start())
    with pytest.raises(LinkNotAuthentic, match=reason):
        left.receive(proof)


def test_our_own_words_sent_back_are_refused():
    end = make_end()
    with pytest.raises(LinkNotAuthentic, match="repeats what we say"):
        end.receive(end.start())


def test_our_own_proof_sent_back_is_refused():
    left, right = make_end(1, 2), make_end(2, 1)
    proof = left.receive(right.start())
    with pytest.raises(LinkNotAuthentic, match="other seats"):
        left.receive(proof)


def test_a_recorded_proof_is_refused():
    old_left, old_right = make_end(1, 2), make_end(2, 1)
    recorded = [old_right.start(), old_right.receive(old_left.start())]
    left = make_end(1, 2)
    left.receive(recorded[0])
    with pytest.raises(LinkNotAuthentic, match="old words"):
        left.receive(recorded[1])


def test_somebody_in_the_middle_of_two_transports():
    """Frames are passed on unchanged, but each transport has the middle's fingerprint."""
    middle = bytes([9]) * 32
    left, right = make_end(1, 2, other_print=middle), make_end(2, 1, other_print=middle)
    with pytest.raises(LinkNotAuthentic, match="in between"):
        run(left, right)


def frame(kind, **fields):
    return encode_frame(Frame(type=kind, **fields))


@pytest.mark.parametrize(
    "early",
    [
        frame(FrameType.DATA, sequence=1, payload=b"x"),
        frame(FrameType.ACK),
        frame(FrameType.PING),
        frame(FrameType.BYE, sequence=1),
        frame(FrameType.AUTH, payload=bytes(226)),
        b"garbage",
        b"",
    ],
)
def test_nothing_else_is_taken_first(early):
    with pytest.raises(LinkError):
        make_end().receive(early)


def test_nothing_else_is_taken_second():
    left, right = make_end(1, 2), make_end(2, 1)
    left.receive(right.start())
    with pytest.raises(LinkError, match="expected AUTH"):
        left.receive(right.start())


@given(st.integers(0, 225), st.integers(1, 255))
def test_every_byte_of_the_proof_counts(position, change):
    left, right = make_end(1, 2), make_end(2, 1)
    left.receive(right.start())
    payload = bytearray(decode_frame(right.receive(left.start())).payload)
    payload[position] ^= change
    with pytest.raises(LinkNotAuthentic):
        left.receive(frame(FrameType.AUTH, payload=bytes(payload)))

    assert not left.is_done
