"""What a machine can go back to: the start of a turn, and its own state before one of its messages.

A turn that is timed out goes back to its start, at every seat. And a seat whose newest messages the
others have voted not to take goes back to before them: what it has done with them did not happen.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.turns import RemaskDuty
from p2pokey.hand.effects import Phase, PhaseEntered
from p2pokey.rules.events import Reveal
from p2pokey.rules.state import HandState
from p2pokey.tiles import Seat, Slot, Tile
from p2pokey.transcript.absence import Mark
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Message, Purpose, Result

if TYPE_CHECKING:
    from p2pokey.hand.core import HandCore


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart:
    """What is undone with a turn."""

    game: HandState
    deck: MaskedDeck
    duty: RemaskDuty
    private: dict[Slot, Tile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything in a `HandCore` that a message from READY on can change."""

    phase: Phase
    states: tuple[bytes, ...]
    contributions: dict[Seat, Message]
    handled: int
    deck: MaskedDeck | None
    game: HandState | None
    private: dict[Slot, Tile]
    reveals: tuple[Reveal, ...]
    purpose: Purpose
    duty: RemaskDuty
    turn_start: TurnStart | None
    escrow: dict[Seat, bytes]
    mark: Mark | None
    final_state: bytes
    audited: bytes
    result: Result | None


def take_snapshot(core: "HandCore") -> Snapshot:
    """The core as it is now, from READY on."""
    return Snapshot(
        phase=core.phase,
        states=tuple(core.states),
        contributions=dict(core.contributions),
        handled=len(core.handled),
        deck=None if core.deck is None else core.deck.copy(),
        game=core.game,
        private=dict(core.private),
        reveals=core.reveals,
        purpose=core.purpose,
        duty=core.duty.copy(),
        turn_start=core.turn_start,
        escrow=dict(core.escrow),
        mark=core.mark,
        final_state=core.final_state,
        audited=core.audited,
        result=core.result,
    )


def go_back(core: "HandCore", seq: int, inbox: Sequence[deque[Envelope]]) -> None:
    """Undoes the own messages from this place on, and all that was done since.

    What the others have sent since goes back into their queues, in order, to be handled again.
    """
    kept = core.snapshots[seq]
    undone = core.handled[kept.handled :]
    core.handled = core.handled[: kept.handled]
    core.own_queue.clear()
    core.snapshots = {at: old for at, old in core.snapshots.items() if at < seq}
    for envelope in reversed(undone):
        if envelope.seat != core.seat:
            inbox[envelope.seat].appendleft(envelope)
    core.states = list(kept.states)
    core.contributions = dict(kept.contributions)
    core.deck = None if kept.deck is None else kept.deck.copy()
    core.game = kept.game
    core.private = dict(kept.private)
    core.reveals, core.purpose = kept.reveals, kept.purpose
    core.duty, core.turn_start = kept.duty.copy(), kept.turn_start
    core.escrow = dict(kept.escrow)
    core.mark, core.final_state = kept.mark, kept.final_state
    core.audited, core.result = kept.audited, kept.result
    if core.phase is not kept.phase:
        core.phase = kept.phase
        core.emit(PhaseEntered(phase=kept.phase))
