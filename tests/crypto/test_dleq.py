"""Reveal tokens and their proofs."""

from functools import cache

import pytest

from p2pokey.codec import u32
from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import BASE_POINT, IDENTITY, L, encode_scalar
from p2pokey.errors import BadLength, BadPoint, BadScalar, DleqInvalid, IdentityPoint
from tests.crypto.support import (
    ALL_INVALID,
    ALL_INVALID_IDS,
    CTX,
    SEED,
    flip,
    get_cell,
    put_cell,
    random_points,
    some_scalars,
)

SECRET = some_scalars("dleq", 1)[0]
COUNTS = (1, 2, 5)


@pytest.fixture(params=COUNTS, ids=lambda m: f"m{m}")
def proved(group, request):
    return make_proved(group, request.param)


@pytest.fixture
def batch(group):
    return make_proved(group, 3)


@cache
def make_proved(group, m):
    public, points = group.base_mul([SECRET]), random_points(group, m)
    tokens, proof = prove_dleq(
        group, seed=SEED, ctx=CTX, secret=SECRET, public=public, points=points
    )
    return {"ctx": CTX, "public": public, "points": points, "tokens": tokens, "proof": proof}


def test_honest_tokens_verify_and_repeat(group, proved):
    verify_dleq(group, **proved)

    assert proved["tokens"] == group.mul_one_scalar(SECRET, proved["points"])
    assert make_proved.__wrapped__(group, len(proved["points"]) // 32) == proved


def test_the_formula_of_the_protocol(group, proved):
    m = len(proved["points"]) // 32
    T = FiatShamir("dleq")
    T.add("ctx", CTX)
    T.add("X", proved["public"])
    T.add("m", u32(m))
    T.add("C", proved["points"])
    T.add("D", proved["tokens"])
    M = proved["points"]
    if m > 1:
        d = T.scalars("d", m)
        M = group.sum_points(group.mul(d, proved["points"]))
    Z = group.mul([SECRET], M)
    k = Drbg(SEED, "dleq", T.digest()).scalar()
    A, B = group.base_mul([k]), group.mul([k], M)
    for label, data in (("M", M), ("Z", Z), ("A", A), ("B", B)):
        T.add(label, data)
    c = T.scalars("c", 1)[0]

    assert proved["proof"] == encode_scalar(c) + encode_scalar(k - c * SECRET)


def test_every_altered_token_is_refused(group, proved):
    for index in range(len(proved["tokens"]) // 32):
        token = get_cell(proved["tokens"], index)
        for other in (group.add(token, BASE_POINT), group.mul([2], token), BASE_POINT):
            with pytest.raises(DleqInvalid):
                verify_dleq(group, **proved | {"tokens": put_cell(proved["tokens"], index, other)})


def test_every_altered_point_is_refused(group, proved):
    for index in range(len(proved["points"]) // 32):
        with pytest.raises(DleqInvalid):
            verify_dleq(group, **proved | {"points": put_cell(proved["points"], index, BASE_POINT)})


def test_two_compensating_errors_are_refused(group, batch):
    tokens = batch["tokens"]
    tokens = put_cell(tokens, 0, group.add(get_cell(tokens, 0), BASE_POINT))
    tokens = put_cell(tokens, 1, group.sub(get_cell(tokens, 1), BASE_POINT))
    assert group.sum_points(tokens) == group.sum_points(batch["tokens"])

    with pytest.raises(DleqInvalid):
        verify_dleq(group, **batch | {"tokens": tokens})


def test_two_wrong_tokens_proved_with_the_right_key_are_refused(group, batch, monkeypatch):
    """The prover itself sends tokens that compensate before the weights are known."""
    honest = group.mul_one_scalar

    def cheat(scalar, points):
        tokens = honest(scalar, points)
        if len(points) > 32:
            shift = BASE_POINT + group.sub(IDENTITY, BASE_POINT) + IDENTITY
            tokens = group.add(tokens, shift)
        return tokens

    monkeypatch.setattr(group, "mul_one_scalar", cheat)
    forged = make_proved.__wrapped__(group, 3)
    assert forged["tokens"] != batch["tokens"]

    with pytest.raises(DleqInvalid):
        verify_dleq(group, **forged)


def test_tokens_of_another_key_are_refused(group, batch):
    tokens, proof = prove_dleq(
        group,
        seed=SEED,
        ctx=CTX,
        secret=SECRET + 1,
        public=batch["public"],
        points=batch["points"],
    )

    with pytest.raises(DleqInvalid):
        verify_dleq(group, **batch | {"tokens": tokens, "proof": proof})


def test_swapped_tokens_or_pairs_are_refused(group, batch):
    def rotated(data):
        return data[32:] + data[:32]

    points, tokens = rotated(batch["points"]), rotated(batch["tokens"])
    for change in ({"tokens": tokens}, {"points": points, "tokens": tokens}):
        with pytest.raises(DleqInvalid):
            verify_dleq(group, **batch | change)


def test_a_batch_is_not_the_proof_of_its_parts(group, batch):
    part = {"points": batch["points"][:32], "tokens": batch["tokens"][:32]}

    with pytest.raises(DleqInvalid):
        verify_dleq(group, **batch | part)


@pytest.mark.parametrize("byte", range(64))
def test_any_changed_byte_of_the_proof_is_refused(sodium, byte):
    batch = make_proved(sodium, 3)
    with pytest.raises((DleqInvalid, BadScalar)):
        verify_dleq(sodium, **batch | {"proof": flip(batch["proof"], 8 * byte + byte % 8)})


def test_another_context_or_key_is_refused(group, proved):
    changes = [
        {"ctx": flip(CTX, 0)},
        {"ctx": b""},
        {"public": BASE_POINT},
        {"public": group.base_mul([SECRET + 1])},
    ]
    for change in changes:
        with pytest.raises(DleqInvalid):
            verify_dleq(group, **proved | change)


def test_the_identity_is_refused_everywhere(group, proved):
    last = len(proved["points"]) // 32 - 1
    changes = [
        {"public": IDENTITY},
        {"points": put_cell(proved["points"], last, IDENTITY)},
        {"tokens": put_cell(proved["tokens"], last, IDENTITY)},
    ]
    for change in changes:
        with pytest.raises(IdentityPoint):
            verify_dleq(group, **proved | change)
    with pytest.raises(IdentityPoint):
        prove_dleq(
            group,
            seed=SEED,
            ctx=CTX,
            secret=SECRET,
            public=proved["public"],
            points=put_cell(proved["points"], last, IDENTITY),
        )


@pytest.mark.parametrize(("why", "bad"), ALL_INVALID, ids=ALL_INVALID_IDS)
def test_invalid_encodings(group, batch, why, bad):
    changes = [
        {"public": bad},
        {"points": put_cell(batch["points"], 1, bad)},
        {"tokens": put_cell(batch["tokens"], 2, bad)},
    ]
    for change in changes:
        with pytest.raises(BadPoint):
            verify_dleq(group, **batch | change)


@pytest.mark.parametrize("offset", [0, 32])
def test_a_scalar_plus_the_order_is_refused(group, batch, offset):
    value = int.from_bytes(batch["proof"][offset : offset + 32], "little") + L

    with pytest.raises(BadScalar):
        verify_dleq(
            group,
            **batch
            | {"proof": put_cell(batch["proof"], offset // 32, value.to_bytes(32, "little"))},
        )


def test_wrong_lengths(group, batch):
    changes = [
        {"proof": batch["proof"][:-1]},
        {"proof": batch["proof"] + b"\0"},
        {"tokens": batch["tokens"][:-32]},
        {"tokens": batch["tokens"] + BASE_POINT},
        {"points": b"", "tokens": b""},
        {"points": batch["points"][:-1], "tokens": batch["tokens"][:-1]},
        {"public": batch["public"][:-1]},
    ]
    for change in changes:
        with pytest.raises(BadLength):
            verify_dleq(group, **batch | change)
    with pytest.raises(BadLength):
        prove_dleq(group, seed=SEED, ctx=CTX, secret=SECRET, public=batch["public"], points=b"")


def test_composites_that_are_the_identity_are_refused(group, batch, monkeypatch):
    """Pairs C, -C under equal weights: any response would do."""
    point = batch["points"][:32]
    points = point + group.sub(IDENTITY, point)
    tokens = group.mul_one_scalar(SECRET, points)
    monkeypatch.setattr(FiatShamir, "scalars", lambda self, label, count: [7] * count)

    with pytest.raises(DleqInvalid, match="identity"):
        verify_dleq(group, **batch | {"points": points, "tokens": tokens})
