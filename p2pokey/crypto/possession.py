"""Proof that the sender of a public key knows its secret key (a Schnorr proof).

It is bound to its context, hence to session, hand, roster and seat: it cannot be replayed, and no
seat can choose its key as a function of the others' keys.

Source: docs/protocol.md S7; Ristenpart-Yilek 2007 (why: rogue keys).
"""

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import CELL, IDENTITY, Group, decode_scalar, encode_scalar
from p2pokey.errors import BadLength, IdentityPoint, PopInvalid

POSSESSION_BYTES = 2 * CELL


def prove_possession(group: Group, *, seed: bytes, ctx: bytes, secret: int, public: bytes) -> bytes:
    """Proves knowledge of `secret` behind `public` = secret*G.

    Args:
        seed: the hand's secret seed; the nonce is derived from it, the context and the key.
        ctx: 64 bytes, docs/protocol.md S2.
        secret: scalar in [1, L).
        public: 32 bytes.

    Returns:
        R || s, 64 bytes.
    """
    k = Drbg(seed, "pop", ctx + public).scalar()
    R = group.base_mul([k])
    c = _challenge(ctx, public, R)
    return R + encode_scalar(k + c * secret)


def verify_possession(group: Group, *, ctx: bytes, public: bytes, proof: bytes) -> None:
    """Checks a proof of `prove_possession`.

    Args:
        ctx: 64 bytes, docs/protocol.md S2.
        public: 32 bytes.
        proof: 64 bytes, R || s.

    Raises:
        BadLength, BadScalar, BadPoint: not the canonical form.
        IdentityPoint: the key is the identity.
        PopInvalid: the equation does not hold.
    """
    if len(proof) != POSSESSION_BYTES or len(public) != CELL:
        raise BadLength("expected a key of 32 and a proof of 64 bytes")
    if public == IDENTITY:
        raise IdentityPoint("expected a public key other than the identity")
    R = proof[:CELL]
    s = decode_scalar(proof[CELL:])
    c = _challenge(ctx, public, R)
    if group.base_mul([s]) != group.add(R, group.mul([c], public)):
        raise PopInvalid("the proof of possession does not fit the key and its context")


def _challenge(ctx: bytes, public: bytes, R: bytes) -> int:
    T = FiatShamir("pop")
    T.add("ctx", ctx)
    T.add("X", public)
    T.add("R", R)
    return T.scalars("c", 1)[0]
