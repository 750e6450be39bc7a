"""What happened last, and which tile came to the rack last: for the page's marks and sounds."""

from collections.abc import Sequence

from p2pokey.rules.events import (
    ChargeBooked,
    Event,
    OkeyRetrieved,
    OpeningFailed,
    SeatOpened,
    TileReturned,
    TileTaken,
)
from p2pokey.rules.moves import (
    Add,
    ClaimFinish,
    Discard,
    DrawLeft,
    DrawStack,
    Finish,
    GoPairs,
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
    move_placed,
)
from p2pokey.rules.state import Phase
from p2pokey.rules.view import View
from p2pokey.tiles import Seat, Tile, format_tile
from p2pokey.web.names import Json, tile_names

_KINDS: dict[type[Move], str] = {
    DrawStack: "draw", DrawLeft: "take", Pass: "pass", ReturnTaken: "return",
    TakeBack: "take-back", GoPairs: "go-pairs", Show: "show", Discard: "discard",
    Finish: "finish", Open: "open", Lay: "lay", Add: "add", Retrieve: "retrieve",
    ClaimFinish: "claim", Play: "play",
}  # fmt: skip


def kind_of(move: Move) -> str:
    """Name of a move, also of the intent that makes it."""
    return _KINDS[type(move)]


def move_json(seat: Seat, move: Move, events: Sequence[Event] = ()) -> Json:
    """A move and what came of it, public facts only.

    Keys besides `seat` and `kind`: `tile` (shown, discarded, taken or returned), `tiles` (made
    public), `meld` (of add and retrieve), `okey` (retrieved), `value` and `opened` (of an opening),
    `failed` (why an opening in C was charged), `charges`.
    """
    told: Json = {"seat": seat, "kind": kind_of(move)}
    match move:
        case Show(placed) | Discard(placed) | Finish(discard=placed):
            told["tile"] = format_tile(placed.tile)
        case Add(meld=meld) | Retrieve(meld=meld):
            told["meld"] = meld
        case _:
            pass
    told["tiles"] = tile_names([placed.tile for placed in _laid(move, events)])
    booked = [event for event in events if isinstance(event, ChargeBooked)]
    told["charges"] = [{"seat": one.seat, "points": one.points, "rule": one.rule} for one in booked]
    for event in events:
        match event:
            case SeatOpened(value=value, opened=opened):
                told |= {"value": value, "opened": opened.word}
            case TileTaken(tile=tile) | TileReturned(tile=tile):
                told["tile"] = format_tile(tile)
            case OkeyRetrieved(okey=okey):
                told["okey"] = format_tile(okey.tile)
            case OpeningFailed(reason=reason):
                told["failed"] = reason
            case _:
                pass
    return told


def _laid(move: Move, events: Sequence[Event]) -> tuple[Placed, ...]:
    """The tiles of a move; of a play of the duel only those that came from the rack."""
    for event in events:
        laid: tuple[Placed, ...] | None = getattr(event, "laid", None)
        if laid is not None and isinstance(move, Play):
            return laid
    return () if isinstance(move, Play) else move_placed(move)


class NewTile:
    """Watches one seat's views of one hand for the tile that came to its rack last."""

    def __init__(self) -> None:
        self._before: frozenset[Tile] | None = None
        self._new: Tile | None = None

    def seen(self, view: View) -> Tile | None:
        """The tile to be marked in this view: the newest, as long as it lies on the rack.

        It is forgotten when the next turn of the others has begun, except in the duel, where a draw
        ends the turn: there it stays until the own next turn is over.
        """
        now = frozenset(tile for _, tile in view.rack())
        came = set() if self._before is None else now - self._before
        if len(came) == 1:  # more come with the deal
            (self._new,) = came
        rests = view.state.rules.duel is None and view.seat != view.state.turn
        if self._new not in now or rests or view.state.phase is Phase.OVER:
            self._new = None
        self._before = now
        return self._new
