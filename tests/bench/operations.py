"""Time of each operation of the group."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.floors import seconds_of
from tests.bench.inputs import Inputs

BATCH = 106
"""Points in one measured batch."""
SUM_TERMS = 855
"""Terms of the sum that verifies a shuffle of 106 tiles."""


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


def measure_operations(
    inputs: Inputs, runs: int, batch: int = BATCH, terms: int = SUM_TERMS
) -> Operations:
    """Times every operation of the group, sums on so many terms, the others on such batches."""
    group = inputs.group

    def per_item(name: str, count: int, *columns: Callable[[int], object]) -> float:
        operation = getattr(group, name)

        def once() -> float:
            arguments = [column(count) for column in columns]
            return seconds_of(lambda: operation(*arguments))

        return min(once() for _ in range(runs)) / count * 1e6

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
