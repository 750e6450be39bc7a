"""What happened in a hand, in past tense, and which slots must now be opened to whom.

`Reveal` is the contract between the rules and the deck: the other seats owe their tokens for these
slots. A tile that its holder shows, discards or finishes with needs no Reveal, because the holder's
own move carries the proof; a slot whose face is public needs none either.
"""

from dataclasses import dataclass

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
    | HandFinished
    | HandExhausted
)
