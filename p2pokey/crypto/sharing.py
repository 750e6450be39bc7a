"""Threshold sharing of a hand key among the other seats, so that a hand survives a lost player.

Seat j is the dealer of f_j(z) = x_j + a_1 z + ... + a_{t-1} z^{t-1}; seat k's share is f_j(k+1).
Commitments A_m = a_m*G let everybody compute the public key Z_jk of each share. The key itself is
never put together during a hand: helpers answer with tokens of their shares, which combine to the
token of the key.

Source: docs/protocol.md S10 (sharing, sealing, rescue), S3 (coefficients); Feldman 1987.
"""

from collections.abc import Iterable, Mapping, Sequence

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import (
    CELL,
    IDENTITY,
    Group,
    L,
    decode_scalar,
    encode_scalar,
    has_identity,
    split32,
)
from p2pokey.errors import BadLength, DecodeError, ShareInvalid
from p2pokey.ports import Sealer

SEALED_SHARE_BYTES = CELL + 16
_NONCE = bytes(12)
"""Each sealing key seals one share of one attempt, so its only nonce may be fixed."""


def share_polynomial(seed: bytes, ctx: bytes, t: int) -> tuple[int, ...]:
    """The coefficients a_1..a_{t-1} of a dealer; a_0 is its hand key.

    Args:
        seed: the dealer's secret seed, 32 bytes.
        ctx: 64 bytes, purpose `vss` of the dealer.
        t: shares needed to stand in for the dealer, at least 1.
    """
    return tuple(Drbg(seed, "vss", ctx).scalars(t - 1))


def commit_polynomial(group: Group, coefficients: Sequence[int]) -> bytes:
    """A_1..A_{t-1}, 32 bytes each; A_0 is the hand key X_j and is not repeated."""
    return group.base_mul(coefficients)


def share_for(secret: int, coefficients: Sequence[int], seat: int) -> int:
    """The share f(seat + 1) of a 0-based seat, in [0, L)."""
    return _at(seat, [secret, *coefficients])


def share_public_key(group: Group, *, public: bytes, commitments: bytes, seat: int) -> bytes:
    """Z_jk: the public key of a seat's share.

    Args:
        public: the dealer's hand key X_j, 32 bytes.
        commitments: A_1..A_{t-1}, 32 bytes each.
        seat: 0-based holder of the share.

    Raises:
        BadPoint, BadLength: not canonical.
    """
    points = public + commitments
    powers = [pow(seat + 1, m, L) for m in range(len(points) // CELL)]
    return group.msm_vartime(powers, points)


def check_sharing(
    group: Group, *, public: bytes, commitments: bytes, t: int, seats: Iterable[int]
) -> dict[int, bytes]:
    """Checks the public part of a dealer's sharing.

    Args:
        public: the dealer's hand key X_j, 32 bytes.
        commitments: A_1..A_{t-1}, 32 bytes each.
        t: number of shares needed.
        seats: 0-based holders of shares: all seats but the dealer.

    Returns:
        Z_jk for each of `seats`.

    Raises:
        BadPoint, BadLength: not canonical.
        ShareInvalid: a commitment or the public key of a share is the identity.
    """
    if len(public) != CELL or len(commitments) != CELL * (t - 1):
        raise BadLength(f"expected a key and {t - 1} commitments, got {len(commitments)} bytes")
    keys = {
        seat: share_public_key(group, public=public, commitments=commitments, seat=seat)
        for seat in seats
    }
    if has_identity(public + commitments) or IDENTITY in keys.values():
        raise ShareInvalid("a commitment or the public key of a share is the identity")
    return keys


def seal_key(group: Group, ctx: bytes, secret: int, public: bytes) -> bytes:
    """The 32-byte key K that seals one share, the same for dealer and holder.

    Args:
        ctx: 64 bytes, purpose `seal` with the dealer as seat and the holder as index.
        secret: own sealing secret, e_j or e_k.
        public: the other's sealing key, E_k or E_j.

    Raises:
        BadPoint: `public` is not canonical.
    """
    return seal_key_from_dh(ctx, group.mul_one_scalar(secret, public))


def seal_key_from_dh(ctx: bytes, dh: bytes) -> bytes:
    """K from the encoding of e_j*E_k = e_k*E_j, which a complaint publishes."""
    T = FiatShamir("seal")
    T.add("ctx", ctx)
    T.add("dh", dh)
    return T.digest()[:CELL]


def seal_share(sealer: Sealer, *, key: bytes, ctx: bytes, share: int) -> bytes:
    """The share as ciphertext and tag, 48 bytes; `key` and `ctx` as in `seal_key`."""
    return sealer.seal(key, _NONCE, encode_scalar(share), ctx)


def open_share(
    group: Group, sealer: Sealer, *, key: bytes, ctx: bytes, sealed: bytes, share_public: bytes
) -> int:
    """The share inside `sealed`, after checking it.

    Args:
        key: K of `seal_key`.
        ctx: 64 bytes, as in `seal_key`.
        sealed: 48 bytes.
        share_public: Z_jk.

    Raises:
        ShareInvalid: it does not decrypt, is not canonical or does not fit Z_jk.
    """
    try:
        share = decode_scalar(sealer.unseal(key, _NONCE, sealed, ctx))
    except DecodeError as error:
        raise ShareInvalid(f"the sealed share does not open to a share: {error}") from error
    if group.base_mul([share]) != share_public:
        raise ShareInvalid("the share does not fit the dealer's commitments")
    return share


def lagrange_at_zero(seats: Sequence[int]) -> list[int]:
    """lambda_k of each of these different 0-based seats: f(0) = sum lambda_k * f(k+1)."""
    places = [seat + 1 for seat in seats]
    weights = []
    for place in places:
        numerator = denominator = 1
        for other in places:
            if other != place:
                numerator = numerator * other % L
                denominator = denominator * (other - place) % L
        weights.append(numerator * pow(denominator, -1, L) % L)
    return weights


def combine_shares(shares: Mapping[int, int]) -> int:
    """The shared secret from t shares by 0-based seat; to recover the key of an absent seat."""
    seats = sorted(shares)
    weights = lagrange_at_zero(seats)
    return sum([w * shares[s] for w, s in zip(weights, seats, strict=True)]) % L


def combine_tokens(group: Group, tokens: Mapping[int, bytes]) -> bytes:
    """x_j*C_i for each C_i from the verified tokens s_jk*C_i of t helpers.

    Args:
        tokens: by 0-based seat of the helper, 32 bytes for each C_i, all in the same order.

    Returns:
        The tokens of the absent seat, 32 bytes for each C_i.

    Raises:
        BadLength: the batches differ in length.
        BadPoint: a token is not canonical.
    """
    seats = sorted(tokens)
    batches = [split32(tokens[seat]) for seat in seats]
    if len({len(batch) for batch in batches}) != 1:
        raise BadLength("expected as many tokens from each helper")
    weights = lagrange_at_zero(seats)
    return b"".join(
        [group.msm_vartime(weights, b"".join(same)) for same in zip(*batches, strict=True)]
    )


def _at(seat: int, coefficients: Sequence[int]) -> int:
    """The polynomial at z = seat + 1 (Horner)."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * (seat + 1) + coefficient) % L
    return value
