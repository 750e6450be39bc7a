"""Melds under construction: what they are worth so far, and why they cannot be laid yet.

Staged tiles still lie on the rack (or, in the duel, the table still lies as it was): nothing here
is known to anybody else before the move is sent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from p2pokey.errors import DecodeError, IllegalMove, RuleError
from p2pokey.rules.duel_checks import opening_value, rules_of
from p2pokey.rules.duel_state import DuelTable, written_form
from p2pokey.rules.engine import engine_for
from p2pokey.rules.melds import MeldKind
from p2pokey.rules.moves import LaidMeld, Lay, Move, Open, Placed, Play
from p2pokey.rules.open_checks import missed_floor
from p2pokey.rules.open_melds import read_new
from p2pokey.rules.open_state import Opened, table_of
from p2pokey.rules.view import View
from p2pokey.tiles import Tile, format_tile
from p2pokey.web.acting import Hand
from p2pokey.web.melding import Wish, joined
from p2pokey.web.names import Json, refusal, tile_names


@dataclass(slots=True)
class Stage:
    """One seat's melds under construction, kept while the hand goes on around them."""

    wishes: list[Wish] = field(default_factory=list)
    _basis: frozenset[Tile] = frozenset()

    @property
    def basis(self) -> frozenset[Tile]:
        """Duel: what lay on the table when the work on it began."""
        return self._basis

    def put(self, view: View, wishes: Iterable[Wish]) -> None:
        """Takes over what the page has built."""
        self.wishes = [wish for wish in wishes if wish.tiles]
        self._basis = _lying(view)

    def clear(self) -> None:
        """Everything goes back to where it was."""
        self.wishes = []

    def json(self, view: View) -> Json | None:
        """STAGED of docs/page-protocol.md; None where nothing is staged.

        Tiles that have left the rack are dropped; work on a table that another has changed since is
        given up.
        """
        known = {tile for _, tile in view.rack()}
        if isinstance(view.state.table, DuelTable):
            if self._basis != _lying(view):
                self.clear()
            known |= _lying(view)
        elif view.state.table is None:
            self.clear()
        self.wishes = [kept for wish in self.wishes if (kept := _still(wish, known)).tiles]
        if not self.wishes:
            return None
        duel = isinstance(view.state.table, DuelTable)
        return _duel(view, self.wishes) if duel else _open_table(view, self.wishes)


def _lying(view: View) -> frozenset[Tile]:
    table = view.state.table
    return frozenset(p.tile for p in table.tiles) if isinstance(table, DuelTable) else frozenset()


def _still(wish: Wish, known: set[Tile]) -> Wish:
    tiles = tuple(tile for tile in wish.tiles if tile in known)
    return Wish(tiles, wish.kind, wish.stands)


def _open_table(view: View, wishes: Sequence[Wish]) -> Json:
    hand = Hand(view)
    melds, laid, error = [], [], None
    for wish in wishes:
        try:
            read = hand.melder.read(wish)
            laid.append(hand.laid(read.meld))
            melds.append(_meld_json(view, laid[-1], read.value))
        except (RuleError, DecodeError) as found:
            wrong = _as_rule(found)
            error = error or wrong
            melds.append(_no_meld(wish, wrong))
    error = error or _why_not(view, _move(view, laid))
    values = [meld["value"] for meld in melds if meld["kind"] in ("run", "set")]
    return {
        "does": "open" if _opened(view) is Opened.NONE else "lay",
        "melds": melds,
        "total": sum(values),
        "pairs": sum(meld["kind"] == "pair" for meld in melds),
        "ok": error is None,
        "refused": None if error is None else refusal(error),
        "left": len(hand.slot_of) - sum(len(wish.tiles) for wish in wishes),
    }


def _opened(view: View) -> Opened:
    return Opened.NONE if view.seat is None else table_of(view.state).opened[view.seat]


def _move(view: View, laid: Sequence[LaidMeld]) -> Move | None:
    if not laid:
        return None
    return Open(tuple(laid)) if _opened(view) is Opened.NONE else Lay(tuple(laid))


def _why_not(view: View, move: Move | None) -> RuleError | None:
    """What the rules say of it now, an opening that they would only charge included."""
    if move is None:
        return None
    try:
        engine_for(view.state.rules).check(view, move)
        if isinstance(move, Open):
            missed = missed_floor(view.state, read_new(view.state, move.melds))
            if missed is not None:
                numbers = {"floor": missed.floor, "have": missed.have}
                return IllegalMove(missed.text, rule="OT-7", numbers=numbers)
    except RuleError as error:
        return error
    return None


def _as_rule(error: Exception) -> RuleError:
    """A heap of one tile, or of too many, has no form as a meld at all."""
    if isinstance(error, RuleError):
        return error
    return IllegalMove(str(error), rule="G-20")


def _meld_json(view: View, meld: LaidMeld, value: int) -> Json:
    read = read_new(view.state, [meld])[0] if view.state.okey is not None else None
    stands = [str(tile.stands) for tile in read.tiles] if read is not None else []
    return {
        "tiles": tile_names([placed.tile for placed in meld.tiles]),
        "as": stands,
        "kind": meld.kind.word,
        "value": value if meld.kind is not MeldKind.PAIR else 0,
        "refused": None,
    }


def _no_meld(wish: Wish, error: RuleError) -> Json:
    return {
        "tiles": tile_names(wish.tiles),
        "as": [],
        "kind": None,
        "value": 0,
        "refused": refusal(error),
    }


def _duel(view: View, wishes: Sequence[Wish]) -> Json:
    """The whole table as it would be: each set, what is new, what is missing."""
    melds = [_set_json(wish) for wish in wishes]
    table = view.state.table
    assert isinstance(table, DuelTable)
    error: RuleError | None = None
    wrong = next((meld["refused"] for meld in melds if meld["refused"]), None)
    rack = {tile: Placed(slot, tile) for slot, tile in view.rack()}
    lying = {placed.tile: placed for placed in table.tiles}
    total = 0
    if wrong is None:
        every = rack | lying
        play = Play(written_form([every[tile] for tile in wish.tiles] for wish in wishes))
        total = opening_value(table, play)
        error = _why_not(view, play)
    staged = {tile for wish in wishes for tile in wish.tiles}
    missing = sorted(set(lying) - staged)
    return {
        "does": "play",
        "melds": melds,
        "total": total,
        "pairs": 0,
        "floor": None if _has_opened(view) else rules_of(view.state).opening_floor,
        "ok": wrong is None and error is None,
        "refused": wrong or (None if error is None else refusal(error)),
        "missing": tile_names(missing),
        "left": len(rack) - len(staged & set(rack)),
    }


def _has_opened(view: View) -> bool:
    table = view.state.table
    return isinstance(table, DuelTable) and view.seat is not None and table.opened[view.seat]


def _set_json(wish: Wish) -> Json:
    read = joined(wish.tiles)
    if read is None:
        text = "these tiles are neither a run nor a set: " + " ".join(map(format_tile, wish.tiles))
        return _no_meld(wish, IllegalMove(text, rule="E-2"))
    kind, laid, value = read
    return {
        "tiles": [format_tile(tile) for tile, _ in laid],
        "as": [stands for _, stands in laid],
        "kind": kind.word,
        "value": value,
        "refused": None,
    }
