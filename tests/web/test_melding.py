"""Heaps read as melds: no other order, kind or declaration gives a higher value."""

import random
from collections import Counter
from itertools import permutations, product

import pytest

from p2pokey.errors import InvalidMeld
from p2pokey.rules.duel_state import reading_of
from p2pokey.rules.melds import Laid, MeldKind, MeldRules, is_wild, read_meld
from p2pokey.tiles import Colour, Face, Tile, parse_face, parse_tile
from p2pokey.web.melding import Melder, Wish, joined

OKEY = parse_face("r6")
RULES = {
    "classic": MeldRules(wrap=True, two_okeys_pair=True),
    "101": MeldRules(wrap=False, two_okeys_pair=False),
    "standard": MeldRules(wrap=False, two_okeys_pair=False, max_new=5),
}


def _tiles(text: str) -> tuple[Tile, ...]:
    return tuple(map(parse_tile, text.split()))


def _melder(rules: str = "101", held: str = "") -> Melder:
    return Melder(okey=OKEY, rules=RULES[rules], held=Counter(map(parse_face, held.split())))


def _best(tiles: tuple[Tile, ...], rules: MeldRules) -> int | None:
    """Every order, kind and declaration of the number in question."""
    values = []
    for kind, order in product(MeldKind, permutations(tiles)):
        try:
            laid = [Laid(tile) for tile in order]
            values.append(read_meld(kind, laid, okey=OKEY, rules=rules, is_new=True).value)
        except InvalidMeld:
            pass
    return max(values, default=None)


@pytest.mark.parametrize("name", sorted(RULES))
def test_no_other_way_to_lay_a_heap_is_worth_more(name: str) -> None:
    rng = random.Random(name)
    melder = _melder(name)
    found = 0
    for _ in range(1200):
        tiles = _near(rng)
        expected = _best(tiles, melder.rules)
        try:
            reading = melder.read(Wish(tiles))
        except InvalidMeld:
            assert expected is None
            continue
        found += 1
        assert reading.value == expected
        assert sorted(reading.meld.tiles) == sorted(tiles)
    assert found > 100


def _near(rng: random.Random) -> tuple[Tile, ...]:
    """Tiles that often go together: close numbers, few colours, okeys."""
    count = rng.choice([2, 3, 3, 3, 4, 4, 5])
    wilds = [tile for tile in map(Tile, range(106)) if is_wild(tile, OKEY)]
    first, colour = rng.randrange(0, 13), rng.randrange(4)
    pool = [Tile(26 * colour + 2 * ((first + i) % 13) + rng.randrange(2)) for i in range(count)]
    if rng.random() < 0.5:
        pool = [Tile(26 * c + 2 * first + rng.randrange(2)) for c in range(4)]
    pool += [*wilds, Tile(104)]
    return tuple(rng.sample(list(dict.fromkeys(pool)), count))


@pytest.mark.parametrize(
    ("heap", "laid", "value"),
    [
        ("r9a r7a r8a", "r7a r8a r9a", 24),
        ("r6a k3a k4a", "k3a k4a r6a", 12),
        ("r6a k13a k12a", "r6a k12a k13a", 36),
        ("r6a r6b k5a", "k5a r6a r6b", 18),
        ("k5a y5a r6a b5a", "k5a y5a b5a r6a", 20),
        ("**a r7a r8a", "**a r7a r8a", 21),
    ],
)
def test_heaps_are_laid_at_their_best(heap: str, laid: str, value: int) -> None:
    reading = _melder().read(Wish(_tiles(heap)))
    assert reading.meld.tiles == _tiles(laid)
    assert reading.value == value


def test_twelve_thirteen_one_only_where_it_is_a_run() -> None:
    heap = Wish(_tiles("k1a k13a k12a"))
    assert _melder("classic").read(heap).meld.tiles == _tiles("k12a k13a k1a")
    with pytest.raises(InvalidMeld) as refused:
        _melder("101").read(heap)
    assert refused.value.rule == "A-1" or refused.value.rule == "G-4"


def test_an_okey_in_a_set_stands_for_the_colour_that_nobody_else_can_supply() -> None:
    heap = Wish(_tiles("k5a y5a r6a"))
    assert _melder(held="b5").read(heap).meld.declared[2] == parse_face("b5")
    assert _melder(held="r5").read(heap).meld.declared[2] == parse_face("r5")


def test_what_the_player_has_settled_is_kept() -> None:
    tiles = _tiles("r6a k3a k4a")
    low = Wish(tiles, stands={tiles[0]: parse_face("k2")})
    assert _melder().read(low).meld.tiles == _tiles("r6a k3a k4a")
    two = _tiles("r6a r6b k5a")
    as_set = _melder().read(Wish(two, kind=MeldKind.SET))
    assert (as_set.meld.kind, as_set.value) == (MeldKind.SET, 15)


@pytest.mark.parametrize(
    ("heap", "rule"),
    [
        ("k1a", "G-20"), ("k1a k2a", "A-4"), ("k1a k3a k4a", "G-4"), ("r6a r6b", "A-2"),
        ("k1a r1a b2a", "G-4"), ("k1a k1b r1a", "G-4"),
    ],
)  # fmt: skip
def test_what_is_no_meld_says_why(heap: str, rule: str) -> None:
    with pytest.raises(InvalidMeld) as refused:
        _melder().read(Wish(_tiles(heap)))
    assert refused.value.rule == rule


def test_six_tiles_are_too_many_where_five_are_the_most() -> None:
    heap = Wish(_tiles("k1a k2a k3a k4a k5a k6a"))
    with pytest.raises(InvalidMeld) as refused:
        _melder("standard").read(heap)
    assert refused.value.numbers == {"most": 5, "have": 6}
    assert _melder("101").read(heap).value == 21


def test_a_set_of_the_duel_is_shown_as_it_is_read() -> None:
    rng = random.Random(3)
    for _ in range(3000):
        first, colour = rng.randrange(12), rng.randrange(4)
        pool = [Tile(26 * colour + 2 * ((first + i) % 13)) for i in range(4)]
        pool += [Tile(26 * c + 2 * first) for c in range(4)] + [Tile(104), Tile(105)]
        tiles = tuple(rng.sample(list(dict.fromkeys(pool)), rng.choice([3, 4])))
        read, shown = reading_of(tiles), joined(tiles)
        assert (read is None) == (shown is None)
        if read is None or shown is None:
            continue
        kind, laid, value = shown
        assert (kind, value) == (read.kind, read.value)
        assert sorted(tile for tile, _ in laid) == sorted(tiles)
        assert [int(stands[1:]) for _, stands in laid] == list(read.numbers)
        for tile, stands in laid:
            assert tile >= 104 or str(_face(tile)) == stands


def _face(tile: Tile) -> Face:
    return Face(Colour(tile // 26), tile % 26 // 2 + 1)
