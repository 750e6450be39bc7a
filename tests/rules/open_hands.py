"""Hands of the open table with the deck face up."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from p2pokey.errors import IllegalMove
from p2pokey.rules import open_table
from p2pokey.rules.melds import Laid, MeldKind, read_meld
from p2pokey.rules.moves import Add, Discard, DrawStack, End, LaidMeld, Move, Placed, Retrieve
from p2pokey.rules.open_state import Opened, OpenTable, TableMeld, table_meld, table_of
from p2pokey.rules.published import RULE_SETS, RuleSet
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import TILE_COUNT, Face, Seat, Slot, Tile, parse_face, parse_tile

OPEN_KEYS = tuple(key for key, rules in RULE_SETS.items() if rules.table is not None)


def named(text: str) -> set[Tile]:
    """The tiles that a text may mean, copy letter optional."""
    return set(map(parse_tile, [text] if text[-1] in "ab" else [text + "a", text + "b"]))


@dataclass(frozen=True)
class FaceUp:
    """A hand and the whole deck."""

    state: HandState
    deck: tuple[Tile, ...]

    @property
    def table(self) -> OpenTable:
        return table_of(self.state)

    @property
    def turn(self) -> Seat:
        return self.state.turn

    def placed(self, slot: int) -> Placed:
        return Placed(Slot(slot), self.deck[slot])

    def view(self, seat: int) -> View:
        """What the seat sees when every tile due to it has been opened."""
        concealed = [slot for slot in self.state.racks[seat] if self.state.faces[slot] is None]
        private = tuple((slot, self.deck[slot]) for slot in concealed)
        return View(state=self.state, seat=Seat(seat), private=private)

    def rack(self) -> list[Placed]:
        """The tiles of the seat to move."""
        return [self.placed(slot) for slot in self.state.racks[self.turn]]

    def legal(self) -> tuple[Move, ...]:
        return open_table.legal(self.view(self.turn))

    def play(self, *moves: Move) -> "FaceUp":
        state = self.state
        for move in moves:
            state, _ = open_table.apply(state, move)
        return FaceUp(state, self.deck)

    def draw(self) -> "FaceUp":
        """The mover draws from the stack."""
        return self.play(DrawStack())

    def adds(self, meld: int, end: str, text: str) -> Add:
        """An addition of the mover's tiles, the nearest to the meld first."""
        tiles = tuple(map(self.find, text.split()))
        return Add(meld=meld, end=End[end.upper()], tiles=tiles)

    def retrieves(self, meld: int, place: int, text: str) -> Retrieve:
        """A retrieval with the mover's tiles."""
        return Retrieve(meld=meld, place=place, supply=tuple(map(self.find, text.split())))

    def discards(self, text: str) -> Discard:
        """A discard of the mover."""
        return Discard(self.find(text))

    def find(self, text: str) -> Placed:
        """A tile of the mover's rack, copy letter optional."""
        return next(placed for placed in self.rack() if placed.tile in named(text))

    def melds(self, *texts: str) -> tuple[LaidMeld, ...]:
        """Melds of the mover's tiles, such as `run r6 r7 r8`; `=face` declares."""
        rack = self.rack()
        return tuple(self._meld(rack, text) for text in texts)

    def _meld(self, rack: list[Placed], text: str) -> LaidMeld:
        kind, *words = text.split()
        tiles, declared = [], []
        for word in words:
            name, _, face = word.partition("=")
            tile = next(placed for placed in rack if placed.tile in named(name))
            rack.remove(tile)
            tiles.append(tile)
            declared.append(parse_face(face) if face else None)
        return LaidMeld(
            kind=MeldKind.from_word(kind),
            tiles=tuple(tiles),
            declared=tuple(declared) if any(declared) else (),
        )


def _take_tile(free: list[Tile], text: str) -> Tile:
    """The first of the free tiles that the text may mean."""
    tile = next(tile for tile in free if tile in named(text))
    free.remove(tile)
    return tile


def _take_tiles(free: list[Tile], text: str) -> tuple[Slot, ...]:
    return tuple(Slot(_take_tile(free, word)) for word in text.split())


def _take_meld(free: list[Tile], owner: int, text: str, okey: Face, rules: RuleSet) -> TableMeld:
    """A meld written as `run r5 r6 k2=r7`."""
    word, *names = text.split()
    kind = MeldKind.from_word(word)
    laid = []
    for name in names:
        tile, _, face = name.partition("=")
        laid.append(Laid(_take_tile(free, tile), parse_face(face) if face else None))
    read = read_meld(kind, laid, okey=okey, rules=rules.melds)
    tiles = [(Slot(one.tile), one.tile) for one in laid]
    return table_meld(kind, tiles, read.stands, owner=Seat(owner))


def position(
    rules: RuleSet | str,
    *racks: str,
    table: Sequence[tuple[int, str]] = (),
    opened: str = "----",
    values: tuple[int, ...] = (0, 0, 0, 0),
    going: tuple[int, ...] = (),
    discards: Sequence[str] = ("", "", "", ""),
    okey: str = "r5",
    phase: Phase = Phase.PLAY,
    stack: int | None = None,
) -> FaceUp:
    """A hand in the middle, seat 0 to move; slots are tile numbers, the rest is the stack.

    Args:
        racks: tiles of seats 0, 1, ...; copy letters optional. Missing racks get three tiles.
        table: owner and text of each meld.
        opened: per seat `-`, `m` or `p`.
        going: seats that are Going Pairs.
        discards: per seat, bottom first.
        stack: size of the stack; the others lie under seat 2's discards.
    """
    rules = RULE_SETS[rules] if isinstance(rules, str) else rules
    wild = parse_face(okey)
    free = list(map(Tile, range(TILE_COUNT)))
    before = Face(wild.colour, (wild.number - 2) % 13 + 1)
    indicator = Slot(_take_tile(free, str(before)))
    melds = tuple(_take_meld(free, owner, text, wild, rules) for owner, text in table)
    held = [_take_tiles(free, text) for text in racks]
    piles = [_take_tiles(free, text) for text in discards]
    while len(held) < 4:
        held.append(tuple(Slot(free.pop()) for _ in range(3)))
    size = len(free) if stack is None else stack
    rest = tuple(map(Slot, free))
    piles[2] = (*rest[size:], *piles[2])
    shown = [indicator, *(slot for pile in piles for slot in pile)]
    shown += [tile.slot for meld in melds for tile in meld.tiles]
    kinds = {"-": Opened.NONE, "m": Opened.MELDS, "p": Opened.PAIRS}
    state = HandState(
        rules=rules,
        seats=4,
        starter=Seat(3),
        phase=phase,
        turn=Seat(0),
        racks=tuple(held),
        stack=rest[:size],
        discards=tuple(piles),
        indicator=indicator,
        faces=tuple(Tile(slot) if slot in shown else None for slot in range(TILE_COUNT)),
        turns_taken=(1, 1, 1, 1),
        table=OpenTable(
            melds=melds,
            opened=tuple(kinds[letter] for letter in opened),
            opening_values=values,
            going_pairs=tuple(seat in going for seat in range(4)),
        ),
    )
    return FaceUp(state, tuple(map(Tile, range(TILE_COUNT))))


def refused(hand: FaceUp, move: Move, rule: str, text: str | None = None) -> None:
    """The move is refused with that rule, publicly and in the mover's own view."""
    with pytest.raises(IllegalMove, match=text) as raised:
        open_table.apply(hand.state, move)
    assert raised.value.rule == rule
    with pytest.raises(IllegalMove):
        open_table.check(hand.view(hand.turn), move)
    assert move not in hand.legal()


def turned(hand: FaceUp) -> FaceUp:
    """The hand with its indicator open."""
    state = hand.state
    while state.phase is Phase.INDICATOR:
        state, _ = open_table.turn_indicator(state, hand.deck[state.stack[0]])
    return FaceUp(state, hand.deck)


def shuffled(seed: int, rules: RuleSet, starter: int = 0) -> FaceUp:
    """A random deal."""
    deck = list(map(Tile, range(TILE_COUNT)))
    random.Random(seed).shuffle(deck)
    state, _ = open_table.start(rules, 4, Seat(starter))
    return turned(FaceUp(state, tuple(deck)))
