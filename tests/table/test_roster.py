"""The roster: one byte form, the host's signature, and the session id made from it."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import (
    BadLength,
    BadPoint,
    BadSignature,
    CommitMismatch,
    DecodeError,
    DuplicateKey,
    UnsupportedVersion,
)
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.table.roster import (
    MAX_ROSTER_BYTES,
    Roster,
    RosterSeat,
    check_name,
    commit_nonce,
    decode_roster,
    encode_roster,
    roster_hash,
    safety_numbers,
    session_id,
    sign_roster,
    verify_roster,
)

SIGNERS = tuple(Ed25519Signer(bytes([index]) * 32) for index in range(1, 5))
NONCES = tuple(bytes([index]) * 32 for index in range(11, 15))
NAMES = ("Ayşe", "Bora", "Can", "Derya")
RULES = b'{"key":"classic"}'
VERIFIER = Ed25519Verifier()


def make_seat(index):
    key = SIGNERS[index].public_key
    commit = commit_nonce(key, NONCES[index])
    return RosterSeat(public_key=key, runner=key, nonce_commit=commit, name=NAMES[index])


def make_roster(count=4, **changes):
    fields = {"room": "K7Q2M", "epoch": 1, "rules": RULES}
    fields["seats"] = tuple(make_seat(index) for index in range(count))
    return Roster(**{**fields, **changes})


HIDDEN = (
    "\u034f\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\ufe00\ufe0f"
    "\U000e0100\U0001d159\U00016fe4"
)
"""Characters without a picture; most are letters or marks to Unicode."""


names = st.text(
    st.characters(exclude_categories=("C", "Z"), include_characters=" "), min_size=1, max_size=32
)


def is_good_name(name):
    try:
        check_name(name)
    except DecodeError:
        return False
    return True


@st.composite
def rosters(draw):
    count = draw(st.integers(2, 4))
    seats = tuple(
        RosterSeat(
            public_key=bytes([index]) + draw(st.binary(min_size=31, max_size=31)),
            runner=draw(st.binary(min_size=32, max_size=32)),
            nonce_commit=draw(st.binary(min_size=32, max_size=32)),
            name=draw(names.filter(is_good_name)),
        )
        for index in range(count)
    )
    room = draw(st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=1, max_size=16))
    epoch = draw(st.integers(0, 2**32 - 1))
    rules = draw(st.binary(min_size=1, max_size=200))
    carry = draw(st.binary(max_size=256))
    return Roster(room=room, epoch=epoch, rules=rules, seats=seats, carry=carry)


@given(rosters())
def test_decoding_gives_back_what_was_encoded(roster):
    data = encode_roster(roster)

    assert decode_roster(data) == roster
    assert len(data) <= MAX_ROSTER_BYTES


@given(rosters(), st.data())
def test_no_other_bytes_decode_to_the_same_roster(roster, data):
    encoded = bytearray(encode_roster(roster))
    position = data.draw(st.integers(0, len(encoded) - 1))
    encoded[position] ^= data.draw(st.integers(1, 255))
    try:
        decoded = decode_roster(bytes(encoded))
    except (DecodeError, DuplicateKey):
        return

    assert decoded != roster
    assert encode_roster(decoded) == encoded


@given(st.binary(max_size=400))
def test_any_bytes_decode_canonically_or_are_refused(data):
    try:
        roster = decode_roster(data)
    except (DecodeError, DuplicateKey):
        return

    assert encode_roster(roster) == data


@given(rosters(), st.integers(1, 300))
def test_a_cut_or_longer_text_is_refused(roster, count):
    data = encode_roster(roster)
    for wrong in (data[:-count], data + bytes(count)):
        with pytest.raises(DecodeError):
            decode_roster(wrong)


def test_size_is_refused_first():
    with pytest.raises(BadLength, match="at most"):
        decode_roster(bytes(MAX_ROSTER_BYTES + 1))


def test_another_version_is_named():
    with pytest.raises(UnsupportedVersion):
        decode_roster(b"\x01" + encode_roster(make_roster())[1:])


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "Ali ",
        " Ali",
        "A" * 33,
        "Ali\n",
        "Ali\x00",
        "Ali\u202eevil",  # right-to-left override
        "Ali\u2066x",  # isolate
        "A\u200bli",  # zero width space
        "A\u00a0li",  # no-break space
        "A\u2028li",  # line separator
        "\ud800",  # lone surrogate
        "I\u0307",  # normal form is one character
        "\ue000",  # private use
        "Ali  Veli",  # two spaces
        *(f"A{hidden}li" for hidden in HIDDEN),
        *(f"Ali{hidden}" for hidden in HIDDEN),
        *HIDDEN,
        "e" + "\u0301" * 31,
        "a" + "\u0489" * 5,  # five signs around one letter
        "\u0489a",  # a mark on nothing
        "a \u0489b",
    ],
)
def test_names_that_could_deceive_are_refused(name):
    with pytest.raises(DecodeError):
        check_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "नमस्ते",
        "ผู้ที่",
        "Trần",
        "q\u0323\u0303",
        "Ali",
        "Ayşe Nur",
        "İnci",
        "Ömer-1",
        "A" * 32,
        "龍",
        "a b c",
    ],
)
def test_plain_names_are_taken(name):
    check_name(name)


@pytest.mark.parametrize(
    "changes",
    [
        {"room": ""},
        {"room": "k7q2m"},
        {"room": "K7Q2O"},
        {"room": "K" * 17},
        {"epoch": -1},
        {"epoch": 2**32},
        {"rules": b""},
        {"rules": bytes(3073)},
        {"carry": bytes(257)},
        {"seats": (make_seat(0),)},
        {"seats": tuple(dataclasses.replace(make_seat(0), public_key=bytes([i]) * 32) for i in range(5))},
        {"seats": (make_seat(0), dataclasses.replace(make_seat(1), runner=bytes(31)))},
        {"seats": (make_seat(0), dataclasses.replace(make_seat(1), nonce_commit=b""))},
    ],
)  # fmt: skip
def test_fields_out_of_range_are_refused(changes):
    with pytest.raises(DecodeError):
        make_roster(**changes)


def test_one_key_sits_only_once():
    twin = dataclasses.replace(make_seat(1), public_key=SIGNERS[0].public_key)
    with pytest.raises(DuplicateKey):
        make_roster(seats=(make_seat(0), twin))


def test_the_host_signs_and_everybody_verifies():
    roster = make_roster()
    signature = sign_roster(roster, SIGNERS[0])

    verify_roster(roster, signature, VERIFIER)
    assert roster.host_key == SIGNERS[0].public_key
    assert roster.seat_of(SIGNERS[2].public_key) == 2
    assert roster.seat_of(bytes(32)) is None
    assert roster.keys == b"".join(signer.public_key for signer in SIGNERS)


def test_a_guest_cannot_sign_for_the_host():
    roster = make_roster()
    with pytest.raises(BadSignature):
        verify_roster(roster, sign_roster(roster, SIGNERS[1]), VERIFIER)


def test_a_signature_covers_every_field():
    roster = make_roster()
    signature = sign_roster(roster, SIGNERS[0])
    seats = roster.seats
    changed = [
        {"room": "K7Q2N"},
        {"epoch": 2},
        {"rules": RULES + b" "},
        {"carry": b"c"},
        {"seats": seats[:3]},
        {"seats": (seats[0], seats[2], seats[1], seats[3])},
        {"seats": (*seats[:3], dataclasses.replace(seats[3], name="Eve"))},
        {"seats": (*seats[:3], dataclasses.replace(seats[3], runner=SIGNERS[0].public_key))},
        {"seats": (*seats[:3], dataclasses.replace(seats[3], nonce_commit=bytes(32)))},
    ]
    hashes = {roster_hash(roster)}
    for change in changed:
        other = dataclasses.replace(roster, **change)
        hashes.add(roster_hash(other))
        with pytest.raises(BadSignature):
            verify_roster(other, signature, VERIFIER)

    assert len(hashes) == 1 + len(changed)


@pytest.mark.parametrize("field", ["public_key", "runner"])
def test_keys_of_small_order_are_refused(field):
    small = bytes([1]) + bytes(31)
    bad = dataclasses.replace(make_seat(1), **{field: small})
    roster = make_roster(seats=(make_seat(0), bad))
    with pytest.raises(BadPoint):
        verify_roster(roster, sign_roster(roster, SIGNERS[0]), VERIFIER)


def test_the_session_id_depends_on_every_key_and_nonce():
    sessions = {session_id(make_roster(count), NONCES[:count]) for count in (2, 3, 4)}
    for index in range(4):
        nonces = list(NONCES)
        nonces[index] = bytes([99]) * 32
        seat = make_seat(index)
        commit = commit_nonce(seat.public_key, nonces[index])
        seats = list(make_roster().seats)
        seats[index] = dataclasses.replace(seat, nonce_commit=commit)
        sessions.add(session_id(make_roster(seats=tuple(seats)), nonces))

    assert len(sessions) == 7
    assert all(len(session) == 32 for session in sessions)


def test_a_nonce_other_than_the_committed_one_is_refused():
    roster = make_roster()
    with pytest.raises(CommitMismatch):
        session_id(roster, (*NONCES[:3], bytes(32)))
    with pytest.raises(BadLength):
        session_id(roster, NONCES[:3])
    with pytest.raises(BadLength):
        session_id(roster, (*NONCES[:3], NONCES[3][:31]))


def test_a_copied_commitment_cannot_be_opened():
    copied = dataclasses.replace(make_seat(1), nonce_commit=make_seat(0).nonce_commit)
    roster = make_roster(seats=(make_seat(0), copied))
    with pytest.raises(CommitMismatch):
        session_id(roster, (NONCES[0], NONCES[0]))


@given(st.binary(min_size=32, max_size=32))
def test_safety_numbers_are_four_list_indices(session):
    numbers = safety_numbers(session)

    assert len(numbers) == 4
    assert all(0 <= number < 1296 for number in numbers)


def test_fixed_values():
    """Frozen so that a change of the wire format cannot pass unnoticed."""
    roster = make_roster()
    session = session_id(roster, NONCES)

    assert (
        roster_hash(roster).hex()
        == "c83f9ec06042f862c69ca9dd3816b88562be9b07154c79fc589bd9061b3fd47f"
    )
    assert session.hex() == "c32c2c05dfc74ae748867f1865fa895f8cbe3459068e7d44efc0f2dfccdacaf4"
    assert safety_numbers(session) == (764, 308, 29, 968)
