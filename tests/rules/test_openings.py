"""Openings are the best there are: compared with brute force, and read again by melds.py."""

import random

import pytest

from p2pokey.rules.published import RULE_SETS
from tests.rules.openings_racks import compare_opening, compare_pairs

OPEN_TABLE = [rules for rules in RULE_SETS.values() if rules.table is not None]
by_rules = pytest.mark.parametrize("rules", OPEN_TABLE, ids=lambda rules: rules.key)


@by_rules
def test_openings_agree_with_brute_force(rules):
    rng = random.Random(rules.key)
    for count in [3, 4, 5, 6, 7, 8, 9, 10, 11] * 25:
        compare_opening(rng, count, rules.melds)


@by_rules
def test_pairs_agree_with_brute_force(rules):
    rng = random.Random(rules.key)
    for count in [1, 2, 3, 4, 5, 6, 7, 8] * 30:
        compare_pairs(rng, count, rules.melds)
