"""Reveal tokens x*C_i, with one proof that all use the secret key x behind X = x*G.

The same statement over a recovery share: X is the share's public key Z_jk, x the share s_jk
(docs/protocol.md S10).

Source: docs/protocol.md S8; Chaum-Pedersen 1992; the composites follow RFC 9497, 2.2.1, with all
pairs hashed before any weight.
"""

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import (
    CELL,
    IDENTITY,
    Group,
    decode_scalar,
    encode_scalar,
    has_identity,
)
from p2pokey.errors import BadLength, DleqInvalid, IdentityPoint

DLEQ_BYTES = 2 * CELL


def prove_dleq(
    group: Group, *, seed: bytes, ctx: bytes, secret: int, public: bytes, points: bytes
) -> tuple[bytes, bytes]:
    """Computes the tokens secret*C_i and proves them right.

    Args:
        seed: the hand's secret seed; the nonce is derived from it and the statement.
        ctx: 64 bytes, docs/protocol.md S2 and S8.
        secret: scalar in [1, L).
        public: secret*G, 32 bytes.
        points: the C_i, 32 bytes each, at least one.

    Returns:
        The tokens, 32 bytes each in the order of `points`, and the proof c || s, 64 bytes.

    Raises:
        BadLength: no points, or a part of one.
        IdentityPoint: a point or the key is the identity.
        BadPoint: a point is not canonical.
    """
    _check_form(public, points, points)
    tokens = group.mul_one_scalar(secret, points)
    T = _statement(ctx, public, points, tokens)
    M = _composite(group, _weights(T, points), points)
    Z = group.mul_one_scalar(secret, M)
    k = Drbg(seed, "dleq", T.digest()).scalar()
    c = _challenge(T, M, Z, group.base_mul([k]), group.mul_one_scalar(k, M))
    return tokens, encode_scalar(c) + encode_scalar(k - c * secret)


def verify_dleq(
    group: Group, *, ctx: bytes, public: bytes, points: bytes, tokens: bytes, proof: bytes
) -> None:
    """Checks tokens and proof of `prove_dleq`.

    Args:
        ctx: 64 bytes, docs/protocol.md S2 and S8.
        public: 32 bytes.
        points: the C_i, 32 bytes each, at least one.
        tokens: one of 32 bytes for each point, same order.
        proof: 64 bytes, c || s.

    Raises:
        BadLength, BadScalar, BadPoint: not the canonical form.
        IdentityPoint: the key, a point or a token is the identity.
        DleqInvalid: the proof does not fit.
    """
    _check_form(public, points, tokens)
    if len(proof) != DLEQ_BYTES:
        raise BadLength(f"expected a proof of {DLEQ_BYTES} bytes, got {len(proof)}")
    c, s = decode_scalar(proof[:CELL]), decode_scalar(proof[CELL:])
    T = _statement(ctx, public, points, tokens)
    weights = _weights(T, points)
    M = _composite(group, weights, points)
    Z = _composite(group, weights, tokens)
    if IDENTITY in (M, Z):
        raise DleqInvalid("the composite of the pairs is the identity")
    A = group.add(group.base_mul([s]), group.mul([c], public))
    B = group.msm_vartime([s, c], M + Z)
    if _challenge(T, M, Z, A, B) != c:
        raise DleqInvalid("the proof does not fit the tokens")


def _check_form(public: bytes, points: bytes, tokens: bytes) -> None:
    if len(public) != CELL or not points or len(points) % CELL or len(points) != len(tokens):
        raise BadLength("expected a key, at least one point and a token for each")
    if public == IDENTITY or has_identity(points) or has_identity(tokens):
        raise IdentityPoint("expected key, points and tokens other than the identity")


def _statement(ctx: bytes, public: bytes, points: bytes, tokens: bytes) -> FiatShamir:
    T = FiatShamir("dleq")
    T.add("ctx", ctx)
    T.add("X", public)
    T.add("m", u32(len(points) // CELL))
    T.add("C", points)
    T.add("D", tokens)
    return T


def _weights(T: FiatShamir, points: bytes) -> list[int]:
    """The d_i of a batch; none for a single pair, which is its own composite."""
    count = len(points) // CELL
    return T.scalars("d", count) if count > 1 else []


def _composite(group: Group, weights: list[int], points: bytes) -> bytes:
    return group.msm_vartime(weights, points) if weights else points


def _challenge(T: FiatShamir, M: bytes, Z: bytes, A: bytes, B: bytes) -> int:
    T.add("M", M)
    T.add("Z", Z)
    T.add("A", A)
    T.add("B", B)
    return T.scalars("c", 1)[0]
