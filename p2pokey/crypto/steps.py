"""Long group computations in slices, so that a single-threaded shell stays alive.

A computation is a generator that yields None between slices and returns its result. What is
computed does not depend on the size of the slices (docs/architecture.md, portability rule 6).
"""

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

from p2pokey.crypto.group import CELL, Group

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]

STEP = 100
"""Group operations in a slice: about 5 ms with libsodium, 50 to 100 ms in plain Python."""

UNDIVIDED = 1 << 30
"""A slice larger than any computation: nothing is yielded, and sums are done in one piece."""


def run(steps: Steps[T]) -> T:
    """Drives a computation to its end and returns its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def sliced(
    operation: Callable[..., bytes], *columns: bytes | Sequence[int], step: int
) -> Steps[bytes]:
    """operation(*columns) on slices of `step` rows, results concatenated.

    Args:
        operation: a method of `Group` that takes batches.
        columns: batches of 32-byte cells, and lists of scalars, one of each per row.
        step: rows in a slice.
    """
    rows = max(len(c) // CELL if isinstance(c, bytes) else len(c) for c in columns)
    results = []
    for start in range(0, rows, step):
        if start:
            yield
        results.append(operation(*[_rows(column, start, start + step) for column in columns]))
    return b"".join(results)


def summed(
    group: Group,
    operation: Callable[[Sequence[int], bytes], bytes],
    scalars: Sequence[int],
    points: bytes,
    *,
    step: int,
) -> Steps[bytes]:
    """sum of scalar_i * point_i by `group.msm` or `group.msm_vartime`, `step` terms at a time."""
    return group.sum_points((yield from sliced(operation, scalars, points, step=step)))


def _rows(column: bytes | Sequence[int], start: int, end: int) -> bytes | Sequence[int]:
    return column[start * CELL : end * CELL] if isinstance(column, bytes) else column[start:end]
