"""Whole tables with faults, seed after seed: `make sim-table SEEDS=20000`.

Two processes play the seeds and write how far they are to a small file; started again they go on from
there, and play failed seeds once more first. `--seed N --log` plays one seed and prints everything
that happens: a failing seed is the whole bug report.
"""

import argparse
import gc
import json
import logging
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.sim.table_faults import KINDS, make_plan
from tests.sim.whole_table import simulate

STATE = Path(".sim-table.json")
_BATCH = 40
"""Seeds between two notes of how far it is."""
_GARBAGE = 200_000
"""New objects between two collections: a process that soon ends can spare a tenth of its time."""


def play(seed: int, only: str | None = None) -> tuple[int, str, str, float]:
    """Plays a seed: its number, how it ended, what is wrong with it, CPU seconds."""
    logging.disable(logging.CRITICAL)
    began = time.process_time()
    word, problem = "FAILED", ""
    try:
        word = simulate(make_plan(seed, only))
    except Exception:  # noqa: BLE001 - a sweep reports every failing seed and goes on
        problem = traceback.format_exc()
    return seed, word, problem, time.process_time() - began


def show(seed: int, only: str | None) -> int:
    """Plays one seed and prints everything."""
    plan = make_plan(seed, only)
    print(plan)
    try:
        print(simulate(plan, print))
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        return 1
    return 0


class Progress:
    """What has been played so far, on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        kept = json.loads(path.read_text()) if path.exists() else {}
        self.next: int = kept.get("next", 0)
        self.failed: list[int] = kept.get("failed", [])
        self.ends: Counter[str] = Counter(kept.get("ends", {}))
        self.cpu_s: float = kept.get("cpu_s", 0.0)

    def save(self) -> None:
        values = {
            "next": self.next,
            "failed": sorted(set(self.failed)),
            "ends": dict(self.ends),
            "cpu_s": round(self.cpu_s, 1),
        }
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(values, indent=1) + "\n")
        fresh.replace(self.path)

    def take(self, result: tuple[int, str, str, float]) -> None:
        seed, word, problem, seconds = result
        self.ends[word] += 1
        self.cpu_s += seconds
        if problem:
            self.failed.append(seed)
            print(
                f"{problem}seed {seed} FAILED: python -m tests.sim.table_sweep --seed {seed} --log"
            )


def sweep(progress: Progress, last: int, processes: int, only: str | None) -> None:
    """Plays from where the progress stands up to `last`, not included."""
    again, progress.failed = progress.failed, []
    with multiprocessing.Pool(
        processes, gc.set_threshold, (_GARBAGE,), maxtasksperchild=50
    ) as pool:
        for result in pool.imap_unordered(partial(play, only=only), again):
            progress.take(result)
        for seeds in _batches(progress.next, last):
            for result in pool.imap_unordered(partial(play, only=only), seeds):
                progress.take(result)
            progress.next = seeds.stop
            progress.save()
            each = progress.cpu_s / max(sum(progress.ends.values()), 1)
            print(
                f"{progress.next}/{last} seeds, {each:.2f} CPU-s each, "
                f"{len(progress.failed)} failed",
                flush=True,
            )
    progress.save()


def _batches(first: int, last: int) -> Iterator[range]:
    for start in range(first, last, _BATCH):
        yield range(start, min(start + _BATCH, last))


def main() -> int:
    """Runs the sweep; exit status 1 if a seed failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20_000, help="play up to this seed")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--state", type=Path, default=STATE, help="how far it is")
    parser.add_argument("--seed", type=int, help="play only this one")
    parser.add_argument("--only", choices=list(KINDS), help="seeds of this family of faults")
    parser.add_argument("--log", action="store_true", help="and print all that happens")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # else sets would make two runs differ
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.sim.table_sweep", *sys.argv[1:]])
    if options.seed is not None:
        if options.log:
            return show(options.seed, options.only)
        _, word, problem, seconds = play(options.seed, options.only)
        print(f"{problem}{word}, {seconds:.2f} CPU-s")
        return 1 if problem else 0
    progress = Progress(options.state)
    sweep(progress, options.seeds, options.processes, options.only)
    for word, count in progress.ends.most_common():
        print(f"{count:7} {word}")
    print(f"failed: {progress.failed or 'none'}")
    return 1 if progress.failed else 0


if __name__ == "__main__":
    sys.exit(main())
