"""Long comparison of the finish solver with brute force, and its speed.

Run as `python -m tests.sim.solvers [racks] [seed]`. Racks of 3 to 11 tiles are compared, and one
whole rack for twenty of these; the times are for whole racks. Exits with an AssertionError that names the rack at the first difference.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable

from p2pokey.rules.analysis import analyse
from p2pokey.rules.distance import distance
from p2pokey.rules.templates import Rack, rack_of
from tests.rules.racks import OKEY, compare_analysis, compare_with_brute, random_tiles


def compare(racks: int, seed: int) -> None:
    """Compares that many random racks with brute force, and some analyses with trying it all."""
    rng = random.Random(seed)
    for _ in range(racks):
        compare_with_brute(rng, rng.choice((3, 4, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 11)))
    for _ in range(racks // 20):
        compare_analysis(random_tiles(rng, 15, rng.randint(0, 2), dense=rng.random() < 0.5))


def measure(name: str, solve: Callable[[Rack], object], racks: list[Rack]) -> None:
    """Prints the median and the 99th percentile in CPU milliseconds."""
    times = []
    for rack in racks:
        begun = time.process_time_ns()
        solve(rack)
        times.append((time.process_time_ns() - begun) / 1e6)
    times.sort()
    p99 = times[len(times) * 99 // 100]
    print(f"{name}: median {statistics.median(times):.3f} ms, p99 {p99:.3f} ms")


def main() -> None:
    """Entry point."""
    racks = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    begun = time.process_time()
    compare(racks, seed)
    print(f"{racks} racks agree with brute force ({time.process_time() - begun:.0f} s)")
    rng = random.Random(seed)
    for wilds in (0, 1, 2):
        for count in (14, 15):
            sample = [
                rack_of(random_tiles(rng, count, wilds, dense=False), OKEY) for _ in range(2000)
            ]
            measure(
                f"distance, {count} tiles, {wilds} okeys", lambda r: distance(r, wrap=True), sample
            )
        measure(f"analysis, 15 tiles, {wilds} okeys", lambda r: analyse(r, wrap=True), sample)


if __name__ == "__main__":
    main()
