"""What a program has to keep to come back to its table without a code (docs/table-protocol.md).

Security: it holds the X25519 secret of the table and the token of the place at the server. Whoever
has both and the identity key can take the seat; keep it as private as the identity key.
"""

import json
from dataclasses import dataclass, replace
from typing import Self

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import DecodeError
from p2pokey.net.bodies import Body
from p2pokey.net.seats import SeatCard, read_card
from p2pokey.net.wire import MAX_ID_CHARS
from p2pokey.table.roster import MAX_ROSTER_BYTES, Roster, decode_roster, encode_roster
from p2pokey.tiles import MAX_SEATS, Seat

_MAX_TEXT = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One seat's part in a table that stands."""

    server: str
    """Address of the signalling server."""
    roster: Roster
    """As the host signed it."""
    seat: Seat
    """Ours."""
    cards: tuple[SeatCard, ...]
    """Verified, in seat order."""
    ephemeral: bytes
    """32-byte secret of our X25519 key."""
    place: str
    """Our id at the server."""
    token: str
    """Takes that id up again."""
    routes: tuple[str, ...]
    """Last known id at the server of each seat."""

    def moved(self, *, place: str, token: str, routes: tuple[str, ...]) -> Self:
        """The same with other places at the server."""
        return replace(self, place=place, token=token, routes=routes)

    @property
    def runner(self) -> tuple[bytes, bytes]:
        """Who runs our seat and the signature that says so: for the next table of the players."""
        return self.roster.seats[self.seat].runner, self.cards[self.seat].runner_signature

    def encode(self) -> bytes:
        """JSON bytes."""
        cards = [
            {name: encode_base64(value) for name, value in card.fields().items()}
            for card in self.cards
        ]
        values = {
            "server": self.server,
            "roster": encode_base64(encode_roster(self.roster)),
            "seat": self.seat,
            "cards": cards,
            "ephemeral": encode_base64(self.ephemeral),
            "place": self.place,
            "token": self.token,
            "routes": list(self.routes),
        }
        return json.dumps(values, separators=(",", ":")).encode("ascii")


def decode_membership(data: bytes) -> Membership:
    """Reads what `Membership.encode` wrote; DecodeError for anything else."""
    try:
        values = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        raise DecodeError("expected a membership") from None
    if not isinstance(values, dict):
        raise DecodeError("expected a membership")
    body = Body(values)
    roster = decode_roster(decode_base64(body.text("roster", 2 * MAX_ROSTER_BYTES)))
    cards = tuple(map(read_card, body.nested("cards", MAX_SEATS)))
    routes = body.texts("routes", MAX_SEATS, MAX_ID_CHARS)
    if not len(roster.seats) == len(cards) == len(routes):
        raise DecodeError("expected one card and one route per seat")
    return Membership(
        server=body.text("server", _MAX_TEXT),
        roster=roster,
        seat=Seat(body.number("seat", len(roster.seats) - 1)),
        cards=cards,
        ephemeral=body.binary("ephemeral", 32),
        place=body.text("place", MAX_ID_CHARS),
        token=body.text("token", _MAX_TEXT),
        routes=routes,
    )
