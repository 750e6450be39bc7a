"""Moves as text, for people and for files of positions.

Words: `draw`, `take`, `pass`, `return`, `take-back`, `go-pairs`, `show 17:r5a`, `discard 17:r5a`,
`finish 3:k13a run(0:r1a 1:r2a 2:r3a) ...`, `open run(...) ...`, `lay ...`, `play ...`,
`add 4 high 7:r8a`, `retrieve 4 1 7:r8a`, and
`claim-finish 3:k13a open run(...) ... add 0 low 5:r1a ...`. A placed tile is written slot:tile, with
`=face` where a wild tile's face is declared: `17:r6a=b9`.
"""

import re
from collections.abc import Callable

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
from p2pokey.tiles import Face, Slot, format_tile, parse_face, parse_tile

_BARE: dict[str, Bare] = {
    "draw": DrawStack(),
    "take": DrawLeft(),
    "pass": Pass(),
    "return": ReturnTaken(),
    "take-back": TakeBack(),
    "go-pairs": GoPairs(),
}
_WORD_OF = {move: word for word, move in _BARE.items()}
_MAX_MOVE_TEXT = 4096


def _format_placed(placed: Placed, declared: Face | None = None) -> str:
    stands_for = "" if declared is None else f"={declared}"
    return f"{placed.slot}:{format_tile(placed.tile)}{stands_for}"


def _format_meld(meld: LaidMeld) -> str:
    declared = meld.declared or (None,) * len(meld.tiles)
    tiles = " ".join(map(_format_placed, meld.tiles, declared))
    return f" {meld.kind.word}({tiles})"


def _format_melds(melds: tuple[LaidMeld, ...]) -> str:
    return "".join(map(_format_meld, melds))


def _format_addition(move: Add) -> str:
    return f"add {move.meld} {move.end.name.lower()} {' '.join(map(_format_placed, move.tiles))}"


def format_move(move: Move) -> str:
    """The text of a move (module docstring)."""
    match move:
        case Show(placed):
            return f"show {_format_placed(placed)}"
        case Discard(placed):
            return f"discard {_format_placed(placed)}"
        case Finish(discard, melds):
            return f"finish {_format_placed(discard)}{_format_melds(melds)}"
        case Open(melds):
            return f"open{_format_melds(melds)}"
        case Lay(melds):
            return f"lay{_format_melds(melds)}"
        case Play(melds):
            return f"play{_format_melds(melds)}"
        case Add():
            return _format_addition(move)
        case Retrieve(meld=meld, place=place, supply=supply):
            return f"retrieve {meld} {place} {' '.join(map(_format_placed, supply))}"
        case ClaimFinish(melds=melds, additions=additions, discard=discard):
            added = "".join(f" {_format_addition(addition)}" for addition in additions)
            return f"claim-finish {_format_placed(discard)} open{_format_melds(melds)}{added}"
        case _:
            return _WORD_OF[move]


_NUMBER = r"(?:0|[1-9][0-9]{0,2})"
_PLACED = rf"{_NUMBER}:(?:[rbky][0-9]{{1,2}}|\*\*)[ab]"
_LAID = rf"{_PLACED}(?:=[rbky][0-9]{{1,2}})?"
_MELDS = rf"((?: (?:run|set|pair)\({_LAID}(?: {_LAID})*\))*)"
_TILES = rf"({_PLACED}(?: {_PLACED})*)"
_ADD = rf"add ({_NUMBER}) (low|high) {_TILES}"
_ADDED = rf"((?: add {_NUMBER} (?:low|high) {_PLACED}(?: {_PLACED})*)*)"
_ONE_PLACED = re.compile(rf"(show|discard) ({_PLACED})")
_FINISH = re.compile(rf"finish ({_PLACED}){_MELDS}")
_LAYING = re.compile(rf"(open|lay|play){_MELDS}")
_ADDITION = re.compile(_ADD)
_RETRIEVE = re.compile(rf"retrieve ({_NUMBER}) ({_NUMBER}) {_TILES}")
_CLAIM = re.compile(rf"claim-finish ({_PLACED}) open{_MELDS}{_ADDED}")
_MELD = re.compile(r"(run|set|pair)\(([^)]*)\)")
_MAKE_LAYING: dict[str, Callable[[tuple[LaidMeld, ...]], Open | Lay | Play]] = {
    "open": Open,
    "lay": Lay,
    "play": Play,
}


def _parse_placed(text: str) -> Placed:
    slot, _, tile = text.partition(":")
    return Placed(Slot(int(slot)), parse_tile(tile))


def _parse_tiles(text: str) -> tuple[Placed, ...]:
    return tuple(map(_parse_placed, text.split(" ")))


def _parse_meld(word: str, text: str) -> LaidMeld:
    parts = [part.partition("=") for part in text.split(" ")]
    declared = tuple(parse_face(face) if face else None for _, _, face in parts)
    return LaidMeld(
        kind=MeldKind.from_word(word),
        tiles=tuple(_parse_placed(placed) for placed, _, _ in parts),
        declared=declared if any(declared) else (),
    )


def _parse_melds(text: str) -> tuple[LaidMeld, ...]:
    return tuple(_parse_meld(word, tiles) for word, tiles in _MELD.findall(text))


def _addition(meld: str, end: str, tiles: str) -> Add:
    return Add(meld=int(meld), end=End[end.upper()], tiles=_parse_tiles(tiles))


def parse_move(text: str) -> Move:
    """The move that `format_move` writes as `text`; raises DecodeError for anything else."""
    if len(text) > _MAX_MOVE_TEXT:
        raise BadLength(f"expected a move of at most {_MAX_MOVE_TEXT} letters, got {len(text)}")
    if text in _BARE:
        return _BARE[text]
    if match := _ONE_PLACED.fullmatch(text):
        placed = _parse_placed(match[2])
        return Show(placed) if match[1] == "show" else Discard(placed)
    if match := _FINISH.fullmatch(text):
        return Finish(_parse_placed(match[1]), _parse_melds(match[2]))
    if match := _LAYING.fullmatch(text):
        return _MAKE_LAYING[match[1]](_parse_melds(match[2]))
    if match := _ADDITION.fullmatch(text):
        return _addition(match[1], match[2], match[3])
    if match := _RETRIEVE.fullmatch(text):
        return Retrieve(meld=int(match[1]), place=int(match[2]), supply=_parse_tiles(match[3]))
    if match := _CLAIM.fullmatch(text):
        added = tuple(_addition(*found) for found in _ADDITION.findall(match[3]))
        return ClaimFinish(
            melds=_parse_melds(match[2]), additions=added, discard=_parse_placed(match[1])
        )
    raise DecodeError(f"expected a move such as draw or discard 17:r5a, got {text[:40]!r}")
