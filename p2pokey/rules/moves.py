"""What a player may do, one frozen class per move, with one canonical binary and one text form.

A move names the tile it claims for every slot that it makes public. The rules check the claim where
the slot's face is already known; everywhere else they trust it, because the deck proves it
(docs/protocol.md S8).

Binary form: one tag byte, then the fields. A placed tile is two bytes, slot and tile number.

    tag  move        fields
    1    draw        -
    2    take        -
    3    show        placed
    4    discard     placed
    5    finish      placed (the discard), count of melds u8, then per meld:
                     kind u8 (0 run, 1 set, 2 pair), count of tiles u8, placed each
    6    pass        -
"""

import re
from dataclasses import dataclass

from p2pokey.codec import Reader
from p2pokey.errors import BadLength, DecodeError
from p2pokey.rules.melds import MeldKind
from p2pokey.tiles import TILE_COUNT, Slot, Tile, format_tile, parse_tile

MAX_MOVE_SIZE = 1024
"""Bytes; the longest move of Classic Okey has 46, the table games need some hundreds."""

MAX_LAID_MELDS = 32
MAX_MELD_TILES = 13


@dataclass(frozen=True, slots=True)
class Placed:
    """A slot and the tile that is claimed to lie there.

    Raises:
        DecodeError: either number is not in 0..105.
    """

    slot: Slot
    tile: Tile

    def __post_init__(self) -> None:
        if not (0 <= self.slot < TILE_COUNT and 0 <= self.tile < TILE_COUNT):
            raise DecodeError(f"expected slot and tile in 0..105, got {self.slot}, {self.tile}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidMeld:
    """Tiles laid side by side, in laid order; 2 to 13 of them."""

    kind: MeldKind
    tiles: tuple[Placed, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.tiles) <= MAX_MELD_TILES:
            raise BadLength(
                f"expected 2 to {MAX_MELD_TILES} tiles in a meld, got {len(self.tiles)}"
            )


@dataclass(frozen=True, slots=True)
class DrawStack:
    """Draw the top tile of the stack."""


@dataclass(frozen=True, slots=True)
class DrawLeft:
    """Take the top tile of the left neighbour's discard pile."""


@dataclass(frozen=True, slots=True)
class Show:
    """Show the twin of the indicator; it stays on the rack, face public."""

    placed: Placed


@dataclass(frozen=True, slots=True)
class Discard:
    """Put a tile on one's own discard pile; ends the turn."""

    placed: Placed


@dataclass(frozen=True, slots=True)
class Finish:
    """End the hand with the other 14 tiles in melds or pairs, laid out for the others to see."""

    discard: Placed
    melds: tuple[LaidMeld, ...]

    def __post_init__(self) -> None:
        if len(self.melds) > MAX_LAID_MELDS:
            raise BadLength(f"expected at most {MAX_LAID_MELDS} melds, got {len(self.melds)}")


@dataclass(frozen=True, slots=True)
class Pass:
    """Decline the last discard when the stack is empty (rule G-7)."""


Move = DrawStack | DrawLeft | Show | Discard | Finish | Pass

_BARE: dict[int, DrawStack | DrawLeft | Pass] = {1: DrawStack(), 2: DrawLeft(), 6: Pass()}
_BARE_WORDS = {1: "draw", 2: "take", 6: "pass"}
_TAG_SHOW, _TAG_DISCARD, _TAG_FINISH = 3, 4, 5


def move_placed(move: Move) -> tuple[Placed, ...]:
    """The slots that the move makes public, with their claimed tiles, ascending by slot."""
    match move:
        case Show(placed) | Discard(placed):
            return (placed,)
        case Finish(discard, melds):
            placed_all = [discard, *(placed for meld in melds for placed in meld.tiles)]
            return tuple(sorted(placed_all, key=lambda placed: placed.slot))
        case DrawStack() | DrawLeft() | Pass():
            return ()


def _bare_tag(move: DrawStack | DrawLeft | Pass) -> int:
    return next(tag for tag, bare in _BARE.items() if bare == move)


def _encode_placed(placed: Placed) -> bytes:
    return bytes((placed.slot, placed.tile))


def encode_melds(melds: tuple[LaidMeld, ...]) -> bytes:
    """Count u8, then per meld kind u8, count u8 and the placed tiles."""
    parts = [bytes((len(melds),))]
    for meld in melds:
        parts.append(bytes((meld.kind, len(meld.tiles))))
        parts.extend(_encode_placed(placed) for placed in meld.tiles)
    return b"".join(parts)


def encode_move(move: Move) -> bytes:
    """The one binary form of a move (module docstring), at most MAX_MOVE_SIZE bytes."""
    match move:
        case Show(placed):
            return bytes((_TAG_SHOW,)) + _encode_placed(placed)
        case Discard(placed):
            return bytes((_TAG_DISCARD,)) + _encode_placed(placed)
        case Finish(discard, melds):
            return bytes((_TAG_FINISH,)) + _encode_placed(discard) + encode_melds(melds)
        case DrawStack() | DrawLeft() | Pass():
            return bytes((_bare_tag(move),))


def _read_placed(reader: Reader) -> Placed:
    slot = reader.u8()
    return Placed(Slot(slot), Tile(reader.u8()))


def _read_meld(reader: Reader) -> LaidMeld:
    kind = reader.u8()
    if kind > max(MeldKind):
        raise DecodeError(f"expected a kind of meld from 0 to 2, got {kind}")
    count = reader.u8()
    return LaidMeld(kind=MeldKind(kind), tiles=tuple(_read_placed(reader) for _ in range(count)))


def decode_move(data: bytes) -> Move:
    """The move that `encode_move` writes as `data`.

    Raises:
        BadLength: empty, too long, cut short or followed by more bytes.
        DecodeError: unknown tag or kind, a slot or tile above 105.
    """
    if not 1 <= len(data) <= MAX_MOVE_SIZE:
        raise BadLength(f"expected a move of 1 to {MAX_MOVE_SIZE} bytes, got {len(data)}")
    reader = Reader(data)
    tag = reader.u8()
    move: Move
    if tag in _BARE:
        move = _BARE[tag]
    elif tag == _TAG_SHOW:
        move = Show(_read_placed(reader))
    elif tag == _TAG_DISCARD:
        move = Discard(_read_placed(reader))
    elif tag == _TAG_FINISH:
        discard = _read_placed(reader)
        move = Finish(discard, tuple(_read_meld(reader) for _ in range(reader.u8())))
    else:
        raise DecodeError(f"expected the tag of a move, got {tag}")
    reader.close()
    return move


def _format_placed(placed: Placed) -> str:
    return f"{placed.slot}:{format_tile(placed.tile)}"


def format_move(move: Move) -> str:
    """Text such as `draw`, `discard 17:r5a` or `finish 3:k13a run(0:r1a 1:r2a 2:r3a) ...`."""
    match move:
        case Show(placed):
            return f"show {_format_placed(placed)}"
        case Discard(placed):
            return f"discard {_format_placed(placed)}"
        case Finish(discard, melds):
            laid = "".join(
                f" {meld.kind.word}({' '.join(map(_format_placed, meld.tiles))})" for meld in melds
            )
            return f"finish {_format_placed(discard)}{laid}"
        case DrawStack() | DrawLeft() | Pass():
            return _BARE_WORDS[_bare_tag(move)]


_PLACED = r"(?:0|[1-9][0-9]{0,2}):(?:[rbky][0-9]{1,2}|\*\*)[ab]"
_PLACED_MOVE = re.compile(rf"(show|discard) ({_PLACED})")
_FINISH = re.compile(rf"finish ({_PLACED})((?: (?:run|set|pair)\({_PLACED}(?: {_PLACED})*\))*)")
_MELD = re.compile(r"(run|set|pair)\(([^)]*)\)")
_MAX_MOVE_TEXT = 4096


def _parse_placed(text: str) -> Placed:
    slot, _, tile = text.partition(":")
    return Placed(Slot(int(slot)), parse_tile(tile))


def parse_move(text: str) -> Move:
    """The move that `format_move` writes as `text`; raises DecodeError for anything else."""
    if len(text) > _MAX_MOVE_TEXT:
        raise BadLength(f"expected a move of at most {_MAX_MOVE_TEXT} letters, got {len(text)}")
    for tag, word in _BARE_WORDS.items():
        if text == word:
            return _BARE[tag]
    if match := _PLACED_MOVE.fullmatch(text):
        placed = _parse_placed(match[2])
        return Show(placed) if match[1] == "show" else Discard(placed)
    if match := _FINISH.fullmatch(text):
        melds = tuple(
            LaidMeld(
                kind=MeldKind.from_word(word),
                tiles=tuple(_parse_placed(part) for part in tiles.split(" ")),
            )
            for word, tiles in _MELD.findall(match[2])
        )
        return Finish(_parse_placed(match[1]), melds)
    raise DecodeError(f"expected a move such as draw or discard 17:r5a, got {text[:40]!r}")
