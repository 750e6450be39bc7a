"""A random player of the open table that opens, lays and adds when it can, and errs now and then."""

import random
from collections.abc import Iterator

from p2pokey.rules import open_table
from p2pokey.rules.events import Event
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawStack,
    LaidMeld,
    Lay,
    Move,
    Open,
    Placed,
    Retrieve,
    ReturnTaken,
    TakeBack,
)
from p2pokey.rules.open_checks import missed_floor
from p2pokey.rules.open_legal import is_legal
from p2pokey.rules.open_melds import okey_of, read_new
from p2pokey.rules.open_state import Opened
from p2pokey.rules.openings import LaidOut, best_opening, opening_pairs
from p2pokey.rules.playable import room_of
from p2pokey.rules.state import HandState, Phase
from p2pokey.tiles import Tile
from tests.rules.open_hands import FaceUp

Step = tuple[HandState, Move, HandState, tuple[Event, ...]]


def play_on(hand: FaceUp, rng: random.Random, count: int = 2000) -> list[Step]:
    """Up to `count` moves of four random players."""
    steps: list[Step] = []
    while len(steps) < count and open_table.mover(hand.state) is not None:
        move = choose(hand, rng)
        after, events = open_table.apply(hand.state, move)
        steps.append((hand.state, move, after, events))
        hand = FaceUp(after, hand.deck)
    return steps


def choose(hand: FaceUp, rng: random.Random) -> Move:
    """A legal move; those that use up tiles are likelier."""
    listed = list(hand.legal())
    if hand.state.phase is Phase.DRAW:
        rare = [move for move in listed if move != DrawStack()]
        return rng.choice(rare) if rare and rng.random() < 0.3 else listed[0]
    tabled = [move for move in (*listed, *found(hand, rng)) if _is_tabled(move)]
    if tabled and rng.random() < 0.8:
        return rng.choice(tabled)
    undone = [move for move in listed if isinstance(move, ReturnTaken | TakeBack)]
    discards = [move for move in listed if isinstance(move, Discard)]
    if undone and (not discards or rng.random() < 0.03):
        return rng.choice(undone)
    if rng.random() < 0.05:
        return rng.choice(listed)
    return _discard(hand, discards, rng) if discards else rng.choice(listed)


def _is_tabled(move: Move) -> bool:
    return isinstance(move, Open | Lay | Add | Retrieve | ClaimFinish)


def _discard(hand: FaceUp, discards: list[Discard], rng: random.Random) -> Move:
    """Mostly a tile that the best melds of the rack do not need."""
    needed: set[Tile] = set()
    if rng.random() < 0.9:
        needed = {tile for meld in _melds(hand, ()) for tile in meld.tiles}
    spare = [move for move in discards if move.placed.tile not in needed]
    return rng.choice(spare or discards)


def found(hand: FaceUp, rng: random.Random) -> list[Move]:
    """Openings, lays, longer additions and claims that `legal` does not list, all legal."""
    return [move for move in _found(hand, rng) if is_legal(hand.state, move)]


def _found(hand: FaceUp, rng: random.Random) -> Iterator[Move]:
    state, opened = hand.state, hand.table.opened[hand.turn]
    taken = [hand.deck[slot] for slot in state.racks[hand.turn] if slot == state.taken]
    must = tuple(taken) if rng.random() < 0.8 else ()
    melds, pairs = _placed(hand, _melds(hand, must)), _placed(hand, _pairs(hand, must))
    if opened is Opened.NONE:
        yield from (Open(laid) for laid in (melds, pairs) if laid and _is_sane(hand, laid, rng))
        yield from (claim for laid in (melds, pairs) if laid for claim in _claims(hand, laid, rng))
    else:
        yield from (Lay(laid) for laid in (melds, pairs) if laid)
        yield from _longer_additions(hand)


def _is_sane(hand: FaceUp, laid: tuple[LaidMeld, ...], rng: random.Random) -> bool:
    """Where failing is charged, tries what must fail only now and then."""
    return missed_floor(hand.state, read_new(hand.state, laid)) is None or rng.random() < 0.03


def _melds(hand: FaceUp, must: tuple[Tile, ...]) -> tuple[LaidOut, ...]:
    tiles = [placed.tile for placed in hand.rack()]
    rules, okey = hand.state.rules.melds, okey_of(hand.state)
    best = best_opening(tiles, okey=okey, rules=rules, must=must)
    return () if best is None else best.melds


def _pairs(hand: FaceUp, must: tuple[Tile, ...]) -> tuple[LaidOut, ...]:
    tiles = [placed.tile for placed in hand.rack()]
    return opening_pairs(tiles, okey=okey_of(hand.state), rules=hand.state.rules.melds, must=must)


def _placed(hand: FaceUp, melds: tuple[LaidOut, ...]) -> tuple[LaidMeld, ...]:
    at = {placed.tile: placed for placed in hand.rack()}
    return tuple(
        LaidMeld(
            kind=meld.kind,
            tiles=tuple(at[tile] for tile in meld.tiles),
            declared=meld.declared,
        )
        for meld in melds
    )


def _claims(hand: FaceUp, laid: tuple[LaidMeld, ...], rng: random.Random) -> Iterator[ClaimFinish]:
    """Claims that all but one tile are melds; false ones now and then."""
    used = {placed.slot for meld in laid for placed in meld.tiles}
    rest = [placed for placed in hand.rack() if placed.slot not in used]
    if rest and (len(rest) == 1 or rng.random() < 0.03):
        yield ClaimFinish(melds=laid, additions=(), discard=rng.choice(rest))


def _longer_additions(hand: FaceUp) -> Iterator[Add]:
    """Two tiles on one end of a run."""
    okey = okey_of(hand.state)
    by_face: dict[object, Placed] = {identity(p.tile, okey): p for p in hand.rack()}
    for number, meld in enumerate(hand.table.melds):
        for end, face in room_of(hand.state.rules, meld):
            step = -1 if end == 0 else 1
            beyond = face._replace(number=face.number + step)
            if face in by_face and beyond in by_face:
                yield Add(meld=number, end=end, tiles=(by_face[face], by_face[beyond]))
