"""Ed25519 as strict as docs/protocol.md S2 asks."""

import hashlib

import pytest

from p2pokey.crypto import ristretto as r
from p2pokey.crypto.group import L
from p2pokey.errors import BadLength, BadPoint, BadSignature
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from tests.crypto.support import flip

VERIFIER = Ed25519Verifier()

# RFC 8032, 7.1: secret key, public key, message, signature.
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
        "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da0"
        "85ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac1"
        "8ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.fixture
def signer():
    return Ed25519Signer(bytes(range(32)))


@pytest.mark.parametrize(("secret", "public", "message", "signature"), RFC_8032)
def test_rfc_8032(secret, public, message, signature):
    signer = Ed25519Signer(bytes.fromhex(secret))

    assert signer.public_key.hex() == public
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    VERIFIER.check_key(bytes.fromhex(public))
    VERIFIER.verify(*(bytes.fromhex(text) for text in (public, message, signature)))


def test_any_changed_bit_is_refused(signer):
    signature = signer.sign(b"message")
    VERIFIER.verify(signer.public_key, b"message", signature)

    for bit in range(0, 512, 5):
        with pytest.raises(BadSignature):
            VERIFIER.verify(signer.public_key, b"message", flip(signature, bit))
    with pytest.raises(BadSignature):
        VERIFIER.verify(signer.public_key, b"massage", signature)
    with pytest.raises(BadSignature):
        VERIFIER.verify(Ed25519Signer(bytes(32)).public_key, b"message", signature)


def test_s_plus_the_order_is_refused(signer):
    signature = signer.sign(b"message")
    s = int.from_bytes(signature[32:], "little") + L

    with pytest.raises(BadSignature, match="order"):
        VERIFIER.verify(signer.public_key, b"message", signature[:32] + s.to_bytes(32, "little"))


@pytest.mark.parametrize("length", [0, 32, 63, 65])
def test_a_signature_has_64_bytes(signer, length):
    with pytest.raises(BadSignature):
        VERIFIER.verify(signer.public_key, b"", bytes(length))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_keys_and_secrets_have_32_bytes(length):
    with pytest.raises(BadPoint):
        VERIFIER.check_key(bytes(length))
    with pytest.raises(BadSignature):
        VERIFIER.verify(bytes(length), b"", bytes(64))
    with pytest.raises(BadLength):
        Ed25519Signer(bytes(length))


def small_order_keys() -> list[bytes]:
    """All 8 points of order 1, 2, 4 and 8."""
    # A point of order 8: L times a point outside the prime-order subgroup.
    for y in range(2, 50):
        on_curve, x = r.sqrt_ratio_m1((y * y - 1) % r.P, (r.D * y * y + 1) % r.P)
        if not on_curve:
            continue
        torsion = multiply(L, (x, y, 1, x * y % r.P))
        orbit = [r.normalise([multiply(i, torsion)])[0] for i in range(8)]
        if len({(x, y) for x, y, _, _ in orbit}) == 8:
            return [encode_edwards(x, y) for x, y, _, _ in orbit]
    raise AssertionError("no point of order 8")


def multiply(scalar: int, point: r.Point) -> r.Point:
    result = r.ZERO
    for bit in f"{scalar:b}":
        result = r.double_times(result, 1)
        if bit == "1":
            result = r.add(result, point)
    return result


def encode_edwards(x: int, y: int) -> bytes:
    return (y | (x & 1) << 255).to_bytes(32, "little")


def test_keys_of_small_order_are_refused():
    keys = small_order_keys()
    assert len(set(keys)) == 8
    for key in keys:
        with pytest.raises(BadPoint):
            VERIFIER.check_key(key)


def test_a_key_of_small_order_signs_nothing():
    """Without the check R = O, S = 0 under the identity key signs every message."""
    identity = encode_edwards(0, 1)

    with pytest.raises(BadSignature):
        VERIFIER.verify(identity, b"anything", identity + bytes(32))


def test_keys_that_are_not_canonical_are_refused():
    # y + p for every y that fits into 255 bits, and a sign without an x.
    bad = [(y + r.P) | sign << 255 for y in range(19) for sign in (0, 1)]
    bad += [1 | 1 << 255, (r.P - 1) | 1 << 255]
    for value in bad:
        with pytest.raises(BadPoint):
            VERIFIER.check_key(value.to_bytes(32, "little"))


def test_keys_off_the_curve_are_refused():
    off = [
        y
        for y in range(2, 40)
        if not r.sqrt_ratio_m1((y * y - 1) % r.P, (r.D * y * y + 1) % r.P)[0]
    ]
    assert len(off) > 10
    for y in off:
        with pytest.raises(BadPoint):
            VERIFIER.check_key(y.to_bytes(32, "little"))


def test_the_equation_is_cofactorless(signer):
    """A signature that only holds after multiplying by 8 is refused by everybody."""
    secret, message = 0x1234567, b"message"
    base = base_point()
    torsion = decode_edwards(next(key for key in small_order_keys() if is_order_8(key)))
    public = encode_point(multiply(secret, base))
    # R with a part of order 8: 8*S*B = 8*R + 8*k*A, but S*B != R + k*A.
    R = encode_point(r.add(multiply(77, base), torsion))
    k = int.from_bytes(hashlib.sha512(R + public + message).digest(), "little") % L
    s = (77 + k * secret) % L

    with pytest.raises(BadSignature):
        VERIFIER.verify(public, message, R + s.to_bytes(32, "little"))
    # The same without the part of order 8 is a signature.
    R = encode_point(multiply(77, base))
    k = int.from_bytes(hashlib.sha512(R + public + message).digest(), "little") % L
    s = (77 + k * secret) % L
    VERIFIER.verify(public, message, R + s.to_bytes(32, "little"))


def base_point() -> r.Point:
    return decode_edwards((4 * pow(5, -1, r.P) % r.P).to_bytes(32, "little"))


def decode_edwards(key: bytes) -> r.Point:
    encoded = int.from_bytes(key, "little")
    y = encoded % 2**255
    _, x = r.sqrt_ratio_m1((y * y - 1) % r.P, (r.D * y * y + 1) % r.P)
    if x & 1 != encoded >> 255:
        x = -x % r.P
    return x, y, 1, x * y % r.P


def encode_point(point: r.Point) -> bytes:
    x, y, _, _ = r.normalise([point])[0]
    return encode_edwards(x, y)


def is_order_8(key: bytes) -> bool:
    return encode_point(multiply(4, decode_edwards(key))) != encode_edwards(0, 1)
