"""From one roster to the next: what players who stay together have agreed on (docs/table-protocol.md).

When seats are to change, all players who stay agree between two hands on who sits where. The first
of the new order then opens a room and signs a new roster there. A `Succession` is what was agreed:
the new host takes its settings from it, and everybody else checks the new roster against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from p2pokey.errors import LocalProtocolError, TableRefused
from p2pokey.table.carry import VACANT
from p2pokey.table.roster import Roster
from p2pokey.tiles import MAX_SEATS, MIN_SEATS, Seat

MAX_EPOCH = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """Who sits where at the next table of the same players.

    Raises:
        LocalProtocolError: no order of 2-4 seats that begins with a player who stays and names
            nobody twice.
    """

    before: Roster
    """The roster that all of them have."""
    order: tuple[Seat | None, ...]
    """For each new seat the seat that its player has now; None for one that is vacant."""
    carry: bytes = b""
    """What the match carries on, as our own score sheet has it; empty for a fresh match."""
    rules: bytes = b""
    """Rules of the new table; empty for the same ones."""
    sent_away: dict[bytes, str] = field(default_factory=dict)
    """Keys and names of players who were sent away from this table before."""

    def __post_init__(self) -> None:
        staying = [seat for seat in self.order if seat is not None]
        is_good = (
            MIN_SEATS <= len(self.order) <= MAX_SEATS
            and self.order[0] is not None
            and len(set(staying)) == len(staying)
            and all(0 <= seat < len(self.before.seats) for seat in staying)
            and self.before.epoch < MAX_EPOCH
        )
        if not is_good:
            raise LocalProtocolError("expected an order of 2 to 4 seats that begins with a player")

    @property
    def epoch(self) -> int:
        """The new roster's."""
        return self.before.epoch + 1

    @property
    def reserved(self) -> dict[bytes, Seat]:
        """The new seats of the keys that stay, without the host's own (seat 0)."""
        return {
            self.before.seats[old].public_key: Seat(new)
            for new, old in enumerate(self.order)
            if new > 0 and old is not None
        }

    @property
    def banned(self) -> dict[bytes, str]:
        """Keys and names of all who must not come back: those left out now, and those before."""
        gone = {
            seat.public_key: seat.name
            for index, seat in enumerate(self.before.seats)
            if index not in self.order
        }
        return {**self.sent_away, **gone}

    def new_seat(self, old: Seat) -> Seat | None:
        """Where the player of an old seat sits now; None for one who is left out."""
        return Seat(self.order.index(old)) if old in self.order else None

    def check(self, roster: Roster) -> None:
        """Raises TableRefused unless `roster` is the one that was agreed on.

        Names and the players of vacant seats are the new host's to say.
        """
        if roster.epoch != self.epoch:
            _refuse("The new list of players is not the next one of this table.")
        if roster.rules != (self.rules or self.before.rules):
            _refuse("The new host has changed the rules, which nobody has agreed to.")
        if len(roster.seats) != len(self.order):
            _refuse("The new table has another number of seats than was agreed.")
        self._check_seats(roster)
        if roster.carry != self.carry:
            sentence = "The new host goes on from another score than the one that we have kept."
            raise TableRefused(sentence, reason="score")

    def _check_seats(self, roster: Roster) -> None:
        for new, old in zip(roster.seats, self.order, strict=True):
            if old is not None and new.public_key != self.before.seats[old].public_key:
                name = self.before.seats[old].name
                _refuse(f"The new host has not given {name} the seat that was agreed.")
        for seat in roster.seats:
            if seat.public_key in self.banned:
                name = self.banned[seat.public_key]
                _refuse(f"{name} was sent away from this table and sits at the new one.")


def seats_of(order: Sequence[int]) -> tuple[Seat | None, ...]:
    """An order as the table's messages have it, with `carry.VACANT` for a seat that is vacant."""
    return tuple(None if seat == VACANT else Seat(seat) for seat in order)


def _refuse(sentence: str) -> NoReturn:
    raise TableRefused(sentence)
