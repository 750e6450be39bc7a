"""Every wait of a table: what it is called and how long it may take.

A seat that has vanished is noticed by its link, and is waited for with patience because it may come
back; the other limits catch seats whose link lives and who still send nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from p2pokey.hand.effects import Phase, Waiting
from p2pokey.rules.rulesets import TableOptions
from p2pokey.tiles import Seat

_NAMES = {
    Phase.COMMIT: "the commitment",
    Phase.KEYS: "the keys",
    Phase.SHUFFLE: "the shuffle",
    Phase.READY: "the check of the shuffles",
    Phase.DEAL: "the deal",
    Phase.INDICATOR: "the next indicator",
    Phase.PLAY: "the move",
    Phase.END: "the final state",
    Phase.DISCLOSE: "the disclosure",
    Phase.AUDIT: "the audit",
    Phase.RESULT: "the result",
    Phase.DONE: "nothing",
    Phase.STOPPED: "nothing",
}
_DRAWN_TILE = "the drawn tile"
_CODES = {
    Phase.COMMIT: "keys",
    Phase.KEYS: "keys",
    Phase.SHUFFLE: "shuffle",
    Phase.READY: "shuffle",
    Phase.DEAL: "deal",
    Phase.INDICATOR: "deal",
    Phase.END: "end",
    Phase.DISCLOSE: "disclose",
}


class IfMissing(StrEnum):
    """What to do about a seat without which a hand cannot go on."""

    WAIT = "wait"
    """Wait for it until a player voids the hand."""
    VOID = "void"
    """Void the hand after as long a wait again; it is dealt again, or the table ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitLimits:
    """Seconds that things may take."""

    round_s: float = 30.0
    """One round of messages. A slow computer shuffles or verifies in 2 s without libsodium."""
    audit_s: float = 600.0
    """Another seat's audit at the end of a hand: half a minute on a slow computer."""
    move_grace_s: float = 10.0
    """On top of the table's timer for a turn: what a mover computes, and a slow link."""
    untimed_move_s: float = 3600.0
    """A move where the table has no timer."""
    absent_s: float = 600.0
    """A player who has lost the connection or left, at most; where turns are timed see `grace_s`."""
    alone_s: float = 60.0
    """After coming back: until one of the others is there."""
    stay_s: float = 600.0
    """After a match, for a rematch, where somebody is there who may want one."""
    linger_s: float = 20.0
    """After the last hand: for players who do not have its score yet."""
    next_hand_s: float = 600.0
    """All seats saying whether they play the next hand."""
    farewell_s: float = 5.0
    """Last messages after a hand, and news that cross a seat's goodbye."""
    bound_s: float | None = None
    """A paused hand that cannot be voided any more: the program ends then, and its seat can be
    resumed; None: it waits as long as it runs."""
    notice_s: float = 4.0
    """After this long a wait is shown."""


def is_move(waiting: Waiting, mover: Seat | None) -> bool:
    """Whether a move is awaited; tokens for a drawn tile never come from the seat on turn."""
    return waiting.phase is Phase.PLAY and waiting.seats == (mover,)


def limit_of(
    waiting: Waiting, mover: Seat | None, limits: WaitLimits, table: TableOptions
) -> float:
    """Seconds that this wait may take."""
    if is_move(waiting, mover):
        return table.timer_s + limits.move_grace_s if table.timer_s else limits.untimed_move_s
    return limits.audit_s if waiting.phase is Phase.RESULT else limits.round_s


def name_of(waiting: Waiting, mover: Seat | None) -> str:
    """What is awaited, e.g. `the shuffle`."""
    if waiting.phase is Phase.PLAY and not is_move(waiting, mover):
        return _DRAWN_TILE
    return _NAMES[waiting.phase]


def code_of(waiting: Waiting, mover: Seat | None) -> str:
    """What is awaited, as `events.StillWaiting.what` has it."""
    if waiting.phase is Phase.PLAY:
        return "move" if is_move(waiting, mover) else "token"
    return _CODES.get(waiting.phase, "result")


def people(seats: Sequence[int], names: Sequence[str]) -> str:
    """Seats as people read them, e.g. `seat 3 (Ayse)`."""
    texts = [f"seat {seat + 1} ({names[seat]})" for seat in seats]
    if len(texts) < 2:
        return "".join(texts)
    return ", ".join(texts[:-1]) + " and " + texts[-1]
