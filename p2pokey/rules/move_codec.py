"""The one binary form of a move.

One tag byte, then the fields. A placed tile is two bytes, slot and tile number. A face is one byte,
`13*colour + number-1`. `melds` = count u8, then per meld: kind u8 (0 run, 1 set, 2 pair), count of
tiles u8, the placed tiles, count of declared wild tiles u8, then per declaration index u8 and face
u8, ascending by index. `addition` = meld u8, end u8 (0 low, 1 high), count u8, placed tiles.

    tag  move          fields
    1    draw          -
    2    take          -
    3    show          placed
    4    discard       placed
    5    finish        placed (the discard), melds
    6    pass          -
    7    return        -
    8    take-back     -
    9    go-pairs      -
    10   open          melds
    11   lay           melds
    12   add           addition
    13   retrieve      meld u8, place u8, count u8, placed each
    14   claim-finish  placed (the discard), melds, count u8, additions
    15   play          melds (the whole table)
"""

from collections.abc import Callable
from functools import partial

from p2pokey.codec import Reader
from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import (
    Add,
    Bare,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    Finish,
    GoPairs,
    LaidMeld,
    Lay,
    Move,
    Open,
    Pass,
    Placed,
    Play,
    Retrieve,
    ReturnTaken,
    Show,
    TakeBack,
)
from p2pokey.tiles import Colour, Face, Slot, Tile

MAX_MOVE_SIZE = 1024
"""Bytes; a finish of Classic Okey has about 60, a whole table of the duel some hundreds."""

_BARE: dict[int, Bare] = {
    1: DrawStack(),
    2: DrawLeft(),
    6: Pass(),
    7: ReturnTaken(),
    8: TakeBack(),
    9: GoPairs(),
}
_TAG_OF_BARE = {move: tag for tag, move in _BARE.items()}


def face_number(face: Face) -> int:
    """The one-byte number of a face, 0..51."""
    return 13 * face.colour + face.number - 1


def _encode_placed(placed: Placed) -> bytes:
    return bytes((placed.slot, placed.tile))


def _encode_placed_all(tiles: tuple[Placed, ...]) -> bytes:
    return bytes((len(tiles),)) + b"".join(map(_encode_placed, tiles))


def _encode_meld(meld: LaidMeld) -> bytes:
    declared = [(i, face_number(face)) for i, face in enumerate(meld.declared) if face is not None]
    marks = bytes(number for pair in declared for number in pair)
    return bytes((meld.kind,)) + _encode_placed_all(meld.tiles) + bytes((len(declared),)) + marks


def encode_melds(melds: tuple[LaidMeld, ...]) -> bytes:
    """The `melds` of the module docstring."""
    return bytes((len(melds),)) + b"".join(map(_encode_meld, melds))


def _encode_addition(addition: Add) -> bytes:
    return bytes((addition.meld, addition.end)) + _encode_placed_all(addition.tiles)


def encode_move(move: Move) -> bytes:
    """The one binary form of a move (module docstring), at most MAX_MOVE_SIZE bytes."""
    match move:
        case Show(placed):
            return b"\x03" + _encode_placed(placed)
        case Discard(placed):
            return b"\x04" + _encode_placed(placed)
        case Finish(discard, melds):
            return b"\x05" + _encode_placed(discard) + encode_melds(melds)
        case Open(melds):
            return b"\x0a" + encode_melds(melds)
        case Lay(melds):
            return b"\x0b" + encode_melds(melds)
        case Add():
            return b"\x0c" + _encode_addition(move)
        case Retrieve(meld=meld, place=place, supply=supply):
            return bytes((13, meld, place)) + _encode_placed_all(supply)
        case ClaimFinish(melds=melds, additions=additions, discard=discard):
            count = bytes((len(additions),))
            added = count + b"".join(map(_encode_addition, additions))
            return b"\x0e" + _encode_placed(discard) + encode_melds(melds) + added
        case Play(melds):
            return b"\x0f" + encode_melds(melds)
        case _:
            return bytes((_TAG_OF_BARE[move],))


def _read_placed(reader: Reader) -> Placed:
    slot = reader.u8()
    return Placed(Slot(slot), Tile(reader.u8()))


def _read_placed_all(reader: Reader) -> tuple[Placed, ...]:
    return tuple(_read_placed(reader) for _ in range(reader.u8()))


def _read_face(reader: Reader) -> Face:
    number = reader.u8()
    if number >= 52:
        raise DecodeError(f"expected the number of a face from 0 to 51, got {number}")
    return Face(Colour(number // 13), number % 13 + 1)


def _read_declared(reader: Reader, count: int) -> tuple[Face | None, ...]:
    declared: list[Face | None] = [None] * count
    last = -1
    marks = reader.u8()
    for _ in range(marks):
        index = reader.u8()
        if not last < index < count:
            raise DecodeError("expected declared tiles in ascending order")
        declared[index], last = _read_face(reader), index
    return tuple(declared) if marks else ()


def _read_meld(reader: Reader) -> LaidMeld:
    kind = reader.u8()
    if kind > max(MeldKind):
        raise DecodeError(f"expected a kind of meld from 0 to 2, got {kind}")
    tiles = _read_placed_all(reader)
    return LaidMeld(kind=MeldKind(kind), tiles=tiles, declared=_read_declared(reader, len(tiles)))


def _read_melds(reader: Reader) -> tuple[LaidMeld, ...]:
    return tuple(_read_meld(reader) for _ in range(reader.u8()))


def _read_addition(reader: Reader) -> Add:
    meld, end = reader.u8(), reader.u8()
    if end > max(End):
        raise DecodeError(f"expected an end of 0 or 1, got {end}")
    return Add(meld=meld, end=End(end), tiles=_read_placed_all(reader))


def _read_finish(reader: Reader) -> Move:
    discard = _read_placed(reader)
    return Finish(discard, _read_melds(reader))


def _read_retrieve(reader: Reader) -> Move:
    meld, place = reader.u8(), reader.u8()
    return Retrieve(meld=meld, place=place, supply=_read_placed_all(reader))


def _read_claim(reader: Reader) -> Move:
    discard, melds = _read_placed(reader), _read_melds(reader)
    additions = tuple(_read_addition(reader) for _ in range(reader.u8()))
    return ClaimFinish(melds=melds, additions=additions, discard=discard)


def _read_melds_of(
    make: Callable[[tuple[LaidMeld, ...]], Open | Lay | Play], reader: Reader
) -> Move:
    return make(_read_melds(reader))


_READERS: dict[int, Callable[[Reader], Move]] = {
    3: lambda reader: Show(_read_placed(reader)),
    4: lambda reader: Discard(_read_placed(reader)),
    5: _read_finish,
    10: partial(_read_melds_of, Open),
    11: partial(_read_melds_of, Lay),
    12: _read_addition,
    13: _read_retrieve,
    14: _read_claim,
    15: partial(_read_melds_of, Play),
}


def decode_move(data: bytes) -> Move:
    """The move that `encode_move` writes as `data`.

    Raises:
        BadLength: empty, too long, cut short or followed by more bytes; a count out of range.
        DecodeError: unknown tag, kind, end or face, a slot or tile above 105.
    """
    if not 1 <= len(data) <= MAX_MOVE_SIZE:
        raise BadLength(f"expected a move of 1 to {MAX_MOVE_SIZE} bytes, got {len(data)}")
    reader = Reader(data)
    tag = reader.u8()
    if tag in _BARE:
        move: Move = _BARE[tag]
    elif tag in _READERS:
        move = _READERS[tag](reader)
    else:
        raise DecodeError(f"expected the tag of a move, got {tag}")
    reader.close()
    return move
