"""The state hash that rides in every envelope (docs/protocol.md S4, docs/transcript-format.md).

A step is counted when a round completes or a move is applied. The hash after step k covers hand_ctx,
k and what that step made public.
"""

from p2pokey.codec import u32
from p2pokey.crypto.fiat_shamir import FiatShamir


def round_state(hand_ctx: bytes, step: int, label: str, data: bytes) -> bytes:
    """Hash after a round outside of play.

    Args:
        hand_ctx: 64 bytes.
        step: number of completed steps.
        label: `setup`, `commits`, `keyset`, `shuffled`, `ready`, `ended` or `disclosed`.
        data: what the round made public.
    """
    state = _start(hand_ctx, step)
    state.add(label, data)
    return state.digest()


def play_state(hand_ctx: bytes, step: int, game: bytes, deck: bytes) -> bytes:
    """Hash from the deal to the end of play.

    Args:
        hand_ctx: 64 bytes.
        step: number of completed steps.
        game: canonical bytes of the rules' HandState.
        deck: 64-byte digest of all re-masks.
    """
    state = _start(hand_ctx, step)
    state.add("game", game)
    state.add("deck", deck)
    return state.digest()


def mark_state(
    hand_ctx: bytes,
    step: int,
    label: str,
    *,
    before: bytes,
    seat: int,
    head_seq: int,
    game: bytes,
    deck: bytes,
) -> bytes:
    """Hash after a seat was marked absent, for good or for one more turn, or came back.

    Args:
        hand_ctx: 64 bytes.
        step: number of completed steps.
        label: `absent` or `returned`.
        before: the hash before this step.
        seat: the seat that is marked.
        head_seq: number of its messages that count.
        game: canonical bytes of the rules' HandState, empty before the deal.
        deck: 64-byte digest of all re-masks, empty before the deal.
    """
    state = _start(hand_ctx, step)
    state.add(label, before)
    state.add("seat", bytes([seat]) + u32(head_seq))
    state.add("game", game)
    state.add("deck", deck)
    return state.digest()


def _start(hand_ctx: bytes, step: int) -> FiatShamir:
    state = FiatShamir("state")
    state.add("hand-ctx", hand_ctx)
    state.add("step", u32(step))
    return state
