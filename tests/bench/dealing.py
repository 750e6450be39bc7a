"""What a turn asks of the deck: tokens for the deal and a draw, and the reveal of a discard."""

from collections.abc import Iterator, Sequence

from p2pokey.crypto.fiat_shamir import hash_to_uniform
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.masked import MaskedDeck
from p2pokey.deck.points import tile_points
from p2pokey.tiles import Tile
from tests.bench.counts import Counts, tokens_counts, verify_tokens_counts
from tests.bench.floors import Plan, Step, Timed, measure, seconds_of, timed
from tests.bench.inputs import Inputs

SEATS = 4
DEAL, DRAW, HELD = tuple(range(43)), (43,), 44
"""A seat that deals to three others: their 14 tiles each, and the indicator. Then one drawn tile,
and one that is in a rack and discarded."""
SEED = bytes(32)


def tokens(inputs: Inputs, runs: int) -> Iterator[Step]:
    """Making and checking tokens, and a discard, at a table of four."""
    plans = [*_plans("deal", len(DEAL)), *_plans("draw", 1), *_plans("discard", 1)]
    yield from measure(inputs, plans, lambda number: _once(inputs, number), runs)


def _plans(name: str, count: int) -> tuple[Plan, Plan]:
    opened = Counts(0, 0, 1) if name == "discard" else Counts(0, 0, 0)
    return (
        Plan(name=name, count=count, floor=tokens_counts(count), size=32 * count + 64),
        Plan(name=f"{name}, check", count=count, floor=verify_tokens_counts(count) + opened),
    )


def _once(inputs: Inputs, number: int) -> Timed:
    secrets = inputs.scalars(SEATS)
    deck = masked_deck(inputs, secrets)
    for name, positions in (("deal", DEAL), ("draw", DRAW)):
        yield from _tokens(deck, name, positions, secrets[0], number)
    for seat in range(1, SEATS):
        given, _ = deck.prove_tokens(
            seat=seat,
            seed=SEED,
            secret=secrets[seat],
            purpose="draw",
            index=number,
            positions=[HELD],
        )
        deck.store_tokens(seat, [HELD], given)
    deck.hand_over(HELD, 0)
    yield from _discard(deck, secrets[0], number)


def _tokens(
    deck: MaskedDeck, name: str, positions: Sequence[int], secret: int, number: int
) -> Timed:
    about = {"seat": 0, "purpose": name, "index": number, "positions": positions}
    seconds, (given, proof) = timed(lambda: deck.prove_tokens(seed=SEED, secret=secret, **about))
    yield name, seconds
    seconds = seconds_of(lambda: deck.check_tokens(tokens=given, proof=proof, **about))
    yield f"{name}, check", seconds


def _discard(deck: MaskedDeck, secret: int, number: int) -> Timed:
    tile = deck.open_privately([HELD], secret)[0]
    about = {"holder": 0, "purpose": "reveal", "index": number, "slots": [HELD]}
    about["rack_indices"] = [0]
    seconds, (given, proof) = timed(lambda: deck.prove_reveal(seed=SEED, secret=secret, **about))
    yield "discard", seconds
    seconds = seconds_of(
        lambda: deck.check_reveal(tiles=[tile], tokens=given, proof=proof, **about)
    )
    yield "discard, check", seconds


def masked_deck(inputs: Inputs, secrets: Sequence[int]) -> MaskedDeck:
    """A deck with the tiles in order, masked by fresh randomness under these seats' keys."""
    group = inputs.group
    keys = group.base_mul(secrets)
    points = tile_points(group)
    joint = group.sum_points(keys)
    randomness = inputs.scalars(len(points))
    first = group.base_mul(randomness)
    masks = group.mul(randomness, joint * len(randomness))
    plain = b"".join(points[Tile(number)] for number in range(len(points)))
    second = group.add(plain, masks)
    cells = range(0, len(first), 32)
    return MaskedDeck(
        group,
        contexts=Contexts(hash_to_uniform("bench", b"hand")),
        keyset=inputs.context(),
        hand_keys=[keys[i : i + 32] for i in range(0, len(keys), 32)],
        deck=b"".join(first[i : i + 32] + second[i : i + 32] for i in cells),
    )
