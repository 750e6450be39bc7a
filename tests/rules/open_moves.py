"""All moves of a small hand of the open table, by trying whatever could be one.

Canonical: runs in laid order, sets and pairs ascending by slot, okeys undeclared, melds of one move
ascending by their first slot. Claimed finishes are left out: where they are known, any is a move.
"""

from collections.abc import Iterator
from itertools import combinations, permutations

from p2pokey.errors import RuleError
from p2pokey.rules import open_table
from p2pokey.rules.melds import Laid, MeldKind, read_meld
from p2pokey.rules.moves import (
    Add,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    GoPairs,
    LaidMeld,
    Lay,
    Move,
    Open,
    Pass,
    Placed,
    Retrieve,
    ReturnTaken,
    TakeBack,
)
from p2pokey.tiles import face_of
from tests.rules.open_hands import FaceUp

BARE: tuple[Move, ...] = (DrawStack(), DrawLeft(), Pass(), ReturnTaken(), TakeBack(), GoPairs())


def accepted(hand: FaceUp, move: Move) -> bool:
    """Whether `check` lets the seat to move do that."""
    try:
        open_table.check(hand.view(hand.turn), move)
    except RuleError:
        return False
    return True


def simple_candidates(hand: FaceUp) -> Iterator[Move]:
    """Every move, legal or not, of the kinds that `legal` lists completely."""
    rack = hand.rack()
    yield from BARE
    yield from map(Discard, rack)
    for number, meld in enumerate(hand.table.melds):
        yield from (Add(meld=number, end=end, tiles=(p,)) for end in End for p in rack)
        supplies: list[tuple[Placed, ...]] = [(placed,) for placed in rack]
        if meld.kind is MeldKind.SET:  # two tiles of other numbers are tried, too, but not all
            value = meld.tiles[0].stands.number
            near = [placed for placed in rack if is_near(placed, value)]
            supplies += permutations([*near, *(p for p in rack[:3] if p not in near)], 2)
        for place in range(len(meld.tiles)):
            yield from (Retrieve(meld=number, place=place, supply=s) for s in supplies)


def is_near(placed: Placed, number: int) -> bool:
    """Whether the tile has that number, or none printed."""
    face = face_of(placed.tile)
    return face is None or face.number == number


def all_moves(hand: FaceUp) -> set[Move]:
    """Every canonical move of the seat to move."""
    found = {move for move in simple_candidates(hand) if accepted(hand, move)}
    melds = _melds(hand)
    for laid in _disjoint(melds, 0):
        found.update(move for move in (Open(laid), Lay(laid)) if accepted(hand, move))
    return found | set(_longer_additions(hand))


def _melds(hand: FaceUp) -> list[LaidMeld]:
    rack = sorted(hand.rack(), key=lambda placed: placed.slot)
    found = [(MeldKind.RUN, run) for run in _runs(hand, ())]
    for size in (3, 4):
        found += [(MeldKind.SET, tiles) for tiles in combinations(rack, size)]
    found += [(MeldKind.PAIR, tiles) for tiles in combinations(rack, 2)]
    valid = [LaidMeld(kind=kind, tiles=tiles) for kind, tiles in found if _reads(hand, kind, tiles)]
    return sorted(valid, key=lambda meld: [placed.slot for placed in meld.tiles])


def _runs(hand: FaceUp, begun: tuple[Placed, ...]) -> Iterator[tuple[Placed, ...]]:
    """Runs that begin so; whatever of three tiles is no run never becomes one."""
    if len(begun) >= 3:
        if not _reads(hand, MeldKind.RUN, begun):
            return
        yield begun
    for placed in hand.rack():
        if placed not in begun:
            yield from _runs(hand, (*begun, placed))


def _reads(hand: FaceUp, kind: MeldKind, tiles: tuple[Placed, ...]) -> bool:
    try:
        laid = [Laid(placed.tile) for placed in tiles]
        read_meld(kind, laid, okey=hand.state.okey, rules=hand.state.rules.melds)
    except RuleError:
        return False
    return True


def _disjoint(melds: list[LaidMeld], start: int) -> Iterator[tuple[LaidMeld, ...]]:
    """All non-empty choices of melds that share no tile."""
    for index in range(start, len(melds)):
        first = melds[index]
        yield (first,)
        used = set(first.tiles)
        rest = [meld for meld in melds[index + 1 :] if not used & set(meld.tiles)]
        yield from ((first, *more) for more in _disjoint(rest, 0))


def _longer_additions(hand: FaceUp) -> Iterator[Move]:
    """Additions of two and more tiles, each prefix of which is one."""
    for number in range(len(hand.table.melds)):
        for end in End:
            yield from _extensions(hand, number, end, ())


def _extensions(hand: FaceUp, number: int, end: End, begun: tuple[Placed, ...]) -> Iterator[Move]:
    for placed in hand.rack():
        move = Add(meld=number, end=end, tiles=(*begun, placed))
        if placed not in begun and accepted(hand, move):
            if begun:
                yield move
            yield from _extensions(hand, number, end, move.tiles)
