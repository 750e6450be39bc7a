"""The proofs of docs/protocol.md from its formulas, with every value on the way.

For the vectors of a whole hand. Shares with p2pokey.crypto the hash, the byte stream and the group,
nothing else: what comes out is compared with what the product sends. Scalars are returned as they
are sent, 32 bytes; numbers that are returned as int are counts and indices.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir, hash_to_group
from p2pokey.crypto.group import Group, L, encode_scalar, split32
from p2pokey.ports import Sealer

Values = dict[str, Any]


def hashed(name: str, *fields: tuple[str, bytes]) -> FiatShamir:
    """FiatShamir(name) with the fields added in order."""
    state = FiatShamir(name)
    for label, data in fields:
        state.add(label, data)
    return state


def sub_ctx(hand_ctx: bytes, purpose: str, seat: int, index: int = 0, extra: bytes = b"") -> bytes:
    """S2."""
    return hashed(
        "sub-ctx",
        ("hand-ctx", hand_ctx),
        ("purpose", purpose.encode()),
        ("seat", bytes([seat])),
        ("index", u32(index)),
        ("extra", extra),
    ).digest()


def possession(group: Group, *, seed: bytes, ctx: bytes, secret: int, public: bytes) -> Values:
    """S7."""
    k = Drbg(seed, "pop", ctx + public).scalar()
    R = group.base_mul([k])
    c = hashed("pop", ("ctx", ctx), ("X", public), ("R", R)).scalars("c", 1)[0]
    s = encode_scalar(k + c * secret)
    return {"ctx": ctx, "k": encode_scalar(k), "R": R, "c": encode_scalar(c), "s": s}


def dleq(
    group: Group, *, seed: bytes, ctx: bytes, secret: int, public: bytes, points: Sequence[bytes]
) -> Values:
    """S8; `points` are the C1."""
    m, C = len(points), b"".join(points)
    D = group.mul([secret] * m, C)
    T = hashed("dleq", ("ctx", ctx), ("X", public), ("m", u32(m)), ("C", C), ("D", D))
    d = T.scalars("d", m) if m > 1 else []
    M = group.sum_points(group.mul(d, C)) if d else C
    Z = group.mul([secret], M)
    nonce_ctx = T.digest()
    k = Drbg(seed, "dleq", nonce_ctx).scalar()
    A, B = group.base_mul([k]), group.mul([k], M)
    for label, data in (("M", M), ("Z", Z), ("A", A), ("B", B)):
        T.add(label, data)
    c = T.scalars("c", 1)[0]
    return {
        "ctx": ctx, "C": list(points), "D": split32(D), "d": _scalars(d), "M": M, "Z": Z,
        "nonce_ctx": nonce_ctx, "k": encode_scalar(k), "A": A, "B": B,
        "c": encode_scalar(c), "s": encode_scalar(k - c * secret),
    }  # fmt: skip


def sharing(seed: bytes, ctx: bytes, secret: int, t: int) -> list[int]:
    """a_0..a_{t-1} of S10."""
    stream = Drbg(seed, "vss", ctx)
    return [secret, *[stream.scalar() for _ in range(t - 1)]]


def sealed_share(
    group: Group,
    sealer: Sealer,
    *,
    ctx: bytes,
    polynomial: list[int],
    holder: int,
    secret: int,
    holder_key: bytes,
) -> Values:
    """The share of one holder and its sealing (S10); `secret` is the dealer's e_j."""
    share = sum(a * pow(holder + 1, m) for m, a in enumerate(polynomial)) % L
    dh = group.mul([secret], holder_key)
    key = hashed("seal", ("ctx", ctx), ("dh", dh)).digest()[:32]
    return {
        "holder": holder, "ctx": ctx, "s": encode_scalar(share), "Z": group.base_mul([share]),
        "dh": dh, "K": key, "sealed": sealer.seal(key, bytes(12), encode_scalar(share), ctx),
    }  # fmt: skip


def shuffle(group: Group, *, seed: bytes, ctx: bytes, key: bytes, deck: bytes) -> Values:
    """S3 and S6: the shuffle of a deck, its proof, and all that leads to it."""
    cells = split32(deck)
    a, b = cells[0::2], cells[1::2]
    n = len(a)
    secret_digest = hashed("shuffle-secret", ("ctx", ctx), ("in", deck)).digest()
    stream = Drbg(seed, "shuffle", secret_digest)
    perm = stream.perm(n)
    r = [stream.nzscalar() for _ in range(n)]
    a_out = split32(group.add(b"".join([a[p] for p in perm]), group.base_mul(r)))
    b_out = split32(group.add(b"".join([b[p] for p in perm]), group.mul(r, key * n)))
    out = b"".join([x + y for x, y in zip(a_out, b_out, strict=True)])
    T = hashed("shuffle", ("ctx", ctx), ("n", u32(n)), ("pk", key), ("in", deck), ("out", out))
    head = {"ctx": ctx, "secret_digest": secret_digest, "perm": list(perm), "r": _scalars(r)}
    proof = _prove(group, T, seed, key, perm, r, b"".join(a_out), b"".join(b_out))
    return {**head, "deck_out": out, **proof}


def _prove(
    group: Group,
    T: FiatShamir,
    seed: bytes,
    key: bytes,
    perm: Sequence[int],
    r: list[int],
    a_out: bytes,
    b_out: bytes,
) -> Values:
    """S6, prove 1 to 7."""
    n = len(perm)
    H, h = _generators(group)[0], _generators(group)[1 : n + 1]
    statement = T.digest()
    rng = Drbg(seed, "shuffle-proof", statement)
    rho, c = [0] * n, [b""] * n
    for p in perm:
        rho[p] = rng.scalar()
    for i, p in enumerate(perm):
        c[p] = group.add(group.base_mul([rho[p]]), h[i])
    T.add("c", b"".join(c))
    u = T.scalars("u", n)
    u_out = [u[p] for p in perm]
    w_hat = [rng.scalar() for _ in range(n)]
    w_out = [rng.scalar() for _ in range(n)]
    R, U, r_hat, c_hat, t_hat = 0, 1, [], [], []
    for i in range(n):
        t_hat.append(_pedersen(group, w_hat[i] + w_out[i] * R, w_out[i] * U, H))
        r_hat.append(rng.scalar())
        R, U = (r_hat[i] + u_out[i] * R) % L, u_out[i] * U % L
        c_hat.append(_pedersen(group, R, U, H))
    w = [rng.scalar() for _ in range(4)]
    t = [
        *split32(group.base_mul(w[:2])),
        group.add(group.base_mul([w[2]]), _sum(group, w_out, b"".join(h))),
        group.add(group.base_mul([-w[3]]), _sum(group, w_out, a_out)),
        group.add(group.mul([-w[3]], key), _sum(group, w_out, b_out)),
    ]
    for label, points in (("chain", c_hat), ("t", t), ("that", t_hat)):
        T.add(label, b"".join(points))
    x = T.scalars("x", 1)[0]
    s = [w[0] + x * sum(rho), w[1] + x * R, w[2] + x * _dot(u, rho), w[3] + x * _dot(u_out, r)]
    s_hat = [w_hat[i] + x * r_hat[i] for i in range(n)]
    s_out = [w_out[i] + x * u_out[i] for i in range(n)]
    points = b"".join([*c, *c_hat, *t, *t_hat])
    return {
        "statement": statement, "rho": _scalars(rho), "u": _scalars(u), "w_hat": _scalars(w_hat),
        "w_out": _scalars(w_out), "r_hat": _scalars(r_hat), "w": _scalars(w),
        "x": encode_scalar(x), "c": c, "c_hat": c_hat, "t": t, "t_hat": t_hat,
        "s": _scalars(s), "s_hat": _scalars(s_hat), "s_out": _scalars(s_out),
        "proof": points + b"".join(_scalars([*s, *s_hat, *s_out])),
    }  # fmt: skip


@lru_cache(maxsize=4)
def _generators(group: Group) -> tuple[bytes, ...]:
    """H, then h_0..h_105 (S1)."""
    messages = [b"H", *[b"h" + u32(i) for i in range(106)]]
    return tuple(hash_to_group(group, "generator", message) for message in messages)


def _pedersen(group: Group, of_G: int, of_H: int, H: bytes) -> bytes:
    return group.add(group.base_mul([of_G]), group.mul([of_H], H))


def _sum(group: Group, scalars: Sequence[int], points: bytes) -> bytes:
    return group.sum_points(group.mul(scalars, points))


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True))


def _scalars(values: Sequence[int]) -> list[bytes]:
    return [encode_scalar(value) for value in values]
