"""Proofs of possession, and the rogue keys they keep out."""

import pytest

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import BASE_POINT, IDENTITY, L, encode_scalar
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.errors import BadLength, BadPoint, BadScalar, IdentityPoint, PopInvalid
from tests.crypto.support import ALL_INVALID, ALL_INVALID_IDS, CTX, SEED, flip, some_scalars

SECRET = some_scalars("pop", 1)[0]


@pytest.fixture
def proved(group):
    public = group.base_mul([SECRET])
    proof = prove_possession(group, seed=SEED, ctx=CTX, secret=SECRET, public=public)
    return {"ctx": CTX, "public": public, "proof": proof}


def test_an_honest_proof_verifies_and_repeats(group, proved):
    verify_possession(group, **proved)
    again = prove_possession(group, seed=SEED, ctx=CTX, secret=SECRET, public=proved["public"])
    assert again == proved["proof"]


def test_the_formula_of_the_protocol(group, proved):
    k = Drbg(SEED, "pop", CTX + proved["public"]).scalar()
    R = group.base_mul([k])
    T = FiatShamir("pop")
    for label, data in (("ctx", CTX), ("X", proved["public"]), ("R", R)):
        T.add(label, data)
    c = T.scalars("c", 1)[0]

    assert proved["proof"] == R + encode_scalar(k + c * SECRET)


def test_another_context_or_key_is_refused(group, proved):
    changes = [
        {"ctx": flip(CTX, 9)},
        {"ctx": b""},
        {"public": BASE_POINT},
        {"public": group.base_mul([SECRET + 1])},
        {"public": group.base_mul([-SECRET])},
    ]
    for change in changes:
        with pytest.raises(PopInvalid):
            verify_possession(group, **proved | change)


@pytest.mark.parametrize("byte", range(64))
def test_any_changed_byte_is_refused(group, proved, byte):
    with pytest.raises((PopInvalid, BadPoint, BadScalar)):
        verify_possession(group, **proved | {"proof": flip(proved["proof"], 8 * byte + byte % 8)})


def test_the_identity_has_no_secret(group):
    proof = prove_possession(group, seed=SEED, ctx=CTX, secret=0, public=IDENTITY)

    with pytest.raises(IdentityPoint):
        verify_possession(group, ctx=CTX, public=IDENTITY, proof=proof)


@pytest.mark.parametrize(("why", "bad"), ALL_INVALID, ids=ALL_INVALID_IDS)
def test_invalid_encodings(group, proved, why, bad):
    for change in ({"public": bad}, {"proof": bad + proved["proof"][32:]}):
        with pytest.raises(BadPoint):
            verify_possession(group, **proved | change)


def test_a_response_plus_the_order_is_refused(group, proved):
    s = int.from_bytes(proved["proof"][32:], "little") + L

    with pytest.raises(BadScalar):
        verify_possession(
            group, **proved | {"proof": proved["proof"][:32] + s.to_bytes(32, "little")}
        )


def test_wrong_lengths(group, proved):
    changes = [
        {"proof": proved["proof"][:-1]},
        {"proof": proved["proof"] + b"\0"},
        {"proof": b""},
        {"public": proved["public"][:-1]},
    ]
    for change in changes:
        with pytest.raises(BadLength):
            verify_possession(group, **proved | change)


def test_a_rogue_key_cannot_be_proved(group):
    """The last seat wants the joint key to be its own: X = own - sum of the others."""
    others = group.base_mul(some_scalars("others", 3))
    own_secret = 1234
    rogue = group.sub(group.base_mul([own_secret]), group.sum_points(others))
    assert group.sum_points(others + rogue) == group.base_mul([own_secret])

    proof = prove_possession(group, seed=SEED, ctx=CTX, secret=own_secret, public=rogue)

    with pytest.raises(PopInvalid):
        verify_possession(group, ctx=CTX, public=rogue, proof=proof)
