"""Rounds COMMIT and KEYS: what a seat sends, and what everybody checks (protocol S4.1, S4.2).

The two builders return plain fields; the caller puts them into messages. Checks raise without
knowing which seat is to blame.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.group import IDENTITY, Group
from p2pokey.crypto.possession import prove_possession, verify_possession
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.secrets import SeatSecrets, coin_commitment, seed_commitment
from p2pokey.errors import CommitMismatch, IdentityPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFields:
    """The fields of COMMIT."""

    seed_commit: bytes
    coin_commit: bytes
    sealing_key: bytes
    pop: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandKeyFields:
    """The fields of KEYS that every table has."""

    hand_key: bytes
    pop: bytes
    coin: bytes


def build_commit(group: Group, contexts: Contexts, seat: int, secrets: SeatSecrets) -> CommitFields:
    """COMMIT of the seat (S4.1)."""
    sealing_key = group.base_mul([secrets.sealing_secret])
    return CommitFields(
        seed_commit=seed_commitment(contexts, seat, secrets.seed),
        coin_commit=coin_commitment(contexts, seat, secrets.coin),
        sealing_key=sealing_key,
        pop=prove_possession(
            group,
            seed=secrets.seed,
            ctx=contexts.sub("pop-seal", seat),
            secret=secrets.sealing_secret,
            public=sealing_key,
        ),
    )


def check_commit(group: Group, contexts: Contexts, seat: int, fields: CommitFields) -> None:
    """Raises PopInvalid, IdentityPoint or BadPoint unless the sealing key is the seat's own."""
    verify_possession(
        group, ctx=contexts.sub("pop-seal", seat), public=fields.sealing_key, proof=fields.pop
    )


def build_hand_key(
    group: Group, contexts: Contexts, seat: int, secrets: SeatSecrets
) -> HandKeyFields:
    """Hand key, proof of possession and coin of the seat (S4.2)."""
    hand_key = group.base_mul([secrets.hand_secret])
    pop = prove_possession(
        group,
        seed=secrets.seed,
        ctx=contexts.sub("pop", seat),
        secret=secrets.hand_secret,
        public=hand_key,
    )
    return HandKeyFields(hand_key=hand_key, pop=pop, coin=secrets.coin)


def check_hand_key(
    group: Group, contexts: Contexts, seat: int, fields: HandKeyFields, coin_commit: bytes
) -> None:
    """Raises CommitMismatch for a coin that was not committed to, PopInvalid and its kin for X_j."""
    if coin_commitment(contexts, seat, fields.coin) != coin_commit:
        raise CommitMismatch("the coin is not the one that was committed to")
    verify_possession(
        group, ctx=contexts.sub("pop", seat), public=fields.hand_key, proof=fields.pop
    )


def find_duplicate(keys: Sequence[bytes], taken: frozenset[bytes] = frozenset()) -> int | None:
    """Index of the first key that equals an earlier one or a taken one, None if all differ.

    With valid proofs of possession only a seat that knows another's secret can repeat its key, so
    blaming the later seat blames nobody honest.
    """
    seen = set(taken)
    for index, key in enumerate(keys):
        if key in seen:
            return index
        seen.add(key)
    return None


def check_joint_key(group: Group, keys: Sequence[bytes]) -> bytes:
    """pk, the sum of all hand keys; raises IdentityPoint if it is O."""
    joint = group.sum_points(b"".join(keys))
    if joint == IDENTITY:
        raise IdentityPoint("the joint key is the identity")
    return joint


def keyset_digest(
    commits: Sequence[bytes], records: Sequence[bytes], coins: Sequence[bytes]
) -> bytes:
    """keyset of S4.2 over the COMMIT payloads, key records and coins in seat order."""
    keyset = FiatShamir("keyset")
    for commit, record, coin in zip(commits, records, coins, strict=True):
        keyset.add("commit", commit)
        keyset.add("peer", record)
        keyset.add("coin", coin)
    return keyset.digest()


def starter_by_coins(coins: Sequence[bytes], hand_ctx: bytes, excluded: int = 0) -> int:
    """The starter that all coins together choose (S4.2, rules G-3).

    Args:
        coins: 32 bytes of each seat in seat order.
        hand_ctx: 64 bytes.
        excluded: bit mask of seats that must not start; at least one seat stays.
    """
    dice = Drbg(hashlib.sha512(b"".join(coins)).digest(), "dice", hand_ctx)
    while True:
        seat = dice.below(len(coins))
        if not excluded >> seat & 1:
            return seat
