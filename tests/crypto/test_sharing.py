"""Shares of a hand key: enough of them stand in for it, fewer say nothing."""

from itertools import combinations

import pytest

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import BASE_POINT, IDENTITY, L, encode_scalar, split32
from p2pokey.crypto.sharing import (
    check_sharing,
    combine_shares,
    combine_tokens,
    commit_polynomial,
    lagrange_at_zero,
    open_share,
    seal_key,
    seal_key_from_dh,
    seal_share,
    share_for,
    share_polynomial,
    share_public_key,
)
from p2pokey.errors import BadLength, BadPoint, ShareInvalid
from p2pokey.native.sealing import ChaChaSealer
from tests.crypto.support import CTX, NOT_A_POINT, SEED, flip, put_cell, random_points, some_scalars

SECRET = some_scalars("sharing", 1)[0]
DEALER, HOLDERS = 1, (0, 2, 3)
T = 3
SEALER = ChaChaSealer()


def polynomial(t=T):
    return share_polynomial(SEED, CTX, t)


def shares(t=T):
    return {seat: share_for(SECRET, polynomial(t), seat) for seat in HOLDERS}


@pytest.fixture
def dealt(group):
    return {
        "public": group.base_mul([SECRET]),
        "commitments": commit_polynomial(group, polynomial()),
    }


def test_coefficients_follow_from_the_seed():
    stream = Drbg(SEED, "vss", CTX)

    assert polynomial() == (stream.scalar(), stream.scalar())
    assert polynomial(1) == ()


def test_a_share_is_the_polynomial_at_seat_plus_one():
    a_1, a_2 = polynomial()
    for seat in HOLDERS:
        z = seat + 1
        assert shares()[seat] == (SECRET + a_1 * z + a_2 * z * z) % L


@pytest.mark.parametrize("t", [1, 2, 3])
def test_t_shares_give_the_secret_and_fewer_do_not(t):
    for some in combinations(HOLDERS, t):
        assert combine_shares({seat: shares(t)[seat] for seat in some}) == SECRET
    for fewer in combinations(HOLDERS, t - 1):
        assert combine_shares({seat: shares(t)[seat] for seat in fewer}) != SECRET


def test_fewer_than_t_shares_fit_every_secret():
    """For any other secret there is a polynomial through the same two shares."""
    known = {0: shares()[0], 2: shares()[2]}
    other = SECRET + 1
    # The third share that makes the secret `other`.
    weights = dict(zip((0, 2, 3), lagrange_at_zero((0, 2, 3)), strict=True))
    rest = other - weights[0] * known[0] - weights[2] * known[2]
    third = rest * pow(weights[3], -1, L) % L

    assert combine_shares(known | {3: third}) == other


def test_share_keys_follow_from_the_commitments(group, dealt):
    keys = check_sharing(group, **dealt, t=T, seats=HOLDERS)

    assert list(keys) == list(HOLDERS)
    for seat in HOLDERS:
        assert keys[seat] == group.base_mul([shares()[seat]])
        assert keys[seat] == share_public_key(group, **dealt, seat=seat)


def test_identities_in_a_sharing_are_refused(group, dealt):
    for index in range(T - 1):
        commitments = put_cell(dealt["commitments"], index, IDENTITY)
        with pytest.raises(ShareInvalid):
            check_sharing(
                group, public=dealt["public"], commitments=commitments, t=T, seats=HOLDERS
            )
    with pytest.raises(ShareInvalid):
        check_sharing(group, **dealt | {"public": IDENTITY}, t=T, seats=HOLDERS)


def test_a_share_key_that_is_the_identity_is_refused(group):
    # f(z) = 3 - z has f(3) = 0: the share of seat 2 would be zero.
    public, commitments = group.base_mul([3]), group.base_mul([-1])

    with pytest.raises(ShareInvalid):
        check_sharing(group, public=public, commitments=commitments, t=2, seats=HOLDERS)
    check_sharing(group, public=public, commitments=commitments, t=2, seats=(0, 1, 3))


def test_commitments_of_the_wrong_form_are_refused(group, dealt):
    for change in (
        {"commitments": dealt["commitments"][:-32]},
        {"commitments": dealt["commitments"] + BASE_POINT},
        {"commitments": dealt["commitments"][:-1]},
        {"public": dealt["public"][:-1]},
    ):
        with pytest.raises(BadLength):
            check_sharing(group, **dealt | change, t=T, seats=HOLDERS)
    for index in range(T - 1):
        commitments = put_cell(dealt["commitments"], index, NOT_A_POINT)
        with pytest.raises(BadPoint):
            check_sharing(
                group, public=dealt["public"], commitments=commitments, t=T, seats=HOLDERS
            )


def sealed_for(group, seat):
    """Sealing keys and the sealed share of a holder."""
    e_dealer, e_holder = some_scalars("sealing", 2)
    E_dealer, E_holder = split32(group.base_mul([e_dealer, e_holder]))
    key = seal_key(group, CTX, e_dealer, E_holder)
    assert key == seal_key(group, CTX, e_holder, E_dealer)
    return key, seal_share(SEALER, key=key, ctx=CTX, share=shares()[seat])


def test_the_holder_opens_its_share(group, dealt):
    key, sealed = sealed_for(group, 2)
    share_public = share_public_key(group, **dealt, seat=2)

    share = open_share(group, SEALER, key=key, ctx=CTX, sealed=sealed, share_public=share_public)

    assert len(sealed) == 48
    assert share == shares()[2]


def test_the_sealing_key_formula(group):
    e, other = some_scalars("sealing", 2)
    dh = group.base_mul([e * other])
    state = FiatShamir("seal")
    state.add("ctx", CTX)
    state.add("dh", dh)

    assert seal_key(group, CTX, e, group.base_mul([other])) == state.digest()[:32]
    assert seal_key_from_dh(CTX, dh) == state.digest()[:32]
    assert seal_key_from_dh(flip(CTX, 0), dh) != state.digest()[:32]


def test_bad_sealed_shares_are_refused(group, dealt):
    key, sealed = sealed_for(group, 2)
    share_public = share_public_key(group, **dealt, seat=2)
    wrong = {
        "altered": (key, CTX, flip(sealed, 5)),
        "altered-tag": (key, CTX, flip(sealed, 383)),
        "truncated": (key, CTX, sealed[:-1]),
        "empty": (key, CTX, b""),
        "other-key": (flip(key, 0), CTX, sealed),
        "other-context": (key, flip(CTX, 0), sealed),
        "another-share": (key, CTX, seal_share(SEALER, key=key, ctx=CTX, share=5)),
        "zero": (key, CTX, seal_share(SEALER, key=key, ctx=CTX, share=0)),
        "not-canonical": (
            key,
            CTX,
            SEALER.seal(key, bytes(12), (shares()[2] + L).to_bytes(32, "little"), CTX),
        ),
        "too-short": (key, CTX, SEALER.seal(key, bytes(12), b"short", CTX)),
    }
    for k, ctx, ciphertext in wrong.values():
        with pytest.raises(ShareInvalid):
            open_share(group, SEALER, key=k, ctx=ctx, sealed=ciphertext, share_public=share_public)


def test_a_complaint_shows_the_dealers_share_to_everybody(group, dealt):
    """Holder 2 publishes e_k*E_j with a proof; anybody then opens the sealed share."""
    e_dealer, e_holder = some_scalars("sealing", 2)
    E_dealer, E_holder = split32(group.base_mul([e_dealer, e_holder]))
    _, sealed = sealed_for(group, 2)

    dh, proof = prove_dleq(
        group, seed=SEED, ctx=CTX, secret=e_holder, public=E_holder, points=E_dealer
    )

    verify_dleq(group, ctx=CTX, public=E_holder, points=E_dealer, tokens=dh, proof=proof)
    share = open_share(
        group,
        SEALER,
        key=seal_key_from_dh(CTX, dh),
        ctx=CTX,
        sealed=sealed,
        share_public=share_public_key(group, **dealt, seat=2),
    )
    assert encode_scalar(share) == encode_scalar(shares()[2])


def test_helpers_stand_in_for_the_absent_seat(group, dealt):
    points = random_points(group, 2)
    tokens = {}
    for seat in HOLDERS:
        Z = share_public_key(group, **dealt, seat=seat)
        tokens[seat], proof = prove_dleq(
            group, seed=SEED, ctx=CTX, secret=shares()[seat], public=Z, points=points
        )
        verify_dleq(group, ctx=CTX, public=Z, points=points, tokens=tokens[seat], proof=proof)

    assert combine_tokens(group, tokens) == group.mul_one_scalar(SECRET, points)
    reordered = dict(reversed(list(tokens.items())))
    assert combine_tokens(group, reordered) == group.mul_one_scalar(SECRET, points)


def test_too_few_helpers_get_nothing(group):
    points = random_points(group, 1)
    for some in combinations(HOLDERS, T - 1):
        tokens = {seat: group.mul_one_scalar(shares()[seat], points) for seat in some}
        assert combine_tokens(group, tokens) != group.mul_one_scalar(SECRET, points)


def test_helpers_must_send_equally_many_tokens(group):
    with pytest.raises(BadLength):
        combine_tokens(group, {0: BASE_POINT, 2: BASE_POINT * 2})
    with pytest.raises(BadLength):
        combine_tokens(group, {})
    with pytest.raises(BadLength):
        combine_tokens(group, {0: b"\0"})
    with pytest.raises(BadPoint):
        combine_tokens(group, {0: NOT_A_POINT, 2: BASE_POINT})
