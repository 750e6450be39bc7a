"""The solvers are exact: compared with brute force, and every layout read again by melds.py."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.rules.analysis import analyse
from p2pokey.rules.arrange import (
    best_finish,
    finishing_discards,
    split_melds,
    split_pairs,
)
from p2pokey.rules.distance import distance, melds_distance, most_kept
from p2pokey.rules.melds import Laid, MeldKind, read_meld
from p2pokey.rules.published import CLASSIC
from p2pokey.rules.state import FinishKind
from p2pokey.rules.templates import Rack, bit_of, rack_of, templates, templates_with
from p2pokey.tiles import Colour, Face, Tile, face_of, make_tile, parse_face, parse_tile
from tests.rules import brute
from tests.rules.racks import (
    NATURALS,
    OKEY,
    WILDS,
    check_layout,
    compare_analysis,
    compare_with_brute,
    naturals_of,
    random_tiles,
)
from tests.strategies import faces, seeds


def face_of_bit(bit: int) -> Face:
    """The face whose bit has this index."""
    return Face(Colour(bit // 13), bit % 13 + 1)


def _tiles(text: str) -> list[Tile]:
    return [parse_tile(part) for part in text.split()]


@pytest.mark.parametrize(
    ("count", "racks"),
    [(3, 60), (4, 60), (5, 60), (6, 60), (7, 60), (8, 40), (9, 30), (10, 15), (11, 10)],
)
def test_melds_agree_with_brute_force(count, racks):
    rng = random.Random(count)
    for _ in range(racks):
        compare_with_brute(rng, count)


@pytest.mark.parametrize("wilds", [0, 1, 2])
def test_whole_racks_agree_with_brute_force(wilds):
    rng = random.Random(wilds)
    for dense in (False, True):
        tiles = random_tiles(rng, 14, wilds, dense=dense)
        expected = brute.melds_distance(naturals_of(tiles), wilds, wrap=True, target=14)
        assert melds_distance(rack_of(tiles, OKEY), wrap=True) == expected


@given(seed=seeds, count=st.integers(0, 8), wilds=st.integers(0, 2), two_okeys=st.booleans())
@settings(deadline=None)
def test_pairs_agree_with_brute_force(seed, count, wilds, two_okeys):
    rng = random.Random(seed)
    tiles = random_tiles(rng, count + wilds, wilds) if count else WILDS[:wilds]
    expected = brute.can_pair(naturals_of(tiles), wilds, two_okeys=two_okeys)
    layout = split_pairs(tiles, okey=OKEY, two_okeys=two_okeys)
    assert (layout is not None) == expected
    if layout is not None:
        check_layout(layout, tiles)


def test_two_okeys_that_are_no_pair_split_a_natural_pair():
    tiles = [*WILDS, *_tiles("b1a b1b")]
    for two_okeys in (True, False):
        layout = split_pairs(tiles, okey=OKEY, two_okeys=two_okeys)
        assert layout is not None
        check_layout(layout, tiles)
        assert ({*WILDS} in [{*meld.tiles} for meld in layout]) == two_okeys
    assert split_pairs(WILDS, okey=OKEY, two_okeys=False) is None


@given(seed=seeds, wilds=st.integers(0, 2))
@settings(deadline=None)
def test_distance_is_zero_exactly_for_a_finish(seed, wilds):
    tiles = _shaken(random.Random(seed), wilds, exchanged=random.Random(seed).randint(0, 2))
    finish = best_finish(tiles, okey=OKEY, rules=CLASSIC.melds)
    assert (finish is not None) == (distance(rack_of(tiles, OKEY), wrap=True) == 0)
    if finish is not None:
        check_layout(finish.layout, tiles)


def _complete(rng: random.Random) -> list[Face]:
    """Fourteen faces in melds, at most two of each."""
    while True:
        chosen = []
        for size in rng.choice([(3, 3, 4, 4), (3, 3, 3, 5), (4, 5, 5)]):
            options = [template for template in templates(True) if len(template.bits) == size]
            chosen.extend(face_of_bit(bit) for bit in rng.choice(options).bits)
        if all(chosen.count(face) <= 2 and face != OKEY for face in chosen):
            return chosen


def _shaken(rng: random.Random, wilds: int, exchanged: int) -> list[Tile]:
    """A finish in which some tiles are okeys and some are exchanged for other tiles."""
    kept = rng.sample(_complete(rng), 14 - wilds - exchanged)
    tiles: list[Tile] = []
    for face in kept:
        tiles.append(make_tile(face, int(make_tile(face, 0) in tiles)))
    others = [tile for tile in NATURALS if tile not in tiles]
    return [*tiles, *WILDS[:wilds], *rng.sample(others, exchanged)]


@given(seed=seeds, wilds=st.integers(0, 2), exchanged=st.integers(0, 6))
@settings(deadline=None)
def test_exchanging_k_tiles_of_a_finish_leaves_it_at_most_k_away(seed, wilds, exchanged):
    tiles = _shaken(random.Random(seed), wilds, exchanged)
    assert melds_distance(rack_of(tiles, OKEY), wrap=True) <= exchanged


@given(seed=seeds, wilds=st.integers(0, 2), new=st.sampled_from(NATURALS))
@settings(deadline=None)
def test_a_tile_added_never_raises_the_distance_and_lowers_it_by_one_at_most(seed, wilds, new):
    tiles = random_tiles(random.Random(seed), 14, wilds)
    before = distance(rack_of(tiles, OKEY), wrap=True)
    if new in tiles:
        return
    after = distance(rack_of([*tiles, new], OKEY), wrap=True)
    assert before - 1 <= after <= before


@given(seed=seeds, order=st.permutations(list(Colour)))
@settings(deadline=None)
def test_colours_are_alike(seed, order):
    tiles = [tile for tile in random_tiles(random.Random(seed), 14, 0) if face_of(tile)]
    okey = Face(order[OKEY.colour], OKEY.number)
    swapped = []
    for tile in tiles:
        face = face_of(tile)
        assert face is not None
        swapped.append(make_tile(Face(order[face.colour], face.number), tile % 2))
    mine, other = rack_of(tiles, OKEY), rack_of(swapped, okey)
    assert distance(mine, wrap=True) == distance(other, wrap=True)


@given(seed=seeds)
@settings(deadline=None)
def test_order_and_copies_do_not_matter(seed):
    rng = random.Random(seed)
    tiles = random_tiles(rng, 14, 1)
    assert rack_of(rng.sample(tiles, 14), OKEY) == rack_of(tiles, OKEY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r1a r2a r3a b4a b5a b6a b7a k9a y9a r9a y10a y11a y12a y13a", 0),
        ("r12a r13a r1a b4a b5a b6a b7a k9a y9a r9a y10a y11a y12a y13a", 0),
        ("r13a r1a r2a b4a b5a b6a b7a k9a y9a r9a y10a y11a y12a y13a", 1),
        # One tile of three sets of four leaves its set to make a meld with the two okeys.
        ("r2a b2a k2a y2a r6a b6a k6a y6a r10a b10a k10a y10a r5a r5b", 0),
        ("r2a b2a k2a y2a r6a b6a k6a y6a r10a b10a k10a y10a r5a r13a", 1),
        # Neighbouring numbers can be laid as runs with the okeys at their ends.
        ("r6a b6a k6a y6a r7a b7a k7a y7a r8a b8a k8a y8a r5a r5b", 0),
        ("r1a r1b b4a b4b k7a k7b y9a y9b r11a r11b k12a k12b y13a b8a", 1),
    ],
)
def test_known_distances(text, expected):
    tiles = _tiles(text)
    assert distance(rack_of(tiles, OKEY), wrap=True) == expected


@pytest.mark.parametrize("wrap", [True, False])
def test_wrap_only_where_it_is_played(wrap):
    tiles = _tiles("y12a y13a y1a")
    layout = split_melds(tiles, okey=OKEY, wrap=wrap)
    assert (layout is not None) == wrap


def test_A11_both_ways_count_as_pairs():
    tiles = _tiles("r1a r1b r2a r2b r3a r3b k5a k5b k6a k6b k7a k7b k8a k8b")
    assert split_melds(tiles, okey=OKEY, wrap=True) is not None
    finish = best_finish(tiles, okey=OKEY, rules=CLASSIC.melds)
    assert finish is not None
    assert finish.kind is FinishKind.PAIRS
    assert {meld.kind for meld in finish.layout} == {MeldKind.PAIR}


@given(seed=seeds, wilds=st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_finishing_discards_are_those_that_leave_a_finish(seed, wilds):
    rng = random.Random(seed)
    tiles = _shaken(rng, wilds, rng.randint(0, 1))
    tiles.append(rng.choice([tile for tile in (*NATURALS, *WILDS) if tile not in tiles]))
    rng.shuffle(tiles)
    found = dict(finishing_discards(tiles, okey=OKEY, rules=CLASSIC.melds))
    for tile in tiles:
        rest = [other for other in tiles if other != tile]
        finish = best_finish(rest, okey=OKEY, rules=CLASSIC.melds)
        assert (tile in found) == (finish is not None)
        if finish is not None:
            assert found[tile].kind is finish.kind
            check_layout(found[tile].layout, rest)


@given(seed=seeds, wilds=st.integers(0, 2), near=st.booleans())
@settings(max_examples=25, deadline=None)
def test_analysis_agrees_with_trying_everything(seed, wilds, near):
    rng = random.Random(seed)
    tiles = random_tiles(rng, 15, wilds, dense=False)
    if near:
        tiles = _shaken(rng, wilds, rng.randint(1, 3))
        tiles.append(rng.choice([tile for tile in NATURALS if tile not in tiles]))
    compare_analysis(tiles)


@pytest.mark.parametrize(
    "text",
    [
        # Joining the widest runs would leave room for fewer melds.
        "r5a r5b r9a r13a k11a k5a r3a k7b r2a k7a b6a k8b **a y1b b10b",
        "r5a r5b y6b b6a b10a b10b y9a y9b b4b y5b b7b y4b b6b b3a b5b",
        "r5a r5b y5b r9a k10a y11a b3b r2a b11b k11a r2b r9b y1a y4b y3a",
        # One of two equal loose tiles goes, the other still wants company.
        "r3b k4a b5b r13a y8b k6a k5a r7b k13a b10a r3a r11b k12a b2b r8a",
        "r5a k6b y6a y4a k6a b11b r2b y11b b12a r6a k12b k13b b13a r2a b8b",
        "r5a r5b y2b y10b b9b r12a k6a b8a b6a b7b r3a r12b y11b y3b k13b",
    ],
)
def test_analysis_of_racks_with_a_catch(text):
    compare_analysis(_tiles(text))


def test_analysis_prefers_pairs_where_they_are_closer():
    tiles = _tiles("r1a r1b b4a b4b k7a k7b y9a y9b r11a r11b k12a k12b y13a b8a b2a")
    analysis = analyse(rack_of(tiles, OKEY), wrap=True)
    b8, b2, y13 = (bit_of(parse_face(text)) for text in ("b8", "b2", "y13"))
    assert analysis.distance == 1
    assert analysis.useful[b8] == 1 << b2 | 1 << y13


@given(faces)
def test_bits_and_faces(face):
    assert face_of_bit(bit_of(face)) == face
    assert all(bit_of(face) in template.bits for template in templates_with(bit_of(face), True))


def test_templates_are_all_short_melds():
    assert len(templates(True)) == 4 * (12 + 11 + 10) + 13 * 5
    assert len(templates(False)) == 4 * (11 + 10 + 9) + 13 * 5
    assert len({template.mask for template in templates(True)}) == len(templates(True))
    for template in templates(True):
        laid = [Laid(make_tile(face_of_bit(bit), 0)) for bit in template.bits]
        okey = next(
            face for face in map(face_of_bit, range(52)) if bit_of(face) not in template.bits
        )
        assert read_meld(template.kind, laid, okey=okey, rules=CLASSIC.melds)


def test_no_tiles_make_no_melds():
    assert split_melds([], okey=OKEY, wrap=True) == ()
    assert split_melds(WILDS, okey=OKEY, wrap=True) is None
    assert most_kept(Rack(0, 0, 0), wrap=True) == 0
