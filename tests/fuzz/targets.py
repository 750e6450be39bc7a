"""Everything that reads foreign bytes, as functions that a fuzzer calls.

A target takes any bytes and returns nothing. Whatever it lets out is a bug: each of them swallows
exactly the errors that its parser documents, and asserts that what was accepted is written the same.
"""

import functools
from collections.abc import Callable

from p2pokey.audit.auditor import audit_transcript
from p2pokey.crypto.group import Group
from p2pokey.errors import ConnectError, DecodeError, InvalidRuleSet, LinkError, VerificationError
from p2pokey.hand.core import HandPorts
from p2pokey.hand.machine import HandMachine
from p2pokey.native.identity import Ed25519Verifier
from p2pokey.native.sealing import ChaChaSealer
from p2pokey.net.bodies import decode_body
from p2pokey.net.frames import decode_frame, encode_frame
from p2pokey.net.invites import parse_invite
from p2pokey.net.link import Link
from p2pokey.net.membership import decode_membership
from p2pokey.net.sdp import parse_description
from p2pokey.net.vouching import check_vouch, make_vouch
from p2pokey.net.wire import parse_server_message
from p2pokey.rules.move_codec import decode_move, encode_move
from p2pokey.rules.move_text import format_move, parse_move
from p2pokey.rules.rulesets import canonical_bytes, from_json
from p2pokey.table import messages as table_messages
from p2pokey.table.carry import decode_carry, encode_carry
from p2pokey.table.contents import encode_content
from p2pokey.table.effects import BadLink
from p2pokey.table.roster import decode_roster, encode_roster
from p2pokey.tiles import Seat
from p2pokey.transcript.envelope import decode_envelope, seal_envelope
from p2pokey.transcript.file import decode_line, encode_line
from p2pokey.transcript.messages import Kind, decode_message
from p2pokey.transcript.setup import decode_header, encode_header
from signaling.limits import Limits
from signaling.messages import Refusal
from signaling.parsing import parse_frame, parse_text
from tests.fuzz.engines import engine
from tests.net.support import TOOLKITS, make_roster
from tests.sim.cheap_group import CheapBackend
from tests.sim.table import fixed_bytes, make_setup, signer_of
from tests.table import table_net

CHEAP = Group(CheapBackend())
SETUP = make_setup("fuzz")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def envelope(data: bytes) -> None:
    try:
        decoded = decode_envelope(data)
    except DecodeError:
        return
    assert decoded.encoded == data
    assert decode_line(encode_line(decoded)) == decoded


def payload(data: bytes) -> None:
    if not data or data[0] % 16 not in Kind._value2member_map_:
        return
    try:
        message = decode_message(Kind(data[0] % 16), data[1:])
    except DecodeError:
        return
    assert message.encode() == data[1:]


def line(data: bytes) -> None:
    try:
        decoded = decode_line(data)
    except DecodeError:
        return
    assert encode_line(decoded) == data


def header(data: bytes) -> None:
    try:
        setup = decode_header(data)
    except DecodeError:
        return
    assert encode_header(setup) == data


def move(data: bytes) -> None:
    try:
        decoded = decode_move(data)
    except DecodeError:
        return
    assert encode_move(decoded) == data
    assert parse_move(format_move(decoded)) == decoded


def move_text(data: bytes) -> None:
    try:
        decoded = parse_move(_text(data))
    except DecodeError:
        return
    assert format_move(decoded) == _text(data)


def rules(data: bytes) -> None:
    try:
        decoded = from_json(data)
    except InvalidRuleSet:
        return
    assert canonical_bytes(*decoded) == data


def roster(data: bytes) -> None:
    try:
        decoded = decode_roster(data)
    except (DecodeError, VerificationError):
        return
    assert encode_roster(decoded) == data


def talk(data: bytes) -> None:
    """A message of the table chain, or the link of a room, at a table machine."""
    table = table_net.chair_machine()
    table.receive(data, Seat(1), 1.0)
    blamed = [effect.seat for effect in table.poll() if isinstance(effect, BadLink)]
    assert blamed in ([], [1])
    try:
        decoded = table_messages.decode_message(data)
    except DecodeError:
        assert blamed or data[:1] == b"\x83"
        return
    assert decoded.encoded == data
    assert encode_content(decoded.content) in data


def carry(data: bytes) -> None:
    try:
        decoded = decode_carry(data)
    except DecodeError:
        return
    assert data == (b"" if decoded is None else encode_carry(decoded))


def frame(data: bytes) -> None:
    try:
        decoded = decode_frame(data)
    except LinkError:
        return
    assert encode_frame(decoded) == data


def link(data: bytes) -> None:
    """Frames of up to 40 bytes each, one after the other, into one side of a link."""
    side = Link(now=0.0)
    side.attach(0.0)
    for start in range(0, len(data), 40):
        side.receive(data[start : start + 40], float(start))
        side.poll()


def body(data: bytes) -> None:
    try:
        decode_body(data)
    except DecodeError:
        return


def description(data: bytes) -> None:
    try:
        parse_description("offer", _text(data))
    except LinkError:
        return


def invite(data: bytes) -> None:
    try:
        parse_invite(_text(data))
    except ConnectError:
        return


def vouch(data: bytes) -> None:
    """As it comes, and signed by a seat, so that what is inside is heard."""
    table = make_roster()
    check_vouch(data, table, Seat(0), Ed25519Verifier())
    said = make_vouch(table, Seat(1), TOOLKITS[1].signer, data[:10].decode("utf-8", "replace"))
    try:
        check_vouch(said, table, Seat(0), Ed25519Verifier())
    except ConnectError:
        assert data


def membership(data: bytes) -> None:
    try:
        decoded = decode_membership(data)
    except (DecodeError, VerificationError):
        return
    assert decode_membership(decoded.encode()) == decoded


def server_message(data: bytes) -> None:
    try:
        parse_server_message(_text(data))
    except ConnectError:
        return


def client_message(data: bytes) -> None:
    for parse, frame_data in ((parse_text, _text(data)), (parse_frame, data)):
        try:
            parse(frame_data, Limits())
        except Refusal:
            continue


def audit(data: bytes) -> None:
    """The header is given, so that the fuzzer gets past the first line."""
    for file in (data, encode_header(SETUP) + b"\n" + data):
        report = audit_transcript(
            file, group=CHEAP, verifier=Ed25519Verifier(), sealer=ChaChaSealer()
        )
        assert report.exit_code in (3, 4)


@functools.cache
def _signer():
    return signer_of("fuzz", 1)


def machine(data: bytes) -> None:
    """Signed by the seat, so that what is inside reaches the handlers: kind, then the payload."""
    hand = HandMachine(
        setup=SETUP,
        seat=Seat(0),
        seed=fixed_bytes("fuzz seed"),
        ports=HandPorts(group=CHEAP, signer=signer_of("fuzz", 0), sealer=ChaChaSealer()),
        verifier=Ed25519Verifier(),
    )
    hand.receive(data, Seat(1), 0.0)
    if not data:
        return
    try:
        message = decode_message(Kind(data[0] % 15 + 1), data[1:])
    except DecodeError:
        return
    signed = seal_envelope(
        _signer(),
        session=SETUP.session,
        hand=SETUP.hand,
        seat=Seat(1),
        seq=0,
        prev=bytes(64),
        step=0,
        state=hand.state_hash,
        message=message,
    )
    hand.receive(signed.encoded, Seat(1), 0.0)
    while hand.work(0.0):
        hand.poll()
    assert hand.fault is None or hand.fault.culprit == 1


TARGETS: dict[str, Callable[[bytes], None]] = {
    function.__name__: function
    for function in (
        envelope,
        payload,
        line,
        header,
        move,
        move_text,
        rules,
        roster,
        talk,
        carry,
        frame,
        link,
        body,
        description,
        invite,
        vouch,
        membership,
        server_message,
        client_message,
        audit,
        machine,
        engine,
    )
}
