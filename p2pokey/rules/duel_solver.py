"""The best table of the duel: all tiles of the table, and as much of the rack as can join them.

    best_table(table_tiles, rack_tiles, *, goal="tiles") -> BestTable | None

The two false okeys are the jokers. Exact: no other table takes more tiles of the rack (or more points),
and read_meld accepts every meld. Openings, which leave the table as it is, are for openings.py:
`best_opening(rack, okey=None, rules=DUEL.melds, keep=0)`.

Jokers make the search long. So it looks first for tables on which fewer of them are needed, as the others
find a place at the end of a run or in a set of three almost always; and it looks for tables that leave
few tiles on the rack before it looks for others. What is found so is only a floor for what follows,
unless nothing better is possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from p2pokey.rules.melds import MeldKind
from p2pokey.rules.openings import Goal, LaidOut, lay_out, supply_of
from p2pokey.rules.published import DUEL
from p2pokey.rules.sweep import NUMBERS, Aim, LaidFace, LaidFaces, Supply, Swept, most_score, sweep
from p2pokey.tiles import Tile

FEW_LEFT = (0, 2, 5)
"""Tiles left on the rack that are hoped for, one after the other."""


@dataclass(frozen=True, slots=True)
class BestTable:
    """A whole table."""

    melds: tuple[LaidOut, ...]
    """Runs in ascending order; jokers where they lie in them."""

    used: tuple[Tile, ...]
    """Tiles of the rack on it, in the order given."""


def best_table(
    table_tiles: Sequence[Tile], rack_tiles: Sequence[Tile], *, goal: Goal = "tiles"
) -> BestTable | None:
    """The table that takes most of the rack.

    Args:
        table_tiles: tiles that lie on the table; all are on the new one.
        rack_tiles: tiles that may join them.
        goal: `tiles`: most tiles, then most points (duel_scoring.rack_total); `value`: most points, then most
            tiles.

    Returns:
        None where the tiles of the table have no arrangement, with any of the rack.
    """
    assert DUEL.duel is not None
    per_value, per_tile = (128, 1) if goal == "value" else (1, 4096)
    joker = DUEL.duel.joker_left * per_value + per_tile
    aim = Aim(per_value=per_value, per_tile=per_tile, per_wild=joker)
    tiles = (*table_tiles, *rack_tiles)
    found = _search(supply_of(tiles, table_tiles, None), aim, joker)
    if found is None:
        return None
    melds = lay_out(
        found.melds, tiles, must=table_tiles, okey=None, rules=DUEL.melds, declare=False
    )
    on_table = {tile for meld in melds for tile in meld.tiles}
    return BestTable(melds, tuple(tile for tile in rack_tiles if tile in on_table))


def _search(supply: Supply, aim: Aim, joker: int) -> Swept | None:
    best: Swept | None = None
    most = most_score(supply, aim)
    for wilds in range(supply.wilds + 1):
        if best is not None and best.score == most:
            break
        spare = supply.wilds - wilds
        must_wilds = max(0, supply.must_wilds - spare)
        some = replace(supply, wilds=wilds, must_wilds=must_wilds)
        floor = 0 if best is None else best.score + 1 - spare * joker
        found = _deepen(some, aim, max(0, floor))
        melds = None if found is None else _with_spare(found.melds, spare)
        if found is not None and melds is not None:
            best = Swept(found.score + spare * joker, melds)
    return best


def _deepen(supply: Supply, aim: Aim, floor: int) -> Swept | None:
    """The best that reaches the floor; the least loss is tried first."""
    most = most_score(supply, aim)
    for few in FEW_LEFT:
        hope = most - few * aim.score(NUMBERS)
        if hope <= floor:
            break
        found = sweep(supply, aim, wrap=False, floor=hope)
        if found is not None:
            return found
    return sweep(supply, aim, wrap=False, floor=floor)


def _with_spare(melds: Sequence[LaidFaces], spare: int) -> tuple[LaidFaces, ...] | None:
    """The melds with so many more jokers; None where none takes another."""
    grown = tuple(melds)
    for _ in range(spare):
        for i, meld in enumerate(grown):
            parts = _with_joker(meld)
            if parts:
                grown = (*grown[:i], *parts, *grown[i + 1 :])
                break
        else:
            return None
    return grown


def _with_joker(meld: LaidFaces) -> tuple[LaidFaces, ...]:
    """One or two melds of these tiles and a joker; none if there is no room for it."""
    faces = meld.faces
    first, last = faces[0], faces[-1]
    if meld.kind is MeldKind.SET:
        joker = LaidFace(None, first.number, is_wild=True)
        return (LaidFaces(meld.kind, (*faces, joker)),) if len(faces) == 3 else ()
    if last.number < NUMBERS:
        joker = LaidFace(last.colour, last.number + 1, is_wild=True)
        return (LaidFaces(meld.kind, (*faces, joker)),)
    if first.number > 1:
        joker = LaidFace(first.colour, first.number - 1, is_wild=True)
        return (LaidFaces(meld.kind, (joker, *faces)),)
    joker = LaidFace(first.colour, 4, is_wild=True)
    return LaidFaces(meld.kind, (*faces[:3], joker)), LaidFaces(meld.kind, faces[3:])
