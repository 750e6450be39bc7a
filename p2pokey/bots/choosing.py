"""Which computer player plays which game."""

from p2pokey.bots import duel, open_table, simple
from p2pokey.bots.source import Source
from p2pokey.rules.moves import Move
from p2pokey.rules.view import View


def choose(view: View, source: Source) -> Move:
    """A legal move of the viewer, who must be the seat to move and know his tiles.

    Raises:
        LocalProtocolError: the viewer has no move.
    """
    rules = view.state.rules
    if rules.duel is not None:
        return duel.choose(view, source)
    if rules.table is not None:
        return open_table.choose(view, source)
    return simple.choose(view, source)
