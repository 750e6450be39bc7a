"""Which discards keep a rack closest to a finish, and which draws would then bring it closer.

Runs the search of distance.py again at its optimum: every best choice of pieces says which tiles are
not needed, and which tiles would join it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from p2pokey.rules.distance import (
    FINISH_TILES,
    RUN3,
    SET3,
    SET4,
    Piece,
    Plan,
    melds_distance,
    most_kept,
    pairs_distance,
    pieces_of,
    plan_for,
)
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.templates import RUN_SIZES, Rack, templates

MAX_SOLUTIONS = 4000
"""Best choices looked at; a rack with more is so far from a finish that most draws help."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What to discard, and what to hope for.

    Faces are bits (templates.py).
    """

    distance: int
    """Distance of the rack after its best discard; 0: it finishes (arrange.finishing_discards)."""

    useful: dict[int, int]
    """Per best discard, the mask of faces whose draw lowers the distance; empty at distance 0."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Disjoint pieces of a rack that together are as good as any."""

    pieces: tuple[Piece, ...]
    state: int
    loose: Rack


def analyse(rack: Rack, *, wrap: bool) -> Analysis:
    """Best discards of a rack of 15 tiles, wild tiles never among them."""
    melds, pairs = melds_distance(rack, wrap=wrap), pairs_distance(rack)
    distance = min(melds, pairs)
    if distance == 0:
        return Analysis(0, {})
    useful: dict[int, int] = {}
    if melds == distance:
        useful = _melds_useful(rack, wrap)
    if pairs == distance:
        for bit, mask in _pairs_useful(rack).items():
            useful[bit] = useful.get(bit, 0) | mask
    return Analysis(distance, useful)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _pairs_useful(rack: Rack) -> dict[int, int]:
    """What pairs want: twins of single tiles, of which an unfinished rack of 15 has enough."""
    useful = {}
    for bit in _bits(rack.once):
        left = rack.without(1 << bit)
        if pairs_distance(left) == pairs_distance(rack):
            useful[bit] = left.once & ~left.twice
    return useful


def _melds_useful(rack: Rack, wrap: bool) -> dict[int, int]:
    plan = plan_for(FINISH_TILES)
    useful: dict[int, int] = {}
    for choice in _best_choices(rack, plan, wrap):
        fitting = _fitting(choice, plan, wrap)
        slots = plan.slots[choice.state]
        joins = _joins(choice, plan, wrap) if slots else {}
        for bit in _bits(choice.loose.once):
            mask = fitting
            for other, joined in joins.items():
                if other != bit or choice.loose.twice >> bit & 1:
                    mask |= joined
            useful[bit] = useful.get(bit, 0) | mask
    # A face of which the rack still holds both copies cannot be drawn.
    return {bit: mask & ~rack.without(1 << bit).twice for bit, mask in useful.items()}


def _best_choices(rack: Rack, plan: Plan, wrap: bool) -> list[_Choice]:
    """The choices of pieces that keep as many tiles as any, at most MAX_SOLUTIONS of them."""
    best = most_kept(rack, wrap=wrap)
    pieces = pieces_of(rack.once, wrap)
    found: list[_Choice] = []

    def search(first: int, left: Rack, kept: int, state: int, chosen: tuple[Piece, ...]) -> None:
        slots = plan.slots[state]
        if kept + slots == best:
            found.append(_Choice(chosen, state, left))
        for index in range(first, len(pieces)):
            piece = pieces[index]
            if kept + piece.size * slots < best or len(found) >= MAX_SOLUTIONS:
                return
            after = plan.step[state][piece.kind]
            if not piece.mask & ~left.once and after >= 0:
                search(
                    index,
                    left.without(piece.mask),
                    kept + piece.size,
                    after,
                    (*chosen, piece),
                )

    search(0, rack, 0, 0, ())
    return found


def _fitting(choice: _Choice, plan: Plan, wrap: bool) -> int:
    """Faces that would join one of the pieces while all others keep their room."""
    mask = 0
    slots = plan.slots[choice.state]
    for i, piece in enumerate(choice.pieces):
        others = 0
        for other in (*choice.pieces[:i], *choice.pieces[i + 1 :]):
            others = plan.step[others][other.kind]
        for kind, faces in _growth(piece.mask, wrap):
            after = plan.step[others][kind]
            if after >= 0 and plan.slots[after] == slots:
                mask |= faces
    return mask


def _joins(choice: _Choice, plan: Plan, wrap: bool) -> dict[int, int]:
    """Per loose tile, the faces that would make a piece with it."""
    slots = plan.slots[choice.state]
    joins = {}
    for bit in _bits(choice.loose.once):
        mask = 0
        for kind, faces in _growth(1 << bit, wrap):
            after = plan.step[choice.state][kind]
            if after >= 0 and plan.slots[after] == slots - 1:
                mask |= faces
        joins[bit] = mask
    return joins


@cache
def _growth(mask: int, wrap: bool) -> tuple[tuple[int, int], ...]:
    """Per class of room, the faces that lie in one such meld with the tiles of the mask."""
    faces: dict[int, int] = {}
    for template in templates(wrap):
        if mask & ~template.mask:
            continue
        size = len(template.bits)
        if template.kind is MeldKind.RUN:
            kind = RUN3 + size - RUN_SIZES[0]
        else:
            kind = SET3 if size == 3 else SET4
        faces[kind] = faces.get(kind, 0) | template.mask & ~mask
    return tuple(sorted(faces.items()))
