"""Tiles, faces and refusals as the page names them (docs/page-protocol.md).

What comes from the page is checked here for its form; whatever has none is refused, never an error.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from p2pokey.errors import DecodeError, RuleError
from p2pokey.tiles import Face, Tile, format_tile, parse_face, parse_tile
from p2pokey.web.engine import IntentRefused

Json = dict[str, Any]

MAX_TILES = 106
"""Of one list; there are no more."""
MAX_MELDS = 35
_MAX_NAME = 5


def tile_name(tile: Tile | None) -> str | None:
    """Text such as `r5a`; None for a tile that the viewer does not know."""
    return None if tile is None else format_tile(tile)


def tile_names(tiles: Sequence[Tile]) -> list[str]:
    """The names of known tiles."""
    return [format_tile(tile) for tile in tiles]


def refusal(error: RuleError) -> Json:
    """Why the rules say no: rule id, the English sentence, its figures by name."""
    return {"rule": error.rule, "text": str(error.args[0]), "numbers": dict(error.numbers)}


def refused(error: RuleError) -> IntentRefused:
    """The same as the answer to an intent."""
    return IntentRefused("rule", **refusal(error))


def bad_form(what: str) -> IntentRefused:
    """An intent that the page never sends; `what` was expected."""
    return IntentRefused("form", text=f"expected {what}")


def read_tile(value: object) -> Tile:
    """The tile of that name; raises IntentRefused for anything else."""
    if not isinstance(value, str) or len(value) > _MAX_NAME:
        raise bad_form("a tile such as r5a")
    try:
        return parse_tile(value)
    except DecodeError:
        raise bad_form("a tile such as r5a") from None


def read_tiles(value: object) -> tuple[Tile, ...]:
    """A list of different tiles; raises IntentRefused for anything else."""
    tiles = tuple(map(read_tile, read_list(value, MAX_TILES)))
    if len(set(tiles)) != len(tiles):
        raise bad_form("every tile once")
    return tiles


def read_face(value: object) -> Face:
    """The face of that name; raises IntentRefused for anything else."""
    if not isinstance(value, str) or len(value) > _MAX_NAME:
        raise bad_form("a face such as r5")
    try:
        return parse_face(value)
    except DecodeError:
        raise bad_form("a face such as r5") from None


def read_list(value: object, most: int) -> list[Any]:
    """A list of at most so many entries; raises IntentRefused for anything else."""
    if not isinstance(value, list) or len(value) > most:
        raise bad_form(f"a list of at most {most}")
    return value


def read_object(value: object) -> Mapping[str, Any]:
    """An object; raises IntentRefused for anything else."""
    if not isinstance(value, dict):
        raise bad_form("an object")
    return value


def read_number(value: object, below: int) -> int:
    """A number from 0 to below - 1; raises IntentRefused for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise bad_form(f"a number from 0 to {below - 1}")
    return value


def read_word(value: object, words: Sequence[str]) -> str:
    """One of the words; raises IntentRefused for anything else."""
    if not isinstance(value, str) or value not in words:
        raise bad_form(f"one of {', '.join(words)}")
    return value
