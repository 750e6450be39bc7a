"""Messages of the table chain have one byte form, and nothing else is one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import DecodeError, P2POkeyError
from p2pokey.native.identity import Ed25519Signer, Ed25519Verifier
from p2pokey.table.contents import Answer, Ask, Chat, Content, Next, QuickPhrase, Reply, What, Wish
from p2pokey.table.messages import (
    MAX_MESSAGE,
    NO_PREVIOUS,
    decode_link,
    decode_message,
    encode_link,
    is_link,
    is_table_message,
    seal_message,
    session_of,
    verify_message,
)
from p2pokey.table.phrases import Phrase
from p2pokey.tiles import Seat

SIGNERS = [Ed25519Signer(bytes([7 + seat]) * 32) for seat in range(4)]
ROSTER = tuple(signer.public_key for signer in SIGNERS)
SESSION = b"s" * 32

numbers = st.integers(0, 2**32 - 1)
seats = st.integers(0, 3).map(Seat)
sheets = st.binary(min_size=32, max_size=32)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=500)
orders = st.permutations(range(4)).map(tuple) | st.just((2, 255, 0, 255))
contents = st.one_of(
    st.builds(
        Next,
        attempt=numbers,
        wish=st.sampled_from(Wish),
        withheld=st.integers(0, 15),
        starter=st.none() | seats,
        sheet=sheets,
    ),
    st.builds(Chat, text=texts),
    st.builds(QuickPhrase, code=st.integers(0, 255)),
    st.builds(Ask, what=st.just(What.REMATCH), attempt=numbers, step=numbers),
    st.builds(
        Ask,
        what=st.just(What.SEATING),
        attempt=numbers,
        step=st.just(0),
        order=orders,
        sheet=sheets,
    ),
    st.builds(Answer, asker=seats, seq=numbers, reply=st.sampled_from(Reply), asked=sheets),
)


def sealed(content: Content, *, seat: int = 1, seq: int = 7) -> bytes:
    return seal_message(
        SIGNERS[seat],
        session=SESSION,
        seat=Seat(seat),
        seq=seq,
        previous=b"p" * 32,
        content=content,
    ).encoded


@given(contents, numbers)
def test_what_is_sealed_is_read(content: Content, seq: int):
    data = sealed(content, seq=seq)
    message = decode_message(data)

    verify_message(Ed25519Verifier(), ROSTER, message)
    assert is_table_message(data)
    assert len(data) <= MAX_MESSAGE
    assert session_of(data) == SESSION
    assert (message.seat, message.seq, message.previous) == (1, seq, b"p" * 32)
    assert message.content == content
    assert message.encoded == data


@given(contents, st.data())
def test_any_changed_byte_is_refused(content: Content, data: st.DataObject):
    broken = bytearray(sealed(content))
    broken[data.draw(st.integers(0, len(broken) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(P2POkeyError):
        verify_message(Ed25519Verifier(), ROSTER, decode_message(bytes(broken)))


@given(st.binary(max_size=300))
def test_noise_is_refused(data: bytes):
    for noise in (data, b"\x82" + data):
        with pytest.raises(DecodeError):
            decode_message(noise)


@pytest.mark.parametrize(
    "content",
    [
        Chat(text=""),
        Chat(text="x" * 501),
        Chat(text="half \ud83d"),
        Ask(what=What.SEATING, attempt=0, step=0, order=(255, 0, 1, 2), sheet=bytes(32)),
        Ask(what=What.SEATING, attempt=0, step=0, order=(1, 1, 2, 3), sheet=bytes(32)),
        Ask(what=What.SEATING, attempt=0, step=4, order=(0, 1, 2, 3), sheet=bytes(32)),
        Next(attempt=0, wish=Wish.PLAY, withheld=16, sheet=bytes(32)),
        Next(attempt=0, wish=Wish.PLAY, starter=Seat(4), sheet=bytes(32)),
        Next(attempt=0, wish=Wish.PLAY, sheet=bytes(31)),
    ],
)
def test_what_has_no_form_is_not_signed(content: Content):
    with pytest.raises(DecodeError):
        sealed(content)


def test_only_its_own_seat_signs_a_message():
    data = seal_message(
        SIGNERS[2],
        session=SESSION,
        seat=Seat(1),
        seq=0,
        previous=NO_PREVIOUS,
        content=Chat(text="I am seat 2"),
    ).encoded
    with pytest.raises(P2POkeyError):
        verify_message(Ed25519Verifier(), ROSTER, decode_message(data))


def test_a_seat_that_the_table_does_not_have():
    with pytest.raises(DecodeError):
        verify_message(
            Ed25519Verifier(), ROSTER[:2], decode_message(sealed(Chat(text="x"), seat=3))
        )


def test_phrases_are_codes():
    codes = [phrase.value for phrase in Phrase]

    assert sorted(set(codes)) == codes
    assert all(0 < code < 256 for code in codes)


def test_a_link_goes_there_and_back():
    link = "p2pokey://127.0.0.1:9000/K7Q2M#" + "a" * 22
    data = encode_link(SESSION, link)

    assert is_link(data)
    assert session_of(data) == SESSION
    assert decode_link(data) == link


@pytest.mark.parametrize("link", ["", "x" * 513, "two\nlines", "çay"])
def test_no_link(link: str):
    with pytest.raises(DecodeError):
        decode_link(encode_link(SESSION, link))
