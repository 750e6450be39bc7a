"""A kit for peers that send wrong things: each cheat is a few lines and states culprit and cause.

A cheat changes a message of one seat before it is signed, so that signature and chain are in order
and only the thing itself is wrong; a two-faced seat signs a second message for some of the others.
"""

from collections.abc import Callable

from p2pokey.hand.core import HandCore
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope, seal_envelope
from p2pokey.transcript.messages import Kind, Message
from tests.sim.table import SimTable, signer_of

Change = Callable[[HandCore, Message], Message]


def flip(data: bytes, at: int = 0) -> bytes:
    """The bytes with one bit changed."""
    place = at % len(data)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def change_message(
    table: SimTable, seat: int, kind: Kind, change: Change, *, number: int = 0
) -> None:
    """Lets the seat send a changed message in place of its `number`-th one of this kind."""
    core = table.peers[seat].machine._core
    honest = core.send
    seen = 0

    def send(message: Message) -> None:
        nonlocal seen
        if message.kind is kind:
            seen += 1
            if seen == number + 1:
                message = change(core, message)
        honest(message)

    core.send = send


def two_faced(
    table: SimTable,
    seed: object,
    seat: int,
    kind: Kind,
    change: Callable[[Message], Message],
    *,
    target: int,
) -> None:
    """Lets the seat sign a second message for the same place, shown to one target only."""

    def wire(source: Seat, receiver: Seat, data: bytes) -> list[bytes]:
        envelope = decode_envelope(data)
        if (envelope.seat, envelope.kind, source) != (seat, kind, seat) or receiver != target:
            return [data]
        return [resign(seed, envelope, change(envelope.message)).encoded]

    table.wire = wire


def resign(seed: object, envelope: Envelope, message: Message) -> Envelope:
    """Another message of the same author for the same place."""
    return seal_envelope(
        signer_of(seed, envelope.seat),
        session=envelope.session,
        hand=envelope.hand,
        seat=envelope.seat,
        seq=envelope.seq,
        prev=envelope.prev,
        step=envelope.step,
        state=envelope.state,
        message=message,
    )
