"""What a table takes is what the rules read as valid when it is tried."""

import random

import pytest

from p2pokey.rules.published import RULE_SETS
from tests.rules.playable_tables import compare_playable

OPEN_TABLE = [rules for rules in RULE_SETS.values() if rules.table is not None]


@pytest.mark.parametrize("rules", OPEN_TABLE, ids=lambda rules: rules.key)
def test_tables_agree_with_trying_everything(rules):
    rng = random.Random(rules.key)
    for _ in range(100):
        compare_playable(rng, rng.choice((1, 1, 2, 3, 12)), rules)
