"""Exact solvers for racks: can these tiles be laid out, with which discard, how far are they off.

Everything returned is an exact answer, and every layout is one that melds.py accepts. Solvers look
at tiles only; what a finish is worth is for scoring.py.
"""

from collections.abc import Sequence
from typing import NamedTuple

from p2pokey.rules.distance import melds_distance, pairs_distance
from p2pokey.rules.melds import MeldKind, MeldRules, identity
from p2pokey.rules.state import FinishKind
from p2pokey.rules.templates import Rack, Template, bit_of, rack_of, templates_with
from p2pokey.tiles import Face, Tile

SMALLEST_MELD = 3


class Arranged(NamedTuple):
    """One meld of a layout, tiles in laid order."""

    kind: MeldKind
    tiles: tuple[Tile, ...]


Layout = tuple[Arranged, ...]


class FinishLayout(NamedTuple):
    """A way to finish: how it counts, and one layout of it."""

    kind: FinishKind
    layout: Layout


def split_melds(tiles: Sequence[Tile], *, okey: Face | None, wrap: bool) -> Layout | None:
    """Lays all tiles out as runs and sets, or returns None where that is impossible."""
    rack = rack_of(tiles, okey)
    if 0 < len(tiles) < SMALLEST_MELD or melds_distance(rack, wrap=wrap, target=len(tiles)) > 0:
        return None
    chosen = _cover(rack, wrap)
    return None if chosen is None else _with_tiles(chosen, tiles, okey)


def _cover(rack: Rack, wrap: bool) -> tuple[Template, ...] | None:
    """Templates that use up the rack, wild tiles included."""
    if not rack.once:
        return None if rack.wilds else ()
    # Any fixed choice of the next tile is exact, because that tile must go into some meld.
    lowest = (rack.once & -rack.once).bit_length() - 1
    for template in templates_with(lowest, wrap):
        wilds = rack.wilds - (template.mask & ~rack.once).bit_count()
        if wilds < 0:
            continue
        left = rack.without(template.mask & rack.once)._replace(wilds=wilds)
        rest = _cover(left, wrap)
        if rest is not None:
            return (template, *rest)
    return None


def _with_tiles(chosen: tuple[Template, ...], tiles: Sequence[Tile], okey: Face | None) -> Layout:
    """Puts real tiles on the templates: the natural where there is one, else a wild tile."""
    wilds: list[Tile] = []
    naturals: dict[int, list[Tile]] = {}
    for tile in tiles:
        face = identity(tile, okey)
        if face is None:
            wilds.append(tile)
        else:
            naturals.setdefault(bit_of(face), []).append(tile)
    layout = []
    for template in chosen:
        held = [naturals[bit].pop(0) if naturals.get(bit) else None for bit in template.bits]
        laid = tuple(wilds.pop(0) if tile is None else tile for tile in held)
        layout.append(Arranged(template.kind, laid))
    return tuple(layout)


def split_pairs(tiles: Sequence[Tile], *, okey: Face | None, two_okeys: bool) -> Layout | None:
    """Lays all tiles out as pairs, or returns None where that is impossible.

    A wild tile goes with a tile that has no twin. Two wild tiles that are left are a pair where
    `two_okeys` says so; else they go with the two tiles of a natural pair.
    """
    wilds: list[Tile] = []
    singles: dict[Face, Tile] = {}
    pairs: list[tuple[Tile, Tile]] = []
    for tile in tiles:
        face = identity(tile, okey)
        if face is None:
            wilds.append(tile)
        elif face in singles:
            pairs.append((singles.pop(face), tile))
        else:
            singles[face] = tile
    if len(wilds) < len(singles) or len(tiles) % 2:
        return None
    pairs.extend((tile, wilds.pop()) for tile in singles.values())
    while wilds:
        a, b = wilds.pop(), wilds.pop()
        if two_okeys:
            pairs.append((a, b))
        elif pairs and identity(pairs[0][1], okey) is not None:
            first, second = pairs.pop(0)
            pairs += [(first, a), (second, b)]
        else:
            return None
    return tuple(Arranged(MeldKind.PAIR, pair) for pair in pairs)


def best_finish(
    tiles: Sequence[Tile], *, okey: Face | None, rules: MeldRules
) -> FinishLayout | None:
    """The dearer way to finish with these 14 tiles (A-11), or None if there is none."""
    pairs = split_pairs(tiles, okey=okey, two_okeys=rules.two_okeys_pair)
    if pairs is not None:
        return FinishLayout(FinishKind.PAIRS, pairs)
    melds = split_melds(tiles, okey=okey, wrap=rules.wrap)
    return None if melds is None else FinishLayout(FinishKind.MELDS, melds)


def finishing_discards(
    tiles: Sequence[Tile], *, okey: Face | None, rules: MeldRules
) -> tuple[tuple[Tile, FinishLayout], ...]:
    """Every tile of a 15-tile rack whose discard finishes, in the order given, with a layout."""
    rack = rack_of(tiles, okey)
    if melds_distance(rack, wrap=rules.wrap) > 0 and pairs_distance(rack) > 0:
        return ()
    found = []
    seen: dict[Face | None, bool] = {}
    for i, tile in enumerate(tiles):
        face = identity(tile, okey)
        if seen.get(face) is False:
            continue
        finish = best_finish([*tiles[:i], *tiles[i + 1 :]], okey=okey, rules=rules)
        seen[face] = finish is not None
        if finish is not None:
            found.append((tile, finish))
    return tuple(found)
