"""Attacks on mental poker that shipped programs fell to, tried on ours (docs/protocol.md S17)."""

import pytest

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, split32
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.crypto.reencrypt import columns, shuffle_secrets
from p2pokey.crypto.shuffle import prove_shuffle, shuffle_deck, verify_shuffle
from p2pokey.errors import BadPoint, DleqInvalid, PopInvalid, ShuffleInvalid
from tests.crypto.support import CTX, fresh_deck, other_encodings, random_points, some_scalars

DECK = 106
MASKED_DECKS = 40
SECRET = some_scalars("attack-key", 1)[0]


def masked_decks(group: Group, count: int) -> list[tuple[tuple[int, ...], bytes]]:
    """Shuffled decks and what only the shuffler knows: the tile at each position."""
    key = group.base_mul([SECRET])
    deck = fresh_deck(group, DECK)
    result = []
    for number in range(count):
        seed = bytes([number]) * 32
        perm, _ = shuffle_secrets(seed, CTX, deck)
        result.append((perm, shuffle_deck(group, seed=seed, ctx=CTX, key=key, deck=deck)))
    return result


def test_no_bit_of_a_masked_tile_tells_the_tile(sodium):
    """1: a public predicate that survives masking, like the quadratic residue of SRA poker."""
    samples = [
        (tile % 2, int.from_bytes(masked[64 * i : 64 * i + 64], "little"))
        for perm, masked in masked_decks(sodium, MASKED_DECKS)
        for i, tile in enumerate(perm)
    ]
    for bit in range(512):
        if bit % 256 in (0, 255):
            continue  # always zero in an encoding
        agree = sum((encoded >> bit & 1) == tile for tile, encoded in samples)
        # Five standard deviations; the decks are fixed, so this cannot flicker.
        assert abs(agree - len(samples) / 2) < 2.5 * len(samples) ** 0.5


def test_tiles_are_not_named_by_known_multiples(sodium):
    """2: cards encoded as 1G..nG, or as anything with a small relation, are read off the deck."""
    (_, masked), (_, other) = masked_decks(sodium, 2)
    tiles = split32(columns(fresh_deck(sodium, DECK))[1])
    known = set(tiles) | set(split32(sodium.base_mul(list(range(200)))))
    key = sodium.base_mul([SECRET])
    c1, c2 = columns(masked)
    o1, o2 = columns(other)
    candidates = [
        c1,
        c2,
        sodium.sub(c2, c1),
        sodium.sub(c2, key * DECK),
        sodium.sub(c2, o2),
        sodium.sub(c1, o1),
        sodium.sub(c2[32:], c2[:-32]),
    ]

    assert not known & {cell for points in candidates for cell in split32(points)}


def test_tiles_have_no_small_linear_relation(sodium):
    """2: no sum or difference of two tiles is a tile, a small multiple of G, or another pair's."""
    tiles = split32(columns(fresh_deck(sodium, 40))[1])
    pairs = [(a, b) for i, a in enumerate(tiles) for b in tiles[:i]]
    left, right = (b"".join(side) for side in zip(*pairs, strict=True))
    sums = split32(sodium.add(left, right))
    differences = split32(sodium.sub(left, right))
    multiples = split32(sodium.base_mul(list(range(200))))

    everything = [*tiles, *sums, *differences, *multiples]
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize("alias", other_encodings(IDENTITY), ids=lambda a: a.hex()[-4:])
def test_the_identity_in_disguise_is_no_point(group, alias):
    """3: bytes that are not those of O, and that a careless decoder reads as O."""
    public, points = group.base_mul([SECRET]), random_points(group, 2)
    deck = fresh_deck(group, 2)
    out, proof = prove_shuffle(group, seed=bytes(32), ctx=CTX, key=public, deck=deck)
    shuffled = {"ctx": CTX, "key": public, "deck_in": deck, "deck_out": out, "proof": proof}
    revealed = {"ctx": CTX, "public": public, "points": points, "tokens": points}
    revealed["proof"] = bytes(64)

    for change in ({"key": alias}, {"deck_out": alias + out[32:]}, {"deck_in": alias + deck[32:]}):
        with pytest.raises(BadPoint):
            verify_shuffle(group, **shuffled | change)
    for name in ("public", "points", "tokens"):
        changed = alias if name == "public" else alias + points[32:]
        with pytest.raises(BadPoint):
            verify_dleq(group, **revealed | {name: changed})
    with pytest.raises(BadPoint):
        verify_possession(group, ctx=CTX, public=alias, proof=bytes(64))


def test_a_reflected_key_is_not_proved(group):
    """8: a seat repeats another's key together with its proof."""
    public = group.base_mul([SECRET])
    proof = prove_possession(
        group, seed=bytes(32), ctx=b"seat 0" + CTX, secret=SECRET, public=public
    )

    with pytest.raises(PopInvalid):
        verify_possession(group, ctx=b"seat 1" + CTX, public=public, proof=proof)


def test_nothing_can_be_replayed_elsewhere(group):
    """9: tokens and proofs of one hand, seat, position or purpose in another."""
    elsewhere = bytes(64)
    public, points = group.base_mul([SECRET]), random_points(group, 2)
    tokens, token_proof = prove_dleq(
        group, seed=bytes(32), ctx=CTX, secret=SECRET, public=public, points=points
    )
    deck = fresh_deck(group, 3)
    out, shuffle_proof = prove_shuffle(group, seed=bytes(32), ctx=CTX, key=public, deck=deck)

    with pytest.raises(DleqInvalid):
        verify_dleq(
            group,
            ctx=elsewhere,
            public=public,
            points=points,
            tokens=tokens,
            proof=token_proof,
        )
    with pytest.raises(DleqInvalid):
        verify_dleq(
            group,
            ctx=CTX,
            public=public,
            points=random_points(group, 2, "another deck"),
            tokens=tokens,
            proof=token_proof,
        )
    with pytest.raises(ShuffleInvalid):
        verify_shuffle(
            group, ctx=elsewhere, key=public, deck_in=deck, deck_out=out, proof=shuffle_proof
        )


def test_a_shuffler_cannot_pass_on_the_input(group):
    """10 and 20: no shuffle at all, with a proof of another one."""
    public, deck = group.base_mul([SECRET]), fresh_deck(group, 3)
    start = shuffle_deck(group, seed=bytes(32), ctx=CTX, key=public, deck=deck)
    _, proof = prove_shuffle(group, seed=CTX[:32], ctx=CTX, key=public, deck=start)

    with pytest.raises(ShuffleInvalid):
        verify_shuffle(group, ctx=CTX, key=public, deck_in=start, deck_out=start, proof=proof)


def test_nonces_differ_between_statements(group):
    """Two proofs with one nonce and different challenges would give the key away."""
    public, points = group.base_mul([SECRET]), random_points(group, 3)
    proofs = []
    for ctx, some in ((CTX, points), (bytes(64), points), (CTX, points[32:])):
        _, proof = prove_dleq(
            group, seed=bytes(32), ctx=ctx, secret=SECRET, public=public, points=some
        )
        c, s = (int.from_bytes(cell, "little") for cell in split32(proof))
        proofs.append(group.base_mul([s + c * SECRET]))

    assert len(set(proofs)) == 3
    assert IDENTITY not in proofs
    assert BASE_POINT not in proofs
