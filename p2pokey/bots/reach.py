"""Rough worth of a rack, quick where the solvers would be exact."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from p2pokey.tiles import Colour, Face

_LAST = 13
_SHORTEST = 3
"""Tiles of the shortest meld."""

_NEXT, _NEXT_BUT_ONE, _BOTH_SIDES, _SAME_NUMBER = 3.0, 1.5, 3.0, (0.0, 3.0, 7.0, 8.0)
_TWIN = 0.5
"""A second copy is rarely of use in runs and sets."""


class Outlook(NamedTuple):
    """Natural faces with their counts, and the number of okeys."""

    faces: Counter[Face]
    wilds: int
    wrap: bool


def outlook(faces: Iterable[Face | None], *, wrap: bool) -> Outlook:
    """Counts the faces of a rack; None is an okey."""
    counted = Counter(faces)
    wilds = counted.pop(None, 0)
    return Outlook(Counter({face: n for face, n in counted.items() if face}), wilds, wrap)


def most_value(rack: Outlook) -> int:
    """No choice of runs and sets is worth more: counts each tile that can be in one at all."""
    places = [0] * len(Colour)
    """Per colour, bit n for number n; bit 14 for a 1 that follows a 13."""
    for colour, number in rack.faces:
        places[colour] |= 1 << number
        if rack.wrap and number == 1:
            places[colour] |= 1 << _LAST + 1
    missing = max(0, _SHORTEST - rack.wilds)
    in_sets = _numbers_in(places, missing)
    total = 0
    in_runs = [_numbers_in([held, held >> 1, held >> 2], missing) for held in places]
    windows = [found | found << 1 | found << 2 for found in in_runs]
    for (colour, number), count in rack.faces.items():
        at = 1 << number | (1 << _LAST + 1 if rack.wrap and number == 1 else 0)
        if (in_sets | windows[colour]) & at:
            total += number * count
    return total + _LAST * rack.wilds


def _numbers_in(masks: Sequence[int], least: int) -> int:
    """Bits that are in at least so many of three or four masks."""
    if least == 0:
        return -1
    once = twice = thrice = 0
    for mask in masks:
        thrice |= twice & mask
        twice |= once & mask
        once |= mask
    return (once, twice, thrice)[least - 1]


def most_pairs(rack: Outlook) -> int:
    """Pairs that the rack makes, an okey with any single tile."""
    twins = sum(count == 2 for count in rack.faces.values())
    singles = sum(count == 1 for count in rack.faces.values())
    return twins + min(rack.wilds, singles)


def meld_use(face: Face, rack: Outlook) -> float:
    """How much a tile of the rack has to do with the others in runs and sets."""

    def held(offset: int) -> bool:
        number = face.number + offset
        if rack.wrap and number > _LAST:
            number -= _LAST
        return Face(face.colour, number) in rack.faces

    below, above = held(-1), held(1)
    same = sum(Face(colour, face.number) in rack.faces for colour in Colour) - 1
    use = _SAME_NUMBER[same] + _NEXT * (below + above) + _BOTH_SIDES * (below and above)
    use += _NEXT_BUT_ONE * (held(-2) + held(2))
    return use * _TWIN if rack.faces[face] > 1 else use
