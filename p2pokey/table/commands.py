"""Commands to the table machine, and why one may have no effect."""

from dataclasses import dataclass
from enum import Enum

from p2pokey.table.contents import Wish
from p2pokey.table.presence import Presence
from p2pokey.table.records import HandCounts, HandFailed
from p2pokey.tiles import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """Say this in the chat, 1-500 characters."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SayPhrase:
    """Say a quick phrase (table/phrases.py)."""

    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute:
    """Do not show what this seat says, or show it again."""

    seat: Seat
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveDraft:
    """Keep a page's unfinished edits, at most 64 KiB."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WantNext:
    """This seat plays the next attempt, or no further one; said once the table allows it."""

    wish: Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRematch:
    """Ask all others to begin the match anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSeating:
    """Ask those who stay for other seats (table/carry.py)."""

    order: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerAsk:
    """Answer a question."""

    asker: Seat
    seq: int
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkIs:
    """The link to a seat has this state now."""

    seat: Seat
    state: Presence


@dataclass(frozen=True, slots=True, kw_only=True)
class HandAt:
    """The running hand has got so far at this seat."""

    attempt: int
    moves: int
    """Moves applied so far."""
    is_played: bool = False
    """Whether the last of them has been made: the hand is only counted now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLink:
    """The new room is open: tell those who stay how to come in. Only the first new seat does."""

    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """After a damaged journal: all others have told what they hold of this seat."""


Command = (
    Say
    | SayPhrase
    | Mute
    | SaveDraft
    | WantNext
    | AskRematch
    | AskSeating
    | AnswerAsk
    | LinkIs
    | HandAt
    | HandCounts
    | HandFailed
    | ShareLink
    | Synced
)
"""Anything that `act` takes."""


class Refusal(Enum):
    """Why a command had no effect; the value is the sentence for it in English."""

    EMPTY = "there is nothing to say in that line"
    TOO_LONG = "a line has at most 500 characters"
    NO_TEXT = "that line has half a character in it"
    TOO_FAST = "too many lines: wait a little"
    CHAT_FULL = "this table has no room for more of your lines"
    DRAFT_TOO_BIG = "unfinished edits of more than 64 KiB are not kept"
    NOT_SYNCED = "the journal was damaged: first the others must say what they have from here"
    SOMEBODY_GONE = "somebody who would have to answer is not there"
    TOO_MANY_ASKS = "too many questions at this table"
    ASK_OPEN = "there is an open question already"
    NO_SUCH_ASK = "there is no such question to answer"
    IN_HAND = "that is for between the hands"
    BAD_ORDER = "that is no order for the seats of this table"
    ALONE = "somebody else has to stay at the table, too"
    NOT_STAYING = "somebody who stays has to ask for that"
    MATCH_OVER = "the match is over: ask for a rematch"
    TABLE_OVER = "this table is over"
    NOT_FIRST = "only the first seat of the new order opens the room"
