"""The fast verifier and the six equations one by one always agree."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from p2pokey.crypto.group import BASE_POINT, IDENTITY, L, encode_scalar
from p2pokey.crypto.shuffle import verify_shuffle
from p2pokey.errors import ShuffleInvalid
from tests.crypto.literal import Statement, failing
from tests.crypto.support import get_cell, group_of, put_cell, scalars
from tests.crypto.test_shuffle import N, make_shuffled

MUTANTS = int(os.environ.get("P2POKEY_MUTANTS", "60"))
"""A nightly run may ask for 10,000 (about two minutes)."""

POINTS = 3 * N + 5
SCALARS = 2 * N + 4


@st.composite
def mutants(draw):
    """A proof with one to three cells replaced by other well-formed ones, or none at all."""
    group = group_of("libsodium")
    shuffled = make_shuffled(group, N)
    proof, deck_out = shuffled["proof"], shuffled["deck_out"]
    for _ in range(draw(st.integers(0, 3))):
        where = draw(st.sampled_from(["point", "scalar", "output"]))
        if where == "scalar":
            index = draw(st.integers(POINTS, POINTS + SCALARS - 1))
            value = draw(scalars())
            if draw(st.booleans()):
                value += int.from_bytes(get_cell(proof, index), "little")
            proof = put_cell(proof, index, encode_scalar(value))
        elif where == "point":
            index = draw(st.integers(0, POINTS - 1))
            proof = put_cell(proof, index, draw(other_points(group, get_cell(proof, index))))
        else:
            index = draw(st.integers(0, 2 * N - 1))
            point = draw(other_points(group, get_cell(deck_out, index)))
            deck_out = put_cell(deck_out, index, point if point != IDENTITY else BASE_POINT)
    return shuffled | {"proof": proof, "deck_out": deck_out}


def other_points(group, point):
    """The same point, known ones, its negative, its neighbour."""
    return st.sampled_from(
        [
            point,
            IDENTITY,
            BASE_POINT,
            group.mul([L - 1], point),
            group.add(point, BASE_POINT),
            group.mul([2], point),
        ]
    )


@settings(
    max_examples=MUTANTS,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(mutants())
def test_fast_and_slow_verifier_agree(mutant):
    group = group_of("libsodium")
    statement = Statement(
        group, mutant["ctx"], mutant["key"], mutant["deck_in"], mutant["deck_out"]
    )
    if failing(statement, mutant["proof"]):
        with pytest.raises(ShuffleInvalid):
            verify_shuffle(group, **mutant)
    else:
        verify_shuffle(group, **mutant)
