"""What votes about a silent seat are worth (docs/protocol.md S10)."""

from dataclasses import replace

import pytest

from p2pokey.errors import BadSignature, BrokenChain, DecodeError, TokenNotDue
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.absence import Ballot, refused_message
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Drop, Kind, Refuse, Return
from tests.transcript.test_chain import SETUP, chain

VERIFIER = Ed25519Verifier()
SEATS = [Seat(seat) for seat in range(4)]
CHAIN = chain(2, 5)
STATE = bytes(64)
VOTE = Drop(absent=2, step=4, head_seq=3, head=CHAIN[2].body_hash, state=STATE)


def noted(ballot: Ballot, seat: int, seq: int, vote: Drop) -> None:
    """The vote as message `seq` of that seat."""
    envelope = replace(
        CHAIN[0], seat=Seat(seat), seq=seq, step=vote.step, state=vote.state, message=vote
    )
    ballot.note_drop(envelope, vote)


def refused(ballot: Ballot, seat: int, seq: int, message: Envelope) -> None:
    envelope = replace(CHAIN[0], seat=Seat(seat), seq=seq, message=Refuse(message=b""))
    ballot.note_refusal(envelope, message)


def test_only_equal_votes_of_all_others_are_a_certificate() -> None:
    ballot = Ballot(SETUP)
    for seat in (0, 1):
        noted(ballot, seat, 9, VOTE)
        assert not ballot.is_certified(VOTE, SEATS)
    assert ballot.is_certified(VOTE, [Seat(0), Seat(1), Seat(2)]), "seat 3 is absent already"
    noted(ballot, 3, 9, replace(VOTE, head_seq=4))
    assert not ballot.is_certified(VOTE, SEATS)
    ballot = Ballot(SETUP)
    for seat in (0, 1, 3):
        noted(ballot, seat, 9, VOTE)
    assert ballot.is_certified(VOTE, SEATS)
    assert not ballot.is_certified(replace(VOTE, state=bytes([1]) * 64), SEATS)
    assert not ballot.is_certified(VOTE, [Seat(2)])


def test_a_refusal_takes_back_exactly_the_vote_whose_next_message_it_shows() -> None:
    ballot = Ballot(SETUP)
    noted(ballot, 0, 9, VOTE)
    refused(ballot, 1, 5, CHAIN[4])
    assert ballot.refusal_of(VOTE, is_marked=False) is None, "not the message after the head"
    refused(ballot, 1, 6, CHAIN[3])
    assert ballot.refusal_of(VOTE, is_marked=False) == CHAIN[3]
    assert ballot.refusal_of(VOTE, is_marked=True) is None, "only a RETURN ends an absence"
    back = replace(CHAIN[4], message=Return())
    refused(ballot, 3, 6, back)
    assert ballot.refusal_of(VOTE, is_marked=True) == back


def test_who_has_voted_cannot_refuse_the_same_vote_and_the_other_way_round() -> None:
    """So a certificate and a valid refusal never stand beside each other."""
    ballot = Ballot(SETUP)
    noted(ballot, 1, 5, VOTE)
    refused(ballot, 1, 6, CHAIN[3])
    assert ballot.refusal_of(VOTE, is_marked=False) is None
    ballot = Ballot(SETUP)
    refused(ballot, 1, 5, CHAIN[3])
    with pytest.raises(TokenNotDue):
        noted(ballot, 1, 6, VOTE)
    assert not ballot.has_voted(Seat(1), VOTE)


def test_votes_never_go_back_and_never_repeat() -> None:
    ballot = Ballot(SETUP)
    noted(ballot, 1, 5, VOTE)
    for wrong in (
        VOTE,
        replace(VOTE, head=bytes(64)),
        replace(VOTE, head_seq=2),
        replace(VOTE, step=3),
        replace(VOTE, step=3, head_seq=4),
        replace(VOTE, step=9, absent=1),
    ):
        with pytest.raises(TokenNotDue):
            noted(ballot, 1, 6, wrong)
    noted(ballot, 1, 6, replace(VOTE, step=9))
    noted(ballot, 1, 7, replace(VOTE, step=9, head_seq=4))


def test_a_vote_names_its_authors_own_step() -> None:
    envelope = replace(CHAIN[0], seat=Seat(1), step=3, state=STATE, message=VOTE)
    with pytest.raises(TokenNotDue):
        Ballot(SETUP).note_drop(envelope, VOTE)


def test_a_refusal_carries_a_signed_message_of_this_hand() -> None:
    def message(data: bytes, author: int = 0) -> Envelope:
        return refused_message(VERIFIER, SETUP, Seat(author), Refuse(message=data))

    assert message(CHAIN[3].encoded) == CHAIN[3]
    with pytest.raises(BrokenChain):
        message(CHAIN[3].encoded, author=2)
    with pytest.raises(BrokenChain):
        refused_message(VERIFIER, replace(SETUP, hand=3), Seat(0), Refuse(message=CHAIN[3].encoded))
    with pytest.raises(DecodeError):
        message(b"nothing")
    with pytest.raises(BadSignature):
        message(CHAIN[3].body + CHAIN[4].signature)
    assert CHAIN[3].kind is not Kind.RETURN
