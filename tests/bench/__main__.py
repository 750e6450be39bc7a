"""`make bench`: what the cryptography costs on this computer, on every backend that it has, and what
the exact solvers of the rules do.

The floor of a step is the number of its group operations (docs/protocol.md S18) times what each of
them took in the same run. libsodium cannot fall below it one by one; sums that verify several proofs
at once can, and plain Python can, because it adds up many products faster than one by one. Nothing
here passes or fails; docs/performance.md says what was measured and how to read it.

All times are processor time of this process, the best of several runs: what other programs on the
computer do shows least in these. A ratio compares a step with operations timed just before and just
after it, and is the median of the runs: processors change their speed from second to second.
"""

import argparse
import ctypes
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from p2pokey.crypto.group import Group
from p2pokey.errors import BackendUnavailable
from p2pokey.native.backends import BackendName, choose_backend
from p2pokey.native.sodium import SodiumBackend
from p2pokey.ports import GroupBackend
from tests.bench.dealing import tokens
from tests.bench.floors import Step
from tests.bench.hands import hands
from tests.bench.inputs import Inputs
from tests.bench.memory import Memory, measure_memory
from tests.bench.operations import Operations, measure_operations
from tests.bench.sharing import Shared, two_threads
from tests.bench.shuffles import chain, one_shuffle
from tests.bench.solvers import POSITIONS, QUICK_POSITIONS, SolverTime, solvers

SIZES = (15, 22, 53, 106, 212, 424)
"""Tiles: a rack of Classic Okey and of 101, half a deck, a deck, and more for the trend."""
DECK = 106
BACKENDS: tuple[BackendName, ...] = ("libsodium", "python")
RUNS = 5
LONG_RUNS = {"libsodium": 3, "python": 1}
"""Of steps that take seconds."""
QUICK_SIZE = 15


@dataclass(frozen=True, slots=True)
class Measured:
    """Everything measured on one backend."""

    version: str
    operations: Operations
    steps: tuple[Step, ...]
    shared: tuple[Shared, ...]
    """What a second thread brings."""


def measure(name: BackendName, *, is_quick: bool) -> Measured | None:
    """Measures one backend; None if this computer lacks it."""
    try:
        backend = choose_backend(name)
    except BackendUnavailable as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None
    inputs = Inputs(Group(backend))
    version = library_version(backend)
    if is_quick:
        operations = measure_operations(inputs, 1, QUICK_SIZE, QUICK_SIZE)
        return Measured(version, operations, tuple(one_shuffle(inputs, QUICK_SIZE, 1)), ())
    operations = measure_operations(inputs, RUNS)
    steps = tuple(_all_steps(inputs, LONG_RUNS[name]))
    is_shared = isinstance(backend, SodiumBackend)
    return Measured(version, operations, steps, tuple(two_threads(RUNS)) if is_shared else ())


def library_version(backend: GroupBackend) -> str:
    """Of libsodium, or of Python where that computes."""
    if isinstance(backend, SodiumBackend):
        # A handle of our own, as the prototypes of the other belong to the backend.
        library = ctypes.CDLL(backend._library._name, handle=backend._library._handle)
        library.sodium_version_string.restype = ctypes.c_char_p
        return str(library.sodium_version_string().decode("ascii"))
    return platform.python_version()


def _all_steps(inputs: Inputs, long_runs: int) -> Iterator[Step]:
    for n in SIZES:
        yield from one_shuffle(inputs, n, RUNS)
    yield from chain(inputs, DECK, long_runs)
    yield from tokens(inputs, RUNS)
    yield from hands(inputs, long_runs)


def report(
    measured: dict[str, Measured], memory: Memory | None, solved: Sequence[SolverTime]
) -> dict[str, object]:
    """The same as the tables, for programs."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "unit": "processor time, best of several runs",
        "versions": {name: m.version for name, m in measured.items()},
        "operations_us": {name: asdict(m.operations) for name, m in measured.items()},
        "steps": [
            {"backend": name, **asdict(step)} for name, m in measured.items() for step in m.steps
        ],
        "two_threads": [asdict(shared) for m in measured.values() for shared in m.shared],
        "python_over_libsodium": speedups(measured),
        "memory_mb": None if memory is None else asdict(memory),
        "solvers": [asdict(solver) for solver in solved],
    }


def speedups(measured: dict[str, Measured]) -> dict[str, float]:
    """How many times longer plain Python takes, for each operation and step."""
    if set(measured) != set(BACKENDS):
        return {}
    fast, slow = (measured[name] for name in BACKENDS)
    slow_us = asdict(slow.operations)
    ratios = {name: slow_us[name] / us for name, us in asdict(fast.operations).items()}
    for quick, long in zip(fast.steps, slow.steps, strict=True):
        ratios[f"{quick.name} {quick.count}"] = long.ms / quick.ms
    return ratios


def print_tables(measured: dict[str, Measured], memory: Memory | None) -> None:
    """Prints one table of operations, one of steps for each backend, and the memory."""
    ratios = speedups(measured)
    print("Group operations, microseconds each (sums: per term)\n")
    print_row(["", *measured, "ratio" if ratios else ""])
    for operation in asdict(next(iter(measured.values())).operations):
        times = [f"{getattr(m.operations, operation):.1f}" for m in measured.values()]
        print_row([operation, *times, times_text(ratios.get(operation))])
    for name, m in measured.items():
        print(f"\nSteps of a hand on {name} {m.version}, milliseconds\n")
        print_row(["", "count", "ms", "to floor", "bytes"])
        for step in m.steps:
            cells = [f"{step.ms:.2f}", times_text(step.ratio), str(step.size or "")]
            print_row([step.name, str(step.count), *cells])
        if m.shared:
            print(f"\nTwo threads on {name}, milliseconds of wall clock\n")
            print_row(["", "count", "one", "two", "ratio"])
        for shared in m.shared:
            times = [f"{shared.one_ms:.2f}", f"{shared.two_ms:.2f}", times_text(shared.ratio)]
            print_row([shared.name, str(shared.count), *times])
    if ratios:
        print("\nPlain Python takes so many times as long as libsodium\n")
        for step in measured[BACKENDS[0]].steps:
            cells = [step.name, str(step.count), times_text(ratios[f"{step.name} {step.count}"])]
            print_row(cells)
    if memory is not None:
        print("\nMemory of one of four peers, MB\n")
        print_row(["three links open", f"{memory.connected:.0f}"])
        print_row(["most in a hand", f"{memory.peak:.0f}"])


def print_solvers(solved: Sequence[SolverTime]) -> None:
    """Prints one line for each solver; a ratio below 1 beats the target."""
    print("\nSolvers, milliseconds a position\n")
    print_row(["", "positions", "median", "to target", "p99", "to target"])
    for solver in solved:
        cells = [str(solver.count)]
        for ms, target in (
            (solver.median_ms, solver.target_median_ms),
            (solver.p99_ms, solver.target_p99_ms),
        ):
            cells += [f"{ms:.2f}", times_text(None if target is None else ms / target)]
        print_row([solver.name, *cells])


def times_text(ratio: float | None) -> str:
    """A ratio as text, nothing for none."""
    return "" if ratio is None else f"{ratio:.2f}x"


def print_row(cells: Sequence[str]) -> None:
    """One line: the first column to the left, the others to the right."""
    first, *others = cells
    print(f"  {first:<25}" + "".join(f"{cell:>11}" for cell in others).rstrip())


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        prog="make bench", description="Measures cryptography and solvers."
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--quick", action="store_true", help="one run of the smallest size")
    parser.add_argument("--backend", choices=BACKENDS, help="this backend only")
    parser.add_argument("--solvers", action="store_true", help="the solvers of the rules only")
    options = parser.parse_args(arguments)
    solved = list(solvers(QUICK_POSITIONS if options.quick else POSITIONS))
    if options.solvers:
        print_solvers(solved)
        return 0
    names = BACKENDS if options.backend is None else (options.backend,)
    results = {name: measure(name, is_quick=options.quick) for name in names}
    measured = {name: result for name, result in results.items() if result is not None}
    memory = None if options.quick else measure_memory()
    if options.json:
        print(json.dumps(report(measured, memory, solved), indent=1))
    elif measured:
        print_tables(measured, memory)
        print_solvers(solved)
    return 0 if measured else 1


if __name__ == "__main__":
    sys.exit(main())
