"""What the hand machine asks of its shell and tells it, in order.

A shell carries out effects strictly in the order in which `poll` returns them: a message is on disk
before it is sent.
"""

from dataclasses import dataclass
from enum import Enum, auto

from p2pokey.errors import PeerFault
from p2pokey.rules.events import Event
from p2pokey.rules.moves import Move
from p2pokey.tiles import Seat


class Phase(Enum):
    """The round that the hand is in; members in the order in which they pass."""

    COMMIT = auto()
    """Commitments and sealing keys."""
    KEYS = auto()
    """Hand keys, recovery shares and coins."""
    SHUFFLE = auto()
    """Each seat shuffles in turn; everybody verifies."""
    READY = auto()
    """All confirm the same deck."""
    DEAL = auto()
    """Tokens for the racks and the indicator."""
    INDICATOR = auto()
    """Tokens for the next tile after a turned false okey."""
    PLAY = auto()
    """Moves, and tokens for draws."""
    END = auto()
    """All sign the final state."""
    DISCLOSE = auto()
    """All disclose their seeds."""
    AUDIT = auto()
    """Waiting for this seat's own audit."""
    RESULT = auto()
    """All sign the score."""
    DONE = auto()
    """The hand counts."""
    STOPPED = auto()
    """The hand has no score: a seat broke the protocol, or the hand was given up."""

    @property
    def label(self) -> str:
        """Lower-case name for reports."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Persist:
    """Write this signed envelope (own or accepted) to disk before going on."""

    envelope: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send this signed envelope to all other seats."""

    envelope: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEntered:
    """A round completed and the next began."""

    phase: Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleVerified:
    """The shuffle of this seat was checked (or is one's own)."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofAccepted:
    """A proof object of this seat verified.

    `kind` is one of possession, share, shuffle, token, reveal, remask; `count` is how many
    statements the proof covers.
    """

    seat: Seat
    kind: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveApplied:
    """A move was checked and applied."""

    seat: Seat
    move: Move
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReady:
    """This seat can move now: its view is complete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDue:
    """All seeds are disclosed: audit `transcript` and answer with `AuditDone`.

    A seat that learns only now that others have voted about it goes back and asks once more.
    """

    transcript: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFinished:
    """Every seat signed the same result."""

    points: tuple[int, ...]
    totals: tuple[int, ...]
    transcript: bytes
    """The whole file."""
    transcript_hash: bytes
    """SHA-512 of all lines before the first RESULT, as every RESULT signs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandStopped:
    """The hand ends without a score.

    `fault` names whom and why; None where nobody can be blamed, then `reason` says what happened.
    """

    reason: str
    fault: PeerFault | None
    missing: Seat | None = None
    """A seat that did not answer before the deal: nobody's fault, but the hand cannot begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAbsent:
    """All others have called this seat absent and stand in for it (docs/protocol.md S10)."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReturned:
    """The absent seat is back and plays its turns itself."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPaused:
    """Nobody can stand in for this seat: the hand waits until it is back or is given up."""

    seat: Seat


Effect = (
    Persist
    | Send
    | PhaseEntered
    | ShuffleVerified
    | ProofAccepted
    | MoveApplied
    | TurnReady
    | AuditDue
    | HandFinished
    | HandStopped
    | SeatAbsent
    | SeatReturned
    | HandPaused
)
"""Anything that `poll` returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """Command: make this move."""

    move: Move


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmResult:
    """Command: this seat's audit came to this score."""

    points: tuple[int, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectResult:
    """Command: this seat's audit found this seat at fault."""

    culprit: int
    cause: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandon:
    """Command: give the hand up without a score."""

    reason: str
    before_end: bool = False
    """Without effect once this seat has signed the final state: others may count the hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAbsent:
    """Command: this seat has waited long enough for that one.

    Without effect while the hand does not wait for that seat, or has called it already.
    """

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDone:
    """Command: what the audit came to; without effect if another one is due by now."""

    transcript: bytes
    """The one of `AuditDue`."""
    verdict: ConfirmResult | RejectResult | Abandon


Command = Play | ConfirmResult | RejectResult | Abandon | CallAbsent | AuditDone
"""Anything that `act` takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What the hand waits for, for a shell that puts a limit on every wait."""

    phase: Phase
    seats: tuple[Seat, ...]
    """Seats whose message is missing; the own seat where a command is."""
    absent: Seat | None = None
    """The seat that the others stand in for."""
    called: Seat | None = None
    """The seat that this one has called absent, while not all others have."""
    paused: tuple[Seat, ...] = ()
    """Seats that were called and that nobody can stand in for."""
