"""Names the equations of a shuffle proof that do not hold (docs/protocol.md S6, verify 2).

The verifier adds all equations up with random weights and learns only that one of them fails. For a
finding that people can act on, this checks the families 1, 2, 3, 4a, 4b and 5 one by one.
"""

from collections.abc import Sequence

from p2pokey.crypto.batch import ShuffleClaim
from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, L, decode_scalars, split32
from p2pokey.crypto.reencrypt import columns, deck_size, generators
from p2pokey.crypto.shuffle import (
    Statement,
    last_challenge,
    product,
    proof_parts,
    verify_shuffle,
)
from p2pokey.errors import ShuffleInvalid

_Terms = list[tuple[int, bytes]]


def verify_and_explain(group: Group, claim: ShuffleClaim) -> None:
    """Verifies one shuffle; a failure names the equations that do not hold.

    Raises:
        ShuffleInvalid and its kin, as `verify_shuffle`.
    """
    parts = {
        "ctx": claim.ctx,
        "key": claim.key,
        "deck_in": claim.deck_in,
        "deck_out": claim.deck_out,
        "proof": claim.proof,
    }
    try:
        verify_shuffle(group, **parts)
    except ShuffleInvalid as error:
        names = failing_equations(group, **parts)
        if not names:
            raise
        raise ShuffleInvalid(f"{error} (equation {', '.join(names)} of S6)") from error


def failing_equations(
    group: Group, *, ctx: bytes, key: bytes, deck_in: bytes, deck_out: bytes, proof: bytes
) -> tuple[str, ...]:
    """The families that do not hold, in order; of a proof of the right form and size.

    Args:
        ctx: 64 bytes.
        key: encryption key, 32 bytes.
        deck_in, deck_out: N entries of 64 bytes.
        proof: 32 (5 N + 9) bytes, every cell canonical.
    """
    n = deck_size(deck_in)
    *commitments, responses = proof_parts(proof, n)
    c, c_hat, t, t_hat = map(split32, commitments)
    s_1, s_2, s_3, s_4, *rest = decode_scalars(responses)
    s_hat, s_out = rest[:n], rest[n:]
    T = Statement(ctx, key, deck_in, deck_out).challenges()
    T.add("c", commitments[0])
    u = T.scalars("u", n)
    x = last_challenge(T, *commitments[1:])
    H, points = generators(group, n)
    h = split32(points)
    a_in, b_in = map(split32, columns(deck_in))
    a_out, b_out = map(split32, columns(deck_out))
    weighted = [x * u_j % L for u_j in u]
    chain: list[_Terms] = [
        [
            (s_hat[i], BASE_POINT),
            (s_out[i], c_hat[i - 1] if i else H),
            (-1, t_hat[i]),
            (-x, c_hat[i]),
        ]
        for i in range(n)
    ]
    families: dict[str, list[_Terms]] = {
        "1": [[(s_1, BASE_POINT), (-1, t[0]), *_each(-x, c), *_each(x, h)]],
        "2": [[(s_2, BASE_POINT), (-1, t[1]), (-x, c_hat[-1]), (x * product(u), H)]],
        "3": [[(s_3, BASE_POINT), *_pairs(s_out, h), (-1, t[2]), *_minus(weighted, c)]],
        "4a": [[(-s_4, BASE_POINT), *_pairs(s_out, a_out), (-1, t[3]), *_minus(weighted, a_in)]],
        "4b": [[(-s_4, key), *_pairs(s_out, b_out), (-1, t[4]), *_minus(weighted, b_in)]],
        "5": chain,
    }
    return tuple(
        name
        for name, equations in families.items()
        if any(_total(group, equation) != IDENTITY for equation in equations)
    )


def _total(group: Group, terms: _Terms) -> bytes:
    scalars = [scalar for scalar, _ in terms]
    return group.msm_vartime(scalars, b"".join(point for _, point in terms))


def _each(scalar: int, points: Sequence[bytes]) -> _Terms:
    return [(scalar, point) for point in points]


def _pairs(scalars: Sequence[int], points: Sequence[bytes]) -> _Terms:
    return list(zip(scalars, points, strict=True))


def _minus(scalars: Sequence[int], points: Sequence[bytes]) -> _Terms:
    return [(-scalar, point) for scalar, point in zip(scalars, points, strict=True)]
