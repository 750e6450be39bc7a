"""The transcript file: JSON Lines, one header and one line per envelope, byte-exact.

docs/transcript-format.md. `summary` is for people; readers derive it again and compare. A line that
is not what the writer would have written is refused.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.moves import decode_move, format_move
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
        "body": _base64(envelope.body),
        "sig": _base64(envelope.signature),
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
    if len(signature) != 64:
        raise BadLength(f"expected a signature of 64 bytes, got {len(signature)}")
    envelope = decode_envelope(_unbase64(fields["body"]) + signature)
    if encode_line(envelope) != line:
        raise DecodeError("the line or its summary is not what its message says")
    return envelope


def encode_transcript(setup: HandSetup, envelopes: Sequence[Envelope]) -> bytes:
    """The whole file; envelopes in any order."""
    ordered = sorted(envelopes, key=lambda envelope: envelope.file_key)
    lines = [encode_header(setup), *(encode_line(envelope) for envelope in ordered)]
    return b"".join(line + b"\n" for line in lines)


def transcript_hash(setup: HandSetup, envelopes: Iterable[Envelope]) -> bytes:
    """SHA-512 of all lines before the first RESULT (S4.8)."""
    before = [envelope for envelope in envelopes if envelope.kind is not Kind.RESULT]
    return hashlib.sha512(encode_transcript(setup, before)).digest()


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


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _unbase64(text: Any) -> bytes:
    if not isinstance(text, str) or len(text) > MAX_LINE:
        raise DecodeError("expected base64url text")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise DecodeError("expected base64url text") from None
