"""Rewrites transcripts with the keys of all seats: forgeries that only a proof or the replay finds.

A forger who holds every identity key can make signatures and chains fit. What it cannot do is make
a changed message agree with the proofs, the states and the seeds.
"""

from collections.abc import Callable

from p2pokey.transcript.envelope import NO_PREVIOUS, Envelope, seal_envelope
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
    heads: dict[int, bytes] = {}
    forged = [lines[0]]
    for at, line in enumerate(lines[1:], start=2):
        envelope = decode_line(line)
        message = change(envelope) if at == number else envelope.message
        again = seal_envelope(
            signer_of(seed, envelope.seat),
            session=envelope.session,
            hand=envelope.hand,
            seat=envelope.seat,
            seq=envelope.seq,
            prev=heads.get(envelope.seat, NO_PREVIOUS),
            step=envelope.step,
            state=envelope.state,
            message=message,
        )
        heads[envelope.seat] = again.body_hash
        forged.append(encode_line(again))
    return joined(forged)
