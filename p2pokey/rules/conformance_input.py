"""How worked examples write tiles and seats: copy letters optional, seats 1-based."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from p2pokey.errors import DecodeError
from p2pokey.rules.melds import Laid
from p2pokey.rules.rulesets import RuleSet
from p2pokey.tiles import Face, Seat, parse_face, parse_tile

Facts = dict[str, Any]
Example = Mapping[str, Any]
Kind = Callable[[RuleSet, Example], Facts]
"""Plays the input of one kind of example and returns the facts found."""

_TEXT = re.compile(r"([rbky](?:1[0-3]|[1-9])|\*\*)([ab]?)(?:=([rbky](?:1[0-3]|[1-9])))?")


def read_tiles(texts: Sequence[str]) -> list[Laid]:
    """Tiles as text, copy letter and `=face` optional; a tile without one is any free copy."""
    matches = []
    for text in texts:
        match = _TEXT.fullmatch(text)
        if match is None:
            raise DecodeError(f"expected a tile, got {text[:20]!r}")
        matches.append(match)
    used = {parse_tile(match[1] + match[2]) for match in matches if match[2]}
    laid = []
    for match in matches:
        copies = [parse_tile(match[1] + copy) for copy in match[2] or "ab"]
        tile = next((tile for tile in copies if match[2] or tile not in used), None)
        if tile is None:
            raise DecodeError(f"expected at most two tiles {match[1]}")
        used.add(tile)
        laid.append(Laid(tile, parse_face(match[3]) if match[3] else None))
    return laid


def read_face(text: str) -> Face:
    return parse_face(text.rstrip("ab"))


def seat_of(number: int) -> Seat:
    return Seat(number - 1)
