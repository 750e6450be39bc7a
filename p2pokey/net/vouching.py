"""Guests tell each other which list of players they hold (docs/network.md, Roster).

The host alone hands out the roster, so it could give two guests different ones, or one that is not
what the players agreed on. Each guest therefore tells all other seats, through the server and past
the host, the hash of the roster that it got and whether it takes it. Whoever hears of another
roster, or of a refusal, does not play. A server can keep such a word back, which hides a lie of the
host only if the two work together; then the safety words differ.

The word is bound to its author's fresh nonce commitment, so an old one cannot be repeated.
"""

from p2pokey.crypto.fiat_shamir import PREFIX, fr
from p2pokey.errors import BadSignature, DecodeError, TableRefused
from p2pokey.net.bodies import Body, decode_body, encode_body
from p2pokey.ports import SIGNATURE_BYTES, Signer, Verifier
from p2pokey.table.roster import Roster, roster_hash
from p2pokey.tiles import Seat

VOUCH = "vouch"
_MAX_CODE = 16
_REASONS = {
    "score": "the host goes on from another score than {name} has kept.",
    "players": "the host's list of players is not what was agreed.",
}


def make_vouch(roster: Roster, seat: Seat, signer: Signer, refusal: str = "") -> bytes:
    """What the guest on `seat` tells the others; `refusal`: `TableRefused.reason`, or empty."""
    digest, commit = roster_hash(roster), roster.seats[seat].nonce_commit
    signature = signer.sign(_signed_text(digest, commit, refusal))
    return encode_body(VOUCH, pub=signer.public_key, roster=digest, no=refusal, sig=signature)


def is_vouch(data: bytes) -> bool:
    """Whether a body from the server is such a word."""
    try:
        return decode_body(data).kind == VOUCH
    except DecodeError:
        return False


def check_vouch(data: bytes, roster: Roster, own_seat: Seat, verifier: Verifier) -> None:
    """Hears what another seat says of the roster; what is not signed by one is passed over.

    Raises:
        TableRefused: that seat holds another roster, or refuses ours.
    """
    try:
        seat, digest, refusal = _read(decode_body(data), roster, verifier)
    except (DecodeError, BadSignature):
        return
    if seat == own_seat:
        return
    name, host = roster.seats[seat].name, roster.seats[0].name
    if digest != roster_hash(roster):
        raise TableRefused(
            f"{name} was given another list of players than we were: {host}, who signs both, "
            "or somebody between us lies. Do not play at this table."
        )
    if refusal:
        why = _REASONS.get(refusal, _REASONS["players"]).format(name=name)
        raise TableRefused(f"{name} refuses this table: {why}", reason=refusal)


def _read(body: Body, roster: Roster, verifier: Verifier) -> tuple[Seat, bytes, str]:
    key, digest = body.binary("pub", 32), body.binary("roster", 32)
    refusal = body.text("no", _MAX_CODE)
    seat = roster.seat_of(key)
    if seat is None:
        raise DecodeError("expected the word of a seat")
    text = _signed_text(digest, roster.seats[seat].nonce_commit, refusal)
    verifier.verify(key, text, body.binary("sig", SIGNATURE_BYTES))
    return seat, digest, refusal


def _signed_text(digest: bytes, commit: bytes, refusal: str) -> bytes:
    head = fr("sig", PREFIX + b"vouch") + fr("roster", digest)
    return head + fr("commit", commit) + fr("no", refusal.encode("utf-8"))
