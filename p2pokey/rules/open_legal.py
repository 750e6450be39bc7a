"""The moves that can be listed on an open table.

Openings, lays, claimed finishes and additions of several tiles are too many to list: solvers find
them, and `check` says of each whether it is legal.
"""

from collections.abc import Iterator
from itertools import permutations

from p2pokey.errors import RuleError
from p2pokey.rules.dealing import mover
from p2pokey.rules.melds import identity, is_wild
from p2pokey.rules.moves import (
    Add,
    Discard,
    DrawLeft,
    DrawStack,
    GoPairs,
    Move,
    Pass,
    Placed,
    Retrieve,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.open_checks import check_move
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import Opened, TableMeld, table_of
from p2pokey.rules.playable import accepts, needs_both_colours, swaps_of
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View

_BARE: tuple[Move, ...] = (DrawStack(), DrawLeft(), Pass(), ReturnTaken(), TakeBack(), GoPairs())


def legal(view: View) -> tuple[Move, ...]:
    """The viewer's moves, as far as he knows his tiles; none if it is not his turn.

    Complete for draws, takes, passes, returns, take-backs, Going Pairs, discards, additions of one
    tile and retrievals. Not listed: `Open`, `Lay`, `ClaimFinish` and additions of several tiles. A
    public view has only the moves that name no tile.
    """
    state = view.state
    seat = mover(state)
    if seat is None or view.seat not in (None, seat):
        return ()
    moves = list(_BARE)
    if state.phase is Phase.PLAY:
        rack = [Placed(slot, tile) for slot, tile in view.rack()]
        moves.extend(map(Discard, rack))
        if table_of(state).opened[seat] is not Opened.NONE:
            moves.extend(_on_table(state, rack))
    return tuple(move for move in moves if is_legal(state, move))


def is_legal(state: HandState, move: Move) -> bool:
    """Whether the seat to move may do that, its claims being true."""
    try:
        check_move(state, move)
    except RuleError:
        return False
    return True


def _on_table(state: HandState, rack: list[Placed]) -> Iterator[Move]:
    """Additions of one tile and retrievals that the melds themselves allow."""
    okey = okey_of(state)
    for number, meld in enumerate(table_of(state).melds):
        for placed in rack:
            for end in accepts(state.rules, meld, placed.tile, okey):
                yield Add(meld=number, end=end, tiles=(placed,))
        yield from _retrievals(state, number, meld, rack)


def _retrievals(
    state: HandState, number: int, meld: TableMeld, rack: list[Placed]
) -> Iterator[Move]:
    okey = okey_of(state)
    if not needs_both_colours(state.rules, meld):
        for place, face in swaps_of(state.rules, meld, okey):
            for placed in rack:
                if identity(placed.tile, okey) == face:
                    yield Retrieve(meld=number, place=place, supply=(placed,))
        return
    places = [place for place, tile in enumerate(meld.tiles) if is_wild(tile.tile, okey)]
    value = meld.tiles[0].stands.number
    fitting = [placed for placed in rack if _number(placed, state) == value] if places else []
    for place in places:
        for supply in permutations(fitting, 2):
            yield Retrieve(meld=number, place=place, supply=supply)


def _number(placed: Placed, state: HandState) -> int | None:
    face = identity(placed.tile, okey_of(state))
    return None if face is None else face.number
