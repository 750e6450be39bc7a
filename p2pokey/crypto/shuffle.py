"""Proof that a deck is a re-encrypted permutation of another one, revealing nothing else.

Source: docs/protocol.md S6, which rules and whose letters are used here (u' is `u_out`, w^ is
`w_hat`); after Terelius-Wikstrom 2010 and Haenni-Locher-Koenig-Dubuis 2017.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from p2pokey.codec import u32
from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import (
    CELL,
    IDENTITY,
    Group,
    L,
    decode_scalars,
    encode_scalars,
    has_identity,
    split32,
)
from p2pokey.crypto.reencrypt import (
    check_distinct,
    columns,
    deck_size,
    generators,
    reencrypt_steps,
    shuffle_secrets,
)
from p2pokey.crypto.steps import STEP, UNDIVIDED, Steps, run, sliced, summed
from p2pokey.errors import BadLength, IdentityPoint, OutputIdentity, ShuffleInvalid

_Value = TypeVar("_Value")


def proof_size(count: int) -> int:
    """Bytes of a proof for `count` entries."""
    return CELL * (5 * count + 9)


def shuffle_deck(group: Group, *, seed: bytes, ctx: bytes, key: bytes, deck: bytes) -> bytes:
    """The shuffled deck alone, as `prove_shuffle` returns it; for audits."""
    perm, randomness = shuffle_secrets(seed, ctx, deck)
    return run(reencrypt_steps(group, key, deck, perm, randomness, UNDIVIDED))


def prove_shuffle(
    group: Group, *, seed: bytes, ctx: bytes, key: bytes, deck: bytes
) -> tuple[bytes, bytes]:
    """Shuffles a deck and proves it.

    Takes no witness: permutation and randomness follow from seed, context and input, because two
    witnesses for one statement would share nonces.

    Args:
        seed: the hand's secret seed, 32 bytes.
        ctx: 64 bytes, docs/protocol.md S2.
        key: the key that the deck is encrypted under, 32 bytes.
        deck: 2 to 106 entries C1 || C2 of 64 bytes.

    Returns:
        The output deck, as long as the input, and the proof of `proof_size` bytes.

    Raises:
        BadLength, BadPoint: no deck.
        IdentityPoint: the key is the identity.
        ShuffleInvalid: two components of the deck are equal.
    """
    return run(prove_shuffle_steps(group, seed=seed, ctx=ctx, key=key, deck=deck, step=UNDIVIDED))


def prove_shuffle_steps(
    group: Group, *, seed: bytes, ctx: bytes, key: bytes, deck: bytes, step: int = STEP
) -> Steps[tuple[bytes, bytes]]:
    """`prove_shuffle` in slices of about `step` group operations."""
    perm, randomness = shuffle_secrets(seed, ctx, deck)
    deck_out = yield from reencrypt_steps(group, key, deck, perm, randomness, step)
    yield
    statement = Statement(ctx, key, deck, deck_out)
    proof = yield from _prove_steps(group, statement, perm, randomness, seed, step)
    return deck_out, proof


def verify_shuffle(
    group: Group, *, ctx: bytes, key: bytes, deck_in: bytes, deck_out: bytes, proof: bytes
) -> None:
    """Checks that `deck_out` is a re-encrypted permutation of `deck_in`.

    Args:
        ctx: 64 bytes, docs/protocol.md S2.
        key: 32 bytes.
        deck_in: 2 to 106 entries of 64 bytes; components may be the identity.
        deck_out: as many entries.
        proof: `proof_size` bytes.

    Raises:
        BadLength, BadScalar, BadPoint: not the canonical form.
        IdentityPoint: the key is the identity.
        OutputIdentity: a component of the output is the identity.
        ShuffleInvalid: the proof does not hold.
    """
    run(
        verify_shuffle_steps(
            group,
            ctx=ctx,
            key=key,
            deck_in=deck_in,
            deck_out=deck_out,
            proof=proof,
            step=UNDIVIDED,
        )
    )


def verify_shuffle_steps(
    group: Group,
    *,
    ctx: bytes,
    key: bytes,
    deck_in: bytes,
    deck_out: bytes,
    proof: bytes,
    step: int = STEP,
) -> Steps[None]:
    """`verify_shuffle` in slices of about `step` products."""
    statement = Statement(ctx, key, deck_in, deck_out)
    check_form(statement, proof)
    coefficient_of_base, scalars, points = weighted_sum(group, statement, proof)
    # Decoding happens in here, once: the sum has a term for every point of the statement.
    total = yield from summed(group, group.msm_vartime, scalars, points, step=step)
    if group.add(total, group.base_mul([coefficient_of_base])) != IDENTITY:
        raise ShuffleInvalid("the proof does not show that the deck was only shuffled")


@dataclass(frozen=True, slots=True)
class Statement:
    """What is proved: deck_out is a shuffle of deck_in under key."""

    ctx: bytes
    key: bytes
    deck_in: bytes
    deck_out: bytes

    def challenges(self) -> FiatShamir:
        """T of docs/protocol.md S6, with the whole statement added."""
        T = FiatShamir("shuffle")
        T.add("ctx", self.ctx)
        T.add("n", u32(deck_size(self.deck_in)))
        T.add("pk", self.key)
        T.add("in", self.deck_in)
        T.add("out", self.deck_out)
        return T


def _prove_steps(
    group: Group,
    statement: Statement,
    perm: tuple[int, ...],
    randomness: list[int],
    seed: bytes,
    step: int,
) -> Steps[bytes]:
    """The proof for a statement and its witness; the numbers are those of docs/protocol.md S6."""
    n = len(perm)
    H, h = generators(group, n)
    T = statement.challenges()
    rng = Drbg(seed, "shuffle-proof", T.digest())
    # 1. Commit to the permutation: c_pi(i) = rho_pi(i)*G + h_i.
    rho = _by_input(perm, rng.scalars(n))
    h_by_input = b"".join(_by_input(perm, split32(h)))
    c = group.add((yield from sliced(group.base_mul, rho, step=step)), h_by_input)
    T.add("c", c)
    yield
    # 2, 3.
    u = T.scalars("u", n)
    u_out = [u[i] for i in perm]
    w_hat, w_out = rng.scalars(n), rng.scalars(n)
    # 4.
    chain = _chain(rng, u_out, w_hat, w_out)
    t_hat = yield from _pedersen_steps(group, H, chain.t_base, chain.t_h, step)
    yield
    c_hat = yield from _pedersen_steps(group, H, chain.c_base, chain.c_h, step)
    yield
    # 5.
    w = rng.scalars(4)
    t = yield from _commit_steps(group, statement, h, w, w_out, step)
    # 6.
    x = last_challenge(T, c_hat, t, t_hat)
    # 7.
    R = chain.c_base[-1]
    s = [
        w[0] + x * sum(rho),
        w[1] + x * R,
        w[2] + x * _dot(u, rho),
        w[3] + x * _dot(u_out, randomness),
    ]
    s_hat = [a + x * b for a, b in zip(w_hat, chain.r_hat, strict=True)]
    s_out = [a + x * b for a, b in zip(w_out, u_out, strict=True)]
    return c + c_hat + t + t_hat + encode_scalars(s + s_hat + s_out)


def _commit_steps(
    group: Group, statement: Statement, h: bytes, w: list[int], w_out: list[int], step: int
) -> Steps[bytes]:
    """t_1, t_2, t_3, t_4a, t_4b of docs/protocol.md S6, prove 5."""
    a_out, b_out = columns(statement.deck_out)
    t_3 = yield from summed(group, group.msm, w_out, h, step=step)
    yield
    t_4a = yield from summed(group, group.msm, w_out, a_out, step=step)
    yield
    t_4b = yield from summed(group, group.msm, w_out, b_out, step=step)
    yield
    masks = group.base_mul([w[0], w[1], w[2], -w[3]]) + group.mul([-w[3]], statement.key)
    return group.add(masks, IDENTITY * 2 + t_3 + t_4a + t_4b)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Openings of the chain: c^_i and t^_i as multiples of G (base) and H."""

    r_hat: list[int]
    c_base: list[int]
    c_h: list[int]
    t_base: list[int]
    t_h: list[int]


def _chain(rng: Drbg, u_out: list[int], w_hat: list[int], w_out: list[int]) -> _Chain:
    """docs/protocol.md S6, prove 4: c^_i = r^_i*G + u'_i*c^_{i-1} with c^_{-1} = H."""
    chain = _Chain([], [], [], [], [])
    R, U = 0, 1
    for u, w, v in zip(u_out, w_hat, w_out, strict=True):
        chain.t_base.append((w + v * R) % L)
        chain.t_h.append(v * U % L)
        r = rng.scalar()
        R, U = (r + u * R) % L, u * U % L
        chain.r_hat.append(r)
        chain.c_base.append(R)
        chain.c_h.append(U)
    return chain


def _pedersen_steps(
    group: Group, H: bytes, of_G: list[int], of_H: list[int], step: int
) -> Steps[bytes]:
    """of_G_i*G + of_H_i*H."""
    left = yield from sliced(group.base_mul, of_G, step=step)
    yield
    right = yield from sliced(group.mul, of_H, H * len(of_H), step=step)
    return group.add(left, right)


def last_challenge(T: FiatShamir, c_hat: bytes, t: bytes, t_hat: bytes) -> int:
    """x of docs/protocol.md S6, drawn once everything before it has been added to T."""
    T.add("chain", c_hat)
    T.add("t", t)
    T.add("that", t_hat)
    return T.scalars("x", 1)[0]


def check_form(statement: Statement, proof: bytes) -> None:
    """docs/protocol.md S6, verify 0, apart from decoding."""
    n = deck_size(statement.deck_in)
    if len(statement.deck_out) != len(statement.deck_in):
        raise BadLength(f"expected {n} output entries, got {len(statement.deck_out)} bytes")
    if len(proof) != proof_size(n):
        raise BadLength(f"expected a proof of {proof_size(n)} bytes, got {len(proof)}")
    if len(statement.key) != CELL:
        raise BadLength(f"expected a key of {CELL} bytes, got {len(statement.key)}")
    if statement.key == IDENTITY:
        raise IdentityPoint("expected an encryption key other than the identity")
    if has_identity(statement.deck_out):
        raise OutputIdentity("a component of the shuffled deck is the identity")
    # Nobody could prove the next shuffle of such a deck; the seat that made it is to blame here.
    check_distinct(statement.deck_out)


def weighted_sum(group: Group, statement: Statement, proof: bytes) -> tuple[int, list[int], bytes]:
    """The weighted sum of all equations (docs/protocol.md S6, verify 1 and 2), to be O.

    Returns:
        The coefficient of G, and scalars and points of the other terms.
    """
    n = deck_size(statement.deck_in)
    c, c_hat, t, t_hat, responses = proof_parts(proof, n)
    s_1, s_2, s_3, s_4, *rest = decode_scalars(responses)
    s_hat, s_out = rest[:n], rest[n:]
    T = statement.challenges()
    T.add("c", c)
    u = T.scalars("u", n)
    x = last_challenge(T, c_hat, t, t_hat)
    T.add("s", responses)
    b_1 = 1
    b_2, b_3, b_4, b_5, *g = T.scalars("w", n + 4)

    H, h = generators(group, n)
    a_in, b_in = columns(statement.deck_in)
    a_out, b_out = columns(statement.deck_out)
    xu = [x * u_i % L for u_i in u]
    next_links = [g[i] * s_out[i] for i in range(1, n)] + [-b_2 * x]
    scalars = [-x * b_1 - b_3 * xu_i for xu_i in xu]  # c
    scalars += [b_3 * s + x * b_1 for s in s_out]  # h
    scalars += [b_4 * s for s in s_out]  # a'
    scalars += [b_5 * s for s in s_out]  # b'
    scalars += [-b_4 * xu_i for xu_i in xu]  # a
    scalars += [-b_5 * xu_i for xu_i in xu]  # b
    scalars += [link - g_i * x for link, g_i in zip(next_links, g, strict=True)]  # c^
    scalars += [-g_i for g_i in g]  # t^
    scalars += [g[0] * s_out[0] + b_2 * x * product(u)]  # H
    scalars += [-b_1, -b_2, -b_3, -b_4, -b_5]  # t
    scalars += [-b_5 * s_4]  # P
    points = [c, h, a_out, b_out, a_in, b_in, c_hat, t_hat, H, t, statement.key]
    of_G = b_1 * s_1 + b_2 * s_2 + b_3 * s_3 - b_4 * s_4 + _dot(g, s_hat)
    return of_G, scalars, b"".join(points)


def proof_parts(proof: bytes, n: int) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """c, c^, t, t^ and the responses of a proof of the right size."""
    ends = [n, 2 * n, 2 * n + 5, 3 * n + 5, 5 * n + 9]
    starts = [0, *ends]
    c, c_hat, t, t_hat, responses = (
        proof[start * CELL : end * CELL] for start, end in zip(starts, ends, strict=False)
    )
    return c, c_hat, t, t_hat, responses


def _by_input(perm: tuple[int, ...], values: Sequence[_Value]) -> list[_Value]:
    """values[i] at place perm[i]: from output order to input order."""
    placed = dict(zip(perm, values, strict=True))
    return [placed[i] for i in range(len(perm))]


def _dot(left: list[int], right: list[int]) -> int:
    return sum([a * b for a, b in zip(left, right, strict=True)])


def product(factors: list[int]) -> int:
    """The product of scalars mod L."""
    result = 1
    for factor in factors:
        result = result * factor % L
    return result
