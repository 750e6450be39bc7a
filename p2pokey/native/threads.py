"""Two cores for one batch of group operations.

ctypes releases the interpreter lock during each call into libsodium, so two threads that each take
half of a batch need little more than half the time (docs/performance.md has the numbers). Results
are the same bytes: operations are independent, and a sum's encoding does not depend on its order.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from p2pokey.crypto.group import CELL
from p2pokey.ports import GroupBackend

WORTH_ROWS = 32
"""Rows of a batch from which on splitting pays: waking a thread costs some 0.2 ms."""


def usual_threads() -> int:
    """Threads for a program that has the computer to itself: one core stays for everything else."""
    return 2 if (os.cpu_count() or 1) > 1 else 1


class ThreadedBackend:
    """A group backend that shares long batches among threads; implements `ports.GroupBackend`.

    May be called from one thread at a time.
    """

    def __init__(self, backend: GroupBackend, threads: int) -> None:
        """Starts no thread before the first long batch.

        Args:
            backend: computes; must let several threads call it at once.
            threads: at least 2, the calling one included.
        """
        self.name = backend.name
        self._backend = backend
        self._threads = threads
        self._others = ThreadPoolExecutor(threads - 1, thread_name_prefix="group")

    def mul(self, scalars: Sequence[int], points: bytes) -> bytes:
        """scalar_i * point_i."""
        return b"".join(self._shared(self._backend.mul, scalars, points))

    def mul_one_scalar(self, scalar: int, points: bytes) -> bytes:
        """scalar * point_i."""
        return b"".join(
            self._shared(lambda part: self._backend.mul_one_scalar(scalar, part), points)
        )

    def base_mul(self, scalars: Sequence[int]) -> bytes:
        """scalar_i * G."""
        return b"".join(self._shared(self._backend.base_mul, scalars))

    def add(self, a: bytes, b: bytes) -> bytes:
        """a_i + b_i."""
        return b"".join(self._shared(self._backend.add, a, b))

    def sub(self, a: bytes, b: bytes) -> bytes:
        """a_i - b_i."""
        return b"".join(self._shared(self._backend.sub, a, b))

    def hash_to_group(self, uniform: bytes) -> bytes:
        """RFC 9496, 4.3.4 one-way map of each 64-byte block."""
        return self._backend.hash_to_group(uniform)

    def is_valid(self, points: bytes) -> bool:
        """Whether every cell is a canonical encoding."""
        return self._backend.is_valid(points)

    def msm(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i in constant time."""
        return self._sum(self._shared(self._backend.msm, scalars, points))

    def msm_vartime(self, scalars: Sequence[int], points: bytes) -> bytes:
        """sum of scalar_i * point_i for public values."""
        return self._sum(self._shared(self._backend.msm_vartime, scalars, points))

    def _sum(self, parts: list[bytes]) -> bytes:
        total, *others = parts
        for part in others:
            total = self._backend.add(total, part)
        return total

    def _shared(
        self, operation: Callable[..., bytes], *columns: bytes | Sequence[int]
    ) -> list[bytes]:
        """The operation on every thread's part of the rows, in order.

        Columns that do not fit together stay whole: the backend refuses them.
        """
        sizes = {divmod(len(c), CELL) if isinstance(c, bytes) else (len(c), 0) for c in columns}
        (count, odd), *different = sizes
        if different or odd or count < WORTH_ROWS:
            return [operation(*columns)]
        ends = [count * number // self._threads for number in range(1, self._threads + 1)]
        parts = [
            [_cut(column, start, end) for column in columns]
            for start, end in zip([0, *ends], ends, strict=False)
        ]
        others = [self._others.submit(operation, *part) for part in parts[1:]]
        # Whatever fails, no thread is still at work when this returns.
        try:
            first = operation(*parts[0])
        finally:
            for other in others:
                other.exception()
        return [first, *(other.result() for other in others)]


def _cut(column: bytes | Sequence[int], start: int, end: int) -> bytes | Sequence[int]:
    return column[start * CELL : end * CELL] if isinstance(column, bytes) else column[start:end]
