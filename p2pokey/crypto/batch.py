"""Verifies several shuffle proofs in one sum, which costs less than one sum each.

Every proof's weighted equations must add up to the identity (docs/protocol.md S6, verify 2); so must
any combination of them. Random weights make a false proof slip through with probability 1/L. Points
that proofs share (generators, the key, a deck that is the output of one and the input of the next)
enter the sum once. A batch that fails says only that one of its proofs is bad: verify them one by
one to learn which.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import IDENTITY, Group, L, split32
from p2pokey.crypto.shuffle import Statement, check_form, weighted_sum
from p2pokey.crypto.steps import STEP, Steps, summed
from p2pokey.errors import ShuffleInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleClaim:
    """A shuffle and its proof; sizes as in `verify_shuffle`."""

    ctx: bytes
    key: bytes
    deck_in: bytes
    deck_out: bytes
    proof: bytes


def verify_shuffles_steps(
    group: Group, claims: Sequence[ShuffleClaim], *, step: int = STEP
) -> Steps[None]:
    """Verifies all claims together, in slices of about `step` products.

    Args:
        claims: any number, of any sizes, under any keys.

    Raises:
        BadLength, IdentityPoint, OutputIdentity, BadScalar, BadPoint: some claim is malformed.
        ShuffleInvalid: some proof does not hold.
    """
    terms: dict[bytes, int] = {}
    of_base = 0
    for weight, claim in zip(_weights(claims), claims, strict=True):
        statement = Statement(claim.ctx, claim.key, claim.deck_in, claim.deck_out)
        check_form(statement, claim.proof)
        coefficient, scalars, points = weighted_sum(group, statement, claim.proof)
        of_base += weight * coefficient
        for scalar, point in zip(scalars, split32(points), strict=True):
            terms[point] = (terms.get(point, 0) + weight * scalar) % L
        yield
    points = b"".join(terms)
    total = yield from summed(group, group.msm_vartime, list(terms.values()), points, step=step)
    if group.add(total, group.base_mul([of_base])) != IDENTITY:
        raise ShuffleInvalid("one of these proofs does not show that a deck was only shuffled")


def _weights(claims: Sequence[ShuffleClaim]) -> list[int]:
    """One weight for each claim, from a hash of all of them: no prover can foresee it."""
    T = FiatShamir("shuffle-batch")
    for claim in claims:
        T.add("ctx", claim.ctx)
        T.add("pk", claim.key)
        T.add("in", claim.deck_in)
        T.add("out", claim.deck_out)
        T.add("proof", claim.proof)
    return T.scalars("z", len(claims))
