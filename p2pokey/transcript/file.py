"""The transcript file: JSON Lines, one header and one line per envelope, byte-exact.

docs/transcript-format.md. `summary` is for people; readers derive it again and compare. A line that
is not what the writer would have written is refused.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2pokey.codec import decode_base64, encode_base64
from p2pokey.errors import BadLength, DecodeError
from p2pokey.ports import SIGNATURE_BYTES
from p2pokey.rules.move_codec import decode_move
from p2pokey.rules.move_text import format_move
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import Envelope, decode_envelope
from p2pokey.transcript.messages import MAX_ENVELOPE, Drop, Escrow, Kind, Message, Move, Tokens
from p2pokey.transcript.setup import HandSetup, encode_header

MAX_LINE = 4 * MAX_ENVELOPE // 3 + 4096
"""Bytes of one line: base64 of the largest envelope plus the summary."""
MAX_FILE = 64 * 1024 * 1024
"""Bytes of one file; a hand of 240 turns takes about 4 MiB."""

VOTES = (Kind.DROP, Kind.REFUSE)
"""Kinds that may stand anywhere in a chain."""
OUT_OF_ROUND = (*VOTES, Kind.RETURN)
"""Kinds that no round asks for."""


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

    Votes and a RETURN follow the message before them in their author's chain. What a seat signs after
    its DISCLOSE stands behind all rounds, by seat and sequence: no RESULT signs it. What a seat signs
    from its VOID on belongs to no round and stands at the end.
    """
    everything = list(envelopes)
    stopped = _first_places(everything, Kind.VOID)
    disclosed = _first_places(everything, Kind.DISCLOSE)
    anchors = _anchors(everything)

    def key(item: Envelope) -> tuple[int, ...]:
        if item.seq >= stopped.get(item.seat, item.seq + 1):
            return (2, item.seat, item.seq)
        if item.seq > disclosed.get(item.seat, item.seq):
            return (1, item.seat, item.seq)
        return (0, *anchors[id(item)], item.seq)

    return sorted(everything, key=key)


def _anchors(envelopes: Sequence[Envelope]) -> dict[int, tuple[int, int, int, int]]:
    """For each envelope the place of the last message of its author that belongs to a round."""
    newest: dict[Seat, tuple[int, int, int, int]] = {}
    anchors: dict[int, tuple[int, int, int, int]] = {}
    for item in sorted(envelopes, key=lambda item: (item.seat, item.seq)):
        if item.kind not in OUT_OF_ROUND:
            newest[item.seat] = item.file_key
        anchors[id(item)] = newest.get(item.seat, (0, 0, item.seat, 0))
    return anchors


def signed_lines(chains: Mapping[Seat, Sequence[Envelope]]) -> list[Envelope]:
    """The lines that every RESULT signs: of each chain all up to its DISCLOSE.

    Args:
        chains: by seat; of a seat that is absent, and so discloses nothing, the part that counts.
    """
    lines: list[Envelope] = []
    for chain in chains.values():
        end = next((item.seq + 1 for item in chain if item.kind is Kind.DISCLOSE), len(chain))
        lines.extend(chain[:end])
    return lines


def _first_places(envelopes: Sequence[Envelope], kind: Kind) -> dict[Seat, int]:
    """By seat, the place of its first message of that kind."""
    found: dict[Seat, int] = {}
    for item in envelopes:
        if item.kind is kind:
            found[item.seat] = min(item.seq, found.get(item.seat, item.seq))
    return found


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
        case Escrow():
            return {"absent": message.absent, "positions": list(message.positions)}
        case Drop():
            return {"absent": message.absent, "head": message.head_seq}
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
