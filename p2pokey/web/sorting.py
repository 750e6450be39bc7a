"""Orders of a rack that a person asks for by one tap; the page never sorts by itself.

Exact: the melds that are put together are the best that the rack holds, not the first that were found.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from p2pokey.rules.melds import MeldRules, identity
from p2pokey.rules.openings import LaidOut, best_opening, opening_pairs
from p2pokey.rules.published import RuleSet
from p2pokey.rules.view import View
from p2pokey.tiles import Face, Tile
from p2pokey.web.names import Json, tile_names

_LAST = (99, 99)
"""Where okeys go among loose tiles."""


def sorts_json(view: View) -> Json | None:
    """Both orders of the own rack, as groups of tiles; None for a public view."""
    if view.seat is None:
        return None
    tiles = tuple(tile for _, tile in view.rack())
    rules, okey = view.state.rules, view.state.okey
    return {
        "runs": [tile_names(group) for group in by_runs(tiles, okey, rules)],
        "pairs": [tile_names(group) for group in by_pairs(tiles, okey, rules)],
    }


def by_runs(tiles: Sequence[Tile], okey: Face | None, rules: RuleSet) -> list[tuple[Tile, ...]]:
    """Best runs and sets, then the rest by colour and number."""
    melds = best_melds(tuple(tiles), okey, rules.melds, is_finish=_is_finish(rules))
    groups = [meld.tiles for meld in melds]
    rest = sorted(_rest(tiles, groups), key=lambda tile: _by_colour(tile, okey))
    for tile in rest:
        face, before = identity(tile, okey), identity(groups[-1][-1], okey) if groups else None
        joins = len(groups) > len(melds) and face is not None and before is not None
        if joins and before is not None and face is not None and face.colour == before.colour:
            groups[-1] = (*groups[-1], tile)
        else:
            groups.append((tile,))
    return groups


def by_pairs(tiles: Sequence[Tile], okey: Face | None, rules: RuleSet) -> list[tuple[Tile, ...]]:
    """Pairs, the highest first, then the rest by number and colour; in the duel all by number."""
    groups: list[tuple[Tile, ...]] = []
    if rules.duel is None:
        groups = [pair.tiles for pair in best_pairs(tuple(tiles), okey, rules.melds)]
    pairs = len(groups)
    for tile in sorted(_rest(tiles, groups), key=lambda tile: _by_number(tile, okey)):
        face, before = identity(tile, okey), identity(groups[-1][-1], okey) if groups else None
        is_same = len(groups) > pairs and face is not None and before is not None
        if is_same and face is not None and before is not None and face.number == before.number:
            groups[-1] = (*groups[-1], tile)
        else:
            groups.append((tile,))
    return groups


def _is_finish(rules: RuleSet) -> bool:
    """Whether as many tiles as possible must go into melds; else their value counts."""
    return rules.table is None and rules.duel is None


@lru_cache(maxsize=64)
def best_melds(
    tiles: tuple[Tile, ...], okey: Face | None, rules: MeldRules, *, is_finish: bool
) -> tuple[LaidOut, ...]:
    """The best runs and sets of a rack, none of them declared."""
    found = best_opening(
        tiles, okey=okey, rules=rules, keep=0, declare=False, goal="tiles" if is_finish else "value"
    )
    return () if found is None else found.melds


@lru_cache(maxsize=64)
def best_pairs(tiles: tuple[Tile, ...], okey: Face | None, rules: MeldRules) -> tuple[LaidOut, ...]:
    """The best pairs of a rack."""
    return opening_pairs(tiles, okey=okey, rules=rules, keep=0)


def _rest(tiles: Iterable[Tile], groups: Iterable[tuple[Tile, ...]]) -> list[Tile]:
    used = {tile for group in groups for tile in group}
    return [tile for tile in tiles if tile not in used]


def _by_colour(tile: Tile, okey: Face | None) -> tuple[int, int]:
    face = identity(tile, okey)
    return _LAST if face is None else (face.colour, face.number)


def _by_number(tile: Tile, okey: Face | None) -> tuple[int, int]:
    face = identity(tile, okey)
    return _LAST if face is None else (face.number, face.colour)
