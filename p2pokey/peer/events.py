"""What a running table tells its user interface: typed facts, and their JSON for other programs."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from p2pokey.net.link import LinkState
from p2pokey.peer.table_events import TableEvent
from p2pokey.tiles import Seat


class Stage(StrEnum):
    """A part of a hand that is complete; members in the order in which they pass."""

    KEYS = "keys"
    """All hand keys are exchanged."""
    SHUFFLED = "shuffled"
    """Every seat has shuffled and this seat has verified every shuffle."""
    DEALT = "dealt"
    """All racks and the indicator are open to whom they belong."""
    FINISHED = "finished"
    """The last move is made."""
    DISCLOSED = "disclosed"
    """All seeds are published."""
    REPLAYED = "replayed"
    """This seat's audit has replayed the hand to a score."""
    COUNTED = "counted"
    """All seats have signed the same score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """All links are open and authenticated."""

    seat: Seat
    names: tuple[str, ...]
    """Display names in seat order."""
    safety_words: tuple[str, ...]
    """Four words to compare by voice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyNoted:
    """The key of somebody at the table is not the one that was known."""

    text: str
    """What to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """Another run of the program has taken the seat up; links to the others follow."""

    seat: Seat
    names: tuple[str, ...]
    """Display names in seat order."""
    hands: int
    """Finished hands."""
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandResumed:
    """The hand is where the earlier run of the program has left it."""

    hand: int
    messages: int
    """How many were in the journal."""
    seconds: float
    """What it took to come back to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBegan:
    """A new attempt begins."""

    hand: int
    """Attempt, 0-based."""
    match_hand: int
    """Hand of the match, 0-based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePassed:
    """A part of the hand is complete."""

    hand: int
    stage: Stage
    seconds: float
    """Since the hand began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleChecked:
    """One seat's shuffle has been verified."""

    hand: int
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveMade:
    """A move was checked and applied."""

    hand: int
    seat: Seat
    move: str
    """Text of the move (`rules.moves.format_move`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSeen:
    """A seat's link got better or worse."""

    seat: Seat
    state: LinkState


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlayedFor:
    """All others have called this seat absent and play on without it (docs/protocol.md S10)."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBack:
    """The absent seat plays its turns itself again."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPausedFor:
    """The hand cannot go on without these seats: it waits for them until somebody voids it."""

    hand: int
    seats: tuple[Seat, ...]
    seconds: float
    """How long they have been waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandGoesOn:
    """The pause is over: what was missing has come."""

    hand: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedForIdle:
    """The time of this seat's player was nearly up, so its own program moves for it."""

    hand: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StillWaiting:
    """Something takes long; says what."""

    text: str
    what: str = ""
    """What is awaited: `keys`, `shuffle`, `deal`, `move`, `token`, `end`, `disclose`, `result`, `link`,
    `journal` or `next-hand`."""
    seats: tuple[Seat, ...] = ()
    """Of whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofCount:
    """Proof objects of other seats that verified."""

    kind: str
    """possession, share, shuffle, token, reveal or remask."""
    objects: int
    statements: int
    """What the objects cover together, e.g. single tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCounted:
    """Every seat has signed the same score, and the transcript is saved."""

    hand: int
    is_cancelled: bool
    """Whether the rules cancelled the hand (C-12): it is dealt again and brings no points."""
    points: tuple[int, ...]
    totals: tuple[int, ...]
    moves: int
    proofs: tuple[ProofCount, ...]
    audited: int
    """Proof objects that the audit at the end verified once more."""
    transcript: str
    """Path of the file."""
    seconds: float
    """Since the hand began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFailed:
    """The hand has no score."""

    hand: int
    reason: str
    """One sentence."""
    culprit: Seat | None
    """The seat that broke the protocol, if one is proven."""
    transcript: str | None
    """Path of what there is, None if nothing was signed yet."""
    dealt_again: bool
    """Whether the same hand is dealt again; else the table is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchOver:
    """The match is over, unless all want another."""

    winners: tuple[Seat, ...]
    """Empty if the rules did not end it."""
    stays: bool
    """Whether this program stays a while for a rematch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """No further hand is played here."""

    hands: int
    """Hands that counted."""
    totals: tuple[int, ...]
    winners: tuple[Seat, ...]
    """Empty if the rules did not end the match."""


HandEvent = (
    Connected
    | KeyNoted
    | Resumed
    | HandResumed
    | HandBegan
    | StagePassed
    | ShuffleChecked
    | MoveMade
    | LinkSeen
    | SeatPlayedFor
    | SeatBack
    | HandPausedFor
    | HandGoesOn
    | MovedForIdle
    | StillWaiting
    | HandCounted
    | HandFailed
    | MatchOver
    | MatchEnded
)
"""What happens in hands and with links."""

PeerEvent = HandEvent | TableEvent


def event_to_json(event: PeerEvent) -> dict[str, Any]:
    """Plain values; `event` holds the class name."""
    return {"event": type(event).__name__, **asdict(event)}
