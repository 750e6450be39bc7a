"""What happened in a hand, in past tense, and which slots must now be opened to whom.

`Reveal` is the contract between the rules and the deck: the other seats owe their tokens for these
slots. A tile that its holder shows, discards or finishes with needs no Reveal, because the holder's
own move carries the proof; a slot whose face is public needs none either.
"""

from dataclasses import dataclass

from p2pokey.rules.moves import Placed
from p2pokey.rules.open_state import Opened
from p2pokey.rules.state import Ending, FinishRecord
from p2pokey.tiles import Seat, Slot, Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal:
    """Open these slots to one seat, or to everybody (`to` None)."""

    slots: tuple[Slot, ...]
    to: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseOkeyTurned:
    """A false okey was turned for the indicator and went under the stack (G-1)."""

    slot: Slot
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class IndicatorTurned:
    """The indicator lies open; the okey is known."""

    slot: Slot
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDrawn:
    """A seat drew the top of the stack."""

    seat: Seat
    slot: Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTaken:
    """A seat took its left neighbour's discard."""

    seat: Seat
    slot: Slot
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class IndicatorShown:
    """A seat showed the twin of the indicator."""

    seat: Seat
    slot: Slot
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDiscarded:
    """A seat discarded."""

    seat: Seat
    slot: Slot
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPassed:
    """A seat declined the last discard."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlayed:
    """A seat of the duel rearranged the table and laid tiles of its rack on it."""

    seat: Seat
    laid: tuple[Placed, ...]
    """Tiles from the rack, ascending by slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RackEmptied:
    """A seat of the duel has laid its last tile and won the round."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TileReturned:
    """A seat put the discard that it had taken back; it draws next."""

    seat: Seat
    slot: Slot
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class GoingPairsDeclared:
    """A seat has bound itself to open with pairs (B-12)."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOpened:
    """A seat laid down for the first time."""

    seat: Seat
    opened: Opened
    value: int
    """Value of its melds, or number of its pairs."""

    laid: tuple[Placed, ...]
    """In laid order, meld after meld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningFailed:
    """A seat showed an opening, or claimed a finish, that does not work (C-1)."""

    seat: Seat
    shown: tuple[Placed, ...]
    """The tiles that everybody has seen now, ascending by slot; they stay on the rack."""

    reason: str
    """What is wrong, in English, with the numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldsLaid:
    """A seat laid further melds or pairs."""

    seat: Seat
    laid: tuple[Placed, ...]
    """In laid order, meld after meld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TilesAdded:
    """A seat put tiles on a meld of the table."""

    seat: Seat
    meld: int
    """Number of the meld on the table."""

    tiles: tuple[Placed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OkeyRetrieved:
    """A seat supplied what an okey stood for and took the okey."""

    seat: Seat
    meld: int
    okey: Placed
    supply: tuple[Placed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRestored:
    """What a seat had changed on the table in this turn was undone (B-4, C-8)."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargeBooked:
    """Points were written against a seat; a bonus is negative."""

    seat: Seat
    points: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCancelled:
    """All seats have opened with pairs: the hand is void and dealt again (C-12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandFinished:
    """A seat finished the hand."""

    finish: FinishRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class HandExhausted:
    """The hand ended without a finisher."""

    ending: Ending


Event = (
    Reveal
    | FalseOkeyTurned
    | IndicatorTurned
    | TileDrawn
    | TileTaken
    | IndicatorShown
    | TileDiscarded
    | TurnPassed
    | TablePlayed
    | RackEmptied
    | TileReturned
    | GoingPairsDeclared
    | SeatOpened
    | OpeningFailed
    | MeldsLaid
    | TilesAdded
    | OkeyRetrieved
    | TableRestored
    | ChargeBooked
    | HandCancelled
    | HandFinished
    | HandExhausted
)
