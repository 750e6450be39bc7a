"""Intents of the page as moves of the rules (docs/page-protocol.md).

The page names tiles; the view knows their slots. What the rules refuse is refused with the rule and
its figures; what has no proper form is refused, too. Nothing that a page sends is an error here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from p2pokey.errors import DecodeError, IllegalMove, InvalidMeld, RuleError
from p2pokey.rules.arrange import best_finish
from p2pokey.rules.checks import check_turn
from p2pokey.rules.classic_checks import is_twin
from p2pokey.rules.duel_state import DuelTable, written_form
from p2pokey.rules.engine import engine_for
from p2pokey.rules.events import OpeningFailed
from p2pokey.rules.melds import MeldKind, identity
from p2pokey.rules.moves import (
    MAX_ADDED,
    MAX_ADDITIONS,
    MAX_LAID_MELDS,
    MAX_MELD_TILES,
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    End,
    Finish,
    GoPairs,
    LaidMeld,
    Lay,
    Move,
    Open,
    Pass,
    Placed,
    Play,
    Retrieve,
    ReturnTaken,
    Show,
    TakeBack,
)
from p2pokey.rules.open_checks import missed_floor
from p2pokey.rules.open_melds import extended, okey_of, read_new
from p2pokey.rules.open_state import TableMeld, table_of
from p2pokey.rules.openings import LaidOut
from p2pokey.rules.playable import accepts
from p2pokey.rules.view import View
from p2pokey.tiles import Slot, Tile, format_tile
from p2pokey.web.engine import IntentRefused
from p2pokey.web.melding import Melder, Wish
from p2pokey.web.names import (
    bad_form,
    read_face,
    read_list,
    read_number,
    read_object,
    read_tile,
    read_tiles,
    read_word,
    refused,
)

Intent = Mapping[str, Any]

_BARE: dict[str, Move] = {
    "draw": DrawStack(),
    "take": DrawLeft(),
    "pass": Pass(),
    "return": ReturnTaken(),
    "take-back": TakeBack(),
    "go-pairs": GoPairs(),
}
_ENDS = {"low": End.LOW, "high": End.HIGH}


def move_of(view: View, intent: Intent) -> Move:
    """The legal move that the player wants.

    Args:
        intent: untrusted in form. `sure` true makes also an opening, or a claimed finish, that the
            rules would charge rather than refuse (C-1).

    Raises:
        IntentRefused: `unknown`: no move of that name; `form`: a move that is not well formed;
            `rule`: the rules say no, with `rule`, `text` and `numbers`.
    """
    name = intent.get("do")
    if not isinstance(name, str) or name not in MOVES:
        raise IntentRefused("unknown")
    try:
        check_turn(view)
        move = _BARE[name] if name in _BARE else _MAKERS[name](Hand(view), intent)
        engine_for(view.state.rules).check(view, move)
        if intent.get("sure") is not True:
            _check_free(view, move)
    except RuleError as error:
        raise refused(error) from None
    except DecodeError as error:
        raise bad_form(str(error)) from None
    return move


class Hand:
    """The viewer's tiles by name, and how heaps of them are read."""

    def __init__(self, view: View) -> None:
        self.view, self.state = view, view.state
        self.slot_of: dict[Tile, Slot] = {tile: slot for slot, tile in view.rack()}
        okey = view.state.okey
        faces = (identity(tile, okey) for tile in self.slot_of)
        held = Counter(face for face in faces if face is not None)
        self.melder = Melder(okey=okey, rules=view.state.rules.melds, held=held)

    def placed(self, tiles: Iterable[Tile]) -> tuple[Placed, ...]:
        """Tiles of the rack with their slots; raises IllegalMove for one that is not there."""
        found = []
        for tile in tiles:
            if tile not in self.slot_of:
                name = format_tile(tile)
                raise IllegalMove(f"{name} is not on your rack", rule="M-4", seat=self.view.seat)
            found.append(Placed(self.slot_of[tile], tile))
        return tuple(found)

    def laid(self, meld: LaidOut) -> LaidMeld:
        """A meld with the slots of the rack."""
        return LaidMeld(kind=meld.kind, tiles=self.placed(meld.tiles), declared=meld.declared)

    def read(self, wish: Wish) -> LaidMeld:
        """The best meld of a heap; raises InvalidMeld where it is none."""
        if len(wish.tiles) > MAX_MELD_TILES:
            raise InvalidMeld(
                f"expected at most {MAX_MELD_TILES} tiles in a meld, got {len(wish.tiles)}",
                rule="G-20",
                numbers={"most": MAX_MELD_TILES, "have": len(wish.tiles)},
            )
        return self.laid(self.melder.read(wish).meld)


def read_wishes(value: object, most: int = MAX_LAID_MELDS) -> list[Wish]:
    """Heaps as the page sends them: lists of tiles, or `{"tiles": [...], "kind", "as": {tile: face}}`.

    Raises:
        IntentRefused: `form`, also where a tile is in two of them.
    """
    wishes = [_read_wish(entry) for entry in read_list(value, most)]
    tiles = [tile for wish in wishes for tile in wish.tiles]
    if len(set(tiles)) != len(tiles):
        raise bad_form("every tile once")
    return wishes


def _read_wish(value: object) -> Wish:
    if isinstance(value, list):
        return Wish(read_tiles(value))
    entry = read_object(value)
    kind = entry.get("kind")
    stands = read_object(entry.get("as") or {})
    return Wish(
        tiles=read_tiles(entry.get("tiles")),
        kind=None if kind is None else _KINDS[read_word(kind, tuple(_KINDS))],
        stands={read_tile(tile): read_face(face) for tile, face in stands.items()},
    )


_KINDS = {kind.word: kind for kind in MeldKind}


def _discard(hand: Hand, intent: Intent) -> Move:
    return Discard(*hand.placed([read_tile(intent.get("tile"))]))


def _show(hand: Hand, intent: Intent) -> Move:
    """The tile named, or the twin that is on the rack."""
    if intent.get("tile") is not None:
        return Show(*hand.placed([read_tile(intent["tile"])]))
    twins = [tile for tile in hand.slot_of if is_twin(hand.state, tile)]
    if not twins:
        raise IllegalMove("you do not hold the indicator's twin", rule="A-5")
    return Show(*hand.placed(twins[:1]))


def _finish(hand: Hand, intent: Intent) -> Move:
    """A discard that ends the hand; in Classic Okey the other tiles are laid out."""
    tile = read_tile(intent.get("tile"))
    (placed,) = hand.placed([tile])
    rules = hand.state.rules
    if rules.table is not None or rules.duel is not None:
        held = len(hand.slot_of)
        if held > 1:
            text = f"only the last tile of the rack finishes, you hold {held}"
            raise IllegalMove(text, rule="M-6", numbers={"held": held})
        return Discard(placed)
    rest = [other for other in hand.slot_of if other != tile]
    found = best_finish(rest, okey=hand.state.okey, rules=rules.melds)
    if found is None:
        raise InvalidMeld("these tiles are neither melds nor seven pairs", rule="A-9")
    laid = tuple(LaidMeld(kind=meld.kind, tiles=hand.placed(meld.tiles)) for meld in found.layout)
    return Finish(placed, laid)


def _melds(hand: Hand, value: object) -> tuple[LaidMeld, ...]:
    return tuple(hand.read(wish) for wish in read_wishes(value))


def _open(hand: Hand, intent: Intent) -> Move:
    return Open(_melds(hand, intent.get("melds")))


def _lay(hand: Hand, intent: Intent) -> Move:
    return Lay(_melds(hand, intent.get("melds")))


def _add(hand: Hand, intent: Intent) -> Move:
    """The tiles in the order in which they fit; without an end, at the one where they do."""
    _check_open_table(hand)
    number = read_number(intent.get("meld"), 256)
    placed = hand.placed(_some_tiles(intent.get("tiles"), MAX_ADDED))
    melds = table_of(hand.state).melds
    if number >= len(melds):
        raise IllegalMove(f"expected a meld below {len(melds)}, got {number}", rule="OT-9")
    meld = melds[number]
    wanted = intent.get("end")
    ends = tuple(End) if wanted is None else (_ENDS[read_word(wanted, tuple(_ENDS))],)
    if meld.kind is MeldKind.SET:
        ends = (End.HIGH,)
    fitting = [(end, found) for end in ends if (found := _in_order(hand, meld, end, placed))]
    end, tiles = fitting[0] if fitting else (ends[-1], placed)
    return Add(meld=number, end=end, tiles=tiles)


def _in_order(
    hand: Hand, meld: TableMeld, end: End, placed: Sequence[Placed]
) -> tuple[Placed, ...]:
    """The tiles as they go on one after the other, okeys where no other fits; empty if they do not."""
    okey = okey_of(hand.state)
    rest = sorted(placed, key=lambda one: identity(one.tile, okey) is None)
    chosen: list[Placed] = []
    while rest:
        found = next(
            (p for p in rest if end in accepts(hand.state.rules, meld, p.tile, okey)), None
        )
        if found is None:
            return ()
        rest.remove(found)
        chosen.append(found)
        meld = extended(hand.state, meld, end, [found])
    return tuple(chosen)


def _retrieve(hand: Hand, intent: Intent) -> Move:
    return Retrieve(
        meld=read_number(intent.get("meld"), 256),
        place=read_number(intent.get("place"), 256),
        supply=hand.placed(_some_tiles(intent.get("supply"), 2)),
    )


def _claim(hand: Hand, intent: Intent) -> Move:
    """Open, add and finish in one: new melds are numbered on from those on the table."""
    additions = []
    for value in read_list(intent.get("additions") or [], MAX_ADDITIONS):
        entry = read_object(value)
        end = _ENDS[read_word(entry.get("end", "high"), tuple(_ENDS))]
        tiles = hand.placed(_some_tiles(entry.get("tiles"), MAX_ADDED))
        additions.append(Add(meld=read_number(entry.get("meld"), 256), end=end, tiles=tiles))
    (discard,) = hand.placed([read_tile(intent.get("discard"))])
    melds = _melds(hand, intent.get("melds"))
    return ClaimFinish(melds=melds, additions=tuple(additions), discard=discard)


def _play(hand: Hand, intent: Intent) -> Move:
    """The table of the duel as it shall be; tiles lie on it or on the own rack."""
    table = hand.state.table
    if not isinstance(table, DuelTable):
        raise IllegalMove("this game has no such move", rule="M-6")
    lying = {placed.tile: placed for placed in table.tiles}
    melds = [
        [lying[tile] if tile in lying else hand.placed([tile])[0] for tile in wish.tiles]
        for wish in read_wishes(intent.get("table"))
    ]
    return Play(written_form(melds))


_MAKERS: dict[str, Callable[[Hand, Intent], Move]] = {
    "show": _show,
    "discard": _discard,
    "finish": _finish,
    "open": _open,
    "lay": _lay,
    "add": _add,
    "retrieve": _retrieve,
    "claim": _claim,
    "play": _play,
}
MOVES = frozenset(_BARE) | frozenset(_MAKERS)
"""Names of the intents that are moves."""


def _some_tiles(value: object, most: int) -> tuple[Tile, ...]:
    tiles = read_tiles(value)
    if not 1 <= len(tiles) <= most:
        raise bad_form(f"1 to {most} tiles")
    return tiles


def _check_open_table(hand: Hand) -> None:
    if hand.state.rules.table is None:
        raise IllegalMove("this game has no such move", rule="M-6")


def _check_free(view: View, move: Move) -> None:
    """Raises IllegalMove for an attempt that the rules would charge: it needs a player who is sure."""
    table, state = view.state.rules.table, view.state
    if table is None or not table.failed_opening_charged:
        return
    match move:
        case Open(melds):
            missed = missed_floor(state, read_new(state, melds))
            if missed is not None:
                numbers = {"floor": missed.floor, "have": missed.have}
                raise IllegalMove(missed.text, rule="OT-7", numbers=numbers)
        case ClaimFinish():
            _, events = engine_for(state.rules).apply(state, move)
            for event in events:
                if isinstance(event, OpeningFailed):
                    raise IllegalMove(event.reason, rule="OT-12")
        case _:
            pass
