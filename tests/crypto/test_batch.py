"""Several shuffle proofs in one sum: the same verdict as one by one (docs/protocol.md S6)."""

from dataclasses import replace

import pytest

from p2pokey.crypto.batch import ShuffleClaim, verify_shuffles_steps
from p2pokey.crypto.group import IDENTITY, Group, encode_scalar, split32
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from p2pokey.crypto.steps import run
from p2pokey.errors import BadPoint, BadScalar, OutputIdentity, P2POkeyError, ShuffleInvalid
from tests.crypto.support import fresh_deck

KEY_SECRET = 987654321


def chain_of(group: Group, sizes: list[int]) -> list[ShuffleClaim]:
    """Shuffles of different decks; equal sizes follow on one another, as in a hand."""
    key = group.base_mul([KEY_SECRET])
    claims: list[ShuffleClaim] = []
    decks: dict[int, bytes] = {}
    for number, size in enumerate(sizes):
        deck_in = decks.get(size, fresh_deck(group, size))
        ctx = bytes([number]) * 64
        deck, proof = prove_shuffle(
            group, seed=bytes([number]) * 32, ctx=ctx, key=key, deck=deck_in
        )
        decks[size] = deck
        claims.append(ShuffleClaim(ctx=ctx, key=key, deck_in=deck_in, deck_out=deck, proof=proof))
    return claims


def test_good_proofs_pass_together(group: Group) -> None:
    run(verify_shuffles_steps(group, chain_of(group, [4, 4, 3, 4, 5])))
    run(verify_shuffles_steps(group, chain_of(group, [3]), step=2))
    run(verify_shuffles_steps(group, []))


@pytest.mark.parametrize("bad", range(3))
def test_one_bad_proof_spoils_the_batch(group: Group, bad: int) -> None:
    claims = chain_of(group, [4, 4, 4])
    cells = split32(claims[bad].proof)
    cells[-1] = encode_scalar(int.from_bytes(cells[-1], "little") + 1)
    claims[bad] = replace(claims[bad], proof=b"".join(cells))
    with pytest.raises(ShuffleInvalid):
        run(verify_shuffles_steps(group, claims))


def test_two_errors_do_not_cancel(group: Group) -> None:
    """The same claim twice, once with +1 and once with -1 in a response."""
    claim = chain_of(group, [4])[0]
    cells = split32(claim.proof)
    value = int.from_bytes(cells[-1], "little")
    pair = [
        replace(claim, proof=b"".join([*cells[:-1], encode_scalar(value + change)]))
        for change in (1, -1)
    ]
    with pytest.raises(ShuffleInvalid):
        run(verify_shuffles_steps(group, pair))


def test_proofs_do_not_pass_for_each_others_statements(group: Group) -> None:
    one, two = chain_of(group, [4, 4])
    with pytest.raises(ShuffleInvalid):
        run(
            verify_shuffles_steps(
                group, [replace(one, proof=two.proof), replace(two, proof=one.proof)]
            )
        )


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda c: replace(c, proof=c.proof[:-32] + b"\xff" * 32), BadScalar),
        (lambda c: replace(c, proof=b"\xff" * 32 + c.proof[32:]), BadPoint),
        (lambda c: replace(c, deck_out=IDENTITY + c.deck_out[32:]), OutputIdentity),
    ],
)
def test_malformed_claims_are_refused_as_one_by_one(
    group: Group, change, error: type[P2POkeyError]
) -> None:
    claims = chain_of(group, [4, 4])
    claims[1] = change(claims[1])
    with pytest.raises(error):
        run(verify_shuffles_steps(group, claims))
    with pytest.raises(error):
        verify_shuffle(
            group,
            ctx=claims[1].ctx,
            key=claims[1].key,
            deck_in=claims[1].deck_in,
            deck_out=claims[1].deck_out,
            proof=claims[1].proof,
        )
