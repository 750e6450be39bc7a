"""Shuffle proofs: honest ones hold, everything else is refused with its name."""

import inspect
from functools import cache

import pytest

from p2pokey.crypto import shuffle
from p2pokey.crypto.group import BASE_POINT, IDENTITY, L, encode_scalar, split32
from p2pokey.crypto.reencrypt import check_distinct, generators, shuffle_secrets
from p2pokey.crypto.shuffle import (
    proof_size,
    prove_shuffle,
    prove_shuffle_steps,
    shuffle_deck,
    verify_shuffle,
    verify_shuffle_steps,
)
from p2pokey.crypto.steps import run
from p2pokey.errors import (
    BadLength,
    BadPoint,
    BadScalar,
    IdentityPoint,
    OutputIdentity,
    P2POkeyError,
    ShuffleInvalid,
)
from tests.crypto import literal
from tests.crypto.support import (
    ALL_INVALID,
    ALL_INVALID_IDS,
    CTX,
    NOT_A_POINT,
    SEED,
    flip,
    fresh_deck,
    get_cell,
    put_cell,
    random_points,
    some_scalars,
)

KEY_SECRET = some_scalars("shuffle-key", 1)[0]
N = 4


@pytest.fixture
def shuffled(group):
    """A proved shuffle of a deck that has been shuffled before, as verify_shuffle takes it."""
    return make_shuffled(group, N)


@pytest.fixture
def on_sodium(sodium):
    """The same on libsodium alone, for tests that go through every cell."""
    return make_shuffled(sodium, N)


@cache
def make_shuffled(group, n):
    key = group.base_mul([KEY_SECRET])
    deck_in = shuffle_deck(group, seed=bytes(32), ctx=CTX, key=key, deck=fresh_deck(group, n))
    deck_out, proof = prove_shuffle(group, seed=SEED, ctx=CTX, key=key, deck=deck_in)
    return {"ctx": CTX, "key": key, "deck_in": deck_in, "deck_out": deck_out, "proof": proof}


@pytest.mark.parametrize("n", [2, 3, 4, 15])
def test_honest_shuffles_verify(group, n):
    key = group.base_mul([KEY_SECRET])
    deck = fresh_deck(group, n)
    for seed in (SEED, bytes(32)):
        deck_out, proof = prove_shuffle(group, seed=seed, ctx=CTX, key=key, deck=deck)
        assert len(deck_out) == len(deck)
        assert len(proof) == proof_size(n) == 32 * (5 * n + 9)
        verify_shuffle(group, ctx=CTX, key=key, deck_in=deck, deck_out=deck_out, proof=proof)
        deck = deck_out


def test_a_whole_deck_verifies(sodium):
    shuffled = make_shuffled(sodium, 106)

    assert len(shuffled["proof"]) == 17_248
    assert len(shuffled["deck_out"]) == 6_784
    verify_shuffle(sodium, **shuffled)
    with pytest.raises(ShuffleInvalid):
        verify_shuffle(sodium, **shuffled | {"ctx": bytes(64)})


def test_output_holds_the_same_tiles_in_secret_order(group):
    shuffled = make_shuffled(group, 6)
    perm, _ = shuffle_secrets(SEED, CTX, shuffled["deck_in"])

    def opened(deck):
        c1, c2 = shuffle.columns(deck)
        return split32(group.sub(c2, group.mul_one_scalar(KEY_SECRET, c1)))

    before, after = opened(shuffled["deck_in"]), opened(shuffled["deck_out"])
    assert after == [before[i] for i in perm]
    assert perm != tuple(range(6))


def test_the_same_inputs_give_the_same_bytes(group, shuffled):
    again = prove_shuffle(group, seed=SEED, ctx=CTX, key=shuffled["key"], deck=shuffled["deck_in"])

    assert again == (shuffled["deck_out"], shuffled["proof"])
    assert shuffled["deck_out"] == shuffle_deck(
        group, seed=SEED, ctx=CTX, key=shuffled["key"], deck=shuffled["deck_in"]
    )


def test_seed_context_and_input_each_change_the_secrets():
    deck, other = bytes(64 * 8), bytes(64 * 7) + b"\x01" + bytes(63)
    secrets = [
        shuffle_secrets(SEED, CTX, deck),
        shuffle_secrets(bytes(32), CTX, deck),
        shuffle_secrets(SEED, bytes(64), deck),
        shuffle_secrets(SEED, CTX, other),
    ]

    assert len({perm for perm, _ in secrets}) == 4
    assert len({tuple(randomness) for _, randomness in secrets}) == 4


def test_the_prover_follows_the_protocol_word_for_word(group, shuffled):
    perm, randomness = shuffle_secrets(SEED, CTX, shuffled["deck_in"])
    statement = literal.Statement(group, *list(shuffled.values())[:4])
    expected, _ = literal.prove(statement, seed=SEED, perm=perm, r=randomness)

    assert shuffled["proof"] == expected
    assert shuffled["deck_out"] == literal.apply(
        group,
        shuffled["key"],
        shuffled["deck_in"],
        literal.permutation_matrix(perm),
        randomness,
    )
    assert literal.failing(statement, expected) == set()


@pytest.mark.parametrize("step", [1, 2, 7, 100])
def test_slices_change_nothing(group, shuffled, step):
    inputs = {"ctx": CTX, "key": shuffled["key"]}
    steps = prove_shuffle_steps(group, seed=SEED, deck=shuffled["deck_in"], step=step, **inputs)
    assert next(steps) is None
    assert run(steps) == (shuffled["deck_out"], shuffled["proof"])

    run(verify_shuffle_steps(group, **shuffled, step=step))
    with pytest.raises(ShuffleInvalid):
        run(verify_shuffle_steps(group, **shuffled | {"ctx": bytes(64)}, step=step))


def test_a_whole_deck_is_sliced_evenly(sodium):
    shuffled = make_shuffled(sodium, 106)
    proving = prove_shuffle_steps(
        sodium, seed=SEED, ctx=CTX, key=shuffled["key"], deck=shuffled["deck_in"]
    )

    # 1,800 operations to prove and 855 products to verify, about 100 at a time.
    assert 14 <= sum(1 for _ in proving) <= 30
    assert sum(1 for _ in verify_shuffle_steps(sodium, **shuffled)) == 8


def test_trivial_decks_verify(group):
    """Entries that are all public, (O, M), and entries that hide O."""
    key = group.base_mul([KEY_SECRET])
    hidden_identity = group.base_mul([5]) + group.mul([5], key)
    deck = fresh_deck(group, 2) + hidden_identity

    deck_out, proof = prove_shuffle(group, seed=SEED, ctx=CTX, key=key, deck=deck)

    verify_shuffle(group, ctx=CTX, key=key, deck_in=deck, deck_out=deck_out, proof=proof)


# What a prover refuses.


def test_no_interface_takes_a_witness():
    functions = [
        value
        for name, value in vars(shuffle).items()
        if inspect.isfunction(value)
        and value.__module__ == shuffle.__name__
        and not name.startswith("_")
    ]
    arguments = {name for function in functions for name in inspect.signature(function).parameters}

    assert shuffle.prove_shuffle in functions
    assert arguments.isdisjoint({"perm", "randomness", "r", "witness"})


@pytest.mark.parametrize(("from_cell", "to_cell"), [(1, 3), (0, 2), (0, 1), (1, 2)])
def test_a_deck_with_equal_components_is_not_shuffled(group, shuffled, from_cell, to_cell):
    deck = put_cell(shuffled["deck_in"], to_cell, get_cell(shuffled["deck_in"], from_cell))

    with pytest.raises(ShuffleInvalid):
        prove_shuffle(group, seed=SEED, ctx=CTX, key=shuffled["key"], deck=deck)
    with pytest.raises(ShuffleInvalid):
        shuffle_deck(group, seed=SEED, ctx=CTX, key=shuffled["key"], deck=deck)
    with pytest.raises(ShuffleInvalid):
        check_distinct(deck)


def test_a_fresh_deck_has_no_equal_components(group):
    check_distinct(fresh_deck(group, 5))


@pytest.mark.parametrize("size", [0, 63, 64, 129, 64 * 107])
def test_a_deck_has_2_to_106_entries(sodium, size):
    key = sodium.base_mul([KEY_SECRET])
    with pytest.raises(BadLength):
        prove_shuffle(sodium, seed=SEED, ctx=CTX, key=key, deck=bytes(size))
    with pytest.raises(BadLength):
        verify_shuffle(
            sodium, ctx=CTX, key=key, deck_in=bytes(size), deck_out=bytes(size), proof=b""
        )


def test_generators_end_at_106(sodium):
    with pytest.raises(BadLength):
        generators(sodium, 107)


def test_nobody_encrypts_under_the_identity(group, shuffled):
    with pytest.raises(IdentityPoint):
        prove_shuffle(group, seed=SEED, ctx=CTX, key=IDENTITY, deck=shuffled["deck_in"])
    with pytest.raises(IdentityPoint):
        verify_shuffle(group, **shuffled | {"key": IDENTITY})


def test_a_prover_refuses_points_that_are_none(group, shuffled):
    for cell in (0, 1):
        deck = put_cell(shuffled["deck_in"], cell, NOT_A_POINT)
        with pytest.raises(BadPoint):
            prove_shuffle(group, seed=SEED, ctx=CTX, key=shuffled["key"], deck=deck)


# What a verifier refuses.


def test_wrong_lengths(group, shuffled):
    proof, deck_out = shuffled["proof"], shuffled["deck_out"]
    changes = [
        {"proof": proof[:-32]},
        {"proof": proof[:-1]},
        {"proof": proof + bytes(32)},
        {"proof": b""},
        {"deck_out": deck_out[:-64]},
        {"deck_out": deck_out + deck_out[:64]},
        {"deck_in": shuffled["deck_in"][:-64]},
        {"deck_in": shuffled["deck_in"][:-64], "deck_out": deck_out[:-64]},
        {"key": shuffled["key"][:31]},
    ]
    for change in changes:
        with pytest.raises(BadLength):
            verify_shuffle(group, **shuffled | change)


@pytest.mark.parametrize("cell", range(2 * N))
def test_identity_in_an_output(group, shuffled, cell):
    change = {"deck_out": put_cell(shuffled["deck_out"], cell, IDENTITY)}

    with pytest.raises(OutputIdentity):
        verify_shuffle(group, **shuffled | change)


def test_identity_in_the_input_alone_is_no_error(group):
    key = group.base_mul([KEY_SECRET])
    deck = random_points(group, 1) + IDENTITY + fresh_deck(group, 2)
    deck_out, proof = prove_shuffle(group, seed=SEED, ctx=CTX, key=key, deck=deck)

    verify_shuffle(group, ctx=CTX, key=key, deck_in=deck, deck_out=deck_out, proof=proof)


@pytest.mark.parametrize("cell", range(5 * N + 9))
def test_any_bit_flipped_in_any_cell(group, shuffled, cell):
    for bit in (7 * cell % 256, (91 * cell + 3) % 256):
        with pytest.raises((ShuffleInvalid, BadPoint, BadScalar)):
            verify_shuffle(group, **shuffled | {"proof": flip(shuffled["proof"], 256 * cell + bit)})


@pytest.mark.parametrize("cell", range(3 * N + 5, 5 * N + 9))
def test_a_scalar_plus_the_order(group, shuffled, cell):
    value = int.from_bytes(get_cell(shuffled["proof"], cell), "little") + L

    with pytest.raises(BadScalar):
        verify_shuffle(
            group,
            **shuffled | {"proof": put_cell(shuffled["proof"], cell, value.to_bytes(32, "little"))},
        )


@pytest.mark.parametrize("cell", range(3 * N + 5))
def test_replaced_points_of_the_proof(sodium, on_sodium, cell):
    for replacement in (IDENTITY, BASE_POINT, random_points(sodium, 1)):
        with pytest.raises(ShuffleInvalid):
            verify_shuffle(
                sodium, **on_sodium | {"proof": put_cell(on_sodium["proof"], cell, replacement)}
            )


@pytest.mark.parametrize("cell", range(3 * N + 5, 5 * N + 9))
def test_replaced_scalars_of_the_proof(sodium, on_sodium, cell):
    value = int.from_bytes(get_cell(on_sodium["proof"], cell), "little")
    for replacement in (0, 1, value + 1, -value):
        with pytest.raises(ShuffleInvalid):
            verify_shuffle(
                sodium,
                **on_sodium
                | {"proof": put_cell(on_sodium["proof"], cell, encode_scalar(replacement))},
            )


@pytest.mark.parametrize(("why", "bad"), ALL_INVALID, ids=ALL_INVALID_IDS)
def test_invalid_encodings_anywhere(group, shuffled, why, bad):
    changes = [
        {"key": bad},
        {"deck_in": put_cell(shuffled["deck_in"], 2, bad)},
        {"deck_in": put_cell(shuffled["deck_in"], 3, bad)},
        {"deck_out": put_cell(shuffled["deck_out"], 0, bad)},
        {"deck_out": put_cell(shuffled["deck_out"], 2 * N - 1, bad)},
        {"proof": put_cell(shuffled["proof"], 1, bad)},
        {"proof": put_cell(shuffled["proof"], 3 * N + 4, bad)},
    ]
    for change in changes:
        with pytest.raises(BadPoint):
            verify_shuffle(group, **shuffled | change)


@pytest.mark.parametrize("cell", range(3 * N + 5))
def test_every_point_of_the_proof_is_decoded(sodium, on_sodium, cell):
    with pytest.raises(BadPoint):
        verify_shuffle(
            sodium, **on_sodium | {"proof": put_cell(on_sodium["proof"], cell, NOT_A_POINT)}
        )


@pytest.mark.parametrize("field", ["deck_in", "deck_out"])
@pytest.mark.parametrize("cell", range(2 * N))
def test_every_component_counts(sodium, on_sodium, field, cell):
    for replacement in (BASE_POINT, sodium.add(get_cell(on_sodium[field], cell), BASE_POINT)):
        with pytest.raises(ShuffleInvalid):
            verify_shuffle(
                sodium, **on_sodium | {field: put_cell(on_sodium[field], cell, replacement)}
            )
    with pytest.raises(BadPoint):
        verify_shuffle(sodium, **on_sodium | {field: put_cell(on_sodium[field], cell, NOT_A_POINT)})


def test_another_context_or_key(group, shuffled):
    changes = [
        {"ctx": flip(CTX, 0)},
        {"ctx": flip(CTX, 511)},
        {"ctx": b""},
        {"key": group.base_mul([KEY_SECRET + 1])},
        {"key": BASE_POINT},
    ]
    for change in changes:
        with pytest.raises(ShuffleInvalid):
            verify_shuffle(group, **shuffled | change)


def test_swapped_entries(group, shuffled):
    for field in ("deck_in", "deck_out"):
        deck = shuffled[field]
        swapped = deck[64:128] + deck[:64] + deck[128:]
        with pytest.raises(ShuffleInvalid):
            verify_shuffle(group, **shuffled | {field: swapped})


def test_input_and_output_exchanged(group, shuffled):
    exchanged = {"deck_in": shuffled["deck_out"], "deck_out": shuffled["deck_in"]}

    with pytest.raises(ShuffleInvalid):
        verify_shuffle(group, **shuffled | exchanged)


def test_a_proof_over_other_generators(group, shuffled, monkeypatch):
    """With h_i of known logarithm a prover could open its commitments at will."""

    def known(_, count):
        points = group.base_mul(list(range(2, count + 3)))
        return points[:32], points[32:]

    monkeypatch.setattr(shuffle, "generators", known)
    deck_out, proof = prove_shuffle(
        group, seed=SEED, ctx=CTX, key=shuffled["key"], deck=shuffled["deck_in"]
    )
    forged = shuffled | {"deck_out": deck_out, "proof": proof}
    verify_shuffle(group, **forged)
    monkeypatch.undo()

    with pytest.raises(ShuffleInvalid):
        verify_shuffle(group, **forged)


def test_failures_are_errors_of_the_project(group, shuffled):
    """Whatever the bytes, a caller sees one kind of exception."""
    for proof in (bytes(len(shuffled["proof"])), b"\xff" * len(shuffled["proof"])):
        with pytest.raises(P2POkeyError):
            verify_shuffle(group, **shuffled | {"proof": proof})
