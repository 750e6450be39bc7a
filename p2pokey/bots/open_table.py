"""A computer player for the games with an open table: 101 and 51 in all their forms.

It opens as soon as that is sensible, lays and adds what it can, takes okeys from the table where a
rival pays for them, keeps its own okeys for the last discard while there is time, and discards what
costs least. It takes a discard only after trying out, on the state that would follow, that it can
use it.
"""

from collections.abc import Iterable

from p2pokey.bots.open_adding import (
    add_tile,
    find_add,
    find_okey_use,
    find_retrievals,
    retrievals_with,
)
from p2pokey.bots.open_discards import find_discard
from p2pokey.bots.open_laying import (
    find_lay,
    find_opening,
    lay_okeys,
    lay_taken,
    lay_with,
    open_with,
)
from p2pokey.bots.reach import meld_use
from p2pokey.bots.sight import Sight, look, still_private
from p2pokey.bots.source import Source
from p2pokey.rules import open_table
from p2pokey.rules.moves import (
    DrawLeft,
    DrawStack,
    Move,
    Pass,
    Retrieve,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.open_state import Opened
from p2pokey.rules.open_taking import has_unused_okey
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View

_GAMBLE = 3
"""One time in so many a finish is put off for a dearer one."""


def choose(view: View, source: Source) -> Move:
    """A legal move of the viewer, who must be the seat to move and know his tiles.

    Raises:
        LocalProtocolError: the viewer has no move.
    """
    sight = look(view)
    if sight.state.phase is Phase.DRAW:
        return _draw(sight)
    if sight.taken is not None:
        return _use_of_taken(sight) or ReturnTaken()
    return _change(sight, source) or find_discard(sight, source)


def _draw(sight: Sight) -> Move:
    if _wants_left(sight):
        return DrawLeft()
    return DrawStack() if sight.state.stack else Pass()


def _wants_left(sight: Sight) -> bool:
    """Whether the left neighbour's discard can be taken and then used."""
    state = sight.state
    pile = state.discards[state.left_of(sight.seat)]
    if not pile or not sight.allows(DrawLeft()):
        return False
    after, _ = open_table.apply(state, DrawLeft())
    view = View(state=after, seat=sight.seat, private=sight.view.private)
    return _use_of_taken(look(view)) is not None


def _use_of_taken(sight: Sight) -> Move | None:
    """What to do with the tile just taken."""
    taken = sight.taken
    if taken is None:
        return None
    if sight.opened is Opened.NONE:
        rack = sight.outlook
        face = sight.face(taken)
        if (
            face is not None
            and not rack.wilds
            and rack.faces[face] == 1
            and not meld_use(face, rack)
        ):
            return None
        return open_with(sight, taken.tile)
    return (
        add_tile(sight, taken)
        or lay_taken(sight, taken.tile)
        or _first_usable(sight, retrievals_with(sight, taken))
    )


def _change(sight: Sight, source: Source) -> Move | None:
    """A change of the table, if there is a good one."""
    if has_unused_okey(sight.state):
        return _use_of_retrieved(sight) or TakeBack()
    if sight.opened is Opened.NONE:
        return find_opening(sight, source)
    if len(sight.rack) == 1:
        return None
    return (
        _first_usable(sight, find_retrievals(sight, charged_only=True))
        or find_lay(sight)
        or find_add(sight)
        or _first_usable(sight, find_retrievals(sight, charged_only=False))
        or _spend_okeys(sight, source)
    )


def _first_usable(sight: Sight, retrievals: Iterable[Retrieve]) -> Retrieve | None:
    """The first whose okey could then be used, now where it must be."""
    return next((move for move in retrievals if _is_usable(sight, move)), None)


def _is_usable(sight: Sight, move: Retrieve) -> bool:
    if not sight.rules.retrieved_must_be_used:
        stays = len(sight.naturals) > len(move.supply) and not sight.is_urgent
        return stays or bool(sight.rooms)
    after, _ = open_table.apply(sight.state, move)
    view = View(state=after, seat=sight.seat, private=still_private(sight.view, move))
    use = _use_of_retrieved(look(view))
    return use is not None and not has_unused_okey(open_table.apply(after, use)[0])


def _use_of_retrieved(sight: Sight) -> Move | None:
    """Where to put an okey that must not stay on the rack."""
    if not sight.wilds:
        return None
    return find_okey_use(sight) or lay_with(sight, sight.wilds[0].tile)


def _spend_okeys(sight: Sight, source: Source) -> Move | None:
    """Okeys leave the rack where that finishes, or where the end is near."""
    if not sight.wilds:
        return None
    if len(sight.naturals) <= 1:
        # One turn more, and a tile that fits, would finish with the okey as the last discard.
        gambles = len(sight.rack) == 2 and not sight.is_urgent and source.below(_GAMBLE) == 0
        return None if gambles else find_okey_use(sight)
    return lay_okeys(sight) or (find_okey_use(sight) if sight.is_urgent else None)
