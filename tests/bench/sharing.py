"""What a second thread brings where the interpreter lock is free (libsodium)."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from p2pokey.crypto.group import Group
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.native.backends import choose_backend
from tests.bench.inputs import Inputs

SIZES = (15, 106)
SEED = bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Wall clock of the same work by one thread and by two; means something on idle cores only."""

    name: str
    count: int
    one_ms: float
    two_ms: float
    ratio: float
    """Median of the runs, two threads to one."""


def two_threads(runs: int) -> Iterator[Shared]:
    """Proofs and checks by one thread and by two, in turns."""
    groups = [Group(choose_backend("libsodium", threads=threads)) for threads in (1, 2)]
    inputs = Inputs(groups[0])
    for n in SIZES:
        deck, key = inputs.points(2 * n), inputs.points(1)
        times: dict[str, list[tuple[float, float]]] = {"shuffle and prove": [], "verify": []}
        for _ in range(runs):
            made, checked = zip(*(_once(inputs, group, key, deck) for group in groups), strict=True)
            times["shuffle and prove"].append(made)
            times["verify"].append(checked)
        for name, pairs in times.items():
            yield Shared(
                name=name,
                count=n,
                one_ms=min(one for one, _ in pairs) * 1000,
                two_ms=min(two for _, two in pairs) * 1000,
                ratio=median(two / one for one, two in pairs),
            )


def _once(inputs: Inputs, group: Group, key: bytes, deck: bytes) -> tuple[float, float]:
    ctx, made = inputs.context(), [(b"", b"")]

    def make() -> None:
        made[0] = prove_shuffle(group, seed=SEED, ctx=ctx, key=key, deck=deck)

    def check() -> None:
        out, proof = made[0]
        verify_shuffle(group, ctx=ctx, key=key, deck_in=deck, deck_out=out, proof=proof)

    return _wall(make), _wall(check)


def _wall(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
