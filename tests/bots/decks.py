"""Decks for hands of computer players: shuffled ones, and rich ones in which rare things happen."""

import random

from p2pokey.rules.published import RuleSet
from p2pokey.tiles import TILE_COUNT, Colour, Face, Tile, make_tile, next_face

Deck = tuple[Tile, ...]
_CUTS = ((1, 3), (4, 6), (7, 9), (10, 13))
"""Runs that use up the tiles of a colour."""


def shuffled(seed: object) -> Deck:
    """A deck shuffled by the seed."""
    deck = list(map(Tile, range(TILE_COUNT)))
    random.Random(f"deck {seed}").shuffle(deck)
    return tuple(deck)


def _pairs() -> list[list[Tile]]:
    return [[Tile(tile), Tile(tile + 1)] for tile in range(0, TILE_COUNT, 2)]


def _runs() -> list[list[Tile]]:
    return [
        [make_tile(Face(colour, number), copy) for number in range(first, last + 1)]
        for colour in Colour
        for copy in range(2)
        for first, last in _CUTS
    ]


def _units(kind: str) -> list[list[Tile]]:
    return _pairs() if kind == "pairs" else [*_runs(), [Tile(104)], [Tile(105)]]


def rich_deck(seed: object, kind: str) -> Deck:
    """All racks are nearly all `pairs`, or nearly all `runs`; up to 30 tiles are swapped."""
    rng = random.Random(f"rich {kind} {seed}")
    units = _units(kind)
    rng.shuffle(units)
    deck = [tile for unit in units for tile in unit]
    for _ in range(rng.randrange(30)):
        one, other = rng.randrange(TILE_COUNT), rng.randrange(TILE_COUNT)
        deck[one], deck[other] = deck[other], deck[one]
    return tuple(deck)


def okey_deck(seed: object, kind: str, rules: RuleSet) -> Deck:
    """The starter, seat 0, holds an okey and, but for at most two tiles, nothing but `kind`."""
    rng = random.Random(f"okey {kind} {seed} {rules.key}")
    indicator = make_tile(Face(rng.choice(list(Colour)), rng.randint(1, 13)), 0)
    face = Face(Colour(indicator // 26), indicator % 26 // 2 + 1)
    okey = make_tile(next_face(face), 0)
    held = rules.rack_size + 1
    loose = rng.choice((1, 1, 2))
    while True:
        units = [unit for unit in _units(kind) if not {okey, okey + 1, indicator} & set(unit)]
        rng.shuffle(units)
        rack = [okey]
        while units and len(rack) + len(units[-1]) <= held:
            rack += units.pop()
        value = sum(tile % 26 // 2 + 1 for tile in rack[1:])
        if len(rack) >= held - loose and value > rules.open_table.melds_floor + 10:
            break
    others = [tile for tile in map(Tile, range(TILE_COUNT)) if tile not in (*rack, indicator)]
    rng.shuffle(others)
    rack += [others.pop() for _ in range(held - len(rack))]
    return _dealt(rules, rack, indicator, others)


def rising_pairs_deck(seed: object, rules: RuleSet) -> Deck:
    """Seat 0 holds six pairs, the next one seven and so on: each can open over the one before."""
    rng = random.Random(f"rising {seed}")
    units = _pairs()[:-1]
    rng.shuffle(units)
    racks = [
        [tile for _ in range(6 + seat) for tile in units.pop()] for seat in range(rules.players)
    ]
    singles = [unit[0] for unit in units]
    twins = [unit[1] for unit in units]
    rest = [*singles, *twins]
    for rack in racks:
        count = rules.rack_size - len(rack)
        rack += rest[:count]
        rest = rest[count:]
    rest += [Tile(104), Tile(105)]
    rack = [*racks[0], rest.pop(-3)]
    return _dealt(rules, rack, rest.pop(-3), [tile for r in racks[1:] for tile in r] + rest)


def _dealt(rules: RuleSet, starter: list[Tile], indicator: Tile, others: list[Tile]) -> Deck:
    """The starter's tiles, the last of them as its extra one, and the indicator in their slots."""
    size, racks = rules.rack_size, rules.rack_size * (rules.players - 1)
    *first, extra = starter
    assert len(first) == size
    return (*first, *others[:racks], extra, indicator, *others[racks:])
