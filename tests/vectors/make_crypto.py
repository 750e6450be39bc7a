"""Writes tests/vectors/crypto.json: python -m tests.vectors.make_crypto

One value of everything in p2pokey.crypto with all secrets, nonces and intermediate values, for
people who implement docs/protocol.md again. The values are computed with the plain formulas of the
protocol, not with the functions that the tests compare them with.
"""

import json
from pathlib import Path

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir, fr, hash_to_group
from p2pokey.crypto.group import Group, L, encode_scalar
from p2pokey.native.sealing import ChaChaSealer
from tests.crypto.literal import Statement, apply, permutation_matrix, prove
from tests.crypto.support import CTX, SEED, fresh_deck, group_of

TARGET = Path(__file__).with_name("crypto.json")


def number(value: int) -> str:
    """A scalar as it is sent."""
    return encode_scalar(value).hex()


def numbers(values: list[int]) -> list[str]:
    return [number(value) for value in values]


def hashing(group: Group) -> dict[str, object]:
    T = FiatShamir("example")
    T.add("first", b"abc")
    T.add("second", b"")
    before = T.digest()
    scalars = T.scalars("u", 2)
    return {
        "frame": {"label": "first", "data": b"abc".hex(), "framed": fr("first", b"abc").hex()},
        "fiat_shamir": {
            "name": "example",
            "added": [["first", b"abc".hex()], ["second", ""]],
            "digest": before.hex(),
            "scalars_u": numbers(scalars),
            "digest_after": T.digest().hex(),
        },
        "hash_to_group": {
            "dst": "tile",
            "message": b"tile\x05".hex(),
            "element": hash_to_group(group, "tile", b"tile\x05").hex(),
        },
    }


def drbg() -> dict[str, object]:
    def start() -> Drbg:
        return Drbg(SEED, "example", CTX)

    return {
        "key": SEED.hex(),
        "label": "example",
        "ctx": CTX.hex(),
        "stream_80": start().read(80).hex(),
        "scalar": number(start().scalar()),
        "below_106": start().below(106),
        "perm_10": list(start().perm(10)),
    }


def possession(group: Group) -> dict[str, object]:
    secret = Drbg(SEED, "keys", CTX).nzscalar()
    public = group.base_mul([secret])
    k = Drbg(SEED, "pop", CTX + public).scalar()
    R = group.base_mul([k])
    T = FiatShamir("pop")
    for label, data in (("ctx", CTX), ("X", public), ("R", R)):
        T.add(label, data)
    c = T.scalars("c", 1)[0]
    return {
        "seed": SEED.hex(), "ctx": CTX.hex(), "secret": number(secret), "public": public.hex(),
        "k": number(k), "R": R.hex(), "c": number(c),
        "proof": (R + encode_scalar(k + c * secret)).hex(),
    }  # fmt: skip


def dleq(group: Group, m: int) -> dict[str, object]:
    secret = Drbg(SEED, "keys", CTX).nzscalar()
    public = group.base_mul([secret])
    points = [hash_to_group(group, "tile", b"tile" + bytes([i])) for i in range(m)]
    tokens = [group.mul([secret], point) for point in points]
    T = FiatShamir("dleq")
    for label, data in (("ctx", CTX), ("X", public), ("m", u32(m))):
        T.add(label, data)
    T.add("C", b"".join(points))
    T.add("D", b"".join(tokens))
    d = T.scalars("d", m) if m > 1 else [1]
    M = group.sum_points(b"".join([group.mul([d[i]], points[i]) for i in range(m)]))
    Z = group.mul([secret], M)
    k = Drbg(SEED, "dleq", T.digest()).scalar()
    A, B = group.base_mul([k]), group.mul([k], M)
    for label, data in (("M", M), ("Z", Z), ("A", A), ("B", B)):
        T.add(label, data)
    c = T.scalars("c", 1)[0]
    return {
        "seed": SEED.hex(), "ctx": CTX.hex(), "secret": number(secret), "public": public.hex(),
        "points": [p.hex() for p in points], "tokens": [t.hex() for t in tokens],
        "d": numbers(d) if m > 1 else [], "M": M.hex(), "Z": Z.hex(), "k": number(k),
        "A": A.hex(), "B": B.hex(), "c": number(c),
        "proof": (encode_scalar(c) + encode_scalar(k - c * secret)).hex(),
    }  # fmt: skip


def shuffle(group: Group, n: int) -> dict[str, object]:
    key = group.base_mul([Drbg(SEED, "keys", CTX).nzscalar()])
    deck = fresh_deck(group, n)
    T = FiatShamir("shuffle-secret")
    T.add("ctx", CTX)
    T.add("in", deck)
    rng = Drbg(SEED, "shuffle", T.digest())
    perm = rng.perm(n)
    r = [rng.nzscalar() for _ in range(n)]
    deck_out = apply(group, key, deck, permutation_matrix(perm), r)
    proof, values = prove(Statement(group, CTX, key, deck, deck_out), seed=SEED, perm=perm, r=r)
    return {
        "seed": SEED.hex(), "ctx": CTX.hex(), "key": key.hex(), "deck_in": deck.hex(),
        "perm": list(perm), "r": numbers(r), "deck_out": deck_out.hex(),
        **{name: _text(value) for name, value in values.items()},
        "proof": proof.hex(),
    }  # fmt: skip


def sharing(group: Group, t: int) -> dict[str, object]:
    keys = Drbg(SEED, "keys", CTX)
    secret, sealing = keys.nzscalar(), keys.nzscalar()
    stream = Drbg(SEED, "vss", CTX)
    coefficients = [stream.scalar() for _ in range(t - 1)]
    holder = 2
    share = sum(a * pow(holder + 1, m) for m, a in enumerate([secret, *coefficients])) % L
    other = Drbg(bytes(32), "keys", CTX).nzscalar()
    dh = group.base_mul([sealing * other])
    T = FiatShamir("seal")
    T.add("ctx", CTX)
    T.add("dh", dh)
    key = T.digest()[:32]
    sealed = ChaChaSealer().seal(key, bytes(12), encode_scalar(share), CTX)
    return {
        "seed": SEED.hex(), "ctx": CTX.hex(), "secret": number(secret),
        "coefficients": numbers(coefficients),
        "commitments": group.base_mul(coefficients).hex(),
        "seat": holder, "share": number(share), "share_public": group.base_mul([share]).hex(),
        "sealing_secret": number(sealing),
        "other_sealing_key": group.base_mul([other]).hex(),
        "dh": dh.hex(), "seal_key": key.hex(), "sealed": sealed.hex(),
    }  # fmt: skip


def _text(value: object) -> object:
    match value:
        case bytes():
            return value.hex()
        case int():
            return number(value)
        case list():
            return [_text(item) for item in value]
    raise TypeError(value)


def vectors(group: Group) -> dict[str, object]:
    """All vectors, computed on this backend."""
    return {
        "source": "tests/vectors/make_crypto.py; scalars and points as sent, in hexadecimal",
        **hashing(group),
        "drbg": drbg(),
        "possession": possession(group),
        "dleq": [dleq(group, 1), dleq(group, 3)],
        "shuffle": [shuffle(group, 2), shuffle(group, 4)],
        "sharing": sharing(group, 3),
    }


if __name__ == "__main__":
    TARGET.write_text(json.dumps(vectors(group_of("libsodium")), indent=1) + "\n", "ascii")
