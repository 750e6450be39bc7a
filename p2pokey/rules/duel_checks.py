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

from p2pokey.errors import IllegalMove, InvalidMeld, NotYourTurn
from p2pokey.rules.claims import check_claims
from p2pokey.rules.duel_state import DuelTable, read_together, written_form
from p2pokey.rules.moves import DrawStack, Move, Pass, Play, move_placed
from p2pokey.rules.published import DuelRules
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, format_tile


def mover(state: HandState) -> Seat | None:
    """The seat to move, None after the end."""
    return state.turn if state.phase is Phase.PLAY else None


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
    seat = mover(state)
    if seat is None:
        raise IllegalMove("nobody is to move now", rule="M-1")
    if view.seat not in (None, seat):
        raise NotYourTurn("it is another seat's turn", rule="M-1", seat=view.seat)
    match move:
        case DrawStack():
            if not state.stack:
                raise IllegalMove("the stack is empty", rule="M-3", seat=seat)
        case Pass():
            if state.stack:
                left = len(state.stack)
                raise IllegalMove(
                    f"passing needs an empty stack, it has {left}", rule="E-4", seat=seat
                )
        case Play():
            _check_tiles(view, move)
            check_play(state, move)
        case _:
            raise IllegalMove("this game has no such move", rule="M-6", seat=seat)


def _check_tiles(view: View, move: Play) -> None:
    """Every tile is one of the table or of the own rack, and what it is known to be."""
    state, seat = view.state, view.state.turn
    placed_all = move_placed(move)
    if len({placed.slot for placed in placed_all}) != len(placed_all):
        raise IllegalMove("the same tile was used twice", rule="M-4", seat=seat)
    lying = set(table_of(state).tiles)
    lying_slots = {placed.slot for placed in lying}
    own = [placed for placed in placed_all if placed.slot not in lying_slots]
    for placed in placed_all:
        if placed.slot in lying_slots and placed not in lying:
            raise IllegalMove(
                f"slot {placed.slot} does not hold {format_tile(placed.tile)}",
                rule="M-5",
                seat=seat,
            )
    check_claims(view, seat, own)


def check_play(state: HandState, move: Play) -> None:
    """As `check` for a play whose tiles are known to be those of the table and the mover's rack."""
    seat, table = state.turn, table_of(state)
    try:
        written = written_form(meld.tiles for meld in move.table)
    except InvalidMeld as error:
        raise InvalidMeld(str(error.args[0]), rule=error.rule, seat=seat) from None
    if written != move.table:
        raise IllegalMove("the table is not written in its one form", rule="E-13", seat=seat)
    after = set(move_placed(move))
    missing = [placed for placed in table.tiles if placed not in after]
    if missing:
        text = " ".join(format_tile(placed.tile) for placed in missing)
        raise IllegalMove(f"tiles of the table are missing: {text}", rule="E-6", seat=seat)
    if len(after) == len(table.tiles):
        raise IllegalMove("a play adds at least one tile from the rack", rule="E-12", seat=seat)
    if not table.opened[seat]:
        _check_opening(state, move)


def _check_opening(state: HandState, move: Play) -> None:
    seat, table = state.turn, table_of(state)
    if not set(table.melds) <= set(move.table):
        raise IllegalMove(
            "a first play leaves the melds on the table as they are", rule="E-1", seat=seat
        )
    floor, value = rules_of(state).opening_floor, opening_value(table, move)
    if value < floor:
        raise IllegalMove(f"floor {floor}, you have {value}", rule="E-1", seat=seat)


def opening_value(table: DuelTable, move: Play) -> int:
    """Value of the melds of a play that did not lie on the table before."""
    lying = set(table.melds)
    new = [meld.tiles for meld in move.table if meld not in lying]
    return sum(read_together(placed.tile for placed in tiles).value for tiles in new)
