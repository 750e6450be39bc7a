"""What the table machine asks of its shell and tells it, in order.

A shell carries out effects strictly in the order in which `poll` returns them: a record is on disk
before the message in it is sent, and before anything follows from it.
"""

from dataclasses import dataclass

from p2pokey.table.asks import AskOutcome
from p2pokey.table.commands import Refusal
from p2pokey.table.contents import Ask, Reply, Wish
from p2pokey.table.presence import Presence
from p2pokey.table.records import Record
from p2pokey.table.score_sheet import ScoreSheet
from p2pokey.table.talk import Line
from p2pokey.tiles import Seat
from p2pokey.transcript.setup import HandSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class Persist:
    """Write this record to disk before going on."""

    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send these bytes to one seat, or to all others."""

    data: bytes
    to: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A command had no effect."""

    why: Refusal
    wait_s: float = 0.0
    """TOO_FAST: seconds to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPresence:
    """A seat can be reached, or not, since then."""

    seat: Seat
    state: Presence
    since: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatShown:
    """Show this line of text."""

    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseShown:
    """Show this quick phrase."""

    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesDropped:
    """So many lines of a seat came too fast so far and were not shown; said now and then."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainFull:
    """A seat has said more than is kept at one table: nothing more is taken from it."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReady:
    """A seat has said whether it plays an attempt."""

    seat: Seat
    attempt: int
    wish: Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOpened:
    """A question is to be shown, and answered where `must_answer`."""

    asker: Seat
    seq: int
    ask: Ask
    must_answer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAnswered:
    """A seat has answered a question."""

    asker: Seat
    seq: int
    by: Seat
    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class AskClosed:
    """A question is settled, the same at all seats."""

    asker: Seat
    seq: int
    ask: Ask
    outcome: AskOutcome
    against: tuple[Seat, ...]
    """Seats whose answer was no, or whose program's was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUpHand:
    """Give the running hand up without a score, unless this seat has signed its end (END).

    Then tell how it ended: it counts if others had already gone on.
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginHand:
    """All seats play: begin, or take up again, the hand with this setup."""

    setup: HandSetup
    used_keys: frozenset[bytes]
    """Hand and sealing keys that may not come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchBegins:
    """All have agreed: the match begins anew with that attempt."""

    attempt: int
    history: tuple[ScoreSheet, ...]
    """Sheets of the matches before, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """The match is over by the rules, or because somebody wants no further hand."""

    sheet: ScoreSheet
    winners: tuple[Seat, ...]
    """Empty if the match was not played to its end."""
    stopped_by: tuple[Seat, ...]
    """Seats that want no further hand; empty: the rules end it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatingAgreed:
    """All who stay have agreed: this session is over, a new one begins."""

    order: tuple[int, ...]
    """For each new seat the old one, or 255 for somebody new."""
    carry: bytes
    """What the new roster must say of the match (table/carry.py)."""
    seat: Seat | None
    """Where this seat sits then; None: it is out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomLink:
    """The link of the new room, from its host."""

    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresDiffer:
    """A seat keeps another score of this match: nothing more can be played with it here."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFault:
    """A seat has signed what no honest program signs; the evidence are its own messages."""

    seat: Seat
    cause: str
    """Name of the check (docs/protocol.md S12)."""
    evidence: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLink:
    """What came by the link of this seat is no message of this table; nobody has signed it."""

    seat: Seat
    cause: str


Effect = (
    Persist
    | Send
    | Refused
    | SeatPresence
    | ChatShown
    | PhraseShown
    | LinesDropped
    | ChainFull
    | SeatReady
    | AskOpened
    | AskAnswered
    | AskClosed
    | GiveUpHand
    | BeginHand
    | RematchBegins
    | MatchEnded
    | SeatingAgreed
    | RoomLink
    | ScoresDiffer
    | TableFault
    | BadLink
)
"""Anything that `poll` returns."""
