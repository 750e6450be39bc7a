"""What a new session takes over from the one before it, when the seats of a table have changed.

A change of seats makes a new roster and so a new session; the match goes on. What it goes on from
stands in the roster, in one byte form, integers little-endian:

    version u8 = 1 | previous session 32 | seats n u8 | hands played u32 | totals i32 * n |
    first starter u8 | repeated starter u8 | transcript hash 64 | excluded u8 = 0

Starters are 255 for none. No bytes at all: a match that begins. Seats are those of the new order.
Every seat that stays compares the bytes with what it would have written, so a host cannot change a
score (`carry_bytes`); who is new has to believe those who stay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from p2pokey.codec import Reader, i32, u8, u32
from p2pokey.errors import DecodeError, UnsupportedVersion
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import TableOptions
from p2pokey.rules.state import partner_of
from p2pokey.table.match import Match, new_match
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, Seat
from p2pokey.transcript.messages import HASH_SIZE
from p2pokey.transcript.setup import MAX_TOTAL

VERSION = 1
NOBODY = 255
VACANT = 255
"""In an order of seats: a place for somebody new."""
MIN_STAYING = 2
"""Old seats in a new order: a change of seats is agreed on, and nobody agrees with nobody."""
MAX_CARRY_BYTES = 1 + 32 + 1 + 4 + 4 * MAX_SEATS + 2 + HASH_SIZE + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """Where a match stood when its seats were changed, in the new order."""

    session: bytes
    """32-byte id of the session before."""
    hands_played: int
    totals: tuple[int, ...]
    first_starter: Seat | None
    repeated_starter: Seat | None
    previous: bytes
    """64-byte transcript hash of the last hand that all signed."""


def check_order(order: Sequence[int], seats: int) -> None:
    """Raises DecodeError unless `order` can follow a table of that many seats.

    Args:
        order: for each new seat the old one or `VACANT`. An old seat that is not named is out. The
            first new seat opens the room, so it is not vacant. At least `MIN_STAYING` seats stay, so
            that nobody agrees on new seats alone.
    """
    staying = [old for old in order if old != VACANT]
    if len(order) != seats or len(staying) < MIN_STAYING or order[0] == VACANT:
        raise DecodeError(
            f"expected an order of {seats} seats, {MIN_STAYING} of which stay, the first among them"
        )
    if len(set(staying)) != len(staying) or max(staying) >= seats:
        raise DecodeError("expected each old seat once at most")


def carry_bytes(match: Match, order: Sequence[int]) -> bytes:
    """What the roster of the new order says of this match; empty if a match begins.

    Who takes a vacant seat takes over a score: the first vacant seat that of the first seat that is
    out, and so on. Where a change breaks up partners the match begins anew.

    Raises:
        DecodeError: that is no order for this table.
    """
    check_order(order, len(match.roster))
    heirs = _without_gaps(order)
    is_fresh = match.hands_played == 0 and match.repeated_starter is None
    if is_fresh or match.is_over or not _keeps_partners(match.rules, heirs):
        return b""
    return encode_carry(
        Carry(
            session=match.session,
            hands_played=match.hands_played,
            totals=tuple(match.totals[old] for old in heirs),
            first_starter=_moved(match.first_starter, heirs),
            repeated_starter=_moved(match.repeated_starter, heirs),
            previous=match.previous,
        )
    )


def encode_carry(carry: Carry) -> bytes:
    """The one byte form (module docstring)."""
    return b"".join(
        [
            u8(VERSION) + carry.session + u8(len(carry.totals)) + u32(carry.hands_played),
            b"".join(map(i32, carry.totals)),
            _starter_byte(carry.first_starter) + _starter_byte(carry.repeated_starter),
            carry.previous + u8(0),
        ]
    )


def decode_carry(data: bytes) -> Carry | None:
    """Reads what `encode_carry` writes; None for no bytes.

    Raises:
        DecodeError: anything else, including another version.
    """
    if not data:
        return None
    if len(data) > MAX_CARRY_BYTES:
        raise DecodeError(f"expected at most {MAX_CARRY_BYTES} bytes, got {len(data)}")
    reader = Reader(data)
    version = reader.u8()
    if version != VERSION:
        raise UnsupportedVersion(f"expected carry version {VERSION}, got {version}")
    session, seats, hands = reader.take(32), reader.u8(), reader.u32()
    if not MIN_SEATS <= seats <= MAX_SEATS:
        raise DecodeError(f"expected {MIN_SEATS} to {MAX_SEATS} seats, got {seats}")
    totals = tuple(reader.i32() for _ in range(seats))
    first, repeated = (_starter(reader.u8(), seats) for _ in range(2))
    previous, excluded = reader.take(HASH_SIZE), reader.u8()
    reader.close()
    if excluded or any(abs(total) > MAX_TOTAL for total in totals):
        raise DecodeError("expected totals within their range and nobody excluded")
    return Carry(
        session=session,
        hands_played=hands,
        totals=totals,
        first_starter=first,
        repeated_starter=repeated,
        previous=previous,
    )


def carried_match(
    *,
    session: bytes,
    roster: tuple[bytes, ...],
    rules: RuleSet,
    options: TableOptions,
    carry: bytes,
) -> Match:
    """The match at the beginning of a session: a new one, or one that goes on.

    Raises:
        DecodeError: the carry is not in its form or has another number of seats.
        InvalidRuleSet, LocalProtocolError: as `new_match`.
    """
    match = new_match(session=session, roster=roster, rules=rules, options=options)
    taken = decode_carry(carry)
    if taken is None:
        return match
    if len(taken.totals) != len(roster):
        raise DecodeError(f"expected {len(roster)} totals, got {len(taken.totals)}")
    begun = replace(
        match,
        totals=taken.totals,
        hands_played=taken.hands_played,
        first_starter=taken.first_starter,
        repeated_starter=taken.repeated_starter,
        previous=taken.previous,
    )
    if begun.is_over:
        raise DecodeError("expected a match that goes on, got one that is over")
    return begun


def _without_gaps(order: Sequence[int]) -> tuple[int, ...]:
    """The order with each vacant seat given to an old seat that is out, lowest first."""
    out = iter(sorted(set(range(len(order))) - set(order)))
    return tuple(next(out) if old == VACANT else old for old in order)


def _keeps_partners(rules: RuleSet, heirs: tuple[int, ...]) -> bool:
    if not rules.partners:
        return True
    seats = len(heirs)
    return all(
        heirs[partner_of(Seat(new), seats)] == partner_of(Seat(old), seats)
        for new, old in enumerate(heirs)
    )


def _moved(starter: Seat | None, heirs: tuple[int, ...]) -> Seat | None:
    return None if starter is None else Seat(heirs.index(starter))


def _starter_byte(starter: Seat | None) -> bytes:
    return u8(NOBODY if starter is None else starter)


def _starter(value: int, seats: int) -> Seat | None:
    if value == NOBODY:
        return None
    if value >= seats:
        raise DecodeError(f"expected a starter below {seats} or 255, got {value}")
    return Seat(value)
