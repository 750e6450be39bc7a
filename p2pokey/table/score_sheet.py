"""The score sheet of a match: a row for each hand that all have signed, and one digest of all rows.

Seats tell each other the digest before each hand (NEXT), so a seat that keeps another score is found
before anything is played on it.
"""

from dataclasses import dataclass, replace

from p2pokey.codec import i32, u8, u32
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.table.contents import SHEET_BYTES
from p2pokey.table.match import FinishedHand
from p2pokey.tiles import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One hand that all seats have signed."""

    attempt: int
    """Number of the attempt in its session."""
    starter: Seat
    points: tuple[int, ...]
    """Change per seat."""
    totals: tuple[int, ...]
    """Score per seat after it."""
    counts: bool
    """False: the rules cancelled it, and it was dealt again (C-12)."""
    transcript_hash: bytes
    """64 bytes that every RESULT signed."""
    reason: str = ""
    """Text id of how it ended (`rules.scoring.HandScore`), for people; not in the digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSheet:
    """All hands of one match in one session, oldest first."""

    session: bytes
    first_attempt: int
    """The attempt that the match began, or went on, with in this session."""
    start: tuple[int, ...]
    """Score per seat before that."""
    rows: tuple[SheetRow, ...] = ()

    @property
    def totals(self) -> tuple[int, ...]:
        """Score per seat now."""
        return self.rows[-1].totals if self.rows else self.start

    def counted(self, attempt: int) -> bool:
        """Whether that attempt has a row."""
        return any(row.attempt == attempt for row in self.rows)

    def with_hand(self, attempt: int, hand: FinishedHand, reason: str) -> "ScoreSheet":
        """The sheet with one more row."""
        row = SheetRow(
            attempt=attempt,
            starter=hand.starter,
            points=hand.points,
            totals=hand.totals,
            counts=hand.counts,
            transcript_hash=hand.transcript_hash,
            reason=reason,
        )
        return replace(self, rows=(*self.rows, row))

    def digest(self) -> bytes:
        """32 bytes that are equal at two seats only if their sheets are."""
        hashing = FiatShamir("score-sheet")
        hashing.add("session", self.session)
        hashing.add("start", u32(self.first_attempt) + b"".join(map(i32, self.start)))
        for row in self.rows:
            head = u32(row.attempt) + u8(row.starter) + u8(row.counts)
            numbers = b"".join(map(i32, (*row.points, *row.totals)))
            hashing.add("hand", head + numbers + row.transcript_hash)
        return hashing.digest()[:SHEET_BYTES]
