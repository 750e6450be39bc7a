"""Rewrites transcripts with the keys of all seats: forgeries that only a proof or the replay finds.

A forger who holds every identity key can make signatures and chains fit. What it cannot do is make
a changed message agree with the proofs, the states and the seeds.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from p2pokey.ports import Signer
from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, seal_envelope, signed_data
from p2pokey.transcript.file import decode_line, encode_line
from p2pokey.transcript.messages import Message
from tests.sim.table import signer_of

Change = Callable[[Envelope], Message]


def lines_of(transcript: bytes) -> list[bytes]:
    """The lines without their newlines, the header first."""
    return transcript.split(b"\n")[:-1]


def joined(lines: list[bytes]) -> bytes:
    """The file with these lines."""
    return b"".join(line + b"\n" for line in lines)


def forge(transcript: bytes, seed: object, number: int, change: Change) -> bytes:
    """Changes the message on line `number` (1-based) and signs its author's chain anew."""
    lines = lines_of(transcript)
    envelopes = [decode_line(line) for line in lines[1:]]
    changed = envelopes[number - 2]
    messages = [change(e) if e is changed else e.message for e in envelopes]
    return joined([lines[0], *_chained(seed, envelopes, messages)])


def without(transcript: bytes, seed: object, numbers: Collection[int]) -> bytes:
    """Drops these lines (1-based) and signs every chain anew, as if they had never been sent."""
    lines = lines_of(transcript)
    kept = [decode_line(line) for at, line in enumerate(lines[1:], start=2) if at not in numbers]
    return joined([lines[0], *_chained(seed, kept, [envelope.message for envelope in kept])])


def signed_by(line: bytes, signer: Signer) -> bytes:
    """The line with the same message, signed with this key."""
    envelope = decode_line(line)
    signature = signer.sign(signed_data(envelope.kind, envelope.body))
    return encode_line(replace(envelope, signature=signature))


def _chained(seed: object, envelopes: list[Envelope], messages: list[Message]) -> list[bytes]:
    """Lines with these messages by the authors of the envelopes, each chain in order."""
    heads: dict[int, tuple[int, bytes]] = {}
    lines = []
    for envelope, message in zip(envelopes, messages, strict=True):
        seq, prev = heads.get(envelope.seat, (0, NO_PREVIOUS))
        sealed = seal_envelope(
            signer_of(seed, envelope.seat),
            session=envelope.session,
            hand=envelope.hand,
            seat=envelope.seat,
            seq=seq,
            prev=prev,
            step=envelope.step,
            state=envelope.state,
            message=message,
        )
        heads[envelope.seat] = (seq + 1, sealed.body_hash)
        lines.append(encode_line(sealed))
    return lines
