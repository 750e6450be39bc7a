"""Random tables, and the comparison of their index with trying every tile everywhere."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from p2pokey.errors import InvalidMeld
from p2pokey.rules.layoff import Place, Retrieval, TableIndex, layoffs
from p2pokey.rules.melds import (
    Laid,
    Meld,
    MeldKind,
    MeldRules,
    identity,
    is_wild,
    read_meld,
    read_pair,
)
from p2pokey.rules.moves import End
from p2pokey.rules.open_state import TableMeld, table_meld
from p2pokey.rules.playable import is_playable, swaps_of
from p2pokey.rules.published import RuleSet
from p2pokey.tiles import TILE_COUNT, Colour, Face, Seat, Slot, Tile
from tests.rules.racks import OKEY, WILDS, random_tiles

NATURAL = {identity(tile, OKEY): tile for tile in map(Tile, range(TILE_COUNT))}
"""A tile for every face, for the okey's own a false okey; under None a wild tile."""


def random_meld(rng: random.Random, deck: list[Tile], rules: MeldRules) -> list[Laid] | None:
    """Tiles for one meld from the deck, okeys in some places; None where the deck lacks them."""
    faces = _random_faces(rng, rules.wrap)
    is_pair = len(faces) == 2
    laid: list[Laid] = []
    for face in faces:
        have = next((tile for tile in deck if identity(tile, OKEY) == face), None)
        wild = next((tile for tile in WILDS if tile in deck), None)
        if wild is not None and (have is None or rng.random() < 0.15):
            declared = face if not is_pair and rng.random() < 0.5 else None
            laid.append(Laid(wild, declared))
        elif have is not None:
            laid.append(Laid(have))
        else:
            return None
        deck.remove(laid[-1].tile)
    return laid


def _random_faces(rng: random.Random, wrap: bool) -> list[Face]:
    colour, number = rng.choice(list(Colour)), rng.randint(1, 13)
    match rng.choice(("run", "run", "set", "pair")):
        case "pair":
            return [Face(colour, number)] * 2
        case "set":
            colours = rng.sample(list(Colour), rng.choice((3, 3, 4)))
            return [Face(each, number) for each in colours]
    size = rng.choice((3, 3, 3, 4, 4, 5, 6, 12, 13))
    first = rng.randint(1, (14 if wrap else 13) - size + 1)
    return [Face(colour, (first + i - 1) % 13 + 1) for i in range(size)]


def read(kind: MeldKind, tiles: list[Laid], rules: MeldRules) -> Meld | None:
    """The tiles as a meld, or None."""
    try:
        if kind is MeldKind.PAIR:
            return read_pair(tiles, okey=OKEY, two_okeys=rules.two_okeys_pair)
        return read_meld(kind, tiles, okey=OKEY, rules=rules)
    except InvalidMeld:
        return None


def random_table(rng: random.Random, melds: int, rules: MeldRules) -> list[TableMeld]:
    """Up to so many melds that lie on a table together."""
    deck = list(map(Tile, range(TILE_COUNT)))
    rng.shuffle(deck)
    table = []
    for _ in range(melds):
        rest = list(deck)
        laid = random_meld(rng, rest, rules)
        if laid is None:
            continue
        faces = {tile.stands_for or identity(tile.tile, OKEY) for tile in laid} - {None}
        one_number = len({face.number for face in faces if face}) == 1
        kind = MeldKind.SET if one_number else MeldKind.RUN
        kind = MeldKind.PAIR if len(laid) == 2 else kind
        meld = read(kind, laid, rules)
        if meld is not None:
            deck = rest
            slots = [(Slot(tile.tile), tile.tile) for tile in laid]
            table.append(table_meld(kind, slots, meld.stands, owner=Seat(0)))
    return table


def index_of(table: list[TableMeld], rules: RuleSet) -> TableIndex:
    """The index of a table."""
    shown = [
        (
            meld.kind,
            tuple(tile.stands for tile in meld.tiles),
            tuple(is_wild(tile.tile, OKEY) for tile in meld.tiles),
        )
        for meld in table
    ]
    options = rules.open_table
    return TableIndex.of(
        shown,
        wrap=rules.wrap,
        set3_both=options.set3_retrieve_both,
        playable_includes_swap=options.playable_includes_swap,
    )


class Lying(NamedTuple):
    """A meld on the table as it is read again, its okeys keeping what they stand for."""

    meld: TableMeld
    laid: list[Laid]
    okeys: list[int]
    """Their places."""

    swaps: list[Face]
    """What the rules say frees each, for three-tile sets."""


def _lying(meld: TableMeld, rules: RuleSet) -> Lying:
    okeys = [i for i, tile in enumerate(meld.tiles) if is_wild(tile.tile, OKEY)]
    swaps = [swap.face for swap in swaps_of(rules, meld, OKEY)]
    return Lying(meld, [tile.laid(OKEY) for tile in meld.tiles], okeys, swaps)


def compare_layoff(rng: random.Random, melds: int, rules: RuleSet) -> None:
    """One random table: what the index says is what trying it says."""
    both = rng.random() < 0.5
    rules = replace(rules, table=replace(rules.open_table, set3_retrieve_both=both))
    table = random_table(rng, melds, rules.melds)
    lying = [_lying(meld, rules) for meld in table]
    index = index_of(table, rules)
    for face, tile in NATURAL.items():
        places = {
            Place(number, end)
            for number, meld in enumerate(lying)
            for end in (End.LOW, End.HIGH)
            if _fits(meld, end, tile, rules.melds)
        }
        assert set(index.accepts(face)) == places, (table, face)
        assert index.is_playable(face) == is_playable(rules, table, tile, OKEY), (table, face)
        if face is not None:
            freed = list(_freed(lying, face, rules))
            assert [*index.retrievals(face)] == freed, (table, face, both)
    assert set(index.double_retrievals) == (set(_freed_by_two(lying, rules)) if both else set())
    _compare_rack(index, random_tiles(rng, 14, rng.randint(0, 2)))


def _fits(lying: Lying, end: End, tile: Tile, rules: MeldRules) -> bool:
    """Whether the rules read the meld with one tile more."""
    kind = lying.meld.kind
    if kind is not MeldKind.RUN and end is End.LOW:
        return False
    tiles = [Laid(tile), *lying.laid] if end is End.LOW else [*lying.laid, Laid(tile)]
    return read(kind, tiles, rules) is not None


def _freed(table: list[Lying], face: Face, rules: RuleSet) -> Iterator[Retrieval]:
    """Okeys in whose place the tile can lie; in three-tile sets what the rules say."""
    for number, (meld, laid, okeys, swaps) in enumerate(table):
        is_set3 = meld.kind is MeldKind.SET and len(meld.tiles) == 3
        for nth, place in enumerate(okeys):
            if is_set3:
                can = bool(swaps) and swaps[nth] == face
            else:
                tiles = [*laid[:place], Laid(NATURAL[face]), *laid[place + 1 :]]
                after = read(meld.kind, tiles, rules.melds)
                can = after is not None and after.stands[place] == meld.tiles[place].stands
            if can:
                yield Retrieval(number, place, (face,))


def _freed_by_two(table: list[Lying], rules: RuleSet) -> Iterator[Retrieval]:
    for number, (meld, laid, okeys, _) in enumerate(table):
        if meld.kind is not MeldKind.SET or len(meld.tiles) != 3:
            continue
        faces = [Face(colour, meld.tiles[0].stands.number) for colour in Colour]
        for place in okeys:
            for two in combinations(faces, 2):
                new = [Laid(NATURAL[face]) for face in two]
                tiles = [*laid[:place], *laid[place + 1 :], *new]
                if read(MeldKind.SET, tiles, rules.melds):
                    yield Retrieval(number, place, two)


def _compare_rack(index: TableIndex, tiles: list[Tile]) -> None:
    """What is listed for a rack is what the index says of its tiles."""
    found = layoffs(index, tiles, okey=OKEY)
    faces = {identity(tile, OKEY) for tile in tiles}
    assert {(identity(tile, OKEY), place) for tile, place in found.additions} == {
        (face, place) for face in faces for place in index.accepts(face)
    }
    singles = {r for face in faces if face is not None for r in index.retrievals(face)}
    doubles = {r for r in index.double_retrievals if set(r.supply) <= faces}
    assert {r for _, r in found.retrievals} == singles | doubles
    for supplied, retrieval in found.retrievals:
        assert tuple(identity(tile, OKEY) for tile in supplied) == retrieval.supply
        assert set(supplied) <= set(tiles)
    assert [*found.playable] == [t for t in tiles if index.is_playable(identity(t, OKEY))]
