"""Shufflers that cheat: each is refused, and each equation is needed for one of them.

The cheats are made by the open prover of `literal`, whose honest proofs are those of the product. The six that
matter most run on each backend, the others on libsodium.
"""

from functools import cache

import pytest

from p2pokey.crypto import shuffle
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import BASE_POINT, Group, L, encode_scalar, split32
from p2pokey.crypto.reencrypt import columns, rows
from p2pokey.crypto.shuffle import shuffle_deck, verify_shuffle
from p2pokey.errors import ShuffleInvalid
from tests.crypto.literal import Statement, apply, failing, permutation_matrix, prove
from tests.crypto.support import (
    CTX,
    SEED,
    fresh_deck,
    get_cell,
    put_cell,
    random_points,
    some_scalars,
)

N = 4
HALF = pow(2, -1, L)
PERM = (2, 0, 3, 1)
SAME = tuple(range(N))
R = some_scalars("cheat-r", N)


@cache
def key_and_deck(group: Group) -> tuple[bytes, bytes]:
    key = group.base_mul(some_scalars("cheat-key", 1))
    deck = shuffle_deck(group, seed=bytes(32), ctx=CTX, key=key, deck=fresh_deck(group, N))
    return key, deck


def matrix(*changes: tuple[int, int, int], perm: tuple[int, ...] = SAME) -> list[list[int]]:
    """The permutation matrix with entries (row, column, value) changed."""
    result = permutation_matrix(perm)
    for row, column, value in changes:
        result[row][column] = value % L
    return result


def make(group, outputs, *, r=R, change=lambda group, deck_out: deck_out, **cheat):
    """A statement whose outputs are these combinations of the inputs, and a proof for it."""
    key, deck = key_and_deck(group)
    deck_out = change(group, apply(group, key, deck, outputs, r))
    statement = Statement(group, CTX, key, deck, deck_out)
    cheat.setdefault("perm", SAME)
    proof, _ = prove(statement, seed=SEED, r=r, **cheat)
    return statement, proof


def verdict(statement, proof):
    """Whether the product accepts."""
    try:
        verify_shuffle(
            statement.group,
            ctx=statement.ctx,
            key=statement.key,
            deck_in=statement.deck_in,
            deck_out=statement.deck_out,
            proof=proof,
        )
    except ShuffleInvalid:
        return False
    return True


def test_the_open_prover_can_be_honest(group):
    statement, proof = make(group, permutation_matrix(PERM), perm=PERM)

    assert failing(statement, proof) == set()
    assert verdict(statement, proof)


# For each family of equations a cheat that only this family catches: a verifier without it would
# accept. The comment says what the cheat does.


def only_equation_1(group):
    # Tiles 2M and M/2: the weights multiply to the same product, but do not add up to h_0 + h_1.
    weights = matrix((0, 0, 2), (1, 1, HALF))
    return make(group, matrix((0, 0, HALF), (1, 1, 2)), committed=weights, used=weights)


def only_equation_2(group):
    # Mixed tiles e/2 and e' + e/2: rows add up to 1, but the product of the weights differs.
    weights = matrix((0, 0, 2), (0, 1, -1))
    return make(group, matrix((0, 0, HALF), (1, 0, HALF)), committed=weights, used=weights)


def only_equation_3(group):
    # An honest commitment, and responses made with other weights of the same product.
    outputs = matrix((0, 0, HALF), (1, 1, 2))
    return make(group, outputs, used=matrix((0, 0, 2), (1, 1, HALF)))


def only_equation_4a(group):
    # C1 of an entry altered: nobody could open it.
    def alter(group, deck):
        return put_cell(deck, 0, group.add(get_cell(deck, 0), BASE_POINT))

    return make(group, permutation_matrix(PERM), perm=PERM, change=alter)


def only_equation_4b(group):
    # C2 of an entry altered: another tile.
    def alter(group, deck):
        return put_cell(deck, 1, group.add(get_cell(deck, 1), random_points(group, 1)))

    return make(group, permutation_matrix(PERM), perm=PERM, change=alter)


def only_equation_5(group):
    # Mixed tiles again, and the chain ends as if the product were right.
    weights = matrix((0, 0, 2), (0, 1, -1))
    return make(
        group,
        matrix((0, 0, HALF), (1, 0, HALF)),
        committed=weights,
        used=weights,
        forge_chain_end=True,
    )


@pytest.mark.parametrize(
    ("equation", "cheat"),
    [
        ("1", only_equation_1),
        ("2", only_equation_2),
        ("3", only_equation_3),
        ("4a", only_equation_4a),
        ("4b", only_equation_4b),
        ("5", only_equation_5),
    ],
)
def test_each_equation_is_needed(group, equation, cheat):
    statement, proof = cheat(group)

    assert failing(statement, proof) == {equation}
    assert not verdict(statement, proof)


# Tiles duplicated, dropped or replaced, with every claim a cheater could make about it.

DUPLICATE = matrix((1, 1, 0), (1, 0, 1))
"""Outputs 0 and 1 are both input 0; input 1 is gone."""


@pytest.mark.parametrize(
    "claim",
    [
        {},
        {"committed": DUPLICATE, "used": DUPLICATE},
        {"committed": DUPLICATE},
        {"used": DUPLICATE},
        {"perm": PERM},
        {"committed": DUPLICATE, "used": DUPLICATE, "forge_chain_end": True},
    ],
    ids=["false-map", "true-map", "committed", "used", "other-permutation", "forged-chain"],
)
def test_a_duplicated_tile(sodium, claim):
    statement, proof = make(sodium, DUPLICATE, **claim)

    assert failing(statement, proof)
    assert not verdict(statement, proof)


@pytest.mark.parametrize(
    "bad",
    [
        matrix((0, 1, 1)),
        matrix((0, 0, 0)),
        matrix((0, 1, 1), (2, 2, 0)),
        matrix((0, 0, 0), (0, 1, 1)),
        [[0] * N] * N,
        [[1] * N] * N,
    ],
    ids=["two-in-a-row", "empty-row", "row-of-two-and-empty", "two-in-a-column", "zero", "ones"],
)
def test_a_commitment_to_a_matrix_that_is_no_permutation(sodium, bad):
    for claim in ({"committed": bad}, {"committed": bad, "used": bad}):
        statement, proof = make(sodium, permutation_matrix(PERM), perm=PERM, **claim)
        assert failing(statement, proof)
        assert not verdict(statement, proof)


def replace_tile(group, deck):
    c1, c2 = columns(deck)
    c2 = put_cell(c2, 2, group.add(get_cell(c2, 2), random_points(group, 1)))
    return rows(c1, c2)


@pytest.mark.parametrize(
    "edit",
    [
        replace_tile,
        lambda group, deck: deck[:64] * 2 + deck[128:],
        lambda group, deck: BASE_POINT * 2 + deck[64:],
        lambda group, deck: put_cell(deck, 3, group.mul([5], get_cell(deck, 3))),
        lambda group, deck: group.mul([5, 5], deck[:64]) + deck[64:],
        lambda group, deck: group.sub(bytes(64), deck[:64]) + deck[64:],
        lambda group, deck: deck[64:128] + deck[:64] + deck[128:],
        lambda group, deck: rows(*reversed(columns(deck))),
    ],
    ids=[
        "replaced",
        "repeated",
        "known-point",
        "scaled-C2",
        "scaled",
        "negated",
        "swapped",
        "columns-exchanged",
    ],
)
def test_an_edited_output(sodium, edit):
    """The proof is made for the edited output, so only the equations can catch it."""
    statement, proof = make(sodium, permutation_matrix(PERM), perm=PERM, change=edit)

    assert failing(statement, proof)
    assert not verdict(statement, proof)


def test_equal_randomness_is_refused_although_the_proof_holds(sodium):
    """Two tiles with one C1: the proof is true, but the next seat could not shuffle that deck."""
    key, _ = key_and_deck(sodium)
    deck, r = fresh_deck(sodium, N), [R[0], R[0], R[2], R[3]]
    deck_out = apply(sodium, key, deck, permutation_matrix(PERM), r)
    statement = Statement(sodium, CTX, key, deck, deck_out)
    proof, _ = prove(statement, seed=SEED, perm=PERM, r=r)

    assert failing(statement, proof) == set()
    assert not verdict(statement, proof)


def test_a_wrong_permutation(sodium):
    statement, proof = make(sodium, permutation_matrix(PERM), perm=(0, 2, 3, 1))

    assert not verdict(statement, proof)


@pytest.mark.parametrize("entry", range(N))
def test_wrong_randomness(sodium, entry):
    key, deck = key_and_deck(sodium)
    deck_out = apply(sodium, key, deck, permutation_matrix(PERM), R)
    wrong = [r + (i == entry) for i, r in enumerate(R)]
    statement = Statement(sodium, CTX, key, deck, deck_out)

    proof, _ = prove(statement, seed=SEED, perm=PERM, r=wrong)

    assert failing(statement, proof) == {"4a", "4b"}
    assert not verdict(statement, proof)


def test_two_errors_that_cancel_without_weights(sodium):
    """t_1 and t_2 moved apart: each equation fails, their plain sum would hold."""
    statement, proof = make(sodium, permutation_matrix(PERM), perm=PERM)
    for first, second in ((2 * N, 2 * N + 1), (2 * N + 3, 2 * N + 4)):
        moved = put_cell(proof, first, sodium.add(get_cell(proof, first), BASE_POINT))
        moved = put_cell(moved, second, sodium.sub(get_cell(proof, second), BASE_POINT))
        assert not verdict(statement, moved)


# The weights of the one big sum are drawn after the responses: whoever knew them could balance.


def balance(group, statement, proof, *, hashed_responses):
    """s_1 and s_2 changed so that the sum stays O under weights that ignore the change."""
    T = statement.transcript()
    points, responses = proof[: 32 * (3 * N + 5)], proof[32 * (3 * N + 5) :]
    T.add("c", points[: 32 * N])
    T.scalars("u", N)
    T.add("chain", points[32 * N : 64 * N])
    T.add("t", points[64 * N : 64 * N + 160])
    T.add("that", points[64 * N + 160 :])
    T.scalars("x", 1)
    if hashed_responses:
        T.add("s", responses)
    b_2 = T.scalars("w", N + 4)[0]
    s_1, s_2 = (int.from_bytes(get_cell(responses, i), "little") for i in (0, 1))
    changed = encode_scalar(s_1 + 1) + encode_scalar(s_2 - pow(b_2, -1, L))
    return points + changed + responses[64:]


def test_responses_cannot_be_balanced_against_the_weights(group, monkeypatch):
    statement, proof = make(group, permutation_matrix(PERM), perm=PERM)
    add = FiatShamir.add

    def add_without_responses(self, label, data):
        if label != "s":
            add(self, label, data)

    balanced = balance(group, statement, proof, hashed_responses=False)
    assert failing(statement, balanced) == {"1", "2"}
    assert not verdict(statement, balanced)
    assert not verdict(statement, balance(group, statement, proof, hashed_responses=True))

    monkeypatch.setattr(FiatShamir, "add", add_without_responses)
    assert verdict(statement, balanced)


# The statement is part of the challenge: a forger who may choose outputs afterwards wins without.


def shift_outputs(group, statement, proof):
    """Two more tiles' worth of C2 that cancel under the responses already made."""
    s_0, s_1 = (
        int.from_bytes(get_cell(proof, index), "little") for index in (4 * N + 9, 4 * N + 10)
    )
    tile = random_points(group, 1)
    c1, c2 = columns(statement.deck_out)
    shift = group.mul([s_1, -s_0], tile * 2)
    return rows(c1, group.add(c2[:64], shift) + c2[64:])


def test_outputs_cannot_be_solved_for_after_the_challenge(group, monkeypatch):
    class WithoutOutputs(shuffle.Statement):
        def challenges(self):
            whole = self.deck_out
            object.__setattr__(self, "deck_out", b"")
            try:
                return super().challenges()
            finally:
                object.__setattr__(self, "deck_out", whole)

    key, deck = key_and_deck(group)
    with monkeypatch.context() as weak:
        weak.setattr(shuffle, "Statement", WithoutOutputs)
        deck_out, proof = shuffle.prove_shuffle(group, seed=SEED, ctx=CTX, key=key, deck=deck)
        forged = shift_outputs(group, Statement(group, CTX, key, deck, deck_out), proof)
        assert len(set(split32(forged)) - set(split32(deck_out))) == 2
        inputs = {"ctx": CTX, "key": key, "deck_in": deck, "deck_out": forged, "proof": proof}
        verify_shuffle(group, **inputs)

    with pytest.raises(ShuffleInvalid):
        verify_shuffle(group, **inputs)


@pytest.mark.parametrize(
    "change",
    [
        {"ctx": bytes(64)},
        {"key": BASE_POINT},
        {"deck_in": "swap"},
        {"deck_out": "swap"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_part_of_the_statement_changes_the_challenge(sodium, change):
    key, deck = key_and_deck(sodium)
    parts = {"ctx": CTX, "key": key, "deck_in": deck, "deck_out": deck[64:] + deck[:64]}
    changed = parts | {
        name: parts[name][32:] + parts[name][:32] if value == "swap" else value
        for name, value in change.items()
    }

    before, after = (shuffle.Statement(**p).challenges().digest() for p in (parts, changed))

    assert before != after
