"""Programs that read cards off masked decks, as shipped packages of mental poker fell to them.

Each is first shown to work on a deck of the kind that it was made for.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeVar

from p2pokey.crypto.group import Group, split32
from p2pokey.crypto.ristretto import P

Element = TypeVar("Element")
Card = int


def by_multiples(group: Group, masked: Sequence[bytes]) -> dict[bytes, Card]:
    """Names the cards of a deck whose points are 1*M, 2*M, 3*M ... for an unknown M.

    Cards encoded as 1*G to n*G and masked by one secret factor stay multiples of each other. Every
    masked card is tried as the first one; the right one has all its multiples in the deck.
    """
    present = set(masked)
    for first in masked:
        if group.mul([2], first) not in present:
            continue
        multiples = split32(group.mul(list(range(1, len(masked) + 1)), first * len(masked)))
        if set(multiples) == present:
            return {point: card for card, point in enumerate(multiples, start=1)}
    return {}


def by_relations(
    masked: Sequence[Element],
    join: Callable[[list[tuple[Element, Element]]], list[Element]],
    relations: Sequence[tuple[Card, Card, Card]],
) -> dict[Element, Card]:
    """Names cards by relations a o b = c that hold among the card codes, whatever the key is.

    Cards encoded as small integers and masked by a secret exponent keep all their products: 2 o 3 =
    6. The pairs of masked cards whose join is a masked card again give the same pattern, and the
    cards fall into place one after the other.

    Args:
        masked: the deck.
        join: the group's operation, on many pairs at once.
        relations: all (a, b, c) with a o b = c among the codes, a <= b.
    """
    present = set(masked)
    pairs = [(a, a) for a in masked] + list(combinations(masked, 2))
    found = {
        frozenset(pair): result
        for pair, result in zip(pairs, join(pairs), strict=True)
        if result in present
    }
    # How often a card is a square, a factor and a product singles many cards out.
    by_profile: dict[tuple[int, ...], list[Element]] = {}
    for element in masked:
        by_profile.setdefault(_profile(element, found.items()), []).append(element)
    codes: dict[tuple[int, ...], list[Card]] = {}
    known = [(frozenset((a, b)), c) for a, b, c in relations]
    for code in sorted({code for relation in relations for code in relation}):
        codes.setdefault(_profile(code, known), []).append(code)
    named = {
        same[0]: by_profile[profile][0]
        for profile, same in codes.items()
        if len(same) == 1 and len(by_profile.get(profile, [])) == 1
    }
    for a, b, c in sorted(relations, key=lambda relation: relation[2]):
        if c not in named and a in named and b in named:
            (named[c],) = join([(named[a], named[b])])
    return {element: card for card, element in named.items()}


def _profile(card: object, relations: object) -> tuple[int, ...]:
    as_square = as_factor = as_product = 0
    for pair, result in relations:
        as_square += pair == {card}
        as_factor += card in pair
        as_product += card == result
    return as_square, as_factor, as_product


def products_up_to(count: int) -> list[tuple[Card, Card, Card]]:
    """a * b = c among the codes 1 to `count`."""
    return [
        (a, b, a * b) for a in range(1, count + 1) for b in range(a, count + 1) if a * b <= count
    ]


def join_points(group: Group) -> Callable[[list[tuple[bytes, bytes]]], list[bytes]]:
    """The group's addition on many pairs."""

    def join(pairs: list[tuple[bytes, bytes]]) -> list[bytes]:
        left, right = (b"".join(side) for side in zip(*pairs, strict=True))
        return split32(group.add(left, right))

    return join


def join_integers(pairs: list[tuple[int, int]]) -> list[int]:
    """Multiplication mod p on many pairs."""
    return [a * b % P for a, b in pairs]


def is_square(value: int) -> int:
    """Whether a number is a quadratic residue mod p: what SRA poker leaks (Lipton; Coppersmith)."""
    return int(pow(value, (P - 1) // 2, P) == 1)
