"""Moves: one binary and one text form each, nothing else accepted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.move_codec import MAX_MOVE_SIZE, decode_move, encode_move
from p2pokey.rules.move_text import format_move, parse_move
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    Finish,
    GoPairs,
    LaidMeld,
    Lay,
    Open,
    Pass,
    Placed,
    Play,
    Retrieve,
    ReturnTaken,
    Show,
    TakeBack,
    move_placed,
    with_slots,
)
from p2pokey.tiles import parse_face, parse_tile
from tests.strategies import moves, slots, tiles


def _placed(text: str) -> Placed:
    slot, tile = text.split(":")
    return Placed(int(slot), parse_tile(tile))


RUN = LaidMeld(kind=MeldKind.RUN, tiles=(_placed("0:r1a"), _placed("1:r2a"), _placed("2:r3a")))
SET_WITH_OKEY = LaidMeld(
    kind=MeldKind.SET,
    tiles=(_placed("0:y11a"), _placed("1:k12a"), _placed("2:r6a")),
    declared=(None, None, parse_face("k6")),
)
"""A form, not a legal set."""

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
        "05034c020003000001020204000202044e054f00",
        "finish 3:k13a run(0:r1a 1:r2a 2:r3a) pair(4:y1a 5:y1b)",
    ),
    (Finish(_placed("3:k13a"), ()), "05034c00", "finish 3:k13a"),
    (Pass(), "06", "pass"),
    (ReturnTaken(), "07", "return"),
    (TakeBack(), "08", "take-back"),
    (GoPairs(), "09", "go-pairs"),
    (Open((SET_WITH_OKEY,)), "0a0101030062014a020a01021f", "open set(0:y11a 1:k12a 2:r6a=k6)"),
    (Lay((RUN,)), "0b010003000001020204" + "00", "lay run(0:r1a 1:r2a 2:r3a)"),
    (
        Add(meld=2, end=End.HIGH, tiles=(_placed("7:r12a"), _placed("8:r13b"))),
        "0c020102071608" + "19",
        "add 2 high 7:r12a 8:r13b",
    ),
    (
        Retrieve(meld=1, place=2, supply=(_placed("7:b5a"),)),
        "0d010201" + "0722",
        "retrieve 1 2 7:b5a",
    ),
    (
        ClaimFinish(
            melds=(RUN,),
            additions=(Add(meld=0, end=End.LOW, tiles=(_placed("3:r8a"),)),),
            discard=_placed("9:k1a"),
        ),
        "0e0934" + "010003000001020204" + "00" + "01" + "000001030e",
        "claim-finish 9:k1a open run(0:r1a 1:r2a 2:r3a) add 0 low 3:r8a",
    ),
    (Play((RUN,)), "0f010003000001020204" + "00", "play run(0:r1a 1:r2a 2:r3a)"),
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
        ("05000024" + "00020101020200" * 36, BadLength),
        ("00", DecodeError),
        ("10", DecodeError),
        ("0a00", BadLength),
        ("0b00", BadLength),
        ("0f00", BadLength),
        ("0c000200", DecodeError),
        ("0c000000", BadLength),
        ("0c00000e" + "0101" * 14, BadLength),
        ("0d000000", BadLength),
        ("0d000003" + "0101" * 3, BadLength),
        ("0a01010300620" + "14a020a010334", DecodeError),
        ("0a0101030062014a020a01021f00", BadLength),
        ("0a0101030062014a020a010234", DecodeError),
        ("0a0101030062014a020a02021f021f", DecodeError),
        ("0a0101030062014a020a02021f001f", DecodeError),
        ("0e0934010003000001020204" + "00" + "17" + "000001030e" * 23, BadLength),
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
        "open",
        "play",
        "lay run(2:r2a 3:r3a) ",
        "add 2 7:r12a",
        "add 2 up 7:r12a",
        "add 02 high 7:r12a",
        "add 256 high 7:r12a",
        "add 2 high",
        "retrieve 1 7:b5a",
        "retrieve 1 2 7:b5a 8:b6a 9:b7a",
        "claim-finish 9:k1a run(0:r1a 1:r2a)",
        "open run(0:r1a= 1:r2a)",
        "open run(0:r1a=r14 1:r2a)",
        "finish 1:r1a row(2:r2a 3:r3a)",
        "finish 1:r1a run(2:r2a 3:r3a",
        "finish 1:r1a" + " run(2:r2a 3:r3a)" * 36,
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


@given(moves)
def test_a_move_follows_its_tiles_to_other_slots(move):
    slot_of = {placed.tile: (placed.slot + 1) % 106 for placed in move_placed(move)}
    moved = with_slots(move, slot_of)
    tiles_before = sorted(placed.tile for placed in move_placed(move))
    assert sorted(placed.tile for placed in move_placed(moved)) == tiles_before
    assert all(placed.slot == slot_of[placed.tile] for placed in move_placed(moved))
    assert with_slots(move, {}) == move


@pytest.mark.parametrize("number", [-1, 256])
def test_numbers_of_melds_and_places_fit_a_byte(number):
    tiles = (_placed("7:r12a"),)
    with pytest.raises(DecodeError):
        Add(meld=number, end=End.HIGH, tiles=tiles)
    with pytest.raises(DecodeError):
        Retrieve(meld=number, place=0, supply=tiles)
    with pytest.raises(DecodeError):
        Retrieve(meld=0, place=number, supply=tiles)
