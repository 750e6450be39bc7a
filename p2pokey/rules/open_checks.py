"""What the games with an open table forbid: one check per move, each naming its rule (docs/rules).

Rules that only the tables of docs/rules state:

    OT-1   a discard is taken, and used, only in ways that are open to the seat
    OT-2   a taken tile is used or put back before the discard; in C it is part of the opening
    OT-3   after putting the taken tile back a seat draws from the stack
    OT-4   a seat opens once; only who has opened lays, adds and retrieves
    OT-5   an opening is either runs and sets or pairs, and so is all that is laid later
    OT-6   one tile stays on the rack for the discard
    OT-7   an opening reaches the floor
    OT-8   added tiles go to an end of a run, or behind a three-tile set
    OT-9   the number of a meld, and the place in it, are those of the table
    OT-10  an okey is freed by the naturals that it stands for
    OT-11  only changes that this turn made to the table are taken back
    OT-12  a finish from the rack is claimed only in C, by a seat that has not opened; a claim that
           does not work is charged
    OT-13  after some failed and taken-back attempts nothing more is laid in the turn
"""

from collections.abc import Sequence
from typing import NamedTuple

from p2pokey.rules.checks import (
    check_claims,
    check_last_offer,
    check_left_pile,
    check_phase,
    check_stack,
    check_turn,
    refuse,
)
from p2pokey.rules.melds import MeldKind, is_wild
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    GoPairs,
    LaidMeld,
    Lay,
    Move,
    Open,
    Pass,
    Placed,
    Retrieve,
    ReturnTaken,
    TakeBack,
    move_placed,
)
from p2pokey.rules.open_floors import floors
from p2pokey.rules.open_melds import (
    extended,
    okey_of,
    opening_kind,
    opening_value,
    read_new,
    swapped,
)
from p2pokey.rules.open_state import Opened, TableMeld, table_of
from p2pokey.rules.open_taking import (
    check_take,
    check_use_as_supply,
    check_use_by_adding,
    check_use_in_new_meld,
    check_use_in_opening,
    check_used,
    has_unused_okey,
    is_unused,
    may_process,
    uses_taken,
)
from p2pokey.rules.published import Limit
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Slot

_TILES_PER_END = 2


def check(view: View, move: Move) -> None:
    """Raises RuleError if the seat to move may not do that.

    Claimed tiles are compared with the faces that the view knows; others are trusted. In C an
    opening below the floor, and a claimed finish that does not work, are moves: they are charged.
    """
    check_claims(view, check_turn(view), move_placed(move))
    check_move(view.state, move)


def check_move(state: HandState, move: Move) -> None:
    """As `check` for the seat to move, whose claims are known to be true."""
    match move:
        case DrawStack() | DrawLeft() | Pass():
            _check_draw(state, move)
        case ReturnTaken():
            _check_return(state)
        case TakeBack():
            _check_take_back(state)
        case GoPairs():
            _check_go_pairs(state)
        case Open(melds):
            check_open(state, melds)
        case Lay(melds):
            _check_lay(state, melds)
        case Add():
            check_add(state, move)
        case Retrieve():
            _check_retrieve(state, move)
        case Discard(placed):
            check_discard(state, placed)
        case ClaimFinish():
            _check_claim(state)
        case _:
            refuse(state, "this game has no such move", "M-6")


def _check_draw(state: HandState, move: DrawStack | DrawLeft | Pass) -> None:
    check_phase(state, Phase.DRAW)
    match move:
        case DrawStack():
            check_stack(state)
        case DrawLeft():
            check_left_pile(state)
            check_take(state)
        case Pass():
            check_last_offer(state)


def _check_return(state: HandState) -> None:
    check_phase(state, Phase.PLAY)
    if not is_unused(state):
        refuse(state, "there is no unused taken tile to put back", "OT-2")


def _check_take_back(state: HandState) -> None:
    check_phase(state, Phase.PLAY)
    rules, turn = state.rules.open_table, table_of(state).turn
    if not rules.take_back:
        refuse(state, "this game has no take-back", "D-16")
    if turn.checkpoint is None:
        refuse(state, "this turn has changed nothing on the table", "OT-11")
    if rules.take_back_any_change or turn.opened:
        return
    if not is_unused(state) and not has_unused_okey(state):
        refuse(state, "only an opening, or a turn with an unused tile, is taken back", "B-4")


def _check_go_pairs(state: HandState) -> None:
    table = table_of(state)
    if not state.rules.open_table.going_pairs:
        refuse(state, "this game has no such move", "M-6")
    if table.opened[state.turn] is not Opened.NONE:
        refuse(state, "this seat has opened already", "B-12")
    if table.going_pairs[state.turn]:
        refuse(state, "this seat is Going Pairs already", "B-12")


def check_open(state: HandState, melds: Sequence[LaidMeld]) -> None:
    """Raises RuleError unless these melds may be laid as an opening.

    Where a failed opening is charged, the floor is not looked at (`missed_floor`).
    """
    check_may_open(state)
    kind = opening_kind(melds)
    if kind is None:
        refuse(state, "an opening is either runs and sets or pairs", "OT-5")
    if kind is Opened.MELDS and table_of(state).going_pairs[state.turn]:
        refuse(state, "this seat is Going Pairs: it opens with pairs", "B-12")
    new = read_new(state, melds)
    _check_tile_left(state, sum(len(meld.tiles) for meld in new))
    check_use_in_opening(state, _slots(new), kind)
    if not state.rules.open_table.failed_opening_charged:
        missed = missed_floor(state, new)
        if missed is not None:
            refuse(state, missed.text, "OT-7", floor=missed.floor, have=missed.have)


def check_may_open(state: HandState) -> None:
    """Raises RuleError unless the seat may open now, whatever it lays."""
    check_phase(state, Phase.PLAY)
    _check_attempts(state)
    if table_of(state).opened[state.turn] is not Opened.NONE:
        refuse(state, "this seat has opened already", "OT-4")


class Missed(NamedTuple):
    """An opening that is not enough."""

    floor: int
    have: int
    is_pairs: bool

    @property
    def text(self) -> str:
        """Such as `floor 107, you have 96`."""
        return f"floor {self.floor}{' pairs' * self.is_pairs}, you have {self.have}"


def missed_floor(state: HandState, melds: Sequence[TableMeld]) -> Missed | None:
    """What the opening lacks; None if it is enough."""
    least = floors(state.rules, state.turn, table_of(state).openings())
    have, is_pairs = opening_value(melds), opening_kind(melds) is Opened.PAIRS
    floor = least.pairs if is_pairs else least.melds
    return None if have >= floor else Missed(floor, have, is_pairs)


def _check_lay(state: HandState, melds: Sequence[LaidMeld]) -> None:
    opened = check_may_change(state)
    if opening_kind(melds) is not opened:
        what = "runs and sets" if opened is Opened.MELDS else "pairs"
        refuse(state, f"this seat has opened with {what} and lays no others", "OT-5")
    new = read_new(state, melds)
    _check_tile_left(state, sum(len(meld.tiles) for meld in new))
    check_use_in_new_meld(state, _slots(new), in_pairs=opened is Opened.PAIRS)


def check_add(state: HandState, move: Add) -> None:
    """Raises RuleError unless these tiles may be added to that meld."""
    opened = check_may_change(state)
    meld = _meld_at(state, move.meld)
    if meld.kind is MeldKind.PAIR:
        refuse(state, "nothing is added to a pair", "P-7")
    if not may_process(state.rules, opened, meld.kind):
        refuse(state, "who has opened with pairs adds nothing to runs and sets", "B-5")
    if meld.kind is MeldKind.SET and move.end is not End.HIGH:
        refuse(state, "a set has only its high end", "OT-8")
    _check_end(state, move)
    check_use_by_adding(state, [placed.slot for placed in move.tiles])
    _check_tile_left(state, len(move.tiles))
    extended(state, meld, move.end, move.tiles)


def _check_end(state: HandState, move: Add) -> None:
    limit = state.rules.open_table.two_per_end
    before = table_of(state).turn.added_at(move.meld, move.end) if limit is Limit.TURN else 0
    count = before + len(move.tiles)
    if limit is not Limit.NONE and count > _TILES_PER_END:
        why = f"expected at most {_TILES_PER_END} tiles on one end, got {count}"
        refuse(state, why, "C-4", most=_TILES_PER_END, have=count)


def _check_retrieve(state: HandState, move: Retrieve) -> None:
    opened = check_may_change(state)
    meld = _meld_at(state, move.meld)
    if not may_process(state.rules, opened, meld.kind):
        refuse(state, "who has opened with pairs takes no okey from runs and sets", "B-5")
    if move.place >= len(meld.tiles):
        refuse(state, f"meld {move.meld} has {len(meld.tiles)} tiles", "OT-9")
    if not is_wild(meld.tiles[move.place].tile, okey_of(state)):
        refuse(state, "there is no okey at that place", "OT-9")
    swapped(state, meld, move.place, move.supply)
    check_use_as_supply(state, [placed.slot for placed in move.supply], meld.kind)


def check_discard(state: HandState, placed: Placed) -> None:
    """Raises RuleError unless the turn may end with that tile."""
    check_phase(state, Phase.PLAY)
    if uses_taken(state, (placed.slot,)):
        refuse(state, "the tile just taken cannot be discarded", "G-9")
    check_used(state)
    if has_unused_okey(state):
        refuse(state, "lay or add the retrieved okey, or take the turn back", "B-3")


def _check_claim(state: HandState) -> None:
    check_phase(state, Phase.PLAY)
    if not state.rules.open_table.failed_opening_charged:
        refuse(state, "this game has no such move", "OT-12")
    _check_attempts(state)
    if table_of(state).opened[state.turn] is not Opened.NONE:
        refuse(state, "this seat has opened already", "OT-12")


def _check_attempts(state: HandState) -> None:
    """Without this bound a turn need never end: each attempt can be made and undone again."""
    most = state.rules.open_table.attempts_per_turn
    if table_of(state).turn.attempts >= most:
        refuse(
            state, f"after {most} attempts nothing more is laid in this turn", "OT-13", most=most
        )


def check_may_change(state: HandState) -> Opened:
    """How the seat has opened, for a move that lays, adds or retrieves.

    Raises:
        RuleError: it may do none of these now, whatever the tiles.
    """
    check_phase(state, Phase.PLAY)
    _check_attempts(state)
    opened = table_of(state).opened[state.turn]
    if opened is Opened.NONE:
        refuse(state, "this seat has not opened yet", "OT-4")
    return opened


def _check_tile_left(state: HandState, count: int) -> None:
    held = len(state.racks[state.turn])
    if count >= held:
        why = f"one tile must stay for the discard: {held} held, {count} used"
        refuse(state, why, "OT-6", held=held, used=count)


def _meld_at(state: HandState, number: int) -> TableMeld:
    melds = table_of(state).melds
    if number >= len(melds):
        refuse(state, f"expected a meld below {len(melds)}, got {number}", "OT-9")
    return melds[number]


def _slots(melds: Sequence[TableMeld]) -> list[Slot]:
    return [tile.slot for meld in melds for tile in meld.tiles]
