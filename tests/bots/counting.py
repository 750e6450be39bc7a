"""What computer players do in many hands: `python -m tests.bots.counting --hands 200`.

Each game is played with shuffled decks and, so that rare things happen in few hands, with rich ones
(decks.py). Everything follows from the numbers of the hands.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from p2pokey.rules.published import RULE_SETS, RuleSet
from tests.bots.decks import Deck, okey_deck, rich_deck, rising_pairs_deck, shuffled
from tests.bots.hands import count_of, play_hand

MakeDeck = Callable[[str, RuleSet], Deck]


def families(rules: RuleSet) -> dict[str, MakeDeck]:
    """The kinds of decks that a game is played with."""
    found: dict[str, MakeDeck] = {"shuffled": lambda seed, _: shuffled(seed)}
    if rules.table is None:
        return found
    found["pairs"] = lambda seed, _: rich_deck(seed, "pairs")
    found["runs"] = lambda seed, _: rich_deck(seed, "runs")
    found["okey and runs"] = lambda seed, rules: okey_deck(seed, "runs", rules)
    found["okey and pairs"] = lambda seed, rules: okey_deck(seed, "pairs", rules)
    if rules.table.four_pairs_cancel and rules.table.pairs_rise:
        found["rising pairs"] = rising_pairs_deck
    return found


def counts(key: str, hands: int, *, rich: int | None = None) -> dict[str, Counter[str]]:
    """Per kind of deck, what happened in so many hands.

    Args:
        rich: hands with each kind of rich deck, where that is another number.
    """
    rules = RULE_SETS[key]
    found = {}
    for family, make in families(rules).items():
        number = hands if family == "shuffled" or rich is None else rich
        found[family] = Counter()
        for seed in (f"{key} {family} {i}" for i in range(number)):
            found[family] += count_of(play_hand(rules, seed, deck=make(seed, rules)))
    return found


def table_of(per_family: dict[str, Counter[str]]) -> Iterator[str]:
    """Lines of text: what happened, and how often with each kind of deck."""
    names = sorted({name for found in per_family.values() for name in found})
    yield f"{'':28}" + "".join(f"{family:>16}" for family in per_family)
    for name in names:
        yield f"{name:28}" + "".join(f"{found[name]:16}" for found in per_family.values())


def _timed(key: str, hands: int) -> tuple[dict[str, Counter[str]], float]:
    start = time.process_time()
    found = counts(key, hands)
    return found, time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Counts what computer players do.")
    parser.add_argument("--hands", type=int, default=100, help="per game and kind of deck")
    parser.add_argument("--rules", choices=list(RULE_SETS), help="this game only")
    options = parser.parse_args(arguments)
    keys = list(RULE_SETS) if options.rules is None else [options.rules]
    with ProcessPoolExecutor() as pool:
        work = partial(_timed, hands=options.hands)
        for key, (found, seconds) in zip(keys, pool.map(work, keys), strict=True):
            speed = options.hands * len(found) / seconds
            print(f"{key}: {options.hands} hands of each kind, {speed:.0f} a second of one core")
            print("\n".join(table_of(found)), flush=True)


if __name__ == "__main__":
    main()
