"""The best table of the duel: all tiles of the table, and as much of the rack as can join them.

    best_table(table_tiles, rack_tiles, *, goal="tiles") -> BestTable | None

The two false okeys are the jokers. Exact: no other table takes more tiles of the rack (or more points),
and read_meld accepts every meld. Openings, which leave the table as it is, are for openings.py:
`best_opening(rack, okey=None, rules=DUEL.melds, keep=0)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.rules.openings import Goal, LaidOut, lay_out, supply_of
from p2pokey.rules.published import DUEL
from p2pokey.rules.sweep import Aim, sweep
from p2pokey.tiles import Tile, face_of


@dataclass(frozen=True, slots=True)
class BestTable:
    """A whole table."""

    melds: tuple[LaidOut, ...]
    """Runs in ascending order; jokers stand where they lie."""

    used: tuple[Tile, ...]
    """Tiles of the rack on it, in the order given."""


def rack_points(tiles: Sequence[Tile]) -> int:
    """What tiles left on a rack cost: printed numbers, a joker 30."""
    assert DUEL.duel is not None
    joker = DUEL.duel.joker_left
    return sum(joker if face is None else face.number for face in map(face_of, tiles))


def best_table(
    table_tiles: Sequence[Tile], rack_tiles: Sequence[Tile], *, goal: Goal = "tiles"
) -> BestTable | None:
    """The table that takes most of the rack.

    Args:
        table_tiles: tiles that lie on the table; all are on the new one.
        rack_tiles: tiles that may join them.
        goal: `tiles`: most tiles, then most points (rack_points); `value`: most points, then most
            tiles.

    Returns:
        None where the tiles of the table have no arrangement, with any of the rack.
    """
    assert DUEL.duel is not None
    per_value, per_tile = (128, 1) if goal == "value" else (1, 2048)
    aim = Aim(
        per_value=per_value,
        per_tile=per_tile,
        per_wild=DUEL.duel.joker_left * per_value + per_tile,
    )
    tiles = (*table_tiles, *rack_tiles)
    found = sweep(supply_of(tiles, table_tiles, None), aim, wrap=False)
    if found is None:
        return None
    melds = lay_out(
        found.melds, tiles, must=table_tiles, okey=None, rules=DUEL.melds, declare=False
    )
    on_table = {tile for meld in melds for tile in meld.tiles}
    return BestTable(melds, tuple(tile for tile in rack_tiles if tile in on_table))
