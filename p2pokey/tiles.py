"""The 106 tiles: numbers on the wire, text for people (docs/protocol.md S1).

A tile is its number 0..105 everywhere in the core: `26*colour + 2*(number-1) + copy` for the
numbered tiles, 104 and 105 for the two false okeys. A `Face` is what a rule looks at: colour and
number, the copy forgotten.
"""

import re
from enum import IntEnum
from typing import NamedTuple, NewType

from p2pokey.errors import DecodeError

Tile = NewType("Tile", int)
"""Tile number, 0..105."""

Slot = NewType("Slot", int)
"""Position in the shuffled deck, 0..105: says nothing about the tile that lies there."""

Seat = NewType("Seat", int)
"""Place at the table, 0..n-1 in order of play; people read it as 1..n."""

TILE_COUNT = 106
MIN_SEATS, MAX_SEATS = 2, 4
"""Players of one table."""
FALSE_OKEYS = (Tile(104), Tile(105))
_COLOUR_LETTERS = "rbky"


class Colour(IntEnum):
    """The four colours in wire order."""

    RED = 0
    BLUE = 1
    BLACK = 2
    YELLOW = 3

    @property
    def letter(self) -> str:
        """One-letter name: r, b, k or y."""
        return _COLOUR_LETTERS[self.value]


class Face(NamedTuple):
    """Colour and number 1..13 of a numbered tile, whichever copy."""

    colour: Colour
    number: int

    def __str__(self) -> str:
        return f"{self.colour.letter}{self.number}"


_TILE_TEXT = re.compile(r"(?:([rbky])(1[0-3]|[1-9])|(\*\*))([ab])")
_FACE_TEXT = re.compile(r"([rbky])(1[0-3]|[1-9])")


def is_false_okey(tile: Tile) -> bool:
    """Whether the tile is one of the two false okeys."""
    return tile >= FALSE_OKEYS[0]


def make_tile(face: Face, copy: int) -> Tile:
    """The numbered tile with this face; copy is 0 (a) or 1 (b)."""
    return Tile(26 * face.colour + 2 * (face.number - 1) + copy)


_FACES = (
    *(Face(Colour(tile // 26), tile % 26 // 2 + 1) for tile in range(FALSE_OKEYS[0])),
    None,
    None,
)


def face_of(tile: Tile) -> Face | None:
    """The printed face, or None for a false okey."""
    return _FACES[tile]


def copy_of(tile: Tile) -> int:
    """0 for copy a, 1 for copy b."""
    return tile % 2


def format_tile(tile: Tile, *, with_copy: bool = True) -> str:
    """Text such as `r5a`, `b13b` or `**a`; without copy `r5`, `**`."""
    if not 0 <= tile < TILE_COUNT:
        raise DecodeError(f"expected a tile number from 0 to 105, got {tile}")
    face = face_of(tile)
    text = "**" if face is None else str(face)
    return text + "ab"[copy_of(tile)] if with_copy else text


def parse_tile(text: str) -> Tile:
    """The tile that `format_tile` writes as `text`, copy letter required."""
    match = _TILE_TEXT.fullmatch(text)
    if match is None:
        raise DecodeError(f"expected a tile such as r5a or **b, got {text[:20]!r}")
    copy = "ab".index(match[4])
    if match[3]:
        return FALSE_OKEYS[copy]
    return make_tile(Face(Colour(_COLOUR_LETTERS.index(match[1])), int(match[2])), copy)


def parse_face(text: str) -> Face:
    """The face written as `r5` or `b13`."""
    match = _FACE_TEXT.fullmatch(text)
    if match is None:
        raise DecodeError(f"expected a face such as r5 or b13, got {text[:20]!r}")
    return Face(Colour(_COLOUR_LETTERS.index(match[1])), int(match[2]))


def next_face(face: Face) -> Face:
    """The face one higher in the same colour, 13 followed by 1: the okey of an indicator."""
    return Face(face.colour, face.number % 13 + 1)
