"""For each kind of message another one that its author could as well have sent in its place.

Every one of them holds by itself: its proofs verify, and nobody who sees it alone finds a fault. So
only the two versions together show that their author lies.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from p2pokey.crypto import ristretto as r
from p2pokey.crypto.group import L
from p2pokey.crypto.possession import prove_possession
from p2pokey.crypto.shuffle import prove_shuffle
from p2pokey.deck.chain import shuffle_context
from p2pokey.deck.shares import build_shares
from p2pokey.deck.turns import concealed_slots, reveal_plan
from p2pokey.hand.core import HandCore
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.moves import Discard, Placed
from p2pokey.tiles import Slot, Tile
from p2pokey.transcript.messages import Kind, Message, Move
from tests.attacks.support import SEED, turns
from tests.sim.cheats import flip
from tests.sim.table import fixed_bytes

OTHER = b"the cheater's own nonces, of 32 b"[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """A second version of the seat's `number`-th message of a kind."""

    name: str
    kind: Kind
    change: Callable[[HandCore, Message], Message]
    seat: int = 2
    number: int = 0


def other_commit(core: HandCore, message: Message) -> Message:
    """A commitment to another coin: nobody can open it yet."""
    return replace(message, coin_commit=flip(message.coin_commit))


def other_key(core: HandCore, message: Message) -> Message:
    """Another hand key, with its proof and shares of it; whoever is told plays on with that key."""
    secret = core.secrets.hand_secret + 1
    core.secrets = replace(core.secrets, hand_secret=secret)
    public = core.group.base_mul([secret])
    ctx = core.contexts.sub("pop", core.seat)
    commitments, shares = build_shares(
        core.group,
        core.sealer,
        core.contexts,
        dealer=core.seat,
        secrets=core.secrets,
        sealing_keys=[commit.sealing_key for commit in core.commits],
    )
    return replace(
        message,
        hand_key=public,
        pop=prove_possession(core.group, seed=OTHER, ctx=ctx, secret=secret, public=public),
        commitments=commitments,
        shares=shares,
    )


def other_shuffle(core: HandCore, message: Message) -> Message:
    """The same input shuffled in another order."""
    deck_in = core.shuffles[-1].deck if core.shuffles else core.deck_in
    deck, proof = prove_shuffle(
        core.group,
        seed=OTHER,
        ctx=shuffle_context(core.contexts, core.seat, core.keyset),
        key=core.joint_key,
        deck=deck_in,
    )
    return replace(message, deck=deck, proof=proof)


def other_tokens(core: HandCore, message: Message) -> Message:
    """The same tokens, proved with another nonce: no state will ever differ."""
    _, proof = core.need_deck().prove_tokens(
        seat=core.seat,
        seed=OTHER,
        secret=core.secrets.hand_secret,
        purpose=message.purpose.label,
        index=core.next_seq(),
        positions=message.positions,
    )
    return replace(message, proof=proof)


def other_reveal(core: HandCore, message: Message) -> Message:
    """The same discard, proved with another nonce."""
    return _discard(core, message, decode_move(message.move).placed.slot)


def other_discard(core: HandCore, message: Message) -> Message:
    """Another tile of the rack."""
    taken = decode_move(message.move).placed.slot
    slots = concealed_slots(core.need_game(), core.seat)
    return _discard(core, message, next(slot for slot in slots if slot != taken))


def _discard(core: HandCore, message: Move, slot: Slot) -> Message:
    """A discard of this slot after the re-mask that the message holds."""
    deck, game, seat = core.need_deck().copy(), core.need_game(), core.seat
    if message.remask is not None:
        deck.apply_remask(seat, concealed_slots(game, seat), message.remask.deck)
    (tile,) = deck.open_privately([slot], core.secrets.hand_secret)
    move = Discard(Placed(slot, Tile(tile)))
    plan = reveal_plan(game, seat, move)
    tokens, proof = deck.prove_reveal(
        holder=seat,
        seed=OTHER,
        secret=core.secrets.hand_secret,
        purpose=plan.purpose,
        index=core.next_seq(),
        slots=plan.slots,
        rack_indices=plan.rack_indices,
    )
    return replace(message, move=encode_move(move), tokens=tokens, proof=proof)


def flipped(name: str) -> Callable[[HandCore, Message], Message]:
    """Another digest or seed: nobody can hold both versions for good."""
    return lambda core, message: replace(message, **{name: flip(getattr(message, name))})


def other_points(core: HandCore, message: Message) -> Message:
    """Another score."""
    return replace(message, points=(0, 0, 0, 7))


def a_discard(seed: str = SEED) -> tuple[int, int]:
    """Seat and number of the second discard of a hand: play goes on for a while after it."""
    discards = [turn for turn in turns(seed) if isinstance(turn.move, Discard)]
    return discards[1].seat, discards[1].number


def other_signature(seed: str) -> Callable[[HandCore, Message], Message]:
    """The very same bytes, signed with another nonce (RFC 8032 fixes it, verifiers cannot tell)."""

    def change(core: HandCore, message: Message) -> Message:
        secret = fixed_bytes(f"identity {seed} {core.seat}")
        core.signer = RestlessSigner(secret, core.signer.public_key)
        return message

    return change


def seconds(seed: str = SEED) -> dict[str, Second]:
    """All of them, by name."""
    seat, number = a_discard(seed)
    everything = [
        Second(name="commit", kind=Kind.COMMIT, change=other_commit),
        Second(name="keys", kind=Kind.KEYS, change=other_key),
        Second(name="shuffle", kind=Kind.SHUFFLE, change=other_shuffle),
        Second(name="ready", kind=Kind.READY, change=flipped("digest")),
        Second(name="signature", kind=Kind.READY, change=other_signature(seed)),
        Second(name="deal", kind=Kind.TOKENS, change=other_tokens),
        Second(name="draw", kind=Kind.TOKENS, change=other_tokens, number=1),
        Second(name="discard", kind=Kind.MOVE, change=other_discard, seat=seat, number=number),
        Second(name="reveal", kind=Kind.MOVE, change=other_reveal, seat=seat, number=number),
        Second(name="end", kind=Kind.END, change=flipped("digest")),
        Second(name="disclose", kind=Kind.DISCLOSE, change=flipped("seed")),
        Second(name="result", kind=Kind.RESULT, change=other_points),
    ]
    return {second.name: second for second in everything}


class RestlessSigner:
    """Signs with nonces of its own: a second valid signature of the same key for the same bytes."""

    def __init__(self, secret: bytes, public_key: bytes) -> None:
        scalar = bytearray(hashlib.sha512(secret).digest()[:32])
        scalar[0] &= 0xF8
        scalar[31] = scalar[31] & 0x7F | 0x40
        self._scalar = int.from_bytes(scalar, "little")
        self.public_key = public_key

    def sign(self, data: bytes) -> bytes:
        nonce = int.from_bytes(hashlib.sha512(OTHER + data).digest(), "little") % L
        point = _encode(_multiply(nonce, _base_point()))
        digest = hashlib.sha512(point + self.public_key + data).digest()
        challenge = int.from_bytes(digest, "little") % L
        return point + ((nonce + challenge * self._scalar) % L).to_bytes(32, "little")


def _base_point() -> r.Point:
    y = 4 * pow(5, -1, r.P) % r.P
    _, x = r.sqrt_ratio_m1((y * y - 1) % r.P, (r.D * y * y + 1) % r.P)
    x = -x % r.P if x & 1 else x
    return x, y, 1, x * y % r.P


def _multiply(scalar: int, point: r.Point) -> r.Point:
    result = r.ZERO
    for bit in f"{scalar:b}":
        result = r.double_times(result, 1)
        if bit == "1":
            result = r.add(result, point)
    return result


def _encode(point: r.Point) -> bytes:
    x, y, _, _ = r.normalise([point])[0]
    return (y | (x & 1) << 255).to_bytes(32, "little")
