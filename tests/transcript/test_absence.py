"""Votes about an absent seat (docs/protocol.md S10)."""

from dataclasses import replace

import pytest

from p2pokey.errors import BadSignature, BrokenChain, DecodeError, VerificationError
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.absence import check_refusal, check_return, is_certificate
from p2pokey.transcript.messages import Drop, Refuse
from tests.transcript.test_chain import SETUP, chain

VERIFIER = Ed25519Verifier()
SEATS = [Seat(seat) for seat in range(4)]
CHAIN = chain(2, 5)
DROP = Drop(absent=2, step=4, head_seq=3, head=CHAIN[2].body_hash, state=bytes(64))


def test_only_equal_votes_of_all_others_drop_a_seat() -> None:
    votes = dict.fromkeys((0, 1, 3), DROP)
    assert is_certificate(votes, Seat(2), SEATS)
    assert is_certificate({0: DROP, 1: DROP}, Seat(2), SEATS[:3])
    assert not is_certificate({0: DROP, 1: DROP}, Seat(2), SEATS)
    assert not is_certificate({**votes, 1: replace(DROP, step=5)}, Seat(2), SEATS)
    assert not is_certificate({2: DROP}, Seat(2), SEATS)
    assert not is_certificate(votes, Seat(3), SEATS)
    assert not is_certificate({}, Seat(2), [Seat(2)])


def test_a_refusal_shows_a_later_message_of_the_dropped_seat() -> None:
    later = Refuse(message=CHAIN[3].encoded)
    assert check_refusal(VERIFIER, SETUP, DROP, later) == CHAIN[3]
    with pytest.raises(BrokenChain):
        check_refusal(VERIFIER, SETUP, DROP, Refuse(message=CHAIN[2].encoded))
    with pytest.raises(BrokenChain):
        check_refusal(VERIFIER, SETUP, DROP, Refuse(message=chain(1, 5)[4].encoded))
    with pytest.raises(BrokenChain):
        check_refusal(VERIFIER, replace(SETUP, hand=3), DROP, later)
    with pytest.raises(DecodeError):
        check_refusal(VERIFIER, SETUP, DROP, Refuse(message=b"nothing"))
    forged = CHAIN[3].body + CHAIN[4].signature
    with pytest.raises(BadSignature):
        check_refusal(VERIFIER, SETUP, DROP, Refuse(message=forged))


def test_a_return_follows_the_seats_own_chain() -> None:
    check_return(DROP, CHAIN[3])
    with pytest.raises(VerificationError):
        check_return(DROP, CHAIN[2])
    with pytest.raises(VerificationError):
        check_return(DROP, chain(1, 4)[3])
