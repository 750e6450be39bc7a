"""Everything secret that a seat has in one hand, derived from one seed (docs/protocol.md S3)."""

from dataclasses import dataclass

from p2pokey.crypto.drbg import Drbg
from p2pokey.crypto.fiat_shamir import FiatShamir
from p2pokey.crypto.sharing import share_polynomial
from p2pokey.deck.contexts import Contexts


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSecrets:
    """The secrets of one seat in one hand; never sent, disclosed as the seed after the hand.

    Attributes:
        seed: 32 bytes from the operating system, used for one attempt only.
        hand_secret: x_j, the secret of the hand key X_j.
        sealing_secret: e_j, the secret of the sealing key E_j.
        coin: 32 bytes, this seat's part of the joint coins.
        coefficients: a_1..a_{t-1} of the sharing polynomial; empty with recovery off.
    """

    seed: bytes
    hand_secret: int
    sealing_secret: int
    coin: bytes
    coefficients: tuple[int, ...]

    def __repr__(self) -> str:
        return "SeatSecrets(...)"

    @classmethod
    def derive(cls, *, seed: bytes, contexts: Contexts, seat: int, threshold: int) -> "SeatSecrets":
        """The secrets that follow from a seed.

        Args:
            seed: 32 bytes.
            contexts: of the hand.
            seat: 0-based.
            threshold: t of the sharing, 0 with recovery off.
        """
        keys = Drbg(seed, "keys", contexts.sub("keys", seat))
        hand_secret, sealing_secret = keys.nzscalar(), keys.nzscalar()
        coin = Drbg(seed, "coin", contexts.sub("coin", seat)).read(32)
        polynomial: tuple[int, ...] = ()
        if threshold:
            polynomial = share_polynomial(seed, contexts.sub("vss", seat), threshold)
        return cls(
            seed=seed,
            hand_secret=hand_secret,
            sealing_secret=sealing_secret,
            coin=coin,
            coefficients=polynomial,
        )


def seed_commitment(contexts: Contexts, seat: int, seed: bytes) -> bytes:
    """32-byte commitment to a seed."""
    return _commitment("seed-commit", contexts.sub("seed-commit", seat), "seed", seed)


def coin_commitment(contexts: Contexts, seat: int, coin: bytes) -> bytes:
    """32-byte commitment to a coin."""
    return _commitment("coin-commit", contexts.sub("coin", seat), "coin", coin)


def _commitment(name: str, ctx: bytes, label: str, value: bytes) -> bytes:
    state = FiatShamir(name)
    state.add("ctx", ctx)
    state.add(label, value)
    return state.digest()[:32]
