"""Runs, sets and pairs: the shared examples of all variants, and rows by rule id."""

import json
import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import InvalidMeld
from p2pokey.rules.conformance_input import read_tiles
from p2pokey.rules.melds import Laid, MeldKind, MeldRules, Stand, identity, is_wild, read_meld
from p2pokey.tiles import Colour, Face, make_tile, parse_face
from tests.strategies import faces

CLASSIC = MeldRules(wrap=True, two_okeys_pair=True)
RULES = {
    "A": CLASSIC,
    "B.classic": MeldRules(wrap=False, two_okeys_pair=False),
    "C.standard": MeldRules(wrap=False, two_okeys_pair=False, max_new=5),
    "D": MeldRules(wrap=True, two_okeys_pair=True),
    "E": MeldRules(wrap=False, two_okeys_pair=False),
}
EXAMPLES = [
    example
    for example in json.loads((Path(__file__).parent / "rules_examples.json").read_text())[
        "examples"
    ]
    if example["kind"] in ("meld", "pair")
]


def _read(kind: str, tiles: str, okey: str | None = "b9", rules: MeldRules = CLASSIC, new=False):
    return read_meld(
        MeldKind.from_word(kind),
        read_tiles(tiles.split()),
        okey=None if okey is None else parse_face(okey),
        rules=rules,
        is_new=new,
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_example_of_any_variant(example):
    data, expect = example["input"], example["expect"]
    rules = RULES[example["variant"]]
    kind, tiles = data.get("meld_kind", "pair"), " ".join(data["tiles"])
    if not expect["valid"]:
        with pytest.raises(InvalidMeld):
            _read(kind, tiles, data["okey"], rules, data.get("newly_opened", False))
        return
    meld = _read(kind, tiles, data["okey"], rules, data.get("newly_opened", False))
    if kind != "pair":
        assert meld.value == expect["value"]
        assert [str(stand) for stand in meld.stands] == expect["represents"]


@pytest.mark.parametrize(
    ("rule", "kind", "tiles", "stands"),
    [
        ("A-1", "run", "r12 r13 r1", "r12 r13 r1"),
        ("A-1", "run", "r11 r12 r13 r1", "r11 r12 r13 r1"),
        ("A-1", "run", "r12 r13 b9", "r12 r13 r1"),
        ("A-1", "run", "b9a b9b r1", "r12 r13 r1"),
        ("A-1", "run", "r1 b9a b9b", "r1 r2 r3"),
        ("A-1", "run", "r1 b9 r3", "r1 r2 r3"),
        (
            "A-1",
            "run",
            "r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r1",
            "r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r1",
        ),
        ("A-2", "pair", "b9a b9b", "b9 b9"),
        ("A-4", "pair", "b9 r3", "r3 r3"),
        ("A-4", "pair", "**a **b", "b9 b9"),
        ("A-4", "pair", "** b9", "b9 b9"),
        ("G-4", "run", "b9 r5 r6", "r4 r5 r6"),
        ("G-4", "run", "r5 r6 b9", "r5 r6 r7"),
        ("G-4", "run", "r5 b9=r6 r7", "r5 r6 r7"),
        ("G-4", "set", "r5 b5 b9=y5", "r5 b5 y5"),
        ("G-5", "run", "b8 b9 b10", "b8 b9 b10"),
        ("G-5", "run", "b8 ** b10", "b8 b9 b10"),
        ("G-5", "set", "r9 ** k9", "r9 b9 k9"),
        ("G-6", "set", "b9a b9b r4", "?4 ?4 r4"),
        ("G-6", "set", "b9a b9b r4 k4", "b4 y4 r4 k4"),
        ("G-6", "set", "b9a b9b=b4 r4 k4", "y4 b4 r4 k4"),
        ("D-3", "run", "r12 r13 r1", "r12 r13 r1"),
    ],
)
def test_valid_meld(rule, kind, tiles, stands):
    meld = _read(kind, tiles)
    assert " ".join(map(str, meld.stands)) == stands
    assert meld.value == sum(int(re.sub(r"\D", "", stand)) for stand in stands.split())


@pytest.mark.parametrize(
    ("rule", "kind", "tiles"),
    [
        ("A-1", "run", "r13 r1 r2"),
        ("A-1", "run", "r13 b9 r2"),
        ("A-1", "run", "r12 r13 r1 r2"),
        ("A-1", "run", "r12 r13 r1 b9"),
        ("A-1", "run", "b9 r1 r2"),
        ("A-1", "run", "b9a b9b r2"),
        ("A-1", "run", "b9a b9b r2 r3"),
        ("A-4", "pair", "r3 b3"),
        ("A-4", "pair", "** r3"),
        ("A-4", "pair", "r3 r3 b9"),
        ("G-4", "run", "r5 r7 r6"),
        ("G-4", "run", "r5 k6 r7"),
        ("G-4", "run", "r5 b9=r7 r6"),
        ("G-4", "run", "r5a r5b r6"),
        ("G-4", "set", "r5 b6 k5"),
        ("G-4", "set", "r5a r5b k5"),
        ("G-4", "set", "r5 b9=r5 k5"),
        ("G-4", "set", "r5 k5"),
        ("G-4", "set", "r5 b5 k5 y5 b9"),
        ("G-4", "pair", "b9=r4 r3"),
        ("G-20", "run", "r5 r6"),
        ("G-20", "run", "r1a r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r1b"),
    ],
)
def test_invalid_meld(rule, kind, tiles):
    with pytest.raises(InvalidMeld) as raised:
        _read(kind, tiles)
    assert raised.value.rule == rule


def test_natural_that_claims_another_face_is_refused_G4():
    with pytest.raises(InvalidMeld) as raised:
        _read("run", "r5=r6 r7 r8")
    assert raised.value.rule == "G-4"


@pytest.mark.parametrize("kind", ["run", "set"])
def test_meld_of_wild_tiles_alone_is_refused_G6(kind):
    with pytest.raises(InvalidMeld) as raised:
        _read(kind, "**a **b **a", okey=None)
    assert raised.value.rule == "G-6"


def test_two_jokers_are_no_pair_where_the_rules_say_so_A2():
    with pytest.raises(InvalidMeld) as raised:
        _read("pair", "b9a b9b", rules=RULES["B.classic"])
    assert raised.value.rule == "A-2"


def test_new_meld_of_more_than_five_tiles_is_refused_where_the_rules_say_so():
    assert _read("run", "r1 r2 r3 r4 r5 r6", rules=RULES["C.standard"]).value == 21
    with pytest.raises(InvalidMeld):
        _read("run", "r1 r2 r3 r4 r5 r6", rules=RULES["C.standard"], new=True)


def test_false_okey_is_wild_only_in_the_duel():
    false = read_tiles(["**a"])[0].tile
    assert is_wild(false, None)
    assert not is_wild(false, Face(Colour.RED, 5))
    assert identity(false, Face(Colour.RED, 5)) == Face(Colour.RED, 5)


@given(face=faces, okey=faces, order=st.permutations(range(4)))
def test_set_is_valid_in_any_order(face, okey, order):
    laid = [Laid(make_tile(Face(Colour(colour), face.number), 0)) for colour in order]
    meld = read_meld(MeldKind.SET, laid, okey=okey, rules=CLASSIC)
    assert meld.value == 4 * face.number
    assert {stand.colour for stand in meld.stands} == set(Colour)


@given(colour=st.sampled_from(Colour), first=st.integers(1, 12), size=st.integers(3, 6))
def test_run_is_valid_in_ascending_order_only(colour, first, size):
    numbers = [first + i for i in range(size) if first + i <= 14]
    if len(numbers) < 3:
        return
    laid = {n: Laid(make_tile(Face(colour, (n - 1) % 13 + 1), 0)) for n in numbers}
    okey = Face(Colour((colour + 1) % 4), 5)
    for order in permutations(numbers):
        tiles = [laid[n] for n in order]
        if list(order) == numbers:
            meld = read_meld(MeldKind.RUN, tiles, okey=okey, rules=CLASSIC)
            assert meld.stands == tuple(Stand(colour, (n - 1) % 13 + 1) for n in numbers)
        else:
            with pytest.raises(InvalidMeld):
                read_meld(MeldKind.RUN, tiles, okey=okey, rules=CLASSIC)
