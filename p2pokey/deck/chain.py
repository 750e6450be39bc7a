"""The shuffle chain of one hand: what each link builds on, and what READY signs (S4.3, S4.4)."""

from collections.abc import Sequence

from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.deck.contexts import Contexts


def input_digest(deck: bytes, proof: bytes) -> bytes:
    """Names the deck, and the proof that made it, that a shuffle builds on; 64 bytes.

    The first shuffle builds on the initial deck and an empty proof.
    """
    state = FiatShamir("shuffle-input")
    state.add("deck", deck)
    state.add("proof", proof)
    return state.digest()


def shuffle_context(contexts: Contexts, seat: int, keyset: bytes) -> bytes:
    """ctx_j of S4.3."""
    return contexts.sub("shuffle", seat, seat, keyset)


def ready_digest(hand_ctx: bytes, keyset: bytes, shuffles: Sequence[tuple[bytes, bytes]]) -> bytes:
    """What READY signs: every deck and proof of the chain, in order."""
    state = FiatShamir("ready")
    state.add("hand-ctx", hand_ctx)
    state.add("keyset", keyset)
    for deck, proof in shuffles:
        state.add("deck", deck)
        state.add("proof", proof)
    return state.digest()
