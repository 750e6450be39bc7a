"""The best table of the duel is the best there is: compared with brute force."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.rules.duel_solver import best_table
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.openings import supply_of
from p2pokey.rules.sweep import Aim, sweep
from p2pokey.rules.templates import templates
from p2pokey.tiles import FALSE_OKEYS, TILE_COUNT, Colour, Face, Tile, face_of, parse_tile
from tests.rules.duel_tables import check_table, compare_duel_opening, compare_table, rack_points
from tests.strategies import seeds


def tiles_of(text: str) -> list[Tile]:
    return [parse_tile(part) for part in text.split()]


def test_tables_agree_with_brute_force():
    rng = random.Random(1)
    for count in [1, 3, 5, 6, 7, 8, 9, 10, 11] * 40:
        compare_table(rng, count)


def test_openings_agree_with_brute_force():
    rng = random.Random(2)
    for count in [3, 5, 7, 9, 10, 11] * 20:
        compare_duel_opening(rng, count)


def lying_melds(rng: random.Random, tries: int) -> list[list[Tile]]:
    """Melds that can lie on a table together: all of so many random ones that the deck has."""
    deck = rng.sample(list(map(Tile, range(TILE_COUNT))), TILE_COUNT)
    melds = []
    for template in rng.choices(templates(False), k=tries):
        meld = []
        for bit in template.bits:
            face = Face(Colour(bit // 13), bit % 13 + 1)
            can = [tile for tile in deck if face_of(tile) in (face, None) and tile not in meld]
            meld += can[:1]
        if len(meld) == len(template.bits) and any(map(face_of, meld)):
            melds.append(meld)
            deck = [tile for tile in deck if tile not in meld]
    return melds


@given(seed=seeds, tries=st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_whole_melds_on_the_rack_all_come_on_the_table(seed, tries):
    melds = lying_melds(random.Random(seed), tries)
    own = [tile for meld in melds[:3] for tile in meld]
    table = [tile for meld in melds[3:] for tile in meld]
    best = best_table(table, own)
    assert best is not None
    assert sorted(best.used) == sorted(own)
    check_table(best, table, own)


@given(seed=seeds, tries=st.integers(1, 30), count=st.integers(1, 14))
@settings(max_examples=30, deadline=None)
def test_no_tile_that_stays_could_have_come_as_well(seed, tries, count):
    rng = random.Random(seed)
    table = [tile for meld in lying_melds(rng, tries) for tile in meld]
    others = [tile for tile in map(Tile, range(TILE_COUNT)) if tile not in table]
    rack = rng.sample(others, count)
    best = best_table(table, rack)
    assert best is not None
    check_table(best, table, rack)
    for tile in set(rack) - set(best.used):
        assert best_table([*table, *best.used, tile], []) is None
    # Dearest tiles are at least as dear as most tiles, and not more.
    dearest = best_table(table, rack, goal="value")
    assert dearest is not None
    assert rack_points(dearest.used) >= rack_points(best.used)
    assert len(dearest.used) <= len(best.used)


@given(seed=seeds, tries=st.integers(1, 16), count=st.integers(1, 14))
@settings(max_examples=15, deadline=None)
def test_searching_likely_tables_first_changes_nothing(seed, tries, count):
    rng = random.Random(seed)
    table = [tile for meld in lying_melds(rng, tries) for tile in meld]
    others = [tile for tile in map(Tile, range(TILE_COUNT)) if tile not in table]
    rack = rng.sample(others, count)
    best = best_table(table, rack)
    assert best is not None
    aim = Aim(per_value=0, per_tile=1, per_wild=1)
    plain = sweep(supply_of([*table, *rack], table, None), aim, wrap=False)
    assert plain is not None
    assert plain.score == len(table) + len(best.used)


def test_a_table_without_an_arrangement_is_none():
    assert best_table(tiles_of("r1a r2a"), tiles_of("b9a")) is None


def test_the_rack_may_be_what_the_table_lacks():
    best = best_table(tiles_of("r1a r2a"), tiles_of("b9a r3a"))
    assert best is not None
    assert best.used == tuple(tiles_of("r3a"))


def test_an_empty_table_takes_the_melds_of_the_rack():
    best = best_table([], tiles_of("b9a r3a r4a r5a"))
    assert best is not None
    assert best.used == tuple(tiles_of("r3a r4a r5a"))
    assert best_table([], []) is not None


def test_most_points_may_be_fewer_tiles():
    table, rack = tiles_of("r1a r2a r3a r4a"), tiles_of("b1a k1a y13a r12a r13a b13a")
    fewest = best_table(table, rack, goal="value")
    assert fewest is not None
    assert rack_points(fewest.used) == 13 * 3 + 2
    table, rack = tiles_of("y10a y11a y12a"), tiles_of("y13a b13a k13a **a b1a k1a")
    assert best_table(table, rack).used == tuple(rack)


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        # A joker that is left goes to the end of a run, before it, or into a set of three.
        ("r1a r2a r3a", {(MeldKind.RUN, 4)}),
        ("r11a r12a r13a", {(MeldKind.RUN, 4)}),
        ("r9a b9a k9a", {(MeldKind.SET, 4)}),
        # A run of thirteen parts into two.
        (
            " ".join(f"r{number}a" for number in range(1, 14)),
            {(MeldKind.RUN, 4), (MeldKind.RUN, 10)},
        ),
    ],
)
def test_a_joker_finds_a_place(table, kinds):
    best = best_table(tiles_of(table), tiles_of("**a"))
    assert best is not None
    assert best.used == tuple(tiles_of("**a"))
    assert {(meld.kind, len(meld.tiles)) for meld in best.melds} == kinds
    check_table(best, tiles_of(table), tiles_of("**a"))


def test_a_joker_stays_where_there_are_only_full_sets():
    best = best_table(tiles_of("r9a b9a k9a y9a"), tiles_of("**a"))
    assert best is not None
    assert best.used == ()
    both = best_table(tiles_of("r9a b9a k9a y9a"), list(FALSE_OKEYS))
    assert both is not None
    assert len(both.used) == 2
    assert not all(face_of(tile) is None for meld in both.melds for tile in meld.tiles)
