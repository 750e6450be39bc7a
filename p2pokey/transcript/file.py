"""The transcript file: JSON Lines, one header and one line per envelope, byte-exact.

docs/transcript-format.md. `summary` is for people; readers derive it again and compare. A line that
is not what the writer would have written is refused.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import BadLength, DecodeError
from p2pokey.ports import SIGNATURE_BYTES
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.move_text import format_move
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.messages import MAX_ENVELOPE, Kind, Message, Move, Tokens
from p2pokey.transcript.setup import HandSetup, encode_header

MAX_LINE = 4 * MAX_ENVELOPE // 3 + 4096
"""Bytes of one line: base64 of the largest envelope plus the summary."""
MAX_FILE = 64 * 1024 * 1024
"""Bytes of one file; a hand of 240 turns takes about 4 MiB."""


def encode_line(envelope: Envelope) -> bytes:
    """One line of the file, without its newline."""
    fields = {
        "body": encode_base64(envelope.body),
        "sig": encode_base64(envelope.signature),
        "summary": summarise(envelope),
    }
    return json.dumps(fields, separators=(",", ":")).encode("ascii")


def decode_line(line: bytes) -> Envelope:
    """The envelope whose line is exactly this.

    Raises:
        DecodeError: not a line that `encode_line` writes. The signature is not checked.
    """
    if len(line) > MAX_LINE:
        raise BadLength(f"expected a line of at most {MAX_LINE} bytes, got {len(line)}")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise DecodeError("the line is not JSON") from None
    if not isinstance(fields, dict) or list(fields) != ["body", "sig", "summary"]:
        raise DecodeError("expected the keys body, sig and summary")
    signature = _unbase64(fields["sig"])
    if len(signature) != SIGNATURE_BYTES:
        raise BadLength(f"expected a signature of {SIGNATURE_BYTES} bytes, got {len(signature)}")
    envelope = decode_envelope(_unbase64(fields["body"]) + signature)
    if encode_line(envelope) != line:
        raise DecodeError("the line or its summary is not what its message says")
    return envelope


def encode_transcript(setup: HandSetup, envelopes: Sequence[Envelope]) -> bytes:
    """The whole file; envelopes in any order."""
    lines = [encode_header(setup), *map(encode_line, in_file_order(envelopes))]
    return b"".join(line + b"\n" for line in lines)


def in_file_order(envelopes: Iterable[Envelope]) -> list[Envelope]:
    """The canonical order: step, phase, seat, sequence (docs/transcript-format.md).

    What a seat signs from its VOID on belongs to no round and stands at the end, by seat and
    sequence.
    """
    everything = list(envelopes)
    stopped = {
        seat: min(item.seq for item in everything if item.seat == seat and _is_void(item))
        for seat in {item.seat for item in everything if _is_void(item)}
    }

    def key(item: Envelope) -> tuple[int, ...]:
        if item.seat in stopped and item.seq >= stopped[item.seat]:
            return (1, item.seat, item.seq)
        return (0, *item.file_key)

    return sorted(everything, key=key)


def _is_void(envelope: Envelope) -> bool:
    return envelope.kind is Kind.VOID


def without_results(envelopes: Iterable[Envelope]) -> list[Envelope]:
    """The envelopes that a result is about: all but RESULT, and any VOID that comes beside it.

    A VOID that counts ends the hand before a result, so where there are results it is only noise.
    """
    return [item for item in envelopes if item.kind not in (Kind.RESULT, Kind.VOID)]


def summarise(envelope: Envelope) -> dict[str, Any]:
    """What the message says, for people; derived from the body alone."""
    summary: dict[str, Any] = {
        "seat": int(envelope.seat),
        "seq": envelope.seq,
        "step": envelope.step,
        "kind": envelope.kind.label,
    }
    summary.update(_details(envelope.message))
    return summary


def _details(message: Message) -> dict[str, Any]:
    match message:
        case Move():
            return {"move": _move_text(message.move), "remask": message.remask is not None}
        case Tokens():
            return {"purpose": message.purpose.label, "positions": list(message.positions)}
        case _:
            return {}


def _move_text(data: bytes) -> str | None:
    try:
        return format_move(decode_move(data))
    except DecodeError:
        return None


def _unbase64(text: Any) -> bytes:
    if not isinstance(text, str):
        raise DecodeError("expected base64url text")
    return decode_base64(text)
