"""The best table of the duel is the best there is: compared with brute force."""

import random

from tests.rules.duel_tables import compare_duel_opening, compare_table


def test_tables_agree_with_brute_force():
    rng = random.Random(1)
    for count in [1, 3, 5, 6, 7, 8, 9, 10, 11] * 60:
        compare_table(rng, count)


def test_openings_agree_with_brute_force():
    rng = random.Random(2)
    for count in [3, 5, 7, 9, 10, 11] * 20:
        compare_duel_opening(rng, count)
