"""Sorts and hints: exact, of the own tiles only, and the same as what the rules charge."""

import pytest

from p2pokey.rules.arrange import split_melds
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import Discard
from p2pokey.rules.open_charges import discard_charge
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import table_of
from p2pokey.rules.openings import best_opening, opening_pairs
from p2pokey.rules.playable import is_playable
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, parse_face, parse_tile
from p2pokey.web.acting import move_of
from p2pokey.web.hints import advice, hints_json
from p2pokey.web.sorting import by_pairs, by_runs, sorts_json
from tests.bots.hands import Source
from tests.web.courses import course

KEYS = sorted(RULE_SETS)
OPEN_KEYS = [key for key in KEYS if RULE_SETS[key].table]


@pytest.mark.parametrize("key", KEYS)
def test_a_sort_moves_tiles_and_nothing_else(key: str) -> None:
    for view, _ in course(key, "sort", every=5):
        rack = sorted(tile for _, tile in view.rack())
        sorts = sorts_json(view)
        assert sorts is not None
        for groups in sorts.values():
            assert sorted(parse_tile(name) for group in groups for name in group) == rack
            assert all(groups)
    assert sorts_json(View(state=view.state)) is None


def test_sort_by_runs_puts_the_best_melds_first() -> None:
    rules = RULE_SETS["101-classic"]
    for view, _ in course("101-classic", "runs", every=7):
        okey = okey_of(view.state)
        tiles = [tile for _, tile in view.rack()]
        best = best_opening(tiles, okey=okey, rules=rules.melds, keep=0, declare=False)
        groups = by_runs(tiles, okey, rules)
        if best is None:
            continue
        assert groups[: len(best.melds)] == [meld.tiles for meld in best.melds]
        loose = groups[len(best.melds) :]
        for group in loose:
            faces = [identity(tile, okey) for tile in group]
            assert len({face and face.colour for face in faces}) == 1
            assert faces == sorted(faces, key=lambda face: (face is None, face))


def test_sort_by_pairs_finds_every_pair() -> None:
    rules = RULE_SETS["101-classic"]
    for view, _ in course("101-classic", "pairs", every=7):
        okey = okey_of(view.state)
        tiles = [tile for _, tile in view.rack()]
        pairs = opening_pairs(tiles, okey=okey, rules=rules.melds, keep=0)
        groups = by_pairs(tiles, okey, rules)
        assert groups[: len(pairs)] == [pair.tiles for pair in pairs]


def test_a_rack_that_finishes_is_sorted_into_its_melds() -> None:
    rules = RULE_SETS["classic"]
    tiles = [
        parse_tile(t)
        for t in [
            "r1a",
            "r2a",
            "r3a",
            "k9a",
            "b9a",
            "y9b",
            "b4a",
            "b5a",
            "b6a",
            "b7a",
            "y1a",
            "y2a",
            "y3a",
            "y4a",
        ]
    ]
    groups = by_runs(tiles[::-1], parse_face("k13"), rules)
    assert split_melds(tiles, okey=parse_face("k13"), wrap=True) is not None
    assert sum(len(group) >= 3 for group in groups) == 4


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_hints_are_what_the_table_charges(key: str) -> None:
    seen = 0
    for view, move in course(key, "hint", every=3):
        hints = hints_json(view)
        assert hints is not None
        marked = {parse_tile(one["tile"]): one for one in hints["playable"]}
        table, okey, rules = table_of(view.state), okey_of(view.state), view.state.rules
        for _, tile in view.rack():
            charge = discard_charge(rules, table.melds, tile, okey)
            if is_playable(rules, table.melds, tile, okey):
                seen += 1
                assert marked[tile]["places"]
            assert marked.get(tile, {"charge": 0})["charge"] == charge
        if isinstance(move, Discard) and move.placed.tile not in marked:
            assert discard_charge(rules, table.melds, move.placed.tile, okey) == 0
    assert seen


@pytest.mark.parametrize("key", KEYS)
def test_advice_is_a_legal_move_with_a_reason(key: str) -> None:
    for view, _ in course(key, "advice", every=4):
        told = advice(view, Source("advice"))
        assert told is not None
        move_of(view, told["intent"])
        assert told["why"]["code"] == told["intent"]["do"]
    other = Seat((view.state.turn + 1) % view.state.seats)
    assert advice(View(state=view.state, seat=other), Source("advice")) is None


def test_no_hints_without_an_open_table_or_a_seat() -> None:
    view, _ = next(course("classic", 1))
    assert hints_json(view) is None
    rising, _ = next(course("101-rising", 1))
    assert hints_json(View(state=rising.state)) is None
