"""libsodium and plain Python give the same bytes for everything that is sent."""

import pytest

from p2pokey.crypto.dleq import prove_dleq
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.group import Group
from p2pokey.crypto.possession import prove_possession
from p2pokey.crypto.reencrypt import columns
from p2pokey.crypto.shuffle import prove_shuffle, verify_shuffle
from tests.crypto.support import BACKENDS, CTX, fresh_deck, group_of


def play_chain(group: Group, seats: int, n: int) -> list[bytes]:
    """Keys, shuffles and tokens of all seats, each shuffle verified."""
    seeds = [bytes([seat]) * 32 for seat in range(seats)]
    secrets = [Drbg(seed, "keys", CTX).nzscalar() for seed in seeds]
    keys = [group.base_mul([x]) for x in secrets]
    sent = [
        prove_possession(group, seed=seed, ctx=CTX, secret=x, public=X)
        for seed, x, X in zip(seeds, secrets, keys, strict=True)
    ]
    joint = group.sum_points(b"".join(keys))
    deck = fresh_deck(group, n)
    for seat, seed in enumerate(seeds):
        ctx = bytes([seat]) * 64
        out, proof = prove_shuffle(group, seed=seed, ctx=ctx, key=joint, deck=deck)
        verify_shuffle(group, ctx=ctx, key=joint, deck_in=deck, deck_out=out, proof=proof)
        sent += [out, proof]
        deck = out
    for seed, x, X in zip(seeds, secrets, keys, strict=True):
        c1, _ = columns(deck)
        sent += prove_dleq(group, seed=seed, ctx=CTX, secret=x, public=X, points=c1)
    return sent


@pytest.mark.parametrize(("seats", "n"), [(4, 12), (1, 106)])
def test_the_same_bytes_are_sent(seats, n):
    one, other = (play_chain(group_of(name), seats, n) for name in BACKENDS)

    assert one == other
