"""`make bench`: what the cryptography costs on this computer, on every backend that it has.

The floor of a step is the number of its group operations (docs/protocol.md S18) times what each of
them took in the same run. libsodium cannot fall below it; plain Python can, because it adds up many
products faster than one by one. Nothing here passes or fails.
"""

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from p2pokey.crypto.group import Group
from p2pokey.errors import BackendUnavailable
from p2pokey.native.backends import BackendName, choose_backend
from tests.bench.measure import Inputs, Operations, Step, measure_operations, measure_steps

SIZES = (15, 22, 53, 106)
"""Tiles: a rack of Classic Okey and of 101, half a deck, a deck."""
BACKENDS: tuple[BackendName, ...] = ("libsodium", "python")
RUNS = 5
QUICK_BATCH, QUICK_SIZES = 15, (15,)


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything measured on one backend."""

    operations: Operations
    steps: tuple[Step, ...]


def measure(name: BackendName, *, is_quick: bool) -> Measured | None:
    """Measures one backend; None if this computer lacks it."""
    try:
        inputs = Inputs(Group(choose_backend(name)))
    except BackendUnavailable as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None
    if is_quick:
        operations = measure_operations(inputs, 1, QUICK_BATCH, QUICK_BATCH)
        return Measured(operations, tuple(measure_steps(inputs, QUICK_SIZES, 1)))
    operations = measure_operations(inputs, RUNS)
    return Measured(operations, tuple(measure_steps(inputs, SIZES, RUNS)))


def report(measured: dict[str, Measured]) -> dict[str, object]:
    """The same as the tables, for programs."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "unit": "processor time, best of several runs",
        "operations_us": {name: asdict(m.operations) for name, m in measured.items()},
        "steps": [
            {"backend": name, **asdict(step)} for name, m in measured.items() for step in m.steps
        ],
        "python_over_libsodium": speedups(measured),
    }


def speedups(measured: dict[str, Measured]) -> dict[str, float]:
    """How many times longer plain Python takes, for each operation and step."""
    if set(measured) != set(BACKENDS):
        return {}
    fast, slow = (measured[name] for name in BACKENDS)
    slow_us = asdict(slow.operations)
    ratios = {name: slow_us[name] / us for name, us in asdict(fast.operations).items()}
    for quick, long in zip(fast.steps, slow.steps, strict=True):
        ratios[f"{quick.name} {quick.tiles}"] = long.ms / quick.ms
    return ratios


def print_tables(measured: dict[str, Measured]) -> None:
    """Prints one table of operations and one of steps."""
    ratios = speedups(measured)
    print("Group operations, microseconds each (sums: per term)\n")
    print_row(["", *measured, "ratio" if ratios else ""])
    for operation in asdict(next(iter(measured.values())).operations):
        times = [f"{getattr(m.operations, operation):.1f}" for m in measured.values()]
        print_row([operation, *times, times_text(ratios.get(operation))])
    for name, m in measured.items():
        print(f"\nSteps of a hand on {name}, milliseconds\n")
        print_row(["", "tiles", "ms", "to floor", "bytes"])
        for step in m.steps:
            times = [f"{step.ms:.2f}", times_text(step.ratio)]
            print_row([step.name, str(step.tiles), *times, str(step.size)])
    if ratios:
        print("\nPlain Python takes so many times as long as libsodium\n")
        for step in measured[BACKENDS[0]].steps:
            cells = [step.name, str(step.tiles), times_text(ratios[f"{step.name} {step.tiles}"])]
            print_row(cells)


def times_text(ratio: float | None) -> str:
    """A ratio as text, nothing for none."""
    return "" if ratio is None else f"{ratio:.2f}x"


def print_row(cells: Sequence[str]) -> None:
    """One line: the first column to the left, the others to the right."""
    first, *others = cells
    print(f"  {first:<18}" + "".join(f"{cell:>11}" for cell in others))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="make bench", description="Measures the cryptography.")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--quick", action="store_true", help="one run of the smallest sizes")
    parser.add_argument("--backend", choices=BACKENDS, help="this backend only")
    options = parser.parse_args(arguments)
    names = BACKENDS if options.backend is None else (options.backend,)
    results = {name: measure(name, is_quick=options.quick) for name in names}
    measured = {name: result for name, result in results.items() if result is not None}
    if options.json:
        print(json.dumps(report(measured), indent=1))
    elif measured:
        print_tables(measured)
    return 0 if measured else 1


if __name__ == "__main__":
    sys.exit(main())
