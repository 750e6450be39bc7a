"""Checks of the messages about an absent seat: DROP, REFUSE and RETURN (docs/protocol.md S10).

A seat counts as absent only by a certificate: equal DROPs by all other seats that are not absent
themselves. A seat that holds a later message of the dropped one answers with REFUSE and that
message; then the DROP for the earlier head is void.
"""

from collections.abc import Mapping, Sequence

from p2pokey.errors import BrokenChain, VerificationError
from p2pokey.ports import Verifier
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope, verify_envelope
from p2pokey.transcript.messages import Drop, Refuse
from p2pokey.transcript.setup import HandSetup


def is_certificate(drops: Mapping[Seat, Drop], absent: Seat, present: Sequence[Seat]) -> bool:
    """Whether these votes, by author, drop the seat: equal, about it, and by all others.

    Args:
        drops: the votes.
        absent: the seat in question.
        present: all seats that no earlier certificate marks absent.
    """
    voters = [seat for seat in present if seat != absent]
    votes = {drops[seat] for seat in voters if seat in drops}
    is_unanimous = len(votes) == 1 and all(seat in drops for seat in voters)
    return bool(voters) and is_unanimous and all(vote.absent == absent for vote in votes)


def check_refusal(verifier: Verifier, setup: HandSetup, drop: Drop, refuse: Refuse) -> Envelope:
    """The later message of the dropped seat that a REFUSE carries.

    Raises:
        DecodeError: no envelope.
        BadSignature: not signed by the dropped seat.
        BrokenChain: of another hand or seat, or not later than the head that the DROP names.
    """
    envelope = decode_envelope(refuse.message)
    if (envelope.session, envelope.hand) != (setup.session, setup.hand):
        raise BrokenChain("the message of a REFUSE belongs to another hand")
    if envelope.seat != drop.absent:
        raise BrokenChain(f"expected a message of seat {drop.absent + 1} in a REFUSE")
    verify_envelope(verifier, setup.roster[envelope.seat], envelope)
    if envelope.seq < drop.head_seq:
        raise BrokenChain("the message of a REFUSE is not later than the DROP")
    return envelope


def check_return(drop: Drop, envelope: Envelope) -> None:
    """Raises VerificationError unless a RETURN comes from the dropped seat, after its head."""
    if envelope.seat != drop.absent or envelope.seq < drop.head_seq:
        raise VerificationError("a RETURN must follow the dropped seat's own last message")
