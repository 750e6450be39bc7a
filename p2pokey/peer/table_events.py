"""What the table machine tells the player, as facts for a user interface (peer/events.py)."""

from dataclasses import dataclass

from p2pokey.tiles import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLine:
    """Somebody says something; the own lines come, too."""

    seat: Seat
    seq: int
    """Place in the author's chain: names the line."""
    text: str
    """Safe to show (table/chat_text.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPhrase:
    """Somebody says a quick phrase."""

    seat: Seat
    seq: int
    code: int
    """table/phrases.py, or one that this program does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesDropped:
    """So many lines of a seat came too fast so far and were not shown."""

    seat: Seat
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """What the player wanted is not possible; one sentence without its full stop."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Somebody asks all for something."""

    asker: Seat
    seq: int
    """With the asker the name of the question."""
    what: str
    """`rematch` or `seating`."""
    order: tuple[int, ...]
    """Seating: for each new seat the old one, 255 for somebody new."""
    must_answer: bool
    """Whether this seat has to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered:
    """A seat has answered a question."""

    asker: Seat
    seq: int
    by: Seat
    reply: str
    """`yes`, `no` or `lapsed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionClosed:
    """A question is settled, the same at all seats."""

    asker: Seat
    seq: int
    what: str
    outcome: str
    """`agreed`, `refused` or `cancelled`."""
    against: tuple[Seat, ...]
    """Seats whose answer was no, or whose program's was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RematchBegun:
    """All have agreed: the match begins anew."""

    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsAgreed:
    """All who stay have agreed on other seats: this table ends and another one begins."""

    order: tuple[int, ...]
    """For each new seat the old one, 255 for somebody new."""
    seat: Seat | None
    """Where this seat sits then; None: nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDiffers:
    """That seat keeps another score of the match: the table ends."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLied:
    """That seat has signed what no honest program signs at a table, which therefore ends."""

    seat: Seat
    cause: str
    """Name of the check (docs/protocol.md S12)."""


TableEvent = (
    ChatLine
    | ChatPhrase
    | LinesDropped
    | Refused
    | Question
    | QuestionAnswered
    | QuestionClosed
    | RematchBegun
    | SeatsAgreed
    | ScoreDiffers
    | SeatLied
)
"""Anything beside the hands."""
