"""What a player of an open table lays: openings, further melds and pairs, finishes in one go."""

from collections.abc import Sequence
from functools import lru_cache

from p2pokey.bots.reach import most_pairs, most_value
from p2pokey.bots.sight import Sight, tiles_of
from p2pokey.bots.source import Source
from p2pokey.rules import open_table
from p2pokey.rules.melds import MeldRules
from p2pokey.rules.moves import Add, ClaimFinish, GoPairs, LaidMeld, Lay, Move, Open, Placed
from p2pokey.rules.open_melds import extended, opening_kind, read_new
from p2pokey.rules.open_state import Opened, TableMeld
from p2pokey.rules.open_taking import may_process
from p2pokey.rules.openings import LaidOut, Opening, best_opening, opening_pairs
from p2pokey.rules.playable import accepts
from p2pokey.rules.published import TakeUse
from p2pokey.rules.state import Phase
from p2pokey.tiles import Face, Tile

_HOLD_TILES = 3
"""So few loose tiles make it worth waiting for a finish in one turn, while nobody has opened."""

_POOR_MELDS = 0.75
"""Part of the melds floor below which pairs are the better bet."""


def find_opening(sight: Sight, source: Source) -> Move | None:
    """An opening, or a claimed finish, that this seat should make now; or Going Pairs."""
    melds, pairs = _with_melds(sight, ()), _with_pairs(sight, ())
    chosen = _better(sight, melds, pairs)
    if chosen is None:
        return _go_pairs(sight, source)
    finish = _claim(sight, chosen)
    if finish is not None:
        return finish
    if _is_worth_waiting(sight, chosen) and source.below(3):
        return None
    return Open(chosen)


def open_with(sight: Sight, tile: Tile) -> Open | None:
    """An opening that uses this tile."""
    melds, pairs = _with_melds(sight, (tile,)), _with_pairs(sight, (tile,))
    for found in (melds, pairs):
        if found and sight.allows(Open(found)):
            return Open(found)
    return None


def find_lay(sight: Sight) -> Lay | None:
    """Further melds without okeys, or further pairs."""
    if sight.opened is Opened.PAIRS:
        return _lay_pairs(sight, ())
    return _lay_melds(sight, tiles_of(sight.naturals), ())


def lay_taken(sight: Sight, tile: Tile) -> Lay | None:
    """Further melds or pairs with the tile just taken, where the rules allow that."""
    return None if sight.rules.take_use is TakeUse.STRICT else lay_with(sight, tile)


def lay_with(sight: Sight, tile: Tile) -> Lay | None:
    """Further melds or pairs with this tile."""
    if sight.opened is Opened.PAIRS:
        return _lay_pairs(sight, (tile,))
    return _lay_melds(sight, tiles_of(sight.rack), (tile,))


def lay_okeys(sight: Sight) -> Lay | None:
    """Further melds with okeys, if they bring the finish or the hand is nearly over."""
    lay = _lay_melds(sight, tiles_of(sight.rack), ())
    if lay is None:
        return None
    left = len(sight.rack) - sum(len(meld.tiles) for meld in lay.melds)
    return lay if left == 1 or sight.is_urgent else None


def aims_at_pairs(sight: Sight) -> bool:
    """Whether this seat collects pairs rather than runs and sets."""
    if sight.opened is not Opened.NONE:
        return sight.opened is Opened.PAIRS
    if sight.table.going_pairs[sight.seat]:
        return True
    rack = sight.outlook
    if most_pairs(rack) < sight.floors.pairs - 1:
        return False
    return most_value(rack) < _POOR_MELDS * sight.floors.melds or best_value(sight) < (
        _POOR_MELDS * sight.floors.melds
    )


def best_value(sight: Sight) -> int:
    """Value of the best melds on the rack."""
    found = best_melds(sight)
    return 0 if found is None else found.value


def best_melds(sight: Sight) -> Opening | None:
    """The best melds on the rack."""
    return _best(tiles_of(sight.rack), (), sight.okey, sight.state.rules.melds, 1)


@lru_cache(maxsize=64)
def _best(
    tiles: tuple[Tile, ...],
    must: tuple[Tile, ...],
    okey: Face,
    rules: MeldRules,
    keep: int,
) -> Opening | None:
    """The solver's answer, which one decision asks for several times."""
    return best_opening(tiles, okey=okey, rules=rules, must=must, keep=keep)


def _with_melds(sight: Sight, must: tuple[Tile, ...]) -> tuple[LaidMeld, ...]:
    """Runs and sets that reach the floor, without okeys if that can be."""
    if sight.table.going_pairs[sight.seat]:
        return ()
    floor = sight.floors.melds
    needs_okey = any(placed.tile in must for placed in sight.wilds)
    spared = [sight.naturals] if sight.wilds and not needs_okey else []
    for held in (*spared, sight.rack):
        if most_value(sight.outlook_of(held)) < floor:
            continue
        keep = 1 if held is sight.rack else 0  # an okey is left
        found = _best(tiles_of(held), must, sight.okey, sight.state.rules.melds, keep)
        if found is not None and found.value >= floor:
            return to_lay(sight, found.melds)
    return ()


def _with_pairs(sight: Sight, must: tuple[Tile, ...]) -> tuple[LaidMeld, ...]:
    """Pairs that reach the floor."""
    floor = sight.floors.pairs
    rack = sight.outlook
    if most_pairs(rack) + (rack.wilds == 2) < floor:
        return ()
    pairs = opening_pairs(
        tiles_of(sight.rack), okey=sight.okey, rules=sight.state.rules.melds, must=must
    )
    return to_lay(sight, pairs) if len(pairs) >= floor else ()


def _better(
    sight: Sight, melds: tuple[LaidMeld, ...], pairs: tuple[LaidMeld, ...]
) -> tuple[LaidMeld, ...] | None:
    """Pairs leave twice the rest to pay, so they must leave fewer tiles."""
    if melds and _count(melds) + 2 >= _count(pairs):
        return melds
    if not pairs:
        return None
    bound = sight.table.going_pairs[sight.seat]
    has_time = len(sight.state.stack) > 3 * sight.state.seats
    # Nearly enough for an opening with melds, and time left to get there.
    if not bound and has_time and best_value(sight) >= 0.9 * sight.floors.melds:
        return None
    return pairs


def _count(melds: Sequence[LaidMeld]) -> int:
    return sum(len(meld.tiles) for meld in melds)


def _is_worth_waiting(sight: Sight, melds: Sequence[LaidMeld]) -> bool:
    """Whether to hold an opening back in the hope of opening and finishing in one turn."""
    nobody = all(opened is Opened.NONE for opened in sight.table.opened)
    has_time = len(sight.state.stack) > 2 * sight.state.seats
    loose = len(sight.rack) - _count(melds)
    return nobody and has_time and 1 < loose <= _HOLD_TILES


def _go_pairs(sight: Sight, source: Source) -> GoPairs | None:
    """Going Pairs now and then where one pair is missing and runs and sets are far away."""
    if not sight.rules.going_pairs or not aims_at_pairs(sight) or source.below(2):
        return None
    return GoPairs() if sight.allows(GoPairs()) else None


def _lay_melds(sight: Sight, tiles: tuple[Tile, ...], must: tuple[Tile, ...]) -> Lay | None:
    if (
        len(tiles) < 3
        or len(sight.rack) < 4
        or not most_value(sight.outlook_of(sight.placed(tiles)))
    ):
        return None
    keep = max(0, 1 - (len(sight.rack) - len(tiles)))
    melds = sight.state.rules.melds
    found = best_opening(tiles, okey=sight.okey, rules=melds, must=must, goal="tiles", keep=keep)
    return None if found is None else _checked_lay(sight, to_lay(sight, found.melds))


def _lay_pairs(sight: Sight, must: tuple[Tile, ...]) -> Lay | None:
    pairs = opening_pairs(
        tiles_of(sight.rack), okey=sight.okey, rules=sight.state.rules.melds, must=must
    )
    return _checked_lay(sight, to_lay(sight, pairs)) if pairs else None


def _checked_lay(sight: Sight, melds: tuple[LaidMeld, ...]) -> Lay | None:
    lay = Lay(melds)
    return lay if sight.allows(lay) else None


def to_lay(sight: Sight, melds: Sequence[LaidOut]) -> tuple[LaidMeld, ...]:
    """Melds as the solver found them, with the slots of the rack."""
    return tuple(
        LaidMeld(
            kind=meld.kind,
            tiles=sight.placed(meld.tiles),
            declared=meld.declared,
        )
        for meld in melds
    )


def _claim(sight: Sight, opening: tuple[LaidMeld, ...]) -> ClaimFinish | None:
    """The opening with additions of all other tiles but one, in games with such a claim (C-2)."""
    if not sight.rules.failed_opening_charged:
        return None
    opened = opening_kind(opening)
    assert opened is not None
    tables = [*sight.table.melds, *read_new(sight.state, opening)]
    laid = {placed.slot for meld in opening for placed in meld.tiles}
    # Okeys fit almost anywhere, so they come last; what is left over is discarded.
    rest = [placed for placed in (*sight.naturals, *sight.wilds) if placed.slot not in laid]
    additions: list[Add] = []
    while len(rest) > 1:
        step = _one_addition(sight, tables, rest, opened)
        if step is None:
            return None
        rest.remove(step.tiles[0])
        tables[step.meld] = extended(sight.state, tables[step.meld], step.end, step.tiles)
        additions.append(step)
    claim = ClaimFinish(melds=opening, additions=tuple(additions), discard=rest[0])
    # A claim that fails is charged, not refused, so it is tried out first.
    after, _ = open_table.apply(sight.state, claim)
    return claim if after.phase is Phase.OVER else None


def _one_addition(
    sight: Sight, tables: Sequence[TableMeld], rest: Sequence[Placed], opened: Opened
) -> Add | None:
    for placed in rest:
        for number, meld in enumerate(tables):
            if may_process(sight.state.rules, opened, meld.kind):
                for end in accepts(sight.state.rules, meld, placed.tile, sight.okey):
                    return Add(meld=number, end=end, tiles=(placed,))
    return None
