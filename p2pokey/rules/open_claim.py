"""Openings in C: an attempt below the floor and a claimed finish that fails are charged (C-1).

A claimed finish is the opening, the additions and the last discard in one message. It works exactly
if these moves, made one after the other, would be allowed; only the floor may be waived (C-3).
"""

from collections.abc import Sequence
from dataclasses import replace

from p2pokey.errors import IllegalMove
from p2pokey.rules.dealing import Outcome, with_faces
from p2pokey.rules.events import Event
from p2pokey.rules.moves import ClaimFinish, LaidMeld, Placed, move_placed
from p2pokey.rules.open_charges import TableEvent
from p2pokey.rules.open_checks import check_add, check_discard, check_open, missed_floor
from p2pokey.rules.open_effects import add, fail_opening, lay_opening
from p2pokey.rules.open_melds import read_new
from p2pokey.rules.open_turns import discard
from p2pokey.rules.state import HandState, Phase


def open_or_fail(state: HandState, melds: Sequence[LaidMeld]) -> Outcome:
    """Lays an opening that has been checked, or charges it where it misses the floor."""
    missed = missed_floor(state, read_new(state, melds))
    if missed is None:
        return lay_opening(state, melds)
    shown: list[Placed] = [placed for meld in melds for placed in meld.tiles]
    return fail_opening(state, shown, TableEvent.CLOSE_BELOW_FLOOR, missed.text)


def claim_finish(state: HandState, claim: ClaimFinish) -> Outcome:
    """Opens and finishes, or charges the claim.

    The fourth opening with pairs cancels the hand before it finishes (C-12).
    """
    try:
        return _finished(state, claim)
    except IllegalMove as error:
        why = str(error.args[0])
        return fail_opening(state, move_placed(claim), TableEvent.INVALID_RACK_FINISH, why)


def _finished(state: HandState, claim: ClaimFinish) -> Outcome:
    """The hand after the whole claim; raises IllegalMove where it does not work."""
    check_open(state, claim.melds)
    if not state.rules.open_table.rack_finish_waives_floor:
        missed = missed_floor(state, read_new(state, claim.melds))
        if missed is not None:
            raise IllegalMove(missed.text, rule="OT-7", seat=state.turn)
    after, opened = lay_opening(state, claim.melds)
    events: list[Event] = list(opened)
    if after.phase is Phase.OVER:
        return replace(after, faces=with_faces(after, move_placed(claim))), opened
    for addition in claim.additions:
        check_add(after, addition)
        after, added = add(after, addition)
        events.extend(added)
    left = len(after.racks[after.turn])
    if left != 1:
        raise IllegalMove(f"expected one tile for the last discard, got {left}", rule="C-2")
    check_discard(after, claim.discard)
    after, ended = discard(after, claim.discard)
    return after, (*events, *ended)
