"""Random tables, and what they are said to take compared with trying every tile everywhere."""

import random
from dataclasses import replace
from itertools import combinations

from p2pokey.errors import InvalidMeld
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
from p2pokey.rules.playable import accepts, double_swaps_of, is_playable, swaps_of
from p2pokey.rules.published import RuleSet
from p2pokey.tiles import TILE_COUNT, Colour, Face, Seat, Slot, Tile
from tests.rules.racks import OKEY, WILDS

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


def compare_playable(rng: random.Random, melds: int, rules: RuleSet) -> None:
    """One random table: what its melds are said to take is what trying it says."""
    both, includes_swap = rng.random() < 0.5, rng.random() < 0.5
    options = {"set3_retrieve_both": both, "playable_includes_swap": includes_swap}
    rules = replace(rules, table=replace(rules.open_table, **options))
    table = random_table(rng, melds, rules.melds)
    takes: set[Face | None] = set()
    frees: set[Face] = set()
    for meld in table:
        for face, tile in NATURAL.items():
            ends = [end for end in End if _fits(meld, end, tile, rules.melds)]
            assert [*accepts(rules, meld, tile, OKEY)] == ends, (meld, face)
            takes |= {face} if ends else set()
        freed = _freed(meld, rules)
        assert [*swaps_of(rules, meld, OKEY)] == freed, (meld, both)
        frees |= {face for _, face in freed}
        assert [*double_swaps_of(rules, meld, OKEY)] == _freed_by_two(meld, rules), (meld, both)
    playable = takes | frees if includes_swap else takes
    for face, tile in NATURAL.items():
        assert is_playable(rules, table, tile, OKEY) == (face in playable), (table, face)


def _laid(meld: TableMeld) -> list[Laid]:
    """The meld as it is read again, its okeys keeping what they stand for."""
    return [tile.laid(OKEY) for tile in meld.tiles]


def _okeys(meld: TableMeld) -> list[int]:
    """Places of the okeys."""
    return [i for i, tile in enumerate(meld.tiles) if is_wild(tile.tile, OKEY)]


def _is_set3(meld: TableMeld) -> bool:
    return meld.kind is MeldKind.SET and len(meld.tiles) == 3


def _fits(meld: TableMeld, end: End, tile: Tile, rules: MeldRules) -> bool:
    """Whether the rules read the meld with one tile more."""
    if meld.kind is not MeldKind.RUN and end is End.LOW:
        return False
    laid = _laid(meld)
    tiles = [Laid(tile), *laid] if end is End.LOW else [*laid, Laid(tile)]
    return read(meld.kind, tiles, rules) is not None


def _freed(meld: TableMeld, rules: RuleSet) -> list[tuple[int, Face]]:
    """Okeys in whose place one tile can lie, and that tile's face."""
    if _is_set3(meld) and rules.open_table.set3_retrieve_both:
        return []
    found, undeclared = [], 0
    for place in _okeys(meld):
        faces = sorted(face for face in NATURAL if face is not None)
        fitting = [face for face in faces if _replaces(meld, place, face, rules)]
        if meld.tiles[place].stands.colour is None:  # the lowest colour is for the first (B-20)
            fitting = fitting[undeclared : undeclared + 1]
            undeclared += 1
        found += [(place, face) for face in fitting]
    return found


def _replaces(meld: TableMeld, place: int, face: Face, rules: RuleSet) -> bool:
    """Whether the rules read the meld with that tile for the okey, standing for the same."""
    laid = _laid(meld)
    tiles = [*laid[:place], Laid(NATURAL[face]), *laid[place + 1 :]]
    after, stands = read(meld.kind, tiles, rules.melds), meld.tiles[place].stands
    return after is not None and (stands.colour is None or after.stands[place] == stands)


def _freed_by_two(meld: TableMeld, rules: RuleSet) -> list[tuple[int, tuple[Face, Face]]]:
    """Okeys of a three-tile set in whose place two tiles make it one of four."""
    if not (_is_set3(meld) and rules.open_table.set3_retrieve_both):
        return []
    faces = [Face(colour, meld.tiles[0].stands.number) for colour in Colour]
    found = []
    for place in _okeys(meld):
        rest = _laid(meld)
        del rest[place]
        for two in combinations(faces, 2):
            tiles = [*rest, *(Laid(NATURAL[face]) for face in two)]
            if read(MeldKind.SET, tiles, rules.melds):
                found.append((place, two))
    return found
