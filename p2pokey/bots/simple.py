"""A computer player that follows the rules from its view alone.

It takes a discard that joins its tiles, shows the indicator's twin, finishes as soon as it can, and
otherwise sheds the tile that is least use to it. Equal choices are decided by the injected source,
so the same view and the same source give the same move.
"""

from collections import Counter

from p2pokey.bots.source import Source
from p2pokey.errors import LocalProtocolError
from p2pokey.rules.analysis import analyse
from p2pokey.rules.distance import distance
from p2pokey.rules.engine import engine_for
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import Discard, DrawLeft, DrawStack, Finish, Move, Show
from p2pokey.rules.templates import bit_of, rack_of
from p2pokey.rules.view import View
from p2pokey.tiles import Tile

COPIES = 2


def choose(view: View, source: Source) -> Move:
    """A legal move of the viewer, who must be the seat to move and know his tiles.

    Raises:
        LocalProtocolError: the viewer has no move.
    """
    moves = engine_for(view.state.rules).legal(view)
    for move in moves:
        if isinstance(move, Show):  # before a finish, which would end the chance
            return move
    finishes = [move for move in moves if isinstance(move, Finish)]
    if finishes:
        return max(finishes, key=lambda move: view.state.is_okey(move.discard.tile))
    discards = [move for move in moves if isinstance(move, Discard)]
    if discards:
        return _loosest(view, discards, source)
    if not moves:
        raise LocalProtocolError(f"seat {view.seat} has no move")
    return _draw(view, moves)


def _draw(view: View, moves: tuple[Move, ...]) -> Move:
    """Takes the discard if it brings the rack closer to a finish, else draws, else passes."""
    state = view.state
    if DrawLeft() in moves:
        top = state.faces[state.discards[state.left_of(state.turn)][-1]]
        tiles = [tile for _, tile in view.rack()]
        if top is not None and _distance(view, [*tiles, top]) < _distance(view, tiles):
            return DrawLeft()
    return next((move for move in moves if move == DrawStack()), moves[-1])


def _distance(view: View, tiles: list[Tile]) -> int:
    return distance(rack_of(tiles, view.state.okey), wrap=view.state.rules.wrap)


def _loosest(view: View, discards: list[Discard], source: Source) -> Discard:
    """The discard that keeps the rack closest to a finish, with most draws that then help."""
    okey = view.state.okey
    rack = rack_of((tile for _, tile in view.rack()), okey)
    useful = analyse(rack, wrap=view.state.rules.wrap).useful
    live = _live_copies(view)

    def worth(move: Discard) -> tuple[int, int]:
        face = identity(move.placed.tile, okey)
        if face is None:
            return (0, 0)  # an okey goes last
        bit = bit_of(face)
        if bit not in useful:
            return (1, 0)
        return (2, sum(live[other] for other in range(len(live)) if useful[bit] >> other & 1))

    ranked = [(worth(move), move) for move in discards]
    best = max(rank for rank, _ in ranked)
    equal = [move for rank, move in ranked if rank == best]
    return equal[source.below(len(equal))]


def _live_copies(view: View) -> list[int]:
    """Per face bit, the copies that this seat has not seen."""
    public = [tile for tile in view.state.faces if tile is not None]
    seen = Counter(
        bit_of(face)
        for tile in {*public, *(tile for _, tile in view.rack())}
        if (face := identity(tile, view.state.okey)) is not None
    )
    return [COPIES - seen[bit] for bit in range(4 * 13)]
