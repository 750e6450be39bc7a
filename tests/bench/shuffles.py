"""Shuffles of one deck, and the chain of a table of four."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from p2pokey.crypto import reencrypt
from p2pokey.crypto.batch import ShuffleClaim, verify_shuffles_steps
from p2pokey.crypto.group import Group
from p2pokey.crypto.reencrypt import ENTRY, N_MAX, generators
from p2pokey.crypto.shuffle import proof_size, prove_shuffle, shuffle_deck, verify_shuffle
from p2pokey.crypto.steps import run
from p2pokey.deck.points import initial_deck
from tests.bench.counts import prove_counts, shuffle_counts, verify_counts
from tests.bench.floors import Plan, Step, Timed, measure, seconds_of, timed
from tests.bench.inputs import Inputs

SEED = bytes(32)
SEATS = 4
MAKE, CHECK, CHECK_TOGETHER = "4 shuffles with proof", "12 checks one by one", "12 checks by seat"
CHAIN, CHAIN_TOGETHER = "chain, one by one", "chain, by seat"


@contextmanager
def larger_decks(entries: int) -> Iterator[None]:
    """Lets decks of more than 106 entries through, for this benchmark only.

    The limit is a constant of the product; no deck of a game comes near it.
    """
    limit = max(entries, N_MAX)
    reencrypt.N_MAX, before = limit, reencrypt.N_MAX
    reencrypt._all_generators.cache_clear()
    try:
        yield
    finally:
        reencrypt.N_MAX = before
        reencrypt._all_generators.cache_clear()


def one_shuffle(inputs: Inputs, n: int, runs: int) -> Iterator[Step]:
    """Shuffle, shuffle with proof, and verification of n tiles."""
    group = inputs.group
    key = group.base_mul([7])
    # The second shuffle of a hand is the usual case: no component of its input is the identity.
    deck = inputs.points(2 * n)
    plans = (
        Plan(name="shuffle", count=n, floor=shuffle_counts(n), size=len(deck)),
        Plan(
            name="shuffle and prove",
            count=n,
            floor=shuffle_counts(n) + prove_counts(n),
            size=len(deck) + proof_size(n),
        ),
        Plan(name="verify", count=n, floor=verify_counts(n)),
        Plan(
            name="prove and verify",
            count=n,
            floor=shuffle_counts(n) + prove_counts(n) + verify_counts(n),
        ),
    )

    def once(_: int) -> Timed:
        ctx, other = inputs.context(), inputs.context()
        statement = {"key": key, "deck": deck, "seed": SEED}
        yield "shuffle", seconds_of(lambda: shuffle_deck(group, ctx=other, **statement))
        made, (out, proof) = timed(lambda: prove_shuffle(group, ctx=ctx, **statement))
        checked = seconds_of(
            lambda: verify_shuffle(group, ctx=ctx, key=key, deck_in=deck, deck_out=out, proof=proof)
        )
        yield "shuffle and prove", made
        yield "verify", checked
        yield "prove and verify", made + checked

    with larger_decks(n):
        generators(group, n)  # computed once per process, not per shuffle
        yield from measure(inputs, plans, once, runs)


def chain(inputs: Inputs, n: int, runs: int) -> Iterator[Step]:
    """What four seats do together: each shuffles and proves, and verifies the three others."""
    floor_made, floor_checked = shuffle_counts(n) + prove_counts(n), verify_counts(n)
    made, checked = floor_made.times(SEATS), floor_checked.times(SEATS * (SEATS - 1))
    plans = (
        Plan(name=MAKE, count=n, floor=made),
        Plan(name=CHECK, count=n, floor=checked),
        Plan(name=CHECK_TOGETHER, count=n, floor=checked),
        Plan(name=CHAIN, count=n, floor=made + checked),
        Plan(name=CHAIN_TOGETHER, count=n, floor=made + checked),
    )
    generators(inputs.group, n)
    yield from measure(inputs, plans, lambda _: _one_chain(inputs, n), runs)


def _one_chain(inputs: Inputs, n: int) -> Timed:
    group = inputs.group
    key = group.base_mul(inputs.scalars(1))
    deck = initial_deck(group)[: ENTRY * n]
    claims: list[ShuffleClaim] = []
    for seat in range(SEATS):
        ctx = inputs.context()
        seed = bytes([seat]) * 32
        make = partial(prove_shuffle, group, seed=seed, ctx=ctx, key=key, deck=deck)
        seconds, (shuffled, proof) = timed(make)
        for name in (MAKE, CHAIN, CHAIN_TOGETHER):
            yield name, seconds
        claims.append(ShuffleClaim(ctx=ctx, key=key, deck_in=deck, deck_out=shuffled, proof=proof))
        deck = shuffled
    for seat in range(SEATS):
        others = [claim for maker, claim in enumerate(claims) if maker != seat]
        for claim in others:
            seconds = seconds_of(partial(_verify, group, [claim]))
            yield CHECK, seconds
            yield CHAIN, seconds
        seconds = seconds_of(partial(_verify, group, others))
        yield CHECK_TOGETHER, seconds
        yield CHAIN_TOGETHER, seconds


def _verify(group: Group, claims: Sequence[ShuffleClaim]) -> None:
    run(verify_shuffles_steps(group, claims))
