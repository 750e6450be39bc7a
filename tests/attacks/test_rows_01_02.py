"""Rows 1 and 2 of docs/protocol.md S17: masked tiles that can be told apart.

Every distinguisher and cracker is also run on a deck of the kind that fell to it, so that one which
finds nothing in ours is known to find something.
"""

import random
from collections.abc import Iterable
from functools import cache

import pytest

from p2pokey.crypto.fiat_shamir import hash_to_group
from p2pokey.crypto.group import BASE_POINT, IDENTITY, Group, L, split32
from p2pokey.crypto.reencrypt import columns, generators, shuffle_secrets
from p2pokey.crypto.ristretto import P
from p2pokey.crypto.shuffle import shuffle_deck
from p2pokey.deck.points import initial_deck, tile_points
from tests.attacks.crackers import (
    by_multiples,
    by_relations,
    is_square,
    join_integers,
    join_points,
    products_up_to,
)
from tests.crypto.support import CTX, random_points, some_scalars

SECRETS = some_scalars("attack-keys", 2)
DECKS = 1000
TILES = 4


# Row 1: a public property of a masked tile that depends on the tile ---------------------------------


def test_row_01_the_group_has_prime_order(group: Group) -> None:
    """No subgroup, so no small factor of the order through which a bit could leak."""
    assert is_probably_prime(L)
    assert not is_probably_prime(L - 2)
    for order in (2, 3, 4, 8, (P - 1) // 2):
        assert IDENTITY not in split32(group.mul_one_scalar(order, random_points(group, 4)))
    # L acts as 0 in `Group` without a look at the point; L - 1 and 1 go through the backend.
    points = random_points(group, 4)
    assert group.add(group.mul_one_scalar(L - 1, points), points) == IDENTITY * 4


def is_probably_prime(number: int) -> bool:
    """Miller-Rabin to the first twenty primes."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71):
        value = pow(base, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


def test_row_01_tiles_are_hashed_to_the_group_and_all_differ(group: Group) -> None:
    tiles = tile_points(group)
    hashed = [hash_to_group(group, "tile", b"tile" + bytes([number])) for number in range(106)]
    H, h = generators(group, 106)

    assert list(tiles) == hashed
    assert len({IDENTITY, BASE_POINT, H, *split32(h), *tiles}) == 3 + 106 + 106
    assert group.is_valid(b"".join(tiles))


@cache
def masked_tiles(group: Group) -> list[tuple[int, bytes, bytes]]:
    """Tile number, C1 and C2 of every entry of a thousand small decks, each shuffled once."""
    key = group.base_mul(SECRETS[:1])
    deck = initial_deck(group)[: 64 * TILES]
    found = []
    for number in range(DECKS):
        seed = number.to_bytes(32, "little")
        order, _ = shuffle_secrets(seed, CTX, deck)
        c1, c2 = columns(shuffle_deck(group, seed=seed, ctx=CTX, key=key, deck=deck))
        found += zip(order, split32(c1), split32(c2), strict=True)
    return found


def predicates(samples: list[tuple[int, int, int]]) -> dict[str, int]:
    """What a distinguisher may look at, for all samples: bits, residues, quadratic characters."""
    pairs = [(a, b) for _, a, b in samples]
    found = {
        "C1 square": packed(is_square(a) for a, _ in pairs),
        "C2 square": packed(is_square(b) for _, b in pairs),
        "C1 below C2": packed(int(a < b) for a, b in pairs),
        "difference mod 3": packed(int((a - b) % 3 == 0) for a, b in pairs),
    }
    found["product not square"] = found["C1 square"] ^ found["C2 square"]
    for name, numbers in zip(("C1", "C2"), zip(*pairs, strict=True), strict=True):
        bits = zip(*(f"{number:0255b}" for number in numbers), strict=True)
        found |= {f"{name} bit {254 - at}": int("".join(bit), 2) for at, bit in enumerate(bits)}
    return found


def strongest(samples: list[tuple[int, int, int]]) -> tuple[float, str]:
    """The predicate that tells most about a bit of the tile, in standard deviations."""
    best = (0.0, "")
    values = predicates(samples)
    for bit in (0, 1):
        cards = packed(card >> bit & 1 for card, _, _ in samples)
        for name, seen in values.items():
            found = deviation(cards, seen, len(samples))
            best = max(best, (found, f"{name} tells bit {bit} of the tile"))
    return best


def packed(bits: Iterable[int]) -> int:
    """A sequence of bits as one number."""
    return int("".join(map(str, bits)), 2)


def deviation(cards: int, seen: int, count: int) -> float:
    """How far the two sequences of bits agree or disagree beyond chance."""
    ones, marked, both = cards.bit_count(), seen.bit_count(), (cards & seen).bit_count()
    variance = ones * (count - ones) * marked * (count - marked) / count**3
    return abs(both - ones * marked / count) / variance**0.5 if variance else 0.0


def test_row_01_nothing_that_shows_tells_a_tile_in_a_thousand_decks(sodium: Group) -> None:
    samples = [
        (tile, int.from_bytes(c1, "little"), int.from_bytes(c2, "little"))
        for tile, c1, c2 in masked_tiles(sodium)
    ]
    assert len(samples) == DECKS * TILES
    # Some thousand comparisons; the decks are fixed, so this cannot flicker.
    found = strongest(samples)
    assert found[0] < 4.5, found


def test_row_01_the_distinguisher_reads_sra_decks() -> None:
    """Cards x masked as x^k mod p: being a square survives any odd k."""
    rng = random.Random("sra")
    codes = (2, 4, 8, 16)  # not square, square, not square, square
    samples = []
    for _ in range(100):
        key = rng.randrange(P - 1) | 1
        samples += [(card, pow(code, key, P), 1) for card, code in enumerate(codes)]
    assert strongest(samples)[0] > 10


# Row 2: codes with structure ------------------------------------------------------------------------


def public_points(group: Group) -> dict[str, list[bytes]]:
    """What everybody sees of a whole deck that two seats have shuffled, before any tile is dealt,
    and after the second seat has given all its tokens for one rack to the first."""
    keys = split32(group.base_mul(SECRETS))
    joint = group.sum_points(b"".join(keys))
    deck = initial_deck(group)
    for seed in (bytes(32), CTX[:32]):
        deck = shuffle_deck(group, seed=seed, ctx=CTX, key=joint, deck=deck)
    c1, c2 = columns(deck)
    tokens = group.mul_one_scalar(SECRETS[1], c1)
    return {
        "C1": split32(c1),
        "C2": split32(c2),
        "C2 - C1": split32(group.sub(c2, c1)),
        "C2 - key": split32(group.sub(c2, joint * 106)),
        "tokens": split32(tokens),
        "C2 - tokens": split32(group.sub(c2, tokens)),
    }


def weak_points(group: Group) -> list[bytes]:
    """Cards 1*G to 52*G, masked by one secret factor and shuffled."""
    points = split32(group.base_mul([SECRETS[0] * card for card in range(1, 53)]))
    return random.Random("weak").sample(points, 52)


def test_row_02_multiples_of_a_point_are_named_from_the_masked_deck(sodium: Group) -> None:
    masked = weak_points(sodium)
    named = by_multiples(sodium, masked)
    assert named == {sodium.base_mul([SECRETS[0] * card]): card for card in range(1, 53)}
    # One card that does not belong: the cracker claims nothing rather than something false.
    assert by_multiples(sodium, [*masked[1:], random_points(sodium, 1)]) == {}


def test_row_02_small_integers_are_named_from_the_masked_deck(sodium: Group) -> None:
    rng = random.Random("small")
    key = rng.randrange(P - 1) | 1
    masked = rng.sample([pow(card, key, P) for card in range(1, 53)], 52)
    named = by_relations(masked, join_integers, products_up_to(52))
    assert len(named) >= 30
    assert all(masked_card == pow(card, key, P) for masked_card, card in named.items())
    # The same cards as sums, on points: 2*G + 3*G = 5*G.
    sums = [(a, b, a + b) for a in range(1, 53) for b in range(a, 53 - a)]
    points = weak_points(sodium)
    named_points = by_relations(points, join_points(sodium), sums)
    assert len(named_points) >= 50
    assert all(p == sodium.base_mul([SECRETS[0] * card]) for p, card in named_points.items())


@pytest.mark.parametrize("what", ["C1", "C2", "C2 - C1", "C2 - key", "tokens", "C2 - tokens"])
def test_row_02_the_crackers_name_no_tile_of_ours(sodium: Group, what: str) -> None:
    masked = public_points(sodium)[what]
    assert len(set(masked)) == 106
    assert by_multiples(sodium, masked) == {}
    numbers = [int.from_bytes(point, "little") for point in masked]
    assert by_relations(numbers, join_integers, products_up_to(106)) == {}
    sums = [(a, b, a + b) for a in range(1, 107) for b in range(a, 107 - a)]
    assert by_relations(masked, join_points(sodium), sums) == {}


def test_row_02_tiles_have_no_small_relation(sodium: Group) -> None:
    """No tile is a small multiple of G, of another tile, or the sum or difference of two others."""
    tiles = list(tile_points(sodium))
    pairs = [(a, b) for i, a in enumerate(tiles) for b in tiles[:i]]
    left, right = (b"".join(side) for side in zip(*pairs, strict=True))
    sums, differences = split32(sodium.add(left, right)), split32(sodium.sub(left, right))
    multiples = [
        split32(sodium.mul_one_scalar(factor, b"".join(tiles))) for factor in (2, 3, 4, 5, L - 1)
    ]
    known = split32(sodium.base_mul(list(range(200))))
    everything = [*tiles, *sums, *differences, *known, *(p for group in multiples for p in group)]
    assert len(set(everything)) == len(everything)
