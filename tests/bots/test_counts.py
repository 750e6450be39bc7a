"""Everything that can happen in a game happens between computer players; and what must not, never."""

from collections import Counter

import pytest

from p2pokey.rules.moves import Pass
from p2pokey.rules.published import RULE_SETS, Scoring
from p2pokey.rules.state import Ending
from tests.bots.counting import counts, table_of
from tests.bots.hands import play_on
from tests.rules.duels import position

OPEN_KEYS = [key for key, rules in RULE_SETS.items() if rules.table is not None]

IN_ALL = {
    "draw", "take", "discard", "opening", "open with melds", "open with pairs", "lay", "add",
    "retrieve", "finish: melds", "finish: pairs", "finish: okey", "exhausted",
}  # fmt: skip
MORE = {
    "101-classic": {"finish: rack", "charge B-21"},
    "101-rising": {"finish: rack", "charge B-21", "charge B-14"},
    "101-challenge": {"finish: rack", "charge B-21", "charge B-14", "charge B-15", "going pairs"},
    "51": {"finish: rack", "charge B-21", "finish-pairs-rack", "finish-pairs-rack-okey"},
    "101-standard": {"finish: rack", "charge C-7", "charge C-9", "claim", "cancelled"},
    "101-progressive": {"finish: rack", "charge C-7", "charge C-9", "claim", "cancelled"},
    "51-feeding": {"charge D-4", "charge D-7", "charge D-15", "finish-pairs-okey"},
}
NEVER = {"return", "take-back", "failed opening", "charge C-1", "charge OT-12"}
"""Players do not take what they cannot use, and undo nothing."""


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_everything_happens(key):
    per_family = counts(key, 10, rich=12)
    print("\n".join(table_of(per_family)))
    total: Counter[str] = sum(per_family.values(), Counter())
    assert {name for name in IN_ALL | MORE[key] if not total[name]} == set()
    assert {name: total[name] for name in NEVER if total[name]} == {}
    charged = total["charge P-1"]
    assert charged <= total["discard"] / 100, "they give away tiles that are charged"


@pytest.mark.parametrize("key", OPEN_KEYS)
def test_no_kind_of_finish_goes_without_a_name(key):
    """The words above are all there is: only games with a finish in one turn have `rack`."""
    rules = RULE_SETS[key]
    has_rack = rules.open_table.scoring is not Scoring.FEEDING
    assert ("finish: rack" in MORE[key]) == has_rack


def test_the_duel():
    per_family = counts("duel", 6)
    print("\n".join(table_of(per_family)))
    total = per_family["shuffled"]
    assert total["opening"] == 12
    assert total["duel-empty-rack"] == 6
    assert total["rearranging play"] > 0
    assert total["draw"] > 0


def test_a_duel_without_a_tile_that_fits_is_blocked():
    hand = position(table=["r5 r6 r7"], racks=("k1 b9", "y4 k12"), stack="")
    final = play_on(hand.state, hand.deck, seed=1)
    assert final.state.ending is Ending.BLOCKED
    assert count_passes(final) == 2


def count_passes(final) -> int:
    return sum(isinstance(move, Pass) for _, move in final.moves)


def test_classic_okey():
    total = counts("classic", 8)["shuffled"]
    assert {
        name for name in ("show", "finish", "take", "draw", "discard") if not total[name]
    } == set()
