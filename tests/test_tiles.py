"""The 106 tiles: numbers and text, over the whole domain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2pokey.errors import DecodeError
from p2pokey.tiles import (
    FALSE_OKEYS,
    TILE_COUNT,
    Colour,
    Face,
    Tile,
    copy_of,
    face_of,
    format_tile,
    is_false_okey,
    make_tile,
    next_face,
    parse_face,
    parse_tile,
)

ALL = [Tile(number) for number in range(TILE_COUNT)]
FACES = [Face(colour, number) for colour in Colour for number in range(1, 14)]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "r1a"), (1, "r1b"), (25, "r13b"), (26, "b1a"), (103, "y13b"), (104, "**a"), (105, "**b")],
)
def test_known_numbers(number, text):
    assert format_tile(Tile(number)) == text
    assert parse_tile(text) == number


def test_every_tile_has_its_own_text():
    texts = [format_tile(tile) for tile in ALL]
    assert len(set(texts)) == TILE_COUNT
    assert [parse_tile(text) for text in texts] == ALL
    assert {format_tile(tile, with_copy=False) for tile in ALL} == {*map(str, FACES), "**"}


def test_faces_and_copies_make_tiles():
    for tile in ALL:
        face = face_of(tile)
        assert (face is None) == is_false_okey(tile) == (tile in FALSE_OKEYS)
        if face is not None:
            assert make_tile(face, copy_of(tile)) == tile
    assert [parse_face(str(face)) for face in FACES] == FACES


def test_the_next_face_goes_round():
    assert next_face(Face(Colour.BLUE, 13)) == Face(Colour.BLUE, 1)
    assert {next_face(face) for face in FACES} == set(FACES)
    assert all(next_face(face).number == face.number + 1 for face in FACES if face.number < 13)


@pytest.mark.parametrize("number", [-1, 106, 1000])
def test_no_text_for_other_numbers(number):
    with pytest.raises(DecodeError):
        format_tile(Tile(number))


@given(st.text(alphabet="rbkyx*ab0123456789 ", max_size=5))
def test_other_text_is_refused(text):
    try:
        tile = parse_tile(text)
    except DecodeError:
        assert text not in {format_tile(tile) for tile in ALL}
    else:
        assert format_tile(tile) == text


@pytest.mark.parametrize("text", ["", "r0", "r14", "r01", "g5", "R5", "r5a", "**", " r5"])
def test_other_faces_are_refused(text):
    with pytest.raises(DecodeError):
        parse_face(text)
