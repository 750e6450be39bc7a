"""Measures group operations, shuffles and tokens of one backend.

All times are processor time of this process, the best of several runs: what other programs on the
computer do shows least in these. A ratio compares a step with operations timed just before and just
after it, and is the median of the runs: processors change their speed from second to second. Every
run has inputs that no run before it had, so that nothing is measured that a cache did.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from p2pokey.codec import u32
from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import hash_to_uniform
from p2pokey.crypto.group import Group
from p2pokey.crypto.reencrypt import ENTRY, generators
from p2pokey.crypto.shuffle import proof_size, prove_shuffle, shuffle_deck, verify_shuffle
from p2pokey.deck.points import initial_deck
from tests.bench.counts import prove_counts, shuffle_counts, verify_counts

SAMPLE = 64
"""Operations timed before and after a step."""
BATCH = 106
"""Points in one measured batch."""
SUM_TERMS = 855
"""Terms of the sum that verifies a shuffle of 106 tiles."""
DEAL_TOKENS = 43
"""Tokens of a seat that deals to three others: their 14 tiles each, and the indicator."""
DRAW_TOKENS = 1


class Inputs:
    """Scalars and points that have never been used before."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.drbg = Drbg(b"bench", "inputs", b"")
        self.next = 0

    def scalars(self, count: int) -> list[int]:
        """Fresh scalars."""
        return self.drbg.scalars(count)

    def uniform(self, count: int) -> bytes:
        """Fresh blocks of 64 bytes."""
        start, self.next = self.next, self.next + count
        return b"".join(hash_to_uniform("bench", u32(start + i)) for i in range(count))

    def points(self, count: int) -> bytes:
        """Fresh points."""
        return self.group.hash_to_group(self.uniform(count))


@dataclass(frozen=True, slots=True)
class Operations:
    """Microseconds per group operation; sums: per term."""

    mul: float
    mul_one_scalar: float
    base_mul: float
    add: float
    sub: float
    hash_to_group: float
    is_valid: float
    msm: float
    msm_vartime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One cryptographic step of a hand.

    `ratio` is measured time in multiples of the floor, the time of its group operations one by one;
    None where no floor is defined.
    """

    name: str
    tiles: int
    ms: float
    ratio: float | None
    size: int


def best(prepare: Callable[[], Callable[[], object]], runs: int) -> float:
    """Seconds of the fastest of several runs; `prepare` makes what is measured, anew each time."""
    return min(seconds_of(prepare()) for _ in range(runs))


def seconds_of(action: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def measure_operations(
    inputs: Inputs, runs: int, batch: int = BATCH, terms: int = SUM_TERMS
) -> Operations:
    """Times every operation of the group, sums on so many terms, the others on such batches."""
    group = inputs.group

    def per_item(name: str, count: int, *columns: Callable[[int], object]) -> float:
        operation = getattr(group, name)

        def prepare() -> Callable[[], object]:
            arguments = [column(count) for column in columns]
            return lambda: operation(*arguments)

        return best(prepare, runs) / count * 1e6

    scalars, points = inputs.scalars, inputs.points
    return Operations(
        mul=per_item("mul", batch, scalars, points),
        mul_one_scalar=per_item("mul_one_scalar", batch, lambda _: scalars(1)[0], points),
        base_mul=per_item("base_mul", batch, scalars),
        add=per_item("add", batch, points, points),
        sub=per_item("sub", batch, points, points),
        hash_to_group=per_item("hash_to_group", batch, inputs.uniform),
        is_valid=per_item("is_valid", batch, points),
        msm=per_item("msm", batch, scalars, points),
        msm_vartime=per_item("msm_vartime", terms, scalars, points),
    )


def measure_steps(inputs: Inputs, sizes: tuple[int, ...], runs: int) -> Iterator[Step]:
    """Times shuffles of all sizes, and tokens."""
    generators(inputs.group, 0)  # computed once per process, not per shuffle
    for n in sizes:
        yield from shuffle_of(inputs, n, runs)
    for count in (DRAW_TOKENS, DEAL_TOKENS):
        yield from tokens_of(inputs, count, runs)


def shuffle_of(inputs: Inputs, n: int, runs: int) -> Iterator[Step]:
    """Shuffle, shuffle with proof, and verification of n tiles."""
    group = inputs.group
    key = group.base_mul([7])
    first = initial_deck(group)[: ENTRY * n]
    # The second shuffle of a hand is the usual case: no component of its input is the identity.
    deck = shuffle_deck(group, seed=bytes(32), ctx=bytes(64), key=key, deck=first)
    kinds = {
        "shuffle": (shuffle_counts(n), len(deck)),
        "shuffle and prove": (
            shuffle_counts(n) + prove_counts(n),
            len(deck) + proof_size(n),
        ),
        "verify": (verify_counts(n), proof_size(n)),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    ratios: dict[str, list[float]] = {name: [] for name in kinds}
    for run in range(runs):
        before = floor_sample(inputs)
        for name, seconds in one_shuffle(group, bytes([run + 1]) * 64, key, deck):
            times[name].append(seconds)
        after = floor_sample(inputs)
        for name, (counts, _) in kinds.items():
            floor = (counts.seconds(*before) + counts.seconds(*after)) / 2
            ratios[name].append(times[name][-1] / floor)
    for name, (_, size) in kinds.items():
        ms, ratio = min(times[name]) * 1000, median(ratios[name])
        yield Step(name=name, tiles=n, ms=ms, ratio=ratio, size=size)


def one_shuffle(
    group: Group, context: bytes, key: bytes, deck: bytes
) -> Iterator[tuple[str, float]]:
    """Seconds of each step of one shuffle."""
    start = time.process_time()
    shuffle_deck(group, seed=bytes(32), ctx=context, key=key, deck=deck)
    yield "shuffle", time.process_time() - start
    start = time.process_time()
    out, proof = prove_shuffle(group, seed=b"\1" * 32, ctx=context, key=key, deck=deck)
    yield "shuffle and prove", time.process_time() - start
    start = time.process_time()
    verify_shuffle(group, ctx=context, key=key, deck_in=deck, deck_out=out, proof=proof)
    yield "verify", time.process_time() - start


def floor_sample(inputs: Inputs) -> tuple[float, float, float]:
    """Seconds of one product, one product of the generator and one addition, now."""
    group, scalars = inputs.group, inputs.scalars(SAMPLE)
    a, b = inputs.points(SAMPLE), inputs.points(SAMPLE)
    actions: tuple[Callable[[], bytes], ...] = (
        lambda: group.mul(scalars, a),
        lambda: group.base_mul(scalars),
        lambda: group.add(a, b),
    )
    mul, base, add = (seconds_of(action) / SAMPLE for action in actions)
    return mul, base, add


def tokens_of(inputs: Inputs, count: int, runs: int) -> Iterator[Step]:
    """Reveal tokens for `count` tiles with one proof, and their verification."""
    group, seed, secret = inputs.group, bytes(32), 11
    public = group.base_mul([secret])

    def prove() -> Callable[[], object]:
        points = inputs.points(count)
        return lambda: prove_dleq(
            group, seed=seed, ctx=bytes(64), secret=secret, public=public, points=points
        )

    def verify() -> Callable[[], object]:
        points = inputs.points(count)
        tokens, proof = prove_dleq(
            group, seed=seed, ctx=bytes(64), secret=secret, public=public, points=points
        )
        return lambda: verify_dleq(
            group, ctx=bytes(64), public=public, points=points, tokens=tokens, proof=proof
        )

    for name, prepare in (("tokens", prove), ("verify tokens", verify)):
        ms = best(prepare, runs) * 1000
        yield Step(name=name, tiles=count, ms=ms, ratio=None, size=32 * count + 64)
