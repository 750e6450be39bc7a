"""Payloads: one encoding each, and nothing else decodes (docs/transcript-format.md)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import BadLength, DecodeError
from p2pokey.transcript.messages import (
    MAX_ENVELOPE,
    NOBODY,
    Commit,
    Complaint,
    Disclose,
    Drop,
    End,
    Escrow,
    Keys,
    Kind,
    Message,
    Move,
    Purpose,
    Ready,
    Refuse,
    Remask,
    Result,
    Return,
    Shuffle,
    Tokens,
    Void,
    decode_message,
)


def exactly(count: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=count, max_size=count)


def cells(size: int, low: int, high: int) -> st.SearchStrategy[bytes]:
    return st.integers(low, high).flatmap(lambda count: exactly(size * count))


seats = st.integers(0, 3)
u32s = st.integers(0, 2**32 - 1)
i32s = st.integers(-(2**31), 2**31 - 1)
positions = st.lists(st.integers(0, 105), min_size=1, max_size=12, unique=True).map(tuple)


@st.composite
def shuffles(draw: st.DrawFn, kind: type) -> object:
    count = draw(st.integers(2, 4))
    parts = {"deck": draw(exactly(64 * count)), "proof": draw(exactly(32 * (5 * count + 9)))}
    if kind is Shuffle:
        parts["input_hash"] = draw(exactly(64))
    return kind(**parts)


@st.composite
def token_messages(draw: st.DrawFn, kind: type) -> object:
    places = draw(positions)
    parts = {
        "positions": places,
        "tokens": draw(exactly(32 * len(places))),
        "proof": draw(exactly(64)),
    }
    if kind is Tokens:
        return Tokens(purpose=draw(st.sampled_from(Purpose)), **parts)
    return Escrow(absent=draw(seats), **parts)


@st.composite
def moves(draw: st.DrawFn) -> Move:
    tokens = draw(cells(32, 0, 3))
    return Move(
        move=draw(st.binary(max_size=60)),
        remask=draw(st.none() | shuffles(Remask)),
        tokens=tokens,
        proof=draw(exactly(64)) if tokens else b"",
    )


@st.composite
def results(draw: st.DrawFn) -> Result:
    count = draw(st.integers(2, 4))
    numbers = st.lists(i32s, min_size=count, max_size=count).map(tuple)
    return Result(
        points=draw(numbers),
        totals=draw(numbers),
        state=draw(exactly(64)),
        transcript=draw(exactly(64)),
    )


MESSAGES: dict[Kind, st.SearchStrategy[Message]] = {
    Kind.COMMIT: st.builds(
        Commit,
        seed_commit=exactly(32),
        coin_commit=exactly(32),
        sealing_key=exactly(32),
        pop=exactly(64),
    ),
    Kind.KEYS: st.builds(
        Keys,
        hand_key=exactly(32),
        pop=exactly(64),
        commitments=cells(32, 0, 3),
        shares=cells(48, 0, 3),
        coin=exactly(32),
    ),
    Kind.COMPLAINT: st.builds(Complaint, dealer=seats, shared_point=exactly(32), proof=exactly(64)),
    Kind.SHUFFLE: shuffles(Shuffle),
    Kind.READY: st.builds(Ready, digest=exactly(64)),
    Kind.TOKENS: token_messages(Tokens),
    Kind.ESCROW: token_messages(Escrow),
    Kind.MOVE: moves(),
    Kind.DROP: st.builds(
        Drop, absent=seats, step=u32s, head_seq=u32s, head=exactly(64), state=exactly(64)
    ),
    Kind.REFUSE: st.builds(Refuse, message=st.binary(max_size=80)),
    Kind.RETURN: st.just(Return()),
    Kind.END: st.builds(End, digest=exactly(64)),
    Kind.DISCLOSE: st.builds(Disclose, seed=exactly(32)),
    Kind.RESULT: results(),
    Kind.VOID: st.builds(
        Void,
        reason=st.from_regex(r"[A-Za-z]{1,32}", fullmatch=True),
        culprit=seats | st.just(NOBODY),
        evidence=st.lists(st.binary(max_size=50), max_size=2).map(tuple),
    ),
}
any_message = st.one_of(*MESSAGES.values())


def test_every_kind_has_a_strategy() -> None:
    assert set(MESSAGES) == set(Kind)


@pytest.mark.parametrize("kind", list(Kind))
def test_decode_returns_what_was_encoded(kind: Kind) -> None:
    @given(MESSAGES[kind])
    def check(message: Message) -> None:
        assert decode_message(kind, message.encode()) == message

    check()


@given(kind=st.sampled_from(Kind), data=st.binary(max_size=700))
def test_any_bytes_give_a_message_with_these_bytes_or_a_decode_error(
    kind: Kind, data: bytes
) -> None:
    try:
        message = decode_message(kind, data)
    except DecodeError:
        return
    assert message.encode() == data


@given(message=any_message, data=st.data())
def test_no_other_length_decodes_to_the_same(message: Message, data: st.DataObject) -> None:
    encoded = message.encode()
    longer = encoded + data.draw(st.binary(min_size=1, max_size=3))
    with pytest.raises(DecodeError):
        decode_message(message.kind, longer)
    if encoded:
        shorter = encoded[: data.draw(st.integers(0, len(encoded) - 1))]
        with pytest.raises(DecodeError):
            decode_message(message.kind, shorter)


@pytest.mark.parametrize(
    ("kind", "payload", "error"),
    [
        (Kind.KEYS, bytes([4, 0]) + bytes(300), BadLength),
        (Kind.COMPLAINT, bytes([4]) + bytes(96), DecodeError),
        (Kind.SHUFFLE, bytes(64) + bytes([107]) + bytes(64 * 107 + 32 * 544), BadLength),
        (Kind.SHUFFLE, bytes(64) + bytes([1]) + bytes(64 + 32 * 14), BadLength),
        (Kind.TOKENS, bytes([0, 1, 5]) + bytes(96), DecodeError),
        (Kind.TOKENS, bytes([1, 0]) + bytes(64), BadLength),
        (Kind.TOKENS, bytes([1, 2, 5, 5]) + bytes(128), DecodeError),
        (Kind.TOKENS, bytes([1, 1, 106]) + bytes(96), DecodeError),
        (Kind.MOVE, b"\xff\xff" + bytes(70000), BadLength),
        (Kind.MOVE, b"\x01\x00\x01\x01" + bytes(600), BadLength),
        (Kind.MOVE, b"\x01\x00\x01\x00\x6b" + bytes(32 * 107 + 64), BadLength),
        (Kind.RESULT, bytes([5]) + bytes(168), BadLength),
        (Kind.REFUSE, (MAX_ENVELOPE + 1).to_bytes(4, "little"), BadLength),
        (Kind.VOID, bytes([0, 255, 0]), DecodeError),
        (Kind.VOID, b"\x03a1b\xff\x00", DecodeError),
        (Kind.VOID, b"\x01a\x07\x00", DecodeError),
        (Kind.VOID, b"\x01a\xff\x03" + bytes(12), BadLength),
    ],
)
def test_out_of_range_fields_are_refused(
    kind: Kind, payload: bytes, error: type[DecodeError]
) -> None:
    with pytest.raises(error):
        decode_message(kind, payload)
