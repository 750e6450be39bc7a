"""Times of steps, and their ratios to a floor that is measured around each of them."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from tests.bench.counts import Counts
from tests.bench.inputs import Inputs

SAMPLE = 64
"""Operations timed before and after a step."""

Value = TypeVar("Value")

Floor = tuple[float, float, float]
"""Seconds of one product, one product of the generator and one addition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a hand, or several together.

    `ratio` is measured time in multiples of the floor, the time of its group operations one by one;
    None where no floor is defined.
    """

    name: str
    count: int
    """What the step is about: tiles of a deck, tokens, or turns."""
    ms: float
    ratio: float | None
    size: int = 0
    """Bytes that go to each other seat; 0 where nothing is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured under one name."""

    name: str
    count: int
    floor: Counts | None
    size: int = 0


Timed = Iterator[tuple[str, float]]
"""Names of plans with the seconds of each; one name may come several times and is then summed."""


@dataclass(slots=True)
class _Samples:
    seconds: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)


def measure(
    inputs: Inputs, plans: Sequence[Plan], run: Callable[[int], Timed], runs: int
) -> Iterator[Step]:
    """Times all plans several times; `run` gets the number of the run and makes fresh inputs."""
    samples = {plan.name: _Samples() for plan in plans}
    for number in range(runs):
        before = floor_sample(inputs)
        sums: dict[str, float] = {}
        for name, seconds in run(number):
            sums[name] = sums.get(name, 0.0) + seconds
        after = floor_sample(inputs)
        for plan in plans:
            sample, seconds = samples[plan.name], sums[plan.name]
            sample.seconds.append(seconds)
            if plan.floor is not None:
                floor = (plan.floor.seconds(*before) + plan.floor.seconds(*after)) / 2
                sample.ratios.append(seconds / floor)
    for plan in plans:
        sample = samples[plan.name]
        yield Step(
            name=plan.name,
            count=plan.count,
            ms=min(sample.seconds) * 1000,
            ratio=median(sample.ratios) if sample.ratios else None,
            size=plan.size,
        )


def timed(action: Callable[[], Value]) -> tuple[float, Value]:
    """Processor time of one call, and what it returns."""
    start = time.process_time()
    value = action()
    return time.process_time() - start, value


def seconds_of(action: Callable[[], object]) -> float:
    """Processor time of one call."""
    return timed(action)[0]


def floor_sample(inputs: Inputs) -> Floor:
    """What the operations take now."""
    group, scalars = inputs.group, inputs.scalars(SAMPLE)
    a, b = inputs.points(SAMPLE), inputs.points(SAMPLE)
    actions: tuple[Callable[[], bytes], ...] = (
        lambda: group.mul(scalars, a),
        lambda: group.base_mul(scalars),
        lambda: group.add(a, b),
    )
    mul, base, add = (seconds_of(action) / SAMPLE for action in actions)
    return mul, base, add
