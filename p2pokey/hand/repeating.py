"""After a restart: decisions of an earlier run are made again, from what it has signed."""

from p2pokey.hand.calling import Calling
from p2pokey.hand.closing import repeat_result
from p2pokey.hand.core import HandCore
from p2pokey.hand.effects import Phase
from p2pokey.transcript.envelope import Envelope
from p2pokey.transcript.messages import Drop, Move, Refuse, Result, Void


def repeat_decision(core: HandCore, calling: Calling, *, can_move: bool, more_comes: bool) -> bool:
    """Makes a decision of an earlier run again; False if none is known or due.

    Args:
        more_comes: whether messages of that run are still to be received.
    """
    known = core.signed.at(core.next_seq())
    if known is None:
        return False
    match known.message:
        case Move() if can_move:
            core.publish(known)
        case Result() if core.phase is Phase.AUDIT:
            repeat_result(core, known, known.message)
        case Refuse() if known.step <= core.step or not more_comes:
            # It may answer a vote that was held back, which no journal holds.
            core.publish(known)
        case Drop() if calling.can_repeat(known.message):
            core.publish(known)
            calling.repeat(known.message)
        case _:
            return False
    core.signed.take(known.seq)
    return True


def take_known_void(core: HandCore, *, is_idle: bool) -> tuple[Envelope, Void] | None:
    """The VOID with which an earlier run has ended the hand, once the step that it names has come.

    Args:
        is_idle: whether nothing else is to do, so that no further step will come.
    """
    known = core.signed.at(core.next_seq())
    if known is None or not isinstance(known.message, Void):
        return None
    if core.phase is Phase.STOPPED or (known.step > core.step and not is_idle):
        return None
    core.signed.take(known.seq)
    return known, known.message
