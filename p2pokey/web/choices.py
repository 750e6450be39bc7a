"""What the viewer may do now, and why it may not do the rest.

All answers are the engine's own: what is offered here is accepted, what is refused here is refused
with the same rule and the same figures.
"""

from p2pokey.errors import IllegalMove, RuleError
from p2pokey.rules import open_legal
from p2pokey.rules.arrange import finishing_discards
from p2pokey.rules.checks import check_phase, check_turn
from p2pokey.rules.classic_checks import is_twin
from p2pokey.rules.engine import engine_for
from p2pokey.rules.melds import identity
from p2pokey.rules.moves import (
    Add,
    Discard,
    DrawLeft,
    DrawStack,
    GoPairs,
    Move,
    Pass,
    Placed,
    Retrieve,
    ReturnTaken,
    Show,
    TakeBack,
)
from p2pokey.rules.open_charges import TableEvent, event_charge, retrieve_charge, retrieve_payer
from p2pokey.rules.open_checks import check_may_change, check_may_open
from p2pokey.rules.open_melds import okey_of
from p2pokey.rules.open_state import table_of
from p2pokey.rules.state import HandState, Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Tile, format_tile
from p2pokey.web.names import Json, refusal, tile_names

_CLASSIC = ("draw", "take", "pass")
_OPEN = (*_CLASSIC, "return", "take_back")
_DUEL = ("draw", "pass")
_BARE: dict[str, Move] = {
    "draw": DrawStack(),
    "take": DrawLeft(),
    "pass": Pass(),
    "return": ReturnTaken(),
    "take_back": TakeBack(),
    "go_pairs": GoPairs(),
}


def no_choices() -> Json:
    """`can` where nothing can be done."""
    return {
        "draw": False, "take": False, "pass": False, "return": False, "return_charge": 0,
        "take_back": None, "go_pairs": False, "show": None, "discard": [], "finish": [],
        "add": [], "retrieve": [], "open": False, "lay": False, "play": False,
    }  # fmt: skip


def choices(view: View) -> tuple[Json, Json]:
    """`can` and `why` of docs/page-protocol.md."""
    can = no_choices()
    asked = _Asked(view, can, {})
    rules = view.state.rules
    if rules.duel is not None:
        asked.of_duel()
    elif rules.table is not None:
        asked.of_open_table()
    else:
        asked.of_classic()
    return can, asked.why


class _Asked:
    """The questions of one view and their answers so far."""

    def __init__(self, view: View, can: Json, why: Json) -> None:
        self.view, self.can, self.why = view, can, why
        self.state = view.state
        self.rack = [Placed(slot, tile) for slot, tile in view.rack()]
        self.is_mine = view.seat is not None and self._refusal(None) is None

    def of_classic(self) -> None:
        self._bare(_CLASSIC)
        self._discards()
        self._show()
        self._finish()

    def of_open_table(self) -> None:
        rules = self.state.rules.open_table
        self._bare((*_OPEN, "go_pairs") if rules.going_pairs else _OPEN)
        self._discards()
        self._finish_open()
        self._prices()
        for name, check in (("open", check_may_open), ("lay", check_may_change)):
            error = self._refusal(None)
            if error is None:
                try:
                    check(self.state)
                except RuleError as found:
                    error = found
            self._answer(name, error)
        for name in ("add", "retrieve"):
            if "lay" in self.why:
                self.why[name] = self.why["lay"]
        if self.can["lay"]:
            self._on_table()

    def of_duel(self) -> None:
        self._bare(_DUEL)
        self._answer("play", self._refusal(None))

    def _refusal(self, move: Move | None) -> RuleError | None:
        """Why the viewer may not do that; without a move: why he may not do anything."""
        try:
            check_turn(self.view)
            if move is not None:
                engine_for(self.state.rules).check(self.view, move)
        except RuleError as error:
            return error
        return None

    def _answer(self, name: str, error: RuleError | None) -> None:
        if error is None:
            self.can[name] = True
        else:
            self.why[name] = refusal(error)

    def _bare(self, names: tuple[str, ...]) -> None:
        for name in names:
            self._answer(name, self._refusal(_BARE[name]))

    def _discards(self) -> None:
        """Tiles that may go; a reason for all, or one for each tile that may not."""
        refusals = {}
        for placed in self.rack if self.is_mine else ():
            error = self._refusal(Discard(placed))
            if error is None:
                self.can["discard"].append(format_tile(placed.tile))
            else:
                refusals[format_tile(placed.tile)] = refusal(error)
        if self.can["discard"]:
            self.why.update({f"discard {name}": why for name, why in refusals.items()})
        elif refusals:
            self.why["discard"] = next(iter(refusals.values()))
        else:
            error = self._refusal(None) or _phase_refusal(self.state) or _unread("M-5")
            self.why["discard"] = refusal(error)

    def _show(self) -> None:
        twins = [placed for placed in self.rack if is_twin(self.state, placed.tile)]
        error = self._refusal(Show(twins[0]) if twins else None)
        if error is None and not twins:
            error = IllegalMove("you do not hold the indicator's twin", rule="A-5")
        if error is None:
            self.can["show"] = format_tile(twins[0].tile)
        else:
            self.why["show"] = refusal(error)

    def _finish(self) -> None:
        error = self._refusal(None) or _phase_refusal(self.state)
        if error is None and len(self.rack) < len(self.state.racks[self.state.turn]):
            error = _unread("A-9")
        if error is None:
            tiles = [placed.tile for placed in self.rack]
            found = finishing_discards(tiles, okey=self.state.okey, rules=self.state.rules.melds)
            self.can["finish"] = tile_names([tile for tile, _ in found])
            if not found:
                text = "no discard leaves 14 tiles in melds or in seven pairs"
                error = IllegalMove(text, rule="A-9")
        if error is not None:
            self.why["finish"] = refusal(error)

    def _finish_open(self) -> None:
        """The last tile of a rack ends the hand."""
        error = self._refusal(None) or _phase_refusal(self.state)
        held = len(self.state.racks[self.state.turn])
        if error is None and held > 1:
            text = f"only the last tile of the rack finishes, you hold {held}"
            error = IllegalMove(text, rule="M-6", numbers={"held": held})
        if error is not None:
            self.why["finish"] = refusal(error)
        elif self.can["discard"]:
            self.can["finish"] = list(self.can["discard"])
        else:
            self.why["finish"] = self.why["discard"]

    def _prices(self) -> None:
        rules = self.state.rules
        if self.can["take_back"]:
            self.can["take_back"] = {"charge": event_charge(rules, TableEvent.TAKE_BACK)}
        changed = table_of(self.state).turn.checkpoint is not None
        late = event_charge(rules, TableEvent.RETURN_AFTER_CHANGE)
        self.can["return_charge"] = late if self.can["return"] and changed else 0

    def _on_table(self) -> None:
        for move in open_legal.legal(self.view):
            match move:
                case Add(meld=meld, end=end, tiles=tiles):
                    name = format_tile(tiles[0].tile)
                    self.can["add"].append({"meld": meld, "end": end.name.lower(), "tile": name})
                case Retrieve(supply=supply) if list(supply) == sorted(supply, key=_by_tile):
                    # Two tiles for one okey may come in either order: one is enough to offer.
                    self.can["retrieve"].append(_retrieval(self.state, self.state.turn, move))
                case _:
                    pass


def _by_tile(placed: Placed) -> Tile:
    return placed.tile


def _unread(rule: str) -> RuleError:
    """A tile of the rack is still on its way."""
    return IllegalMove("the tile just drawn cannot be read yet", rule=rule)


def _phase_refusal(state: HandState) -> RuleError | None:
    try:
        check_phase(state, Phase.PLAY)
    except RuleError as error:
        return error
    return None


def _retrieval(state: HandState, seat: Seat, move: Retrieve) -> Json:
    rules = state.rules
    payer = retrieve_payer(rules, table_of(state).melds[move.meld], move.place)
    faces = [identity(placed.tile, okey_of(state)) for placed in move.supply]
    supplied = [face for face in faces if face is not None]
    points = retrieve_charge(rules, state.seats, payer=payer, taker=seat, supplied=supplied)
    return {
        "meld": move.meld,
        "place": move.place,
        "supply": tile_names([placed.tile for placed in move.supply]),
        "charge": points,
        "payer": payer if points else None,
    }
