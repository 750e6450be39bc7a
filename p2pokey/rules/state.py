"""The public state of one hand, on slots; the same bytes at every honest peer.

Racks, stack and discard piles hold slots (positions in the shuffled deck). `faces` says which of
them everybody can see. A slot is in exactly one place at every step.

Canonical bytes (integers little-endian; `slots` = count u8, then the slots, u8 each; absent
seat or slot = 255):

    field           size
    version         1   value 1
    rule set        64  SHA-512 of its canonical JSON
    seats           1
    starter         1
    phase           1   0 indicator, 1 draw, 2 play, 3 over
    ending          1   0 none, 1 finished, 2 stack empty, 3 turn limit, 4 blocked, 5 cancelled
    turn            1
    indicator       1   slot
    taken           1   slot taken from the left in this turn
    shown by        1   seat
    turns taken     2 per seat
    racks           slots per seat, in rack order
    stack           slots, top first
    discard piles   slots per seat, bottom first
    faces           1 per slot 0..105: tile number, 255 while concealed
    finish          1 (0 none, 1 follows), then: seat 1, discarded slot 1, kind 1 (0 melds, 1 pairs),
                    okey discarded 1, layout as in a finish move (move_codec.py)
    table           1 (0 none, 1 follows), then the bytes of open_state.py or duel_state.py
"""

import hashlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from p2pokey.codec import u16
from p2pokey.rules.melds import identity
from p2pokey.rules.move_codec import encode_melds
from p2pokey.rules.moves import LaidMeld
from p2pokey.rules.published import RuleSet
from p2pokey.rules.rulesets import ruleset_hash
from p2pokey.tiles import Face, Seat, Slot, Tile, face_of, next_face

STATE_VERSION = 1
_NONE = 255


class Phase(IntEnum):
    """What the hand waits for."""

    INDICATOR = 0
    """The face of the top slot of the stack."""

    DRAW = 1
    """The seat to move draws or takes."""

    PLAY = 2
    """The seat to move discards or finishes."""

    OVER = 3
    """Nothing: the hand has ended."""


class Ending(IntEnum):
    """How the hand ended."""

    NONE = 0
    """It goes on."""

    FINISHED = 1
    """A seat finished."""

    STACK_EMPTY = 2
    """Exhausted: the stack ran out (G-7)."""

    TURN_LIMIT = 3
    """Exhausted: too many turns (G-17)."""

    BLOCKED = 4
    """Two passes in a row in the duel (E-4)."""

    CANCELLED = 5
    """All four opened with pairs: void, dealt again (C-12)."""


class FinishKind(IntEnum):
    """How the 14 tiles of a finish go together."""

    MELDS = 0
    """Runs and sets."""

    PAIRS = 1
    """Seven pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishRecord:
    """Who finished, and how."""

    seat: Seat
    discard: Slot
    kind: FinishKind
    okey_discarded: bool
    layout: tuple[LaidMeld, ...]
    """As the player laid the 14 tiles; for display only (A-9)."""


class GameTable(Protocol):
    """The part of the state that only one kind of game has; a frozen value."""

    def canonical_bytes(self) -> bytes:
        """The one written form, documented with the record."""

    def as_dict(self) -> dict[str, object]:
        """Plain values for the JSON of a view."""

    def slots(self) -> tuple[Slot, ...]:
        """All slots that lie on the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandState:
    """Everything that all seats know of one hand (module docstring)."""

    rules: RuleSet
    seats: int
    starter: Seat
    phase: Phase
    turn: Seat
    """Seat to move; the starter before the first turn."""

    racks: tuple[tuple[Slot, ...], ...]
    """Per seat, deal order, arrivals at the end, a removal closes the gap (docs/protocol.md S9)."""

    stack: tuple[Slot, ...]
    """Top first; turned false okeys lie at the bottom, face public."""

    discards: tuple[tuple[Slot, ...], ...]
    """Per seat, bottom first."""

    indicator: Slot | None
    faces: tuple[Tile | None, ...]
    """Per slot, the face that everybody knows, None while concealed."""

    turns_taken: tuple[int, ...]
    """Per seat, turns that have ended."""

    taken: Slot | None = None
    """Slot taken from the left neighbour in this turn."""

    shown_by: Seat | None = None
    """Seat that has shown the twin of the indicator (A-5)."""

    ending: Ending = Ending.NONE
    finish: FinishRecord | None = None
    table: GameTable | None = None
    """What lies on an open table and all that belongs to it; None in Classic Okey."""

    @property
    def turn_count(self) -> int:
        """Turns that have ended, of all seats together."""
        return sum(self.turns_taken)

    @property
    def okey(self) -> Face | None:
        """Face of the okeys, None until the indicator is turned."""
        if self.indicator is None:
            return None
        tile = self.faces[self.indicator]
        assert tile is not None
        face = face_of(tile)
        assert face is not None
        return next_face(face)

    def is_okey(self, tile: Tile) -> bool:
        """Whether the tile is one of this hand's two okeys; a false okey is not."""
        return self.okey is not None and identity(tile, self.okey) is None

    def left_of(self, seat: Seat) -> Seat:
        """The seat before: the one whose discard may be taken."""
        return left_of(seat, self.seats)

    def right_of(self, seat: Seat) -> Seat:
        """The seat after: the next to move."""
        return right_of(seat, self.seats)

    def partner_of(self, seat: Seat) -> Seat | None:
        """The seat opposite where partners play, else None."""
        return partner_of(seat, self.seats) if self.rules.partners else None


def all_places(state: HandState) -> tuple[Slot, ...]:
    """Every slot where it lies: racks, stack, discard piles, indicator and table."""
    return (
        *(slot for rack in state.racks for slot in rack),
        *state.stack,
        *(slot for pile in state.discards for slot in pile),
        *(() if state.indicator is None else (state.indicator,)),
        *(() if state.table is None else state.table.slots()),
    )


def left_of(seat: Seat, seats: int) -> Seat:
    """The seat that plays before this one."""
    return Seat((seat - 1) % seats)


def right_of(seat: Seat, seats: int) -> Seat:
    """The seat that plays after this one, on its right."""
    return Seat((seat + 1) % seats)


def partner_of(seat: Seat, seats: int) -> Seat:
    """The seat opposite, of four."""
    return Seat((seat + seats // 2) % seats)


def _slots(slots: tuple[Slot, ...]) -> bytes:
    return bytes((len(slots), *slots))


def _or_none(value: int | None) -> int:
    return _NONE if value is None else value


def _finish_bytes(finish: FinishRecord | None) -> bytes:
    if finish is None:
        return b"\x00"
    head = (1, finish.seat, finish.discard, finish.kind, finish.okey_discarded)
    return bytes(head) + encode_melds(finish.layout)


def canonical_bytes(state: HandState) -> bytes:
    """The one written form of the state (module docstring)."""
    fixed = (
        state.seats,
        state.starter,
        state.phase,
        state.ending,
        state.turn,
        _or_none(state.indicator),
        _or_none(state.taken),
        _or_none(state.shown_by),
    )
    return b"".join(
        (
            bytes((STATE_VERSION,)),
            ruleset_hash(state.rules),
            bytes(fixed),
            *map(u16, state.turns_taken),
            *map(_slots, state.racks),
            _slots(state.stack),
            *map(_slots, state.discards),
            bytes(map(_or_none, state.faces)),
            _finish_bytes(state.finish),
            b"\x00" if state.table is None else b"\x01" + state.table.canonical_bytes(),
        )
    )


def state_hash(state: HandState) -> bytes:
    """SHA-512 of the canonical bytes, 64 bytes."""
    return hashlib.sha512(canonical_bytes(state)).digest()
