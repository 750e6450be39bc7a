"""Whose message a hand waits for, and what becomes of a round in which one is missing."""

from collections.abc import Iterable

from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import Phase
from p2pokey.tiles import Seat

OPENING = (Phase.COMMIT, Phase.KEYS, Phase.SHUFFLE, Phase.READY)
"""Rounds before the deal: a seat that is missing there ends the attempt."""
DEALT = (Phase.DEAL, Phase.INDICATOR, Phase.PLAY)
"""Rounds in which the others stand in for an absent seat."""


def is_absent_turn(core: HandCore) -> bool:
    """Whether the absent seat is on turn and it is not yet decided who plays."""
    if core.mark is None or core.phase is not Phase.PLAY or core.reveals:
        return False
    return core.engine.mover(core.need_game()) == core.mark.seat


def awaited(core: HandCore) -> Iterable[Seat]:
    """Seats without whose message the hand cannot go on."""
    if core.phase in (Phase.AUDIT, Phase.DONE, Phase.STOPPED):
        return ()
    if core.phase is Phase.SHUFFLE:
        return (Seat(len(core.shuffles)),) if len(core.shuffles) < len(core.seats) else ()
    if core.reveals:
        return core.missing_tokens()
    if is_absent_turn(core):
        return _undecided(core)
    if core.phase is Phase.PLAY:
        mover = core.engine.mover(core.need_game())
        return () if mover is None else (mover,)
    return tuple(seat for seat in core.present if seat not in core.contributions)


def _undecided(core: HandCore) -> tuple[Seat, ...]:
    """Seats that have not said whether the absent seat is back."""
    assert core.mark is not None
    return tuple(
        seat
        for seat in core.present
        if not any(
            (vote.absent, vote.step) == (core.mark.seat, core.step)
            for vote in core.ballot.votes_of(seat)
        )
    )
