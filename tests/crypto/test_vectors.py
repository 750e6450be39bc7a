"""The committed vectors: recomputed by formula, and by the functions of the product."""

import json

import pytest

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import decode_scalar
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.crypto.reencrypt import shuffle_secrets
from p2pokey.crypto.sharing import (
    commit_polynomial,
    open_share,
    seal_key,
    share_for,
    share_polynomial,
    share_public_key,
)
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.native.sealing import ChaChaSealer
from tests.crypto.support import load
from tests.vectors.make_crypto import vectors

KNOWN = load("crypto.json")


def raw(text: str | list[str]) -> bytes:
    return bytes.fromhex("".join(text))


def scalar(text: str) -> int:
    return decode_scalar(bytes.fromhex(text))


def test_the_formulas_give_the_committed_values(group):
    assert json.loads(json.dumps(vectors(group))) == KNOWN


def test_drbg():
    v = KNOWN["drbg"]

    def start():
        return Drbg(raw(v["key"]), v["label"], raw(v["ctx"]))

    assert start().read(80) == raw(v["stream_80"])
    assert start().scalar() == scalar(v["scalar"])
    assert start().below(106) == v["below_106"]
    assert list(start().perm(10)) == v["perm_10"]


def test_possession(group):
    v = KNOWN["possession"]
    ctx, public, proof = raw(v["ctx"]), raw(v["public"]), raw(v["proof"])

    assert proof == prove_possession(
        group, seed=raw(v["seed"]), ctx=ctx, secret=scalar(v["secret"]), public=public
    )
    verify_possession(group, ctx=ctx, public=public, proof=proof)


@pytest.mark.parametrize("v", KNOWN["dleq"], ids=lambda v: f"m{len(v['points'])}")
def test_dleq(group, v):
    public, points = raw(v["public"]), raw(v["points"])
    expected = raw(v["tokens"]), raw(v["proof"])

    assert expected == prove_dleq(
        group,
        seed=raw(v["seed"]),
        ctx=raw(v["ctx"]),
        secret=scalar(v["secret"]),
        public=public,
        points=points,
    )
    verify_dleq(
        group,
        ctx=raw(v["ctx"]),
        public=public,
        points=points,
        tokens=expected[0],
        proof=expected[1],
    )


@pytest.mark.parametrize("v", KNOWN["shuffle"], ids=lambda v: f"n{len(v['perm'])}")
def test_shuffle(group, v):
    inputs = {"ctx": raw(v["ctx"]), "key": raw(v["key"])}
    deck_in, deck_out, proof = raw(v["deck_in"]), raw(v["deck_out"]), raw(v["proof"])

    perm, randomness = shuffle_secrets(raw(v["seed"]), raw(v["ctx"]), deck_in)

    assert list(perm) == v["perm"]
    assert randomness == [scalar(text) for text in v["r"]]
    assert (deck_out, proof) == prove_shuffle(group, seed=raw(v["seed"]), deck=deck_in, **inputs)
    verify_shuffle(group, deck_in=deck_in, deck_out=deck_out, proof=proof, **inputs)


def test_sharing(group):
    v = KNOWN["sharing"]
    ctx, secret = raw(v["ctx"]), scalar(v["secret"])
    coefficients = share_polynomial(raw(v["seed"]), ctx, len(v["coefficients"]) + 1)
    commitments = commit_polynomial(group, coefficients)
    share_public = share_public_key(
        group, public=group.base_mul([secret]), commitments=commitments, seat=v["seat"]
    )
    key = seal_key(group, ctx, scalar(v["sealing_secret"]), raw(v["other_sealing_key"]))

    assert coefficients == tuple(scalar(text) for text in v["coefficients"])
    assert commitments == raw(v["commitments"])
    assert share_for(secret, coefficients, v["seat"]) == scalar(v["share"])
    assert share_public == raw(v["share_public"])
    assert key == raw(v["seal_key"])
    assert scalar(v["share"]) == open_share(
        group,
        ChaChaSealer(),
        key=key,
        ctx=ctx,
        sealed=raw(v["sealed"]),
        share_public=share_public,
    )
