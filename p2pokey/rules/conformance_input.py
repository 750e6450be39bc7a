"""How worked examples write tiles and seats: copy letters optional, seats 1-based."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from p2pokey.errors import DecodeError
from p2pokey.rules.melds import Laid
from p2pokey.rules.published import RuleSet
from p2pokey.tiles import MAX_SEATS, Face, Seat, parse_face, parse_tile

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


def read_groups(*groups: Sequence[str]) -> list[list[Laid]]:
    """Groups of tiles of one deck, read together so that no tile lies in two of them."""
    laid = iter(read_tiles([text for group in groups for text in group]))
    return [[next(laid) for _ in group] for group in groups]


def read_face(text: str) -> Face:
    return parse_face(text.rstrip("ab"))


def read_okey(given: Example) -> Face | None:
    """Face of the wild tiles; null where the false okeys are wild."""
    return None if given["okey"] is None else read_face(given["okey"])


def okey_of(given: Example) -> Face:
    """The okey, where there always is one."""
    okey = read_okey(given)
    if okey is None:
        raise DecodeError("expected the face of the okey")
    return okey


def seat_of(number: int) -> Seat:
    """A seat as people count them, from 1."""
    if not 1 <= number <= MAX_SEATS:
        raise DecodeError(f"expected a seat from 1 to {MAX_SEATS}, got {number}")
    return Seat(number - 1)


def by_seat(values: Sequence[int]) -> dict[str, int]:
    """Values as the examples write them, by seat."""
    return {str(seat + 1): value for seat, value in enumerate(values)}
