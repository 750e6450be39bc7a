"""How long views take: `python -m tests.web.bench_views` (milliseconds of this computer)."""

import argparse
import time
from collections.abc import Callable

from p2pokey.rules.moves import Lay, Open, Play
from p2pokey.rules.published import RULE_SETS
from p2pokey.rules.view import View
from p2pokey.web.acting import read_wishes
from p2pokey.web.game_view import game_json
from p2pokey.web.hints import hints_json, intent_of
from p2pokey.web.sorting import best_melds, best_pairs, sorts_json
from p2pokey.web.staging import Stage
from tests.web.courses import course


def _measured(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _line(name: str, times: list[float]) -> str:
    times = sorted(times)
    median, high = times[len(times) // 2], times[int(len(times) * 0.99)]
    return (
        f"{name:<32} n={len(times):<5} median {median:6.2f}  p99 {high:7.2f}  max {times[-1]:7.2f}"
    )


def _stage(view: View, heaps: list[list[str]]) -> object:
    stage = Stage()
    stage.put(view, read_wishes(heaps))
    return stage.json(view)


def _sorts(view: View) -> object:
    best_melds.cache_clear()
    best_pairs.cache_clear()
    return sorts_json(view)


def measure(key: str, hands: int) -> None:
    games, stages, sorts, hints = [], [], [], []
    for seed in range(hands):
        for view, move in course(key, seed):
            games.append(_measured(lambda view=view: game_json(view)))
            sorts.append(_measured(lambda view=view: _sorts(view)))
            hints.append(_measured(lambda view=view: hints_json(view)))
            if isinstance(move, Open | Lay | Play):
                intent = intent_of(move)
                heaps = intent["table"] if isinstance(move, Play) else intent["melds"]
                stages.append(_measured(lambda view=view, heaps=heaps: _stage(view, heaps)))
    for name, times in (("game", games), ("sorts", sorts), ("hints", hints), ("staged", stages)):
        if times:
            print(_line(f"{key} {name}", times))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the JSON of views.")
    parser.add_argument("--hands", type=int, default=5)
    hands = parser.parse_args().hands
    for key in RULE_SETS:
        measure(key, hands)


if __name__ == "__main__":
    main()
