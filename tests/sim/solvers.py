"""Long comparison of the exact solvers with brute force, for every rule set.

Run as `python -m tests.sim.solvers --racks 20000 --seed 1 [--rules KEY]`. For each rule set that many
random racks of 3 to 11 tiles, with 0 to 2 wild tiles, one whole rack for twenty of these, and one table
for four:

- classic: distance, layout, and for some racks all discards and draws;
- games with an open table: best opening (value or tiles, tiles that must be laid, tiles to keep), pairs,
  and a table with all that it takes from a rack;
- duel: best table and best opening.

Every arrangement is read again by melds.py. Ends with an AssertionError that names the rack at the
first difference.
"""

import argparse
import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from p2pokey.rules.published import CLASSIC, DUEL, RULE_SETS, RuleSet
from tests.rules.duel_tables import compare_duel_opening, compare_table
from tests.rules.openings_racks import compare_opening, compare_pairs, compare_whole_rack
from tests.rules.playable_tables import compare_playable
from tests.rules.racks import compare_analysis, compare_with_brute, random_tiles

SIZES = (3, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 11)
WHOLE = 20
"""Small racks to a whole one."""

TABLES = 4
"""Small racks to a table."""


def compare_rule_set(key: str, racks: int, seed: int) -> float:
    """Compares that many random racks of a rule set; returns the processor seconds."""
    begun = time.process_time()
    rng = random.Random(f"{key} {seed}")
    compare = {CLASSIC.key: compare_classic, DUEL.key: compare_duel}.get(key, compare_open)
    for number in range(racks):
        compare(rng, RULE_SETS[key], number)
    return time.process_time() - begun


def compare_classic(rng: random.Random, _: RuleSet, number: int) -> None:
    """One rack; every so often a whole one."""
    compare_with_brute(rng, rng.choice(SIZES))
    if number % WHOLE == 0:
        compare_analysis(random_tiles(rng, 15, rng.randint(0, 2), dense=rng.random() < 0.5))


def compare_open(rng: random.Random, rules: RuleSet, number: int) -> None:
    """One rack for melds and one for pairs; every so often a whole one, and a table."""
    compare_opening(rng, rng.choice(SIZES), rules.melds)
    compare_pairs(rng, rng.randint(1, 8), rules.melds)
    if number % TABLES == 0:
        compare_playable(rng, rng.choice((1, 1, 1, 2, 3)), rules)
    if number % WHOLE == 0:
        compare_whole_rack(rng, rules)


def compare_duel(rng: random.Random, _: RuleSet, number: int) -> None:
    """One table with a rack, and one rack to open with; every so often a whole one."""
    compare_table(rng, rng.choice(SIZES))
    compare_duel_opening(rng, DUEL.rack_size if number % WHOLE == 0 else rng.choice(SIZES))


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Compares the solvers with brute force.")
    parser.add_argument("--racks", type=int, default=20_000, help="per rule set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", choices=list(RULE_SETS), help="this rule set only")
    options = parser.parse_args(arguments)
    keys = list(RULE_SETS) if options.rules is None else [options.rules]
    with ProcessPoolExecutor() as pool:
        work = partial(compare_rule_set, racks=options.racks, seed=options.seed)
        for key, seconds in zip(keys, pool.map(work, keys), strict=True):
            print(
                f"{key}: {options.racks} racks agree with brute force ({seconds:.0f} s)", flush=True
            )


if __name__ == "__main__":
    main()
