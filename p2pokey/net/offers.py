"""Offers and answers between two seats, sealed for the other one and signed (docs/network.md).

The boxes already keep everybody else out; the signature by the roster key over roster, direction,
attempt and text makes each of them stand by itself, whatever carried it.
"""

from dataclasses import dataclass

from p2pokey.codec import u32
from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import DecodeError
from p2pokey.net.bodies import Body, encode_body
from p2pokey.net.pairs import PairChannel
from p2pokey.net.toolkit import Toolkit
from p2pokey.ports import SIGNATURE_BYTES
from p2pokey.table.roster import Roster, roster_hash
from p2pokey.tiles import Seat

MAX_DESCRIPTION_CHARS = 4000
"""A description has 600 characters and 100 more for each network address."""
_MAX_ATTEMPT = 2**32 - 1
_KINDS = ("offer", "answer", "retry", "here")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMessage:
    """One step of connecting two seats."""

    kind: str
    """`offer`, `answer`, `retry`: please offer anew, or `here`: this is my place at the server."""
    attempt: int
    """Counts the offers of one run, u32; an answer repeats its offer's number."""
    description: str
    """Session description; empty for `retry` and `here`."""


class PairTalk:
    """What two seats say to each other through the signalling server.

    Args:
        toolkit: our keys.
        roster: the signed roster.
        own_seat, other_seat: who talks.
        channel: our end of the pair's boxes.
    """

    def __init__(
        self,
        toolkit: Toolkit,
        roster: Roster,
        *,
        own_seat: Seat,
        other_seat: Seat,
        channel: PairChannel,
    ) -> None:
        self._toolkit = toolkit
        self._roster = roster
        self._own_seat = own_seat
        self._other_seat = other_seat
        self._channel = channel

    @property
    def other_run(self) -> bytes:
        """Run of the other program that the newest message is of; empty before the first one."""
        return self._channel.other_run

    def seal(self, message: PairMessage) -> bytes:
        """The body to send to the other seat."""
        text = self._signed_text(message, self._own_seat, self._other_seat)
        body = encode_body(
            message.kind,
            n=message.attempt,
            sdp=message.description,
            sig=self._toolkit.signer.sign(text),
        )
        return self._channel.seal(body)

    def unseal(self, box: Body) -> PairMessage:
        """The other seat's message.

        Raises:
            DecodeError: not sealed by the other seat, an old one again, or malformed.
            BadSignature: sealed by the other seat, but signed by nobody.
        """
        body = self._channel.unseal(box)
        if body.kind not in _KINDS:
            raise DecodeError("expected an offer, an answer, a retry or a here")
        message = PairMessage(
            kind=body.kind,
            attempt=body.number("n", _MAX_ATTEMPT),
            description=body.text("sdp", MAX_DESCRIPTION_CHARS),
        )
        text = self._signed_text(message, self._other_seat, self._own_seat)
        key = self._roster.seats[self._other_seat].public_key
        self._toolkit.verifier.verify(key, text, body.binary("sig", SIGNATURE_BYTES))
        return message

    def _signed_text(self, message: PairMessage, sender: Seat, receiver: Seat) -> bytes:
        where = fr("roster", roster_hash(self._roster)) + fr("seats", bytes([sender, receiver]))
        what = fr("n", u32(message.attempt))
        what += fr("sdp", message.description.encode("utf-8"))
        return fr("sig", PREFIX + message.kind.encode("ascii")) + where + what
