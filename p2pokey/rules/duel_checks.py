"""What the duel forbids, each check naming the rule (docs/rules/duel.md).

Besides M-1 to M-6, which all games share:

    E-1   a first play lays new melds from the rack alone, worth 30 or more, and touches no other
    E-2   every meld is a run or a set of 3 or more tiles, whatever their order; 13 ends a run
    E-3   one tile with two jokers counts as the kind that is worth more
    E-4   a pass needs an empty stack
    E-6   a tile that lies on the table stays there, a joker too
    E-12  a play adds at least one tile from the rack
    E-13  a play is written in the one form of duel_state.py
"""

from p2pokey.errors import InvalidMeld
from p2pokey.rules.checks import check_claims, check_stack, check_turn, refuse
from p2pokey.rules.duel_state import DuelTable, read_together, written_form
from p2pokey.rules.moves import DrawStack, Move, Pass, Play, move_placed
from p2pokey.rules.published import DuelRules
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import format_tile


def table_of(state: HandState) -> DuelTable:
    """The table of a hand of the duel."""
    assert isinstance(state.table, DuelTable)
    return state.table


def rules_of(state: HandState) -> DuelRules:
    """The figures of a hand of the duel."""
    assert state.rules.duel is not None
    return state.rules.duel


def check(view: View, move: Move) -> None:
    """Raises RuleError if the seat to move may not do that.

    Claimed tiles are compared with the faces that the view knows; others are trusted.
    """
    state = view.state
    check_turn(view)
    match move:
        case DrawStack():
            check_stack(state)
        case Pass():
            if state.stack:
                held = len(state.stack)
                refuse(state, f"passing needs an empty stack, it has {held}", "E-4", stack=held)
        case Play():
            _check_tiles(view, move)
            check_play(state, move)
        case _:
            refuse(state, "this game has no such move", "M-6")


def _check_tiles(view: View, move: Play) -> None:
    """Every tile is one of the table or of the own rack, and what it is known to be."""
    state, seat = view.state, view.state.turn
    placed_all = move_placed(move)
    if len({placed.slot for placed in placed_all}) != len(placed_all):
        refuse(state, "the same tile was used twice", "M-4")
    lying = set(table_of(state).tiles)
    lying_slots = {placed.slot for placed in lying}
    own = [placed for placed in placed_all if placed.slot not in lying_slots]
    for placed in placed_all:
        if placed.slot in lying_slots and placed not in lying:
            refuse(state, f"slot {placed.slot} does not hold {format_tile(placed.tile)}", "M-5")
    check_claims(view, seat, own)


def check_play(state: HandState, move: Play) -> None:
    """As `check` for a play whose tiles are known to be those of the table and the mover's rack."""
    seat, table = state.turn, table_of(state)
    try:
        written = written_form(meld.tiles for meld in move.table)
    except InvalidMeld as error:
        raise InvalidMeld(str(error.args[0]), rule=error.rule, seat=seat) from None
    if written != move.table:
        refuse(state, "the table is not written in its one form", "E-13")
    after = set(move_placed(move))
    missing = [placed for placed in table.tiles if placed not in after]
    if missing:
        text = " ".join(format_tile(placed.tile) for placed in missing)
        refuse(state, f"tiles of the table are missing: {text}", "E-6")
    if len(after) == len(table.tiles):
        refuse(state, "a play adds at least one tile from the rack", "E-12")
    if not table.opened[seat]:
        _check_opening(state, move)


def _check_opening(state: HandState, move: Play) -> None:
    table = table_of(state)
    if not set(table.melds) <= set(move.table):
        refuse(state, "a first play leaves the melds on the table as they are", "E-1")
    floor, value = rules_of(state).opening_floor, opening_value(table, move)
    if value < floor:
        refuse(state, f"floor {floor}, you have {value}", "E-1", floor=floor, have=value)


def opening_value(table: DuelTable, move: Play) -> int:
    """Value of the melds of a play that did not lie on the table before."""
    lying = set(table.melds)
    new = [meld.tiles for meld in move.table if meld not in lying]
    return sum(read_together(placed.tile for placed in tiles).value for tiles in new)
