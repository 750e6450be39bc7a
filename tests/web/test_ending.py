"""The lines of a hand that is over: they add up, and each is what its rule says."""

import random
from dataclasses import replace

import pytest

from p2pokey.rules.engine import engine_for
from p2pokey.rules.open_state import Charge, Opened, empty_table
from p2pokey.rules.published import OPTIONS, RULE_SETS
from p2pokey.rules.rulesets import ruleset_for
from p2pokey.rules.state import Ending, FinishKind, FinishRecord, Phase
from p2pokey.tiles import Seat, Slot, Tile, parse_tile
from p2pokey.web.ending import end_json, score_lines
from p2pokey.web.names import Json
from tests.bots.hands import dealt
from tests.web.courses import ended

KEYS = sorted(RULE_SETS)


def _points(lines: list[Json]) -> int:
    return sum(line["points"] for line in lines)


@pytest.mark.parametrize("key", KEYS)
def test_the_lines_of_every_seat_add_up_to_its_points(key: str) -> None:
    rng = random.Random(key)
    for seed in range(8):
        options = {name: rng.choice(values) for name, values in OPTIONS[key].items()}
        hand = ended(ruleset_for(key, **options), f"end {seed}")
        lines = score_lines(hand.state, hand.faces)
        assert tuple(map(_points, lines)) == hand.score.points
        if hand.score.counts and RULE_SETS[key].duel is None:
            assert all(lines)


def _scored(key: str, racks: list[str], opened: list[str], okey_tile: str, **more):
    """A made-up end of a hand of 101: the lines, and that they are the score."""
    rules = ruleset_for(key, **more.pop("options", {}))
    deck = [Tile(number) for number in range(106)]
    state, _ = dealt(rules, deck)
    indicator = parse_tile(okey_tile)
    held = [[parse_tile(tile) for tile in rack.split()] for rack in racks]
    used = {tile for rack in held for tile in rack} | {indicator}
    rest = [Tile(number) for number in range(106) if number not in used]
    order = [indicator, *(tile for rack in held for tile in rack), *rest]
    faces = {Slot(slot): tile for slot, tile in enumerate(order)}
    slots = iter(range(1, 106))
    table = replace(
        empty_table(4),
        opened=tuple(Opened[word.upper()] for word in opened),
        charges=more.pop("charges", ()),
    )
    state = replace(
        state, phase=Phase.OVER, ending=more.pop("ending", Ending.FINISHED), indicator=Slot(0),
        faces=(indicator, *[None] * 105), table=table,
        racks=tuple(tuple(Slot(next(slots)) for _ in rack) for rack in held), **more,
    )  # fmt: skip
    lines = score_lines(state, faces)
    score = engine_for(rules).score(state, faces, (0,) * 4)
    assert tuple(map(_points, lines)) == score.points
    return [[(line["code"], line["points"]) for line in one] for one in lines]


def _finish(*, okey: bool = False, pairs: bool = False) -> FinishRecord:
    kind = FinishKind.PAIRS if pairs else FinishKind.MELDS
    return FinishRecord(seat=Seat(0), discard=Slot(60), kind=kind, okey_discarded=okey, layout=())


RACKS = ["", "", "r3a k11a y6a", "r3b k11b y6b"]
OPENED = ["melds", "none", "melds", "pairs"]


def test_the_example_of_101_classic() -> None:
    """docs/rules/101-classic.md, Example: -101, 202, 20 and 40; with an okey twice that."""
    lines = _scored("101-classic", RACKS, OPENED, "b7a", finish=_finish())
    assert lines == [
        [("finish", -101)],
        [("unopened", 202)],
        [("rack", 20)],
        [("rack", 20), ("opened-pairs", 20)],
    ]
    lines = _scored("101-classic", RACKS, OPENED, "b7a", finish=_finish(okey=True))
    assert lines == [
        [("finish", -101), ("times-finish", -101)],
        [("unopened", 202), ("times-finish", 202)],
        [("rack", 20), ("times-finish", 20)],
        [("rack", 20), ("opened-pairs", 20), ("times-finish", 40)],
    ]


def test_an_okey_that_is_left() -> None:
    racks = ["", "", "r3a b8a", ""]
    lines = _scored("101-classic", racks, OPENED, "b7a", finish=_finish())
    assert lines[2] == [("rack", 11), ("held-okeys", 101)]


def test_a_partner_is_spared() -> None:
    charges = (Charge(seat=Seat(2), points=101, rule="P-1"),)
    options = {"partners": True}
    lines = _scored(
        "101-classic", RACKS, OPENED, "b7a", finish=_finish(), charges=charges, options=options
    )
    assert lines[2] == [
        ("rack", 20), ("partner-cleared", -20), ("charge", 101), ("partner-cleared", -101),
    ]  # fmt: skip
    lines = _scored(
        "101-standard", RACKS, OPENED, "b7a", finish=_finish(), charges=charges, options=options
    )
    assert lines[2] == [("rack", 20), ("partner-cleared", -20), ("charge", 101)]


def test_feeding_multiplies_by_five_and_ten() -> None:
    lines = _scored("51-feeding", RACKS, OPENED, "b7a", finish=_finish())
    assert lines == [
        [("finish", -500)],
        [("unopened", 500)],
        [("rack", 20), ("times", 80)],
        [("rack", 20), ("times", 180)],
    ]


def test_an_exhausted_hand_has_no_finisher() -> None:
    lines = _scored("101-classic", RACKS, OPENED, "b7a", ending=Ending.STACK_EMPTY)
    assert lines[0] == [("rack", 0)]
    assert lines[3] == [("rack", 20), ("opened-pairs", 20)]


@pytest.mark.parametrize("key", KEYS)
def test_the_finisher_is_named_in_every_game(key: str) -> None:
    found = 0
    for seed in range(8):
        hand = ended(RULE_SETS[key], f"finisher {seed}")
        end = end_json(hand.state, hand.score, hand.faces, ready=[False] * hand.state.seats)
        is_finished = hand.state.ending is Ending.FINISHED
        assert (end["finisher"] is not None) == is_finished
        if not is_finished:
            continue
        found += 1
        rack = hand.state.racks[end["finisher"]]
        assert len(rack) == (14 if key == "classic" else 0)
        if hand.state.finish is not None:
            assert end["finisher"] == hand.state.finish.seat
    assert found
