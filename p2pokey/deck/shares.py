"""Recovery shares of one hand: dealing, opening, complaints, helper tokens (docs/protocol.md S10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from p2pokey.crypto.dleq import prove_dleq, verify_dleq
from p2pokey.crypto.group import CELL, Group
from p2pokey.crypto.sharing import (
    SEALED_SHARE_BYTES,
    check_sharing,
    combine_tokens,
    commit_polynomial,
    seal_key,
    seal_key_from_dh,
    seal_share,
    share_for,
)
from p2pokey.crypto.sharing import open_share as open_sealed
from p2pokey.deck.contexts import Contexts
from p2pokey.deck.secrets import SeatSecrets
from p2pokey.errors import BadLength, ShareInvalid
from p2pokey.ports import Sealer


@dataclass(frozen=True, slots=True)
class ShareTable:
    """The public keys Z_jk of one dealer's shares, by holder."""

    public: dict[int, bytes]

    @classmethod
    def check(
        cls, group: Group, *, seats: int, dealer: int, hand_key: bytes, commitments: bytes
    ) -> "ShareTable":
        """Checks the public part of a sharing; raises ShareInvalid, BadPoint or BadLength."""
        holders = [seat for seat in range(seats) if seat != dealer]
        threshold = len(commitments) // CELL + 1
        return cls(
            check_sharing(
                group, public=hand_key, commitments=commitments, t=threshold, seats=holders
            )
        )


def check_share_sizes(seats: int, threshold: int, commitments: bytes, shares: bytes) -> None:
    """Raises BadLength unless there are t-1 commitments and n-1 shares, or none without recovery."""
    expected = (CELL * (threshold - 1), SEALED_SHARE_BYTES * (seats - 1)) if threshold else (0, 0)
    if (len(commitments), len(shares)) != expected:
        raise BadLength(
            f"expected {expected[0]} bytes of commitments and {expected[1]} of shares, "
            f"got {len(commitments)} and {len(shares)}"
        )


def sealed_for(shares: bytes, dealer: int, holder: int) -> bytes:
    """The holder's part of a dealer's shares: seat order, the dealer left out."""
    place = holder - (holder > dealer)
    return shares[SEALED_SHARE_BYTES * place : SEALED_SHARE_BYTES * (place + 1)]


def build_shares(
    group: Group,
    sealer: Sealer,
    contexts: Contexts,
    *,
    dealer: int,
    secrets: SeatSecrets,
    sealing_keys: Sequence[bytes],
) -> tuple[bytes, bytes]:
    """The dealer's commitments and its sealed shares, one for every other seat in seat order."""
    sealed = []
    for holder, sealing_key in enumerate(sealing_keys):
        if holder == dealer:
            continue
        ctx = contexts.sub("seal", dealer, holder)
        key = seal_key(group, ctx, secrets.sealing_secret, sealing_key)
        share = share_for(secrets.hand_secret, secrets.coefficients, holder)
        sealed.append(seal_share(sealer, key=key, ctx=ctx, share=share))
    return commit_polynomial(group, secrets.coefficients), b"".join(sealed)


def open_share(
    group: Group,
    sealer: Sealer,
    contexts: Contexts,
    *,
    dealer: int,
    holder: int,
    secret: int,
    sealing_key: bytes,
    shares: bytes,
    table: ShareTable,
) -> int:
    """The holder's share s_jk; raises ShareInvalid if it does not fit the commitments.

    Args:
        secret: the holder's sealing secret e_k.
        sealing_key: the dealer's sealing key E_j.
        shares: all sealed shares of the dealer.
        table: of the dealer.
    """
    ctx = contexts.sub("seal", dealer, holder)
    return open_sealed(
        group,
        sealer,
        key=seal_key(group, ctx, secret, sealing_key),
        ctx=ctx,
        sealed=sealed_for(shares, dealer, holder),
        share_public=table.public[holder],
    )


def build_complaint(
    group: Group,
    contexts: Contexts,
    *,
    dealer: int,
    holder: int,
    index: int,
    keyset: bytes,
    secrets: SeatSecrets,
    sealing_keys: Sequence[bytes],
) -> tuple[bytes, bytes]:
    """e_k * E_j and the proof that it is that: lets everybody open the share that k got from j."""
    return prove_dleq(
        group,
        seed=secrets.seed,
        ctx=contexts.sub("complaint", holder, index, bytes([dealer]) + keyset),
        secret=secrets.sealing_secret,
        public=sealing_keys[holder],
        points=sealing_keys[dealer],
    )


def judge_complaint(
    group: Group,
    sealer: Sealer,
    contexts: Contexts,
    *,
    dealer: int,
    holder: int,
    index: int,
    keyset: bytes,
    sealing_keys: Sequence[bytes],
    shares: bytes,
    table: ShareTable,
    shared_point: bytes,
    proof: bytes,
) -> bool:
    """Whether the share is bad, as the complaint says.

    Raises:
        DleqInvalid and its kin: the complaint itself is a lie.
    """
    verify_dleq(
        group,
        ctx=contexts.sub("complaint", holder, index, bytes([dealer]) + keyset),
        public=sealing_keys[holder],
        points=sealing_keys[dealer],
        tokens=shared_point,
        proof=proof,
    )
    ctx = contexts.sub("seal", dealer, holder)
    try:
        open_sealed(
            group,
            sealer,
            key=seal_key_from_dh(ctx, shared_point),
            ctx=ctx,
            sealed=sealed_for(shares, dealer, holder),
            share_public=table.public[holder],
        )
    except ShareInvalid:
        return True
    return False


def build_escrow(
    group: Group,
    contexts: Contexts,
    *,
    helper: int,
    index: int,
    absent: int,
    positions: Sequence[int],
    keyset: bytes,
    seed: bytes,
    share: int,
    table: ShareTable,
    points: bytes,
) -> tuple[bytes, bytes]:
    """A helper's tokens s_jk * C1 in place of an absent seat's, and their one proof.

    Args:
        share: s_jk, the helper's share from the absent seat.
        table: of the absent seat.
        points: C1 of each position, 32 bytes each.
    """
    return prove_dleq(
        group,
        seed=seed,
        ctx=_escrow_context(contexts, helper, index, absent, positions, keyset),
        secret=share,
        public=table.public[helper],
        points=points,
    )


def check_escrow(
    group: Group,
    contexts: Contexts,
    *,
    helper: int,
    index: int,
    absent: int,
    positions: Sequence[int],
    keyset: bytes,
    table: ShareTable,
    points: bytes,
    tokens: bytes,
    proof: bytes,
) -> None:
    """Raises DleqInvalid and its kin unless the tokens come from the helper's own share.

    Raises:
        ShareInvalid: the absent seat cannot help itself.
    """
    if helper not in table.public:
        raise ShareInvalid("a seat holds no share of its own key")
    verify_dleq(
        group,
        ctx=_escrow_context(contexts, helper, index, absent, positions, keyset),
        public=table.public[helper],
        points=points,
        tokens=tokens,
        proof=proof,
    )


def recover_tokens(group: Group, threshold: int, tokens: Mapping[int, bytes]) -> bytes:
    """The absent seat's tokens from the checked tokens of at least `threshold` helpers.

    Raises:
        ShareInvalid: too few helpers; fewer give nothing.
    """
    if len(tokens) < threshold:
        raise ShareInvalid(f"expected tokens of {threshold} helpers, got {len(tokens)}")
    return combine_tokens(group, tokens)


def _escrow_context(
    contexts: Contexts,
    helper: int,
    index: int,
    absent: int,
    positions: Sequence[int],
    keyset: bytes,
) -> bytes:
    """The context of a helper's tokens for an absent seat (S8)."""
    return contexts.sub("escrow", helper, index, bytes(positions) + bytes([absent]) + keyset)
