"""Moves: one binary and one text form each, nothing else accepted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import (
    MAX_MOVE_SIZE,
    Discard,
    DrawLeft,
    DrawStack,
    Finish,
    LaidMeld,
    Pass,
    Placed,
    Show,
    decode_move,
    encode_move,
    format_move,
    move_placed,
    parse_move,
)
from p2pokey.tiles import parse_tile
from tests.strategies import moves, slots, tiles


def _placed(text: str) -> Placed:
    slot, tile = text.split(":")
    return Placed(int(slot), parse_tile(tile))


ROWS = [
    (DrawStack(), "01", "draw"),
    (DrawLeft(), "02", "take"),
    (Show(_placed("17:b5b")), "031123", "show 17:b5b"),
    (Discard(_placed("0:r1a")), "040000", "discard 0:r1a"),
    (Discard(_placed("105:**b")), "046969", "discard 105:**b"),
    (
        Finish(
            _placed("3:k13a"),
            (
                LaidMeld(
                    kind=MeldKind.RUN, tiles=(_placed("0:r1a"), _placed("1:r2a"), _placed("2:r3a"))
                ),
                LaidMeld(kind=MeldKind.PAIR, tiles=(_placed("4:y1a"), _placed("5:y1b"))),
            ),
        ),
        "05034c0200030000010202040202044e054f",
        "finish 3:k13a run(0:r1a 1:r2a 2:r3a) pair(4:y1a 5:y1b)",
    ),
    (Finish(_placed("3:k13a"), ()), "05034c00", "finish 3:k13a"),
    (Pass(), "06", "pass"),
]


@pytest.mark.parametrize(("move", "data", "text"), ROWS, ids=[row[2][:20] for row in ROWS])
def test_known_forms(move, data, text):
    assert encode_move(move).hex() == data
    assert decode_move(bytes.fromhex(data)) == move
    assert format_move(move) == text
    assert parse_move(text) == move


@given(moves)
def test_round_trips(move):
    data = encode_move(move)
    assert len(data) <= MAX_MOVE_SIZE
    assert decode_move(data) == move
    assert parse_move(format_move(move)) == move


@given(
    st.one_of(
        st.binary(max_size=60),
        moves.map(encode_move).flatmap(
            lambda data: st.tuples(st.integers(0, len(data)), st.binary(max_size=3)).map(
                lambda cut: data[: cut[0]] + cut[1] + data[cut[0] + 1 :]
            )
        ),
    )
)
def test_decode_accepts_only_what_encode_produces(data):
    try:
        move = decode_move(data)
    except DecodeError:
        return
    assert encode_move(move) == data


@given(st.text(alphabet="drawtkepshofinu ():*abkry0123456789", max_size=60))
def test_parse_accepts_only_what_format_produces(text):
    try:
        move = parse_move(text)
    except DecodeError:
        return
    assert format_move(move) == text


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ("", BadLength),
        ("01" * (MAX_MOVE_SIZE + 1), BadLength),
        ("0100", BadLength),
        ("03", BadLength),
        ("0311", BadLength),
        ("04112300", BadLength),
        ("050000", BadLength),
        ("0500000100020101", BadLength),
        ("0500000100010101", BadLength),
        ("05000001000e" + "0101" * 14, BadLength),
        ("05000021" + "000201010202" * 33, BadLength),
        ("00", DecodeError),
        ("07", DecodeError),
        ("046a00", DecodeError),
        ("04006a", DecodeError),
        ("05000001030201010202", DecodeError),
    ],
)
def test_decode_refuses(data, error):
    with pytest.raises(error):
        decode_move(bytes.fromhex(data))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Draw",
        "draw ",
        "discard r5a",
        "discard 17:r5",
        "discard 017:r5a",
        "discard 106:r5a",
        "discard 17:r14a",
        "discard 17:r05a",
        "discard 17:r5a 18:r6a",
        "finish",
        "finish 1:r1a run()",
        "finish 1:r1a run(2:r2a)",
        "finish 1:r1a row(2:r2a 3:r3a)",
        "finish 1:r1a run(2:r2a 3:r3a",
        "finish 1:r1a" + " run(2:r2a 3:r3a)" * 33,
        "x" * 5000,
    ],
)
def test_parse_refuses(text):
    with pytest.raises(DecodeError):
        parse_move(text)


@given(slot=st.integers(-300, 300), tile=st.integers(-300, 300))
def test_placed_holds_numbers_of_tiles_only(slot, tile):
    if 0 <= slot <= 105 and 0 <= tile <= 105:
        assert Placed(slot, tile).slot == slot
    else:
        with pytest.raises(DecodeError):
            Placed(slot, tile)


@given(slot=slots, tile=tiles)
def test_only_shown_and_discarded_tiles_become_public(slot, tile):
    placed = Placed(slot, tile)
    assert move_placed(Show(placed)) == (placed,)
    assert move_placed(Discard(placed)) == (placed,)
    assert move_placed(DrawStack()) == move_placed(DrawLeft()) == move_placed(Pass()) == ()


def test_a_finish_makes_all_its_tiles_public_ascending_by_slot():
    finish = parse_move("finish 30:k13a run(40:r1a 1:r2a 2:r3a) pair(4:y1a 35:y1b)")
    assert [placed.slot for placed in move_placed(finish)] == [1, 2, 4, 30, 35, 40]
