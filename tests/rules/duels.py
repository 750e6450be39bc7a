"""Hands and small fixed positions of the duel for tests."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from p2pokey.rules import duel
from p2pokey.rules.duel_checks import table_of
from p2pokey.rules.duel_state import DuelTable, written_form
from p2pokey.rules.moves import Move, Placed, Play
from p2pokey.rules.published import DUEL
from p2pokey.rules.state import HandState
from p2pokey.rules.view import View
from p2pokey.tiles import TILE_COUNT, Seat, Slot, Tile, parse_tile


def tiles_of(text: str) -> list[Tile]:
    """`r5a b7` and so on; a tile without a copy letter is copy a."""
    return [parse_tile(name if name[-1] in "ab" else name + "a") for name in text.split()]


@dataclass(frozen=True)
class DuelHand:
    """A hand with the deck face up, for tests that play both seats."""

    state: HandState
    deck: tuple[Tile, ...]

    def placed(self, slot: int) -> Placed:
        return Placed(Slot(slot), self.deck[slot])

    def of(self, text: str) -> tuple[Placed, ...]:
        """Placed tiles by their names."""
        return tuple(self.placed(self.deck.index(tile)) for tile in tiles_of(text))

    def view(self, seat: int) -> View:
        """What the seat sees when every tile due to it has been opened."""
        concealed = [slot for slot in self.state.racks[seat] if self.state.faces[slot] is None]
        private = tuple((slot, self.deck[slot]) for slot in concealed)
        return View(state=self.state, seat=Seat(seat), private=private)

    def own(self) -> View:
        """The view of the seat to move."""
        return self.view(self.state.turn)

    def legal(self) -> tuple[Move, ...]:
        return duel.legal(self.own())

    def play(self, move: Move) -> "DuelHand":
        return DuelHand(duel.apply(self.state, move)[0], self.deck)

    def table(self, *melds: str) -> Play:
        """The play after which these melds lie on the table."""
        return Play(written_form(self.of(meld) for meld in melds))

    @property
    def lying(self) -> DuelTable:
        return table_of(self.state)


def deal(seed: int, starter: int = 0) -> DuelHand:
    """A hand from a deck shuffled by the seed."""
    deck = list(map(Tile, range(TILE_COUNT)))
    random.Random(seed).shuffle(deck)
    return DuelHand(duel.start(DUEL, 2, Seat(starter))[0], tuple(deck))


def position(
    *,
    table: Sequence[str] = (),
    racks: tuple[str, str],
    stack: str | None = None,
    opened: tuple[bool, bool] = (True, True),
    passes: int = 0,
) -> DuelHand:
    """Seat 0 is to move; `stack` None leaves all other tiles in the stack, else only these."""
    held = [tiles_of(rack) for rack in racks]
    lying = [tiles_of(meld) for meld in table]
    named = [tile for group in (*held, *lying) for tile in group]
    drawn = [] if stack is None else tiles_of(stack)
    others = [tile for tile in map(Tile, range(TILE_COUNT)) if tile not in (*named, *drawn)]
    deck = (*named, *drawn, *others)
    assert len(set(deck)) == TILE_COUNT
    public = {tile for meld in lying for tile in meld}
    slot_of = {tile: Slot(slot) for slot, tile in enumerate(deck)}
    count = len(drawn) if stack is not None else len(others)
    state = replace(
        duel.start(DUEL, 2, Seat(0))[0],
        racks=tuple(tuple(slot_of[tile] for tile in rack) for rack in held),
        stack=tuple(map(Slot, range(len(named), len(named) + count))),
        faces=tuple(tile if tile in public else None for tile in deck),
        table=DuelTable(
            melds=written_form([Placed(slot_of[tile], tile) for tile in meld] for meld in lying),
            opened=opened,
            passes=passes,
        ),
    )
    return DuelHand(state, deck)
