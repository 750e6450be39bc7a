"""Names the equations of a shuffle proof that do not hold (docs/protocol.md S6, verify 2).

The verifier adds all equations up with random weights and learns only that one of them fails. For a
finding that people can act on, this checks the families 1, 2, 3, 4a, 4b and 5 one by one.
"""

from collections.abc import Sequence

from p2pokey.crypto.batch import ShuffleClaim
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, L, decode_scalars, split32
from p2pokey.crypto.shuffle import generators, verify_shuffle
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
    n = len(deck_in) // 64
    cells = split32(proof)
    c, c_hat, t, t_hat = cells[:n], cells[n : 2 * n], cells[2 * n : 2 * n + 5], cells[2 * n + 5 :]
    s_1, s_2, s_3, s_4, *rest = decode_scalars(b"".join(cells[3 * n + 5 :]))
    s_hat, s_out = rest[:n], rest[n:]
    u, x = _challenges(ctx, key, deck_in, deck_out, cells)
    H, points = generators(group, n)
    h = split32(points)
    left, right = split32(deck_in), split32(deck_out)
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
        "2": [[(s_2, BASE_POINT), (-1, t[1]), (-x, c_hat[-1]), (x * _product(u), H)]],
        "3": [[(s_3, BASE_POINT), *_pairs(s_out, h), (-1, t[2]), *_minus(weighted, c)]],
        "4a": [
            [
                (-s_4, BASE_POINT),
                *_pairs(s_out, right[::2]),
                (-1, t[3]),
                *_minus(weighted, left[::2]),
            ]
        ],
        "4b": [
            [(-s_4, key), *_pairs(s_out, right[1::2]), (-1, t[4]), *_minus(weighted, left[1::2])]
        ],
        "5": chain,
    }
    return tuple(
        name
        for name, equations in families.items()
        if any(_total(group, equation) != IDENTITY for equation in equations)
    )


def _challenges(
    ctx: bytes, key: bytes, deck_in: bytes, deck_out: bytes, cells: Sequence[bytes]
) -> tuple[list[int], int]:
    n = len(deck_in) // 64
    state = FiatShamir("shuffle")
    state.add("ctx", ctx)
    state.add("n", n.to_bytes(4, "little"))
    state.add("pk", key)
    state.add("in", deck_in)
    state.add("out", deck_out)
    state.add("c", b"".join(cells[:n]))
    u = state.scalars("u", n)
    state.add("chain", b"".join(cells[n : 2 * n]))
    state.add("t", b"".join(cells[2 * n : 2 * n + 5]))
    state.add("that", b"".join(cells[2 * n + 5 : 3 * n + 5]))
    return u, state.scalars("x", 1)[0]


def _total(group: Group, terms: _Terms) -> bytes:
    scalars = [scalar for scalar, _ in terms]
    return group.msm_vartime(scalars, b"".join(point for _, point in terms))


def _each(scalar: int, points: Sequence[bytes]) -> _Terms:
    return [(scalar, point) for point in points]


def _pairs(scalars: Sequence[int], points: Sequence[bytes]) -> _Terms:
    return list(zip(scalars, points, strict=True))


def _minus(scalars: Sequence[int], points: Sequence[bytes]) -> _Terms:
    return [(-scalar, point) for scalar, point in zip(scalars, points, strict=True)]


def _product(factors: Sequence[int]) -> int:
    product = 1
    for factor in factors:
        product = product * factor % L
    return product
