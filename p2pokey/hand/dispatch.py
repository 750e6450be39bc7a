"""Which message may be handled now, and by whom: the table from (phase, kind) to a handler."""

from collections.abc import Callable
from typing import Any

from p2pokey.hand.awaiting import DEALT
from p2pokey.hand.closing import handle_disclose, handle_end, handle_result
from p2pokey.hand.core import HandCore, Steps
from p2pokey.hand.effects import Phase
from p2pokey.hand.opening import (
    handle_commit,
    handle_complaint,
    handle_keys,
    handle_ready,
    handle_shuffle,
)
from p2pokey.hand.play import handle_escrow, handle_move, handle_tokens
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Kind

MAX_AHEAD = 640
"""Steps that an honest seat can be ahead: three turns of other seats, of 200 moves at most each.

On an open table every move of a turn uses up a tile of the rack or an attempt (OT-13): at most four
times about 44 additions and retrievals, and the draw, the discard and the like.
"""

_Handler = Callable[[HandCore, Envelope, Any], Steps]
"""Takes the message class that belongs to the kind in the table below."""

_HANDLERS: dict[tuple[Phase, Kind], _Handler] = {
    (Phase.COMMIT, Kind.COMMIT): handle_commit,
    (Phase.KEYS, Kind.KEYS): handle_keys,
    (Phase.SHUFFLE, Kind.SHUFFLE): handle_shuffle,
    (Phase.SHUFFLE, Kind.COMPLAINT): handle_complaint,
    (Phase.READY, Kind.COMPLAINT): handle_complaint,
    (Phase.READY, Kind.READY): handle_ready,
    **{(phase, Kind.ESCROW): handle_escrow for phase in DEALT},
    (Phase.DEAL, Kind.TOKENS): handle_tokens,
    (Phase.INDICATOR, Kind.TOKENS): handle_tokens,
    (Phase.PLAY, Kind.TOKENS): handle_tokens,
    (Phase.PLAY, Kind.MOVE): handle_move,
    (Phase.END, Kind.END): handle_end,
    (Phase.DISCLOSE, Kind.DISCLOSE): handle_disclose,
    (Phase.RESULT, Kind.RESULT): handle_result,
}


def is_due(core: HandCore, envelope: Envelope) -> bool:
    """Whether this seat has got as far as the envelope, or never will.

    Three kinds have to wait for more than their step: a SHUFFLE for the link before it, a MOVE for
    the tokens of the last draw, and a RESULT for this seat's own audit.
    """
    if envelope.step > core.step:
        return envelope.step > core.step + MAX_AHEAD
    if envelope.kind is Kind.MOVE and core.reveals and envelope.step == core.step:
        return False
    if envelope.kind is Kind.RESULT and core.phase is Phase.AUDIT:
        return False
    is_next = envelope.seat == len(core.shuffles)
    return envelope.kind is not Kind.SHUFFLE or core.phase is not Phase.SHUFFLE or is_next


def handle(core: HandCore, envelope: Envelope) -> Steps | None:
    """The handler of an envelope that is due, started; None if no such message may come now."""
    handler = _HANDLERS.get((core.phase, envelope.kind))
    is_late = envelope.step < core.step and envelope.kind is not Kind.COMPLAINT
    if handler is None or is_late or envelope.seat in core.contributions:
        return None
    core.handled.append(envelope)
    return handler(core, envelope, envelope.message)
