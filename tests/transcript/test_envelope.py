"""Envelopes and files: what is signed, what is refused, and that a file is byte-exact."""

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from p2pokey.errors import BadSignature, DecodeError, UnsupportedVersion
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.rules.rulesets import ruleset_for, table_options
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import (
    NO_PREVIOUS,
    Envelope,
    decode_envelope,
    seal_envelope,
    verify_envelope,
)
from p2pokey.transcript.file import decode_line, encode_line, encode_transcript
from p2pokey.transcript.messages import MAX_ENVELOPE, Disclose, Message, Ready
from p2pokey.transcript.setup import HandSetup, decode_header, encode_header
from tests.sim.table import make_setup, signer_of
from tests.transcript.test_messages import any_message

VERIFIER = Ed25519Verifier()
SETUP = make_setup("envelope")


def sealed(message: Message, *, seq: int = 0, step: int = 0, seat: int = 0) -> Envelope:
    return seal_envelope(
        signer_of("envelope", seat),
        session=SETUP.session,
        hand=SETUP.hand,
        seat=Seat(seat),
        seq=seq,
        prev=NO_PREVIOUS,
        step=step,
        state=bytes(64),
        message=message,
    )


@given(any_message)
def test_an_envelope_survives_the_wire(message: Message) -> None:
    envelope = sealed(message)
    assert decode_envelope(envelope.encoded) == envelope
    verify_envelope(VERIFIER, SETUP.roster[0], decode_envelope(envelope.encoded))


@given(any_message)
def test_a_line_survives_the_file(message: Message) -> None:
    envelope = sealed(message)
    assert decode_line(encode_line(envelope)) == envelope


@settings(max_examples=300)
@given(st.data())
def test_one_changed_byte_breaks_form_or_signature(data: st.DataObject) -> None:
    encoded = sealed(Disclose(seed=bytes(32))).encoded
    at = data.draw(st.integers(0, len(encoded) - 1))
    flip = data.draw(st.integers(1, 255))
    mutant = encoded[:at] + bytes([encoded[at] ^ flip]) + encoded[at + 1 :]
    try:
        envelope = decode_envelope(mutant)
    except DecodeError:
        return
    with pytest.raises(BadSignature):
        verify_envelope(VERIFIER, SETUP.roster[0], envelope)


def test_a_signature_for_one_kind_does_not_fit_another() -> None:
    """READY and END have the same payload form: only the signed label keeps them apart."""
    ready = sealed(Ready(digest=bytes(64)))
    kind_at = len(ready.body) - 64 - 1
    as_end = ready.body[:kind_at] + bytes([12]) + ready.body[kind_at + 1 :]
    envelope = decode_envelope(as_end + ready.signature)
    with pytest.raises(BadSignature):
        verify_envelope(VERIFIER, SETUP.roster[0], envelope)


@given(st.binary(max_size=400))
def test_any_bytes_give_an_envelope_or_a_decode_error(data: bytes) -> None:
    try:
        envelope = decode_envelope(data)
    except DecodeError:
        return
    assert envelope.encoded == data


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", DecodeError),
        (bytes(200), DecodeError),
        (b"\x01" + bytes(300), UnsupportedVersion),
        (bytes(MAX_ENVELOPE + 1), DecodeError),
    ],
)
def test_unreadable_envelopes_are_refused(data: bytes, error: type[DecodeError]) -> None:
    with pytest.raises(error):
        decode_envelope(data)


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_bytes_give_a_line_or_a_decode_error(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_line(data)
    with pytest.raises(DecodeError):
        decode_header(data)


def test_a_line_with_another_summary_is_refused() -> None:
    fields = json.loads(encode_line(sealed(Disclose(seed=bytes(32)))))
    fields["summary"]["seat"] = 1
    with pytest.raises(DecodeError, match="summary"):
        decode_line(json.dumps(fields, separators=(",", ":")).encode())


def test_a_line_with_other_white_space_is_refused() -> None:
    fields = json.loads(encode_line(sealed(Disclose(seed=bytes(32)))))
    with pytest.raises(DecodeError):
        decode_line(json.dumps(fields).encode())


SETUPS = [
    SETUP,
    dataclasses.replace(SETUP, starter=Seat(2), hand=7, match_hand=3, excluded=5),
    dataclasses.replace(SETUP, totals=(-3, 0, 20, 1), previous=b"\x07" * 64),
    dataclasses.replace(SETUP, options=table_options(4, recovery=False, timer_s=0)),
    dataclasses.replace(SETUP, rules=ruleset_for("classic", discard_taken=True)),
]


@pytest.mark.parametrize("setup", SETUPS)
def test_the_header_survives_the_file(setup: HandSetup) -> None:
    assert decode_header(encode_header(setup)) == setup
    assert encode_transcript(setup, []) == encode_header(setup) + b"\n"


def test_every_fact_of_the_setup_changes_the_context_of_the_hand() -> None:
    """protocol S2: one file carries, and every proof is bound to, all that the hand starts from."""
    contexts = {setup.hand_ctx() for setup in SETUPS}
    for change in (
        {"session": bytes(32)},
        {"hand": 1},
        {"roster": SETUP.roster[::-1]},
        {"match_hand": 1},
        {"starter": Seat(0)},
        {"excluded": 1},
        {"totals": (20, 20, 20, 19)},
        {"previous": b"\x01" * 64},
    ):
        contexts.add(dataclasses.replace(SETUP, **change).hand_ctx())
    assert len(contexts) == len(SETUPS) + 8


@pytest.mark.parametrize(
    ("path", "value", "error"),
    [
        (("version",), 1, UnsupportedVersion),
        (("version",), "0", UnsupportedVersion),
        (("suite",), "other", UnsupportedVersion),
        (("format",), "other", DecodeError),
        (("session",), "00", DecodeError),
        (("session",), "zz" * 32, DecodeError),
        (("hand",), -1, DecodeError),
        (("hand",), True, DecodeError),
        (("hand",), 2**32, DecodeError),
        (("roster",), [], DecodeError),
        (("roster",), ["00" * 32] * 5, DecodeError),
        (("setup", "totals"), [1, 2, 3], DecodeError),
        (("setup", "totals"), [1, 2, 3, 10**9], DecodeError),
        (("setup", "starter"), 4, DecodeError),
        (("setup", "excluded"), 15, DecodeError),
        (("setup",), None, DecodeError),
        (("rules",), {}, DecodeError),
        (("rules", "table", "seats"), 3, DecodeError),
        (("rules", "rules", "key"), "chess", DecodeError),
    ],
)
def test_a_damaged_header_is_refused(
    path: tuple[str, ...], value: object, error: type[DecodeError]
) -> None:
    header = json.loads(encode_header(SETUP))
    at = header
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(error):
        decode_header(json.dumps(header, separators=(",", ":")).encode())
