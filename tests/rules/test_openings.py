"""Openings are the best there are: compared with brute force, and read again by melds.py."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.rules.melds import MeldKind, MeldRules
from p2pokey.rules.openings import best_opening, opening_pairs
from p2pokey.rules.published import C_STANDARD, D_FEEDING, DUEL, RULE_SETS
from p2pokey.rules.templates import templates
from p2pokey.tiles import Colour, Face, Tile, face_of, make_tile, parse_face, parse_tile
from tests.rules.openings_racks import (
    check_use,
    compare_opening,
    compare_pairs,
    compare_whole_rack,
)
from tests.rules.racks import NATURALS, OKEY, WILDS, random_tiles
from tests.strategies import seeds

PLAIN = MeldRules(wrap=False, two_okeys_pair=False)
OPEN_TABLE = [rules for rules in RULE_SETS.values() if rules.table is not None]
by_rules = pytest.mark.parametrize("rules", OPEN_TABLE, ids=lambda rules: rules.key)


def tiles_of(text: str) -> list[Tile]:
    return [parse_tile(part) for part in text.split()]


@by_rules
def test_openings_agree_with_brute_force(rules):
    rng = random.Random(rules.key)
    for count in [3, 4, 5, 6, 7, 8, 9, 10, 11] * 20:
        compare_opening(rng, count, rules.melds)


@by_rules
def test_whole_racks_agree_with_brute_force(rules):
    rng = random.Random(rules.key)
    for _ in range(8):
        compare_whole_rack(rng, rules)


@by_rules
def test_pairs_agree_with_brute_force(rules):
    rng = random.Random(rules.key)
    for count in [1, 2, 3, 4, 5, 6, 7, 8] * 20:
        compare_pairs(rng, count, rules.melds)


def melds_and_okeys(rng: random.Random, count: int, wilds: int, *, wrap: bool) -> list[Tile]:
    """Tiles that all go into melds, some of them exchanged for okeys."""
    while True:
        faces: list[Face] = []
        while len(faces) < count:
            template = rng.choice(templates(wrap))
            faces += [Face(Colour(bit // 13), bit % 13 + 1) for bit in template.bits]
        if len(faces) == count and all(faces.count(face) <= 2 and face != OKEY for face in faces):
            break
    tiles: list[Tile] = []
    for face in rng.sample(faces, count - wilds):
        tiles.append(make_tile(face, int(make_tile(face, 0) in tiles)))
    return [*tiles, *WILDS[:wilds]]


@given(seed=seeds, wilds=st.integers(0, 2), rules=st.sampled_from(OPEN_TABLE))
@settings(max_examples=60, deadline=None)
def test_a_rack_of_melds_is_laid_whole_and_one_tile_stays_where_one_must(seed, wilds, rules):
    rng = random.Random(seed)
    tiles = melds_and_okeys(rng, rules.rack_size + 1, wilds, wrap=rules.wrap)
    whole = best_opening(tiles, okey=OKEY, rules=rules.melds, goal="tiles", keep=0)
    assert whole is not None
    assert sorted(whole.tiles) == sorted(tiles)
    opening = best_opening(tiles, okey=OKEY, rules=rules.melds)
    assert opening is not None
    check_use(opening.melds, tiles, [], 1)
    # Leaving out each tile in turn, and then none, must come to the same.
    rests = [[*tiles[:i], *tiles[i + 1 :]] for i in range(len(tiles))]
    values = [best_opening(rest, okey=OKEY, rules=rules.melds, keep=0) for rest in rests]
    assert opening.value == max(found.value for found in values if found is not None)


@given(seed=seeds, wilds=st.integers(0, 2), new=st.sampled_from(NATURALS), wrap=st.booleans())
@settings(deadline=None)
def test_a_tile_more_never_lowers_the_value(seed, wilds, new, wrap):
    tiles = random_tiles(random.Random(seed), 15, wilds)
    rules = MeldRules(wrap=wrap, two_okeys_pair=False)
    before = best_opening(tiles, okey=OKEY, rules=rules, keep=0)
    after = best_opening({*tiles, new}, okey=OKEY, rules=rules, keep=0)
    assert (after.value if after else 0) >= (before.value if before else 0)


@given(seed=seeds, order=st.permutations(list(Colour)), count=st.integers(3, 22))
@settings(deadline=None)
def test_colours_order_and_copies_do_not_matter(seed, order, count):
    rng = random.Random(seed)
    tiles = [tile for tile in random_tiles(rng, count, rng.randint(0, 2)) if face_of(tile)]
    swapped = []
    for tile in rng.sample(tiles, len(tiles)):
        face = face_of(tile)
        assert face is not None
        swapped.append(make_tile(Face(order[face.colour], face.number), 1 - tile % 2))
    okey = Face(order[OKEY.colour], OKEY.number)
    mine = best_opening(tiles, okey=OKEY, rules=D_FEEDING.melds)
    other = best_opening(swapped, okey=okey, rules=D_FEEDING.melds)
    assert (mine and mine.value) == (other and other.value)


def test_longest_meld_of_C_is_five_tiles_and_longer_runs_are_split():
    tiles = tiles_of("b1a b2a b3a b4a b5a b6a b7a b8a b9a b10a b11a y1a")
    opening = best_opening(tiles, okey=OKEY, rules=C_STANDARD.melds)
    assert opening is not None
    assert opening.value == 66
    assert sorted(len(meld.tiles) for meld in opening.melds) == [3, 3, 5]
    assert len(best_opening(tiles, okey=OKEY, rules=PLAIN).melds) == 1


def test_runs_of_fourteen_are_split_where_a_1_follows_a_13():
    tiles = [make_tile(Face(Colour.BLUE, number), 0) for number in range(1, 14)]
    tiles += tiles_of("b1b k1a")
    opening = best_opening(tiles, okey=OKEY, rules=D_FEEDING.melds)
    assert opening is not None
    assert opening.value == 92
    assert len(opening.tiles) == 14


@pytest.mark.parametrize(("rules", "value"), [(D_FEEDING.melds, 26), (PLAIN, None)])
def test_A1_a_1_follows_a_13_only_where_it_is_played(rules, value):
    opening = best_opening(tiles_of("y12a y13a y1a b4a"), okey=OKEY, rules=rules)
    assert (opening and opening.value) == value


def test_three_of_a_set_declare_the_colour_that_the_rack_holds_most_of():
    # With the second black 9 and both yellow ones elsewhere on the rack in a run.
    tiles = tiles_of("r9a b9a y7a y8a y9a y10a y11a") + WILDS[:1]
    opening = best_opening(tiles, okey=OKEY, rules=PLAIN, must=tiles_of("r9a"), keep=0)
    assert opening is not None
    declared = [meld.declared for meld in opening.melds if meld.kind is MeldKind.SET]
    assert declared == [(None, None, parse_face("y9"))]
    silent = best_opening(tiles, okey=OKEY, rules=PLAIN, must=tiles_of("r9a"), declare=False)
    assert silent is not None
    assert {meld.declared for meld in silent.melds} == {()}


def test_jokers_of_the_duel_are_wild_and_never_declared():
    opening = best_opening(tiles_of("**a r9a b9a r5a"), okey=None, rules=DUEL.melds)
    assert opening is not None
    assert opening.value == 27
    assert {meld.declared for meld in opening.melds} == {()}


def test_a_false_okey_is_the_okeys_face():
    opening = best_opening(tiles_of("**a r6a r7a b1a"), okey=OKEY, rules=PLAIN)
    assert opening is not None
    assert opening.value == 18


def test_an_okey_that_must_be_laid_is_where_other_tiles_must_stay():
    tiles = tiles_of("r5a k5a k7a k9a k8b k13a")
    opening = best_opening(
        tiles, okey=OKEY, rules=C_STANDARD.melds, must=tiles_of("r5a k7a"), keep=3
    )
    assert opening is not None
    assert opening.value == 24
    assert parse_tile("r5a") in opening.tiles


def test_ten_tiles_of_one_number_are_three_sets():
    tiles = [*WILDS, *tiles_of("r13a r13b b13a b13b k13a k13b y13a y13b")]
    opening = best_opening(tiles, okey=OKEY, rules=PLAIN, keep=0)
    assert opening is not None
    assert opening.value == 130
    assert sorted(len(meld.tiles) for meld in opening.melds) == [3, 3, 4]


@pytest.mark.parametrize("must", ["y13a", "r5a r5b"])
def test_no_opening_without_what_must_be_laid(must):
    tiles = tiles_of("b1a b2a b3a y13a")
    if must != "y13a":
        tiles = tiles_of("r5a r5b")
    assert best_opening(tiles, okey=OKEY, rules=PLAIN, must=tiles_of(must)) is None
    assert opening_pairs(tiles, okey=OKEY, rules=PLAIN, must=tiles_of(must)) == ()


def test_no_opening_in_no_tiles():
    assert best_opening([], okey=OKEY, rules=PLAIN) is None
    assert opening_pairs([], okey=OKEY, rules=PLAIN) == ()


def test_melds_of_less_than_five_tiles_at_most_are_not_supported():
    with pytest.raises(ValueError, match="at least 5"):
        best_opening([], okey=OKEY, rules=MeldRules(wrap=True, two_okeys_pair=True, max_new=4))
