"""Seat cards: what every seat publishes once the roster is signed (docs/network.md, Session id).

A card holds a fresh X25519 key and the opened nonce, signed with the seat's identity key over the
roster hash. Guests give theirs to the host, who hands all of them to everybody; being signed, they
cannot be changed on the way. Out of the cards come the session id and, for every pair of seats, two
keys that neither the server nor the host knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import BadLength
from p2pokey.native.agreement import X25519Key
from p2pokey.net.bodies import Body
from p2pokey.net.pairs import PairChannel
from p2pokey.ports import SIGNATURE_BYTES, Sealer, Signer, Verifier
from p2pokey.table.roster import Roster, open_nonce, roster_hash, verify_runner
from p2pokey.tiles import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatCard:
    """What one seat publishes."""

    ephemeral: bytes
    """32-byte X25519 key, for this roster only."""
    nonce: bytes
    """32 bytes; `roster.open_nonce` holds."""
    signature: bytes
    """64 bytes by the seat's identity key."""
    runner_signature: bytes = b""
    """Whoever runs the seat's machine says so (`roster.sign_runner`); empty for a player's own."""

    def fields(self) -> dict[str, bytes]:
        """The fields of the body that carries it."""
        return {
            "eph": self.ephemeral,
            "nonce": self.nonce,
            "sig": self.signature,
            "run_sig": self.runner_signature,
        }


def read_card(body: Body) -> SeatCard:
    """The card in a body; DecodeError if there is none."""
    return SeatCard(
        ephemeral=body.binary("eph", 32),
        nonce=body.binary("nonce", 32),
        signature=body.binary("sig", SIGNATURE_BYTES),
        runner_signature=body.blob("run_sig", SIGNATURE_BYTES),
    )


def make_card(
    roster: Roster,
    seat: Seat,
    *,
    ephemeral: bytes,
    nonce: bytes,
    signer: Signer,
    runner_signature: bytes = b"",
) -> SeatCard:
    """Our card. To be made only with the signed roster in hand, and once per nonce."""
    signature = signer.sign(_signed_text(roster, seat, ephemeral, nonce))
    return SeatCard(
        ephemeral=ephemeral, nonce=nonce, signature=signature, runner_signature=runner_signature
    )


def verify_cards(roster: Roster, cards: Sequence[SeatCard], verifier: Verifier) -> None:
    """Checks one card per seat, in seat order.

    Raises:
        BadLength: not one card per seat.
        CommitMismatch: a nonce is not the committed one.
        BadSignature: a card is not signed by its seat, or a runner has not signed the seat's key.
    """
    if len(cards) != len(roster.seats):
        raise BadLength(f"expected {len(roster.seats)} seat cards, got {len(cards)}")
    for index, card in enumerate(cards):
        verify_card(roster, Seat(index), card, verifier)


def verify_card(roster: Roster, seat: Seat, card: SeatCard, verifier: Verifier) -> None:
    """Checks one card, errors as in `verify_cards`."""
    open_nonce(roster, seat, card.nonce)
    text = _signed_text(roster, seat, card.ephemeral, card.nonce)
    entry = roster.seats[seat]
    verifier.verify(entry.public_key, text, card.signature)
    verify_runner(entry.public_key, entry.runner, card.runner_signature, verifier)


def _signed_text(roster: Roster, seat: Seat, ephemeral: bytes, nonce: bytes) -> bytes:
    where = fr("roster", roster_hash(roster)) + fr("seat", bytes([seat]))
    return fr("sig", PREFIX + b"seat") + where + fr("eph", ephemeral) + fr("nonce", nonce)


def pair_channel(
    roster: Roster,
    own_seat: Seat,
    own_key: X25519Key,
    other_seat: Seat,
    other_card: SeatCard,
    sealer: Sealer,
    run: bytes,
) -> PairChannel:
    """Our end of the sealed boxes with another seat; `run`: 16 random bytes of this program run.

    Raises:
        BadPoint: the other seat's X25519 key has small order.
    """
    pairs = [(own_seat, own_key.public_key), (other_seat, other_card.ephemeral)]
    context = fr("roster", roster_hash(roster))
    for seat, key in sorted(pairs):
        context += fr("seat", bytes([seat])) + fr("eph", key)
    return PairChannel(
        sealer,
        shared=own_key.exchange(other_card.ephemeral),
        context=context,
        own_seat=own_seat,
        other_seat=other_seat,
        run=run,
    )
